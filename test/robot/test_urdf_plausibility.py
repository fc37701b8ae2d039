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


@pytest.mark.parametrize('path', ROBOTS, ids=lambda path: path.stem)
@pytest.mark.parametrize('factor', [1e-3, 1e3, 1e4, 1e6, 1e9])
def test_inertias_of_another_unit(path: Path, factor: float) -> None:
    text = path.read_bytes()
    assert said(text, 'units-inertia') == []
    other = re.sub(rb'\b(i[xyz][xyz]\s*=\s*")([^"]+)', lambda match: match[1] + repr(
        float(match[2]) * factor).encode(), text)
    (message,) = said(other, 'units-inertia')
    assert 'kg m^2' in message and ('below' if factor < 1.0 else 'above') in message


def test_one_link_of_another_unit_among_right_ones() -> None:
    text = (EXAMPLES / 'ur_description/urdf/ur5_robot.urdf').read_text()
    at = text.index('<link name="forearm_link"')
    inertia = text.index('<inertia ', at)
    other = re.sub(r'(i[xyz]{2}=")([^"]+)', lambda match: match[1] + repr(
        float(match[2]) * 1e3), text[inertia:text.index('/>', inertia)])
    text = text[:inertia] + other + text[text.index('/>', inertia):]
    (problem,) = [each for each in read_urdf(text).warnings if each.code == 'units-inertia']
    assert 'link "forearm_link"' in problem.element and 'all links together' in problem.message


def test_limits_in_degrees() -> None:
    text = (OWN / 'rx90.urdf').read_bytes()
    assert said(text, 'units-limit') == []
    other = re.sub(rb'\b((?:lower|upper)=")([^"]+)', lambda match: match[1] + repr(
        float(match[2]) * 57.29577951308232).encode(), text)
    (message,) = said(other, 'units-limit')
    assert 'in degrees?' in message and ' more)' in message
    unlimited = re.sub(rb'\bupper="[^"]+', b'upper="1e9', text)
    assert said(unlimited, 'units-limit') == []
