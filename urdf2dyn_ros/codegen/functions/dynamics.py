"""
Generated functions of the dynamics: efforts and their terms, mass matrix, momentum, energy,
centre of mass and regressor, and one that combines the first of them.
"""

from collections.abc import Iterator, Sequence
from typing import ClassVar

from urdf2dyn_ros.codegen.formulas import BACKWARD, Notation, Symbol, tensor, vector
from urdf2dyn_ros.codegen.functions.function import Expected, ModelFunction, Results
from urdf2dyn_ros.codegen.functions.links import LINK_SYMBOLS, VELOCITY, base_and_joints
from urdf2dyn_ros.codegen.mechanics import LoopArguments, Mechanics
from urdf2dyn_ros.codegen.signature import BY_JOINT, WRENCH, Axis, Quantity, ResultKey
from urdf2dyn_ros.equations.fewest_operations import FULL_INERTIA, for_any_inertia, inherited_spin
from urdf2dyn_ros.equations.mass_matrix import (
    MOMENTUM_UNITS,
    angular_momentum,
    centre_of_mass,
    kinetic_energy,
    mass_matrix,
    momentum,
    potential_energy,
)
from urdf2dyn_ros.equations.newton_euler import (
    AppliedLoads,
    Recursion,
    Sweep,
    backward_sweep,
    newton_euler,
    second_moment,
)
from urdf2dyn_ros.equations.regressor import (
    MASS_ENTRIES,
    Grouping,
    UnitParameter,
    base_values,
    find_base_parameters,
    group_columns,
    regressor,
)
from urdf2dyn_ros.errors import ExportError, ParameterError
from urdf2dyn_ros.robot.inertia import SecondMoments
from urdf2dyn_ros.robot.joints import JOINTS, NO_WRENCH, Wrench
from urdf2dyn_ros.robot.loads import TERMS, Loads
from urdf2dyn_ros.robot.multibody import ROOT, Multibody
from urdf2dyn_ros.robot.spatial import AXES, IDENTITY, TENSOR, ZERO, Scalar, Vector, cross
from urdf2dyn_ros.text import mention

EFFORTS_UNIT = 'efforts [N m or N]'


class Efforts(ModelFunction):
    """Efforts where the inputs that are not in INPUTS are zero."""

    RESULTS = (
        Quantity('tau', EFFORTS_UNIT),
        Quantity('wrench', 'force [N] and moment [N m] that the world must apply at the origin '
                 'of the root, in its frame', rows=WRENCH))

    def derive(self, mechanics: Mechanics) -> Results:
        sweep = mechanics.efforts(self.INPUTS)
        return efforts_of(mechanics, sweep.efforts, sweep.wrenches[ROOT])


def efforts_of(mechanics: Mechanics, efforts: Sequence[Scalar],
               wrench: Wrench) -> Results:
    """Return efforts and, with a moving base, the wrench on it as results."""
    results = {'tau': efforts}
    if mechanics.moving:
        results['wrench'] = [*wrench.f, *wrench.n]
    return results


class EffortsOfMotion(Efforts):
    INPUTS = ('q', 'qd', 'qdd')
    IN_ROOT_FRAME = True
    SUMMARY = 'the efforts tau that a motion requires'
    TITLE = ('Inverse dynamics{robot}: {results} = ID({inverse_dynamics}), the efforts that give '
             'a motion.')


class Gravity(Efforts):
    INPUTS = ('q',)
    SUMMARY = 'the efforts tau that hold the robot still'
    SUMMARY_WITH_LOADS = 'the efforts tau where qd = qdd = 0'
    SPINS = False


class Bias(Efforts):
    INPUTS = ('q', 'qd')
    SUMMARY = ('the efforts tau of a motion without accelerations: Coriolis, centrifugal and '
               'gravity')
    SUMMARY_WITH_LOADS = 'the efforts tau where qdd = 0'


# what q alone, qd in addition, and qdd in addition require
_LINK_TERMS = ('gravity', 'coriolis', 'inertia')


class Terms(ModelFunction):
    INPUTS = ('q', 'qd', 'qdd')
    SUMMARY = 'the terms whose sum are the efforts of inverse_dynamics'
    RESULTS = tuple(Quantity(f'tau_{name}', EFFORTS_UNIT)
                    for name in (*_LINK_TERMS, *TERMS, 'external'))
    SYMBOLS: ClassVar[dict[str, Symbol]] = {
        'part': Symbol(BACKWARD, ('part{n}',), 'part{n}: what the sweep before lacks'),
        'tb': Symbol(BACKWARD, ('tb{n}',), 'tb{n}: effort that joint {n} transmits')}

    def derive(self, mechanics: Mechanics) -> Results:
        """Return the terms of the links as differences of sweeps, and each kind of load alone."""
        system, note = mechanics.system, mechanics.notes.note
        results: Results = {}
        before: list[Scalar] = [0.0] * len(system.joint_names)
        for k, name in enumerate(_LINK_TERMS):
            mechanics.notes.begin(f'{name.capitalize()}. ', f'_{name}', sources=('links',))
            sweep = self._links_alone(mechanics, k)
            parts = [new - old for new, old in zip(sweep.efforts, before)]
            for i, part in zip(system.drivers, parts):
                note(i, 'part', (part,))
            results[f'tau_{name}'] = parts
            before = sweep.efforts
        nothing = dict.fromkeys(sweep.motions, NO_WRENCH)
        transmitted = sweep.transmitted
        for name, loads in _alone(mechanics):
            mechanics.notes.begin(f'{name.capitalize()}. ', f'_{name}', sources=(name,))
            if _needs_transmitted(loads):   # by the links and the loads before it
                loads = loads._replace(transmitted=transmitted)
                for i in loads.terms:
                    note(i, 'tb', (transmitted[i],))
            efforts, _, more = backward_sweep(
                system, sweep.coordinates, sweep.motions, nothing, loads, note)
            transmitted = [a + b for a, b in zip(transmitted, more)]
            results[f'tau_{name}'] = efforts
        mechanics.notes.begin()
        return results

    def expected(self, mechanics: Mechanics) -> Expected:
        """Return differences of whole sweeps."""
        results: dict[str, list[float]] = {}
        before = [0.0] * len(mechanics.system.joint_names)
        for k, name in enumerate(_LINK_TERMS):
            efforts = self._links_alone(mechanics, k).efforts
            results[f'tau_{name}'] = [float(a - b) for a, b in zip(efforts, before)]
            before = efforts
        transmitted = mechanics.sweep(self.INPUTS).transmitted
        for name, loads in _alone(mechanics):
            loads = loads._replace(base=mechanics.base(), transmitted=transmitted)
            efforts = mechanics.sweep_of(mechanics.state(self.INPUTS), loads=loads).efforts
            results[f'tau_{name}'] = [float(a - b) for a, b in zip(efforts, before)]
        return {name: tuple(entries) for name, entries in results.items()}

    def _links_alone(self, mechanics: Mechanics, k: int) -> Sweep:
        inputs = self.INPUTS[:k + 1]
        return mechanics.sweep_of(mechanics.state(inputs),
                                  loads=AppliedLoads(mechanics.base(inputs)))


def _alone(mechanics: Mechanics) -> Iterator[tuple[str, AppliedLoads]]:
    """Yield each kind of load that there is, alone; those that need the effort of others last."""
    loads = {name: AppliedLoads(terms=mechanics.terms_where(name)) for name in TERMS}
    loads['external'] = AppliedLoads(wrenches=mechanics.wrenches)
    some = [(name, each) for name, each in loads.items() if each.terms or each.wrenches]
    yield from sorted(some, key=lambda item: _needs_transmitted(item[1]))


def _needs_transmitted(loads: AppliedLoads) -> bool:
    return any(term.needs_transmitted() for terms in loads.terms.values() for term in terms)


# ---- Mass matrix and momentum

_MOMENTS = 'Tips to root: moments of the mass of each link with what it carries'
_OF_ACCELERATIONS = 'Columns: force and moment that a unit acceleration of one joint requires'


class MassMatrix(ModelFunction):
    """M of tau = M(q) qdd + bias(q, qd), which no load but a payload or a rotor changes."""

    INPUTS = ('q',)
    LOAD_INPUTS = ('payload',)
    SUMMARY = 'the symmetric matrix M of tau = M(q) qdd + bias(q, qd)'
    RESULTS = (Quantity('M', 'M [kg m^2, kg m or kg] by rows', columns=BY_JOINT, times='qdd'),)
    SECOND_MOMENTS, SPINS = True, False
    SYMBOLS: ClassVar[dict[str, Symbol]] = {
        'Rc': Symbol(_MOMENTS, ('c{n}', 's{n}'), 'R{n}: turn about z by q{n}'),
        'Ic': Symbol(
            _MOMENTS, ('mc{n}', *vector('hc'), *tensor('Sc')),
            'mc{n}, hc{n}, Sc{n}: m{n}, h{n}, S{n} and those of what link {n} carries, in frame '
            '{n}'),
        'uF': Symbol(_OF_ACCELERATIONS, vector('f'), 'f{n} = mc{n} a{n} + wd{n} x hc{n}'),
        'uN': Symbol(_OF_ACCELERATIONS, vector('n'), 'n{n}: moment of Sc{n}, and hc{n} x a{n}'),
        'ufj': Symbol(_OF_ACCELERATIONS, vector('fj'), of_joint='fj'),
        'unj': Symbol(_OF_ACCELERATIONS, vector('nj'), of_joint='nj'),
        'ufp': Symbol(_OF_ACCELERATIONS, vector('fp'), 'fp{n} = {A}fj{n}'),
        'unr': Symbol(_OF_ACCELERATIONS, vector('nr'), 'nr{n} = nj{n} + {Ic} z'),
        'unp': Symbol(_OF_ACCELERATIONS, vector('np'), 'np{n} = {A}nj{n} + p{n} x fp{n}'),
        'unpr': Symbol(_OF_ACCELERATIONS, vector('np'), 'np{n} = {A}nr{n} + p{n} x fp{n}'),
        'utau': Symbol(_OF_ACCELERATIONS, ()),
    }

    def derive(self, mechanics: Mechanics) -> Results:
        system, q = mechanics.system, mechanics.arguments['q']
        shared = mechanics.in_parallel_axes(mechanics.second_moments)
        numbers = shared.originals

        def column(j: int) -> None:
            i = numbers[j]
            body = system.bodies[i]
            mechanics.notes.begin(
                '', f'_{i + 1}', f'joint {i + 1}{mention(body.name)} accelerates by 1 '
                f'{JOINTS[body.type].unit}/s^2')

        return {'M': mass_matrix(shared.system, shared.inertias, q,
                                 shared.note(mechanics.notes.note), column,
                                 shared.terms(mechanics.terms))}

    def expected(self, mechanics: Mechanics) -> Expected:
        inertial = AppliedLoads(terms=mechanics.terms_where(inertial=True))
        sweep = mechanics.sweep_of(mechanics.state(('q', 'qdd')), loads=inertial, gravity=ZERO)
        return {'M': tuple(map(float, sweep.efforts))}


_VELOCITIES = 'Forward, root to tips: velocity of each link, and its momentum'
_MOMENTA = 'Backward, tips to root: momentum P, angular momentum L of what each joint carries'
_CHANGES = 'How the kinetic energy changes with the position of each joint'
_VELOCITIES_LEGEND = """\
vi            velocity of the origin, in frame i; vbi: that of frame p there; vji as bji
Poi, Loi      momentum of link i by itself, and its moment about the origin"""


def _momentum(at: Notation) -> str:
    rotors = [f'Lm{at.n}' for term in at.terms.values() if term.INERTIAL]
    return at.of_coordinate('pq', [at.joint.formulas['momentum'].format(n=at.n), *rotors])


def _load(at: Notation) -> str:
    parts = [f'{name}{at.n}' for name, term in at.terms.items() if not term.INERTIAL]
    if at.follows or at.before:
        return f'load{at.n}: load of joint {at.driver}, with what joint {at.n} adds to it'
    return ' + '.join([f'load{at.n} = ' + (f'tau{at.n}' if at.after else at.along), *parts])


class Momentum(ModelFunction):
    """p = M(q) qd, and beta and load of its derivative, without accelerations."""

    INPUTS: ClassVar[tuple[str, ...]] = ('q', 'qd')
    SUMMARY = 'the momentum p = M(q) qd, and beta and load of d/dt p = tau + beta - load'
    RESULTS: ClassVar[tuple[Quantity, ...]] = (
        Quantity('p', 'p [kg m^2/s or kg m/s]', MOMENTUM_UNITS),
        Quantity('beta', EFFORTS_UNIT), Quantity('load', EFFORTS_UNIT))
    SPINS = False
    SYMBOLS: ClassVar[dict[str, Symbol]] = {
        'mq': Symbol(_VELOCITIES, ('q{n}', 'qd{n}'), 'q{n} = {multiplier}q{driver}{offset}',
                     'follows'),
        'mR': Symbol(_VELOCITIES, ('c{n}', 's{n}'), 'R{n}: turn about z by q{n}'),
        'mwj': Symbol(_VELOCITIES, vector('wj'), "wj{n} = A{n}' w{p}", 'rotated'),
        'mw': Symbol(_VELOCITIES, vector('w'), of_joint='w'),
        'mvb': Symbol(_VELOCITIES, vector('vb'), 'vb{n} = v{p} + w{p} x p{n}'),
        'mvj': Symbol(_VELOCITIES, vector('vj'), "vj{n} = A{n}' vb{n}", 'rotated'),
        'mvo': Symbol(_VELOCITIES, vector('v'), of_joint='vo'),
        'mPo': Symbol(_VELOCITIES, vector('Po'), 'Po{n} = {m} v{n} + w{n} x h{t}{n}'),
        'mLo': Symbol(_VELOCITIES, vector('Lo'), 'Lo{n} = J{t}{n} w{n} + h{t}{n} x v{n}'),
        'mP': Symbol(_MOMENTA, vector('P'), lambda at: f'P{at.n} = {at.transmitted("Po", "Pp")}'),
        'mL': Symbol(_MOMENTA, vector('L'), lambda at: f'L{at.n} = {at.transmitted("Lo", "Lp")}'),
        'mPj': Symbol(_MOMENTA, vector('Pj'), of_joint='Pj'),
        'mLj': Symbol(_MOMENTA, vector('Lj'), of_joint='Lj'),
        'mPp': Symbol(_MOMENTA, vector('Pp'), 'Pp{n} = {A}Pj{n}'),
        'mLp': Symbol(_MOMENTA, vector('Lp'), lambda at: (
            f'Lp{at.n} = {at.A}{"Lr" if at.on_parent else "Lj"}{at.n} + p{at.n} x Pp{at.n}')),
        **{f'm{name}': Symbol(_MOMENTA, ('Lm{n}',), f'Lm{{n}}: momentum of the {name}')
           for name, term in TERMS.items() if term.INERTIAL},
        'mLr': Symbol(_MOMENTA, vector('Lr'), 'Lr{n} = Lj{n} + {Ic} qd{n} z', 'on_parent'),
        'mp': Symbol(_MOMENTA, ('pq{n}',), _momentum),
        'beta': Symbol(_CHANGES, ('beta{n}',), lambda at: at.of_coordinate(
            'beta', [at.joint.formulas['change'].format(n=at.n)], forward=True)),
        'lnp': Symbol(BACKWARD, vector('np'), 'np{n} = {A}nj{n} + p{n} x fp{n}'),
        'ltau': Symbol(BACKWARD, ('tau{n}',), lambda at: at.of_coordinate('tau', [at.along])),
        'load': Symbol(BACKWARD, ('load{n}',), _load),
    }
    LEGEND: ClassVar[dict[str, str]] = {
        'forces': 'Fi, Ni        force and moment that accelerate link i by itself',
        'root frame': _VELOCITIES_LEGEND + """
Pi, Li        the same with what it carries; Ppi, Lpi: the same in frame p; Pji, Lji as fji
pqi, Lmi      momentum of joint i, and what its rotor has of it
betai, loadi  how the kinetic energy changes with qi; efforts but for Coriolis ones"""}

    def derive(self, mechanics: Mechanics) -> Results:
        results: Results = {**momentum(
            mechanics.system, mechanics.inertias, mechanics.arguments['q'],
            mechanics.arguments['qd'], mechanics.gravity, of_momentum(mechanics),
            mechanics.loads())}
        if isinstance(mechanics.arguments, LoopArguments):
            results['beta'] = mechanics.arguments.with_turning(results['p'], results['beta'])
        return results


def of_momentum(mechanics: Mechanics) -> Recursion:
    """Return the recursion on velocities in the place of accelerations."""
    recursion = Recursion(note=mechanics.recursion.note)
    return recursion if mechanics.textbook else recursion._replace(moment=angular_momentum)


# ---- What each joint carries as a whole: energy and centre of mass

_CARRIED = 'Tips to root: mass and first moments of each link with what it carries'
_ENERGY = 'Energies'
_OF_CENTRE = 'Columns: how each joint moves the centre of mass'


def _of_carried(at: Notation) -> str:
    what = f'link {at.n} carries, in frame {at.n}' if at.n else 'the root carries'
    return f'mc{at.n}, hc{at.n}: m{at.n}, h{at.n} and those of what {what}'


_SYMBOLS = {
    'eR': Symbol(_CARRIED, ('c{n}', 's{n}'), 'R{n}: turn about z by q{n}'),
    'carried': Symbol(_CARRIED, ('mc{n}', *vector('hc')), _of_carried),
    'twice': Symbol(_ENERGY, ('e{n}',), 'e{n} = v{n} . Po{n} + w{n} . Lo{n}, and what a rotor '
                    'adds: twice the kinetic energy of link {n}'),
    'kinetic': Symbol(_ENERGY, ('kinetic',), 'half of the sum of all ei'),
    'potential': Symbol(_ENERGY, ('potential',), '-g . hc0, and what springs store'),
    'com': Symbol(_OF_CENTRE, tuple(f'p_{x}' for x in AXES), 'p = hc0 / mc0'),
    'Jcom': Symbol(_OF_CENTRE, vector('J'), lambda at: (
        f'J{at.n} = T{at.n} ' + ('z mc{0}' if at.joint.slides else '(z x hc{0})').format(at.n)
        + ' / mc0')),
}
_CARRIED_LEGEND = """\
mci, hci      mass and first moments of link i with what it carries, in frame i; i = 0: of all"""


class Energy(ModelFunction):
    """Kinetic and potential energy of a robot whose base is fixed."""

    INPUTS = ('q', 'qd')
    LOAD_INPUTS = ('payload',)
    SUMMARY = ('the kinetic energy, and the potential energy of gravity and springs, zero where '
               'the centre of mass is at the origin of the root and springs are slack')
    RESULTS = (Quantity('E', 'kinetic and potential energy [J]',
                        rows=Axis('energy', ('kinetic', 'potential'), ('J', 'J'))),)
    SPINS = False
    FIXED_BASE = 'the energy', 'how high a moving one is is not known'
    SYMBOLS = _SYMBOLS
    LEGEND: ClassVar[dict[str, str]] = {
        'forces': Momentum.LEGEND['forces'],
        'root frame': f'{_VELOCITIES_LEGEND}\n{_CARRIED_LEGEND}'}

    def derive(self, mechanics: Mechanics) -> Results:
        system, q = mechanics.system, mechanics.arguments['q']
        kinetic = kinetic_energy(
            system, mechanics.inertias, q, mechanics.arguments['qd'],
            of_momentum(mechanics), mechanics.terms_where(inertial=True))
        mechanics.notes.note(ROOT, 'kinetic', (kinetic,))
        potential = potential_energy(system, mechanics.inertias, q, mechanics.gravity,
                                     mechanics.notes.note, mechanics.terms)
        mechanics.notes.note(ROOT, 'potential', (potential,))
        return {'E': [kinetic, potential]}


class CentreOfMass(ModelFunction):
    """Position, velocity and Jacobian of the centre of mass of all links."""

    INPUTS = ('q', 'qd')
    LOAD_INPUTS = ('base_twist', 'payload')
    SUMMARY = ('the centre of mass of all links in the root frame, and its velocity v = J(q) qd '
               'relative to the root')
    SUMMARY_WITH_LOADS = ('the centre of mass of all links in the root frame, and its velocity '
                          'v = J(q) (base_twist, qd)')
    RESULTS = (Quantity('p', 'position [m]', rows=Axis('axis', tuple(AXES), ('m',) * 3)),
               Quantity('v', 'velocity [m/s]', rows=Axis('axis', tuple(AXES), ('m/s',) * 3)),
               Quantity('J', 'velocity for a unit velocity of each joint [m or 1]',
                        rows=Axis('axis', tuple(AXES), ('',) * 3), columns=BY_JOINT, times='qd'))
    SPINS = False
    SYMBOLS: ClassVar[dict[str, Symbol]] = {**_SYMBOLS, **LINK_SYMBOLS}
    LEGEND: ClassVar[dict[str, str]] = {
        'root frame': f'{_CARRIED_LEGEND}\nTi            rotation from frame i to the root frame'}

    def check(self, system: Multibody, loads: Loads) -> None:
        links = [each.link for attached in (*(body.attached for body in system.bodies),
                                            system.root) for each in attached]
        if not any(link.inertia and link.inertia.mass for link in links):
            raise ParameterError('no link has a mass: there is no centre of mass')
        if not system.joint_names and not loads.moving(system):
            raise ExportError('the robot has no movable joint: its Jacobian has no column')

    def quantities(self, mechanics: Mechanics) -> tuple[Quantity, ...]:
        if not mechanics.moving:
            return self.RESULTS
        p, v, J = self.RESULTS
        return p, v, J._replace(
            summary='velocity for a unit velocity of the origin of the root [1], for a unit '
            'angular velocity of the root, in its axes [m], and of each joint [m or 1]',
            columns=base_and_joints(mechanics.system), times=VELOCITY)

    def derive(self, mechanics: Mechanics) -> Results:
        p, columns = centre_of_mass(mechanics.system, mechanics.inertias,
                                    mechanics.arguments['q'], mechanics.notes.note)
        rates = mechanics.arguments['qd']
        if mechanics.moving:
            columns = [*IDENTITY, *(cross(e, p) for e in IDENTITY), *columns]
            rates = [*mechanics.arguments['base_twist'], *rates]
        return {'p': p, 'v': _sum(columns, rates), 'J': [*zip(*columns)]}


def _sum(columns: Sequence[Vector], rates: Sequence[Scalar]) -> Vector:
    total = ZERO
    for column, rate in zip(columns, rates):
        total = total + rate * column
    return total


# ---- The regressor of the base inertial parameters, and these

_UNITS = 'Columns: force and moment that a parameter of 1 requires'
_TRANSMITTED = frozenset(('f', 'n', 'fj', 'nj', 'fp', 'np', 'tau'))


def _groups(mechanics: Mechanics) -> Grouping:
    return group_columns(mechanics.numeric_system, mechanics.numeric_gravity)


def _moment_of(xy: str) -> str:
    """Return the moment that a second moment of 1 requires."""
    x, y = xy[0], xy[1]
    one = f'e{x} x U{{n}} e{y}'
    return one if x == y else f'{one} + e{y} x U{{n}} e{x}'


class Regressor(ModelFunction):
    """Y of tau = Y pi, and pi, for a robot with a fixed base and nothing else that acts."""

    INPUTS = ('q', 'qd', 'qdd')
    LOAD_INPUTS = ()
    SUMMARY = ('the matrix Y of tau = Y pi, the efforts of links and gravity, and the base '
               'inertial parameters pi')
    RESULTS = (Quantity('Y', 'efforts [N m or N] that each parameter requires if it is 1'),
               Quantity('pi', 'base inertial parameters'))
    FIXED_BASE = 'the regressor', 'a moving one needs other parameters as well'
    SECOND_MOMENTS = True
    SYMBOLS: ClassVar[dict[str, Symbol]] = {
        'yFm': Symbol(_UNITS, vector('f'), 'f{n} = a{n}'),
        **{f'yFh{x}': Symbol(_UNITS, vector('f'), f'f{{n}} = U{{n}} e{x}') for x in AXES},
        **{f'yNh{x}': Symbol(_UNITS, vector('n'), f'n{{n}} = e{x} x a{{n}}') for x in AXES},
        **{f'yNS{xy}': Symbol(_UNITS, vector('n'), f'n{{n}} = {_moment_of(xy)}')
           for xy in TENSOR},
        'yfj': Symbol(_UNITS, vector('fj'), of_joint='fj'),
        'ynj': Symbol(_UNITS, vector('nj'), of_joint='nj'),
        'yfp': Symbol(_UNITS, vector('fp'), 'fp{n} = {A}fj{n}: f{p}'),
        'ynp': Symbol(_UNITS, vector('np'), 'np{n} = {A}nj{n} + p{n} x fp{n}: n{p}'),
        'ytau': Symbol(_UNITS, ()),
        'base': Symbol(_UNITS, ('mb{n}', *vector('hb'), *tensor('Sb'))),
        'pi': Symbol(_UNITS, ('pi{n}',)),
    }
    LEGEND: ClassVar[dict[str, str]] = {
        'forces': """\
ex, ey, ez    unit vectors along the axes
Si            second moments, the integral of r r' over the mass: Sxx + Syy = Jzz, Sxy = -Jxy
mbi, hbi, Sbi mi, hi, Si with what is regrouped; hxi is entry x of hbi, Sxyi entry xy of Sbi"""}

    def simplified(self, system: Multibody,
                   with_velocities: bool) -> tuple[Multibody, list[SecondMoments | None]]:
        return for_any_inertia(system)

    def quantities(self, mechanics: Mechanics) -> tuple[Quantity, ...]:
        columns = _groups(mechanics).columns
        axis = Axis('base_parameters', tuple(column.name for column in columns),
                    tuple(column.unit for column in columns)) if columns else BY_JOINT
        Y, pi = self.RESULTS
        return (Y._replace(columns=axis, times='pi'), pi._replace(rows=axis))

    def derive(self, mechanics: Mechanics) -> Results:
        notes, system = mechanics.notes, mechanics.system
        groups = _groups(mechanics)
        recursion = mechanics.recursion
        if recursion.moment is second_moment:   # every body has all that needs U
            recursion = Recursion(second_moment, inherited_spin(system, [FULL_INERTIA] * len(
                system.bodies)))

        def forward(i: int, symbol: str, entries: tuple[Scalar, ...]) -> None:
            if symbol not in _TRANSMITTED:   # of massless links
                notes.note(i, symbol, entries)

        sweep = newton_euler(system, [None] * (len(system.bodies) + 1),
                             mechanics.state(self.INPUTS), mechanics.gravity,
                             recursion._replace(note=forward))
        current = [groups.columns[0]] if groups.columns else []

        def begin(column: UnitParameter) -> None:
            current[0] = column
            k = groups.columns.index(column) + 1
            notes.begin('', f'_{column.name}', f'column {k}: {column.name}')

        def note(i: int, symbol: str, entries: tuple[Scalar, ...]) -> None:
            symbol += current[0].entry * (symbol in 'FN')
            if f'y{symbol}' in self.SYMBOLS:
                notes.note(i, f'y{symbol}', entries)

        Y = regressor(system, groups.columns, sweep, note, begin)
        notes.begin()
        return {'Y': Y}

    def constant_results(self, mechanics: Mechanics) -> Results:
        groups, notes = _groups(mechanics), mechanics.notes
        pi = base_values(mechanics.system, mechanics.second_moments, groups, notes.note)
        for column, value in zip(groups.columns, pi):
            notes.begin(tag=f'_{column.entry}')
            notes.note(column.body, 'pi', (value,))
        notes.begin()
        return {'pi': pi}

    def expected(self, mechanics: Mechanics) -> Expected:
        """Return the efforts of bodies with the parameters that Y is multiplied by, and pi."""
        system, gravity = mechanics.numeric_system, mechanics.numeric_gravity
        entries = [dict.fromkeys(MASS_ENTRIES, 0.0) for _ in system.bodies]
        columns = _groups(mechanics).columns
        for column, value in zip(columns, mechanics.arguments['pi']):
            entries[column.body][column.entry] = value
        inertias = [SecondMoments.of(each[entry] for entry in MASS_ENTRIES)
                    for each in entries]
        sweep = newton_euler(system, [*inertias, None], mechanics.state(self.INPUTS), gravity)
        return {'Y': tuple(map(float, sweep.efforts)),
                'pi': tuple(map(float, find_base_parameters(system, gravity).values))}


# ---- Several at once

class Dynamics(ModelFunction):
    """Inverse dynamics, gravity, bias and mass matrix on one graph: equal terms once."""

    INPUTS = ('q', 'qd', 'qdd')
    SUMMARY = ('what inverse_dynamics, gravity, bias and mass_matrix return, shared work done '
               'once')
    TITLE = ('Dynamics{robot}: tau = ID({inverse_dynamics}) = M({mass_matrix}) qdd + '
             'bias({bias}).')
    COMBINED = ('inverse_dynamics', 'gravity', 'bias', 'mass_matrix')
    RESULTS = (*(each._replace(same_as=ResultKey('inverse_dynamics', each.name))
                 for each in EffortsOfMotion.RESULTS),
               Quantity('tau_gravity', EFFORTS_UNIT, same_as=ResultKey('gravity', 'tau')),
               Quantity('tau_bias', EFFORTS_UNIT, same_as=ResultKey('bias', 'tau')),
               MassMatrix.RESULTS[0]._replace(same_as=ResultKey('mass_matrix', 'M')))
    SECOND_MOMENTS = True

    def derive(self, mechanics: Mechanics) -> Results:
        results = EffortsOfMotion().derive(mechanics)
        for name, function in (('gravity', Gravity()), ('bias', Bias())):
            mechanics.notes.begin(f'{name.capitalize()}. ', f'_{name}')
            results[f'tau_{name}'] = function.derive(mechanics)['tau']
        mechanics.notes.begin('', '_M')
        return {**results, **MassMatrix().derive(mechanics)}

    def expected(self, mechanics: Mechanics) -> Expected:
        """Return nothing: the results are those of other functions."""
        return {}
