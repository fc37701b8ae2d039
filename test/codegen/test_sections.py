"""Long functions of C and C++ in sections: the same results, and no function that is long."""

import re
from pathlib import Path

import pytest

from support import language_tools
from support.acting_loads import everything
from support.torture import program_of, robot
from urdf2dyn_ros.codegen.languages import c, sections


def in_sections(tool: str, ending: str,
                monkeypatch: pytest.MonkeyPatch) -> tuple[dict[str, str], str]:
    """Return files of many sections of 50 statements, and the code without its self-check."""
    monkeypatch.setattr(sections, 'STATEMENTS_PER_SECTION', 50)
    monkeypatch.setattr(sections, 'MOST_IN_ONE', 3)
    model = robot('tangle')
    files = language_tools.files_of(tool, program_of(
        model, 'fast', 'inverse_dynamics_derivatives', loads=everything(model, 'moving')))
    text, = (text for name, text in files.items() if name.endswith(ending))
    return files, text.split('#ifdef ROBOT_SELF_TEST')[0]


@pytest.mark.parametrize('most', [60, 10**6], ids=['in sections', 'whole'])
def test_a_long_function_passes_its_check_in_sections(
        most: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Mimic joints, whose angles are computed first, friction, all inputs of loads."""
    monkeypatch.setattr(sections, 'MOST_STATEMENTS', most)
    files, code = in_sections('gcc', '.c', monkeypatch)
    statements = [part.count('const double t') for part in re.split(r'\n}\n', code)]
    assert (max(statements) <= 60) == (most == 60)
    assert len(re.findall(r'^static APART void robot_inverse', code, re.MULTILINE)) == (
        len(re.findall(r'^    robot_inverse', code, re.MULTILINE)))
    language_tools.check_self_test('gcc', files, tmp_path)


def test_a_long_function_of_cpp_passes_its_check_in_sections(
        tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sections, 'MOST_STATEMENTS', 60)
    files, code = in_sections('g++', '.hpp', monkeypatch)
    assert max(part.count('const Scalar t') for part in re.split(r'\n}\n', code)) <= 60
    assert len(re.findall(r'^\[\[gnu::noinline\]\] static void inverse', code, re.MULTILINE)) == (
        len(re.findall(r'^    inverse', code, re.MULTILINE))) > 3
    language_tools.check_self_test('g++', files, tmp_path)


def test_entries_of_matrices_are_stored_where_they_are_made() -> None:
    """In the fast style; those that wait for the end of a function are stored twice."""
    for style, at_once in (('fast', True), ('readable', False)):
        text = c.write(program_of(robot('rx90'), style, 'inverse_dynamics_derivatives'))[
            'robot_dynamics.c'].split('#ifdef ROBOT_SELF_TEST')[0]
        assert (text.index(' M[0][0] = ') < text.rindex('const double ')) == at_once
        for name in ('dtau_dq', 'dtau_dqd', 'M'):
            assert len(re.findall(rf'^    {name}\[\d\]\[\d\] = ', text, re.MULTILINE)) == 36
