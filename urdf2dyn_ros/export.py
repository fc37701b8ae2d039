"""A robot's equations as files to take away."""

import os
import re
import stat
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any, get_args

from numpy.typing import ArrayLike

from urdf2dyn_ros.codegen import ros2_control
from urdf2dyn_ros.codegen.generator import GENERAL, LOADS, Style, generate
from urdf2dyn_ros.codegen.languages import LANGUAGES, LanguageName, PrecisionName, in_single
from urdf2dyn_ros.codegen.program import DOUBLE, SINGLE, Program
from urdf2dyn_ros.codegen.ros2_control import CONTACTS, ContactRule
from urdf2dyn_ros.codegen.signature import ONLY_TIP, FrameAxes, LinkFrames
from urdf2dyn_ros.errors import ExportError
from urdf2dyn_ros.robot.loads import GRAVITY, Loads, with_loads
from urdf2dyn_ros.robot.model import RobotModel
from urdf2dyn_ros.robot.multibody import make_multibody
from urdf2dyn_ros.robot.reader import UrdfSource, read_configured, read_urdf
from urdf2dyn_ros.system import create_files, made_folder, writing_to

# languages whose files are a package in a folder, written from the robot with all its loads
PACKAGES: dict[str, Callable[[RobotModel, str, ArrayLike, Loads, Sequence[float], ContactRule],
                             dict[str, str]]] = {'ros2_control': ros2_control.write}


@dataclass(frozen=True)
class Target:
    """A language, and the precision of its numbers: double or float."""

    language: LanguageName = 'python'
    precision: PrecisionName = 'double'

    def write(self, program: Program) -> dict[str, str]:
        """Return the files of a program; an ExportError if its name makes one of a variable."""
        if LANGUAGES[self.language].PREFIXED:
            functions = [function.name for function in program.functions]
            named = program.functions if LANGUAGES[self.language].NAMES_RESULTS else ()
            variables = [result for function in named for result in function.result_names]
            variables += [f'{table}_{name}' for table in ('expected', 'scale')   # of the check
                          for name in functions]
            for function in functions:
                if f'{program.name}_{function}' in variables:
                    raise ExportError(
                        f'invalid name {program.name!r}: the function {program.name}_{function} '
                        f'would have the name of a variable of the files in {self.language}; '
                        f'choose another, for instance {program.name}_robot')
        return LANGUAGES[self.language].write(program if self.precision == DOUBLE
                                              else in_single(program))

    def check(self) -> None:
        """Raise an ExportError for an unknown language, or a precision that it does not have."""
        if not isinstance(self.language, str) or self.language not in LANGUAGES:
            raise ExportError(f'unknown language {self.language!r}; the languages are: '
                              f'{", ".join(get_args(LanguageName))}')
        if self.precision not in (DOUBLE, SINGLE):
            raise ExportError(f'unknown precision {self.precision!r}; it is one of {DOUBLE}, '
                              f'{SINGLE}')
        if self.precision not in LANGUAGES[self.language].REALS:
            others = [name for name, each in LANGUAGES.items() if self.precision in each.REALS]
            raise ExportError(f'{self.language} has no precision {self.precision}: '
                              f'{LANGUAGES[self.language].NO_CHOICE}; choose {", ".join(others)}')


def export_model(model: RobotModel | UrdfSource, language: LanguageName | Target = 'python',
                 style: Style = 'readable',
                 name: str | None = None,
                 gravity: ArrayLike = GRAVITY,
                 functions: str = 'inverse_dynamics', loads: Loads = LOADS,
                 frames: LinkFrames = ONLY_TIP,
                 current_gains: Sequence[float] = (1.0,),
                 contacts: ContactRule = CONTACTS) -> dict[str, str]:
    """
    Return a robot's equations as text: {file name: text}.

    Parameters
    ----------
    model : RobotModel, str, bytes, path or urdf_parser_py's Robot
        A model, or what `read_urdf` reads as one.
    language : str or Target
        'python', 'c', 'cpp', 'matlab', 'rust', 'javascript', 'casadi', 'jax' or 'torch'; a Target
        chooses single precision in C, C++ and Rust. 'ros2_control': a package with a controller,
        which has no choice of style and functions.
    style : str
        'readable', 'fast', or 'general': readable, with every number of the description, also 0
        and 1, as a named parameter.
    name : str, optional
        Stem of the files' names; by default the robot's name with what is not a letter, a digit
        or _ replaced by _.
    gravity : array_like, (3,)
        [m/s^2], in the root frame; by default (0, 0, -9.81).
    functions : str
        Name of a function, or 'all': inverse_dynamics, gravity, bias, mass_matrix, and one that
        returns the results of these four at once.
    loads : Loads
        Loads in addition to the links' inertia and gravity; those that vary from call to call
        are arguments of the functions.
    frames : LinkFrames
        Links, and axes of the vectors at their origins, of a function about links; by default
        the only tip and the axes of the root.
    current_gains : sequence of float, (n,) or (1,)
        Effort per current [N m/A or N/A] where the controller commands currents; otherwise 1.
    contacts : ContactRule
        Gains of the observer, of `external_efforts` or a controller, and of a controller the
        thresholds of contacts, none by default.

    Raises
    ------
    ParameterError
        For loads on what the robot does not have; the message lists what it has.
    ExportError
        For an unknown language, precision, style, function or link, or a name that is not a plain
        identifier; the message lists what is valid. For an InverseDynamics in the place of a
        model: pass its model, gravity and loads.
    UrdfError, SourceError
        As `read_urdf` does.

    """
    if not isinstance(model, RobotModel):
        if isinstance(getattr(model, 'model', None), RobotModel):
            raise ExportError(f'{type(model).__name__} is no model: export_model(dynamics.model, '
                              'gravity=..., loads=...)')
        model = read_urdf(model)
    system = make_multibody(model)
    target = language if isinstance(language, Target) else Target(language)
    stem = default_name(model.name) if name is None else checked_name(name)
    if target.language in PACKAGES:
        if (functions, target.precision, frames) != ('inverse_dynamics', DOUBLE, ONLY_TIP) \
                or style == GENERAL:
            raise ExportError(f'{target.language} has no choice of functions, links, precision or '
                              'style: remove it')
        return PACKAGES[target.language](model, stem, gravity, loads, current_gains, contacts)
    target.check()
    program = generate(system, name=stem, style=style, gravity=gravity,
                       functions=functions, loads=loads, frames=frames,
                       twins=LANGUAGES[target.language].TWINS, with_closure=True,
                       gains=contacts.gains)
    return target.write(program)


def export_description(text: str, loading: Mapping[str, Any], language: LanguageName,
                       style: Style, name: str | None, gravity: ArrayLike, functions: str,
                       links: tuple[str, ...], axes: FrameAxes) -> dict[str, str]:
    """Return the files of `export_model` for a robot's text and the node's `load_values`."""
    model, loads = with_loads(loading, read_configured(text, loading))
    return export_model(model, language, style, name, gravity, functions, loads,
                        LinkFrames(links, axes))


def checked_name(name: str) -> str:
    """Return the name if it can be a file's stem in any language, or raise an ExportError."""
    if not isinstance(name, str) or not re.fullmatch(r'[A-Za-z][A-Za-z0-9_]{0,44}', name,
                                                     re.ASCII):
        raise ExportError(f'invalid name {name!r}: 1 to 45 letters, digits or _, ASCII, beginning '
                          'with a letter')
    return name


def default_name(robot: str) -> str:
    """Return a robot's name as an identifier."""
    stem = re.sub(r'[^A-Za-z0-9_]+', '_', robot).strip('_')
    stem = stem if re.match(r'[A-Za-z]', stem) else f'robot_{stem}'
    return stem[:45].rstrip('_')


def write_files(files: dict[str, str], directory: str | os.PathLike[str],
                overwrite: bool = False, own: Mapping[Path, bytes] | None = None,
                allow: str = '--overwrite') -> list[Path]:
    """
    Write files completely or not at all, and return their paths.

    The directories are made where they do not exist. A file that is there already with the same
    text is left as it is. One with another text is replaced only if `overwrite`, or if it still
    has the text of `own`: else an ExportError that names `allow`, as if the directory cannot be
    written.
    """
    try:
        folder = Path(directory).expanduser().resolve()
    except (RuntimeError, ValueError) as error:  # no such user; a NUL in the name
        raise ExportError(f'cannot write to {os.fspath(directory)!r}: {error}') from None
    texts = {folder / name: text.encode() for name, text in files.items()}
    with writing_to(folder), ExitStack() as stack:
        for each in dict.fromkeys((folder, *(path.parent for path in texts))):
            stack.enter_context(made_folder(each))
        while True:
            new, replace = _to_write(texts, overwrite, own or {}, allow)
            try:
                if new:
                    create_files(new, replace)
                return list(texts)
            except FileExistsError:   # came just now; whether it is the same is seen at once
                continue


def _to_write(texts: dict[Path, bytes], overwrite: bool, own: Mapping[Path, bytes],
              allow: str) -> tuple[dict[Path, bytes], bool]:
    """
    Return the texts that are not there yet, and whether they replace files.

    Raises an ExportError for what is in the way.
    """
    new, replace = {}, overwrite
    for path, text in texts.items():
        try:
            status = path.lstat()
        except FileNotFoundError:
            new[path] = text
            continue
        if stat.S_ISLNK(status.st_mode):
            raise ExportError(f'{path} is a symbolic link, which is not followed; remove it '
                              'or choose another name')
        if not stat.S_ISREG(status.st_mode):
            raise ExportError(f'{path} is no file that could be replaced; remove it or choose '
                              'another name')
        before = path.read_bytes()
        if before == text:
            continue
        if not overwrite and before != own.get(path):
            raise ExportError(f'{path} exists with another text, which may be your work; '
                              f'choose another name or directory, or allow overwriting ({allow})')
        new[path], replace = text, True
    return new, replace
