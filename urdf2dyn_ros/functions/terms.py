"""Terms of the efforts: those of the links, and of each kind of load."""

from collections.abc import Iterator
from typing import ClassVar

from urdf2dyn_ros.algebra.expression import Scalar
from urdf2dyn_ros.equations.newton_euler import AppliedLoads, backward
from urdf2dyn_ros.functions.efforts import EFFORTS_UNIT
from urdf2dyn_ros.functions.function import Expected, ModelFunction, Rows, by_joint
from urdf2dyn_ros.functions.mechanics import Mechanics
from urdf2dyn_ros.functions.quantity import Quantity
from urdf2dyn_ros.functions.symbol import BACKWARD, Symbol
from urdf2dyn_ros.joints.motion import NO_WRENCH
from urdf2dyn_ros.loads import TERMS

_LINK_TERMS = ('gravity', 'coriolis', 'inertia')
"""What q alone, qd in addition, and qdd in addition require."""


class Terms(ModelFunction):
    """Terms whose sum are the efforts."""

    INPUTS = ('q', 'qd', 'qdd')
    SUMMARY = 'the terms whose sum are the efforts of inverse_dynamics'
    RESULTS = tuple(Quantity(f'tau_{name}', EFFORTS_UNIT)
                    for name in (*_LINK_TERMS, *TERMS, 'external'))
    SYMBOLS: ClassVar[dict[str, Symbol]] = {
        'part': Symbol(BACKWARD, ('part{n}',), 'part{n}: what the sweep before lacks'),
        'tb': Symbol(BACKWARD, ('tb{n}',), 'tb{n}: effort that joint {n} transmits')}
    MERGED = False

    def derive(self, mechanics: Mechanics) -> dict[str, Rows]:
        """Return the terms of the links as differences of sweeps, and each kind of load alone."""
        system, note = mechanics.system, mechanics.notes.note
        results: dict[str, Rows] = {}
        before: list[Scalar] = [0.0] * len(system.joint_names)
        for k, name in enumerate(_LINK_TERMS):
            mechanics.notes.begin(f'{name.capitalize()}. ', f'_{name}', sources=('links',))
            sweep = mechanics.sweep(*self._links_alone(mechanics, k))
            parts = [new - old for new, old in zip(sweep.efforts, before)]
            for i, part in zip(system.drivers, parts):
                note(i, 'part', (part,))
            results[f'tau_{name}'] = by_joint(parts)
            before = sweep.efforts
        nothing = [NO_WRENCH] * len(sweep.motions)
        transmitted = sweep.transmitted
        for name, loads in _alone(mechanics):
            mechanics.notes.begin(f'{name.capitalize()}. ', f'_{name}', sources=(name,))
            if _needs_transmitted(loads):   # by the links and the loads before it
                loads = loads._replace(transmitted=transmitted)
                for i in loads.terms:
                    note(i, 'tb', (transmitted[i],))
            efforts, _, more = backward(system, sweep.coordinates, sweep.motions, nothing, loads,
                                        note)
            transmitted = [a + b for a, b in zip(transmitted, more)]
            results[f'tau_{name}'] = by_joint(efforts)
        mechanics.notes.begin()
        return results

    def expected(self, mechanics: Mechanics) -> Expected:
        """Return differences of whole sweeps."""
        results: dict[str, list[float]] = {}
        before = [0.0] * len(mechanics.system.joint_names)
        for k, name in enumerate(_LINK_TERMS):
            efforts = mechanics.sweep(*self._links_alone(mechanics, k)).efforts
            results[f'tau_{name}'] = [float(a - b) for a, b in zip(efforts, before)]
            before = efforts
        transmitted = mechanics.sweep(self.INPUTS).transmitted
        for name, loads in _alone(mechanics):
            loads = loads._replace(base=mechanics.base(), transmitted=transmitted)
            efforts = mechanics.sweep(self.INPUTS, loads).efforts
            results[f'tau_{name}'] = [float(a - b) for a, b in zip(efforts, before)]
        return {name: tuple(entries) for name, entries in results.items()}

    def _links_alone(self, mechanics: Mechanics, k: int) -> tuple[tuple[str, ...], AppliedLoads]:
        inputs = self.INPUTS[:k + 1]
        return inputs, AppliedLoads(mechanics.base(inputs))


def _alone(mechanics: Mechanics) -> Iterator[tuple[str, AppliedLoads]]:
    """Yield each kind of load that there is, alone; those that need the effort of others last."""
    loads = {name: AppliedLoads(terms=mechanics.terms_where(name)) for name in TERMS}
    loads['external'] = AppliedLoads(wrenches=mechanics.wrenches)
    some = [(name, each) for name, each in loads.items() if each.terms or each.wrenches]
    yield from sorted(some, key=lambda item: _needs_transmitted(item[1]))


def _needs_transmitted(loads: AppliedLoads) -> bool:
    return any(term.needs_transmitted() for terms in loads.terms.values() for term in terms)
