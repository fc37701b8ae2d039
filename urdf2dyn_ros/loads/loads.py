"""Loads on a robot, as a user declares them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from urdf2dyn_ros.errors import ParameterError
from urdf2dyn_ros.joints import JOINTS
from urdf2dyn_ros.loads.joint_term import JointTerm
from urdf2dyn_ros.multibody import Multibody
from urdf2dyn_ros.quoting import listed, quote

BASES = ('auto', 'fixed', 'moving')


@dataclass(frozen=True)
class Loads:
    """
    Loads in addition to the links' inertia and gravity; by default the ``<force>`` tags alone.

    Attributes
    ----------
    base : str
        'fixed': the root stands still. 'moving': the motion of the root is an input, and what the
        world has to give it a result. 'auto': moving if the root has a floating joint.
    terms : mapping
        Name of a movable joint to its friction, rotor and spring.
    external : sequence of str
        Links with a wrench that is an input.
    payload : str
        Link that carries a payload, which is an input; empty for none.

    """

    base: str = 'auto'
    terms: Mapping[str, Sequence[JointTerm]] = field(default_factory=dict)
    external: Sequence[str] = ()
    payload: str = ''

    def moving(self, system: Multibody) -> bool:
        """Return whether the motion of the root is an input."""
        return self.base == 'moving' or (self.base == 'auto' and system.floating)

    def acts(self, system: Multibody) -> bool:
        """Return whether there is any load, or a moving base."""
        return (self.moving(system) or bool(system.forces or self.external)
                or any(not term.is_off() for terms in self.terms.values() for term in terms))

    def check(self, system: Multibody) -> None:
        """Raise a ParameterError for what the robot does not have, or a term that cannot be."""
        if self.base not in BASES:
            raise ParameterError(f'unknown base {self.base!r}; it is one of {", ".join(BASES)}')
        if system.floating and self.moving(system) and system.anchored:
            raise ParameterError(
                f'what is on {listed(system.anchored)} does not move with the floating robot, as '
                f'it is on the same root {quote(system.root[0].link.name)}: describe the floating '
                'robot alone, or choose base fixed, which fixes everything to the root')
        self._check_terms(system)
        for link in self.external:
            self._check_link(link, 'an external wrench', system)
        if self.payload:
            self._check_link(self.payload, 'a payload', system)
        if len(set(self.external)) < len(tuple(self.external)):
            raise ParameterError('a link is named twice for external wrenches: '
                                 f'{", ".join(self.external)}')

    def _check_terms(self, system: Multibody) -> None:
        joints = {body.name: JOINTS[body.type] for body in system.bodies}
        for name, terms in self.terms.items():
            if name not in joints:
                raise ParameterError(f'there is no movable joint {name!r} for friction, rotor or '
                                     f'spring; the joints are: {", ".join(sorted(joints))}')
            if isinstance(terms, JointTerm):
                raise ParameterError(f'joint {name!r} has {terms!r}: put it in a list')
            for term in terms:
                term.check(name, joints[name])
            kinds = [term.NAME for term in terms]
            if len(set(kinds)) < len(kinds):
                raise ParameterError(f'joint {name!r} has {", ".join(kinds)}: give at most one '
                                     'of each, with the parameters of all')

    def _check_link(self, name: str, what: str, system: Multibody) -> None:
        if name not in system.links:
            raise ParameterError(f'there is no link {name!r} for {what}; the links are: '
                                 f'{", ".join(system.links)}')
        if self.moving(system) and name in system.world:
            raise ParameterError(f'link {name!r} is the world, in which the robot floats, or '
                                 f'fixed to it: {what} must be on another link')
