"""From a robot to its Program: the recursion runs once on expressions, and is written down."""

from __future__ import annotations

import gc
import math
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import NamedTuple

from urdf2dyn_ros.equations.expression import Expression, Graph, Node, Scalar
from urdf2dyn_ros.equations.inertia import BodyInertia
from urdf2dyn_ros.equations.joint_table import joint_table
from urdf2dyn_ros.equations.named_constants import NamedConstants, body_inertias
from urdf2dyn_ros.equations.newton_euler import (
    Moment,
    newton_euler,
    second_moment,
    textbook_moment,
)
from urdf2dyn_ros.equations.paragraphs import Notebook
from urdf2dyn_ros.equations.program import (
    Block,
    Function,
    Output,
    ParameterGroup,
    Program,
    Reference,
    Statement,
)
from urdf2dyn_ros.equations.regroup import regrouped
from urdf2dyn_ros.equations.root_frame import root_frame
from urdf2dyn_ros.equations.scheduling import Schedule, nodes_behind
from urdf2dyn_ros.equations.vectors import Vector
from urdf2dyn_ros.errors import ExportError
from urdf2dyn_ros.multibody import Multibody
from urdf2dyn_ros.parameters import Parameter
from urdf2dyn_ros.turned_frames import turned_frames

Gravity = tuple[float, float, float]

STYLES = ('readable', 'fast')
GRAVITY: Gravity = (0.0, 0.0, -9.81)
GRAVITY_RULE = Parameter('gravity', GRAVITY, 'Gravity in the root frame.', unit='m/s^2',
                         minimum=-1000.0, maximum=1000.0)


def generate(system: Multibody, *, robot: str, name: str, style: str = 'readable',
             gravity: Gravity = GRAVITY) -> Program:
    """
    Return the equations of a robot.

    Parameters
    ----------
    system : Multibody
    robot, name : str
        The robot's name as data, and as part of identifiers.
    style : str
        readable: every inertial value a named parameter, every formula spelled out, and the
        dynamic model in the root frame as well. fast: numbers folded, fewest operations.
    gravity : tuple of float, (3,)
        [m/s^2], in the root frame.

    Raises
    ------
    ExportError
        For an unknown style.
    ParameterError
        For a gravity that is not three finite numbers.

    """
    if style not in STYLES:
        raise ExportError(f'unknown style {style!r}; the styles are: {", ".join(STYLES)}')
    gravity = GRAVITY_RULE.check(gravity)
    with uncollected():
        writer = _Writer(system, gravity, style == 'readable')
        program = writer.program(robot, name, style)
        writer.graph.clear()
        return program


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


class Result(NamedTuple):
    """A result before it is scheduled."""

    key: str
    entries: tuple[Scalar, ...]


class _Writer:
    """One run of the recursion on expressions."""

    def __init__(self, system: Multibody, gravity: Gravity, readable: bool) -> None:
        self.given, self.gravity, self.readable = system, gravity, readable
        self.rows = joint_table(system)
        self.graph = Graph()
        self.notebook = Notebook(self.graph, system, self.rows, readable)
        self.parameters: list[ParameterGroup] = []
        inertias: Sequence[BodyInertia | None]
        moment: Moment
        g: Vector = gravity
        if readable:
            named = NamedConstants(self.graph, system, gravity, self.notebook.title)
            self.system, g, inertias, moment = (
                named.system, named.gravity, named.inertias, textbook_moment)
            self.parameters = named.groups
        else:
            self.system, moment = turned_frames(system), second_moment
            inertias = regrouped(self.system, body_inertias(self.system))
        self.made_before = len(self.graph.nodes)
        q, qd, qdd = ([self.graph.input(f'{x}{i + 1}') for i in system.drivers]
                      for x in ('q', 'qd', 'qdd'))
        note = self.notebook.note
        sweep = newton_euler(self.system, inertias, q, qd, qdd, g, moment, note)
        found = root_frame(self.system, sweep, g, note) if readable else {}
        self.efforts = [Result(name, (effort,))
                        for name, effort in zip(system.joint_names, sweep.efforts)]
        self.found = [Result(key, vector) for key, vector in found.items()]

    def program(self, robot: str, name: str, style: str) -> Program:
        constants, known = self._constants()
        return Program(
            robot, name, style, self.gravity, self.rows,
            tuple(i + 1 for i in self.given.drivers), tuple(self.parameters), constants,
            self._function(self.efforts, known, name_outputs=True),
            self._function(self.found, known, name_outputs=False) if self.found else None,
            reference(self.given, self.gravity))

    def _constants(self) -> tuple[tuple[Block, ...], dict[Node, tuple[str, bool]]]:
        """Return what was made of parameters before the sweeps: no work at every call."""
        needed = nodes_behind(self.graph, [
            entry.node for result in self.efforts + self.found for entry in result.entries
            if isinstance(entry, Expression)])
        used = {arg for node in needed if node.serial >= self.made_before for arg in node.args}
        hoisted = [Expression(node) for node in needed
                   if node in used and node.serial < self.made_before and node.args]
        schedule = Schedule(self.graph, hoisted, keep_labels=True, temporary='k',
                            name_outputs=True, spare_names=True)
        groups: dict[str, list[Statement]] = {}
        body = ''
        for node, statement in schedule.by_node.items():
            if node in self.graph.labels:
                body = ''.join(c for c in statement.name.split('_')[0] if c.isdigit())
            groups.setdefault(body, []).append(statement)
        return tuple(Block('', tuple(group)) for group in groups.values()), schedule.names

    def _function(self, results: Sequence[Result], known: dict[Node, tuple[str, bool]],
                  name_outputs: bool) -> Function:
        schedule = Schedule(self.graph, [entry for result in results for entry in result.entries],
                            keep_labels=self.readable, known=known, name_outputs=name_outputs)
        outputs = tuple(Output(result.key, tuple(schedule.value(entry)
                                                 for entry in result.entries))
                        for result in results)
        return Function(self.notebook.sections(schedule), outputs, schedule.operations)


def reference(system: Multibody, gravity: Gravity) -> Reference:
    """Return a state without symmetry, and the efforts of the recursion on plain numbers."""
    n = len(system.joint_names)
    q, qd, qdd = ([round(size * math.sin(1.7 * i + phase), 2) for i in range(n)]
                  for size, phase in ((0.9, 0.4), (1.2, 1.3), (2.0, 2.6)))
    efforts = newton_euler(system, body_inertias(system), q, qd, qdd, gravity).efforts
    return Reference(tuple(q), tuple(qd), tuple(qdd), tuple(float(tau) for tau in efforts))
