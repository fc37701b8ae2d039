"""The table of languages: a new one is a file and a line here."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal, TypeAlias

from urdf2dyn_ros.codegen.languages import c, cpp, javascript, matlab, python, rust
from urdf2dyn_ros.codegen.languages.precision import DOUBLE, SINGLE, in_single
from urdf2dyn_ros.codegen.program import Program
from urdf2dyn_ros.errors import ExportError

LanguageName: TypeAlias = Literal['python', 'c', 'cpp', 'matlab', 'rust', 'javascript']
PrecisionName: TypeAlias = Literal['double', 'float']

LANGUAGES: dict[str, Callable[[Program], dict[str, str]]] = {
    'python': python.write,
    'c': c.write,
    'cpp': cpp.write,
    'matlab': matlab.write,
    'rust': rust.write,
    'javascript': javascript.write,
}
"""Name of a language to what writes a Program in it: {file name: text}."""

DOUBLE_ALONE = {
    **dict.fromkeys(('python', 'javascript'), 'its numbers are always of double precision'),
    'matlab': 'its literals are of double precision, which results would follow'}
"""Why a language has no choice of the precision."""


WITH_TWINS = ('c', 'cpp')
"""Languages that have a text for equal limbs that are computed at once."""


@dataclass(frozen=True)
class Target:
    """A language, and the precision of its numbers: double or float."""

    language: LanguageName = 'python'
    precision: PrecisionName = 'double'

    @property
    def twins(self) -> bool:
        """Whether the language computes equal limbs at once."""
        return self.language in WITH_TWINS

    def write(self, program: Program) -> dict[str, str]:
        """Return the files of a program."""
        return LANGUAGES[self.language](program if self.precision == DOUBLE
                                        else in_single(program))

    def check(self) -> None:
        """Raise an ExportError for an unknown language, or a precision that it does not have."""
        if not isinstance(self.language, str) or self.language not in LANGUAGES:
            raise ExportError(f'unknown language {self.language!r}; the languages are: '
                              f'{", ".join(LANGUAGES)}')
        if self.precision not in (DOUBLE, SINGLE):
            raise ExportError(f'unknown precision {self.precision!r}; it is one of {DOUBLE}, '
                              f'{SINGLE}')
        if self.precision == SINGLE and self.language in DOUBLE_ALONE:
            others = [name for name in LANGUAGES if name not in DOUBLE_ALONE]
            raise ExportError(f'{self.language} has no precision {SINGLE}: '
                              f'{DOUBLE_ALONE[self.language]}; choose {", ".join(others)}')
