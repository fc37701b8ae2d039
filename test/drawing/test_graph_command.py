"""urdf2dyn graph: every body is in the picture and readable, whatever its name."""

from pathlib import Path

import pytest
from lxml import etree

from support.picture_texts import assert_apart, texts
from support.random_trees import random_inertia
from support.robot_files import OWN, robot_path
from urdf2dyn_ros.cli import main
from urdf2dyn_ros.drawing import tree
from urdf2dyn_ros.multibody import multibody
from urdf2dyn_ros.robot_model import Joint, Link, Mimic, RobotModel
from urdf2dyn_ros.urdf import read_urdf

RX90 = OWN / 'rx90.urdf'
PANDA = robot_path('panda')
ROBOTS = {
    'robot_2r': OWN / 'robot_2r.urdf',
    'panda': PANDA,
    'talos': robot_path('talos_full_v2'),
    'tiago_dual': robot_path('tiago_dual'),
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


@pytest.fixture
def figures(monkeypatch):
    drawn = []
    monkeypatch.setattr(tree, 'save', lambda figure, path, title: drawn.append(figure))
    return drawn


@pytest.mark.parametrize('name', ROBOTS)
def test_every_body_has_a_row_and_nothing_overlaps(name, figures):
    model = read_urdf(ROBOTS[name].read_bytes())
    system = multibody(model)
    assert tree.draw_tree(model, Path('x.png')) == ''
    figure = figures[0]
    written = texts(figure)
    for body in system.bodies:
        assert body.name in written
        assert body.attached[0].link.name in written
    assert f'{len(system.joint_names)} degree' in written[1]
    assert f' {model.mass:.4g} kg, ' in written[1]
    assert written[0] == model.name
    axes = figure.axes[0]
    assert_apart(figure, [*(text for text in axes.texts if text.get_text()), axes.get_legend()])


def test_bars_add_up_to_the_mass_and_lumped_links_have_their_share(figures):
    model = read_urdf(PANDA.read_bytes())
    tree.draw_tree(model, Path('x.png'))
    axes = figures[0].axes[0]
    own, lumped = ([bar.get_width() for bar in bars] for bars in axes.containers)
    heaviest = max(map(sum, zip(own, lumped, strict=True)))
    scale = max(sum(attached.link.inertia.mass for attached in body.attached
                    if attached.link.inertia) for body in multibody(model).bodies) / heaviest
    assert scale * (sum(own) + sum(lumped)) == pytest.approx(model.mass, rel=1e-15)
    assert scale * sum(lumped) == pytest.approx(0.73, rel=1e-15)   # the hand, on link 7


def test_lumped_links_massless_ones_and_mimic_joints_are_said(figures):
    tree.draw_tree(read_urdf(PANDA.read_bytes()), Path('x.png'))
    written = texts(figures[0])
    assert '+ panda_link8, panda_hand, panda_hand_tcp' in written
    place = written.index('panda_finger_joint2')
    assert written[place + 1] == '= panda_finger_joint1'
    legend = [text.get_text() for text in figures[0].axes[0].get_legend().get_texts()]
    assert 'prismatic, mimics another' in legend and 'continuous' not in legend
    tree.draw_tree(read_urdf((OWN / 'humanoid_3p33r.urdf').read_bytes()), Path('x.png'))
    written = texts(figures[1])
    assert written[written.index('pBJX_massless') + 1] == 'massless'


def test_of_a_thousand_joints_it_is_said_what_is_omitted(tmp_path, capsys, figures):
    robot = tmp_path / 'chain.urdf'
    robot.write_text(chain(1000))
    assert main(['graph', str(robot), '-o', str(tmp_path / 'x.png')]) == 0
    said = capsys.readouterr()
    assert said.err == ('880 of 1000 bodies are omitted: those that are the most joints away '
                        'from the root\n')
    written = texts(figures[0])
    assert '… 880 more bodies, omitted' in written and '1.76e+03' in written
    assert said.err.strip() in written
    assert 'joint119' in written and 'joint120' not in written
    assert figures[0].get_figheight() < 30.0


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


def test_names_that_are_long_or_steer_a_text_do_not_overlap(figures):
    tree.draw_tree(read_urdf(HOSTILE), Path('x.png'))
    axes = figures[0].axes[0]
    assert_apart(figures[0], [text for text in axes.texts if text.get_text()])
    assert any(text.endswith('/theta') for text in texts(figures[0]))


def test_a_type_of_joint_without_a_mark_of_its_own_is_drawn(figures, monkeypatch):
    monkeypatch.delitem(tree.JOINT_MARKS, 'continuous')
    links = tuple(Link(str(number), random_inertia(0)) for number in range(3))
    joints = (Joint('a', 'continuous', '0', '1'), Joint('b', 'revolute', '1', '2'))
    tree.draw_tree(RobotModel('x', links, joints, '0'), Path('x.png'))
    entries = [text.get_text() for text in figures[0].axes[0].get_legend().get_texts()]
    assert entries[:3] == ['root', 'revolute', 'continuous']


def test_the_legend_of_all_types_is_in_a_narrow_picture_too(figures):
    links = tuple(Link(str(number), random_inertia(0)) for number in range(8))
    joints = [Joint(f'{kind} {mimic}', kind, '0', str(2 * number + mimic + 1),
                    mimic=Mimic(f'{kind} 0') if mimic else None)
              for number, kind in enumerate(tree.JOINT_MARKS) for mimic in (0, 1)]
    joints.append(Joint('fixed', 'fixed', '6', '7'))
    tree.draw_tree(RobotModel('x', links, tuple(joints), '0'), Path('x.png'))
    figures[0].canvas.draw()   # puts the entries in their places
    axes = figures[0].axes[0]
    entries = axes.get_legend().get_texts()
    assert len(entries) == 1 + 2 * len(tree.JOINT_MARKS) + 2
    assert_apart(figures[0], [*entries, *(text for text in axes.texts if text.get_text())])


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
    ([RX90, '-o', 'x.gif'], ["'x.gif' does not end in .svg or .png"]),
    ([RX90, '-o', '/proc/x.svg'], ["cannot write to '/proc/x.svg'", 'No such file']),
    (['nowhere.urdf'], ["'nowhere.urdf'", 'No such file']),
])
def test_errors_are_one_line_and_exit_code_1(words, expected, capsys):
    assert main(['graph', *map(str, words)]) == 1
    said = capsys.readouterr()
    assert said.out == '' and said.err.startswith('error: ') and said.err.count('\n') == 1
    for word in expected:
        assert word in said.err
