"""urdf2dyn page: one file without addresses, whose efforts and places are those of the oracles."""

import json
import re
import shutil
import subprocess
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pinocchio as pin
import pytest

from support.mechanisms import mechanism
from support.oracles import Mimics, prepared, random_state
from support.pages import Source, allowed, asked, in_a_browser
from support.paths import ROOT
from support.random_trees import robot
from support.robot_files import OWN, robot_path
from urdf2dyn_ros import InverseDynamics, Payload, read_urdf
from urdf2dyn_ros.__main__ import main
from urdf2dyn_ros.errors import ExportError
from urdf2dyn_ros.page.robot_page import drawn_bodies, robot_data, robot_page
from urdf2dyn_ros.robot.loads import Loads
from urdf2dyn_ros.robot.model import Limits
from urdf2dyn_ros.robot.multibody import make_multibody
from urdf2dyn_ros.robot.terms import Friction

FRICTION = Loads(terms={'joint2': [Friction(viscous=3.0, coulomb=5.0)]})
STATE = ([0.3, -0.5, 0.4, 1.0, -1.2, 0.7], [1.0, -1.5, 2.0, 0.5, -2.0, 3.0],
         [4.0, 3.0, -2.0, 1.0, 5.0, -6.0])
LOADED = [3.0, 0.1, -0.2, 0.3, 1.0, -2.0, -8.0]   # payload [kg, m] and gravity [m/s^2] as typed
HOSTILE = """<robot name="&lt;/script&gt;&lt;!--@data"><link name="base"/>
<link name="&lt;/script&gt;"><inertial><mass value="2"/><origin xyz="0.2 0 0"/>
<inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial></link>
<joint name="&lt;!--&lt;script&gt;" type="planar"><parent link="base"/>
<child link="&lt;/script&gt;"/><axis xyz="0 0 1"/></joint></robot>"""

FRAMES = """<script>
requestAnimationFrame = (draw) => setTimeout(() => draw(performance.now()), 16);
</script>"""
"""Frames of a browser without a screen, which draws none while it dumps a page."""

ASK = """<script type="module">
const pixels = () => document.querySelector('canvas').toDataURL();
const frame = () => new Promise((done) => requestAnimationFrame(done));
const drawn = async () => (await frame(), frame());
const numbers = (where) => [...document.querySelectorAll(where)].map(({ value }) => Number(value));
await drawn();
const before = pixels();
const type = (where, values) => document.querySelectorAll(where).forEach((input, i) => {
  input.value = values[i];
  input.dispatchEvent(new Event('input'));
});
for (const [k, quantity] of ['q', 'qd', 'qdd'].entries()) {
  type(`.${quantity} [type=range]`, @state[k]);
}
const sums = numbers('.head data'), after = (await drawn(), pixels());
type('#loads input', @loads);
const loaded = numbers('.head data');
document.getElementById('degrees').click();
const texts = (where) => [...document.querySelectorAll(where)].map((each) => each.textContent);
const units = new Set(texts('.value span'));
type('.q [type=number]', @state[0].map((angle) => -angle * 180 / Math.PI));
const typed = numbers('.head data');
document.getElementById('share').click();
const shared = location.hash;
document.getElementById('zero').click();
type('#loads input', [0, 0, 0, 0, 0, 0, 0]);
location.hash = shared.replace('payload=', 'payload=hello,');   // which is not taken over
await new Promise((done) => addEventListener('hashchange', () => setTimeout(done)));
const misspelt = numbers('.head data');
location.hash = shared;
await new Promise((done) => addEventListener('hashchange', () => setTimeout(done)));
const visited = numbers('.head data');
const bars = [...document.querySelectorAll('.bar')].map((bar) => bar.ariaLabel);
document.querySelector('[data-shown=qd]').click();
const shown = [...document.querySelectorAll('.slider')].filter((row) => row.checkVisibility());
document.getElementById('move').click();
for (let k = 0; k < 5; k++) await drawn();
document.title = JSON.stringify({ sums, loaded, units: [...units], typed, misspelt, visited, bars,
  changed: before !== after && pixels() !== after,
  moved: numbers('.qd [type=number]'), shown: new Set(shown.map((row) => row.className)).size,
  check: document.getElementById('check').textContent,
  legend: texts('#legend li'),
  links: globalThis.exported.forwardKinematics(@state[0]),
  beyond: document.documentElement.scrollWidth - innerWidth,
  paper: getComputedStyle(document.body).backgroundColor });
</script>"""


@pytest.fixture(scope='module')
def rx90() -> str:
    return robot_page(read_urdf(OWN / 'rx90.urdf'), loads=FRICTION)


def data_of(page: str) -> Any:
    return json.loads(re.findall(r'id="robot">(.*?)</script>', page)[0])


def test_it_is_one_file_without_an_address(rx90: str) -> None:
    source = Source(rx90)
    for _, attributes in source.tags:
        assert 'src' not in attributes and (attributes.get('href') or 'data:').startswith('data:')
    assert not re.search(r'https?:|@import|url\(|\bfetch\b|XMLHttpRequest|\bimport\b', rx90)


@in_a_browser
def test_a_browser_runs_the_scripts_of_the_page_and_no_other(rx90: str, tmp_path: Path) -> None:
    """What another program writes into the page neither runs nor loads anything."""
    foreign = """<script>document.title = 'foreign'</script>
<img src="x.png" onerror="document.title = 'foreign'"><script src="foreign.js"></script>"""
    (tmp_path / 'foreign.js').write_text("document.title = 'foreign'")
    source = rx90.replace('</main>', foreign + '</main>')
    ask = """<script type="module">document.title = JSON.stringify({
title: document.title, check: document.getElementById('check').textContent })</script>"""
    seen = asked(source, ask, tmp_path, '--virtual-time-budget=2000', complaints=4)
    assert seen['title'] == 'rx90' and 'agree' in seen['check']


def test_sliders_start_within_their_limits() -> None:
    text = re.sub('lower="[^"]*"', 'lower="0.5"', (OWN / 'rx90.urdf').read_text(), count=1)
    first, second, *_ = data_of(robot_page(read_urdf(text)))['joints']
    assert first['start'] == pytest.approx(0.5 * (0.5 + first['upper']))
    assert (first['lower'], second['start'], first['limit']) == (0.5, 0.0, 500.0)


def test_names_are_text_and_data() -> None:
    """Whatever is in them: the page has its scripts, and no more."""
    text = robot_page(read_urdf(HOSTILE))
    source = Source(text)
    assert [tag for tag, _ in source.tags].count('script') == 4
    data = data_of(text)
    assert data['name'] == '</script><!--@data'
    assert [joint['name'].startswith('<!--<script>') for joint in data['joints']] == [True] * 3


@in_a_browser
def test_a_browser_moves_the_robot_and_shows_its_efforts(rx90: str, tmp_path: Path) -> None:
    """On a narrow, dark screen, without a complaint of the browser."""
    page = allowed(rx90, FRAMES[len('<script>'):-len('</script>')])
    seen = asked(page.replace('<header>', FRAMES + '<header>'), ASK.replace(
        '@state', json.dumps(STATE)).replace('@loads', json.dumps(LOADED)), tmp_path,
        '--window-size=500,900', '--blink-settings=preferredColorScheme=0',
        '--virtual-time-budget=2000')
    assert 'agree' in seen['check']
    dynamics = InverseDynamics(OWN / 'rx90.urdf', loads=FRICTION, backend='python')
    np.testing.assert_allclose(seen['sums'], dynamics(*STATE), rtol=1e-9, atol=1e-9)
    q, qd, qdd = map(np.array, STATE)
    mass, *com = LOADED[:4]
    loaded = InverseDynamics(OWN / 'rx90.urdf', LOADED[4:], loads=replace(
        FRICTION, payload='link6'), backend='python')
    payload = Payload(mass, com)
    for shown, state in (('loaded', STATE), ('typed', (-q, qd, qdd)), ('visited', (-q, qd, qdd))):
        np.testing.assert_allclose(seen[shown], loaded(*state, payload=payload), rtol=1e-7)
    assert seen['units'] == ['deg', 'deg/s', 'deg/s\u00b2']
    np.testing.assert_allclose(
        seen['misspelt'], InverseDynamics(OWN / 'rx90.urdf', LOADED[4:], loads=FRICTION,
                                          backend='python')(-q, qd, qdd), rtol=1e-7)
    assert seen['legend'] == ['gravity', 'coriolis', 'inertia', 'friction', 'sum']
    terms = [dict(part.rsplit(' ', 1) for part in bar.split(', ')) for bar in seen['bars']]
    friction = float(terms[1]['friction'].replace('\u2212', '-'))
    assert friction == pytest.approx(3.0 * STATE[1][1] - 5.0, rel=5e-3)
    for k, link in enumerate(make_multibody(dynamics.model).bodies, 1):
        R, p = dynamics.forward_kinematics(STATE[0], link=link.attached[0].link.name)
        np.testing.assert_allclose(seen['links'][f'R_{k}'], R, atol=1e-12)
        np.testing.assert_allclose(seen['links'][f'p_{k}'], p, atol=1e-12)
    assert seen['changed'] and len({*seen['moved']}) == 6
    assert (seen['shown'], seen['paper']) == (1, 'rgb(22, 25, 29)')
    assert seen['beyond'] <= 0


@pytest.mark.skipif(shutil.which('node') is None, reason='needs node (apt install nodejs)')
def test_the_motion_has_exact_derivatives_and_stays_within_the_ranges(tmp_path: Path) -> None:
    """By central differences; it begins where the robot is, also at the end of a range."""
    shutil.copy(ROOT / 'urdf2dyn_ros' / 'page' / 'view.js', tmp_path / 'view.mjs')
    model = read_urdf(OWN / 'scara.urdf')
    data: Any = robot_data(model, make_multibody(model), (0.0, 0.0, -9.81))
    joints = data['joints']
    start = [joints[0]['upper'], 0.3, -0.4, joints[3]['lower']]
    (tmp_path / 'run.mjs').write_text(f"""
        import {{ Motion }} from './view.mjs';
        const motion = new Motion({json.dumps(joints)}, {json.dumps(start)});
        const times = Array.from({{ length: 12001 }}, (_, k) => k * 1e-3);
        console.log(JSON.stringify(times.map((time) => Object.values(motion.at(time)))));""")
    done = subprocess.run(['node', 'run.mjs'], cwd=tmp_path, capture_output=True, text=True,
                          check=True, timeout=60)
    q, qd, qdd = np.array(json.loads(done.stdout)).transpose(1, 0, 2)
    np.testing.assert_allclose(q[0], start)
    np.testing.assert_allclose((q[2:] - q[:-2]) / 2e-3, qd[1:-1], atol=1e-5)
    np.testing.assert_allclose((qd[2:] - qd[:-2]) / 2e-3, qdd[1:-1], atol=1e-5)
    assert (q.max(axis=0) <= [joint['upper'] + 1e-9 for joint in joints]).all()
    assert (q.min(axis=0) >= [joint['lower'] - 1e-9 for joint in joints]).all()
    assert (np.ptp(q, axis=0) > 0.05).all()


@pytest.mark.parametrize(('kind', 'limits', 'shown'), [
    ('revolute', (7.0, 9.0, 3.0), (7.0, 9.0, 3.0)),
    ('revolute', (-100.0, 100.0, 1000.0), (-2.0 * np.pi, 2.0 * np.pi, 50.0)),
    ('revolute', (-80.0, -50.0, 20.0), (-50.0 - 4.0 * np.pi, -50.0, 20.0)),
    ('prismatic', (8.0, 20.0, 1.0), (8.0, 20.0, 1.0)),
    ('prismatic', (-80.0, 80.0, 1.0), (-25.0, 25.0, 1.0)),
    ('prismatic', (None, None, 0.0), (-0.5, 0.5, 2.0)),
    ('revolute', (3.0, 3.0, 1.0), (-np.pi, np.pi, 1.0))])
def test_sliders_keep_within_the_limits_and_are_no_longer_than_a_hand_can_set(kind, limits, shown):
    model = robot('robot_2r')
    lower, upper, velocity = limits
    joints = (replace(model.joints[0], type=kind, limits=Limits(lower, upper, 1.0, velocity)),
              *model.joints[1:])
    data: Any = robot_data(model, make_multibody(replace(model, joints=joints)), (0.0, 0.0, -9.81))
    first = data['joints'][0]
    assert (first['lower'], first['upper'], first['velocity']) == pytest.approx(shown)
    assert (first['acceleration'], first['limit']) == (10.0, 1.0)


@pytest.mark.skipif(shutil.which('node') is None, reason='needs node (apt install nodejs)')
def test_random_positions_are_within_the_range_also_if_zero_is_not(tmp_path: Path) -> None:
    shutil.copy(ROOT / 'urdf2dyn_ros' / 'page' / 'view.js', tmp_path / 'view.mjs')
    (tmp_path / 'run.mjs').write_text("""
        import { drawn } from './view.mjs';
        console.log(JSON.stringify(Array.from({ length: 1000 }, () => drawn(8, 20, 0.6))));""")
    done = subprocess.run(['node', 'run.mjs'], cwd=tmp_path, capture_output=True, text=True,
                          check=True, timeout=60)
    positions = json.loads(done.stdout)
    assert 10.4 <= min(positions) < 10.8 and 17.2 < max(positions) <= 17.6


@pytest.mark.parametrize('path', map(robot_path, (
    'humanoid_3p33r', 'tiago_dual', 'ur5_robot')), ids=lambda path: path.stem)
def test_links_masses_and_axes_are_where_pinocchio_has_them(path: Path) -> None:
    """Also lumped ones: the page knows the frames of the bodies' first links alone."""
    text = prepared(path.read_bytes())
    model = read_urdf(text)
    system, oracle = make_multibody(model), pin.buildModelFromXML(text)
    state = Mimics(text).expanded(random_state(system.joint_names))
    data, q = oracle.createData(), pin.neutral(oracle)
    for name, joint in zip(oracle.names, oracle.joints):
        if name in state:
            angle = state[name][0]
            q[joint.idx_q:joint.idx_q + joint.nq] = (
                [np.cos(angle), np.sin(angle)] if joint.nq == 2 else angle)
    pin.computeJointJacobians(oracle, data, q)
    pin.updateFramePlacements(oracle, data)
    placed: dict[str, Any] = {frame.name: data.oMf[i] for i, frame in enumerate(oracle.frames)
                              if frame.type == pin.FrameType.BODY}
    shown: Any = robot_data(model, system, (0.0, 3.0, -4.0))
    assert shown['up'] == pytest.approx((0.0, -0.6, 0.8))
    bodies = [system.bodies[i] for i in drawn_bodies(system)]
    firsts = [placed[body.attached[0].link.name] for body in bodies]
    inertias = {link.name: link.inertia for link in model.links}
    assert len(shown['links']) == len(model.links)
    names = [link['name'] for link in shown['links']]
    assert {link['name']: names[link['parent']] for link in shown['links']
            if link['parent'] >= 0} == {joint.child: joint.parent for joint in model.joints}
    for link in shown['links']:
        frame = firsts[link['body']] if link['body'] >= 0 else placed[model.root]
        true, inertia = placed[link['name']], inertias[link['name']]
        np.testing.assert_allclose(frame.act(np.array(link['at'])), true.translation, atol=1e-9)
        com = true.act(np.array(inertia.com)) if inertia else true.translation
        assert link['mass'] == (inertia.mass if inertia else 0.0)
        np.testing.assert_allclose(frame.act(np.array(link['com'])), com, atol=1e-9)
    for body, first, drawn in zip(bodies, firsts, shown['bodies']):
        column = data.J[:, oracle.joints[oracle.getJointId(body.name)].idx_v]
        axis = column[3:] if drawn['turns'] else column[:3]
        np.testing.assert_allclose(first.rotation @ np.array(drawn['axis']), axis, atol=1e-9)


def test_a_payload_is_on_the_last_link_of_an_arm_in_its_axes() -> None:
    data = data_of(robot_page(read_urdf(robot_path('ur5_robot'))))
    link = data['links'][data['payload']['link']]
    assert (link['name'], link['at']) == ('tool0', pytest.approx([0.0, 0.0823, 0.0]))
    np.testing.assert_allclose(data['payload']['R'], [[1, 0, 0], [0, 0, 1], [0, -1, 0]], atol=1e-9)


def run(*words: object) -> int:
    return main(['page', *map(str, words)])


def test_the_command_writes_it_and_replaces_nothing(tmp_path, capsys):
    path, robot = tmp_path / 'new' / 'arm.html', OWN / 'robot_2r.urdf'
    assert run(robot, '-o', path) == 0 and capsys.readouterr().out == f'{path}\n'
    assert path.read_text() == robot_page(read_urdf(robot))
    assert run(robot, '-o', path, '--gravity', 0, 0, 0) == 1
    assert '--overwrite' in capsys.readouterr().err
    assert run(robot, '-o', path, '--gravity', 0, 0, 0, '--overwrite') == 0
    data = data_of(path.read_text())
    assert (data['gravity'], data['up']) == ([0.0, 0.0, 0.0], [0.0, 0.0, 1.0])
    assert run(robot, '-o', path, '--gravity', 3, 0, -4, '--overwrite') == 0
    assert data_of(path.read_text())['up'] == pytest.approx([-0.6, 0.0, 0.8])
    assert run(robot, '-o', path, '--payload-link', 'link1', '--payload-mass', 2, '--overwrite'
               ) == 0
    data = data_of(path.read_text())
    assert data['links'][data['payload']['link']]['name'] == 'link1'
    assert data['payload']['values'] == [2.0, 0.0, 0.0, 0.0]
    assert run(robot, '-o', tmp_path / 'arm.png') == 1
    assert 'does not end in .html' in capsys.readouterr().err


@pytest.mark.parametrize(('loads', 'reason'), [
    (Loads(external=('link6',)), 'no sliders for external wrenches on link6: remove'),
    (Loads(base='moving'), 'no sliders for a moving base: remove')])
def test_loads_that_need_arguments_are_rejected(loads: Loads, reason: str) -> None:
    with pytest.raises(ExportError, match=reason):
        robot_page(read_urdf(OWN / 'rx90.urdf'), loads=loads)


def test_a_robot_that_cannot_move_is_rejected() -> None:
    with pytest.raises(ExportError, match='no movable joint'):
        robot_page(read_urdf('<robot name="r"><link name="a"/></robot>'))


def test_every_term_has_a_colour(rx90: str) -> None:
    """On light and on dark paper, as each kind of load is a term."""
    from urdf2dyn_ros.codegen.functions.dynamics import Terms

    styles: Sequence[str] = rx90.partition('@media')[::2]
    for name in (result.name.removeprefix('tau_') for result in Terms.RESULTS):
        assert f'--{name}: #' in styles[0]


@in_a_browser
@pytest.mark.parametrize(('name', 'q', 'far'), [
    ('five_bar', [0.2, -0.1], [-1.5, 1.5]), pytest.param(
        'delta', [0.1, -0.1, 0.2], [2.5, -2.5, 2.5], marks=pytest.mark.slow)])
def test_closed_loops_close_as_sliders_move(name: str, q: list[float], far: list[float],
                                            tmp_path: Path) -> None:
    """They stop where no pose closes."""
    model = read_urdf(mechanism(name))
    seen = asked(robot_page(model), """<script type="module">
const numbers = (where) => [...document.querySelectorAll(where)].map(({ value }) => Number(value));
const type = (where, values) => document.querySelectorAll(where).forEach((input, i) => {
  input.value = values[i];
  input.dispatchEvent(new Event('input'));
});
const start = numbers('.head data');
type('.q [type=range]', @q);
const moved = numbers('.head data');
type('.q [type=range]', @far);
document.title = JSON.stringify({ start, moved, stopped: numbers('.q [type=number]'),
    last: numbers('.head data'), check: document.getElementById('check').textContent });
</script>""".replace('@q', json.dumps(q)).replace('@far', json.dumps(far)), tmp_path,
                 '--virtual-time-budget=3000')
    dynamics = InverseDynamics(model)
    assert 'agree' in seen['check']
    for at, efforts in (([0.0] * dynamics.n, seen['start']), (q, seen['moved'])):
        assert efforts == pytest.approx(dynamics(at), rel=1e-6)
    assert seen['stopped'] != pytest.approx(far, abs=0.1)
    assert len(seen['last']) == dynamics.n and np.isfinite(seen['last']).all()
