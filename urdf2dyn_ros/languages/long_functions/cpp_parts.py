"""A function of C++ in parts: its sections, its loop of sines and cosines, and the rest."""

from collections.abc import Sequence
from typing import NamedTuple

from urdf2dyn_ros.languages.angles import ARRAYS, Angles
from urdf2dyn_ros.languages.c_trigonometry import in_one_loop
from urdf2dyn_ros.languages.long_functions.cpp_sections import cpp_sections, memory_and_calls
from urdf2dyn_ros.languages.long_functions.section_text import with_statements
from urdf2dyn_ros.languages.sections import MOST_STATEMENTS, sectioned
from urdf2dyn_ros.languages.self_tests.cpp import CppSelfTest
from urdf2dyn_ros.program.function import Function
from urdf2dyn_ros.program.statements import Signed, Statement


class CppParts(NamedTuple):
    """
    A function as it is written.

    `whole` uses the inputs and constants that the text needs, `rest` has the statements of its
    body, `sections` are functions that stand before it, `first` the lines before the body: the
    loop of sines and cosines and the calls of the sections, if there are any (`has_calls`);
    `called` are the functions of std that it names.
    """

    whole: Function
    rest: Function
    sections: Sequence[str]
    first: Sequence[str]
    has_calls: bool
    called: Sequence[str]


def cpp_parts(cpp: CppSelfTest, function: Function, has_angles: bool) -> CppParts:
    """Return the parts of a function, with a loop for its sines and cosines or without."""
    whole = function.twinned or function
    angles = Angles(whole) if has_angles else None
    rest, before = (angles.rest(), angles.before) if angles else (whole, [])
    loop = [*in_one_loop(cpp, angles, 'Scalar')] if angles and angles.angles else []
    first = [*before, *(Statement('', Signed(False, angle))
                        for angle in (angles.angles if angles else ()))]
    sections: list[str] = []
    calls: list[str] = []
    if function.twinned or (cpp.program.style == 'fast'
                            and len(function.statements) > MOST_STATEMENTS):
        divided = sectioned(rest, before)
        arrays = [x.name for x in function.inputs] + [*ARRAYS.values()] * bool(loop)
        sections = [*cpp_sections(cpp, whole, divided, arrays)]
        calls = [*memory_and_calls(cpp, whole, divided, arrays, before)]
        rest = divided.function
        whole = with_statements(rest, first)
    called = cpp.called([rest])
    if loop:   # it calls its own
        in_body = rest.calls | with_statements(rest, first).calls
        called = [name for name in called if name in in_body]
    return CppParts(whole, rest, sections, [*loop, *calls], bool(calls), called)
