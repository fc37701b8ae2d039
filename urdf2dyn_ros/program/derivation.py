"""One function of a robot: the recursion, run on expressions with what that function leaves 0."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Collection, Sequence

from urdf2dyn_ros.algebra.expression import Expression, Graph, Node, Scalar
from urdf2dyn_ros.algebra.inertia import BodyInertia, total
from urdf2dyn_ros.algebra.vectors import AXES, ZERO, Vector
from urdf2dyn_ros.equations.body_terms import body_terms, shifted
from urdf2dyn_ros.equations.mass_matrix import mass_matrix
from urdf2dyn_ros.equations.momentum import UNITS, angular_momentum, momentum
from urdf2dyn_ros.equations.newton_euler import AppliedLoads, Sweep, backward, newton_euler
from urdf2dyn_ros.equations.recursion import Recursion, second_moment, textbook_moment
from urdf2dyn_ros.equations.root_frame import root_frame
from urdf2dyn_ros.equations.simplification.fewest_operations import fewest_operations
from urdf2dyn_ros.equations.simplification.inherited_spin import InheritedSpin
from urdf2dyn_ros.equations.simplification.regroup import second_moments
from urdf2dyn_ros.functions.quantity import JOINTS, WRENCH, Quantity
from urdf2dyn_ros.joints.motion import Motion, Wrench
from urdf2dyn_ros.loads import TERMS, Loads
from urdf2dyn_ros.multibody import ROOT, Multibody
from urdf2dyn_ros.program import given
from urdf2dyn_ros.program.models import FUNCTIONS, TOGETHER, Model
from urdf2dyn_ros.program.named_constants import NamedConstants
from urdf2dyn_ros.program.notation import mention
from urdf2dyn_ros.program.paragraphs import Notebook
from urdf2dyn_ros.program.program import (
    Function,
    Input,
    JointRow,
    ParameterGroup,
    Result,
    Row,
)
from urdf2dyn_ros.program.scheduling import Schedule, nodes_behind

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
        Key of FUNCTIONS.
    beside : collection of str
        All functions of the program, whose graphs begin with the same constants.
    loads : Loads

    """

    def __init__(self, system: Multibody, gravity: tuple[float, float, float], readable: bool,
                 rows: Sequence[JointRow], function: str, beside: Collection[str],
                 loads: Loads) -> None:
        self._readable, self._rows, self._loads = readable, rows, loads
        self._moving = loads.moving(system)
        self.inputs = {**given.coordinates(system), **given.acting(system, loads)}
        self.graph = Graph()
        terms = body_terms(system, loads)
        self.notebook = Notebook(self.graph, system, rows, readable, terms, loads)
        self.parameters: list[ParameterGroup] = []
        self._gravity: Vector = gravity
        self._inertias: list[BodyInertia | None]
        self._second: list[BodyInertia | None] = []
        self._recursion = Recursion(note=self.notebook.note)
        if readable:
            named = NamedConstants(self.graph, system, gravity, self.notebook.title, terms,
                                   self._moving)
            self._system, self._gravity, self._inertias, self._terms = (
                named.system, named.gravity, named.inertias, named.terms)
            if 'mass_matrix' in beside:
                self._second = [self._second_moments(i, inertia)
                                for i, inertia in enumerate(self._inertias)]
            self.parameters = named.groups
        else:
            self._system, self._inertias = fewest_operations(
                system, 'qd' in FUNCTIONS[function].inputs and function != 'momentum')
            self._second = self._inertias
            self._terms = shifted(terms, system, self._system, merged=function != 'terms')
            self._recursion = Recursion(second_moment, InheritedSpin(
                self._system, self._inertias), self.notebook.note)
            self.graph.cancels = True
        self._made_before = len(self.graph.nodes)
        self._add_payload()
        self._wrenches = self._given_wrenches()
        self.found: Results = {}
        self.results: Results = _DERIVED[function](self)

    def _second_moments(self, i: int, inertia: BodyInertia | None) -> BodyInertia | None:
        if inertia is None:
            return None
        S = second_moments(inertia.J)
        for j, k in itertools.combinations_with_replacement(range(3), 2):
            self.graph.label(f'S{i + 1}_{AXES[j]}{AXES[k]}', S[j][k])
        return inertia._replace(J=S)

    def _entries(self, name: str) -> list[Expression]:
        return [self.graph.input(entry) for entry in self.inputs[name].entries]

    def _add_payload(self) -> None:
        """Count the payload with the body that carries it."""
        if 'payload' not in self.inputs:
            return
        i, at = self._system.links[self._loads.payload]
        inertia = given.payload_inertia(at, self._entries('payload'))
        seconds = inertia._replace(J=second_moments(inertia.J))
        if self._second:
            self._second = list(self._second)
            self._second[i] = total(each for each in (self._second[i], seconds) if each)
        carried = inertia if self._readable else seconds
        self._inertias = list(self._inertias)
        whole = total(each for each in (self._inertias[i], carried) if each)
        assert whole is not None
        self._inertias[i] = whole
        self.notebook.note(i, 'It', (whole.m, *whole.h, *(
            whole.J[j][k] for j, k in itertools.combinations_with_replacement(range(3), 2))))

    def _given_wrenches(self) -> dict[int, Wrench]:
        wrenches = list(self._system.forces)
        if 'external' in self.inputs:
            wrenches += given.on_links(self._loads, self._entries('external'))
        return given.on_bodies(self._system, wrenches, self._moving, self.notebook.note)

    def _base(self, *sweep: str) -> Motion | None:
        """Return how the root moves, with zeros for what is left out of the sweep."""
        if not self._moving:
            return None
        base = given.base_motion(self._entries('base_motion'))
        return Motion(base.w if 'qd' in sweep else ZERO, base.wd if 'qdd' in sweep else ZERO,
                      base.a)

    def _sweep(self, *sweep: str, acting: AppliedLoads | None = None) -> Sweep:
        """Run the recursion with the inputs that are given, and zeros for the others."""
        n = len(self._system.joint_names)
        q, qd, qdd = ([self.graph.input(f'{x}{i + 1}') for i in self._system.drivers]
                      if x in sweep else [0.0] * n for x in ('q', 'qd', 'qdd'))
        if acting is None:
            acting = AppliedLoads(self._base('q', 'qd', 'qdd'), self._terms, self._wrenches)
        return newton_euler(self._system, self._inertias, (q, qd, qdd), self._gravity,
                            self._recursion, acting)

    def _by_joint(self, efforts: Sequence[Scalar]) -> list[tuple[str, tuple[Scalar, ...]]]:
        return [(name, (effort,)) for name, effort in zip(self._system.joint_names, efforts)]

    def _of_sweep(self, sweep: Sweep) -> Results:
        results = {'tau': self._by_joint(sweep.efforts)}
        if self._moving:
            f, n = sweep.wrenches[ROOT]
            results['wrench'] = [(key, (entry,)) for key, entry in zip(WRENCH.keys, (*f, *n))]
        return results

    def efforts(self, *sweep: str) -> Results:
        """Return the efforts that depend on some of q, qd, qdd."""
        return self._of_sweep(self._sweep(*sweep))

    def inverse_dynamics(self) -> Results:
        """Return the efforts; find the vectors in the root frame as well, for people."""
        sweep = self._sweep('q', 'qd', 'qdd')
        if self._readable and not self._moving:
            self.found = {'values_robot': list(root_frame(
                self._system, sweep, self._gravity, self.notebook.note).items())}
        return self._of_sweep(sweep)

    def mass_matrix(self) -> Results:
        """Return the rows of the mass matrix."""
        def column(j: int) -> None:
            row = self._rows[j]
            self.notebook.begin('', f'_{j + 1}', f'joint {row.number}{mention(row.name)} '
                                f'accelerates by 1 {row.unit}/s^2')

        q = [self.graph.input(f'q{i + 1}') for i in self._system.drivers]
        M = mass_matrix(self._system, self._second, q, self.notebook.note, column, self._terms)
        return {'M': [(name, tuple(row)) for name, row in zip(self._system.joint_names, M)]}

    def terms(self) -> Results:
        """Return the terms of the efforts: what the links take of them, and each that is on."""
        inputs, last = ('q', 'qd', 'qdd'), None
        before: list[Scalar] = [0.0] * len(self._system.joint_names)
        found: dict[str, list[Scalar]] = {}
        for k, name in enumerate(('gravity', 'coriolis', 'inertia')):
            self.notebook.begin(f'{name.capitalize()}. ', f'_{name}', acts=('links',))
            sweep = inputs[:k + 1]
            last = self._sweep(*sweep, acting=AppliedLoads(self._base(*sweep)))
            parts = [new - old for new, old in zip(last.efforts, before)]
            for i, part in zip(self._system.drivers, parts):
                self.notebook.note(i, 'part', (part,))
            found[f'tau_{name}'] = parts
            before = last.efforts
        assert last is not None
        nothing = [Wrench(ZERO, ZERO)] * len(last.motions)
        more = {name: AppliedLoads(terms={i: kept for i, terms in self._terms.items() if (
            kept := [term for term in terms if name == term.NAME])}) for name in TERMS}
        more['external'] = AppliedLoads(wrenches=self._wrenches)
        for name, acting in more.items():
            if acting.terms or acting.wrenches:
                self.notebook.begin(f'{name.capitalize()}. ', f'_{name}', acts=(name,))
                efforts, _ = backward(self._system, last.coordinates, last.motions, nothing,
                                      acting, self.notebook.note)
                found[f'tau_{name}'] = efforts
        self.notebook.begin()
        return {name: self._by_joint(efforts) for name, efforts in found.items()}

    def momentum(self) -> Results:
        """Return the momentum, and what changes it beside the efforts."""
        q, qd = ([self.graph.input(f'{x}{i + 1}') for i in self._system.drivers]
                 for x in ('q', 'qd'))
        found = momentum(
            self._system, self._inertias, q, qd, self._gravity,
            Recursion(textbook_moment if self._readable else angular_momentum,
                      note=self.notebook.note),
            AppliedLoads(self._base('q'), self._terms, self._wrenches))
        return {name: self._by_joint(entries) for name, entries in found._asdict().items()}

    def together(self) -> Results:
        """Return the results of all functions, on one graph: what is equal is found once."""
        found = self.efforts('q', 'qd', 'qdd')
        for name, *sweep in (('gravity', 'q'), ('bias', 'q', 'qd')):
            self.notebook.begin(f'{name.capitalize()}. ', f'_{name}')
            found[f'tau_{name}'] = self.efforts(*sweep)['tau']
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
            name, model.summary, self._taken(model),
            tuple(Result(_QUANTITIES[result], tuple(
                Row(key, tuple(map(schedule.value, entries)), *self._comment(result, key, k))
                for k, (key, entries) in enumerate(rows)), _REFERENCES[result] if name == TOGETHER
                else (name, result))
                  for result, rows in results.items()),
            self.notebook.sections(schedule), schedule.operations)

    def _taken(self, model: Model) -> tuple[Input, ...]:
        """Return the inputs of a function: a mass matrix does not depend on what is at rest."""
        beside = [x for x in ('base_motion', 'external', 'payload') if x in self.inputs and (
            x == 'payload' or model is not FUNCTIONS['mass_matrix'])]
        return tuple(self.inputs[x] for x in (*model.inputs, *beside))

    def _comment(self, result: str, key: str, k: int) -> tuple[str, str]:
        """Return label and unit of a row."""
        quantity = _QUANTITIES[result]
        if quantity.rows.keys:
            return key, quantity.rows.units[k]
        if k >= len(self._system.drivers):
            return '', ''   # a vector of the dynamic model
        row = self._rows[self._system.drivers[k]]
        return f'{row.number}', (quantity.unit or {}).get(row.effort_unit, row.effort_unit)


_QUANTITIES = {name: Quantity(name, 'efforts [N m or N]') for name in (
    'tau', 'beta', 'load', *(f'tau_{part}' for part in (
        'gravity', 'bias', 'coriolis', 'inertia', 'external', *TERMS)))}
_QUANTITIES['p'] = Quantity('p', 'p [kg m^2/s or kg m/s]', UNITS)
_QUANTITIES['M'] = Quantity('M', 'M [kg m^2, kg m or kg] by rows', columns=JOINTS, times='qdd')
_QUANTITIES['wrench'] = Quantity(
    'wrench', 'force [N] and moment [N m] that the world must apply at the origin of the root, in '
    'its frame', rows=WRENCH)
_QUANTITIES['values_robot'] = Quantity('values_robot', '')
_REFERENCES = {'tau': ('inverse_dynamics', 'tau'), 'wrench': ('inverse_dynamics', 'wrench'),
               'tau_gravity': ('gravity', 'tau'), 'tau_bias': ('bias', 'tau'),
               'M': ('mass_matrix', 'M')}


_DERIVED: dict[str, Callable[[Derivation], Results]] = {
    'inverse_dynamics': Derivation.inverse_dynamics,
    'gravity': lambda derivation: derivation.efforts('q'),
    'bias': lambda derivation: derivation.efforts('q', 'qd'),
    'mass_matrix': Derivation.mass_matrix,
    'momentum': Derivation.momentum,
    'terms': Derivation.terms,
    TOGETHER: Derivation.together,
}
