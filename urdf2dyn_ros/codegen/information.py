"""What a robot consists of and what its equations cost, as data and as text."""

import math
from collections.abc import Iterator, Sequence
from typing import Any

from urdf2dyn_ros.codegen.generator import LOADS, STYLES, generate
from urdf2dyn_ros.codegen.program import JointRow, Operations
from urdf2dyn_ros.codegen.signature import ONLY_TIP, LinkFrames
from urdf2dyn_ros.equations.fewest_operations import for_any_inertia
from urdf2dyn_ros.equations.regressor import find_base_parameters
from urdf2dyn_ros.robot.loads import GRAVITY, Loads
from urdf2dyn_ros.robot.model import RobotModel
from urdf2dyn_ros.robot.multibody import ROOT, Multibody, make_multibody
from urdf2dyn_ros.robot.rotations import PRINTED, ROUNDOFF, is_coarse, quarter_turns
from urdf2dyn_ros.robot.terms import JointTerm
from urdf2dyn_ros.text import aligned, counted, quote


def information(model: RobotModel,
                gravity: tuple[float, float, float] = GRAVITY,
                loads: Loads = LOADS, functions: str = 'inverse_dynamics',
                frames: LinkFrames = ONLY_TIP) -> dict[str, Any]:
    """
    Return joints, bodies, lumped links, masses [kg], what acts and operations of a robot.

    JSON can hold it. Independent joints are in the order of q; operations and results are those of
    the function, of several of that which combines them; base parameters, of the regressor alone,
    in the order of its columns.
    """
    system = make_multibody(model)
    programs = {style: generate(system, name='robot', style=style, gravity=gravity, loads=loads,
                                functions=functions, frames=frames) for style in STYLES}
    last = {style: program.functions[-1] for style, program in programs.items()}
    rows = programs['fast'].joints
    bodies = []
    for row, body in zip(rows, system.bodies):
        links = [attached.link for attached in body.attached]
        bodies.append({
            'number': row.number, 'joint': row.name, 'type': row.type, 'mimic': row.driver,
            'parent': None if body.parent == ROOT else body.parent + 1,
            'links': [link.name for link in links], 'mass': sum(link.mass for link in links)})
    base: dict[str, Any] = {}
    if functions == 'regressor':
        minimal = find_base_parameters(for_any_inertia(system)[0], gravity)
        base['base_parameters'] = [
            {'name': name, 'value': value, 'unit': unit, 'formula': formula}
            for name, value, unit, formula in zip(
                minimal.names, minimal.values.tolist(), minimal.units, minimal.formulas)]
    return {
        'name': model.name,
        'mass': model.mass,
        'moving_mass': sum(body['mass'] for body in bodies),
        'joints': [{'name': row.name, 'type': row.type, 'unit': row.unit,
                    'effort_unit': row.effort_unit} for row in programs['fast'].independent],
        'bodies': bodies,
        'fixed_to_root': [attached.link.name for attached in system.root],
        'acting': acting(system, rows, loads),
        'about': [*programs['fast'].loads] if programs['fast'].kinematic else [],
        'model': last['fast'].name,
        'operations': {style: function.operations._asdict() for style, function in last.items()},
        'results': [{   # a vector has no columns
            'name': result.name, 'what': result.quantity.summary, 'rows': result.shape[0],
            'columns': result.shape[1] if result.is_matrix else None}
                    for result in last['fast'].results],
        'warnings': [str(problem) for problem in model.warnings],
        **base,
    }


def rounded_angles(model: RobotModel) -> Iterator[str]:
    """Yield what is rounded in origins, a line each: angles that are read as quarter turns."""
    origins = [(f'joint {quote(joint.name)} <origin>', joint.rpy) for joint in model.joints]
    origins += [(f'link {quote(link.name)} <inertial><origin>', link.inertia.rpy)
                for link in model.links if link.inertia is not None]
    origins += [(f'<force link={quote(force.link)}>', force.rpy) for force in model.forces]
    for place, angles in origins:
        for axis, angle in zip(('roll', 'pitch', 'yaw'), angles):
            turns = quarter_turns(angle)
            error = 0.0 if turns is None else abs(angle - turns * math.pi / 2)
            if error >= ROUNDOFF:
                yield (f'{place}: {axis} {angle!r} rad is read as {90 * (turns or 0)} deg, '
                       f'{error:.2g} rad from it')
    coarse = [angle for joint in model.joints for angle in joint.rpy if is_coarse(angle)]
    if coarse:
        yield (f'{len(coarse)} angles of joints are quarter turns printed with few decimals, the '
               f'first is {coarse[0]!r} rad: they are read as they are, but entries of rotation '
               f'matrices within {PRINTED:g} of 0 and 1 are read as 0 and 1')


def acting(system: Multibody, rows: Sequence[JointRow], loads: Loads) -> list[str]:
    """Return the loads in addition to the links' inertia and gravity, a line each."""
    lines = [f'{term.NAME} of {row.name}: {_parameters(term, row)}'
             for row in rows for term in loads.terms.get(row.name, ())]
    lines += [f'force of the URDF on link {force.link}' for force in system.forces]
    lines += [f'external wrench on link {link}' for link in loads.external]
    if loads.payload:
        lines.append(f'payload on link {loads.payload}')
    if loads.moving(system):
        lines.append('motion of the root')
    return lines


def _parameters(term: JointTerm, row: JointRow) -> str:
    texts = []
    for _, each, value in term.parameters():
        unit = each.unit.format(unit=row.unit, effort=row.effort_unit)
        texts.append(f'{each.what} {value:.6g} {unit}')
    if getattr(term, 'gyroscopic', False):
        texts.append('gyroscopic')
    return ', '.join(texts)


def information_text(robot: dict[str, Any]) -> str:
    """Return what `information` returns as lines of text."""
    lines = [f"{robot['name']}: {counted(len(robot['joints']), 'joint')}, "
             f"{counted(len(robot['bodies']), 'body', 'bodies')}, "
             f"{robot['mass']:.6g} kg, of which {robot['moving_mass']:.6g} kg move", '']
    rows = [('i', 'joint', 'type', 'parent', 'mass [kg]', 'links (lumped after the first)')]
    for body in robot['bodies']:
        follows = (' (passive)' if body['mimic'] == 'passive' else
                   f" (mimic: {body['mimic']})" if body['mimic'] else '')
        rows.append((str(body['number']), body['joint'], body['type'] + follows,
                     str(body['parent'] or 'root'), f"{body['mass']:.6g}",
                     ', '.join(body['links'])))
    lines += [*aligned(rows, left=6), '',
              'fixed to the world: ' + ', '.join(robot['fixed_to_root'])]
    lines += robot['acting'] + robot['about']
    for result in robot['results'] if robot['model'] != 'inverse_dynamics' else ():
        size = ' x '.join(str(n) for n in (result['rows'], result['columns']) if n is not None)
        lines.append(f"{robot['model']}: {result['name']} ({size}), {result['what']}")
    for base in robot.get('base_parameters', ()):
        lines.append(f"    {base['name']:6} {base['value'] + 0.0: .6g} {base['unit']}: "
                     f"{base['formula']}")
    lines += [f'{style} style: {Operations(**cost)}'
              for style, cost in robot['operations'].items()]
    return '\n'.join(lines)
