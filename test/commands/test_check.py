"""urdf2dyn check: every finding with line, effect and remedy; exit codes."""

import json
import math
import re
from pathlib import Path

import pytest

from support.paths import TEST
from support.robot_files import EXAMPLES, OWN
from urdf2dyn_ros.__main__ import main
from urdf2dyn_ros.robot.reader import read_urdf

CORPUS = TEST / 'corpus'
ANCHORED = """<robot name="r"><link name="w"/><link name="a"/><link name="b"/>
<joint name="flies" type="floating"><parent link="w"/><child link="a"/></joint>
<joint name="too" type="floating"><parent link="w"/><child link="b"/></joint></robot>"""


def check(capsys: pytest.CaptureFixture[str], *words: object) -> tuple[int, str]:
    code = main(['check', *map(str, words)])
    out, err = capsys.readouterr()
    assert err == ''
    return code, out


def test_every_error_and_warning_has_line_effect_and_remedy(capsys, tmp_path):
    robot = tmp_path / 'robot.urdf'
    robot.write_text((CORPUS / 'mass-negative.urdf').read_text().replace('type="revolute"',
                                                                         'type="Revolute"'))
    code, out = check(capsys, robot)
    lines = out.splitlines()
    assert code == 1 and lines[-1].startswith('the robot: ') and 'error' in lines[-1]
    errors = [line for line in lines if line.startswith('error: line ')]
    assert any('[mass-negative]' in line for line in errors)
    assert lines.count('  efforts: none are computed: the description is rejected') == len(errors)


def test_warnings_fail_with_strict_alone(capsys: pytest.CaptureFixture[str]) -> None:
    robot = CORPUS / 'massless-branch.urdf'
    (problem,) = read_urdf(robot).warnings
    for words, expected in (([], 0), (['--strict'], 1)):
        code, out = check(capsys, robot, *words)
        assert code == expected
        assert out.splitlines()[:2] == [
            f'warning: {problem}', '  efforts: zero in every motion at these joints']
    code, out = check(capsys, robot, '--json', '--strict')
    data = json.loads(out)
    assert (code, data['errors'], data['warnings']) == (1, 0, 1)
    assert data['problems'][0] == {
        'severity': 'warning', 'code': 'massless-branch', 'line': problem.line,
        'element': problem.element, 'message': problem.message,
        'efforts': 'zero in every motion at these joints', 'effort_change': None}


def test_what_only_a_moving_base_forbids_is_a_warning(capsys, tmp_path):
    robot = tmp_path / 'r.urdf'
    robot.write_text(ANCHORED)
    code, out = check(capsys, robot)
    assert code == 0 and 'what is on "too" does not move with the floating robot' in out
    assert 'none are computed unless the base is fixed' in out


def test_rounded_angles_are_notes(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    robot = tmp_path / 'r.urdf'
    robot.write_text((OWN / 'rx90.urdf').read_text().replace('1.5707963267948966', '1.5707963268'))
    assert '1.5707963268' in robot.read_text()
    code, out = check(capsys, robot, '--strict', '-v')
    assert code == 0 and 'note: joint ' in out and 'rad is read as ' in out
    code, out = check(capsys, robot, '--strict')
    assert code == 0 and out.count('note: ') == 1 and 'quarter turns' in out and '-v' in out


def test_a_fixed_base_with_legs_and_frozen_joints_are_notes(capsys, tmp_path):
    talos = EXAMPLES / 'talos_data/robots/talos_reduced.urdf'
    _, out = check(capsys, talos)
    assert 'note: 12 fixed joints with an axis and limits: "gripper_left' in out
    assert ('note: the legs "leg_left_1_link", "leg_right_1_link" are on a base that no floating '
            'joint moves: it is bolted to the world') in out
    robot = tmp_path / 'floats.urdf'
    robot.write_text(talos.read_text().replace('</robot>', """<link name="world"/>
        <joint name="free" type="floating"><parent link="world"/><child link="base_link"/></joint>
        </robot>"""))
    assert 'bolted' not in check(capsys, robot)[1]
    assert check(capsys, OWN / 'rx90.urdf') == (0, "robot 'rx90': no problems\n")


def test_gravity_that_a_motor_cannot_hold_has_posture_and_effort(capsys, tmp_path):
    robot = tmp_path / 'r.urdf'
    text = (CORPUS / 'valid.urdf').read_text().replace('effort="10"', 'effort="5"')
    robot.write_text(text)
    code, out = check(capsys, robot)
    said = re.search(r'line 10: joint "swing" <limit>: gravity alone needs (\S+) N m; the limit '
                     r'is 5 N m; in the posture swing (\S+), within', out)
    assert code == 0 and said and said[2] != '0'
    needed, q = float(said[1]), float(said[2])   # 2 kg at 0.5 m; the hand is at the axis
    assert needed == pytest.approx(9.81 * abs(math.sin(q)), rel=0.01) and 5.0 < needed <= 9.81
    robot.write_text(text.replace('effort="5"', 'effort="9.82"'))
    assert check(capsys, robot) == (0, "robot 'pendulum': no problems\n")


def test_a_xacro_has_arguments_and_lines(capsys, tmp_path):
    pytest.importorskip('xacro')
    robot = tmp_path / 'r.urdf.xacro'
    text = (CORPUS / 'axis-not-unit.urdf').read_text()
    robot.write_text(text.replace('<robot', '<robot xmlns:xacro="http://ros.org/wiki/xacro"').replace(
        'xyz="0 0 5"', 'xyz="0 0 $(arg length)"'))
    code, out = check(capsys, robot, '--xacro-args', 'length:=7')
    assert code == 0 and 'length 7 instead of 1' in out
    assert f'note: lines are those of the text that `xacro {robot} length:=7` prints' in out
    assert re.search(r'warning: line 1\d: ', out)


PENDULUM = """<?xml version="1.0" encoding="iso-8859-1"?>\r
<robot name="p"><!-- \xe9 --><link name="a"/>\r
  <link name="b">\t<inertial><origin xyz="1 0 0"/><mass value="20000"/>
    <inertia ixx='0' iyy='0' izz='0' ixy='0' ixz='0' iyz='0'/></inertial></link>
  <joint name="swing" type="revolute"><parent link="a"/><child link="b"/>
    <axis  xyz="0 -3 0"/> <!-- "xyz" --> <limit lower='-1e-9' upper="1e-9" velocity="2"/>
  </joint>
</robot>""".encode('iso-8859-1')


def test_the_effect_of_a_mass_in_grams_is_that_of_its_weight(capsys, tmp_path):
    """A ball at 1 m that stands out: 0.999 m (g + qdd), where qdd is up to 5 rad/s^2."""
    robot = tmp_path / 'robot.urdf'
    robot.write_bytes(PENDULUM)
    _, out = check(capsys, robot, '--json')
    problem, point, axis = json.loads(out)['problems']
    assert point['code'] == 'inertia-zero'
    assert 'length 3 instead of 1; only its direction is used, write "0 -1 0"' in axis['message']
    assert axis['effort_change'] is None
    change, mass = problem['effort_change'], 0.999 * 20000.0
    assert (change['joint'], change['unit']) == ('swing', 'N m')
    assert mass * 14.5 < change['largest'] < mass * 14.81
    assert change['rms'] == pytest.approx(mass * (9.81**2 + 25.0 / 3.0)**0.5, rel=0.08)
    assert 'compared with the mass in grams, over 100 random' in check(capsys, robot)[1]


def test_the_joint_that_closes_a_loop_is_written_as_it_can_be_pasted(capsys, tmp_path):
    def joint(name: str, parent: str, child: str, x: float) -> str:
        return (f'<joint name="{name}" type="continuous"><parent link="{parent}"/><child '
                f'link="{child}"/><origin xyz="{x} 0 0"/><axis xyz="0 1 0"/></joint>')

    body = ('<inertial><origin xyz="0.1 0 0"/><mass value="1"/><inertia ixx="0.01" iyy="0.01" '
            'izz="0.01" ixy="0" ixz="0" iyz="0"/></inertial>')
    links = '<link name="base"/>' + ''.join(f'<link name="{name}">{body}</link>' for name in 'abc')
    path, second = tmp_path / 'x.urdf', joint('j4', 'b', 'c', 0.2)
    tree = joint('j1', 'base', 'a', 0) + joint('j2', 'a', 'b', 0.3) + joint('j3', 'base', 'c', 0.2)
    path.write_text(f'<robot name="r">{links}{tree}{second}</robot>')
    code, printed = check(capsys, path)
    found = re.search('<loop_joint.*</loop_joint>', printed)
    assert code == 1 and found and 'type="continuous"' in found[0]
    path.write_text(path.read_text().replace(second, found[0]))
    assert 'two-parents' not in check(capsys, path)[1]
    assert read_urdf(path).loops
