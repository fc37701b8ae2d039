"""States without symmetry, and the results that the textbook recursion returns for them."""

import math

from urdf2dyn_ros.equations.body_inertias import body_inertias
from urdf2dyn_ros.equations.body_terms import body_terms
from urdf2dyn_ros.equations.recursion import TEXTBOOK
from urdf2dyn_ros.equations.simplification.regroup import with_second_moments
from urdf2dyn_ros.functions import FUNCTIONS
from urdf2dyn_ros.functions.mechanics import Mechanics
from urdf2dyn_ros.program.added_loads import add_payload, add_wrenches
from urdf2dyn_ros.program.derivation import Request, simplified
from urdf2dyn_ros.program.program import Reference

_STATES = 3
_AMPLITUDES = {'q': 0.9, 'qd': 1.2, 'qdd': 2.0, 'base_motion': 1.5, 'external': 8.0, 'tau': 9.0}
_PHASES = {'q': 0.4, 'qd': 1.3, 'qdd': 2.6, 'base_motion': 0.7, 'external': 1.9, 'tau': 0.2}
_PAYLOAD = (0.5, 0.02, -0.03, 0.05, 0.004, 0.001, -0.0005, 0.005, 0.0008, 0.003)


def references(request: Request) -> tuple[Reference, ...]:
    """Return states, each with the expected results of every function."""
    system, loads, functions = request.system, request.loads, request.functions
    inertias = body_inertias(system)
    frames = system if request.readable else FUNCTIONS[functions[-1]].simplified(system, True)[0]
    result = []
    for k in range(_STATES):
        state = {name: _entries(name, k, len(each.entries))
                 for name, each in request.inputs.items()}
        if 'payload' in state:
            state['payload'] = _PAYLOAD
        mechanics = Mechanics(system, request.gravity, [*inertias], with_second_moments(inertias),
                              TEXTBOOK, state, loads.moving(system), body_terms(system, loads),
                              frames=request.frames, numbers=(frames, request.gravity))
        add_payload(mechanics, loads)
        add_wrenches(mechanics, loads)
        for each in (each for name in functions
                     for each in FUNCTIONS[name].quantities(mechanics)):
            if each.columns is not None:
                state.setdefault(each.times, _entries(each.times, k, len(each.columns.keys)))
        expected = {name: FUNCTIONS[name].expected(_as_written(request, name, mechanics))
                    for name in functions}
        vectors = FUNCTIONS[functions[0]].in_root_frame(mechanics)
        result.append(Reference(
            state, {name: each for name, each in expected.items() if each},
            {name: tuple(map(float, vector)) for name, vector in vectors.items()},
            _transmitted(mechanics)))
    return tuple(result)


def _transmitted(mechanics: Mechanics) -> dict[str, float]:
    """Return the magnitude of the largest force and moment of a joint [N, N m]."""
    wrenches = mechanics.sweep(('q', 'qd', 'qdd')).wrenches
    return {unit: max((math.hypot(*map(float, wrench[k])) for wrench in wrenches), default=0.0)
            for k, unit in enumerate(('N', 'N m'))}


def _as_written(request: Request, name: str, mechanics: Mechanics) -> Mechanics:
    """
    Return what a function with efforts as input is checked with: frames and inertias of the text.

    Rounded axes change efforts by 1e-11 of the largest, which light links turn into a multiple of
    what a check allows for accelerations.
    """
    function = FUNCTIONS[name]
    if request.readable or 'tau' not in function.INPUTS:
        return mechanics
    mechanics = simplified(request, function, mechanics.arguments)
    add_payload(mechanics, request.loads)
    add_wrenches(mechanics, request.loads)
    return mechanics


def _entries(name: str, k: int, size: int) -> tuple[float, ...]:
    """Return an argument of state k."""
    return tuple(round(_AMPLITUDES.get(name, 1.0) * math.sin(
        (1.7 + 0.3 * k) * i + _PHASES.get(name, 0.0) + 2.0 * k), 2) for i in range(size))
