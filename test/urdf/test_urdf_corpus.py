"""What is reported of each of the faulty URDFs under corpus/."""

from typing import Any

import pytest

from support.faulty_urdfs import CORPUS, REFUSED, WARNED
from urdf2dyn_ros.errors import Problem, UrdfError
from urdf2dyn_ros.urdf import read_urdf


def problems(name: str, **options: bool) -> tuple[Problem, ...]:
    text = (CORPUS / f'{name}.urdf').read_bytes()
    try:
        return read_urdf(text, **options).warnings
    except UrdfError as error:
        return error.problems


def marked(rows: list[tuple[int, str, str, int, tuple[str, ...]]]) -> list[Any]:
    """Return the parameters of a test, marked by their fault."""
    return [pytest.param(*row, id=row[0], marks=pytest.mark.fault(fault)) for fault, *row in rows]


@pytest.mark.parametrize(('name', 'code', 'line', 'said'), marked(REFUSED))
def test_what_has_no_dynamics_is_refused_with_place_and_remedy(
    name: str, code: str, line: int, said: tuple[str, ...]
) -> None:
    (problem,) = problems(name)
    assert (problem.code, problem.line, problem.refused) == (code, line, True)
    assert [words for words in said if words not in str(problem)] == []


@pytest.mark.parametrize(('name', 'code', 'line', 'said'), marked(WARNED))
def test_computed_as_it_stands_with_a_warning(
    name: str, code: str, line: int, said: tuple[str, ...]
) -> None:
    (problem,) = problems(name)
    assert (problem.code, problem.line, problem.refused) == (code, line, False)
    assert [words for words in said if words not in str(problem)] == []


@pytest.mark.fault(11)
@pytest.mark.parametrize('name', ['inertia-negative', 'inertia-triangle'])
def test_inertias_of_no_body_are_refused_if_asked(name: str) -> None:
    (problem,) = problems(name, strict_inertia=True)
    assert problem.refused


def test_the_robot_that_the_defects_were_put_into_has_none() -> None:
    assert problems('valid') == ()


def test_every_file_is_in_the_tables() -> None:
    named = {row[1] for row in REFUSED + WARNED} | {'valid'}
    assert {path.stem for path in CORPUS.iterdir()} == named
