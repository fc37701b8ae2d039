"""What a link carries, as parameters that may change at any time, and as numbers for equations."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from urdf2dyn_ros.algebra.arrays import Array
from urdf2dyn_ros.algebra.inertia_flaw import inertia_flaw
from urdf2dyn_ros.parameters import Parameter
from urdf2dyn_ros.quoting import quote

_LARGEST_SI = 1e9   # [kg], [m], [kg m^2]

PAYLOAD = (
    Parameter('payload.link', '', 'Link that carries a payload; empty for none. The other '
              'payload.* may change while it is carried, with the next message; set together, '
              'they change together.'),
    Parameter('payload.mass', 0.0, 'Mass of the payload.', unit='kg', minimum=0.0,
              maximum=_LARGEST_SI),
    Parameter('payload.com', (0.0, 0.0, 0.0), 'Its centre of mass, in the frame of that link.',
              unit='m', minimum=-_LARGEST_SI, maximum=_LARGEST_SI),
    Parameter('payload.inertia', (0.0, 0.0, 0.0, 0.0, 0.0, 0.0), 'Its inertia ixx ixy ixz iyy iyz '
              'izz about the centre of mass, along the axes of the link.', unit='kg m^2',
              minimum=-_LARGEST_SI, maximum=_LARGEST_SI),
    Parameter('payload.attached', True, 'Whether it is carried now; the service ~/set_payload '
              'changes it too.'),
)


def payload(values: Mapping[str, Any]) -> Array:
    """Return what is carried as the equations take it, (10,): mass, centre, inertia."""
    if not values['payload.attached']:
        return np.zeros(10)
    return np.array([values['payload.mass'], *values['payload.com'], *values['payload.inertia']])


def payload_fault(values: Mapping[str, Any]) -> str:
    """Return why no body is like the payload of the parameters; empty if one may be."""
    mass, inertia = values['payload.mass'], values['payload.inertia']
    if not any(inertia):
        return ''
    if mass == 0.0:
        return 'payload.inertia without payload.mass: no body is like that, give the mass'
    flaw = inertia_flaw([f'{entry:.15g}' for entry in inertia], inertia, mass)
    return '' if flaw is None else f'payload.inertia: {flaw[1]}'


def carried(values: Mapping[str, Any]) -> str:
    """Return what is carried, and where, in words."""
    link = values['payload.link']
    if not link:
        return 'none'
    if not values['payload.attached']:
        return f'nothing on link {quote(link)}'
    com, inertia = (', '.join(f'{entry:.6g}' for entry in values[f'payload.{name}'])
                    for name in ('com', 'inertia'))
    return (f'{values["payload.mass"]:.6g} kg on link {quote(link)}, centre ({com}) m, inertia '
            f'({inertia}) kg m^2')
