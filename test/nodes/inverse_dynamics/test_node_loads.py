"""Friction, rotors, springs and a payload of the node inverse_dynamics, and their terms."""

import math
import runpy
import subprocess
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from diagnostic_msgs.msg import DiagnosticArray
from rcl_interfaces.msg import Parameter, ParameterValue
from rcl_interfaces.srv import GetParameters, SetParametersAtomically
from sensor_msgs.msg import JointState
from std_msgs.msg import String
from std_srvs.srv import SetBool, Trigger

from support.nodes.graph import LATCHED, Graph
from support.nodes.moving_robot import (
    CENTRED,
    DYNAMICS,
    NAMES,
    TEXT,
    Robot,
    connected,
    stamp_of,
    started,
)
from urdf2dyn_ros import InverseDynamics, read_urdf
from urdf2dyn_ros.identification.result_files import identified_parameters
from urdf2dyn_ros.robot.terms import Friction, Rotor

pytestmark = pytest.mark.slow

FILE = """
/**:
  ros__parameters:
    of_another_node: {list: []}
    friction: {enabled: true, width: 1, enable: false}
    joint: {joint1: {viscous: 9.0}}
    joints:
      joint2: {viscous: 3, coulomb: 0.5, viscus: 1.0}
      arm/wrist: {armature: 0.1}
    joints.joint3.rotor_inertia: 0.5
"""
TERMS = ('gravity', 'coriolis', 'inertia', 'friction', 'rotor', 'spring', 'external')


def beyond(robot: Robot, efforts: Mapping[int, Callable[[float, float, float], float]],
           ) -> Callable[[JointState], np.ndarray]:
    """Return a function: the efforts of the links, with others added at some joints."""
    def expected(message: JointState) -> np.ndarray:
        q, qd, qdd = robot.motion(stamp_of(message))
        return DYNAMICS(q, qd, qdd) + [
            efforts[k](q[k], qd[k], qdd[k]) if k in efforts else 0.0 for k in range(6)]
    return expected


def set_number(graph: Graph, name: str, value: float) -> Any:
    """Set a parameter as `ros2 param set` does, which takes a whole number for an integer."""
    return graph.set_parameter(name, **(
        {'type': 2, 'integer_value': value} if isinstance(value, int)
        else {'type': 3, 'double_value': value}))


def test_parameters_of_joints_come_from_a_file_and_change_while_the_node_runs(graph, tmp_path):
    """Wrong names are reported, or rejected with the valid ones; nothing is lost."""
    file = tmp_path / 'arm.yaml'
    file.write_text(FILE)

    def friction(q: float, qd: float, qdd: float) -> float:
        return 3.0 * qd + 0.5 * math.tanh(qd)

    def rotor(q: float, qd: float, qdd: float) -> float:
        return 0.5 * qdd

    with started(graph, arguments=['--params-file', str(file)]) as process:
        robot = connected(graph)
        robot.settled(beyond(robot, {1: friction, 2: rotor}))
        assert 'joints.joint2.viscus' in process.output and 'stribeck_velocity' in process.output
        assert 'no parameter friction.enable, ' in process.output
        assert 'no parameter joint.joint1.viscous, it has no effect; did you mean ' \
            '"joints.<joint>.<field>"?' in process.output
        assert 'of_another_node' not in process.output
        graph.wait(lambda: 'no movable joint "arm/wrist"' in process.output)
        assert '"joint6"' in process.output
        for name, value, words in (
                ('joints.joint7.viscous', 1.0, 'no movable joint "joint7"'),
                ('joints.joint2.viscus', 1.0, 'the fields are'),
                ('joints.joint2.viscous', -1.0, 'at least 0'),
                ('joints.joint2.viscous', math.nan, 'a number'),
                ('friction.width', 0.0, 'at least'), ('fricton.width', 0.1, 'no parameter')):
            refused = set_number(graph, name, value)
            assert not refused.successful and words in refused.reason
        assert set_number(graph, 'joints.joint2.viscous', 2).successful
        assert set_number(graph, 'joints.joint1.spring_stiffness', 40.0).successful
        assert graph.set_parameter('joints.joint3.rotor_inertia', type=0).successful
        robot.settled(beyond(robot, {
            0: lambda q, qd, qdd: 40.0 * q,
            1: lambda q, qd, qdd: 2.0 * qd + 0.5 * math.tanh(qd)}))
        assert graph.set_parameter('friction.enabled', type=1, bool_value=False).successful
        robot.settled(beyond(robot, {0: lambda q, qd, qdd: 40.0 * q}))
        graph.wait(lambda: 'friction.enabled is false' in process.output)
        other = TEXT.replace('joint1', 'waist')
        assert graph.set_parameter('robot_description', type=4, string_value=other).successful
        graph.wait(lambda: 'no movable joint "arm/wrist", "joint1"' in process.output)
        assert graph.set_parameter('robot_description', type=4, string_value=TEXT).successful
        robot.settled(beyond(robot, {0: lambda q, qd, qdd: 40.0 * q}))
        assert process.stop() == 0


def set_payload(graph: Graph, carries: bool) -> Any:
    return graph.ask(SetBool, 'inverse_dynamics/set_payload', data=carries)


def is_attached(graph: Graph) -> bool:
    return graph.ask(GetParameters, 'inverse_dynamics/get_parameters',
                     names=['payload.attached']).values[0].bool_value


def set_together(graph: Graph, **values: ParameterValue) -> Any:
    return graph.ask(
        SetParametersAtomically, 'inverse_dynamics/set_parameters_atomically', parameters=[
            Parameter(name=f'payload.{name}', value=value) for name, value in values.items()],
    ).result


def mass(value: float) -> ParameterValue:
    return ParameterValue(type=3, double_value=value)


def numbers(*values: float) -> ParameterValue:
    return ParameterValue(type=8, double_array_value=values)


def carrying(robot: Robot, kilograms: float) -> Callable[[JointState], np.ndarray]:
    """Return what gives the efforts with a payload on the last link, 0.1 m off its origin."""
    model = read_urdf(TEXT.replace('<link name="link6">', f"""<link name="box"><inertial>
        <origin xyz="0 0 0.1"/><mass value="{kilograms}"/>
        <inertia ixx="0.02" iyy="0.03" izz="0.04" ixy="0" ixz="0" iyz="0"/></inertial></link>
        <joint name="grip" type="fixed"><parent link="link6"/><child link="box"/></joint>
        <link name="link6">"""))
    with_box = InverseDynamics(model)
    return lambda message: with_box(*robot.motion(stamp_of(message)))


def test_a_value_without_effect_builds_nothing_and_the_answer_says_so(graph: Graph) -> None:
    """The text of ``ros2 param set``; with the term enabled the value counts."""
    used = 'is used from the next message on'
    with graph.process('inverse_dynamics', arguments=['--log-level', 'inverse_dynamics:=debug'],
                       robot_description=TEXT, **CENTRED,
                       **{'contact.thresholds': [4.0]}) as process:
        graph.wait(lambda: used in process.output)
        assert ('contact.thresholds without effect: observer.enabled is false'
                in process.output)   # at the start as well
        for name, value, reason in (
                ('joints.joint1.viscous', 7.0, 'friction.enabled is false'),
                ('payload.mass', 1.0, 'payload.link is empty'),
                ('kalman_fixed_lag.lag', 0.01, 'estimator is finite_difference'),
                ('contact.release', 0.4, 'observer.enabled is false'),
                ('moving_base.timeout', 0.2, 'base is fixed'),
                ('wrench.timeout', 0.2, 'no external_wrenches.<link> is set')):
            answer = set_number(graph, name, value)
            assert answer.successful and answer.reason == f'{name} without effect: {reason}'
            graph.wait(lambda: answer.reason in process.output)   # noqa: B023
        assert set_number(graph, 'stream.max_gap', 0.3).reason == ''
        answer = graph.set_parameter('friction.enabled', type=1, bool_value=True)
        assert answer.successful and answer.reason == ''
        graph.wait(lambda: process.output.count(used) == 2)
        robot = connected(graph)
        robot.settled(beyond(robot, {0: lambda q, qd, qdd: 7.0 * qd}))
        assert process.output.count(used) == 2


def test_a_payload_is_carried_from_the_next_message_on(graph: Graph, tmp_path: Path) -> None:
    """Nothing is built again; a change that is rejected has no effect."""
    with started(graph, **{'export.directory': str(tmp_path)}) as process:
        robot = connected(graph)
        answer = set_payload(graph, True)
        assert not answer.success and 'payload.link' in answer.message
        assert set_number(graph, 'payload.mass', 1).successful
        graph.wait(lambda: 'payload.mass without effect: payload.link is empty' in process.output)
        refused = graph.set_parameter('payload.link', type=4, string_value='link7')
        assert not refused.successful and '"link7"' in refused.reason.replace("'", '"')
        assert graph.set_parameter('payload.link', type=4, string_value='link6').successful
        graph.wait(lambda: process.output.count('model of') == 2)
        inertia = numbers(0.02, 0.0, 0.0, 0.03, 0.0, 0.04)
        assert set_together(graph, mass=mass(8.0), com=numbers(0.0, 0.0, 0.1),
                            inertia=inertia).successful
        robot.settled(carrying(robot, 8.0))
        refused = set_together(graph, mass=mass(3.0), com=numbers(0.0))
        assert not refused.successful and 'payload.com' in refused.reason
        robot.settled(carrying(robot, 8.0))
        assert set_number(graph, 'payload.mass', 2).successful
        robot.move(1)
        robot.move(1)
        np.testing.assert_allclose(robot.efforts[-1].effort,
                                   carrying(robot, 2.0)(robot.efforts[-1]), atol=1e-2)
        answer = set_payload(graph, False)
        assert answer.success and 'nothing' in answer.message
        assert not is_attached(graph)
        robot.settled(beyond(robot, {}))
        assert set_number(graph, 'payload.mass', 5.5).successful
        robot.settled(beyond(robot, {}))
        answer = set_payload(graph, True)
        assert is_attached(graph)
        assert answer.success and '5.5 kg on link "link6"' in answer.message
        robot.settled(carrying(robot, 5.5))
        assert process.output.count('model of') == 2, 'no text was generated again for it'
        status = graph.messages(DiagnosticArray, 'inverse_dynamics/status')
        graph.wait(lambda: status)
        told = {row.key: row.value for row in status[-1].status[0].values}
        assert '5.5 kg' in told['payload'] and told['friction'] == 'off'
        assert set_together(graph, inertia=numbers(9.0, 0.0, 0.0, 1.0, 0.0, 1.0)).successful
        graph.wait(lambda: 'exceeds the sum' in process.output)
        refused = graph.set_parameter('strict_inertia', type=1, bool_value=True)
        assert not refused.successful and 'exceeds the sum' in refused.reason


IDENTIFIED = identified_parameters({
    'joint1': [Rotor(2e-4, -90.0)], 'joint2': [Friction(coulomb=30.0, load=0.1)],
    'joint3': [Friction(viscous=4.0, quadratic=0.7)]})
ON = {'joints.joint2.coulomb': 30.0, 'joints.joint3.viscous': 4.0,
      'joints.joint4.spring_stiffness': 25.0, 'payload.link': 'link6', 'payload.mass': 3.0}


def check_exported(script: Path, message: JointState, robot: Robot) -> None:
    """Hold a script to a message of the node."""
    assert subprocess.run([sys.executable, script], capture_output=True).returncode == 0
    namespace = runpy.run_path(str(script))
    q, qd, qdd = (x.tolist() for x in robot.motion(stamp_of(message)))
    payload = [3.0, *[0.0] * 9]
    found = namespace['inverse_dynamics'](q, qd, qdd, payload)
    np.testing.assert_allclose(found, message.effort, rtol=1e-3, atol=1e-3)


def test_the_terms_are_published_on_request_and_their_sum_is_the_effort(
        graph: Graph, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """And the file that is exported has them all, with the payload as an argument."""
    monkeypatch.setenv('XDG_CACHE_HOME', str(tmp_path / 'cache'))
    file = tmp_path / 'parameters.yaml'
    file.write_text(IDENTIFIED)
    with started(graph, **ON, backend='c', arguments=['--params-file', str(file)],
                 **{'export.directory': str(tmp_path)}):
        robot = connected(graph)
        assert graph.node.count_publishers('inverse_dynamics/terms/gravity') == 0
        assert graph.set_parameter('terms.enabled', type=1, bool_value=True).successful
        terms = {name: graph.messages(JointState, f'inverse_dynamics/terms/{name}')
                 for name in TERMS}
        for name in TERMS:
            graph.wait(lambda name=name: graph.node.count_publishers(
                f'inverse_dynamics/terms/{name}'))
        graph.introduced()
        graph.wait(lambda: terms['gravity'], meanwhile=lambda: robot.move(1))   # of the new model
        robot.move(40)
        efforts = {stamp_of(message): message for message in robot.efforts}
        found = {name: {stamp_of(message): np.array(message.effort) for message in messages}
                 for name, messages in terms.items()}
        common = set(efforts).intersection(*found.values())
        assert len(common) >= 30
        for stamp in common:
            total = sum(each[stamp] for each in found.values())
            np.testing.assert_allclose(total, efforts[stamp].effort, rtol=1e-12, atol=1e-12)
        stamp = max(common)
        q, qd = np.array(efforts[stamp].position), np.array(efforts[stamp].velocity)
        transmitted = sum(found[name][stamp] for name in (
            'gravity', 'coriolis', 'inertia', 'external'))
        np.testing.assert_allclose(
            found['friction'][stamp],
            [0.0, (30.0 + 0.1 * abs(transmitted[1])) * np.tanh(qd[1] / 0.01),
             4.0 * qd[2] + 0.7 * qd[2] * abs(qd[2]), 0.0, 0.0, 0.0], atol=1e-12)
        np.testing.assert_allclose(found['spring'][stamp], 25.0 * q * (np.arange(6) == 3))
        assert found['rotor'][stamp][0] != 0.0 and not found['external'][stamp].any()
        assert list(terms['rotor'][-1].name) == NAMES
        answer = graph.call(Trigger, 'export_model')
        assert answer.success, answer.message
        check_exported(Path(answer.message), efforts[stamp], robot)
        info = graph.messages(String, 'inverse_dynamics/model_info', LATCHED)
        graph.wait(lambda: 'friction of joint2: Coulomb friction 30 N m' in info[-1].data)
        assert 'payload on link link6' in info[-1].data
        assert graph.set_parameter('terms.enabled', type=1, bool_value=False).successful
        graph.wait(lambda: not graph.node.count_publishers('inverse_dynamics/terms/gravity'))
