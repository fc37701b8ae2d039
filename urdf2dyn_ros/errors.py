"""Errors of this package: one base class, and one class for each cause that a user can see."""

import copyreg
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from urdf2dyn_ros.text import counted


class Urdf2DynError(Exception):
    """Base of all errors of this package; the text has what, where, the rule and the remedy."""

    def __reduce__(self) -> tuple[Any, ...]:
        # to another process without the constructor, which has other arguments
        return copyreg.__newobj__, (type(self), *self.args), self.__dict__   # type: ignore


@dataclass(frozen=True)
class Problem:
    """
    A problem of a robot description.

    Attributes
    ----------
    code : str
        Short stable name of the rule, for instance ``'mass-negative'``.
    message : str
        The offending text, the rule and the remedy.
    element : str
        The element that has it, for instance ``'link "arm" <mass>'``.
    line : int or None
        Line in the text, from 1.
    refused : bool
        True if the description is rejected for it; False if it is a warning, and the model has
        exactly the values of the text.
    effect : str
        Effect on the efforts in words, of a warning.

    """

    code: str
    message: str
    element: str = ''
    line: int | None = None
    refused: bool = True
    effect: str = ''

    def __str__(self) -> str:
        where = f'line {self.line}: ' if self.line is not None else ''
        element = f'{self.element}: ' if self.element else ''
        return f'{where}{element}{self.message} [{self.code}]'


class UrdfError(Urdf2DynError):
    """
    A robot description that is rejected; `name` is that of its file, if it is known.

    Attributes
    ----------
    problems : tuple of Problem
        All problems of the text, in the order of their lines, with the warnings.

    """

    def __init__(self, problems: Iterable[Problem], name: str = '') -> None:
        self.problems = tuple(problems)
        refused = [problem for problem in self.problems if problem.refused]
        count = counted(len(refused), 'problem')
        lines = '\n'.join(f'  {problem}' for problem in refused)
        file = f' {name!r}' if name else ''
        super().__init__(f'{count} in the robot description{file}:\n{lines}')


class SourceError(Urdf2DynError):
    """A robot description that is not available: no such file, unreadable, or xacro fails."""


class StateError(Urdf2DynError, ValueError):
    """Positions, velocities or accelerations of a wrong shape, or not finite."""


class LoopError(StateError):
    """
    Positions at which a robot with closed loops has no efforts.

    Attributes
    ----------
    status : str
        'open': the loops do not close there; 'singular': passive joints can move by themselves.

    """

    def __init__(self, status: str, message: str) -> None:
        super().__init__(message)
        self.status = status

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.status, *self.args)


class BalanceError(Urdf2DynError):
    """Feet on which a robot cannot stand: it would tip, or they would slip."""


class ExportError(Urdf2DynError):
    """An invalid request to export: language, style, name or directory."""


class ParameterError(Urdf2DynError, ValueError):
    """A parameter outside its range or of an unknown name."""


class SimulationError(Urdf2DynError):
    """A robot that the physics engine cannot simulate, or an engine that is not installed."""


class ComparisonError(Urdf2DynError):
    """Efforts that cannot be compared: too few, all zero, or frozen."""


class DrawingError(Urdf2DynError):
    """A picture that cannot be drawn: its content, its file, or matplotlib."""


class MissingLibraryError(Urdf2DynError):
    """A library that a command needs and that is not installed; with the command of pip."""


class CompilerError(Urdf2DynError):
    """No C compiler, one that fails, or no directory to which its output can be written."""


class WorkersError(Urdf2DynError):
    """A cluster that cannot do the work: no Dask, no scheduler, no workers, another version."""


class IdentificationError(Urdf2DynError):
    """Recordings from which a robot cannot be identified, or a model that explains no more."""


class RecordingError(Urdf2DynError):
    """
    A recording that cannot be read, or only in part.

    Attributes
    ----------
    path : str
        The file.
    records : int
        Number of valid records before the defect.
    duration : float
        Time from the earliest to the latest of these [s].

    """

    def __init__(self, path: object, message: str, records: int = 0,
                 duration: float = 0.0) -> None:
        self.path, self.records, self.duration = str(path), records, duration
        read = f' after {counted(records, "record")}, {duration:.3f} s' if records else ''
        super().__init__(f'{path}{read}: {message}')
