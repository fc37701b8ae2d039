"""One function of a robot: the recursion, run on expressions with what that function leaves 0."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Collection, Sequence

from urdf2dyn_ros.equations.expression import Expression, Graph, Node, Scalar
from urdf2dyn_ros.equations.fewest_operations import fewest_operations
from urdf2dyn_ros.equations.inertia import BodyInertia
from urdf2dyn_ros.equations.inherited_spin import InheritedSpin
from urdf2dyn_ros.equations.mass_matrix import mass_matrix
from urdf2dyn_ros.equations.models import FUNCTIONS, TOGETHER, Model
from urdf2dyn_ros.equations.named_constants import NamedConstants
from urdf2dyn_ros.equations.newton_euler import (
    Moment,
    Spin,
    Sweep,
    newton_euler,
    second_moment,
    textbook_moment,
    textbook_spin,
)
from urdf2dyn_ros.equations.notation import mention
from urdf2dyn_ros.equations.paragraphs import Notebook
from urdf2dyn_ros.equations.program import Function, JointRow, ParameterGroup, Result, Row
from urdf2dyn_ros.equations.regroup import second_moments
from urdf2dyn_ros.equations.root_frame import root_frame
from urdf2dyn_ros.equations.scheduling import Schedule, nodes_behind
from urdf2dyn_ros.equations.vectors import AXES, Vector
from urdf2dyn_ros.multibody import Multibody

Results = dict[str, list[tuple[str, tuple[Scalar, ...]]]]
"""Name of a result to its rows, before they are scheduled."""


class Derivation:
    """
    The expressions of one function.

    Parameters
    ----------
    system : Multibody
    gravity : tuple of float, (3,)
    readable : bool
        Named parameters and textbook moments, or numbers and the fewest operations.
    rows : sequence of JointRow
    function : str
        Key of MODELS, or TOGETHER.
    beside : collection of str
        All functions of the program, whose graphs begin with the same constants.

    """

    def __init__(self, system: Multibody, gravity: tuple[float, float, float], readable: bool,
                 rows: Sequence[JointRow], function: str, beside: Collection[str]) -> None:
        self._readable, self._rows = readable, rows
        self.graph = Graph()
        self.notebook = Notebook(self.graph, system, rows, readable)
        self.parameters: list[ParameterGroup] = []
        self._gravity: Vector = gravity
        self._inertias: Sequence[BodyInertia | None]
        self._second: Sequence[BodyInertia | None] = ()
        self._moment: Moment
        self._spin_of: Spin = textbook_spin
        if readable:
            named = NamedConstants(self.graph, system, gravity, self.notebook.title)
            self._system, self._gravity, self._inertias, self._moment = (
                named.system, named.gravity, named.inertias, textbook_moment)
            if 'mass_matrix' in beside:
                self._second = [self._second_moments(i, inertia)
                                for i, inertia in enumerate(self._inertias)]
            self.parameters = named.groups
        else:
            self._system, self._inertias = fewest_operations(
                system, 'qd' in FUNCTIONS[function].inputs)
            self._second = self._inertias
            self._moment, self._spin_of = second_moment, InheritedSpin(
                self._system, self._inertias)
            self.graph.cancels = True
        self._made_before = len(self.graph.nodes)
        self.found: Results = {}
        self.results: Results = _DERIVED[function](self)

    def _second_moments(self, i: int, inertia: BodyInertia | None) -> BodyInertia | None:
        if inertia is None:
            return None
        S = second_moments(inertia.J)
        for j, k in itertools.combinations_with_replacement(range(3), 2):
            self.graph.label(f'S{i + 1}_{AXES[j]}{AXES[k]}', S[j][k])
        return inertia._replace(J=S)

    def _sweep(self, *given: str) -> Sweep:
        """Run the recursion with the inputs that are given, and zeros for the others."""
        n = len(self._system.joint_names)
        q, qd, qdd = ([self.graph.input(f'{x}{i + 1}') for i in self._system.drivers]
                      if x in given else [0.0] * n for x in ('q', 'qd', 'qdd'))
        return newton_euler(self._system, self._inertias, q, qd, qdd, self._gravity, self._moment,
                            self.notebook.note, self._spin_of)

    def efforts(self, *given: str) -> Results:
        """Return the efforts that depend on some of q, qd, qdd."""
        return {'tau': [(name, (effort,)) for name, effort in zip(
            self._system.joint_names, self._sweep(*given).efforts)]}

    def inverse_dynamics(self) -> Results:
        """Return the efforts; find the vectors in the root frame as well, for people."""
        sweep = self._sweep('q', 'qd', 'qdd')
        if self._readable:
            self.found = {'values_robot': list(root_frame(
                self._system, sweep, self._gravity, self.notebook.note).items())}
        return {'tau': [(name, (effort,)) for name, effort in zip(self._system.joint_names,
                                                                  sweep.efforts)]}

    def mass_matrix(self) -> Results:
        """Return the rows of the mass matrix."""
        def column(j: int) -> None:
            row = self._rows[j]
            self.notebook.begin('', f'_{j + 1}', f'joint {row.number}{mention(row.name)} '
                                f'accelerates by 1 {row.unit}/s^2')

        q = [self.graph.input(f'q{i + 1}') for i in self._system.drivers]
        M = mass_matrix(self._system, self._second, q, self.notebook.note, column)
        return {'M': [(name, tuple(row)) for name, row in zip(self._system.joint_names, M)]}

    def together(self) -> Results:
        """Return the results of all functions, on one graph: what is equal is found once."""
        found = {'tau': self.efforts('q', 'qd', 'qdd')['tau']}
        for name, *given in (('gravity', 'q'), ('bias', 'q', 'qd')):
            self.notebook.begin(f'{name.capitalize()}. ', f'_{name}')
            found[f'tau_{name}'] = self.efforts(*given)['tau']
        self.notebook.begin('', '_M')
        return {**found, **self.mass_matrix()}

    def constants(self) -> set[int]:
        """Return the serials of what was made of parameters alone and the results need."""
        roots = [entry.node for results in (self.results, self.found)
                 for rows in results.values() for _, entries in rows for entry in entries
                 if isinstance(entry, Expression)]
        needed = nodes_behind(self.graph, roots)
        used = {arg for node in needed if node.serial >= self._made_before for arg in node.args}
        return {node.serial for node in needed
                if node in used and node.serial < self._made_before and node.args}

    def function(self, name: str, model: Model, results: Results,
                 known: dict[Node, tuple[str, bool]], name_outputs: bool) -> Function:
        """Return results as statements, given the names of the constants."""
        rows = [row for entries in results.values() for row in entries]
        schedule = Schedule(
            self.graph, [entry for _, entries in rows for entry in entries],
            keep_labels=self._readable, known=known, name_outputs=name_outputs)
        return Function(
            name, model.summary, model.inputs,
            tuple(Result(result, tuple(Row(key, tuple(map(schedule.value, entries)))
                                       for key, entries in rows))
                  for result, rows in results.items()),
            self.notebook.sections(schedule), schedule.operations)


_DERIVED: dict[str, Callable[[Derivation], Results]] = {
    'inverse_dynamics': Derivation.inverse_dynamics,
    'gravity': lambda derivation: derivation.efforts('q'),
    'bias': lambda derivation: derivation.efforts('q', 'qd'),
    'mass_matrix': Derivation.mass_matrix,
    TOGETHER: Derivation.together,
}
