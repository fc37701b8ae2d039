"""The self-check of exported files, for robots from a hair to a bridge."""

import re
from dataclasses import replace
from pathlib import Path

import pytest

from support import language_tools
from support.torture import program_of, robot
from urdf2dyn_ros.codegen.languages import in_single
from urdf2dyn_ros.codegen.program import Program
from urdf2dyn_ros.robot.model import Inertia, RobotModel

SIZES = (1e-4, 1.0, 1e3)


def scaled(model: RobotModel, length: float) -> RobotModel:
    """Return a robot of the same material whose lengths are others."""
    def moved(xyz: tuple[float, float, float]) -> tuple[float, float, float]:
        x, y, z = xyz
        return length * x, length * y, length * z

    def heavier(inertia: Inertia | None) -> Inertia | None:
        if inertia is None:
            return None
        a, b, c, d, e, f = inertia.tensor
        return replace(
            inertia, mass=length**3 * inertia.mass, com=moved(inertia.com),
            tensor=(length**5 * a, length**5 * b, length**5 * c,
                                     length**5 * d, length**5 * e, length**5 * f))

    return replace(
        model, links=tuple(replace(link, inertia=heavier(link.inertia)) for link in model.links),
        joints=tuple(replace(joint, xyz=moved(joint.xyz)) for joint in model.joints))


def program(length: float, style: str, functions: str = 'all') -> Program:
    return program_of(scaled(robot('rx90'), length), style, functions)


def wrong(text: str) -> str:
    """Return a text with a first moment or a folded inertia 1 % too large, where it is used."""
    text, named = re.subn(r'(\bm3 \* com3_y)', r'\1 * 1.01', text, count=1)
    if not named:
        text, named = re.subn(r'(\bt\d = )(?=\d[-+.e\d]* \* t\d - \d)', r'\g<1>1.01 * ', text,
                              count=1)
    assert named == 1
    return text


@pytest.mark.parametrize('length', SIZES)
@pytest.mark.parametrize(('tool', 'style'), [
    ('python', 'fast'), ('python', 'readable'), ('gcc', 'fast'), ('node', 'readable')])
def test_a_robot_of_any_size_passes_and_one_wrong_number_fails(
        tool: str, style: str, length: float, tmp_path: Path) -> None:
    files = language_tools.files_of(tool, program(length, style))
    language_tools.check_self_test(tool, files, tmp_path / 'right')
    assert any('scale_gravity' in text for text in files.values()) == (length != 1.0)
    name = next(name for name, text in files.items() if 'expected_' in text)
    code, output = language_tools.self_test(tool, {**files, name: wrong(files[name])}, 'robot',
                                            tmp_path / 'wrong')
    assert code == 1 and 'differs from the reference' in output


@pytest.mark.slow
@pytest.mark.parametrize('tool', ['gcc', 'g++', 'rust'])
@pytest.mark.parametrize('length', [1e-3, 1e2])
def test_single_precision_has_scales_as_well(tool: str, length: float, tmp_path: Path) -> None:
    files = language_tools.files_of(tool, in_single(program(length, 'fast', 'gravity')))
    language_tools.check_self_test(tool, files, tmp_path)
    assert any('of its scale' in text for text in files.values())


@pytest.mark.slow
@pytest.mark.parametrize('tool', ['g++', 'octave', 'rust'])
def test_every_language_has_scales(tool: str, tmp_path: Path) -> None:
    files = language_tools.files_of(tool, program(1e3, 'fast', 'gravity'))
    language_tools.check_self_test(tool, files, tmp_path)
    assert any('scale_gravity' in text for text in files.values())
