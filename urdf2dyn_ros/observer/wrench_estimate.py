"""
The wrench on one link that explains the external efforts.

tau_ext = J' F for a contact at that link alone, so that F minimises |J' F - tau_ext|^2 +
damping^2 |F|^2. With J = U S V' that is F = U diag(s / (s^2 + damping^2)) V' tau_ext: damping
removes damping^2 / (s^2 + damping^2) of the component of each singular value s, and noise of the
efforts is amplified by 1 / s. Force and moment are weighted with a length of 1 m.
"""

from collections.abc import Collection
from typing import ClassVar

import numpy as np
from numpy.typing import ArrayLike

from urdf2dyn_ros.algebra.arrays import Array
from urdf2dyn_ros.counting import counted
from urdf2dyn_ros.equations.kinematics import chain
from urdf2dyn_ros.errors import ParameterError, StateError
from urdf2dyn_ros.health import Level, Status
from urdf2dyn_ros.inverse_dynamics import InverseDynamics
from urdf2dyn_ros.multibody import Multibody, multibody
from urdf2dyn_ros.parameters import Parameter, check_all
from urdf2dyn_ros.quoting import listed, quote

COMPONENTS = 6
"""Components of a wrench: as many joints must move the link."""

LEAST_SINGULAR_VALUE = 3.0
"""In units of the damping: of a component with a smaller one, more than a tenth is removed."""


class WrenchEstimate:
    """
    From positions and external efforts to the wrench on a link by the environment.

    The parameters are rows of ``PARAMETERS`` by name. A ParameterError for an unknown one or a
    value that breaks its rule, a link that `moving_joints` refuses, or a robot whose base moves.
    """

    PARAMETERS: ClassVar[tuple[Parameter, ...]] = (
        Parameter('link', '', 'Link on which ~/wrench (geometry_msgs/WrenchStamped) is the wrench '
                  'by the environment, about the origin of the link and in its axes: frame_id is '
                  'the link, as of a force-torque sensor. Estimated from ~/external_efforts, for '
                  'contacts at this link alone; at least 6 joints must move it. Empty for none; '
                  'requires observer.enabled.'),
        Parameter('damping', 0.01, 'Damping of the least squares. The wrench is NaN where the '
                  'smallest singular value of the Jacobian of the link (rows in m and 1) is below '
                  '3 times this: there damping would remove a tenth or more of a component. Noise '
                  'of the efforts is amplified by up to 1 over that value.', unit='m or 1',
                  minimum=1e-6, maximum=10.0),
    )

    def __init__(self, dynamics: InverseDynamics, **parameters: ArrayLike) -> None:
        values = check_all(self.PARAMETERS, parameters)
        self.link, self._damping = values['link'], values['damping']
        if 'base_motion' in dynamics.inputs:
            raise ParameterError('parameter wrench_estimate.link: a wrench is estimated '
                                 'only where the base is fixed')
        self._columns = list(moving_joints(multibody(dynamics.model), self.link))
        self._names, self._jacobian = dynamics.joint_names, dynamics.jacobian
        # compiled now rather than at the first sample
        self._jacobian(np.zeros(len(self._names)), link=self.link, axes='link')
        self._newest = np.full(COMPONENTS, np.nan)
        self._updates = self._missing = 0   # since the last report
        self._reason = ''

    def update(self, q: Array, external: Array) -> Array:
        """
        Return force [N] and moment [N m] on the link by the environment, (6,), at an instant.

        They are about its origin and in its axes; NaN near singular postures, and where the
        external effort of a joint that moves the link is NaN, not known. q (n,) are positions [rad
        or m], the external efforts (n,) in [N m or N].
        """
        wrench, reason = self._estimate(q, external[self._columns])
        self._newest = wrench
        self._updates += 1
        if reason:
            self._missing, self._reason = self._missing + 1, reason
        return wrench

    def _estimate(self, q: Array, external: Array) -> tuple[Array, str]:
        """Return the wrench, and why it is NaN."""
        nothing = np.full(COMPONENTS, np.nan)
        unknown = np.flatnonzero(~np.isfinite(external)).tolist()
        if unknown:
            names = listed(self._names[self._columns[k]] for k in unknown)
            return nothing, f'the external effort is not known at {names}'
        try:
            J = self._jacobian(q, link=self.link, axes='link')[:, self._columns]
            U, s, V = np.linalg.svd(J, full_matrices=False)
        except (StateError, np.linalg.LinAlgError):
            return nothing, 'the positions are too large'
        least = LEAST_SINGULAR_VALUE * self._damping
        if s[-1] < least:
            return nothing, ('the posture is near a singular one: the smallest singular value of '
                             f'the Jacobian is {s[-1]:.3g}, less than {least:.3g}, 3 times '
                             'wrench_estimate.damping')
        wrench: Array = U @ (s / (s * s + self._damping**2) * (V @ external))
        return wrench, ''

    def report(self) -> Status:
        """Return the status of the wrenches since the report before."""
        force, moment = np.linalg.norm(self._newest[:3]), np.linalg.norm(self._newest[3:])
        values = {'link': self.link, 'number of wrenches': str(self._updates),
                  'number of wrenches that are NaN': str(self._missing), 'reason': self._reason,
                  'force [N]': f'{force:.6g}', 'moment [N m]': f'{moment:.6g}'}
        updates, missing, reason = self._updates, self._missing, self._reason
        self._updates, self._missing, self._reason = 0, 0, ''
        if not updates:
            return Status('wrench', Level.STALE, 'no wrench: there are no external efforts',
                          values)
        if missing:
            return Status('wrench', Level.WARN, f'{missing} of {updates} wrenches on link '
                          f'{self.link} are NaN: {reason}', values)
        return Status('wrench', Level.OK, f'on link {self.link}', values)


def not_estimated(reason: str) -> Status:
    """Return the status where no wrench can be estimated."""
    return Status('wrench', Level.WARN, f'no wrench: {reason}', {})


def moving_joints(system: Multibody, link: str) -> tuple[int, ...]:
    """
    Return the indices of the independent joints that move a link.

    A ParameterError if the robot does not have the link, or fewer than 6 joints move it.
    """
    coordinates = {name: {system.bodies[i].coordinate for i in chain(system, number)}
                   for name, (number, _) in system.links.items()}
    choices = [name for name, moving in coordinates.items() if len(moving) >= COMPONENTS]
    if link not in coordinates:
        raise ParameterError(f'parameter wrench_estimate.link: there is no link {quote(link)}; '
                             + _choices(choices))
    moving = sorted(coordinates[link])
    if len(moving) < COMPONENTS:
        raise ParameterError(f'parameter wrench_estimate.link: '
                             f'{counted(len(moving), "joint moves", "joints move")} link '
                             f'{quote(link)}, and a wrench has {COMPONENTS} components; '
                             + _choices(choices))
    return tuple(moving)


def _choices(links: Collection[str]) -> str:
    return (f'the links that at least {COMPONENTS} joints move are: {listed(links, 100)}'
            if links else f'this robot has no link that at least {COMPONENTS} joints move')
