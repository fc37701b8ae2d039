"""Motions of files, as urdf2dyn excite writes them: played on a real graph, or refused."""

from pathlib import Path

import numpy as np
import pytest

from support.nodes.graph import Graph
from support.nodes.moving_robot import stamp_of
from support.robot_files import OWN

pytest.importorskip('dartpy', exc_type=ImportError)
from rclpy.qos import QoSProfile
from sensor_msgs.msg import JointState

from urdf2dyn_ros.__main__ import main
from urdf2dyn_ros.errors import Urdf2DynError
from urdf2dyn_ros.recordings import open_recording
from urdf2dyn_ros.robot.reader import read_urdf
from urdf2dyn_ros.simulation.simulator import find_gears
from urdf2dyn_ros.simulation.trajectories import FileTrajectory

pytestmark = pytest.mark.slow

TWO = OWN / 'robot_2r.urdf'
LIMITS = 'joint1: {velocity: 1.0, effort: 200}\njoint2: {velocity: 2, effort: 100}\n'
HEAD = 'time,q_joint1,q_joint2\n'
POINT = 'joint_names: [joint1, joint2]\npoints: [{positions: [1, 1], time_from_start: '


@pytest.fixture(scope='module')
def files(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the path of an excitation of two seconds, without its suffix."""
    folder = tmp_path_factory.mktemp('played')
    (folder / 'limits.yaml').write_text(LIMITS)
    assert main(['excite', str(TWO), '-o', str(folder / 't.csv'), '--duration', '2', '--limits',
                 str(folder / 'limits.yaml')]) == 0
    return folder / 't'


@pytest.mark.parametrize('suffix', ['.csv', '.yaml'])
def test_the_robot_plays_the_files_of_excite(suffix: str, files: Path) -> None:
    """The table from its start on, the message after its way there."""
    records = list(open_recording(files.with_suffix('.csv')))
    wanted = np.array([record.position for record in records])
    with Graph() as graph, graph.process(
            'joint_simulator', robot_description=TWO.read_text(),
            trajectory_file=str(files.with_suffix(suffix)), publish_rate=100.0,
            **{'start.subscribers': 2}) as node:
        # on a busy machine the simulation catches up in bursts
        states = graph.messages(JointState, 'joint_states', QoSProfile(depth=10_000))
        graph.wait(lambda: states)   # the motion begins with the next subscriber
        graph.messages(JointState, 'joint_states')
        graph.wait(lambda: 'the motion is done' in node.output)
        end = stamp_of(states[-1])
        graph.wait(lambda: stamp_of(states[-1]) > end + 200_000_000, what='states at the end')
        assert node.stop() == 0, node.output
    stamps = 1e-9 * np.array([stamp_of(message) - stamp_of(states[0]) for message in states])
    q = np.array([message.position for message in states])
    time = np.arange(len(wanted)) / 100.0

    def error(begin: float) -> float:
        """Return that of the states that came: a busy machine loses some."""
        during = (stamps >= begin) & (stamps <= begin + time[-1])
        if during.sum() < len(wanted) / 2:
            return np.inf
        return max(np.abs(q[during, j] - np.interp(
            stamps[during] - begin, time, wanted[:, j])).max() for j in (0, 1))

    about = min(np.arange(0.0, stamps[-1] - time[-1], 0.02), key=error)
    assert min(map(error, about + np.arange(-0.02, 0.02, 0.0005))) < (
        0.02 * np.ptp(wanted, axis=0).min())
    start = np.abs(q[0] - wanted[0]).max()
    assert (start < 1e-3) == (suffix == '.csv')


@pytest.mark.parametrize(('name', 'text', 'words'), [
    ('t.csv', 'time,q_joint1\n0,0\n1,0.1\n', 'must be "joint1", "joint2", each once'),
    ('t.csv', 'time,q_joint1,q_joint2,q_x\n0,0,0,0\n1,0,0,0\n', 'its joints must be'),
    ('t.csv', HEAD + '0,0,0\n1,0.1,5\n', "joint 'joint2' would"),
    ('t.csv', HEAD + '0,0,0\n1,,0\n', 'every number in it must be finite'),
    ('t.csv', HEAD + '0,0,0\n', '1 row, at least 2'),
    ('t.csv', HEAD + '0,0,0\n0,0,0\n', 'must be after'),
    ('t.csv', HEAD + '0,0,0\n1,1e308,0\n', "joint 'joint1' would not have finite positions"),
    ('t.yaml', POINT + '{sec: .inf}}]', 'point 1: cannot convert float infinity'),
    ('t.yaml', POINT + '{sec: 1e308}}]', 'point 1: a time_from_start beyond'),
    ('t.yaml', POINT + '{sec: ' + '9' * 5000 + '}}]', 'damaged (Exceeds the limit'),
    ('t.yaml', POINT + '{sec: ' + '9' * 400 + '}}]', 'point 1: a time_from_start beyond'),
    ('t.yaml', POINT.replace('time', 'positions: [2, 2], time') + '{sec: 0}}]',
     "the key 'positions' is there twice"),
    ('t.yaml', POINT.replace('[1, 1]', '[yes, no]') + '{sec: 0}}]', 'positions are no numbers'),
    ('t.yaml', 'joint_names: [joint1]', 'no trajectory in it: a trajectory has joint_names and'),
    ('t.yaml', 'joint_names: [', 't.yaml: no YAML: line 1, column 15: while parsing'),
    ('t.txt', '', 'an empty file'),
    ('t.csv', HEAD.replace('joint1', 'joint1 [mm]') + '0,0,0\n1,0,0\n', 'is in mm, not in rad')])
def test_what_does_not_match_the_robot_is_refused(name, text, words, tmp_path):
    """Before the node has a graph: by the function that it calls with its joints."""
    (tmp_path / name).write_text(text)
    robot = read_urdf(TWO.read_text().replace('type="continuous"', 'type="revolute"').replace(
        '<axis xyz="0 0 1"/>', '<axis xyz="0 0 1"/><limit lower="-2" upper="2" effort="9" '
        'velocity="3"/>'))
    found = find_gears(robot)
    with pytest.raises(Urdf2DynError) as error:
        FileTrajectory(str(tmp_path / name), found.drivers, found.limits, np.zeros(2))
    assert words in str(error.value)
    assert name in str(error.value)
