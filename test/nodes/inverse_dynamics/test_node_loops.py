"""Robots with closed loops on the DDS graph: a simulator's drives, passive joints, bad poses."""

from collections.abc import Iterable, Mapping

import numpy as np
import pytest
from nodes.statuses import OK, WARN, Statuses
from sensor_msgs.msg import JointState

from support.closed_simulation import simulated
from support.mechanisms import mechanism
from support.nodes.graph import Graph
from support.nodes.moving_robot import CENTRED, START, STEP, stamp_of, started
from urdf2dyn_ros import InverseDynamics, read_urdf

pytestmark = pytest.mark.slow


class Publisher:
    """Publishes positions, and collects efforts by their stamps."""

    def __init__(self, graph: Graph, period: int = STEP) -> None:
        self.graph, self.period, self.stamp = graph, period, START
        self.publisher = graph.publisher(JointState, 'joint_states')
        self.efforts = graph.messages(JointState, 'inverse_dynamics/efforts')
        self.completed = graph.messages(JointState, 'inverse_dynamics/joint_states')
        graph.wait(lambda: self.publisher.get_subscription_count() > 0, what='subscription')
        graph.wait(lambda: graph.node.count_publishers('inverse_dynamics/efforts') > 0)
        graph.introduced()

    def publish(self, rows: Iterable[Mapping[str, float]]) -> None:
        rows = list(rows)
        for k in self.graph.paced(len(rows)):
            self.stamp += self.period
            message = JointState(name=list(rows[k]), position=list(rows[k].values()))
            message.header.stamp.sec, message.header.stamp.nanosec = divmod(self.stamp, 10**9)
            self.publisher.publish(message)
            self.graph.spin(0.5e-9 * self.period)

    def sample_of(self, message: JointState) -> int:
        return (stamp_of(message) - START) // self.period - 1


@pytest.mark.parametrize('name', ['five_bar', 'palletizer'])
def test_efforts_are_those_of_a_simulators_drives(graph: Graph, name: str) -> None:
    """Only actuated joints are published, then all, then all with a sensor whose zero is off."""
    run = simulated(name)
    passive = [each for each in run.names if each not in run.drives]
    with started(graph, robot_description=mechanism(name)) as process:
        states, status = Publisher(graph, 2_000_000), Statuses(graph)
        rows = [dict(zip(run.names, row)) for row in run.positions.tolist()]
        half = len(rows) // 2
        states.publish({each: row[each] for each in run.drives} for row in rows[:half])
        states.publish(rows[half:])
        assert len(states.efforts) > 0.95 * len(rows)
        largest = np.abs(run.efforts).max(axis=0)
        for message in states.efforts:
            assert tuple(message.name) == run.drives
            if states.sample_of(message) < 60:   # the drives still catch the robot, which fell
                continue
            off = np.abs(np.array(message.effort) - run.efforts[states.sample_of(message)])
            assert (off / largest).max() < 1e-3
        assert len(states.completed) > 0.9 * len(rows)
        for message in states.completed:
            expected = rows[states.sample_of(message)]
            assert [*message.name] == [*run.drives, *(each for each in message.name
                                                      if each in passive)]
            assert {*message.name} == {*run.names}
            assert message.position == pytest.approx(
                [expected[each] for each in message.name], abs=1e-5)
        states.graph.wait(lambda: status.level('output') == OK)
        if name == 'five_bar':
            assert 0.3 < float(status.values('output')['margin to a singular pose']) <= 1.0
        assert status.values('input')['unknown joints'] == ''
        assert 'leave it open' not in status.values('input')['warnings']

        rows[-1][passive[0]] += 0.1
        graph.wait(lambda: states.publish(rows[-1:] * 250) or (
            'the measured joints leave it open by' in status.values('input')['warnings']))
        assert status.level('input') == WARN
        assert 'loop "' in status.values('input')['warnings']
        graph.wait(lambda: 'leave it open by' in process.output, what='line in the log')


@pytest.mark.fault(59)
def test_measured_passive_joints_choose_the_assembly(graph: Graph) -> None:
    """Two poses close a four-bar that is written folded; nothing is said but what is measured."""
    text = mechanism('four_bar').replace(f'{0.7:.17g} 0 0', '0.6 0 0')
    model = read_urdf(text)
    start, other = model.closed_loops.start, model.closed_loops.other
    for begin in (start, other):
        dynamics = InverseDynamics(model, start=dict(begin))
        q = dict(begin)['crank'] + 0.1 * np.sin(np.linspace(0.0, 6.0, 150))[:, None]
        rows = [{**dict(zip(dynamics.joint_names, row)), **dict(zip(
            dynamics.passive_names, passive))} for row, passive in zip(q.tolist(),
                                                                       dynamics.close(q).tolist())]
        with graph.process('inverse_dynamics', robot_description=text, **CENTRED) as process:
            graph.wait(lambda: 'ambiguous-assembly' in process.output)
            states = Publisher(graph)
            states.publish({'crank': row['crank']} for row in rows[:30])
            assert not states.efforts
            states.publish(rows[30:40])
            graph.wait(lambda: 'model of' in process.output)
            states.publish(rows[40:])
            assert len(states.efforts) > 90
            t = states.period * 1e-9
            for message in states.efforts:
                k = states.sample_of(message)
                qd = (q[k + 1] - q[k - 1]) / (2.0 * t)
                qdd = (q[k + 1] - 2.0 * q[k] + q[k - 1]) / t**2
                assert message.effort == pytest.approx(dynamics(q[k], qd, qdd), rel=1e-5, abs=1e-6)


@pytest.mark.fault(59)
def test_efforts_stop_at_a_singular_pose_and_come_back(graph: Graph) -> None:
    dynamics = InverseDynamics(mechanism('four_bar'))
    way = 1.5 * np.cos(np.linspace(0.0, 2.0 * np.pi, 400)) - 1.5   # turns round beyond its reach
    with started(graph, robot_description=mechanism('four_bar')):
        states, status = Publisher(graph), Statuses(graph)
        states.publish({'crank': each} for each in way)
        computed = {states.sample_of(message) for message in states.efforts}
        assert all(np.isfinite(message.effort).all() for message in states.efforts)
        for k in range(2, len(way) - 2):
            try:
                dynamics(way[k:k + 1])
            except ValueError:
                assert k not in computed
        assert {10, 390} <= computed, sorted(computed)
        assert not computed.issuperset(range(150, 250))
        graph.wait(lambda: sum(int(status.values('input')[each])
                               for each in ('open', 'singular')) > 50)
