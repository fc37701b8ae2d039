"""Simulated robots against our own dynamics: net and commanded efforts, exact and estimated."""

from dataclasses import replace
from functools import lru_cache

import numpy as np
import pytest

from support.paths import ROOT
from support.robot_files import OWN
from urdf2dyn_ros.estimation.estimators import make_estimator
from urdf2dyn_ros.estimation.hold import joints_of
from urdf2dyn_ros.estimation.stream import Stream
from urdf2dyn_ros.inverse_dynamics import InverseDynamics
from urdf2dyn_ros.recordings.comparison import Comparison
from urdf2dyn_ros.recordings.measured_efforts import JointFacts
from urdf2dyn_ros.robot.reader import read_urdf
from urdf2dyn_ros.simulation import simulator_class
from urdf2dyn_ros.simulation.simulator import computed_torque, gears
from urdf2dyn_ros.simulation.trajectories import SmoothTrajectory

pytestmark = pytest.mark.slow

yaml = pytest.importorskip('yaml', reason='PyYAML is not installed; it comes with ROS 2')

GRAVITY = {'rx90': (0.0, 0.0, -9.81), 'humanoid_3p33r': (0.0, -9.81, 0.0)}
STEP = 1_000_000
"""Of the physics, and between two samples [ns]."""

START = 10**18
"""Stamp of the first sample [ns]."""

DAMPING, FRICTION = 0.05, 0.03
"""Of every joint, as a share of what its inertia takes to reach 1 rad/s or m/s in 0.1 s."""


class Run:
    """A robot that was moved in an engine, and its samples as arrays (N, n)."""

    def __init__(self, engine, robot, duration, *, friction=False):
        model = read_urdf((OWN / f'{robot}.urdf').read_text(encoding='utf-8'))
        gravity = GRAVITY[robot]
        if friction:
            dynamics = InverseDynamics(model, gravity)
            M = dynamics.mass_matrix(np.zeros(dynamics.n))
            scale = dict(zip(dynamics.joint_names, 10.0 / np.linalg.inv(M).diagonal(),
                             strict=True))
            model = replace(model, joints=tuple(
                replace(joint, damping=DAMPING * scale.get(joint.name, 0.0),
                        friction=FRICTION * scale.get(joint.name, 0.0))
                for joint in model.joints))
        self.dynamics = InverseDynamics(model, gravity)
        self.joints = gears(model).drivers
        simulator = simulator_class(engine)(model, gravity, friction=friction)
        motion = SmoothTrajectory([joint.type for joint in self.joints], gears(model).limits,
                                  duration)
        simulator.set_state(*motion(0.0)[:2])
        samples = []
        while simulator.time < duration:
            samples.append(simulator.step(computed_torque(simulator, *motion(simulator.time))))
        self.names = simulator.joint_names
        self.stamps = [START + round(sample.time * 1e9) for sample in samples]
        self.q, self.qd, self.qdd, self.velocity, self.net, self.commanded = (
            np.array([getattr(sample, name) for sample in samples])
            for name in ('q', 'qd', 'qdd', 'velocity', 'net', 'commanded'))

    def computed(self, q, qd, qdd):
        """Return our efforts (N, n) in the order of the simulator."""
        order = [self.names.index(name) for name in self.dynamics.joint_names]
        efforts = np.empty_like(q)
        efforts[:, order] = self.dynamics(q[:, order], qd[:, order], qdd[:, order])
        return efforts


@lru_cache
def run(*arguments, **options):
    return Run(*arguments, **options)


def worst_nrmse(names, measured, computed):
    """Return the largest NRMSE of joints; measured and computed are (stamp, efforts) each."""
    comparison = Comparison()
    for stamp, efforts in measured:
        comparison.add_measured(stamp, names, efforts)
    for stamp, efforts in computed:
        comparison.add_computed(stamp, names, efforts)
    joints = comparison.joints()
    assert [joint.joint for joint in joints] == list(names)
    assert not any(joint.fault for joint in joints)
    assert min(joint.figures.samples for joint in joints) > 800   # of 1000: the start takes 0.16 s
    return max(joint.total.unaligned.nrmse for joint in joints)


def outputs_of(moved, q, velocity, effort, estimator, **parameters):
    """Return what a node computes from what was published (N, n), or None, for each sample."""
    dynamics, stamps = moved.dynamics, moved.stamps[-len(q):]
    stream = Stream(joints_of(dynamics), dynamics,
                    lambda joints: make_estimator(estimator, joints, **parameters),
                    clock=lambda: stamps[-1])
    return [stream.receive(*fields) for fields in zip(
        stamps, [moved.names] * len(stamps), q, velocity, effort, strict=True)]


def nrmse_of(moved, outputs):
    """Return the largest NRMSE of outputs."""
    kept = [output for output in outputs if output is not None]
    return worst_nrmse(moved.dynamics.joint_names, [(o.stamp, o.measured) for o in kept],
                       [(o.stamp, o.effort) for o in kept])


def estimated_nrmse(moved, q, velocity, effort, estimator='kalman_fixed_lag', **parameters):
    """Return the largest NRMSE of what a node computes from what was published (N, n)."""
    return nrmse_of(moved, outputs_of(moved, q, velocity, effort, estimator, **parameters))


MOTIONS = [('rx90', 3.0), ('humanoid_3p33r', 1.0)]


@pytest.mark.parametrize('motion', MOTIONS, ids=lambda motion: motion[0])
def test_net_efforts_agree_with_estimated_accelerations(engine, motion):
    moved = run(engine, *motion)
    assert estimated_nrmse(moved, moved.q, moved.velocity, moved.net) < 0.003


@pytest.mark.parametrize('estimator', ['kalman', 'kalman_fixed_lag'])
def test_a_velocity_half_a_step_older_does_not_mislead_the_filters(engine, estimator):
    """
    As in the engine's own equations; without the correction it is a hundred times worse.

    The lag is found in the first quarter of a second, and has some effect until 0.1 s later.

    """
    moved = run(engine, *MOTIONS[0])
    np.testing.assert_allclose(np.diff(moved.q, axis=0), 1e-9 * STEP * moved.qd[1:], atol=1e-14)
    half = moved.q, moved.qd, moved.net
    outputs = outputs_of(moved, *half, estimator)
    assert nrmse_of(moved, outputs) < 0.01
    assert nrmse_of(moved, outputs[350:]) < 0.001
    assert estimated_nrmse(moved, *half, 'none') > 0.2


def test_what_gazebo_publishes_is_compared_with_the_parameters_for_it():
    """After a step: the positions and velocities that it led to, and the effort that was in it."""
    pytest.importorskip('dartpy')
    moved = run('dart', *MOTIONS[0])
    file = ROOT / 'config' / 'gazebo.yaml'
    values = yaml.safe_load(file.read_text(encoding='utf-8'))['/**']['ros__parameters']
    assert set(values) == {'estimator', 'base'}
    assert values['base'] == 'fixed', 'a root that floats is welded to the world there'
    published = moved.q[1:], moved.qd[1:], moved.net[:-1]
    assert estimated_nrmse(moved, *published, values['estimator']) < 0.003


@pytest.mark.parametrize('motion', MOTIONS, ids=lambda motion: motion[0])
def test_the_comparison_of_commanded_efforts_finds_the_friction_and_no_lag(engine, motion):
    moved = run(engine, *motion, friction=True)
    facts = {joint.name: JointFacts('N m', joint.damping, joint.friction)
             for joint in moved.joints}
    comparison = Comparison(semantics='commanded')
    comparison.describe(facts)
    computed = moved.computed(moved.q, moved.qd, moved.qdd)
    for stamp, measured, effort, q, qd in zip(moved.stamps, moved.commanded, computed, moved.q,
                                              moved.qd, strict=True):
        comparison.add_measured(stamp, moved.names, measured)
        comparison.add_computed(stamp, moved.names, effort, q, qd)
    for joint in comparison.joints():
        known, found = facts[joint.joint], joint.figures.friction
        assert np.isnan(joint.total.lag), joint.joint
        assert found.viscous.value == pytest.approx(known.damping, rel=0.02), joint.joint
        assert found.coulomb.value == pytest.approx(known.friction, rel=0.02), joint.joint
