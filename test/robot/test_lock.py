"""Joints that are locked: the part of a robot that moves, as Pinocchio's reduced model."""

import json
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pinocchio as pin
import pytest

from support.robot_files import EXAMPLES, OWN, robot_path
from urdf2dyn_ros import InverseDynamics, Loads, ParameterError, lock_joints, read_urdf
from urdf2dyn_ros.__main__ import main
from urdf2dyn_ros.identification.result_files import identified_urdf
from urdf2dyn_ros.robot.joints import URDF_TYPES
from urdf2dyn_ros.robot.loads import LOAD_PARAMETERS, with_loads
from urdf2dyn_ros.robot.model import RobotModel
from urdf2dyn_ros.robot.multibody import make_multibody
from urdf2dyn_ros.robot.reader import read_description
from urdf2dyn_ros.robot.rotations import from_rpy, to_rpy
from urdf2dyn_ros.robot.writer import clean_urdf

PANDA = robot_path('panda')
FINGERS = {'panda_finger_joint1': 0.02}


def moving(model: RobotModel, keep: str) -> dict[str, float]:
    """Return a position within the limits for every joint without this in its name."""
    rng = np.random.default_rng(1)
    limits = {joint.name: joint.limits for joint in model.joints if URDF_TYPES[joint.type].single
              and joint.mimic is None and keep not in joint.name}
    return {name: float(rng.uniform(-1.0 if row.lower is None else row.lower,
                                    1.0 if row.upper is None else row.upper))
            for name, row in limits.items()}


@pytest.mark.parametrize(('name', 'keep', 'n'), [
    ('panda', 'panda_joint', 7), ('panda', '_joint4', 1), ('talos_reduced', 'arm_left', 7),
    ('talos_reduced', 'leg_right', 6), ('anymal', 'LF_', 3)])
def test_efforts_are_those_of_the_reduced_model(name: str, keep: str, n: int) -> None:
    path = min(EXAMPLES.rglob(f'{name}.urdf'))   # of ANYmals the first
    whole = pin.buildModelFromUrdf(str(path), mimic=True)
    model = read_urdf(path)
    positions = moving(model, keep)
    dynamics = InverseDynamics(model, backend='python', lock=positions)
    assert dynamics.n == n and all(keep in joint for joint in dynamics.joint_names)
    assert dynamics.model.mass == model.mass
    posture = pin.neutral(whole)
    for joint, position in positions.items():
        row = whole.joints[whole.getJointId(joint)]
        posture[row.idx_q:row.idx_q + row.nq] = position if row.nq == 1 else (
            np.cos(position), np.sin(position))
    reduced = pin.buildReducedModel(
        whole, [i for i, joint in enumerate(whole.names) if i and keep not in joint], posture)
    assert [*reduced.names[1:]] == [*dynamics.joint_names]
    data, rng = reduced.createData(), np.random.default_rng(2)
    for q, qd, qdd in rng.uniform(-1.0, 1.0, (20, 3, n)):
        expected = pin.rnea(reduced, data, q, qd, qdd)
        assert np.abs(dynamics(q, qd, qdd) - expected).max() <= 1e-12 * np.abs(expected).max()


def test_a_mimic_of_a_locked_joint_follows_it_and_a_slide_is_moved() -> None:
    model = read_urdf(PANDA)
    part = lock_joints(model, FINGERS)
    joints = {joint.name: joint for joint in part.joints}
    assert part.locked == tuple(FINGERS.items())
    for name, y in (('panda_finger_joint1', 0.02), ('panda_finger_joint2', -0.02)):
        assert joints[name].type == 'fixed' and joints[name].mimic is None
        assert joints[name].xyz == pytest.approx((0.0, y, 0.0584))
    assert read_description(clean_urdf(part)).joints[-1].type == 'fixed'


@pytest.mark.parametrize('pitch', [0.0, 1.0, 1.5707963267, np.pi / 2, -np.pi / 2 + 1e-10])
def test_angles_of_a_rotation_give_it_again(pitch: float) -> None:
    for roll, yaw in np.random.default_rng(0).uniform(-3.1, 3.1, (20, 2)):
        R = np.array(from_rpy((roll, pitch, yaw)))
        again = np.array(from_rpy(to_rpy(tuple(map(tuple, R.tolist())))))
        assert np.abs(again - R).max() < 1e-15


@pytest.mark.parametrize(('positions', 'words'), [
    ({'panda_finger_joint2': 0.02}, 'mimics "panda_finger_joint1": lock that one'),
    ({'panda_finger_joint1': 0.05}, 'outside of the limits of the joint, 0 to 0.04 m'),
    ({'panda_finger_joint1': -1e-9}, 'outside of the limits'),
    ({'panda_joint9': 0.0}, 'no such joint; did you mean'),
    ({'panda_joint8': 0.0}, 'is fixed: only joints with one coordinate'),
    ({'panda_joint1': float('nan')}, 'must be a finite number'),
    ({'panda_joint1': '0.5'}, "position '0.5' must be a finite number"),
    ({1: 0.5}, 'no such joint'),
    (['panda_joint1=0.5'], 'it must be a mapping')])
def test_what_cannot_be_locked_has_a_reason(positions: Any, words: str) -> None:
    with pytest.raises(ParameterError, match=words):
        lock_joints(read_urdf(PANDA), positions)


@pytest.mark.parametrize('position', [0.0, 0.04])
def test_a_joint_may_be_locked_at_its_limit(position: float) -> None:
    positions = {'panda_finger_joint1': position}
    assert lock_joints(read_urdf(PANDA), positions).locked == (*positions.items(),)


def test_seven_values_for_eight_joints_name_the_option(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(Exception, match='lock='):
        InverseDynamics(PANDA, backend='python')(np.zeros(7))
    state = ['--q', *map(str, (0, 0.1, 0.2, -1, 0, 1, 0))]
    assert main(['torque', str(PANDA), *state]) == 1
    assert '--lock JOINT=POSITION for those that do not move' in capsys.readouterr().err
    lock = ['--lock', 'panda_finger_joint1=0.02']
    assert main(['torque', str(PANDA), *lock, *state]) == 0
    rows = [line.split() for line in capsys.readouterr().out.splitlines()[1:]]
    dynamics = InverseDynamics(PANDA, lock=FINGERS, backend='python')
    expected = dynamics([float(x) for x in state[1:]])
    assert [float(row[3]) for row in rows] == pytest.approx(expected, rel=1e-5)


@pytest.mark.parametrize('words', [['info', '--json'], ['info', '--dh', '--json'], ['latex'],
                                   ['export'], ['page'], ['export', '--language', 'c']])
def test_every_command_reads_the_part(words: list[str], tmp_path: Path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    lock = ['--lock', *(f'joint{i}=0.1' for i in (1, 4, 5, 6))]
    assert main([words[0], str(OWN / 'rx90.urdf'), *words[1:], *lock]) == 0
    out = capsys.readouterr().out + ''.join(
        path.read_text() for path in tmp_path.iterdir() if path.is_file())
    assert out.count(r'\tau_') == 2 if words == ['latex'] else 'joint3' in out
    assert re.search('joint3\\W+joint4', out) is None   # in a list of joints
    assert main([words[0], str(PANDA), '--lock', 'panda_finger_joint1']) == 1
    assert 'write JOINT=POSITION' in capsys.readouterr().err


def test_the_nodes_parameter_keeps_loads_of_the_others() -> None:
    """Those of a locked joint have no effect, and are no error."""
    values = {'base': 'auto', 'payload.link': '', **{row.name: row.default
                                                     for row in LOAD_PARAMETERS},
              'friction.enabled': True, 'joints.panda_finger_joint1.viscous': 3.0,
              'lock': ('panda_finger_joint1=0.02', '')}
    model, loads = with_loads(values, read_urdf(PANDA))
    assert make_multibody(model).joint_names[-1] == 'panda_joint7'
    assert [*loads.terms] == [f'panda_joint{i}' for i in range(1, 8)]
    loads.check(make_multibody(model))
    assert with_loads({**values, 'lock': ('',)}, read_urdf(PANDA))[0].joints == read_urdf(
        PANDA).joints
    with pytest.raises(ParameterError, match='panda_finger_joint1'):
        Loads(payload='panda_finger_joint1').check(make_multibody(model))


@pytest.mark.usefixtures('undrawn')
def test_recordings_are_read_by_the_part(tmp_path: Path) -> None:
    recording = str(OWN.parent / 'examples' / 'rx90.csv')
    robot = ['--urdf', str(OWN / 'rx90.urdf'), '--lock', 'joint6=0.3', '-o']
    assert main(['evaluate', recording, *robot, str(tmp_path / 'e')]) == 0
    figures = json.loads((tmp_path / 'e' / 'efforts.json').read_text())
    assert [joint['joint'] for joint in figures['joints']] == [f'joint{i}' for i in range(1, 6)]


def test_an_identified_urdf_is_of_the_whole_robot() -> None:
    text = (OWN / 'rx90.urdf').read_text()
    part = lock_joints(read_urdf(text), {'joint6': 0.3})
    *others, last = part.links
    assert last.inertia is not None
    heavier = replace(part, links=(*others, replace(last, inertia=replace(
        last.inertia, mass=9.0))))
    written = read_urdf(identified_urdf(text, heavier))
    assert written.links == heavier.links and written.joints == read_urdf(text).joints


def test_check_and_graph_read_the_part(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A wrong name is an error of both; the picture draws a joint that is fixed."""
    for command in ('check', 'graph'):
        assert main([command, str(PANDA), '--lock', 'no_joint=0']) == 1
        assert 'no_joint' in capsys.readouterr().err
    assert main(['check', str(PANDA), '--lock', 'panda_finger_joint1=0.02']) == 0
    path = tmp_path / 'panda.dot'
    for lock, fixed in (([], 0), (['--lock', 'panda_finger_joint1=0.02'], 2)):
        assert main(['graph', str(PANDA), *lock, '-o', str(path), '--overwrite']) == 0
        assert len(re.findall(r'finger_joint\d\\nfixed', path.read_text())) == fixed
