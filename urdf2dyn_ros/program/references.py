"""States without symmetry, and the results that the textbook recursion returns for them."""

import math
from collections.abc import Sequence

from urdf2dyn_ros.algebra.vectors import Vector
from urdf2dyn_ros.equations.body_inertias import body_inertias
from urdf2dyn_ros.equations.body_terms import body_terms
from urdf2dyn_ros.equations.recursion import TEXTBOOK
from urdf2dyn_ros.functions import FUNCTIONS
from urdf2dyn_ros.functions.inputs import joint_inputs, load_inputs
from urdf2dyn_ros.functions.mechanics import Mechanics
from urdf2dyn_ros.loads import Loads
from urdf2dyn_ros.multibody import Multibody
from urdf2dyn_ros.program.derivation import add_payload, add_wrenches
from urdf2dyn_ros.program.program import Reference

STATES = 3
_MOST = {'q': 0.9, 'qd': 1.2, 'qdd': 2.0, 'base_motion': 1.5, 'external': 8.0}
_PHASES = {'q': 0.4, 'qd': 1.3, 'qdd': 2.6, 'base_motion': 0.7, 'external': 1.9}
_PAYLOAD = (0.5, 0.02, -0.03, 0.05, 0.004, 0.001, -0.0005, 0.005, 0.0008, 0.003)


def references(system: Multibody, gravity: Vector, functions: Sequence[str],
               loads: Loads) -> tuple[Reference, ...]:
    """Return states, each with the expected results of every function."""
    inputs = {**joint_inputs(system), **load_inputs(system, loads)}
    sizes = {name: len(each.entries) for name, each in inputs.items()}
    for name in functions:
        for quantity in FUNCTIONS[name].RESULTS:
            if quantity.columns is not None:
                sizes.setdefault(quantity.times, len(quantity.columns.keys))
    result = []
    for k in range(STATES):
        state = {name: tuple(round(_MOST.get(name, 1.0) * math.sin(
            (1.7 + 0.3 * k) * i + _PHASES.get(name, 0.0) + 2.0 * k), 2) for i in range(size))
            for name, size in sizes.items()}
        if 'payload' in inputs:
            state['payload'] = _PAYLOAD
        mechanics = Mechanics(system, gravity, body_inertias(system), [], TEXTBOOK, state,
                              loads.moving(system), body_terms(system, loads))
        add_payload(mechanics, loads)
        add_wrenches(mechanics, loads)
        expected = {name: FUNCTIONS[name].expected(mechanics) for name in functions}
        vectors = FUNCTIONS[functions[0]].in_root_frame(mechanics)
        result.append(Reference(
            state, {name: each for name, each in expected.items() if each},
            {name: tuple(map(float, vector)) for name, vector in vectors.items()}))
    return tuple(result)
