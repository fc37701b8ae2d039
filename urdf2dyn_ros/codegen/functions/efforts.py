"""Generated functions of efforts: inverse dynamics, gravity, bias, terms."""

from collections.abc import Iterator, Sequence
from typing import ClassVar

from urdf2dyn_ros.codegen.functions.function import (
    BACKWARD,
    WRENCH,
    Expected,
    Mechanics,
    ModelFunction,
    Quantity,
    Rows,
    Symbol,
    by_joint,
)
from urdf2dyn_ros.equations.newton_euler import AppliedLoads, backward
from urdf2dyn_ros.robot.joints import NO_WRENCH, Wrench
from urdf2dyn_ros.robot.loads import TERMS
from urdf2dyn_ros.robot.multibody import ROOT
from urdf2dyn_ros.robot.spatial import Scalar

EFFORTS_UNIT = 'efforts [N m or N]'


class Efforts(ModelFunction):
    """Efforts where the inputs that are not in INPUTS are zero."""

    RESULTS = (
        Quantity('tau', EFFORTS_UNIT),
        Quantity('wrench', 'force [N] and moment [N m] that the world must apply at the origin '
                 'of the root, in its frame', rows=WRENCH))

    def derive(self, mechanics: Mechanics) -> dict[str, Rows]:
        sweep = mechanics.efforts(self.INPUTS)
        return efforts_of(mechanics, sweep.efforts, sweep.wrenches[ROOT])


def efforts_of(mechanics: Mechanics, efforts: Sequence[Scalar],
               wrench: Wrench) -> dict[str, Rows]:
    """Return efforts and, with a moving base, the wrench on it as results."""
    results = {'tau': by_joint(efforts)}
    if mechanics.moving:
        results['wrench'] = by_joint([*wrench.f, *wrench.n])
    return results


class EffortsOfMotion(Efforts):
    """Efforts that a motion requires."""

    INPUTS = ('q', 'qd', 'qdd')
    SUMMARY = 'the efforts tau that a motion requires'
    TITLE = ('Inverse dynamics{robot}: {results} = ID({inverse_dynamics}), the efforts that give '
             'a motion.')


class Gravity(Efforts):
    """Efforts where qd = qdd = 0."""

    INPUTS = ('q',)
    SUMMARY = 'the efforts tau that hold the robot still'
    SUMMARY_WITH_LOADS = 'the efforts tau where qd = qdd = 0'
    SPINS = False


class Bias(Efforts):
    """Efforts where qdd = 0."""

    INPUTS = ('q', 'qd')
    SUMMARY = ('the efforts tau of a motion without accelerations: Coriolis, centrifugal and '
               'gravity')
    SUMMARY_WITH_LOADS = 'the efforts tau where qdd = 0'


# what q alone, qd in addition, and qdd in addition require
_LINK_TERMS = ('gravity', 'coriolis', 'inertia')


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
