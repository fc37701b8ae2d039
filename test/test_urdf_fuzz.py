"""Whatever comes in, out comes a model or a UrdfError."""

import dataclasses
import re
from pathlib import Path

from hypothesis import given, settings
from hypothesis import strategies as st

from urdf2dyn_ros.errors import UrdfError
from urdf2dyn_ros.urdf import read_urdf
from urdf2dyn_ros.urdf.writer import clean_urdf

VALID = (Path(__file__).parent / 'corpus' / 'valid.urdf').read_text()
LINES = VALID.splitlines()
NASTY = [
    *('', ' ', '0', '-1', '1e400', '1e-320', '1e308', 'nan', '1,5', '1 2', '0 0 0', '١'),
    *('base', 'arm', 'hand', 'swing', 'wrist', 'fixed', 'floating', 'planar', 'ball'),
    *('${x}', '&#0;', '&x;', '<', '\x00', '\ud800', '"', '\u202e'),
]


@st.composite
def mutants(draw: st.DrawFn) -> str:
    """A valid robot after a few strokes of bad luck."""
    lines = list(LINES)
    for _ in range(draw(st.integers(1, 6))):
        at, to = (draw(st.integers(0, len(lines) - 1)) for _ in range(2))
        values = list(re.finditer('"([^"]*)"', lines[at]))
        stroke = draw(st.sampled_from(['drop', 'copy', 'swap', 'character', 'value', 'value']))
        if stroke == 'drop':
            lines[at] = ''
        elif stroke == 'copy':
            lines.insert(to, lines[at])
        elif stroke == 'swap':
            lines[at], lines[to] = lines[to], lines[at]
        elif stroke == 'character':
            column = draw(st.integers(0, len(lines[at])))
            lines[at] = lines[at][:column] + draw(st.characters()) + lines[at][column + 1 :]
        elif values:
            start, end = draw(st.sampled_from(values)).span(1)
            lines[at] = lines[at][:start] + draw(st.sampled_from(NASTY)) + lines[at][end:]
    return '\n'.join(lines)


@settings(max_examples=400, deadline=None, derandomize=True)
@given(mutants())
def test_bad_luck_makes_a_model_or_a_urdf_error(text: str) -> None:
    try:
        model = read_urdf(text)
    except UrdfError as error:
        assert any(problem.refused for problem in error.problems)
        assert all(problem.line for problem in error.problems)
        return
    again = read_urdf(clean_urdf(model))
    assert dataclasses.replace(again, warnings=model.warnings) == model
    children = [joint.child for joint in model.joints]
    assert sorted([model.root, *children]) == sorted(link.name for link in model.links)


@settings(max_examples=200, deadline=None, derandomize=True)
@given(st.binary(max_size=80), st.integers(0, len(VALID)))
def test_arbitrary_bytes_make_a_model_or_a_urdf_error(noise: bytes, at: int) -> None:
    data = VALID.encode()
    for text in (noise, data[:at] + noise + data[at:]):
        try:
            assert read_urdf(text).links
        except UrdfError as error:
            assert error.problems
