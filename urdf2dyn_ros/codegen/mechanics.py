"""A robot in one kind of scalar, numbers or expressions: what functions are derived from."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from urdf2dyn_ros.codegen.signature import BY_JOINT, ONLY_TIP, LinkFrames, Quantity
from urdf2dyn_ros.equations.fewest_operations import (
    ParallelAxes,
    align_parallel_axes,
    behind_one_joint,
    parallel_groups,
)
from urdf2dyn_ros.equations.loop_constraints import LoopConstraints, dotted
from urdf2dyn_ros.equations.newton_euler import (
    AppliedLoads,
    Recursion,
    Sweep,
    body_wrenches,
    newton_euler,
    textbook_moment,
)
from urdf2dyn_ros.robot.inertia import (
    Inertia,
    Kind,
    LinkInertia,
    SecondMoments,
    about_origin,
    total,
)
from urdf2dyn_ros.robot.joints import Motion, Note, Wrench
from urdf2dyn_ros.robot.loads import BodyTerms, Loads
from urdf2dyn_ros.robot.multibody import ROOT, LinkWrench, Multibody
from urdf2dyn_ros.robot.spatial import ZERO, Dual, Scalar, Three, Triple, Vector, symmetric


class Notes:
    """The named quantities of a derivation, part by part; on numbers none are kept."""

    def begin(self, section: str = '', tag: str = '', paragraph: str = '',
              sources: Collection[str] | None = None) -> None:
        """Begin a part of the work."""

    def note(self, body: int, symbol: str, entries: tuple[Scalar, ...]) -> None:
        """Note a quantity of a body."""


UNNOTED = Notes()   # keeps none, as on numbers


class LoopArguments(Mapping[str, Sequence[Scalar]]):
    """The arguments of a robot with closed loops: q, qd and qdd are those of all joints."""

    def __init__(self, given: Mapping[str, Sequence[Scalar]], system: Multibody,
                 numbers: Multibody, constraints: LoopConstraints | None = None) -> None:
        self.given, self._robot = given, (system, numbers)
        self._rest = [0.0] * len(system.actuated)
        q = dict(zip((*system.actuated, *system.unknown), (*given['q'], *given['passive'])))
        self.q = [q[k] for k in range(len(q))]
        self.constraints = constraints or LoopConstraints(system, self.q, numbers)

    def replaced(self, values: Mapping[str, Sequence[Scalar]]) -> 'LoopArguments':
        """Return the arguments with some of the actuated joints replaced."""
        return LoopArguments({**self.given, **values}, *self._robot,
                             None if 'q' in values else self.constraints)

    def varied(self, name: str, direction: Sequence[float]) -> 'LoopArguments':
        """Return arguments as dual numbers, where q, qd or qdd of the actuated joints varies."""
        names = {name: direction}
        if name == 'q':
            rates = self.constraints.rates(direction)
            names['passive'] = [rates[k] for k in self._robot[0].unknown]
        return self.replaced({key: [Dual.of(*pair) for pair in zip(self.given[key], slopes)]
                              for key, slopes in names.items()})

    def state(self, inputs: Collection[str]) -> list[Sequence[Scalar]]:
        """Return q, qd and qdd of all joints, where missing inputs of actuated ones are zero."""
        qd, qdd = (self.given[x] if x in inputs else self._rest for x in ('qd', 'qdd'))
        rates = self.constraints.rates(qd) if 'qd' in inputs else [0.0] * len(self.q)
        moves = 'qd' in inputs or 'qdd' in inputs
        return [self.q, rates, self.constraints.accelerations(rates, qdd) if moves else rates]

    def with_turning(self, p: Sequence[Scalar], beta: Sequence[Scalar]) -> list[Scalar]:
        """Return beta with dG/dt' p in addition, at the actuated joints; p is that of all."""
        turning = dict(zip(self.constraints.actuated, self.constraints.turning(self['qd'], p)))
        return [entry + turning.get(k, 0.0) for k, entry in enumerate(beta)]

    def __getitem__(self, name: str) -> Sequence[Scalar]:
        if name == 'q':
            return self.q
        if name in ('qd', 'qdd'):
            return self.state(('qd', 'qdd'))[2 if name == 'qdd' else 1]
        return self.given[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self.given)

    def __len__(self) -> int:
        return len(self.given)


@dataclass(frozen=True, kw_only=True)
class Mechanics:
    """A robot in one kind of scalar, numbers or expressions: what functions are derived from."""

    system: Multibody
    gravity: Three   # [m/s^2], root frame
    # one per body, then the root's: in a textbook's formulas about the origin, else second moments
    inertias: Sequence[Inertia | None]
    second_moments: Sequence[SecondMoments | None]   # where no recursion takes velocities
    recursion: Recursion
    arguments: Mapping[str, Sequence[Scalar]]   # entries of each input
    # in plain numbers, with the frames of the bodies that results are in
    numeric_system: Multibody
    numeric_gravity: Triple
    moving: bool = False   # the root moves as the input base_motion says
    terms: BodyTerms = field(default_factory=dict)   # by number of the body, as the wrenches
    wrenches: Mapping[int, Wrench] = field(default_factory=dict)
    notes: Notes = field(default_factory=Notes)
    frames: LinkFrames = ONLY_TIP   # of the links that a function is about
    gains: Sequence[Scalar] = ()   # of the momentum observer [1/s], one for all joints or for each
    # of this state alone: `replace` begins without any
    _sweeps: dict[tuple[str, ...], Sweep] = field(init=False, default_factory=dict)

    def loaded(self, loads: Loads) -> 'Mechanics':
        """Return the robot with the payload on the body that carries it, and external wrenches."""
        inertias, moments = self.inertias, self.second_moments
        if 'payload' in self.arguments:
            i, link = self.system.links[loads.payload]
            m, x, y, z, *six = self.arguments['payload']
            payload = about_origin(LinkInertia(
                m, Vector(x, y, z), symmetric(tuple(six)), link.body_R_link, link.body_R_link,
                link.body_p_link))
            if moments:
                moments, _ = _with(moments, i, payload.second_moments)
            inertias, whole = _with(inertias, i,
                                    payload if self.textbook else payload.second_moments)
            self.notes.note(i, 'It', whole.entries)
        entries = iter(self.arguments.get('external', ()))   # six of each link
        triples = (Vector(*three) for three in zip(entries, entries, entries))
        wrenches = body_wrenches(self.system, [*self.system.forces, *(
            LinkWrench(link, force, moment)
            for link, force, moment in zip(loads.external, triples, triples))],
            self.moving, self.notes.note)
        return replace(self, inertias=inertias, second_moments=moments, wrenches=wrenches)

    def with_loops(self) -> 'Mechanics':
        """Return the robot with the arguments of all joints, if passive ones close loops."""
        if not self.system.closed_loops:
            return self
        return replace(self, arguments=LoopArguments(
            self.arguments, self.system, self.numeric_system))

    def reduced(self, quantity: Quantity, entries: Sequence[Any]) -> Sequence[Any]:
        """
        Return a result with the rows and columns of the actuated joints, from those of all.

        Efforts are G' tau, and columns for the velocity or acceleration of a joint those of G.
        """
        if not isinstance(self.arguments, LoopArguments):
            return entries
        loops, n = self.arguments.constraints, len(self.system.joint_names)
        of_joints = quantity.rows == BY_JOINT and len(entries) == n
        if quantity.columns is None:
            return loops.reduced(entries) if of_joints else entries
        if quantity.columns == BY_JOINT and len(entries[0]) == n:
            entries = [[dotted(row, motion) for motion in loops.motions] for row in entries]
        return entries if not of_joints else [
            [dotted(motion, column) for column in zip(*entries)] for motion in loops.motions]

    def given(self, name: str) -> Sequence[Scalar]:
        """Return an argument as it is given: of closed loops that of the actuated joints."""
        arguments = self.arguments
        return (arguments.given if isinstance(arguments, LoopArguments) else arguments)[name]

    @property
    def textbook(self) -> bool:
        """Whether formulas are those of a textbook, rather than those of the fewest operations."""
        return self.recursion.moment is textbook_moment

    def base(self, inputs: Collection[str] = ('q', 'qd', 'qdd')) -> Motion | None:
        """Return the motion of a root that moves, with zeros for missing inputs."""
        if not self.moving:
            return None
        e = self.arguments['base_motion']
        return Motion(Vector(*e[:3]) if 'qd' in inputs else ZERO,
                      Vector(*e[3:6]) if 'qdd' in inputs else ZERO, Vector(*e[6:9]))

    def loads(self) -> AppliedLoads:
        return AppliedLoads(self.base(), self.terms, self.wrenches)

    def terms_where(self, name: str = '', inertial: bool = False) -> BodyTerms:
        """Return the terms of a name, or those that depend on accelerations."""
        kept = {i: tuple(term for term in terms if name == term.NAME
                         or (inertial and term.INERTIAL)) for i, terms in self.terms.items()}
        return {i: terms for i, terms in kept.items() if terms}

    def efforts(self, inputs: Collection[str], note: Note | None = None) -> Sweep:
        """Run the recursion for efforts and the root's wrench alone, under all loads."""
        # where it takes fewer operations, joints with parallel axes share their axes
        recursion = self.recursion if note is None else self.recursion._replace(note=note)
        if not self.textbook and not (self.moving and 'qd' in inputs):
            groups = parallel_groups(self.system)
            if 'qd' in inputs and not self.system.closed_loops:
                groups = behind_one_joint(self.system, groups)
            if groups:
                shared = self.in_parallel_axes(self.inertias, groups)
                return newton_euler(shared.system, shared.inertias, self.state(inputs),
                                    self.gravity, shared.recursion(recursion),
                                    shared.loads(self.loads()))
        return self.sweep(inputs) if note is None else self.sweep_of(self.state(inputs), recursion)

    def in_parallel_axes(self, inertias: Sequence[Inertia | None],
                         groups: Sequence[Sequence[int]] | None = None) -> ParallelAxes:
        """Return the robot whose joints share their axes, by default all; a textbook's none."""
        if groups is None:
            groups = [] if self.textbook else parallel_groups(self.system)
        return align_parallel_axes(self.system, inertias, self.arguments['q'], groups)

    def state(self, inputs: Collection[str]) -> list[Sequence[Scalar]]:
        """Return q, qd and qdd, with zeros in the place of missing inputs."""
        if isinstance(self.arguments, LoopArguments):
            return self.arguments.state(inputs)
        return [self.arguments[x] if x in inputs else [0.0] * len(self.system.joint_names)
                for x in ('q', 'qd', 'qdd')]

    def sweep_of(self, state: Sequence[Sequence[Scalar]], recursion: Recursion | None = None,
                 loads: AppliedLoads | None = None, gravity: Three | None = None) -> Sweep:
        """Run a recursion in a state, by default this one under all loads."""
        return newton_euler(self.system, self.inertias, state, gravity or self.gravity,
                            recursion or self.recursion, loads or self.loads())

    def sweep(self, inputs: Collection[str]) -> Sweep:
        """Run the recursion, once, with zeros in the place of missing inputs."""
        if tuple(inputs) not in self._sweeps:
            self._sweeps[tuple(inputs)] = self.sweep_of(self.state(inputs))
        return self._sweeps[tuple(inputs)]


def _with(inertias: Sequence[Kind | None], i: int,
          payload: Kind) -> tuple[list[Kind | None], Kind]:
    """Return the inertias with a payload on body i, and that of this body."""
    k = len(inertias) - 1 if i == ROOT else i
    whole = total(each for each in (inertias[k], payload) if each is not None)
    assert whole is not None
    return [*inertias[:k], whole, *inertias[k + 1:]], whole
