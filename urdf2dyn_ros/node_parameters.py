"""The parameters of the node inverse_dynamics, which config/dynamics.yaml shows."""

from __future__ import annotations

import json
import textwrap

from urdf2dyn_ros.compiled.backend import BACKENDS
from urdf2dyn_ros.external_wrenches import ExternalWrenches
from urdf2dyn_ros.languages import LANGUAGES
from urdf2dyn_ros.load_parameters import BASE, EXTERNAL, JOINTS, LOADS
from urdf2dyn_ros.loads.payload import PAYLOAD
from urdf2dyn_ros.moving_base import MovingBase
from urdf2dyn_ros.observer.contact import ContactDetector
from urdf2dyn_ros.observer.momentum_observer import MomentumObserver
from urdf2dyn_ros.parameters import Parameter
from urdf2dyn_ros.parameters.gravity import GRAVITY_PARAMETER
from urdf2dyn_ros.parameters.parameter_family import Family
from urdf2dyn_ros.program.generator import STYLES
from urdf2dyn_ros.program.models import CHOICES
from urdf2dyn_ros.stream.assembly import STREAM_PARAMETERS

_OWN = (
    Parameter('robot_description', '',
              'URDF text of the robot; if empty, the topic robot_description is heard instead.'),
    Parameter('strict_inertia', False,
              'Refuse a description with an inertia that no body can have, instead of computing '
              'with it and warning.'),
    GRAVITY_PARAMETER,
    Parameter('backend', 'auto', 'What runs the equations: the Python text; the same compiled '
              'from C, once for a robot and a machine, and with it the filter kalman; or auto: C '
              'where there is a compiler.',
              choices=BACKENDS),
    BASE,
    *(row.named(f'moving_base.{row.name}') for row in MovingBase.PARAMETERS),
    *LOADS,
    *PAYLOAD,
    *(row.named(f'wrench.{row.name}') for row in ExternalWrenches.PARAMETERS),
    Parameter('terms.enabled', False, 'Publish the terms of the efforts, whose sum they are, on '
              '~/terms/gravity, coriolis, inertia, friction, rotor, spring and external.'),
    Parameter('observer.enabled', False, 'Publish what touches the robot: its efforts on '
              '~/external_efforts, and on ~/contact whether they have been over their thresholds. '
              'Needs measured efforts and a base that stands still.'),
    *(row.named(f'observer.{row.name}') for row in MomentumObserver.PARAMETERS),
    *(row.named(f'contact.{row.name}') for row in ContactDetector.PARAMETERS),
    Parameter('queue_depth', 1000, 'Joint states kept while the node is busy; the oldest go '
              'first.', minimum=1, maximum=100_000, read_only=True),
    Parameter('diagnostics.enabled', True,
              'Publish on /diagnostics what is published on ~/status.', read_only=True),
    Parameter('export.language', 'python', 'Language of exported files.',
              choices=tuple(LANGUAGES)),
    Parameter('export.style', 'readable', 'Style of exported files.', choices=STYLES),
    Parameter('export.model', 'inverse_dynamics',
              'Function of exported files; all: these four, and one that returns all at once.',
              choices=CHOICES),
    Parameter('export.name', '', "Stem of exported files' names; if empty, the robot's name."),
    Parameter('export.directory', '~/.ros/urdf2dyn_ros', 'Where exported files go.',
              read_only=True),
    Parameter('export.overwrite', False,
              'Replace an exported file whose text is another one by now.'),
)

PARAMETERS: tuple[Parameter, ...] = (*_OWN, *STREAM_PARAMETERS)

FAMILIES = (JOINTS, EXTERNAL)


def config_file() -> str:
    """Return the text of config/dynamics.yaml."""
    lines = ['# Parameters of the node inverse_dynamics at their defaults.',
             '# Edit a copy, and launch with config:=COPY or run with --params-file COPY.',
             '# Written by `make config` from urdf2dyn_ros/node_parameters.py.',
             '/**:', '  ros__parameters:']
    for row in PARAMETERS:
        fixed = '; fixed after the start' if row.read_only else ''
        # an empty text here would override a description that was given before this file
        hidden = '# ' if row.name == 'robot_description' else ''
        lines += [*_comment(row, '', fixed),
                  f'    {hidden}{row.name}: {json.dumps(row.default)}', '']
    for family in FAMILIES:
        lines += [*_family(family), '']
    return '\n'.join(lines[:-1]) + '\n'


def _family(family: Family) -> list[str]:
    """Return lines that show the parameters of a family, all of them comments."""
    if not family.rows[0].name:
        row, = family.rows
        return [*_comment(row, '', '; fixed after the start'), f'    # {family.prefix}:',
                f'    #   <name of the {family.thing}>: {json.dumps(row.default)}']
    lines = [f'    # For each {family.thing}, at its defaults; a name with dots in one word: '
             f'{family.prefix}.a.b.{family.rows[0].name}.',
             f'    # {family.prefix}:', f'    #   <name of the {family.thing}>:']
    for row in family.rows:
        lines += [*_comment(row, '    # '), f'    #     {row.name}: {json.dumps(row.default)}']
    return lines


def _comment(row: Parameter, indent: str = '', more: str = '') -> list[str]:
    start = f'    # {indent}'
    return textwrap.wrap(f'{row.meaning} {row.rule[0].upper()}{row.rule[1:]}{more}.', 98,
                         initial_indent=start, subsequent_indent=start)


if __name__ == '__main__':
    print(config_file(), end='')
