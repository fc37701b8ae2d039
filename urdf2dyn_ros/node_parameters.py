"""The parameters of the node inverse_dynamics, which config/dynamics.yaml shows."""

from __future__ import annotations

import json
import textwrap
import time
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from urdf2dyn_ros.compiled.backend import BACKENDS
from urdf2dyn_ros.estimators import ESTIMATORS, Estimator, make_compiled, make_estimator
from urdf2dyn_ros.estimators.estimate import Vector
from urdf2dyn_ros.external_wrenches import ExternalWrenches
from urdf2dyn_ros.inverse_dynamics import InverseDynamics
from urdf2dyn_ros.languages import LANGUAGES
from urdf2dyn_ros.load_parameters import BASE, EXTERNAL, JOINTS, LOADS, sensor
from urdf2dyn_ros.loads.payload import PAYLOAD
from urdf2dyn_ros.moving_base import BASES, MovingBase
from urdf2dyn_ros.multibody import multibody
from urdf2dyn_ros.observer.contact import ContactDetector
from urdf2dyn_ros.observer.contact_watch import ContactWatch
from urdf2dyn_ros.observer.momentum_observer import MomentumObserver, of_joints
from urdf2dyn_ros.parameters import Parameter
from urdf2dyn_ros.parameters.gravity import GRAVITY_PARAMETER
from urdf2dyn_ros.parameters.parameter_family import Family
from urdf2dyn_ros.program.generator import STYLES
from urdf2dyn_ros.program.models import CHOICES
from urdf2dyn_ros.stream.sources import Sources
from urdf2dyn_ros.stream.stream import Stream

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
    Parameter('estimator', 'kalman', 'How accelerations are estimated.',
              choices=tuple(ESTIMATORS)),
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

PARAMETERS: tuple[Parameter, ...] = (
    *_OWN,
    *(row.named(f'stream.{row.name}') for row in Stream.PARAMETERS),
    *(row.named(f'{name}.{row.name}') for name, kind in ESTIMATORS.items()
      for row in kind.PARAMETERS),
)

FAMILIES = (JOINTS, EXTERNAL)

OF_JOINTS = ('observer.gain', 'contact.thresholds')
"""One for all joints, or one for each."""


def estimator(values: Mapping[str, Any], joints: int, compiled: bool = False) -> Estimator:
    """Return the estimator that the parameters ask for, compiled if that is possible."""
    name = values['estimator']
    make = make_compiled if compiled else make_estimator
    return make(name, joints, **_group(values, name))


def stream(values: Mapping[str, Any], dynamics: InverseDynamics,
           clock: Callable[[], int], **carried: Any) -> Stream:
    """Return the stream that the parameters ask for."""
    return Stream(dynamics.joint_names, dynamics.continuous, dynamics,
                  estimator(values, len(dynamics.joint_names), dynamics.backend == 'c'),
                  clock=clock, limits=_position_limits(dynamics), **_group(values, 'stream'),
                  **carried)


def sources(values: Mapping[str, Any], dynamics: InverseDynamics, clock: Callable[[], int],
            payload: Mapping[str, Vector], before: Sources | None) -> Sources:
    """
    Return what tells a stream what acts beside the motion.

    Parameters
    ----------
    values : mapping
        The parameters.
    dynamics : InverseDynamics
    clock : callable
        Returns the present time [ns].
    payload : mapping
        What each link carries, (10,), as it is now.
    before : Sources or None
        Those that these replace, to be counted on.

    """
    base, wrenches, loads, system = None, None, dynamics.loads, multibody(dynamics.model)
    if loads.moving(system):
        base = BASES[sensor(values, system)](
            dynamics.model, clock=clock, gravity=dynamics.gravity_vector,
            counters=before.base.counters if before is not None and before.base else None,
            **_group(values, 'moving_base'))
    if loads.external:
        wrenches = ExternalWrenches(system, loads.external, clock=time.monotonic_ns,
                                    moving=base is not None, **_group(values, 'wrench'))
        if before is not None and before.wrenches is not None:
            wrenches.counters.update(before.wrenches.counters)
    return Sources(base, wrenches, (lambda: payload[loads.payload]) if loads.payload else None)


def contact_watch(values: Mapping[str, Any], dynamics: InverseDynamics,
                  touched: Sequence[str]) -> ContactWatch:
    """
    Return what finds out what touches the robot.

    Parameters
    ----------
    values : mapping
        The parameters.
    dynamics : InverseDynamics
    touched : sequence of str
        Joints that have felt a contact before.

    Raises
    ------
    ParameterError
        If the base moves, or if gains or thresholds are not one for each joint.

    """
    for name in OF_JOINTS:
        of_joints(name, values[name], dynamics.joint_names)
    chosen = _group(values, 'observer')
    del chosen['enabled']
    return ContactWatch(dynamics, MomentumObserver(dynamics, **chosen),
                        ContactDetector(dynamics.joint_names, **_group(values, 'contact')),
                        touched)


def _position_limits(dynamics: InverseDynamics) -> NDArray[np.float64]:
    """Return lower and upper limits (n, 2) of the angles that have them, else infinity."""
    limits = [(row.lower, row.upper) if unit == 'rad' and not continuous
              and row.lower is not None and row.upper is not None and row.lower < row.upper
              else (-np.inf, np.inf) for row, unit, continuous in zip(
                  dynamics.limits, dynamics.units, dynamics.continuous)]
    return np.array(limits).reshape(-1, 2)


def streaming(values: Mapping[str, Any]) -> dict[str, Any]:
    """Return the values that a stream is made of."""
    name = values['estimator']
    return {'estimator': name, **{prefix: _group(values, prefix) for prefix in (
        name, 'stream', 'wrench', 'moving_base')}}


def _group(values: Mapping[str, Any], prefix: str) -> dict[str, Any]:
    return {name.split('.', 1)[1]: value for name, value in values.items()
            if name.startswith(f'{prefix}.')}


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
