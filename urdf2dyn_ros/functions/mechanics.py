"""A robot in one kind of scalar, numbers or expressions, and the recursion on it."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field

from urdf2dyn_ros.algebra.expression import Scalar
from urdf2dyn_ros.algebra.inertia import BodyInertia
from urdf2dyn_ros.algebra.vectors import ZERO, Triple, Vector
from urdf2dyn_ros.equations.body_terms import BodyTerms
from urdf2dyn_ros.equations.newton_euler import AppliedLoads, Sweep, newton_euler
from urdf2dyn_ros.equations.recursion import Recursion, textbook_moment
from urdf2dyn_ros.equations.simplification.parallel_axes import (
    behind_one_joint,
    parallel_axes,
    parallel_groups,
)
from urdf2dyn_ros.functions.inputs import base_motion
from urdf2dyn_ros.functions.links.link_frames import ONLY_TIP, LinkFrames
from urdf2dyn_ros.joints.motion import Motion, Note, Wrench
from urdf2dyn_ros.multibody import Multibody


class Notes:
    """The named quantities of a derivation, part by part; on numbers none are kept."""

    def begin(self, section: str = '', tag: str = '', paragraph: str = '',
              sources: Collection[str] | None = None) -> None:
        """Begin a part of the work."""

    def note(self, body: int, symbol: str, entries: tuple[Scalar, ...]) -> None:
        """Note a quantity of a body."""


UNNOTED = Notes()
"""Keeps none, as on numbers."""


@dataclass
class Mechanics:
    """
    What functions are derived from; the gravity [m/s^2] is in the root frame.

    Inertias are one per body, then the root's, as `recursion` takes them, and with second moments
    in the place of the tensors; arguments are the entries of each input; terms and wrenches are by
    number of the body. If it is `moving`, the root moves as the input base_motion says. The
    frames are those of the links that a function is about. The numbers are system and gravity in
    plain numbers, with the frames of the bodies that results are in.
    """

    system: Multibody
    gravity: Vector
    inertias: list[BodyInertia | None]
    second_moments: list[BodyInertia | None]
    recursion: Recursion
    arguments: Mapping[str, Sequence[Scalar]]
    moving: bool = False
    terms: BodyTerms = field(default_factory=dict)
    wrenches: Mapping[int, Wrench] = field(default_factory=dict)
    notes: Notes = field(default_factory=Notes)
    frames: LinkFrames = ONLY_TIP
    numbers: tuple[Multibody, Triple] | None = None
    _sweeps: dict[tuple[str, ...] | None, Sweep] = field(default_factory=dict)

    @property
    def textbook(self) -> bool:
        """Whether formulas are those of a textbook, rather than those of the fewest operations."""
        return self.recursion.moment is textbook_moment

    def of_joints(self, name: str) -> list[Scalar]:
        """Return q, qd or qdd."""
        return list(self.arguments[name])

    def base(self, inputs: Collection[str] = ('q', 'qd', 'qdd')) -> Motion | None:
        """Return the motion of a root that moves, with zeros for missing inputs."""
        if not self.moving:
            return None
        base = base_motion(self.arguments['base_motion'])
        return Motion(base.w if 'qd' in inputs else ZERO, base.wd if 'qdd' in inputs else ZERO,
                      base.a)

    def loads(self) -> AppliedLoads:
        return AppliedLoads(self.base(), self.terms, self.wrenches)

    def terms_where(self, name: str = '', inertial: bool = False) -> BodyTerms:
        """Return the terms of a name, or those that depend on accelerations."""
        kept = {i: tuple(term for term in terms if name == term.NAME
                         or (inertial and term.INERTIAL)) for i, terms in self.terms.items()}
        return {i: terms for i, terms in kept.items() if terms}

    def efforts(self, inputs: Collection[str], note: Note | None = None) -> Sweep:
        """
        Run the recursion for efforts and the root's wrench alone, under all loads.

        Where it takes fewer operations, joints with parallel axes share their axes.
        """
        groups = [] if self.textbook else parallel_groups(self.system)
        if 'qd' in inputs:
            groups = [] if self.moving else behind_one_joint(self.system, groups)
        recursion = self.recursion if note is None else self.recursion._replace(note=note)
        if groups:
            shared = parallel_axes(self.system, self.inertias, self.of_joints('q'), groups)
            return shared.newton_euler(self.state(inputs), self.gravity, recursion, self.loads())
        return self.sweep(inputs) if note is None else self.sweep_of(self.state(inputs), recursion)

    def state(self, inputs: Collection[str]) -> list[list[Scalar]]:
        """Return q, qd and qdd, with zeros in the place of missing inputs."""
        return [self.of_joints(x) if x in inputs else [0.0] * len(self.system.joint_names)
                for x in ('q', 'qd', 'qdd')]

    def sweep_of(self, state: Sequence[Sequence[Scalar]],
                 recursion: Recursion | None = None) -> Sweep:
        """Run the recursion, by default this one, in another state, under all loads."""
        return newton_euler(self.system, self.inertias, state, self.gravity,
                            recursion or self.recursion, self.loads())

    def sweep(self, inputs: Collection[str], loads: AppliedLoads | None = None,
              gravity: Vector | None = None) -> Sweep:
        """Run the recursion with zeros in the place of missing inputs; by default all loads."""
        key = tuple(inputs) if loads is None and gravity is None else None
        if key in self._sweeps:
            return self._sweeps[key]
        sweep = newton_euler(self.system, self.inertias, self.state(inputs),
                             self.gravity if gravity is None else gravity, self.recursion,
                             self.loads() if loads is None else loads)
        if key is not None:
            self._sweeps[key] = sweep
        return sweep
