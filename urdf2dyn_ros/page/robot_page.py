"""One page of HTML, without any address outside it, that computes and draws a robot."""

import json
from dataclasses import replace
from html import escape
from importlib.resources import files

from urdf2dyn_ros.counting import counted
from urdf2dyn_ros.errors import ExportError
from urdf2dyn_ros.export import default_name, export_model
from urdf2dyn_ros.functions.links.link_frames import LinkFrames
from urdf2dyn_ros.loads import Loads
from urdf2dyn_ros.multibody import Multibody, multibody
from urdf2dyn_ros.page.robot_data import drawn_bodies, robot_data
from urdf2dyn_ros.parameters.gravity import GRAVITY
from urdf2dyn_ros.program.generator import LOADS
from urdf2dyn_ros.quoting import printable
from urdf2dyn_ros.robot_model import RobotModel

_SCRIPTS = ('view.js', 'motion.js', 'page.js')
"""The page's own scripts, in the order in which they use each other."""

_MODULE = """<script type="module" data-file="{file}">
{text}
globalThis.exported = {{ ...globalThis.exported, {function},
    selfTests: [...globalThis.exported?.selfTests ?? [], selfTest] }};
</script>"""


def robot_page(model: RobotModel, gravity: tuple[float, float, float] = GRAVITY,
               loads: Loads = LOADS) -> str:
    """
    Return the page: sliders for q, qd and qdd, the robot, and bars of the efforts by term.

    It runs the JavaScript that `export_model` returns for `terms` and `forward_kinematics`. The
    root stands still, also that of a floating robot. Gravity [m/s^2] is in the root frame; of the
    loads, joint terms and <force> tags count. An ExportError for a robot without movable joints,
    and loads that need arguments in each call.
    """
    system = multibody(model)
    loads = replace(loads, base='fixed') if loads.base == 'auto' else loads
    _check(system, loads)
    name = default_name(model.name)
    links = tuple(system.bodies[i].attached[0].link.name for i in drawn_bodies(system))
    exports = {
        'terms': export_model(model, 'javascript', 'fast', f'{name[:38]}_terms', gravity, 'terms',
                              loads),
        'forwardKinematics': export_model(model, 'javascript', 'fast', f'{name[:38]}_links',
                                          gravity, 'forward_kinematics',
                                          frames=LinkFrames(links))}
    # without what HTML reads as the end of a script or as a comment
    modules = [_MODULE.format(file=file, function=function, text=text.rstrip('\n').replace(
        '</', '<\\/').replace('<!--', '<\\!--'))
        for function, texts in exports.items() for file, text in texts.items()]
    scripts = '\n'.join(_file(script).replace('\nexport ', '\n') for script in _SCRIPTS)
    data = json.dumps(robot_data(model, system, gravity), ensure_ascii=True)
    return _filled(_file('page.html'), {
        'style': _file('page.css').rstrip(), 'title': escape(printable(model.name)),
        'about': escape(_about(model, system)), 'notes': escape(_notes(system, gravity)),
        'data': data.replace('<', '\\u003c'), 'modules': '\n'.join(modules),
        'scripts': scripts.rstrip()})


def _check(system: Multibody, loads: Loads) -> None:
    if not system.joint_names:
        raise ExportError('the robot has no movable joint: a page has nothing to move')
    for what, names in (('external wrenches on ', loads.external),
                        ('a payload on ', (loads.payload,) * bool(loads.payload)),
                        ('a moving base', ('',) * loads.moving(system))):
        if names:
            raise ExportError(f'a page has no sliders for {what}{", ".join(names)}: remove this '
                              'load')


def _about(model: RobotModel, system: Multibody) -> str:
    joints = counted(len(system.joint_names), 'joint')
    return (f'{joints}, {model.mass:.4g} kg. Set positions, velocities '
            'and accelerations; the bars show the efforts that they require, term by term.')


def _notes(system: Multibody, gravity: tuple[float, float, float]) -> str:
    fixed = 'The root floats in the description; here it stands still. ' * system.floating
    return (f'{fixed}Gravity ({", ".join(f"{g:g}" for g in gravity)}) m/s² in the root frame. '
            'Lines are links, cylinders revolute joints, blocks prismatic ones, discs masses. '
            'A joint is the more coloured, the longer its bar is.')


def _file(name: str) -> str:
    return files('urdf2dyn_ros.page').joinpath(name).read_text(encoding='utf-8')


def _filled(text: str, values: dict[str, str]) -> str:
    """Return a text with values for @name; values are not searched for further names."""
    first, *others = text.split('@')
    parts = [first]
    for other in others:
        name = next(name for name in values if other.startswith(name))
        parts += [values[name], other.removeprefix(name)]
    return ''.join(parts)
