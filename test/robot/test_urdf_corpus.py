"""What is reported of each of the faulty URDFs under corpus/."""

import pytest

from support.faulty_urdfs import CORPUS, REFUSED, WARNED
from urdf2dyn_ros.errors import Problem, UrdfError
from urdf2dyn_ros.robot.reader import read_urdf


def problems(name: str, **options: bool) -> tuple[Problem, ...]:
    text = (CORPUS / f'{name}.urdf').read_bytes()
    try:
        return read_urdf(text, **options).warnings
    except UrdfError as error:
        return error.problems


@pytest.mark.parametrize(('name', 'code', 'line', 'said', 'refused'), [
    pytest.param(*row, refused, id=row[0], marks=pytest.mark.fault(fault))
    for rows, refused in ((REFUSED, True), (WARNED, False)) for fault, *row in rows])
def test_a_fault_is_reported_with_place_and_remedy_and_rejected_where_there_is_no_dynamics(
        name: str, code: str, line: int, said: tuple[str, ...], refused: bool) -> None:
    (problem,) = problems(name)
    assert (problem.code, problem.line, problem.refused) == (code, line, refused)
    assert refused or problem.effect
    assert [words for words in said if words not in str(problem)] == []


@pytest.mark.fault(11)
@pytest.mark.parametrize('name', ['inertia-negative', 'inertia-triangle'])
def test_inertias_of_no_body_are_refused_if_asked(name: str) -> None:
    (problem,) = problems(name, strict_inertia=True)
    assert problem.refused


def test_the_robot_that_the_defects_were_put_into_has_none() -> None:
    assert problems('valid') == ()


def test_a_file_that_is_in_no_table_has_the_code_of_its_fault_as_name() -> None:
    named = {row[1] for row in REFUSED + WARNED} | {'valid'}
    files = {path.stem for path in CORPUS.iterdir()}
    assert named <= files
    for name in files - named:
        assert [problem.code for problem in problems(name)] == [name]
