"""From a robot to its Program: the recursion runs once on expressions, and is written down."""

import gc
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from typing import Literal, TypeAlias

from numpy.typing import ArrayLike

from urdf2dyn_ros.algebra.expression import Expression
from urdf2dyn_ros.errors import ExportError
from urdf2dyn_ros.functions import FUNCTIONS, functions_of
from urdf2dyn_ros.functions.function import ModelFunction
from urdf2dyn_ros.functions.links.link_frames import ONLY_TIP, LinkFrames
from urdf2dyn_ros.functions.mention import mention
from urdf2dyn_ros.loads import Loads
from urdf2dyn_ros.multibody import Multibody
from urdf2dyn_ros.parameters.gravity import GRAVITY, checked_gravity
from urdf2dyn_ros.program.derivation import Derivation, Request, derive
from urdf2dyn_ros.program.function import Function
from urdf2dyn_ros.program.joint_table import joint_table
from urdf2dyn_ros.program.program import Program
from urdf2dyn_ros.program.references import references
from urdf2dyn_ros.program.scheduling import Schedule
from urdf2dyn_ros.program.statements import Block, Statement, names_in
from urdf2dyn_ros.program.words import about_links, in_words, kinematic_legend, legend
from urdf2dyn_ros.program.writing import in_twins, write_dynamic_model, write_function

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
