"""What the equations take beside the motion, from where it is measured or set."""

from __future__ import annotations

from collections.abc import Callable

from urdf2dyn_ros.algebra.arrays import Array
from urdf2dyn_ros.estimators.estimate import Estimate
from urdf2dyn_ros.external_wrenches import ExternalWrenches
from urdf2dyn_ros.moving_base import MovingBase


class Sources:
    """
    What else acts at an instant, in the order of the equations' arguments.

    Parameters
    ----------
    base : MovingBase, optional
    wrenches : ExternalWrenches, optional
    payload : callable, optional
        Returns the payload (10,) that is carried now.

    """

    def __init__(self, base: MovingBase | None = None, wrenches: ExternalWrenches | None = None,
                 payload: Callable[[], Array] | None = None) -> None:
        self.base, self.wrenches, self._payload = base, wrenches, payload
        self._unknown = ''   # why the motion of the base was not known

    def __call__(self, estimate: Estimate) -> tuple[Array, ...] | str | None:
        """Return the arguments after qdd, or a key of the stream's OUTCOMES; None: not yet."""
        given = []
        if self.base is not None:
            motion = self.base.motion_at(estimate.stamp, estimate.q, estimate.qd, estimate.qdd)
            if isinstance(motion, str) and motion == 'base_behind':
                return None   # newer data may be on its way; before long it is 'base_stale'
            self._unknown = motion if isinstance(motion, str) else ''
            if isinstance(motion, str):
                return 'no_base'
            given.append(motion)
        if self.wrenches is not None:
            external = self.wrenches.wrenches_at(estimate.stamp, estimate.q)
            if isinstance(external, str):
                return 'no_wrench'
            given.append(external)
        if self._payload is not None:
            given.append(self._payload())
        return tuple(given)

    @property
    def doubts(self) -> tuple[str, ...]:
        """What is not known, and why."""
        found: tuple[str, ...] = ()
        if self.base is not None:
            found = self.base.doubts
            if self._unknown:
                found = (f'motion of the base, {self._unknown}: '
                         f'{self.base.explained(self._unknown)}', *found)
        return found if self.wrenches is None else (*found, *self.wrenches.doubts)

    @property
    def figures(self) -> dict[str, str]:
        """What became of the messages."""
        found: dict[str, str] = {}
        for name, source in (('base', self.base), ('wrenches', self.wrenches)):
            if source is not None:
                found |= {f'{name}: {outcome}': str(count)
                          for outcome, count in sorted(source.counters.items())}
        return found
