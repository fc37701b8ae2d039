"""Contacts that the node inverse_dynamics reports: a push of a simulated arm."""

import math
from typing import Any

import numpy as np
import pytest
from diagnostic_msgs.msg import DiagnosticArray, DiagnosticStatus
from flight import FLOATING, Flight, imu
from geometry_msgs.msg import WrenchStamped
from sensor_msgs.msg import Imu, JointState
from std_msgs.msg import Bool
from std_srvs.srv import Trigger

from support.nodes.graph import LATCHED, Graph, Process
from support.nodes.moving_robot import stamp_of
from support.streams.pushed_robot import ARMATURE, START, STEP, TOOL, Motion, panda, pushed
from urdf2dyn_ros import InverseDynamics, read_urdf

ARM = panda()
NAMES = [f'panda_joint{k}' for k in range(1, 8)]
ROTORS = {f'joints.{name}.armature': armature for name, armature in zip(NAMES, ARMATURE.tolist())}
PUSHED, LEFT = 0.5, 0.9
"""When the push begins and ends [s]."""

EVERY = 4   # samples at 250 Hz
NODE = 'inverse_dynamics'


def motion() -> Motion:
    """Return a push of 20 N at the tool of an arm that moves."""
    return pushed((0.0, 20.0, 0.0), first=PUSHED, last=LEFT, duration=1.1)


class Arm:
    """Publishes what was simulated, again and again, and receives what the node publishes."""

    def __init__(self, graph: Graph) -> None:
        self.graph, self.motion, self._turns = graph, motion(), 0
        self.publisher = graph.publisher(JointState, 'joint_states')
        self.external = graph.messages(JointState, f'{NODE}/external_efforts')
        self.contact = graph.messages(Bool, f'{NODE}/contact', LATCHED)
        self.wrenches = graph.messages(WrenchStamped, f'{NODE}/wrench')
        self.status = graph.messages(DiagnosticArray, f'{NODE}/status')
        graph.introduced()

    def move(self, begin: float = 0.0, end: float = 2.0, blind: int = -1) -> None:
        """Publish what happens from one time to another [s]; a joint may measure no effort."""
        self._turns += 1
        self.external.clear()
        self.wrenches.clear()
        times = (self.motion.stamps - START) * 1e-9
        samples = np.flatnonzero((times >= begin) & (times < end))[::EVERY].tolist()
        for k in map(samples.__getitem__, self.graph.paced(len(samples))):
            effort = self.motion.effort[k].tolist()
            if blind >= 0:
                effort[blind] = math.nan
            message = JointState(name=NAMES, position=self.motion.q[k].tolist(),
                                 velocity=self.motion.qd[k].tolist(), effort=effort)
            stamp = START + k * STEP + self._turns * 10**10
            message.header.stamp.sec, message.header.stamp.nanosec = divmod(stamp, 10**9)
            self.publisher.publish(message)
            self.graph.spin(EVERY * STEP * 1e-9)

    def found(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Return times [s], and the external efforts that came and that were, (k, 7)."""
        rows = [(stamp_of(message) - START) % 10**10 // STEP for message in self.external]
        return (np.array(rows) * STEP * 1e-9, np.array([m.effort for m in self.external]),
                self.motion.external[rows])

    def forces(self, begin: float) -> np.ndarray:
        """Return the forces on the tool from a time [s] on, (k, 3), in the axes of the root."""
        rows = np.array([(stamp_of(m) - START) % 10**10 // STEP for m in self.wrenches])
        R, _ = InverseDynamics(read_urdf(ARM)).forward_kinematics(self.motion.q[rows], TOOL)
        force = np.array([[m.wrench.force.x, m.wrench.force.y, m.wrench.force.z]
                          for m in self.wrenches])
        return np.einsum('kij,kj->ki', R, force)[rows * STEP * 1e-9 > begin]

    def told(self, part: str = 'contact') -> DiagnosticStatus | None:
        return next((each for each in (self.status[-1].status if self.status else ())
                     if each.name == f'{NODE}: {part}'), None)


def begun(graph: Graph, **parameters: Any) -> Process:
    parameters = {'contact.thresholds': [5.0], **parameters}
    process = graph.process(NODE, robot_description=ARM, **ROTORS, **parameters)
    graph.wait(lambda: 'model of' in process.output, what='model in the log')
    return process


def enable(graph: Graph, enabled: bool = True) -> Any:
    return graph.set_parameter('observer.enabled', type=1, bool_value=enabled)


def text(graph: Graph, name: str, value: str) -> Any:
    return graph.set_parameter(name, type=4, string_value=value)


def numbers(graph: Graph, name: str, *values: float) -> Any:
    return graph.set_parameter(name, type=8, double_array_value=values)


@pytest.mark.fault(52)
def test_a_push_is_reported_with_its_efforts_until_it_is_reset(graph: Graph) -> None:
    """Also to a late subscriber, and whatever parameters change meanwhile."""
    with begun(graph) as process:
        arm = Arm(graph)
        arm.move(0.0, 0.2)
        graph.wait(lambda: arm.status)
        assert not arm.external and not arm.contact and arm.told() is None
        answer = graph.call(Trigger, f'{NODE}/reset_contact')
        assert not answer.success and 'observer.enabled is false' in answer.message
        for name in ('contact.thresholds', 'observer.gain'):
            refused = numbers(graph, name, 9.0, 9.0)
            assert not refused.successful and '"panda_joint7"' in refused.reason
            assert f'{name} has 2 entries' in refused.reason
        refused = text(graph, 'wrench_estimate.link', 'tool')
        assert not refused.successful and 'no link "tool"' in refused.reason
        assert f'"{TOOL}"' in refused.reason
        assert text(graph, 'wrench_estimate.link', TOOL).successful
        graph.wait(lambda: arm.told('wrench') is not None
                   and 'observer.enabled is false' in arm.told('wrench').message)
        assert enable(graph).successful
        graph.wait(lambda: arm.contact)
        assert [message.data for message in arm.contact] == [False]
        graph.wait(lambda: all(graph.node.count_publishers(f'{NODE}/{topic}')
                               for topic in ('external_efforts', 'wrench')))
        graph.introduced()
        arm.move(0.0, LEFT)
        t, found, true = arm.found()
        assert np.abs(found[t < PUSHED]).max() < 0.5
        settled = t > PUSHED + 0.1
        assert settled.sum() > 60
        assert np.abs(found - true)[settled].max() < 0.05 * np.abs(true[settled]).max()
        assert arm.external[-1].name == NAMES
        forces = arm.forces(PUSHED + 0.1)
        assert len(forces) > 60 and {m.header.frame_id for m in arm.wrenches} == {TOOL}
        np.testing.assert_allclose(forces, np.tile([0.0, 20.0, 0.0], (len(forces), 1)), atol=1.0)
        assert [message.data for message in arm.contact] == [False, True]
        late = graph.messages(Bool, f'{NODE}/contact', LATCHED)
        graph.wait(lambda: late)
        assert late[0].data
        everywhere = graph.messages(DiagnosticArray, '/diagnostics')
        graph.wait(lambda: any(part.name == f'{NODE}: contact' for array in everywhere
                               for part in array.status))
        graph.wait(lambda: arm.told() is not None and 'contact at joint' in arm.told().message)
        assert arm.told().level == DiagnosticStatus.WARN and 'panda_joint1' in arm.told().message
        values = {row.key: row.value for row in arm.told().values}
        largest = float(values['panda_joint1: largest external effort [N m]'])
        assert largest == pytest.approx(np.abs(true[:, 0]).max(), rel=0.05)
        assert process.output.count('panda_joint1 (') == 1
        assert graph.set_parameter('estimator', type=4, string_value='none').successful
        assert numbers(graph, 'contact.thresholds', *[100.0] * 7).successful
        arm.move(0.0, LEFT)
        assert len(arm.external) > 200 and len(arm.contact) == 2
        answer = graph.call(Trigger, f'{NODE}/reset_contact')
        assert answer.success and 'panda_joint1' in answer.message
        graph.wait(lambda: len(arm.contact) == 3)
        assert not arm.contact[-1].data
        arm.move(0.3, LEFT)   # below these thresholds
        assert len(arm.contact) == 3
        answer = graph.call(Trigger, f'{NODE}/reset_contact')
        assert answer.success and answer.message == 'there was no contact'
        assert enable(graph, False).successful
        graph.wait(lambda: not graph.node.count_publishers(f'{NODE}/contact'))
        arm.status.clear()
        graph.wait(lambda: arm.status)
        assert arm.told() is None
        graph.wait(lambda: not graph.node.count_publishers(f'{NODE}/wrench'))
        assert process.stop() == 0


@pytest.mark.slow
def test_a_base_that_moves_is_not_observed_and_efforts_go_on(graph: Graph) -> None:
    with graph.process(NODE, robot_description=FLOATING, estimator='none',
                       **{'observer.enabled': True}) as process:
        graph.wait(lambda: 'model of' in process.output)
        flight = Flight(graph)
        contact = graph.messages(Bool, f'{NODE}/contact', LATCHED)
        sensor = flight.sensor(Imu, 'imu')
        graph.wait(lambda: flight.efforts, meanwhile=lambda: flight.move(40, sensor, imu))
        assert flight.efforts and flight.wrenches and not contact
        assert process.output.count('not observed') == 1
        graph.wait(lambda: flight.says('not observed: the momentum is that of a robot'))
        assert graph.set_parameter('base', type=4, string_value='fixed').successful
        graph.wait(lambda: contact)
        assert not contact[0].data
