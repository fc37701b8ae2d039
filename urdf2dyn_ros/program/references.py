"""States without symmetry, and what the recursion on plain numbers gives for them."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping

from urdf2dyn_ros.algebra.inertia import total
from urdf2dyn_ros.algebra.vectors import ZERO, Vector
from urdf2dyn_ros.equations.body_inertias import body_inertias
from urdf2dyn_ros.equations.momentum import momentum
from urdf2dyn_ros.equations.newton_euler import AppliedLoads, Sweep, newton_euler
from urdf2dyn_ros.joints.motion import Motion
from urdf2dyn_ros.loads import TERMS, Loads
from urdf2dyn_ros.multibody import ROOT, Multibody
from urdf2dyn_ros.program import given
from urdf2dyn_ros.program.models import TOGETHER
from urdf2dyn_ros.program.program import Reference

STATES = 3
_MOST = {'q': 0.9, 'qd': 1.2, 'qdd': 2.0, 'base_motion': 1.5, 'external': 8.0}
_PHASES = {'q': 0.4, 'qd': 1.3, 'qdd': 2.6, 'base_motion': 0.7, 'external': 1.9}
_PAYLOAD = (0.5, 0.02, -0.03, 0.05, 0.004, 0.001, -0.0005, 0.005, 0.0008, 0.003)
_INPUTS = ('q', 'qd', 'qdd')
_SWEEPS = {'inverse_dynamics': _INPUTS, 'gravity': ('q',), 'bias': ('q', 'qd')}
_SWEEPS_OF_TERMS = (('q',), ('q', 'qd'), _INPUTS)

State = Mapping[str, tuple[float, ...]]


def references(system: Multibody, gravity: Vector, functions: Collection[str],
               loads: Loads) -> tuple[Reference, ...]:
    """Return states, each with what every function is to give; textbook moments throughout."""
    inputs = {**given.coordinates(system), **given.acting(system, loads)}
    found = []
    for k in range(STATES):
        state = {name: tuple(round(_MOST[name] * math.sin(
            (1.7 + 0.3 * k) * i + _PHASES[name] + 2.0 * k), 2) for i in range(len(each.entries)))
            for name, each in inputs.items() if name in _MOST}
        if 'payload' in inputs:
            state['payload'] = _PAYLOAD
        numbers = _Numbers(system, gravity, loads, state)
        found.append(Reference(state, {name: numbers.expected(name) for name in functions
                                       if name != TOGETHER}))
    return tuple(found)


class _Numbers:
    """The recursion on the plain numbers of one state."""

    def __init__(self, system: Multibody, gravity: Vector, loads: Loads, state: State) -> None:
        self._system, self._gravity, self._state = system, gravity, state
        self._moving = loads.moving(system)
        self._inertias = body_inertias(system)
        if 'payload' in state:
            i, at = system.links[loads.payload]
            carried = given.payload_inertia(at, state['payload'])
            self._inertias[i] = total(each for each in (self._inertias[i], carried) if each)
        wrenches = [*system.forces, *given.on_links(loads, state.get('external', ()))]
        self._all = AppliedLoads(
            terms={i: loads.terms[body.name] for i, body in enumerate(system.bodies)
                   if body.name in loads.terms},
            wrenches=given.on_bodies(system, wrenches, self._moving))

    def expected(self, function: str) -> dict[str, tuple[float, ...]]:
        """Return the results of a function by name; M qdd for the mass matrix."""
        if function == 'mass_matrix':
            return {'M': self._efforts(('q', 'qdd'), self._only('rotor'), ZERO)}
        if function == 'momentum':
            return self._momentum()
        if function == 'terms':
            return self._terms()
        sweep = _SWEEPS[function]
        acting = self._all._replace(base=self._base(*_INPUTS))
        results = {'tau': self._efforts(sweep, acting)}
        if self._moving:
            f, n = self._run(sweep, acting).wrenches[ROOT]
            results['wrench'] = tuple(map(float, (*f, *n)))
        return results

    def _momentum(self) -> dict[str, tuple[float, ...]]:
        found = momentum(self._system, self._inertias, self._state['q'], self._state['qd'],
                         self._gravity, loads=self._all)
        return {name: tuple(map(float, entries)) for name, entries in found._asdict().items()}

    def _terms(self) -> dict[str, tuple[float, ...]]:
        q, qd, everything = (self._efforts(sweep, AppliedLoads(self._base(*sweep)))
                             for sweep in _SWEEPS_OF_TERMS)
        found = {'gravity': q, 'coriolis': _less(qd, q), 'inertia': _less(everything, qd)}
        alone = {name: self._only(name) for name in TERMS}
        alone['external'] = AppliedLoads(wrenches=self._all.wrenches)
        for name, acting in alone.items():
            if acting.terms or acting.wrenches:
                acting = acting._replace(base=self._base(*_INPUTS))
                found[name] = _less(self._efforts(_INPUTS, acting), everything)
        return {f'tau_{name}': efforts for name, efforts in found.items()}

    def _only(self, name: str) -> AppliedLoads:
        kept = {i: [term for term in terms if name == term.NAME and not term.is_off()]
                for i, terms in self._all.terms.items()}
        return AppliedLoads(terms={i: terms for i, terms in kept.items() if terms})

    def _base(self, *sweep: str) -> Motion | None:
        if not self._moving:
            return None
        base = given.base_motion(self._state['base_motion'])
        return Motion(base.w if 'qd' in sweep else ZERO, base.wd if 'qdd' in sweep else ZERO,
                      base.a)

    def _efforts(self, sweep: Collection[str], acting: AppliedLoads,
                 gravity: Vector | None = None) -> tuple[float, ...]:
        return tuple(map(float, self._run(sweep, acting, gravity).efforts))

    def _run(self, sweep: Collection[str], acting: AppliedLoads,
             gravity: Vector | None = None) -> Sweep:
        still = (0.0,) * len(self._system.joint_names)
        q, qd, qdd = (self._state[x] if x in sweep else still for x in ('q', 'qd', 'qdd'))
        return newton_euler(self._system, self._inertias, (q, qd, qdd),
                            self._gravity if gravity is None else gravity, loads=acting)


def _less(a: tuple[float, ...], b: tuple[float, ...]) -> tuple[float, ...]:
    return tuple(x - y for x, y in zip(a, b))
