"""Options of commands for robots with closed loops."""

import json
from pathlib import Path

import numpy as np
import pytest

from support.mechanisms import mechanism
from support.paths import ROOT
from urdf2dyn_ros import InverseDynamics
from urdf2dyn_ros.__main__ import main


def test_motors_are_named_by_an_option(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    text = mechanism('five_bar')
    start, end = text.index('<ros2_control'), text.index('</robot>')
    (tmp_path / 'plain.urdf').write_text(text[:start] + text[end:])
    (tmp_path / 'five_bar.urdf').write_text(text)
    command = ['torque', str(tmp_path / 'plain.urdf'), '--q', '0.1', '0.2']
    assert main(command) != 0
    assert 'too-few-actuators' in capsys.readouterr().err
    assert main([*command, '--actuated', 'left', 'right', '--start', 'left=0']) == 0
    named = capsys.readouterr().out
    assert main(['torque', str(tmp_path / 'five_bar.urdf'), '--q', '0.1', '0.2']) == 0
    assert capsys.readouterr().out == named


def test_a_file_of_parameters_says_how_loops_close(tmp_path: Path,
                                                   capsys: pytest.CaptureFixture[str]) -> None:
    """As the node reads it; `start` and `actuated` of a file had no effect, without a word."""
    robot, file = tmp_path / 'five_bar.urdf', tmp_path / 'parameters.yaml'
    robot.write_text(mechanism('five_bar'))
    for options, entry in ((['--start', 'left_elbow=3'], "start: ['left_elbow=3']"),
                           (['--actuated', 'left', 'left_elbow'],
                            'actuated: [left, left_elbow]')):
        assert main(['torque', str(robot), *options]) == 0
        right = capsys.readouterr().out
        file.write_text(f'/**:\n  ros__parameters:\n    {entry}\n')
        assert main(['torque', str(robot), '--parameters', str(file)]) == 0
        assert capsys.readouterr().out == right
    assert main(['torque', str(ROOT / 'urdf' / 'rx90.urdf'), '--actuated', 'joint1']) == 1
    assert 'actuated: it names the motors of closed loops' in capsys.readouterr().err
    file.write_text('/**:\n  ros__parameters:\n    joints: [left]\n')
    assert main(['torque', str(robot), '--parameters', str(file)]) == 1
    assert 'there is no parameter joints; there are' in capsys.readouterr().err


def test_check_says_how_loops_are_solved(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(['check', str(ROOT / 'urdf' / 'palletizer.urdf'), '-v']) == 0
    printed = capsys.readouterr().out + capsys.readouterr().err
    assert 'joint "elbow" = -1 j2 +1 j3' in printed


def test_check_closes_loops_within_the_limits(tmp_path: Path,
                                              capsys: pytest.CaptureFixture[str]) -> None:
    """Without a fault; with a passive joint whose limit is too narrow; with motors as options."""
    text = mechanism('five_bar')
    robot, plain = tmp_path / 'five_bar.urdf', tmp_path / 'plain.urdf'
    robot.write_text(text)
    assert main(['check', str(robot), '--strict']) == 0
    said = capsys.readouterr().out
    for part in ('actuated "left", "right"', ' of 30 positions from the start', 'least sine',
                 'loop "tip": 3 of its 5 equations follow from the others'):
        assert part in said
    elbow = text.index('name="left_elbow" type="continuous"')
    end = text.index('</joint>', elbow)
    robot.write_text(text[:elbow] + text[elbow:end].replace('continuous', 'revolute')
                     + '<limit lower="-0.05" upper="0.05" effort="10" velocity="1"/>' + text[end:])
    assert main(['check', str(robot), '--strict']) == 1
    assert 'joint "left_elbow" <limit>: it is at' in capsys.readouterr().out
    loop, motors = text.index('<loop_joint'), text.index('<ros2_control')
    plain.write_text(text[:loop] + text[text.index('</loop_joint>') + 13:motors] + '</robot>')
    options = ['--loop', 'left_elbow_link=right_elbow_link:revolute', '--actuated', 'left',
               'right']
    assert main(['check', str(plain), *options]) == 1
    # elbow to elbow, which is a triangle
    assert 'mobility 0 of the joints "left", "right"' in capsys.readouterr().out
    output = tmp_path / 'five_bar.dot'
    assert main(['graph', str(robot), '-o', str(output)]) == 0
    assert '"left_elbow_link" -> "right_elbow_link"' in output.read_text()


@pytest.mark.usefixtures('undrawn')
def test_recordings_are_of_the_assembly_that_is_measured(
        tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A five-bar with its elbows the other way than in the description's zero pose."""
    robot, table = tmp_path / 'five_bar.urdf', tmp_path / 'motion.csv'
    robot.write_text(mechanism('five_bar'))
    dynamics = InverseDynamics(robot, backend='python', start={
        'left': 0.0, 'right': 0.0, 'left_elbow': 1.4939, 'right_elbow': -1.3895})
    t, w = np.arange(0.0, 3.0, 0.01)[:, None], np.array([2.0, 3.1])
    q = 0.1 * np.sin(w * t + [0.3, 1.0])
    tau = dynamics(q, 0.1 * w * np.cos(w * t + [0.3, 1.0]), -w * w * q)
    names = [*(f'position_{name}' for name in (*dynamics.joint_names, *dynamics.passive_names)),
             *(f'effort_{name}' for name in dynamics.joint_names)]
    np.savetxt(table, np.hstack((t, q, dynamics.close(q), tau)), delimiter=',',
               header=','.join(['time', *names]), comments='')
    assert main(['evaluate', str(table), '--urdf', str(robot), '-o', str(tmp_path / 'out')]) == 0
    report = json.loads((tmp_path / 'out' / 'efforts.json').read_text())
    assert all(joint['r2'] > 0.999999 for joint in report['joints'])
    capsys.readouterr()
    assert main(['torque', str(robot), '--trajectory', str(table), '--recording', '--terms',
                 '--json', '--output', str(tmp_path / 'torque.csv')]) == 0
    for joint, efforts in zip(json.loads(capsys.readouterr().out)['joints'], tau.T):
        assert joint['largest'] == pytest.approx(efforts[np.abs(efforts).argmax()], rel=1e-2)
