"""Tables of DH parameters: written from robots, read again, and refused."""

import json
from math import cos, pi, sin
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given

from support.mechanisms import mechanism
from support.random_trees import examples, random_inertia, trees
from support.robot_files import EXAMPLES, OWN, ROBOTS, mostly_slow
from urdf2dyn_ros import InverseDynamics, RobotModel, SourceError, UrdfError, read_dh, read_urdf
from urdf2dyn_ros.__main__ import main
from urdf2dyn_ros.robot.dh import make_dh_table, table_data
from urdf2dyn_ros.robot.model import Joint, Link
from urdf2dyn_ros.robot.multibody import make_multibody
from urdf2dyn_ros.robot.rotations import ROUNDOFF

REAL = [EXAMPLES / path for path in (
    'ur_description/urdf/ur5_robot.urdf', 'panda_description/urdf/panda.urdf',
    'talos_data/robots/talos_left_arm.urdf', 'z1_description/urdf/z1.urdf',
    'xarm_description/urdf/xarm7.urdf')]


def read_again(model: RobotModel) -> RobotModel:
    """Return the model of a robot's table, by way of JSON."""
    return read_dh(json.loads(json.dumps(table_data(make_dh_table(model)))))


def assert_same_efforts(model: RobotModel, other: RobotModel) -> None:
    first, second = (InverseDynamics(each, backend='python') for each in (model, other))
    assert first.joint_names == second.joint_names
    state = np.random.default_rng(1).normal(size=(3, len(first.joint_names)))
    tau = first(*state)
    # where 1.5708 is a quarter turn, entries of rotations that are almost 0 or 1 are rounded
    share = 1e-12 if make_multibody(model).close == ROUNDOFF else 1e-9
    assert second(*state) == pytest.approx(tau, rel=0, abs=share * max(1.0, *np.abs(tau)))


@pytest.mark.parametrize('path', mostly_slow(
    [*ROBOTS, *REAL], 'rx90', 'scara', 'humanoid_3p33r', 'panda', 'xarm7'))
def test_the_efforts_of_a_table_are_those_of_its_robot(path: Path) -> None:
    """And the table of a table's model is of the same size."""
    if not path.is_file():
        pytest.skip(f'{path.name} is not part of this version of example-robot-data')
    model = read_urdf(path)
    other = read_again(model)
    assert_same_efforts(model, other)
    assert len(make_dh_table(other).rows) == len(make_dh_table(model).rows)


def test_axes_that_are_almost_parallel_to_the_root_or_to_tips_have_no_far_normal() -> None:
    """3.14159265 is no half turn: the normal of z and the first axis is 3e8 m away."""
    almost, p = (3.14159265, 0.0, 0.0), (0.3, 1.0, 0.5)
    model = RobotModel('twig', tuple(Link(name, random_inertia(1)) for name in 'abcde'), (
        Joint('first', 'revolute', 'a', 'b', p, almost, (0.0, 0.0, 1.0)),
        Joint('second', 'revolute', 'b', 'c', p, axis=(0.0, 1.0, 0.0)),
        Joint('tip', 'fixed', 'c', 'd', p, (0.1, 0.0, 0.2)),
        Joint('other', 'fixed', 'c', 'e', p, (1.57079632, 0.2, 0.0))), 'a')
    other = read_again(model)
    assert_same_efforts(model, other)
    for row in make_dh_table(model).rows:
        assert max(map(abs, (row.six.b, row.six.d, row.six.r))) < 10.0
    for tip in ('d', 'e'):
        poses = [InverseDynamics(each, backend='python').forward_kinematics([0.4, 0.5], tip)
                 for each in (model, other)]
        for mine, theirs in zip(*poses):
            assert mine == pytest.approx(theirs, rel=0, abs=1e-14)


@examples(12)
@given(trees(most=6, massless=True, nearly=True))
def test_any_tree_has_a_table(model: RobotModel) -> None:
    """Prismatic joints, branches, and axes that are almost parallel."""
    other = read_again(model)
    if len({joint.type for joint in model.joints} - {'fixed'}):
        assert_same_efforts(model, other)


def test_the_rx90_has_the_table_of_the_textbook() -> None:
    """Khalil and Dombre's: alpha, d and r of six joints, all other parameters zero."""
    rows = table_data(make_dh_table(read_urdf(OWN / 'rx90.urdf')))['rows'][1:7]
    assert [row['alpha'] for row in rows] == [0.0, pi / 2, 0.0, -pi / 2, pi / 2, -pi / 2]
    assert [row['d'] for row in rows] == [0.0, 0.0, 0.45, 0.0, 0.0, 0.0]
    assert [row['r'] for row in rows] == [0.0, 0.0, 0.0, 0.45, 0.0, 0.0]
    assert all(row[name] == 0.0 for row in rows for name in ('gamma', 'b', 'theta'))


def test_links_between_parallel_axes_are_along_x() -> None:
    """Those of a planar arm along y: the frames turn once, at the base."""
    joints = [Joint(f'joint{k}', 'revolute', first, second, (0.0, y, 0.0), axis=(0.0, 0.0, 1.0))
              for k, (first, second, y) in enumerate([('a', 'b', 0.0), ('b', 'c', 1.0),
                                                      ('c', 'd', 0.3)])]
    rows = table_data(make_dh_table(RobotModel('arm', tuple(
        Link(name, random_inertia(1)) for name in 'abcd'), tuple(joints), 'a')))['rows']
    assert [row['d'] for row in rows] == [0.0, 0.0, 1.0, 0.3, 0.0]
    assert [row['theta'] for row in rows] == [pi / 2, 0.0, 0.0, 0.0, -pi / 2]
    assert all(row[name] == 0.0 for row in rows for name in ('gamma', 'b', 'alpha', 'r'))


def test_rows_of_a_textbook_arm_have_its_efforts(tmp_path: Path) -> None:
    """Two links in the vertical plane, by hand; from a file as well."""
    rows = [{'type': 'R', 'M': 3.0, 'MX': 1.5, 'ZZ': 1.0, 'FV': 0.1},
            {'type': 'R', 'd': 1.2, 'M': 2.0, 'MX': 0.8, 'ZZ': 0.5}]
    q, qd, qdd = (0.3, -0.7), (0.5, 1.1), (-0.4, 0.9)
    total, c, s = q[0] + q[1], cos(q[1]), sin(q[1])
    coupling = 0.5 + 0.8 * 1.2 * c
    expected = [
        (1.0 + 0.5 + 2.0 * 1.2**2 + 2 * 0.8 * 1.2 * c) * qdd[0] + coupling * qdd[1]
        - 0.8 * 1.2 * s * (2 * qd[0] + qd[1]) * qd[1]
        + 9.81 * ((1.5 + 2.0 * 1.2) * cos(q[0]) + 0.8 * cos(total)),
        coupling * qdd[0] + 0.5 * qdd[1] + 0.8 * 1.2 * s * qd[0]**2 + 9.81 * 0.8 * cos(total)]
    path = tmp_path / 'arm.json'
    path.write_text(json.dumps({'name': 'arm', 'rows': rows}))
    for model in (read_dh(rows), read_dh(path)):
        dynamics = InverseDynamics(model, gravity=(0.0, -9.81, 0.0), backend='python')
        assert dynamics(q, qd, qdd) == pytest.approx(expected, abs=1e-12)
    assert model.joints[0].damping == 0.1


@pytest.mark.parametrize(('rows', 'words'), [
    ([{'type': 'C'}], ['row 1', "'C' is no type of joint", 'R, P, fixed', 'dh-type']),
    ([{}], ['None is no type of joint']),
    ([{'type': 'R', 'antecedent': 7}], ['no frame 7', '"0", "1"', 'dh-antecedent']),
    ([{'type': 'R', 'antecedent': 2}, {'type': 'P', 'antecedent': 1}],
     ['"frame1", "frame2" are parents of one another, by joints "joint1", "joint2"', 'cycle']),
    ([{'type': 'R', 'antecedent': 1}], ['"frame1" is both parent and child', 'self-loop']),
    ([{'type': 'R'}, {'type': 'R', 'antecedent': [1]}], ['antecedent is [1]', 'integer']),
    ([{'type': 'R'}, {'type': 'R', 'antecedent': None}], ['row 2', 'dh-base']),
    ([{'type': 'R', 'alpah': 1.0}], ['"alpah" is no column', '"alpha"']),
    ([{'type': 'R', 'd': 'D3', 'r': float('nan')}], ["d is 'D3'", 'r is nan', '2 problems']),
    ([{'type': 'R', 'alpha': -90}], ['alpha is -90, but angles are in rad', 'it is -1.570796327']),
    ([{'type': 'R', 'MX': 1.0}], ['M must be positive']),
    ([{'type': 'R', 'M': -1.0}], ['link "frame1" <inertial><mass', 'is not negative']),
    ([{'type': 'R', 'joint': 'a'}, {'type': 'R', 'joint': 'a'}], ['joint "a": 2 joints']),
    ([{'type': 'R', 'joint': 'a\n'}], ["joint is 'a\\n', but must be a text"]),
    ([{'type': 'R', 'mimic': {'joint': 'x'}}], ['no joint is named "x"']),
    ([{'type': 'R', 'mimic': {'joint': 'joint1'}}], ['the joint mimics itself']),
    *(([{'type': 'R', 'mimic': mimic}], ['mimic must be a mapping with "joint" and, as finite'])
      for mimic in ('x', {'offset': 1.0}, {'joint': 'x', 'factor': 2.0},
                    {'joint': 'x', 'offset': 'y'}, {'joint': 'x', 'multiplier': float('inf')})),
    ({'name': 'arm'}, ['"rows"']), ([1], ['mapping'])])
def test_faults_of_a_table_are_named(rows: Any, words: list[str]) -> None:
    with pytest.raises(UrdfError) as caught:
        read_dh(rows)
    for word in words:
        assert word in str(caught.value)


def test_files_that_are_no_table(tmp_path: Path) -> None:
    (tmp_path / 'a.json').write_text('j, type')
    for name in ('a.json', 'none.json'):
        with pytest.raises(SourceError, match=name):
            read_dh(tmp_path / name)


PAR = """(* Robotname = 'arm' *)
NL = 3
NJ = 3
NF = 3
Type = 1
is_mobile = 0
ant = {0,1,1}
sigma = {0,0,1}
gamma = {0,0,-pi/2}
d = {0,D2,0}
r = {0,0,r3 + 2*D2}
alpha = {0,0,Pi/2}
theta = {t1,t2 - pi/3,0}
M = {3,M2,1}
MX = {1.5,0.4*M2,0}
ZZ = {1,0.5,0}
IA = {IA1,0,0}
G = {0,0,G3}
"""
"""A file as OpenSYMORO writes it, short."""


def test_a_par_file_is_the_table_of_its_rows(tmp_path: Path) -> None:
    """With symbols; those of joint positions have no value."""
    path = tmp_path / 'arm.par'
    path.write_bytes(PAR.encode() + b'(* Cybern\xe9tique, M = {9,9,9} *)')
    rows = [{'type': 'R', 'M': 3.0, 'MX': 1.5, 'ZZ': 1.0},
            {'type': 'R', 'd': 1.2, 'theta': -pi / 3, 'M': 2.0, 'MX': 0.8, 'ZZ': 0.5},
            {'type': 'P', 'antecedent': 1, 'gamma': -pi / 2, 'alpha': pi / 2, 'r': 2.4,
             'M': 1.0}]
    assert read_dh(path, {'D2': 1.2, 'M2': 2.0}) == read_dh({'name': 'arm', 'rows': rows})


@pytest.mark.parametrize(('old', 'new', 'words'), [
    ('Type', 'Type', ['no value for "D2", "M2"']), ('NF = 3', 'NF = 4', ['closed loops']),
    ('is_mobile = 0', 'is_mobile = 1', ['is_mobile to 0']), ('IA1', '0.1', ['IA must be zero']),
    ('ant = {0,1,1}', 'ant = {0,1}', ['ant has 2 entries', 'NL is 3']),
    ('0.4*M2', 'f(M2)', ['MX has the entry "f(M2)"']), ('{3,', '{1e999,', ['M has the entry']),
    ('ant = {0,1,1}', 'ant = {0,0.5,1}', ['Ant has the entry "0.5"', 'number of a frame']),
    ('ant = {0,1,1}', 'ant = {0,1,1,1}', ['ant has 4 entries', 'NL is 3']),
    ('IA =', 'M = {1,1,1}\nIA =', ['two different lists M']), ('M = {3', 'M = {True', ['"True"']),
    ('{t1,', '{2*t1,', ['"2*t1", but must be the position of joint 1, a symbol without']),
    ('t2 - pi/3', 'pi/3 - t2', ['"pi/3 - t2", but']), ('t2 - pi/3', 't2 + a', ['"t2 + a", but']),
    ('t2 - pi/3', 't1', ['"t1" is the position of joint 1 and of joint 2']),
    ('NL = 3', 'NL = -3', ['no .par file']),
    ('sigma = {0,0,1}', 'sigma = {0,0,7}', ['value for'])])
def test_what_a_par_file_cannot_say_is_named(tmp_path, old, new, words):
    path = tmp_path / 'arm.par'
    path.write_text(PAR.replace(old, new))
    with pytest.raises(SourceError, match=r'arm\.par') as caught:
        read_dh(path, {} if 'D2' in ''.join(words) else {'D2': 1.2, 'M2': 2.0})
    for word in words:
        assert word in str(caught.value)


def test_wrenches_on_links_are_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """There is no column for them."""
    path = tmp_path / 'pushed.urdf'
    path.write_text((OWN / 'robot_2r.urdf').read_text().replace(
        '</robot>', '<force link="link2" force="1 0 0"/></robot>'))
    assert main(['info', str(path), '--dh']) == 1
    assert '<force link="link2">' in capsys.readouterr().err


def test_loops_that_are_not_linear_are_refused() -> None:
    """The table was that of the tree, whose efforts are others; of linear loops it is right."""
    with pytest.raises(UrdfError, match=r'loop "tip": a table .* no column for loops'):
        make_dh_table(read_urdf(mechanism('five_bar')))
    palletizer = InverseDynamics(OWN / 'palletizer.urdf')
    again = InverseDynamics(read_dh(table_data(make_dh_table(palletizer.model))))
    q = np.full(4, 0.1)
    np.testing.assert_allclose(again(q, q, q), palletizer(q, q, q), atol=1e-9)


def test_the_command_prints_text_json_and_latex(capsys: pytest.CaptureFixture[str]) -> None:
    """Of a branched hand with a mimic joint."""
    panda = str(REAL[1])
    assert main(['info', panda, '--dh', '--json']) == 0
    assert read_dh(json.loads(capsys.readouterr().out)).name == 'panda'
    assert main(['info', panda, '--dh']) == 0
    text = ' '.join(capsys.readouterr().out.split())
    for row in ('7 panda_joint7 R 6 0 0 pi/2 0.088 q7 - pi/4 0.1654',
                '9 panda_finger_joint2 P 7 0 0 pi/2 0 0 q8'):
        assert row in text
    assert main(['info', panda, '--dh', '--latex']) == 0
    text = capsys.readouterr().out
    assert (r'7 & panda\_joint7 & R & $6$ & $0$ & $0$ & $\pi/2$ & $0.088$ & $q_{7} - \pi/4$ & '
            r'$0.1654$ \\') in text
    assert r'\begin{tabular}{rlcrrrrrrr}' in text
    assert r'\cdot 10^{-6}$' in text and 'e-06' not in text
    assert main(['info', panda, '--latex']) == 1
    assert 'add --dh' in capsys.readouterr().err
