"""From a robot to its Program: the recursion runs once on expressions, and is written down."""

import gc
import math
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from typing import Literal, TypeAlias

from numpy.typing import ArrayLike

from urdf2dyn_ros.codegen.derivation import (
    Derivation,
    Request,
    add_payload,
    add_wrenches,
    derive,
    in_twins,
    simplified,
    write_dynamic_model,
    write_function,
)
from urdf2dyn_ros.codegen.explanations import (
    Schedule,
    about_links,
    in_words,
    kinematic_legend,
    legend,
)
from urdf2dyn_ros.codegen.expression import Expression
from urdf2dyn_ros.codegen.functions import FUNCTIONS, functions_of
from urdf2dyn_ros.codegen.functions.function import (
    ONLY_TIP,
    LinkFrames,
    Mechanics,
    ModelFunction,
    mention,
)
from urdf2dyn_ros.codegen.program import (
    Block,
    Function,
    Program,
    Reference,
    Statement,
    joint_table,
    names_in,
)
from urdf2dyn_ros.equations.fewest_operations import with_second_moments
from urdf2dyn_ros.equations.mass_matrix import body_terms
from urdf2dyn_ros.equations.newton_euler import TEXTBOOK
from urdf2dyn_ros.errors import ExportError
from urdf2dyn_ros.robot.loads import GRAVITY, Loads, checked_gravity
from urdf2dyn_ros.robot.multibody import Multibody, body_inertias

# ---- States without symmetry, and the results that the textbook recursion returns for them

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


# ---- From a robot to its Program: the recursion runs once on expressions, and is written down

Style: TypeAlias = Literal['readable', 'fast', 'general']

LOADS = Loads()
STYLES: tuple[Style, ...] = ('readable', 'fast')
GENERAL: Style = 'general'


def generate(system: Multibody, *, name: str, style: Style = 'readable',
             gravity: ArrayLike = GRAVITY, functions: str = 'inverse_dynamics',
             loads: Loads = LOADS, frames: LinkFrames = ONLY_TIP,
             twins: bool = False) -> Program:
    """
    Return the equations of a robot, whose identifiers begin with `name`.

    readable: every inertial value is a named parameter, every formula is spelled out, and there is
    the dynamic model in the root frame. general: the same, and all lengths and rotations are
    parameters, also those of 0 and 1. fast: numbers are folded, with the fewest operations. The
    gravity [m/s^2] is in the root frame; `functions` is one of CHOICES; `frames` are those of the
    links that functions with such a choice are about. With `twins`, functions of the fast style
    have a form in which equal limbs are computed at once, where that is faster.

    Raises
    ------
    ExportError
        For an unknown style or function, or links or axes that the robot or the function does
        not have.
    ParameterError
        For a gravity that is not three finite numbers, loads on what the robot does not have,
        or a function that does not exist for the robot or the loads.

    """
    request = _request(system, style, gravity, functions, loads, frames)
    with uncollected():
        derived = [derive(request, each) for each in request.functions]
        constants, known = _constants(derived)
        written: list[Function] = []
        dynamic_model = None
        for each in derived:
            names = {each.graph.nodes[serial]: value for serial, value in known.items()}
            function, names = write_function(request, each, names)
            if twins:
                function = replace(function, twinned=in_twins(request, each, function))
            written.append(function)
            if each.vectors:
                dynamic_model = write_dynamic_model(request, each, names)
            each.graph.clear()
        words, symbols = _words(request, [each.function for each in derived], written)
        return Program(
            _title(system.robot, written), system.robot, name, style, request.gravity, words,
            symbols if request.readable else (), request.rows,
            tuple(i + 1 for i in system.drivers), tuple(derived[0].parameters), constants,
            tuple(written), dynamic_model, partial(references, request),
            all(each.function.KINEMATIC for each in derived))


def _request(system: Multibody, style: Style, gravity: ArrayLike, functions: str, loads: Loads,
             frames: LinkFrames) -> Request:
    """Return the arguments of `generate`, checked."""
    if style not in (*STYLES, GENERAL):
        raise ExportError(f'unknown style {style!r}; the styles are: '
                          f'{", ".join((*STYLES, GENERAL))}')
    chosen = functions_of(functions)
    vector = checked_gravity(gravity)
    loads.check(system)
    for function in chosen.values():
        function.check(system, loads)
    if not any(function.LOADS for function in chosen.values()):
        system, loads = replace(system, forces=()), Loads(loads.base)
    options = {option for function in chosen.values() for option in function.OPTIONS}
    return Request(system, vector, style != 'fast', joint_table(system), tuple(chosen), loads,
                   frames.resolved(system, options, loads.moving(system)), style == GENERAL)


def _words(request: Request, derived: Sequence[ModelFunction],
           functions: Sequence[Function]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the loads on the robot and the meaning of the symbols, in words."""
    system, loads = request.system, request.loads
    if all(function.KINEMATIC for function in derived):
        moving = loads.moving(system)
        return tuple(about_links(request.frames, moving)), kinematic_legend(moving)
    named = {x.name for function in functions for x in function.inputs} | {
        name for function in functions for name in function.result_names}
    lumped = any(len(body.attached) > 1 for body in system.bodies)
    symbols = legend(derived, 'base_motion' in named, lumped)
    return tuple(in_words(system, request.gravity, loads, named)), symbols


@contextmanager
def uncollected() -> Iterator[None]:
    """Spare the garbage collector the graph: many small objects, all in use to the end."""
    enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if enabled:
            gc.enable()


def _constants(derived: Sequence[Derivation],
               ) -> tuple[tuple[Block, ...], dict[int, tuple[str, bool]]]:
    """
    Return what was made of parameters before the sweeps: no work at every call.

    All graphs begin with the same constants, so that a serial number means the same in each.
    """
    wanted = sorted(set().union(*(derivation.constants() for derivation in derived)))
    first = derived[0].graph
    schedule = Schedule(first, [Expression(first.nodes[serial]) for serial in wanted],
                        keep_labels=True, temporary='kt', name_outputs=True, spare_names=True)
    groups: list[list[Statement]] = []
    last: dict[tuple[bool, str], int] = {}   # number of the last group of a body
    made_in: dict[str, int] = {}
    unnamed: list[Statement] = []   # on the way to the next that has a name

    def add(key: tuple[bool, str]) -> None:
        """Add the waiting statements to the last group of a body that has all behind them."""
        needs = max((made_in.get(name, 0) for name in names_in(value for _, value in unnamed)),
                    default=0)
        if last.get(key, -1) < needs or not groups:
            last[key] = len(groups)
            groups.append([])
        groups[last[key]].extend(unnamed)
        made_in.update((statement.name, last[key]) for statement in unnamed)
        unnamed.clear()

    for node, statement in schedule.by_node.items():
        unnamed.append(statement)
        if node in first.labels:
            body = ''.join(c for c in statement.name.split('_')[0] if c.isdigit())
            # what is made of several bodies stands behind these
            add((node.serial >= derived[0].bodies, body))
    add((True, ''))
    return (tuple(Block('', tuple(group)) for group in groups if group),
            {node.serial: name for node, name in schedule.names.items()})


def _title(robot: str, functions: Sequence[Function]) -> str:
    """Return the title of the last function, which may combine the others."""
    last, of = functions[-1], f' of{mention(robot)}' * bool(mention(robot))
    arguments = {function.name: ', '.join(x.name for x in function.inputs)
                 for function in functions}
    title = FUNCTIONS[last.name].TITLE or '{name}{robot}: {summary}.'
    return title.format(
        name=last.name.replace('_', ' ').capitalize(), robot=of, summary=last.summary,
        results=', '.join(last.result_names), **arguments)
