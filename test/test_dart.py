"""DART as a simulator: net efforts, masses, mimic joints, and what it refuses."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from urdf2dyn_ros.errors import SimulationError
from urdf2dyn_ros.simulators import simulator_class
from urdf2dyn_ros.simulators.gears import gears
from urdf2dyn_ros.trajectory import SmoothTrajectory
from urdf2dyn_ros.urdf.reader import read_urdf

dart = pytest.importorskip('urdf2dyn_ros.simulators.dart', reason='dartpy is not installed')

ROBOTS = Path(__file__).parents[1] / 'urdf'

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

RX90, HUMANOID = ((ROBOTS / f'{name}.urdf').read_text(encoding='utf-8')
                  for name in ('rx90', 'humanoid_3p33r'))

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


def simulator(text, **options):
    return dart.DartSimulator(read_urdf(text), **options)


def moved(text, duration=2.0, **options):
    """Return the model, the simulator and its samples along the demonstration's motion."""
    model = read_urdf(text)
    simulated = dart.DartSimulator(model, **options)
    driven = gears(model)
    trajectory = SmoothTrajectory([j.type for j in driven.drivers], driven.limits, duration)
    simulated.set_state(*trajectory(0.0)[:2])
    samples = []
    while simulated.time < duration:
        tau = simulated.computed_torque(*trajectory(simulated.time), 400.0, 40.0)
        samples.append(simulated.step(tau))
    error = max(np.abs(sample.q - trajectory(sample.time)[0]).max() for sample in samples)
    return model, simulated, samples, error


def stacked(samples, name):
    return np.array([getattr(sample, name) for sample in samples])


class Oracle:
    """Pinocchio's rnea by joint names, positions of continuous joints as one angle."""

    def __init__(self, text, gravity=(0.0, 0.0, -9.81)):
        self.pin = pytest.importorskip('pinocchio')
        self.model = self.pin.buildModelFromXML(text)
        self.model.gravity.linear = np.array(gravity)
        self.data = self.model.createData()

    def efforts(self, names, q, qd, qdd):
        Q, V, A = self.pin.neutral(self.model), np.zeros(self.model.nv), np.zeros(self.model.nv)
        rows = []
        for name, p, v, a in zip(names, q, qd, qdd, strict=True):
            at = self.model.joints[self.model.getJointId(name)]
            Q[at.idx_q:at.idx_q + at.nq] = [np.cos(p), np.sin(p)] if at.nq == 2 else p
            V[at.idx_v], A[at.idx_v] = v, a
            rows.append(at.idx_v)
        return self.pin.rnea(self.model, self.data, Q, V, A)[rows]


@pytest.mark.parametrize(('damping', 'friction'), [(0.0, 0.0), (0.8, 0.0), (0.0, 0.5), (0.8, 0.5)])
@pytest.mark.parametrize('acting', [False, True])
def test_the_pendulum_s_effort_is_the_net_effort_whatever_its_friction(damping, friction, acting):
    text = PENDULUM.format(damping=damping, friction=friction)
    pendulum = simulator(text, friction=acting)
    pendulum.set_state(np.array([0.4]), np.array([0.0]))
    # Driven by a changing effort, far beyond the effort limit of the URDF.
    samples = [pendulum.step(np.array([12.0 * np.sin(5.0 * pendulum.time)])) for _ in range(2000)]
    q, qdd, effort = (stacked(samples, name)[:, 0] for name in ('q', 'qdd', 'effort'))
    expected = (INERTIA + MASS * LENGTH**2) * qdd + MASS * 9.81 * LENGTH * np.sin(q)
    np.testing.assert_allclose(effort, expected, rtol=0.0, atol=1e-10 * np.abs(expected).max())
    assert np.ptp(q) > 0.5
    # The commanded effort is another one exactly when friction acts.
    commanded = 12.0 * np.sin(5.0 * stacked(samples, 'time'))
    assert np.allclose(commanded, effort, atol=1e-9) == (not acting or damping == friction == 0.0)


def test_effort_q_and_qd_of_a_sample_belong_to_one_instant():
    pendulum = simulator(PENDULUM.format(damping=0, friction=0))
    pendulum.set_state(np.array([0.3]), np.array([0.1]))
    sample = pendulum.step(np.array([7.0]))
    assert (sample.time, sample.q[0], sample.qd[0]) == (0.0, 0.3, 0.1)
    assert pendulum.time == 0.001
    assert pendulum.qd[0] == pytest.approx(0.1 + 0.001 * sample.qdd[0], abs=1e-15)
    assert pendulum.q[0] == pytest.approx(0.3 + 0.001 * pendulum.qd[0], abs=1e-15)


@pytest.mark.parametrize('text', [TREE, GRIPPER, RX90],
                         ids=['tree', 'gripper', 'rx90'])
def test_the_simulated_mass_is_the_model_s(text):
    model = read_urdf(text)
    skeleton = dart.DartSimulator(model)._skeleton
    assert skeleton.getMass() == pytest.approx(model.mass, rel=1e-12)


@pytest.mark.parametrize('gravity', [(0.0, 0.0, -9.81), (1.0, -9.0, 2.0)])
@pytest.mark.parametrize('text', [TREE, RX90, HUMANOID], ids=['tree', 'rx90', 'humanoid'])
def test_efforts_are_the_inverse_dynamics_of_pinocchio_at_the_simulator_s_state(text, gravity):
    oracle = Oracle(text, gravity)
    _, simulated, samples, error = moved(text, 1.0, gravity=gravity)
    expected = np.array([oracle.efforts(simulated.joint_names, s.q, s.qd, s.qdd)
                         for s in samples[::10]])
    scale = np.abs(expected).max(axis=0)
    assert (np.abs(stacked(samples[::10], 'effort') - expected) / scale).max() < 1e-8
    assert error < 1e-3


def test_joints_are_named_in_the_order_of_the_file():
    assert simulator(TREE).joint_names == ('elbow', 'waist', 'other', 'wrist')


@pytest.mark.parametrize('damping', [0.0, 0.6])
def test_mimic_joints_follow_and_their_effort_is_reflected_to_the_driver(damping):
    text = GRIPPER.replace('</joint>', f'<dynamics damping="{damping}"/></joint>')
    _, simulated, samples, error = moved(text, 1.0, friction=True)
    assert simulated.joint_names == ('turn', 'left_joint')
    assert error < 1e-3
    oracle = Oracle(GRIPPER)  # which ignores mimic: every joint is given its motion
    names = ('turn', 'left_joint', 'right_joint', 'nail_joint')
    ratios = np.array([[1, 0], [0, 1], [0, -0.5], [0, -1.5]])
    offsets = np.array([0, 0, 0.02, 3 * 0.02 - 0.1])
    for s in samples[::10]:
        every = oracle.efforts(names, ratios @ s.q + offsets, ratios @ s.qd, ratios @ s.qdd)
        np.testing.assert_allclose(s.effort, ratios.T @ every, rtol=1e-8, atol=1e-9)
    positions = dict(zip((b.getParentJoint().getName() for b in simulated._bodies),
                         (b.getParentJoint().getPosition(0) for b in simulated._bodies),
                         strict=True))
    assert positions['nail_joint'] == pytest.approx(3 * positions['right_joint'] - 0.1, abs=1e-14)


def test_a_resting_robot_is_not_put_to_sleep():
    _, simulated, _, _ = moved(TREE, 0.5)
    q, zero = simulated.q, np.zeros(4)
    for _ in range(2000):
        sample = simulated.step(simulated.computed_torque(q, zero, zero, 400.0, 40.0))
    expected = Oracle(TREE).efforts(simulated.joint_names, sample.q, sample.qd, sample.qdd)
    np.testing.assert_allclose(sample.effort, expected, rtol=1e-8, atol=1e-8)
    assert np.abs(sample.effort).max() > 1.0


def test_a_floating_root_is_fixed_to_the_world():
    text = robot(link('world', 0), link('base', 5.0), link('arm'),
                 joint('free', 'floating', 'world', 'base'),
                 joint('shoulder', 'revolute', 'base', 'arm'))
    assert simulator(text).joint_names == ('shoulder',)


@pytest.mark.parametrize(('text', 'words'), [
    (robot(link('base'), link('a'), joint('glide', 'planar', 'base', 'a')), ['glide', 'planar']),
    (robot(link('base'), link('a'), link('b'), joint('turn', 'continuous', 'base', 'a'),
           joint('loose', 'floating', 'a', 'b')), ['loose', 'floating']),
    (robot(link('base'), link('a'), joint('weld', 'fixed', 'base', 'a')), ['no joint']),
    (robot(link('base'), link('a'), link('b', 0), link('c', 0),
           joint('turn', 'continuous', 'base', 'a'), joint('finger', 'continuous', 'a', 'b'),
           joint('tip', 'fixed', 'b', 'c')), ["joint 'finger'", '<inertial>', 'fixed']),
    (robot(link('base'), link('a', 0), link('b'),
           joint('turn', 'continuous', 'base', 'a', axis='0 0 1'),
           joint('again', 'continuous', 'a', 'b', axis='0 0 1', rpy='0 0 0', xyz='0 0 0.3')),
     ["'turn', 'again'", '<inertial>']),
    (GRIPPER.replace('</joint>', '<dynamics friction="1"/></joint>'), ['mimic', 'friction']),
])
def test_what_cannot_be_simulated_is_refused_by_name(text, words):
    with pytest.raises(SimulationError) as caught:
        simulator(text, friction=True)
    for word in words:
        assert word in str(caught.value)


def test_a_simulation_that_diverges_says_so():
    pendulum = simulator(PENDULUM.format(damping=0, friction=0))
    with pytest.raises(SimulationError, match=r'diverged at 0\.000 s'):
        pendulum.step(np.array([np.inf]))


def test_an_unknown_simulator_and_one_without_its_engine_are_named(monkeypatch):
    with pytest.raises(SimulationError, match='there are: dart'):
        simulator_class('bullet')
    monkeypatch.setitem(__import__('sys').modules, 'dartpy', None)
    with pytest.raises(SimulationError, match='pip install dartpy'):
        simulator_class('dart')
