"""Everything this package raises: one base, one class per cause a user can see."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass


class Urdf2DynError(Exception):
    """Base of every error of this package; its text says what, where, the rule and the remedy."""


@dataclass(frozen=True)
class Problem:
    """
    One finding in a robot description.

    Attributes
    ----------
    code : str
        Short stable name of the rule, for instance ``'mass-negative'``.
    message : str
        The offending text, the rule and the remedy.
    element : str
        The element it was found in, for instance ``'link "arm" <mass>'``.
    line : int or None
        Line in the text that was read, from 1.
    refused : bool
        True where no model is made of the text, False where the model computes exactly what the
        file says and the finding is only reported.

    """

    code: str
    message: str
    element: str = ''
    line: int | None = None
    refused: bool = True

    def __str__(self) -> str:
        where = f'line {self.line}: ' if self.line is not None else ''
        element = f'{self.element}: ' if self.element else ''
        return f'{where}{element}{self.message} [{self.code}]'


class UrdfError(Urdf2DynError):
    """
    A robot description that no model can be made of.

    Attributes
    ----------
    problems : tuple of Problem
        Every problem that was found in one pass, in the order of their lines; those that do not
        refuse the description by themselves are among them.

    """

    def __init__(self, problems: Iterable[Problem]) -> None:
        self.problems = tuple(problems)
        refused = [problem for problem in self.problems if problem.refused]
        count = f'{len(refused)} problem' + ('' if len(refused) == 1 else 's')
        lines = '\n'.join(f'  {problem}' for problem in refused)
        super().__init__(f'{count} in the robot description:\n{lines}')


class SourceError(Urdf2DynError):
    """A robot description that cannot be fetched: no such file, unreadable, or xacro fails."""


class StateError(Urdf2DynError, ValueError):
    """Positions, velocities or accelerations of a wrong shape, or not finite."""


class ExportError(Urdf2DynError):
    """A model that cannot be exported as asked: language, style, name or directory."""


class ParameterError(Urdf2DynError, ValueError):
    """A parameter outside its range or of an unknown name."""


class SimulationError(Urdf2DynError):
    """A robot that the physics engine cannot simulate, or an engine that is not installed."""


class ComparisonError(Urdf2DynError):
    """Efforts that cannot be compared: too few, all zero, or frozen."""


class DrawingError(Urdf2DynError):
    """A picture that cannot be drawn: what it should show, the file it goes to, or matplotlib."""


class CompilerError(Urdf2DynError):
    """No C compiler, one that fails, or no directory that can hold what it makes."""


class RecordingError(Urdf2DynError):
    """
    A recording that cannot be read, or not to its end.

    Attributes
    ----------
    path : str
        Of the file.
    records : int
        How many were given before the defect: they are good.
    duration : float
        Time between the first and the last of them [s].

    """

    def __init__(self, path: object, message: str, records: int = 0,
                 duration: float = 0.0) -> None:
        self.path, self.records, self.duration = str(path), records, duration
        read = f' after {records} records, {duration:.3f} s' if records else ''
        super().__init__(f'{path}{read}: {message}')
