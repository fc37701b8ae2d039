"""States without symmetry, and what the recursion on plain numbers gives for them."""

from __future__ import annotations

import math
from collections.abc import Collection

from urdf2dyn_ros.equations.named_constants import body_inertias
from urdf2dyn_ros.equations.newton_euler import newton_euler
from urdf2dyn_ros.equations.program import Reference
from urdf2dyn_ros.equations.vectors import ZERO, Vector
from urdf2dyn_ros.multibody import Multibody

STATES = 3


def references(system: Multibody, gravity: Vector,
               functions: Collection[str]) -> tuple[Reference, ...]:
    """Return states, each with what every function is to give; textbook moments throughout."""
    n = len(system.joint_names)
    inertias = body_inertias(system)
    still = (0.0,) * n
    found = []
    for k in range(STATES):
        q, qd, qdd = (tuple(round(size * math.sin((1.7 + 0.3 * k) * i + phase + 2.0 * k), 2)
                            for i in range(n))
                      for size, phase in ((0.9, 0.4), (1.2, 1.3), (2.0, 2.6)))
        given = {
            'inverse_dynamics': (q, qd, qdd, gravity),
            'gravity': (q, still, still, gravity),
            'bias': (q, qd, still, gravity),
            'mass_matrix': (q, still, qdd, ZERO),   # M qdd
        }
        found.append(Reference(q, qd, qdd, {
            name: tuple(map(float, newton_euler(system, inertias, *state).efforts))
            for name, state in given.items() if name in functions}))
    return tuple(found)
