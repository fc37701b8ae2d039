"""Generated functions of the mass that each joint carries: energy and centre of mass."""

from collections.abc import Sequence
from typing import ClassVar

from urdf2dyn_ros.codegen.functions.function import (
    BY_JOINT,
    Axis,
    Expected,
    Fields,
    Mechanics,
    ModelFunction,
    Quantity,
    Rows,
    Symbol,
    by_joint,
    vector,
)
from urdf2dyn_ros.codegen.functions.links import LINK_SYMBOLS, VELOCITY, base_and_joints
from urdf2dyn_ros.codegen.functions.mass_matrix import Momentum, of_momentum
from urdf2dyn_ros.equations.energy import centre_of_mass, kinetic_energy, potential_energy
from urdf2dyn_ros.errors import ExportError, ParameterError
from urdf2dyn_ros.robot.loads import Loads
from urdf2dyn_ros.robot.multibody import ROOT, Multibody
from urdf2dyn_ros.robot.spatial import AXES, IDENTITY, ZERO, Scalar, Vector, add, cross, scale

_CARRIED = 'Tips to root: mass and first moments of each link with what it carries'
_ENERGY = 'Energies'
_COLUMNS = 'Columns: how each joint moves the centre of mass'


def _of_carried(at: Fields) -> str:
    what = f'link {at.n} carries, in frame {at.n}' if at.n else 'the root carries'
    return f'mc{at.n}, hc{at.n}: m{at.n}, h{at.n} and those of what {what}'


_SYMBOLS = {
    'eR': Symbol(_CARRIED, ('c{n}', 's{n}'), 'R{n}: turn about z by q{n}'),
    'carried': Symbol(_CARRIED, ('mc{n}', *vector('hc')), _of_carried),
    'twice': Symbol(_ENERGY, ('e{n}',), 'e{n} = v{n} . Po{n} + w{n} . Lo{n}, and what a rotor '
                    'adds: twice the kinetic energy of link {n}'),
    'kinetic': Symbol(_ENERGY, ('kinetic',), 'half of the sum of all ei'),
    'potential': Symbol(_ENERGY, ('potential',), '-g . hc0, and what springs store'),
    'com': Symbol(_COLUMNS, tuple(f'p_{x}' for x in AXES), 'p = hc0 / mc0'),
    'Jcom': Symbol(_COLUMNS, vector('J'), lambda at: (
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
    SPINS, MERGED = False, False
    SYMBOLS = _SYMBOLS
    LEGEND: ClassVar[dict[str, str]] = {
        'Fi, Ni': Momentum.LEGEND['Fi, Ni'],
        'Ti, wri': '\n'.join([*Momentum.LEGEND['Ti, wri'].splitlines()[:2], _CARRIED_LEGEND])}

    def check(self, system: Multibody, loads: Loads) -> None:
        if loads.moving(system):
            raise ParameterError('the energy is that of a robot whose base is fixed: how high a '
                                 "moving one is is not known; set base 'fixed'")

    def derive(self, mechanics: Mechanics) -> dict[str, Rows]:
        system, q = mechanics.system, mechanics.of_joints('q')
        kinetic = kinetic_energy(
            system, mechanics.inertias, q, mechanics.of_joints('qd'),
            of_momentum(mechanics), mechanics.terms_where(inertial=True))
        mechanics.notes.note(ROOT, 'kinetic', (kinetic,))
        potential = potential_energy(system, mechanics.inertias, q, mechanics.gravity,
                                     mechanics.notes.note, mechanics.terms)
        mechanics.notes.note(ROOT, 'potential', (potential,))
        return {'E': by_joint([kinetic, potential])}


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
        'Ti, wri': f'{_CARRIED_LEGEND}\nTi            rotation from frame i to the root frame'}

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

    def derive(self, mechanics: Mechanics) -> dict[str, Rows]:
        p, columns = centre_of_mass(mechanics.system, mechanics.inertias,
                                    mechanics.of_joints('q'), mechanics.notes.note)
        rates = mechanics.of_joints('qd')
        if mechanics.moving:
            columns = [*IDENTITY, *(cross(e, p) for e in IDENTITY), *columns]
            rates = [*mechanics.arguments['base_twist'], *rates]
        return {'p': by_joint(p), 'v': by_joint(_sum(columns, rates)), 'J': [*zip(*columns)]}

    def expected(self, mechanics: Mechanics) -> Expected:
        """Return the results, with the product of J in its place."""
        results = self.derive(mechanics)
        rates = mechanics.arguments[VELOCITY if mechanics.moving else 'qd']
        J = by_joint(_sum([*zip(*results['J'])], rates))
        return {name: tuple(float(entry) for entry, in rows)
                for name, rows in {**results, 'J': J}.items()}


def _sum(columns: Sequence[Vector], rates: Sequence[Scalar]) -> Vector:
    """Return columns times rates."""
    total = ZERO
    for column, rate in zip(columns, rates):
        total = add(total, scale(rate, column))
    return total
