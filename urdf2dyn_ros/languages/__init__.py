"""The table of languages: a new one is a file and a line here."""

from collections.abc import Callable

from urdf2dyn_ros.languages import c, cpp, fortran, javascript, julia, matlab, python, rust
from urdf2dyn_ros.program.program import Program

LANGUAGES: dict[str, Callable[[Program], dict[str, str]]] = {
    'python': python.write,
    'c': c.write,
    'cpp': cpp.write,
    'matlab': matlab.write,
    'julia': julia.write,
    'rust': rust.write,
    'javascript': javascript.write,
    'fortran': fortran.write,
}
"""Name of a language to what writes a Program in it: {file name: text}."""
