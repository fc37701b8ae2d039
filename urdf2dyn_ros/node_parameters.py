"""The parameters of the node inverse_dynamics, which config/dynamics.yaml shows."""

from __future__ import annotations

import json
import textwrap
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from urdf2dyn_ros.compiled.backend import BACKENDS
from urdf2dyn_ros.equations.generator import GRAVITY_RULE, STYLES
from urdf2dyn_ros.equations.models import CHOICES
from urdf2dyn_ros.estimators import ESTIMATORS, Estimator, make_estimator
from urdf2dyn_ros.inverse_dynamics import InverseDynamics
from urdf2dyn_ros.languages import LANGUAGES
from urdf2dyn_ros.parameters import Parameter
from urdf2dyn_ros.stream import Stream

_OWN = (
    Parameter('robot_description', '',
              'URDF text of the robot; if empty, the topic robot_description is heard instead.'),
    Parameter('strict_inertia', False,
              'Refuse a description with an inertia that no body can have, instead of computing '
              'with it and warning.'),
    GRAVITY_RULE,
    Parameter('backend', 'python', 'What runs the equations: the Python text; the same compiled '
              'from C, once for a robot and a machine; or auto: C where there is a compiler.',
              choices=BACKENDS),
    Parameter('estimator', 'kalman', 'How accelerations are estimated.',
              choices=tuple(ESTIMATORS)),
    Parameter('queue_depth', 100, 'Joint states kept while the node is busy; the oldest go first.',
              minimum=1, maximum=100_000, read_only=True),
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


def estimator(values: Mapping[str, Any], joints: int) -> Estimator:
    """Return the estimator that the parameters ask for."""
    name = values['estimator']
    return make_estimator(name, joints, **_group(values, name))


def stream(values: Mapping[str, Any], dynamics: InverseDynamics,
           clock: Callable[[], int], **carried: Any) -> Stream:
    """Return the stream that the parameters ask for."""
    return Stream(dynamics.joint_names, dynamics.continuous, dynamics,
                  estimator(values, len(dynamics.joint_names)), clock=clock,
                  limits=_position_limits(dynamics), **_group(values, 'stream'), **carried)


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
    return {'estimator': name, **_group(values, name), **_group(values, 'stream')}


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
        rule = row.rule[0].upper() + row.rule[1:]
        fixed = '; fixed after the start' if row.read_only else ''
        lines += textwrap.wrap(f'{row.meaning} {rule}{fixed}.', 98,
                               initial_indent='    # ', subsequent_indent='    # ')
        # an empty text here would override a description that was given before this file
        hidden = '# ' if row.name == 'robot_description' else ''
        lines += [f'    {hidden}{row.name}: {json.dumps(row.default)}', '']
    return '\n'.join(lines[:-1]) + '\n'


if __name__ == '__main__':
    print(config_file(), end='')
