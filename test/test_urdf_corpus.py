"""One tiny faulty URDF per defect, under corpus/, named by its defect: what is said of each."""

from pathlib import Path

import pytest

from urdf2dyn_ros.errors import Problem, UrdfError
from urdf2dyn_ros.urdf import read_urdf

CORPUS = Path(__file__).parent / 'corpus'

# File, code, line, and what the finding must say: where, what is there, what to do about it.
REFUSED = [
    ('empty', 'xml', 1, ('1:1', '<robot>')),
    ('only-whitespace', 'xml', 1, ('4:1', 'empty')),
    ('not-xml', 'xml', 1, ('1:1', '"robot: pendulum"', 'well-formed')),
    ('tag-not-closed', 'xml', 15, ('15:9', 'link', '"</robot>"')),
    ('attribute-twice', 'xml', 6, ('value', '"<mass value="2" value="3"/>"')),
    ('control-character', 'xml', 3, (r'a\x01rm',)),
    ('nul-byte', 'xml', 3, ('3:16', 'NUL')),
    ('entity-undefined', 'xml', 6, ('&two;',)),
    ('prefix-undeclared', 'xml', 2, ('gz', 'not defined')),
    ('xacro-undeclared', 'xml', 2, ('run xacro',)),
    ('encoding-unknown', 'encoding', 1, ('"rot13"', 'UTF-8')),
    ('encoding-misspelt', 'encoding', 1, ('"UFT-8"', 'UTF-8')),
    ('encoding-wrong', 'encoding', 3, ('0xc4', 'UTF-8')),
    ('doctype', 'doctype', 2, ('2:1', 'delete')),
    ('doctype-entity-bomb', 'doctype', 2, ('2:1', 'delete')),
    ('nested-too-deep', 'too-deep', 3, ('100',)),
    ('nested-far-too-deep', 'too-deep', 3, ('100',)),
    ('sdf-instead', 'root-element', 1, ('"sdf"', '<robot>', 'convert')),
    ('xacro-instead', 'xacro', 3, ('<xacro:property>', 'run xacro')),
    ('xacro-unresolved', 'xacro-unresolved', 6, ('"${m}"', '$(arg axis)', 'run xacro')),
    ('link-name-empty', 'name-missing', 3, ('link " "', 'name="..."')),
    ('joint-name-missing', 'name-missing', 10, ('joint ""', 'name="..."')),
    ('link-name-twice', 'name-duplicate', 10, ('link "arm"', 'lines 3, 10', 'rename')),
    ('joint-name-twice', 'name-duplicate', 22, ('joint "swing"', 'lines 10, 22', 'rename')),
    ('mass-element-missing', 'element-missing', 4, ('link "arm" <inertial>', 'add <mass')),
    ('inertia-element-missing', 'element-missing', 4, ('link "arm"', 'add <inertia ixx=')),
    ('parent-missing', 'element-missing', 10, ('joint "swing"', 'add <parent link=')),
    ('child-missing', 'element-missing', 10, ('joint "swing"', 'add <child link=')),
    ('parent-link-missing', 'attribute-missing', 11, ('joint "swing" <parent>', 'link="..."')),
    ('inertia-partly-missing', 'attribute-missing', 7, ('ixz, iyz missing', 'with 0')),
    ('mass-value-missing', 'attribute-missing', 6, ('<inertial><mass>', 'add value=')),
    ('axis-xyz-missing', 'attribute-missing', 13, ('<axis>', 'add xyz=')),
    ('joint-type-missing', 'attribute-missing', 10, ('joint "swing"', 'add type=')),
    ('mimic-joint-missing', 'attribute-missing', 25, ('<mimic>', 'add joint=')),
    ('inertial-twice', 'element-repeated', 9, ('link "arm"', '2 times', 'delete')),
    ('axis-twice', 'element-repeated', 14, ('joint "swing" <axis>', '2 times', 'delete')),
    ('quaternion', 'quaternion', 5, ('quat_xyzw="0 0 0 1"', 'rpy="..."')),
    ('mass-comma', 'number', 6, ('link "arm" <inertial><mass value="1,5">', 'point')),
    ('mass-underscore', 'number', 6, ('"1_0"', 'without underscores')),
    ('mass-nan', 'number', 6, ('"nan"', 'finite')),
    ('mass-inf', 'number', 6, ('"-Infinity"', 'finite')),
    ('mass-overflow', 'number', 6, ('"1e400"', 'too large')),
    ('mass-arabic', 'number', 6, ('"١.5"', 'ASCII')),
    ('mass-full-width', 'number', 6, ('"１２"', 'ASCII')),
    ('mass-hexadecimal', 'number', 6, ('"0x10"', 'decimal')),
    ('mass-two-numbers', 'number', 6, ('"1 2"', '2 numbers where one')),
    ('mass-empty', 'number', 6, ('""', '0 numbers where one')),
    ('mass-unit', 'number', 6, ('"2kg"', 'no unit')),
    ('mass-word', 'number', 6, ('"heavy"', '0.25')),
    ('mass-no-break-space', 'number', 6, (r'"1\xa0"', 'digits only')),
    ('origin-two-numbers', 'number', 5, ('xyz="0 -0.5"', '2 numbers where 3')),
    ('origin-four-numbers', 'number', 5, ('rpy="0 0 0 1"', '4 numbers where 3')),
    ('axis-not-numbers', 'number', 13, ('joint "swing" <axis xyz="y">', 'not a number')),
    ('limit-infinite', 'number', 14, ('<limit upper="inf">', 'finite')),
    ('damping-nan', 'number', 14, ('<dynamics damping="nan">', 'finite')),
    ('mimic-multiplier-nan', 'number', 25, ('<mimic multiplier="NaN">', 'finite')),
    ('no-links', 'no-links', 1, ('<robot>', 'at least one link')),
    ('parent-unknown', 'link-unknown', 11, ('<parent link="bsae">', 'did you mean "base"')),
    ('child-unknown', 'link-unknown', 12, ('<child link="arms">', 'did you mean "arm"')),
    ('joint-on-itself', 'self-loop', 22, ('joint "wrist"', '"hand"', 'two links')),
    ('two-parents', 'two-parents', 27, ('"hand"', '"wrist", "weld"', '"arm", "base"', 'keep one')),
    ('two-roots', 'two-roots', 16, ('"base", "loose"', 'one root')),
    ('no-root', 'no-root', 10, ('"base", "hand", "arm"', '"back", "wrist"', 'exchanged')),
    ('cycle-detached', 'cycle', 10, ('"arm", "hand"', '"swing", "wrist"', 'exchanged')),
    ('joint-type-ball', 'joint-type', 10, ('type="ball"', 'revolute, continuous, prismatic')),
    ('joint-type-capital', 'joint-type', 10, ('type="Revolute"', 'fixed, planar, floating')),
    ('axis-zero', 'axis-zero', 13, ('joint "swing" <axis xyz="0 0.0 0">', 'direction', '"0 0 1"')),
    ('mimic-unknown', 'mimic-unknown', 25, ('<mimic joint="swign">', 'did you mean "swing"')),
    ('mimic-itself', 'mimic-self', 25, ('joint "wrist"', 'itself', 'drives it')),
    ('mimic-loop', 'mimic-loop', 14, ('"swing", "wrist"', 'must not mimic')),
    ('mimic-of-fixed', 'mimic-fixed', 25, ('joint "wrist"', '"swing" is fixed', 'moves')),
    ('mimic-of-planar', 'mimic-multi-dof', 25, ('"swing" is planar', 'only joints with one')),
    ('mimic-by-floating', 'mimic-multi-dof', 25, ('"wrist" is floating', 'only joints with one')),
    ('mass-negative', 'mass-negative', 6, ('link "arm" <inertial><mass value="-2">', 'sign')),
]
WARNED = [
    ('robot-name-missing', 'robot-name', 1, ('<robot>', 'name="..."')),
    ('axis-not-unit', 'axis-not-unit', 13, ('xyz="0 0 5"', 'length 5', 'direction')),
    ('limit-element-missing', 'limit-missing', 10, ('joint "swing"', '<limit lower=')),
    ('limit-range-missing', 'limit-missing', 10, ('joint "swing"', '<limit lower=')),
    ('limit-inverted', 'limit-inverted', 14, ('lower 3', 'upper -3', 'exchange')),
    ('limit-effort-zero', 'effort-zero', 14, ('<limit effort="0">', 'not limited')),
    ('limit-effort-negative', 'limit-negative', 14, ('effort="-10"', 'sign')),
    ('damping-negative', 'dynamics-negative', 14, ('damping="-0.1"', 'sign')),
    ('floating-root', 'floating-root', 10, ('type="floating"', 'fixed to the world')),
    ('mimic-on-fixed', 'mimic-ignored', 25, ('joint "wrist"', 'ignored', 'delete')),
    ('mimic-zero', 'mimic-zero', 25, ('multiplier="0"', 'stands still')),
    ('mass-zero', 'mass-zero', 6, ('link "arm"', 'value="0"', 'give')),
    ('inertia-negative', 'inertia-negative', 7, ('link "arm"', '-0.1, 0.1, 0.1', 'check')),
    ('inertia-products-too-large', 'inertia-negative', 7, ('-0.2, 0.1, 0.4', 'check')),
    ('inertia-triangle', 'inertia-triangle', 7, ('0.1, 0.1, 0.25', 'by 0.05', 'check')),
    ('massless-branch', 'massless-branch', 18, ('joint "wrist"', '"hand"', '<inertial>')),
    ('units-mass', 'units-mass', 6, ('value="20000"', 'grams')),
    ('units-mass-ratio', 'units-mass-ratio', 18, ('"hand"', '5e-07', '"arm"', 'kilograms')),
    ('units-length', 'units-length', 5, ('xyz="0 0 -500"', 'millimetres')),
    ('units-angle', 'units-angle', 5, ('rpy="0 0 90"', 'degrees')),
]


def problems(name: str, **options: bool) -> tuple[Problem, ...]:
    text = (CORPUS / f'{name}.urdf').read_bytes()
    try:
        return read_urdf(text, **options).warnings
    except UrdfError as error:
        return error.problems


@pytest.mark.parametrize(('name', 'code', 'line', 'said'), REFUSED, ids=str)
def test_refused(name: str, code: str, line: int, said: tuple[str, ...]) -> None:
    (problem,) = problems(name)
    assert (problem.code, problem.line, problem.refused) == (code, line, True)
    assert [words for words in said if words not in str(problem)] == []


@pytest.mark.parametrize(('name', 'code', 'line', 'said'), WARNED, ids=str)
def test_computed_as_it_stands_with_a_warning(
    name: str, code: str, line: int, said: tuple[str, ...]
) -> None:
    (problem,) = problems(name)
    assert (problem.code, problem.line, problem.refused) == (code, line, False)
    assert [words for words in said if words not in str(problem)] == []


@pytest.mark.parametrize('name', ['inertia-negative', 'inertia-triangle'])
def test_inertias_of_no_body_are_refused_if_asked(name: str) -> None:
    (problem,) = problems(name, strict_inertia=True)
    assert problem.refused


def test_the_robot_that_the_defects_were_put_into_has_none() -> None:
    assert problems('valid') == ()


def test_every_file_is_in_the_tables() -> None:
    named = {row[0] for row in REFUSED + WARNED} | {'valid'}
    assert {path.stem for path in CORPUS.iterdir()} == named
