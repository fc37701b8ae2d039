"""Numbers of another unit: inertias and limits, on real robots and on these with a factor."""

import re
from pathlib import Path

import pytest

from support.robot_files import EXAMPLES, OWN
from urdf2dyn_ros import read_urdf

ROBOTS = [OWN / 'rx90.urdf', *(EXAMPLES / name for name in (
    'ur_description/urdf/ur5_robot.urdf', 'panda_description/urdf/panda.urdf',
    'kinova_description/robots/kinova.urdf', 'xarm_description/urdf/xarm7.urdf',
    'pr2_description/urdf/pr2.urdf'))]


def said(text: bytes, code: str) -> list[str]:
    return [problem.message for problem in read_urdf(text).warnings if problem.code == code]


def scaled(text: bytes, names: str, factor: float) -> bytes:
    return re.sub(rb'\b((?:%s)\s*=\s*")([^"]+)' % names.encode(), lambda match: match[1] + repr(
        float(match[2]) * factor).encode(), text)


@pytest.mark.parametrize('path', ROBOTS, ids=lambda path: path.stem)
@pytest.mark.parametrize('factor', [1e-3, 1e3, 1e4, 1e6, 1e9])
def test_inertias_of_another_unit(path: Path, factor: float) -> None:
    text = path.read_bytes()
    assert said(text, 'units-inertia') == []
    other = scaled(text, 'i[xyz][xyz]', factor)
    (message,) = said(other, 'units-inertia')
    assert 'kg m^2' in message and ('below' if factor < 1.0 else 'above') in message


@pytest.mark.parametrize('path', ROBOTS[:3], ids=lambda path: path.stem)
@pytest.mark.parametrize(('names', 'factor', 'code', 'said_of'), [
    ('value|i[xyz][xyz]', 1e-3, 'units-effort', 'are masses in kilograms'),
    ('effort', 1e3, 'units-effort', 'limits in N m?'),
    ('i[xyz][xyz]', 0.0, 'inertia-zero', 'points'),
    ('velocity', 57.29577951308232, 'units-limit', 'in degrees per second?'),
    ('lower|upper', 57.29577951308232, 'units-limit', 'in degrees?')])
def test_all_of_another_unit(path, names, factor, code, said_of):
    text = path.read_bytes()
    assert said(text, code) == []
    (message,) = said(scaled(text, names, factor), code)
    assert said_of in message and (code == 'units-effort' or ' more)' in message)


@pytest.mark.parametrize(('factor', 'words'), [
    (1e3, 'all links together'), (1e-6, 'half of the links')])
def test_one_link_of_another_unit_among_right_ones(factor: float, words: str) -> None:
    text = (EXAMPLES / 'ur_description/urdf/ur5_robot.urdf').read_bytes()
    at = text.index(b'<link name="forearm_link"')
    end = text.index(b'</link>', at)
    text = text[:at] + scaled(text[at:end], 'i[xyz]{2}', factor) + text[end:]
    (problem,) = [each for each in read_urdf(text).warnings if each.code == 'units-inertia']
    assert 'link "forearm_link"' in problem.element and words in problem.message


def test_limits_that_stand_for_none_have_no_unit() -> None:
    text = (OWN / 'rx90.urdf').read_bytes()
    for name, code in (('upper', 'units-limit'), ('velocity', 'units-limit'),
                       ('effort', 'units-effort')):
        unlimited = re.sub(rb'\b%s="[^"]+' % name.encode(), b'%s="1e9' % name.encode(), text)
        assert said(unlimited, code) == []
