"""The simulators: which efforts they report, whose dynamics, mimic joints, what they refuse."""

import sys

import numpy as np
import pytest

from support.oracles import Pinocchio
from support.robot_files import OWN
from urdf2dyn_ros.errors import SimulationError
from urdf2dyn_ros.robot.reader import read_urdf
from urdf2dyn_ros.simulation import SIMULATORS, available_simulator, simulator_class
from urdf2dyn_ros.simulation.simulator import check_masses, computed_torque, find_gears
from urdf2dyn_ros.simulation.trajectories import SmoothTrajectory

MASS, LENGTH, INERTIA = 3.0, 0.7, 0.2
PENDULUM = f"""
<robot name="pendulum">
  <link name="world"/>
  <joint name="hinge" type="revolute">
    <parent link="world"/><child link="rod"/><axis xyz="0 1 0"/>
    <limit lower="-9" upper="9" effort="0.001" velocity="0.001"/>
    <dynamics damping="{{damping}}" friction="{{friction}}"/>
  </joint>
  <link name="rod">
    <inertial>
      <origin xyz="0 0 -{LENGTH}"/><mass value="{MASS}"/>
      <inertia ixx="{INERTIA}" ixy="0" ixz="0" iyy="{INERTIA}" iyz="0" izz="0.1"/>
    </inertial>
  </link>
</robot>
"""

RX90, HUMANOID = ((OWN / f'{name}.urdf').read_text() for name in ('rx90', 'humanoid_3p33r'))
INERTIAL = ('<inertial><origin xyz="0.02 {c} 0.1" rpy="0.3 -0.5 1.1"/><mass value="{m}"/>'
            '<inertia ixx="0.05" ixy="0.004" ixz="-0.003" iyy="0.06" iyz="0.002" izz="0.04"/>'
            '</inertial>')


def link(name, mass=1.0, com=0.03):
    return f'<link name="{name}">{INERTIAL.format(m=mass, c=com) if mass else ""}</link>'


def joint(name, kind, parent, child, extra='', xyz='0.1 0 0.3', rpy='0.2 0.4 -0.3',
          axis='0.6 0 0.8'):
    limit = '<limit lower="-2" upper="2" effort="9" velocity="3"/>'
    return (f'<joint name="{name}" type="{kind}"><origin xyz="{xyz}" rpy="{rpy}"/>'
            f'<parent link="{parent}"/><child link="{child}"/><axis xyz="{axis}"/>'
            f'{limit if kind in ("revolute", "prismatic") else ""}{extra}</joint>')


def robot(*elements):
    return f'<robot name="test">{"".join(elements)}</robot>'


# In the file a child's joint may precede its parent's, and branches may be mixed.
TREE = robot(
    link('base', 9.0), link('a'), link('b', 2.0), link('c', 0), link('d', 0.5), link('e', 0.7),
    link('tool', 0.2), link('massless_end', 0),
    joint('elbow', 'prismatic', 'a', 'b'), joint('waist', 'continuous', 'base', 'a'),
    joint('other', 'revolute', 'a', 'c', axis='0 1 0'), joint('weld', 'fixed', 'c', 'd'),
    joint('wrist', 'revolute', 'c', 'e', axis='1 0 0'), joint('grip', 'fixed', 'e', 'tool'),
    joint('tip', 'fixed', 'tool', 'massless_end'))

GRIPPER = robot(
    link('base', 0), link('hand'), link('left', 0.3), link('right', 0.4, -0.05),
    link('nail', 0.1),
    joint('turn', 'revolute', 'base', 'hand'),
    joint('nail_joint', 'revolute', 'right', 'nail', axis='0 1 0',
          extra='<mimic joint="right_joint" multiplier="3" offset="-0.1"/>'),
    joint('left_joint', 'prismatic', 'hand', 'left'),
    joint('right_joint', 'prismatic', 'hand', 'right', axis='0 1 0',
          extra='<mimic joint="left_joint" multiplier="-0.5" offset="0.02"/>'))


def simulator(engine, text, **options):
    return simulator_class(engine)(read_urdf(text), **options)


def moved(engine, text, duration=2.0, **options):
    """Return the simulator, its samples along a smooth motion, and the largest error."""
    model = read_urdf(text)
    simulated = simulator_class(engine)(model, **options)
    driven = find_gears(model)
    trajectory = SmoothTrajectory([j.type for j in driven.drivers], driven.limits, duration)
    simulated.set_state(*trajectory(0.0)[:2])
    samples = []
    while simulated.time < duration:
        samples.append(simulated.step(computed_torque(simulated, *trajectory(simulated.time))))
    error = max(np.abs(sample.q - trajectory(sample.time)[0]).max() for sample in samples)
    return simulated, samples, error


def stacked(samples, name):
    return np.array([getattr(sample, name) for sample in samples])


def expected_efforts(text, names, samples, gravity=(0.0, 0.0, -9.81)):
    """Return the efforts of these joints at the samples by Pinocchio."""
    oracle = Pinocchio(text, gravity)
    every = [oracle.efforts(dict(zip(names, zip(s.q, s.qd, s.qdd), strict=True)))
             for s in samples]
    return np.array([[efforts[name] for name in names] for efforts in every])


@pytest.mark.parametrize(('damping', 'friction'), [(0.0, 0.0), (0.8, 0.0), (0.0, 0.5), (0.8, 0.5)])
def test_the_pendulum_s_efforts_are_those_of_its_equation(engine, damping, friction):
    """Net: I qdd + m g l sin q, whatever the friction; commanded: that and what friction takes."""
    text = PENDULUM.format(damping=damping, friction=friction)
    pendulum = simulator(engine, text, friction=True)
    pendulum.set_state(np.array([0.4]), np.array([0.0]))
    # far beyond the effort limit of the URDF
    samples = [pendulum.step(np.array([12.0 * np.sin(5.0 * pendulum.time)])) for _ in range(2000)]
    time, q, qd, qdd, net, commanded = (stacked(samples, name).reshape(len(samples)) for name in (
        'time', 'q', 'qd', 'qdd', 'net', 'commanded'))
    expected = (INERTIA + MASS * LENGTH**2) * qdd + MASS * 9.81 * LENGTH * np.sin(q)
    largest = np.abs(expected).max()
    np.testing.assert_allclose(net, expected, rtol=0.0, atol=1e-10 * largest)
    assert np.ptp(q) > 0.3
    np.testing.assert_array_equal(commanded, 12.0 * np.sin(5.0 * time))
    # damped is the velocity that the step ends with
    taken, after = commanded - net, qd + 0.001 * qdd
    moving = np.minimum(np.abs(qd), np.abs(after)) > 0.05
    np.testing.assert_allclose(taken[moving], (damping * after + friction * np.sign(qd))[moving],
                               atol=0.01 * (damping + friction) + 1e-6 * largest)
    assert np.abs(taken).max() < damping * np.abs(after).max() + friction + 0.01


def test_damping_and_friction_act_only_on_request(engine):
    text = PENDULUM.format(damping=0.8, friction=0.5)
    pendulum = simulator(engine, text)
    pendulum.set_state(np.array([0.4]), np.array([1.0]))
    samples = [pendulum.step(np.array([3.0])) for _ in range(500)]
    np.testing.assert_allclose(stacked(samples, 'net'), 3.0, rtol=1e-9)


def test_a_sample_is_what_the_step_solved(engine):
    pendulum = simulator(engine, PENDULUM.format(damping=0, friction=0))
    pendulum.set_state(np.array([0.3]), np.array([0.1]))
    sample = pendulum.step(np.array([7.0]))
    assert (sample.time, sample.q[0], sample.qd[0]) == (0.0, 0.3, 0.1)
    assert pendulum.time == 0.001
    assert pendulum.qd[0] == pytest.approx(0.1 + 0.001 * sample.qdd[0], abs=1e-15)
    assert pendulum.q[0] == pytest.approx(0.3 + 0.001 * pendulum.qd[0], abs=1e-15)


@pytest.mark.parametrize(('text', 'gravity', 'friction'), [
    (TREE, (0.0, 0.0, -9.81), False), (TREE, (1.0, -9.0, 2.0), True),
    (RX90, (0.0, 0.0, -9.81), True), (HUMANOID, (1.0, -9.0, 2.0), False)],
    ids=['tree', 'tree-friction', 'rx90-friction', 'humanoid'])
def test_net_efforts_are_the_inverse_dynamics_of_pinocchio(engine, text, gravity, friction):
    """With friction and without: an oracle that is neither engine."""
    moving = text.replace('</joint>', '<dynamics damping="0.3" friction="0.1"/></joint>')
    simulated, samples, error = moved(engine, moving, 0.5, gravity=gravity, friction=friction)
    expected = expected_efforts(text, simulated.joint_names, samples[::10], gravity)
    scale = np.abs(expected).max(axis=0)
    # MuJoCo 3 finds the principal axes of inertias to seven digits only.
    assert (np.abs(stacked(samples[::10], 'net') - expected) / scale).max() < 1e-6
    assert friction or error < 1e-3


def test_joints_are_named_in_the_order_of_the_file(engine):
    assert simulator(engine, TREE).joint_names == ('elbow', 'waist', 'other', 'wrist')


@pytest.mark.parametrize('damping', [0.0, 0.6])
def test_mimic_joints_follow_and_their_effort_is_reflected_to_the_driver(engine, damping):
    text = GRIPPER.replace('</joint>', f'<dynamics damping="{damping}"/></joint>')
    simulated, samples, error = moved(engine, text, 1.0, friction=True)
    assert simulated.joint_names == ('turn', 'left_joint')
    assert error < 1e-3
    expected = expected_efforts(GRIPPER, simulated.joint_names, samples[::10])
    np.testing.assert_allclose(stacked(samples[::10], 'net'), expected, rtol=1e-6, atol=1e-7)
    ratios = np.array([[1, 0], [0, -1.5], [0, 1], [0, -0.5]])
    for s in samples[::10]:
        after = ratios @ (s.qd + 0.001 * s.qdd)
        np.testing.assert_allclose(s.commanded - s.net, ratios.T @ (damping * after), atol=1e-9)


def test_a_resting_robot_is_not_put_to_sleep(engine):
    simulated, _, _ = moved(engine, TREE, 0.5)
    q, zero = simulated.q, np.zeros(4)
    for _ in range(1000):
        sample = simulated.step(computed_torque(simulated, q, zero, zero))
    expected, = expected_efforts(TREE, simulated.joint_names, [sample])
    np.testing.assert_allclose(sample.net, expected, rtol=1e-6, atol=1e-6)
    assert np.abs(sample.net).max() > 1.0


def test_a_floating_root_is_fixed_to_the_world(engine):
    text = robot(link('world', 0), link('base', 5.0), link('arm'),
                 joint('free', 'floating', 'world', 'base'),
                 joint('shoulder', 'revolute', 'base', 'arm'))
    assert simulator(engine, text).joint_names == ('shoulder',)


@pytest.mark.parametrize(('text', 'words'), [
    (robot(link('base'), link('a'), joint('glide', 'planar', 'base', 'a')), ['glide', 'planar']),
    (robot(link('base'), link('a'), link('b'), joint('turn', 'continuous', 'base', 'a'),
           joint('loose', 'floating', 'a', 'b')), ['loose', 'floating']),
    (robot(link('base'), link('a'), joint('weld', 'fixed', 'base', 'a')), ['no joint']),
    (robot(link('base'), link('a'), link('b', 0), link('c', 0),
           joint('turn', 'continuous', 'base', 'a'), joint('finger', 'continuous', 'a', 'b'),
           joint('tip', 'fixed', 'b', 'c')), ['by "finger"', '<inertial>', 'fixed']),
    (robot(link('base'), link('a', 0), link('b'),
           joint('turn', 'continuous', 'base', 'a', axis='0 0 1'),
           joint('again', 'continuous', 'a', 'b', axis='0 0 1', rpy='0 0 0', xyz='0 0 0.3')),
     ['"turn", "again"', '<inertial>']),
    (GRIPPER.replace('</joint>', '<dynamics friction="1"/></joint>'), ['mimic', 'friction']),
])
def test_what_cannot_be_simulated_is_refused_by_name(engine, text, words):
    with pytest.raises(SimulationError) as caught:
        simulator(engine, text, friction=True)
    for word in words:
        assert word in str(caught.value)


def test_an_inertia_that_no_body_has_is_refused_where_the_engine_does():
    pytest.importorskip('mujoco')
    text = PENDULUM.format(damping=0, friction=0).replace('izz="0.1"', 'izz="0.9"')
    with pytest.raises(SimulationError, match=r"MuJoCo cannot simulate robot 'pendulum'.*A \+ B"):
        simulator('mujoco', text)


@pytest.mark.parametrize('mass', [None, 0.9 * MASS, 1.1 * MASS])
def test_a_mass_that_an_engine_reads_otherwise_is_refused(mass):
    with pytest.raises(SimulationError, match="link 'rod': DART simulates a mass of"):
        check_masses(read_urdf(PENDULUM.format(damping=0, friction=0)), 'DART', {'rod': mass})


def test_a_simulation_that_diverges_says_so(engine):
    pendulum = simulator(engine, PENDULUM.format(damping=0, friction=0))
    with pytest.raises(SimulationError, match=r'diverged at 0\.000 s'):
        pendulum.step(np.array([np.inf]))
    pendulum = simulator(engine, PENDULUM.format(damping=0, friction=0))
    with pytest.raises(SimulationError, match=r'diverged at 0\.0\d\d s'):
        for power in range(20):
            pendulum.step(np.array([10.0**power]))


def test_an_unknown_simulator_and_one_without_its_engine_are_named(engine, monkeypatch):
    with pytest.raises(SimulationError, match='there are: dart, mujoco'):
        simulator_class('bullet')
    package = SIMULATORS[engine]
    monkeypatch.setitem(sys.modules, package, None)
    other, = {*SIMULATORS} - {engine}
    assert available_simulator() == other
    with pytest.raises(SimulationError, match=f'pip install {package}'):
        simulator_class(engine)


def test_a_constant_wrench_is_not_simulated_and_said(engine):
    with pytest.raises(SimulationError, match=r'tags <force> \(on link2\), which are not'):
        simulator(engine, RX90.replace('</robot>', '<force link="link2" force="0 0 5"/>'
                                       '</robot>'))
