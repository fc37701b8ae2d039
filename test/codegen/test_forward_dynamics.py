"""Forward dynamics and derivatives: Pinocchio, MuJoCo, inverses, differences, refusals."""

import itertools
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import language_tools
import numpy as np
import pytest
from hypothesis import given
from robot_programs import program_of

from support.acting_loads import entries, everything, terms
from support.oracles import Array, Pinocchio, columns, random_state, worst
from support.random_trees import between, examples, robot, tangle, trees
from support.robot_files import OWN, mostly_slow, robot_path
from urdf2dyn_ros import InverseDynamics, RobotModel, export_model, read_urdf
from urdf2dyn_ros.codegen.functions.forward_dynamics import (
    AccelerationsByArticulatedBodies,
    AccelerationsByFactors,
    AccelerationsOfEfforts,
    CheapestAccelerations,
)
from urdf2dyn_ros.codegen.generator import STYLES
from urdf2dyn_ros.codegen.program import Program
from urdf2dyn_ros.errors import ParameterError, StateError
from urdf2dyn_ros.robot.loads import Loads
from urdf2dyn_ros.robot.model import Joint, Link
from urdf2dyn_ros.robot.multibody import make_multibody
from urdf2dyn_ros.robot.terms import Friction, Rotor
from urdf2dyn_ros.robot.writer import clean_urdf

PEERS = [*map(robot_path, (
    'rx90', 'scara', 'humanoid_3p33r', 'ur5_robot', 'kinova', 'talos_reduced', 'anymal',
    'simple_humanoid', 'tiago_no_hand'))]
WAYS = (AccelerationsByFactors, AccelerationsByArticulatedBodies)
way = pytest.mark.parametrize('way', WAYS)


def program(model: RobotModel, style: str = 'fast', loads: Loads | None = None) -> Program:
    return program_of(model, style, 'forward_dynamics', loads=loads or Loads())


def ways_of(model: RobotModel) -> tuple[type[AccelerationsOfEfforts], ...]:
    """Return the ways that there are for a robot: with mimic joints, the factors alone."""
    system = make_multibody(model)
    chosen = {type(way) for way, _ in CheapestAccelerations().ways(system)}
    follows = len(system.bodies) > len(system.joint_names)
    assert chosen == ({AccelerationsByFactors} if follows else {*WAYS})
    return WAYS[:1] if follows else WAYS


@contextmanager
def derived_by(way: type[AccelerationsOfEfforts]) -> Iterator[None]:
    """Derive forward dynamics in this way, whatever it costs."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(CheapestAccelerations, 'ways', lambda self, system: ((way(), 0),))
        yield


@way
@pytest.mark.parametrize('path', mostly_slow(
    PEERS, 'rx90', 'scara', 'humanoid_3p33r', 'ur5_robot', 'kinova', 'anymal', 'simple_humanoid'))
def test_accelerations_are_those_of_pinocchio(path, way):
    text = path.read_bytes()
    dynamics = InverseDynamics(read_urdf(text), backend='python', base='fixed')
    names = dynamics.joint_names
    state = random_state(names, 3)
    q, qd, tau = columns(names, state)
    peer = Pinocchio(text).accelerations(state)
    with derived_by(way):
        found = dynamics.forward_dynamics(q, qd, tau)
    assert worst(found, [peer[name] for name in names]) < 1e-10


def check_inverse(model: RobotModel, loads: Loads, style: str, seed: int = 0) -> None:
    """The accelerations are those of which inverse_dynamics returns the efforts."""
    text, = export_model(model, style=style, name='robot', functions='forward_dynamics',
                         loads=loads).values()
    script: dict[str, object] = {'__name__': 'robot'}
    exec(text, script)
    dynamics = InverseDynamics(model, backend='python', loads=loads)
    q, qd, qdd = columns(dynamics.joint_names, random_state(dynamics.joint_names, seed))
    more = entries(model, loads)
    result = dynamics(q, qd, qdd, *more)
    tau = result[0] if loads.moving(make_multibody(model)) else result
    found = script['forward_dynamics'](q.tolist(), qd.tolist(), tau.tolist(), *more)
    assert worst(found, qdd) < 1e-9


@pytest.mark.parametrize('style', STYLES)
@pytest.mark.parametrize('base', ['fixed', 'moving'])
@pytest.mark.parametrize('name', ['tangle', 'scara', 'solo12'])
def test_it_is_the_inverse_with_all_loads(name, base, style):
    """Branches, sliders, joints that follow others in other branches, oblique axes."""
    model = robot(name)
    for way in ways_of(model):
        with derived_by(way):
            check_inverse(model, everything(model, base), style)


@examples(12)
@given(trees(most=7))
def test_it_is_the_inverse_for_random_trees(model: RobotModel) -> None:
    loads = Loads(terms=terms(model, gyroscopic=False))   # the links may be points on their axes
    for style, way in itertools.product(STYLES, ways_of(model)):
        with derived_by(way):
            check_inverse(model, loads, style)


def test_the_operations_of_a_chain_grow_with_its_length_and_it_stays_exact() -> None:
    """Articulated bodies: the factors of the mass matrix would take ten times as many for 60."""
    counts = {n: program(arm(*[True] * n, turning=True)).functions[0].operations
              for n in (20, 40, 60)}
    more = [np.subtract(counts[n][:2], counts[n - 20][:2]) for n in (40, 60)]
    assert np.allclose(more[0], more[1], rtol=0.01)
    check_inverse(arm(*[True] * 40, turning=True), Loads(), 'fast')


def test_comments_name_the_factors_of_each_joint() -> None:
    text, = export_model(read_urdf(OWN / 'rx90.urdf'), 'python', 'readable', 'robot',
                         functions=('forward_dynamics',)).values()
    words = ' '.join(text.replace('#', '').split())
    assert ("joint 3 'joint3': r3_j = M3_j - l6_3 r6_j - l5_3 r5_j - l4_3 r4_j, d3 = r3_3, "
            'l3_j = r3_j / d3') in words
    assert 'r1_j = M1_j - sum of lk_1 rk_j over k = 6, 5, 4, 3, 2, d1 = r1_1' in words


@pytest.mark.parametrize('kind', ['planar', 'floating'])
def test_joints_of_several_freedoms(kind: str) -> None:
    check_inverse(between(kind), Loads(), 'fast')


def arm(*inertial: bool, axis: tuple[float, float, float] = (0.0, 0.0, 1.0),
        turning: bool = False) -> RobotModel:
    """Return links in a row, with inertia or not, that turn about the same axis, or not."""
    inertia = tangle().links[1].inertia
    links = (Link('base'), *(Link(f'link{k}', inertia if there else None)
                             for k, there in enumerate(inertial, 1)))
    joints = tuple(Joint(f'joint{k}', 'revolute', links[k - 1].name, links[k].name, axis=axis,
                         xyz=(0.2 * turning, 0.0, 0.0), rpy=(1.5708 * turning, 0.0, 0.0))
                   for k in range(1, len(links)))
    return RobotModel('arm', links, joints, 'base')


@pytest.mark.parametrize(('inertial', 'message'), [
    ((True, False), 'at joint "joint2": what it moves has an inertia of 0,'),
    ((False, True), 'at joint "joint1": of the inertia .* 0 is left as the joints behind'),
    ((True, False, True), 'at joint "joint2": of the inertia')])
def test_a_joint_whose_acceleration_is_not_determined_is_rejected(inertial, message):
    model = arm(*inertial)
    dynamics = InverseDynamics(model, backend='python')
    n = len(dynamics.joint_names)
    with pytest.raises(ParameterError, match=message):
        dynamics.forward_dynamics(*np.zeros((3, n)))
    name = f'joint{inertial.index(False) + 1}'
    loads = Loads(terms={name: [Rotor(armature=0.1)]})
    assert np.isfinite(InverseDynamics(model, backend='python', loads=loads).forward_dynamics(
        *np.ones((3, n)))).all()


def test_the_rejection_says_that_a_payload_does_not_count() -> None:
    model = arm(True, False)
    dynamics = InverseDynamics(model, backend='python', loads=Loads(payload=model.links[-1].name))
    with pytest.raises(ParameterError, match='the payload does not count, as it may be zero'):
        dynamics.forward_dynamics(*np.ones((3, 2)), np.ones(10))


def test_a_posture_in_which_the_efforts_do_not_determine_it_raises_an_error() -> None:
    """A point at the axis of the first joint as the second is folded: no number divided by 0."""
    text = """<robot name="folded"><link name="base"/>
        <link name="upper"/><link name="lower"><inertial><mass value="1"/>
        <origin xyz="1 0 0"/><inertia ixx="0" ixy="0" ixz="0" iyy="0" iyz="0" izz="0"/></inertial>
        </link>
        <joint name="a" type="continuous"><parent link="base"/><child link="upper"/>
        <axis xyz="0 0 1"/></joint>
        <joint name="b" type="continuous"><parent link="upper"/><child link="lower"/>
        <origin xyz="1 0 0"/><axis xyz="0 0 1"/></joint></robot>"""
    for backend in ('python', 'c'):
        dynamics = InverseDynamics(read_urdf(text), backend=backend)
        assert np.isfinite(dynamics.forward_dynamics([0.0, 1.0], [0, 0], [1, 1])).all()
        for q in ([0.0, 0.0], [[0.0, 0.0], [0.0, 0.0]]):
            with pytest.raises(StateError, match='of forward_dynamics for'):
                dynamics.forward_dynamics(q, np.zeros_like(q), np.ones_like(q))


# ---- Derivatives of inverse and forward dynamics: Pinocchio, differences, inverses, and the cost

NAME = 'inverse_dynamics_derivatives'
PEERS_OF_DERIVATIVES = [OWN / 'scara.urdf', *map(robot_path, (
    'ur5_robot', 'panda', 'talos_reduced', 'kinova', 'solo12', 'baxter',
    'double_pendulum_continuous'))]


def check_pinocchio(model: RobotModel, oracle: Pinocchio) -> None:
    dynamics = InverseDynamics(model, base='fixed')
    names = dynamics.joint_names
    state = random_state(names, 5)
    tau, *found = dynamics.derivatives(*columns(names, state))
    assert worst(tau, dynamics(*columns(names, state))) < 1e-10
    expected = oracle.derivatives(names, state)
    floor = 1e-3 * max(np.abs(each).max(initial=0.0) for each in expected)   # where one is zero
    for mine, theirs in zip(found, expected):
        error = np.abs(mine - theirs).max(initial=0.0)
        assert error <= 1e-10 * max(floor, np.abs(theirs).max(initial=0.0))


@pytest.mark.parametrize('path', mostly_slow(
    PEERS_OF_DERIVATIVES, 'scara', 'ur5_robot', 'panda', 'kinova', 'solo12'))
def test_pinocchio_agrees_on_real_robots(path: Path) -> None:
    check_pinocchio(read_urdf(path.read_bytes()), Pinocchio(path.read_bytes()))


@examples(20)
@given(trees(most=8, massless=True))
def test_pinocchio_agrees_on_random_trees(model: RobotModel) -> None:
    check_pinocchio(model, Pinocchio(clean_urdf(model)))


def differences(dynamics: InverseDynamics, state: Array, given: list[list[float]],
                ) -> list[list[Array]]:
    """Return central differences by q, qd and qdd: of the efforts, then of the root's wrench."""
    step, n = 1e-5, len(dynamics.joint_names)
    steps = step * np.eye(3 * n).reshape(-1, 3, n)
    before, after = (dynamics(*np.moveaxis(state + sign * steps, 1, 0), *given)
                     for sign in (-1.0, 1.0))
    pairs = [(before, after)] if isinstance(after, np.ndarray) else zip(before, after)
    return [[(b - a)[k:k + n].T / (2.0 * step) for k in (0, n, 2 * n)] for a, b in pairs]


@pytest.mark.parametrize('base', ['fixed', 'moving'])
@pytest.mark.parametrize('model', [robot('tangle'), robot('scara'), between('planar')],
                         ids=lambda model: model.name)
def test_every_term_is_differentiated(model: RobotModel, base: str) -> None:
    """Mimic, planar and sliding joints, friction, rotors, springs, payload, wrenches, base."""
    loads = everything(model, base)
    given = entries(model, loads)
    dynamics = InverseDynamics(model, loads=loads)
    n = len(dynamics.joint_names)
    state = np.random.default_rng(2).normal(size=(3, n))
    found = dynamics.derivatives(*state, *given)
    expected = differences(dynamics, state, given)
    payload = given[-1:]
    assert len(found) == (8 if base == 'moving' else 4)
    for mine, theirs in zip((found[1:4], found[5:]), expected):
        for a, b in zip(mine, theirs):
            assert worst(a, b) < 1e-6
    assert worst(found[3], found[3].T) < 1e-12
    assert worst(found[3], dynamics.mass_matrix(state[0], *payload)) < 1e-12
    whole = dynamics(*state, *given)
    assert worst(found[0], whole[0] if base == 'moving' else whole) < 1e-12


FORWARD = 'forward_dynamics_derivatives'


def script_of(model: RobotModel, style: str, loads: Loads) -> dict[str, object]:
    program = program_of(model, style, FORWARD, loads=loads)
    function, = program.functions
    names = [statement.name for statement in function.statements]
    assert len(set(names)) == len(names)
    script: dict[str, object] = {'__name__': 'robot'}
    exec(language_tools.files_of('python', program)['robot_dynamics.py'], script)
    return script


def check_inverse_of_derivatives(model: RobotModel, loads: Loads, style: str) -> None:
    """At the accelerations, M dqdd = -dtau, and M Minv = 1."""
    script = script_of(model, style, loads)
    dynamics = InverseDynamics(model, backend='python', loads=loads)
    names = dynamics.joint_names
    q, qd, qdd = columns(names, random_state(names, 2))
    more = entries(model, loads)
    tau, dtau_dq, dtau_dqd, M, *_ = dynamics.derivatives(q, qd, qdd, *more)
    results = script[FORWARD](q.tolist(), qd.tolist(), tau.tolist(), *more)   # type: ignore[operator]
    assert worst(results[0], qdd) < 1e-9
    n = len(names)
    dqdd_dq, dqdd_dqd, Minv = (np.array(each).reshape(n, n) for each in results[1:])
    assert np.array_equal(Minv, Minv.T)
    for found, expected in ((dqdd_dq, -dtau_dq), (dqdd_dqd, -dtau_dqd), (Minv, np.eye(n))):
        assert close(M @ found, expected, np.abs(M) @ np.abs(found))


def close(found: Array, expected: Array, parts: Array) -> bool:
    """Return whether entries differ by 1e-9 of what they are sums of, at most."""
    return bool((np.abs(found - expected) <= 1e-9 * (parts + np.abs(expected)).max(
        initial=0.0)).all())


@pytest.mark.parametrize('style', STYLES)
@pytest.mark.parametrize('base', ['fixed', 'moving'])
@pytest.mark.parametrize('name', ['tangle', 'scara'])
def test_they_are_the_inverse_of_those_of_the_efforts(name: str, base: str, style: str) -> None:
    """Mimic, branches, sliding joints, friction, rotors, springs, payload, wrenches, base."""
    model = robot(name)
    check_inverse_of_derivatives(model, everything(model, base), style)


@examples(5)
@given(trees(most=6))
def test_they_are_the_inverse_on_random_trees(model: RobotModel) -> None:
    rotors = {body.name: [Rotor(armature=0.2)] for body in make_multibody(model).bodies}
    for style in STYLES:
        check_inverse_of_derivatives(model, Loads(terms=rotors), style)


@pytest.mark.parametrize(('functions', 'remedy'), [
    (NAME, 'set its load to 0'), (FORWARD, 'set its load to 0'),
    ('forward_dynamics', 'set its load to 0')])
def test_friction_with_the_load_is_rejected_with_its_joint(functions: str, remedy: str) -> None:
    loads = Loads(terms={'joint3': [Friction(viscous=1.0, load=0.1)]})
    with pytest.raises(ParameterError, match=f'"joint3".*{remedy}'):
        program_of(robot('scara'), functions=functions, loads=loads)
