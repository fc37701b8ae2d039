"""One page of HTML, without any address outside it, that computes and draws a robot."""

import json
import re
from base64 import b64encode
from dataclasses import replace
from hashlib import sha256
from html import escape
from importlib.resources import files
from math import hypot, pi
from string import Template

from urdf2dyn_ros.codegen.generator import LOADS
from urdf2dyn_ros.codegen.signature import LinkFrames
from urdf2dyn_ros.errors import ExportError
from urdf2dyn_ros.export import default_name, export_model
from urdf2dyn_ros.robot.joints import JOINTS
from urdf2dyn_ros.robot.loads import GRAVITY, Loads, Payload
from urdf2dyn_ros.robot.model import Limits, LoopFrame, RobotModel
from urdf2dyn_ros.robot.multibody import ROOT, Attached, Multibody, make_multibody
from urdf2dyn_ros.robot.rotations import composed
from urdf2dyn_ros.robot.spatial import Matrix, Triple, Vector
from urdf2dyn_ros.text import counted, printable

NO_PAYLOAD = Payload(0.0)


# ---- What the page of a robot draws and computes, as data for JSON

# on a slider; whether a joint turns, to positions on both sides of zero without limits [rad or m],
# and to the longest range [rad or m]: the part nearest to zero
_UNLIMITED_RANGE, _LONGEST_RANGE = {True: pi, False: 0.5}, {True: 4.0 * pi, False: 50.0}
# largest velocity where there is no limit [rad/s or m/s], and acceleration
_VELOCITY, _ACCELERATION = 2.0, 10.0
_LARGEST_VELOCITY = 50.0   # [rad/s or m/s]; limits beyond, as 1000 rad/s, are none a robot keeps


def drawn_bodies(system: Multibody) -> list[int]:
    """Return the numbers of the bodies that have links."""
    return [i for i, body in enumerate(system.bodies) if body.attached]


def robot_data(model: RobotModel, system: Multibody, gravity: Triple) -> dict[str, object]:
    """
    Return joints with ranges, moving bodies, and links with places in their body's frame.

    Upwards is where gravity comes from, z without gravity.

    The frame of a body is that of its first link, as `forward_kinematics` returns it; -1 is the
    root. Lengths are in [m], positions in [rad or m].
    """
    drawn = drawn_bodies(system)
    place = {body: k for k, body in enumerate(drawn)}
    bodies = [_body(system, i) for i in drawn]
    size = hypot(*gravity)
    up = tuple(-g / size for g in gravity) if size else (0.0, 0.0, 1.0)
    return {'name': model.name, 'up': up, 'joints': [_joint(system, i) for i in system.motors],
            'bodies': bodies, 'links': _links(model, system, place),
            'loops': [_loop_end(system, end) for loop in model.loops
                      for end in (loop.first, loop.second)]}


def _joint(system: Multibody, number: int) -> dict[str, object]:
    body = system.bodies[number]
    joint, limits = JOINTS[body.type], body.limits
    lower, upper = _range(bool(joint.turns), limits)
    start = dict(system.closed_loops.start)[body.name] if system.closed_loops else (
        0.0 if lower <= 0.0 <= upper else 0.5 * (lower + upper))
    return {'name': body.name, 'start': start, 'turns': bool(joint.turns), 'unit': joint.unit,
            'effortUnit': joint.effort_unit, 'lower': lower, 'upper': upper,
            'velocity': min(limits.velocity or _VELOCITY, _LARGEST_VELOCITY),
            'acceleration': _ACCELERATION, 'limit': limits.effort or 0.0}


def _range(turns: bool, limits: Limits) -> tuple[float, float]:
    lower, upper = limits.lower, limits.upper
    if lower is None or upper is None or not lower < upper:
        return -_UNLIMITED_RANGE[turns], _UNLIMITED_RANGE[turns]
    longest = _LONGEST_RANGE[turns]
    lower = max(lower, min(-0.5 * longest, upper - longest))
    return lower, min(upper, lower + longest)


def _body(system: Multibody, number: int) -> dict[str, object]:
    body = system.bodies[number]
    first, motors = body.attached[0], system.actuated
    joint = motors.index(body.coordinate) if body.coordinate in motors else None
    return {'joint': joint, 'turns': bool(JOINTS[body.type].turns),
            'axis': first.body_R_link.T @ (0.0, 0.0, 1.0)}


def _links(model: RobotModel, system: Multibody, place: dict[int, int]) -> list[dict[str, object]]:
    """Return all links, each with its parent's number, its origin and its centre of mass."""
    parents = {joint.child: joint.parent for joint in model.joints}
    links = system.links
    numbers = {name: k for k, name in enumerate(links)}
    result = []
    for name, (number, each) in links.items():
        first = system.attached(number)[0]
        R, p = _in_frame_of(first, each)
        inertia = each.link.inertia
        result.append({
            'name': name, 'body': place.get(number, -1), 'at': p,
            'parent': numbers[parents[name]] if name in parents else -1,
            'mass': inertia.mass if inertia else 0.0,
            'com': p + R @ inertia.com if inertia else p})
    return result


def _loop_end(system: Multibody, end: LoopFrame) -> dict[str, object]:
    number, each = system.links[end.link]
    first = system.attached(number)[0]
    R, p = _in_frame_of(first, each)
    return {'link': list(system.links).index(end.link), 'at': p + R @ end.xyz}


def _carrier(system: Multibody) -> str:
    """Return the last link before the tree branches: the hand of an arm, the trunk of a walker."""
    number, parents = ROOT, [body.parent for body in system.bodies]
    while parents.count(number) == 1:
        number = parents.index(number)
    return system.attached(number)[-1].link.name


def _payload_data(system: Multibody, link: str, payload: Payload) -> dict[str, object]:
    number, each = system.links[link]
    first = system.attached(number)[0]
    return {'link': list(system.links).index(link), 'R': _in_frame_of(first, each)[0],
            'values': [payload.mass, *payload.com], 'inertia': payload.inertia}


def _in_frame_of(first: Attached, other: Attached) -> tuple[Matrix, Vector]:
    """Return rotation and origin of a link in the frame of another one of the same body."""
    first_R_body = first.body_R_link.T
    return (composed(first_R_body, other.body_R_link),
            first_R_body @ other.body_p_link)   # the first has its origin


# ---- One page of HTML, without any address outside it, that computes and draws a robot

_SCRIPTS = ('view.js', 'page.js')   # in the order in which they use each other

_MODULE = """<script type="module" data-file="{file}">
{text}
globalThis.exported = {{ ...globalThis.exported, {function},
    selfTests: [...globalThis.exported?.selfTests ?? [], selfTest] }};
</script>"""


def robot_page(model: RobotModel, gravity: tuple[float, float, float] = GRAVITY,
               loads: Loads = LOADS, payload: Payload = NO_PAYLOAD) -> str:
    """
    Return the page: sliders for q, qd and qdd, the robot, and bars of the efforts by term.

    It runs the JavaScript that `export_model` returns for `terms` and `forward_kinematics`. The
    root stands still, also that of a floating robot. The page begins with this gravity [m/s^2],
    in the root frame, and this payload; its link is that of the loads, or else the last one before
    the tree branches. An ExportError for a robot without movable joints, for external wrenches
    and for a moving base.
    """
    system = make_multibody(model)
    if not system.joint_names:
        raise ExportError('the robot has no movable joint: a page has nothing to move')
    for what, names in (('external wrenches on ', loads.external),
                        ('a moving base', ('',) * (loads.base == 'moving'))):
        if names:
            raise ExportError(f'a page has no sliders for {what}{", ".join(names)}: remove this '
                              'load')
    # gravity is an input as the acceleration of the root, which a robot on a world cannot have
    still = bool(system.floating and system.anchored)
    loads = replace(loads, base='fixed' if still else 'moving',
                    payload=loads.payload or _carrier(system))
    loads.check(system)
    name = default_name(model.name)
    links = tuple(system.bodies[i].attached[0].link.name for i in drawn_bodies(system))
    exports = {
        'terms': export_model(model, 'javascript', 'fast', f'{name[:38]}_terms', gravity, 'terms',
                              loads),
        'forwardKinematics': export_model(model, 'javascript', 'fast', f'{name[:38]}_links',
                                          gravity, 'forward_kinematics',
                                          frames=LinkFrames(links))}
    # without what HTML reads as the end of a script or as a comment
    modules = [_MODULE.format(file=file, function=function + ', close, passiveStart' * bool(
        system.closed_loops), text=text.rstrip('\n').replace(
        '</', '<\\/').replace('<!--', '<\\!--'))
        for function, texts in exports.items() for file, text in texts.items()]
    scripts = '\n'.join(_file(script).replace('\nexport ', '\n') for script in _SCRIPTS)
    data = json.dumps({**robot_data(model, system, gravity), 'gravity': gravity, 'still': still,
                       'payload': _payload_data(system, loads.payload, payload)})
    page = _Page(_file('page.html')).safe_substitute({
        'style': _file('page.css').rstrip(), 'title': escape(printable(model.name)),
        'about': escape(f'{counted(len(system.motors), "joint")}, {model.mass:.4g} kg. Set '
                        'positions, velocities and accelerations; the bars show the efforts that '
                        'they require, term by term.'), 'notes': escape(_notes(system)),
        'loads': 'Payload' if still else 'Payload and gravity',
        'data': data.replace('<', '\\u003c'), 'modules': '\n'.join(modules),
        'scripts': scripts.rstrip()})
    return page.replace('@policy', _policy(page), 1)


def _policy(page: str) -> str:
    """Return the policy of a page's content: its own scripts and style, by their hashes."""
    hashes = {tag: ' '.join(
        f"'sha256-{b64encode(sha256(text.encode()).digest()).decode()}'"
        for text in re.findall(rf'<{tag}{kind}>(.*?)</{tag}>', page, re.DOTALL))
        for tag, kind in (('script', ' type="module"[^>]*'), ('style', ''))}
    return (f"default-src 'none'; script-src {hashes['script']}; style-src {hashes['style']}; "
            "img-src data:; base-uri 'none'; form-action 'none'")


def _notes(system: Multibody) -> str:
    fixed = ('The root floats in the description; here it stands still. '
             if system.floating else '')
    if system.closed_loops:
        fixed += 'Sliders stop where the closed loops do not close, or are singular. '
    return (f'{fixed}Gravity is in the root frame; the place of the payload, an orange disc, in '
            'the frame of its link. Lines are links, cylinders revolute joints, blocks prismatic '
            'ones, grey discs masses; x, y and z are those of the root frame. A joint is the more '
            'coloured, the longer its bar is.')


def _file(name: str) -> str:
    return files('urdf2dyn_ros.page').joinpath(name).read_text(encoding='utf-8')


class _Page(Template):
    """A text with values for @name; values are not searched for further names."""

    delimiter = '@'
