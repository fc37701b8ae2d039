"""What is reported of faulty URDFs, and that any text is a model that computes or a UrdfError."""

import socket
from collections import Counter
from random import Random

import pytest
from fuzz.mutations import cross, mutate, reduced
from fuzz.verdict import verdict, watched

from support.paths import TEST
from support.robot_files import EXAMPLES, ROBOTS
from urdf2dyn_ros import Problem, RobotModel, UrdfError, read_urdf

CORPUS = TEST / 'corpus'   # tiny URDFs with one defect each

REFUSED = [
    (1, 'empty', 'xml', 1, ('column 1: ', '<robot>')),
    (1, 'only-whitespace', 'xml', 1, ('column 1: ', 'empty')),
    (1, 'not-xml', 'xml', 1, ('column 1: ', '"robot: pendulum"', 'well-formed')),
    (1, 'tag-not-closed', 'xml', 15, ('column 9: ', 'link', '"</robot>"')),
    (1, 'attribute-twice', 'xml', 6, ('value', '"<mass value="2" value="3"/>"')),
    (1, 'control-character', 'xml', 3, (r'a\x01rm',)),
    (1, 'nul-byte', 'xml', 3, ('column 16: ', 'NUL')),
    (1, 'entity-undefined', 'xml', 6, ('&two;',)),
    (1, 'prefix-undeclared', 'xml', 2, ('gz', 'not defined')),
    (18, 'xacro-undeclared', 'xml', 2, ('run xacro',)),
    (1, 'encoding-unknown', 'encoding', 1, ('"rot13"', 'UTF-8')),
    (1, 'encoding-misspelt', 'encoding', 1, ('"UFT-8"', 'UTF-8')),
    (1, 'encoding-wrong', 'encoding', 3, ('0xc4', 'UTF-8')),
    (3, 'doctype', 'doctype', 2, ('column 1: ', 'delete')),
    (1, 'tag-invisible', 'xml', 8, (r'"</i\ufeffnertial>"', 'well-formed')),
    (2, 'doctype-quadratic', 'doctype', 1, ('column 1: ', 'delete')),
    (2, 'doctype-entity-bomb', 'doctype', 2, ('column 1: ', 'delete')),
    (4, 'nested-too-deep', 'too-deep', 3, ('deeper', 'limit 100')),
    (4, 'nested-far-too-deep', 'too-deep', 3, ('deeper', 'six')),
    (18, 'sdf-instead', 'root-element', 1, ('"sdf"', '<robot>', 'convert')),
    (18, 'xacro-instead', 'xacro', 3, ('<xacro:property>', 'run xacro')),
    (18, 'xacro-unresolved', 'xacro-unresolved', 6, ('"${m}"', '$(arg axis)', 'run xacro')),
    (6, 'link-name-empty', 'name-missing', 3, ('link " "', 'name="..."')),
    (6, 'joint-name-missing', 'name-missing', 10, ('joint ""', 'name="..."')),
    (6, 'link-name-twice', 'name-duplicate', 10, ('link "arm"', 'lines 3, 10', 'rename')),
    (6, 'joint-name-twice', 'name-duplicate', 22, ('joint "swing"', 'lines 10, 22', 'rename')),
    (10, 'mass-element-missing', 'element-missing', 4, ('link "arm" <inertial>', 'add <mass')),
    (10, 'inertia-element-missing', 'element-missing', 4, ('link "arm"', 'add <inertia ixx=')),
    (5, 'parent-missing', 'element-missing', 10, ('joint "swing"', 'add <parent link=')),
    (5, 'child-missing', 'element-missing', 10, ('joint "swing"', 'add <child link=')),
    (5, 'parent-link-missing', 'attribute-missing', 11, ('joint "swing" <parent>', 'link="..."')),
    (10, 'inertia-partly-missing', 'attribute-missing', 7, ('ixz, iyz missing', 'with 0')),
    (10, 'mass-value-missing', 'attribute-missing', 6, ('<inertial><mass>', 'add value=')),
    (9, 'axis-xyz-missing', 'attribute-missing', 13, ('<axis>', 'add xyz=')),
    (15, 'joint-type-missing', 'attribute-missing', 10, ('joint "swing"', 'add type=')),
    (16, 'mimic-joint-missing', 'attribute-missing', 25, ('<mimic>', 'add joint=')),
    (10, 'inertial-twice', 'element-repeated', 9, ('link "arm"', '2 <inertial>', 'delete')),
    (9, 'axis-twice', 'element-repeated', 14, ('joint "swing" <axis>', '2 <axis>', 'delete')),
    (8, 'quaternion', 'quaternion', 5, ('quat_xyzw="0 0 0 1"', 'version="1.1"', 'rpy="..."')),
    (7, 'mass-comma', 'number', 6, ('link "arm" <inertial><mass value="1,5">', 'point')),
    (7, 'mass-underscore', 'number', 6, ('"1_0"', 'without underscores')),
    (7, 'mass-nan', 'number', 6, ('"nan"', 'finite')),
    (7, 'mass-inf', 'number', 6, ('"-Infinity"', 'finite')),
    (7, 'mass-overflow', 'number', 6, ('"1e400"', 'too large')),
    (7, 'mass-arabic', 'number', 6, ('"١.5"', 'ASCII')),
    (7, 'mass-full-width', 'number', 6, ('"１２"', 'ASCII')),
    (7, 'mass-hexadecimal', 'number', 6, ('"0x10"', 'decimal')),
    (7, 'mass-two-numbers', 'number', 6, ('"1 2"', '2 numbers where one')),
    (7, 'mass-empty', 'number', 6, ('""', '0 numbers where one')),
    (7, 'mass-unit', 'number', 6, ('"2kg"', 'no unit')),
    (7, 'mass-word', 'number', 6, ('"heavy"', '0.25')),
    (7, 'mass-no-break-space', 'number', 6, (r'"1\xa0"', 'digits only')),
    (8, 'origin-two-numbers', 'number', 5, ('xyz="0 -0.5"', '2 numbers where 3')),
    (8, 'origin-four-numbers', 'number', 5, ('rpy="0 0 0 1"', '4 numbers where 3')),
    (7, 'axis-not-numbers', 'number', 13, ('joint "swing" <axis xyz="y">', 'not a number')),
    (7, 'limit-infinite', 'number', 14, ('<limit upper="inf">', 'finite')),
    (7, 'damping-nan', 'number', 14, ('<dynamics damping="nan">', 'finite')),
    (16, 'mimic-multiplier-nan', 'number', 25, ('<mimic multiplier="NaN">', 'finite')),
    (5, 'no-links', 'no-links', 1, ('<robot>', 'at least one')),
    (5, 'parent-unknown', 'link-unknown', 11, ('<parent link="bsae">', 'did you mean "base"')),
    (5, 'child-unknown', 'link-unknown', 12, ('<child link="arms">', 'did you mean "arm"')),
    (5, 'joint-on-itself', 'self-loop', 22, ('joint "wrist"', '"hand"', 'two links')),
    (5, 'two-parents', 'two-parents', 27, ('"hand"', '"wrist", "weld"', '"arm", "base"', 'cut')),
    (5, 'two-roots', 'two-roots', 16, ('"base", "loose"', 'one root')),
    (5, 'no-root', 'no-root', 10, ('"base", "hand", "arm"', '"back", "wrist"', 'exchanged')),
    (5, 'cycle-detached', 'cycle', 10, ('"arm", "hand"', '"swing", "wrist"', 'exchanged')),
    (15, 'joint-type-ball', 'joint-type', 10, ('type="ball"', 'revolute, continuous, prismatic')),
    (15, 'joint-type-capital', 'joint-type', 10, ('type="Revolute"', 'fixed, planar, floating')),
    (6, 'joint-name-of-coordinate', 'name-taken', 22, ('joint "swing/x"', 'planar', 'rename')),
    (8, 'axis-two-numbers', 'number', 13, ('<axis xyz="0 1">', '2 numbers where 3')),
    (9, 'axis-zero', 'axis-zero', 13, ('joint "swing" <axis xyz="0 0.0 0">', 'like "0 0 1"')),
    (16, 'mimic-unknown', 'mimic-unknown', 25, ('<mimic joint="swign">', 'did you mean "swing"')),
    (16, 'mimic-itself', 'mimic-self', 25, ('joint "wrist"', 'itself', 'drives it')),
    (16, 'mimic-loop', 'mimic-loop', 14, ('"swing", "wrist"', 'must not mimic')),
    (16, 'mimic-of-fixed', 'mimic-fixed', 25, ('joint "wrist"', '"swing" is fixed', 'moves')),
    (16, 'mimic-of-planar', 'mimic-multi-dof', 25, ('"swing" is planar', 'only joints with one')),
    (16, 'mimic-by-floating', 'mimic-multi-dof', 25, ('"wrist" is floating', 'joints with one')),
    (16, 'mimic-product', 'mimic-product', 36, ('joint "tip"', 'multiplier="1e20"', 'correct')),
    (16, 'mimic-offset-too-large', 'number-too-large', 25, ('offset="-1e31"', '1e+30', 'correct')),
    (5, 'loop-notation', 'loop-notation', 16, ('loop_joint "close"', 'add <axis xyz=')),
    (10, 'mass-negative', 'mass-negative', 6, ('link "arm" <inertial><mass value="-2">', 'sign')),
    (5, 'force-link-missing', 'attribute-missing', 27, ('<force link="">', 'add link=')),
    (5, 'force-link-unknown', 'link-unknown', 27, ('<force link="hnad">', 'did you mean "hand"')),
    (8, 'force-empty', 'force-missing', 27, ('<force link="hand">', 'add force=', '[N m]')),
    (8, 'force-two-numbers', 'number', 27, ('<force link="hand" force="1 0">', '2 numbers')),
    (7, 'force-nan', 'number', 27, ('link="hand" torque="0 nan 0">', 'finite')),
    (7, 'force-too-large', 'number-too-large', 27, ('force="1e31 0 0"', '1e+30', 'correct')),
]
"""Fault, file, code, line, and what the message must say: where, what is there, what to do."""

WARNED = [
    (6, 'robot-name-missing', 'robot-name', 1, ('<robot>', 'name="..."')),
    (9, 'axis-not-unit', 'axis-not-unit', 13, ('xyz="0 0 5"', 'length 5', 'direction')),
    (14, 'limit-element-missing', 'limit-missing', 10, ('joint "swing"', '<limit lower=')),
    (14, 'limit-range-missing', 'limit-missing', 10, ('joint "swing"', '<limit lower=')),
    (14, 'limit-inverted', 'limit-inverted', 14, ('lower 3', 'upper -3', 'exchange')),
    (14, 'limit-effort-negative', 'limit-negative', 14, ('effort="-10"', 'sign')),
    (14, 'damping-negative', 'dynamics-negative', 14, ('damping="-0.1"', 'sign')),
    (15, 'floating-root', 'floating-root', 10, ('type="floating"', 'fixed base')),
    (16, 'mimic-zero', 'mimic-zero', 25, ('multiplier="0"', 'stands still')),
    (10, 'mass-zero', 'mass-zero', 6, ('link "arm"', 'value="0"', 'give')),
    (11, 'inertia-negative', 'inertia-negative', 7, ('link "arm"', '-0.1, 0.1, 0.1', 'check')),
    (11, 'inertia-products-too-large', 'inertia-negative', 7, ('-0.2, 0.1, 0.4', 'check')),
    (11, 'inertia-triangle', 'inertia-triangle', 7, ('0.1, 0.1, 0.25', 'by 0.05', 'check')),
    (12, 'massless-branch', 'massless-branch', 18, ('joint "wrist"', '"hand"', '<inertial>')),
    (13, 'units-mass', 'units-mass', 6, ('value="20000"', 'grams')),
    (13, 'units-mass-ratio', 'units-mass-ratio', 18, ('"hand"', '5e-06', '"arm"', 'kilograms')),
    (13, 'units-length', 'units-length', 5, ('xyz="0 0 -500"', 'millimetres')),
    (13, 'units-angle', 'units-angle', 5, ('rpy="0 0 90"', 'degrees')),
    (13, 'force-millimetres', 'units-length', 27, ('<force link="hand" xyz="0 0 250">', 'metres')),
    (18, 'transmission-joint-unknown', 'transmission-unknown', 27,
     ('transmission "drive"', '"swign"', 'did you mean "swing"')),
    (18, 'reduction-zero', 'transmission-reduction', 31,
     ('transmission "drive" <actuator><mechanicalReduction>', '"0.0"', 'must not be 0')),
    (18, 'reduction-ratio', 'transmission-reduction', 31, ('"1:100"', 'digits only')),
    (18, 'reduction-infinite', 'transmission-reduction', 31, ('"inf"', 'finite')),
    (18, 'reduction-twice', 'transmission-twice', 38, ('50', '"swing"', '100', 'delete')),
]
"""The same of what is computed as it stands."""


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


# ---- Whatever comes in, out comes a model that computes or a UrdfError

KEPT = [path.read_bytes() for folder in (CORPUS, TEST / 'fuzz' / 'corpus')   # worth keeping
        for path in sorted(folder.iterdir())]
REAL = {reduced(path.read_bytes()) for path in (*ROBOTS, *EXAMPLES.rglob('*.urdf'))}
SEEDS = [*sorted((text for text in REAL if b'<link' in text and len(text) < 6000),
                 key=lambda text: (len(text), text)), *(x for x in KEPT if len(x) < 6000)]


@pytest.mark.parametrize('batch', [
    0, *(pytest.param(batch, marks=pytest.mark.slow) for batch in (1, 2, 3))])
def test_bad_luck_makes_a_model_or_a_urdf_error(batch: int) -> None:
    """A failure is reproduced with ``verdict(unlucky(seed))``."""
    seeds = range(200 * batch, 200 * (batch + 1))
    results = Counter(type(verdict(unlucky(seed))) for seed in seeds)
    assert len(results) == 2 and min(results.values()) > 20, 'both outcomes'


def unlucky(seed: int) -> bytes:
    random = Random(seed)
    text = random.choice(SEEDS)
    if random.random() < 0.2:
        text = cross(text, random.choice(SEEDS), random)
    return mutate(text, random)


def test_what_was_found_before_is_right_by_now() -> None:
    results = [verdict(text) for text in KEPT]
    assert results and all(isinstance(result, RobotModel | UrdfError) for result in results)


@pytest.mark.fault(3)
def test_the_judge_sees_files_and_the_network() -> None:
    with watched(), pytest.raises(AssertionError, match='open'):
        open(__file__).close()
    with watched(), pytest.raises(AssertionError, match=r'socket\.'):
        socket.socket()
