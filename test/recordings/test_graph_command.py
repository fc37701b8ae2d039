"""urdf2dyn graph: every body is in the picture and readable, whatever its name."""

import re

import pytest
from lxml import etree
from picture_texts import assert_apart, texts

from support.robot_files import OWN, robot_path
from urdf2dyn_ros.__main__ import main
from urdf2dyn_ros.commands import graph
from urdf2dyn_ros.robot.multibody import make_multibody
from urdf2dyn_ros.robot.reader import read_urdf

RX90 = OWN / 'rx90.urdf'
PANDA = robot_path('panda')
ROBOTS = {
    'robot_2r': OWN / 'robot_2r.urdf',
    'panda': PANDA,
    'talos': robot_path('talos_full_v2'),
}
BODY = ('<inertial><mass value="{}"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/>'
        '</inertial>')
HOSTILE = ('<robot name="$x$ --&gt;&lt;script&gt; &#x202e;live"><link name="$\\alpha &#9;a"/>'
           f'<link name="{"long " * 40}">{BODY.format(3)}</link>'
           f'<link name="\u540d\u524d">{BODY.format(2)}</link>'
           '<joint name="$\\frac{1" type="continuous"><parent link="$\\alpha &#9;a"/>'
           f'<child link="{"long " * 40}"/></joint>'
           f'<joint name="{"planar" * 20}" type="planar"><parent link="{"long " * 40}"/>'
           '<child link="\u540d\u524d"/></joint></robot>')


def chain(count: int) -> str:
    links = ''.join(f'<link name="link{i}">{BODY.format(2)}</link>' for i in range(count + 1))
    joints = ''.join(f'<joint name="joint{i}" type="continuous"><parent link="link{i}"/>'
                     f'<child link="link{i + 1}"/></joint>' for i in range(count))
    return f'<robot name="chain">{links}{joints}</robot>'


@pytest.mark.parametrize('name', ROBOTS)
def test_every_body_has_a_row_and_nothing_overlaps(name):
    model = read_urdf(ROBOTS[name].read_bytes())
    system = make_multibody(model)
    figure = graph._figure(model)
    written = texts(figure)
    for body in system.bodies:
        row = written[written.index(body.name):][:3]
        assert row[1].split()[0] == body.type
        assert row[2].startswith(body.attached[0].link.name)
    assert written[:2] == [model.name, f'{len(system.joint_names)} coordinates, '
                           f'{len(model.links)} links, {model.mass:.4g} kg']
    assert_apart(figure, [text for text in figure.axes[0].texts if text.get_text()])


def test_lumped_links_and_mimic_joints_are_said():
    figure = graph._figure(read_urdf(PANDA.read_bytes()))
    written = texts(figure)
    assert 'panda_link7 + panda_link8 + panda_hand + panda_hand_tcp' in written
    place = written.index('panda_finger_joint2')
    assert written[place + 1] == 'prismatic = 1 panda_finger_joint1'
    hollow = [line for line in figure.axes[0].lines if line.get_markerfacecolor() == 'white']
    assert len(hollow) == 1


@pytest.mark.slow
def test_a_thousand_joints_are_no_picture_but_a_file_for_graphviz(tmp_path, capsys):
    robot, file = tmp_path / 'chain.urdf', tmp_path / 'chain.dot'
    robot.write_text(chain(1000))
    assert main(['graph', str(robot), '-o', str(tmp_path / 'x.png')]) == 1
    assert '1000 bodies are too many for a picture (at most 400): write a file for Graphviz ' \
        'with -o FILE.dot' in capsys.readouterr().err
    assert main(['graph', str(robot), '-o', str(file)]) == 0
    assert len(re.findall(r'"link\d+" -> "link\d+" ', file.read_text())) == 1000


def test_graphviz_has_every_link_and_joint(tmp_path):
    file = tmp_path / 'panda.dot'
    assert main(['graph', str(PANDA), '-o', str(file)]) == 0
    text, model = file.read_text(), read_urdf(PANDA.read_bytes())
    for link in model.links:
        assert f'  "{link.name}" [label="{link.name}\\n{link.mass:.4g} kg"];\n' in text
    for joint in model.joints:
        style = ', style=dashed' if joint.type == 'fixed' else ''
        assert (f'  "{joint.parent}" -> "{joint.child}" '
                f'[label="{joint.name}\\n{joint.type}"{style}];\n') in text
    assert text.startswith('digraph "panda" {\n') and text.endswith('\n}\n')


@pytest.mark.parametrize('ending', ['.svg', '.png'])
def test_names_are_data_in_a_picture(tmp_path, ending):
    robot, picture = tmp_path / 'hostile.urdf', tmp_path / f'x{ending}'
    robot.write_text(HOSTILE)
    assert main(['graph', str(robot), '-o', str(picture)]) == 0
    if ending == '.png':
        assert picture.read_bytes().startswith(b'\x89PNG')
        return
    text = picture.read_text()
    root = etree.fromstring(text.encode())
    tags = {etree.QName(element).localname for element in root.iter(etree.Element)}
    assert 'script' not in tags and 'path' in tags
    assert all(letter.isprintable() or letter == '\n' for letter in text)


def test_the_same_robot_gives_the_same_bytes(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    assert main(['graph', str(RX90)]) == 0
    assert capsys.readouterr().out == 'rx90_graph.svg\n'
    assert main(['graph', str(RX90)]) == 1
    assert 'rx90_graph.svg exists, which may be your work: choose another file with --output, ' \
        'or add --overwrite' in capsys.readouterr().err
    assert main(['graph', str(RX90), '-o', 'other.SVG']) == 0
    assert (tmp_path / 'rx90_graph.svg').read_bytes() == (tmp_path / 'other.SVG').read_bytes()
    assert len(list(tmp_path.iterdir())) == 2


@pytest.mark.parametrize(('words', 'expected'), [
    ([RX90, '-o', 'x.gif'], ["'x.gif' does not end in .svg or .png or .dot"]),
    ([RX90, '-o', '/proc/x.svg'], ["cannot write to '/proc/x.svg'", 'No such file']),
    (['nowhere.urdf'], ["'nowhere.urdf'", 'No such file']),
])
def test_errors_are_one_line_and_exit_code_1(words, expected, capsys):
    assert main(['graph', *map(str, words)]) == 1
    said = capsys.readouterr()
    assert said.out == '' and said.err.startswith('error: ') and said.err.count('\n') == 1
    for word in expected:
        assert word in said.err
