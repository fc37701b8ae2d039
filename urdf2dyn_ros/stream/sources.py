"""The load arguments of the equations, from where they are measured or set."""

from __future__ import annotations

from collections.abc import Callable

from urdf2dyn_ros.algebra.arrays import Array
from urdf2dyn_ros.estimators.estimate import Estimate
from urdf2dyn_ros.external_wrenches import ExternalWrenches
from urdf2dyn_ros.moving_base import MovingBase


class Sources:
    """The load arguments at a stamp, in their order; `payload` returns (10,) as it is now."""

    def __init__(self, base: MovingBase | None = None, wrenches: ExternalWrenches | None = None,
                 payload: Callable[[], Array] | None = None) -> None:
        self.base, self.wrenches, self._payload = base, wrenches, payload
        self._unknown = ''   # why the motion of the base is unknown

    def __call__(self, estimate: Estimate) -> tuple[Array, ...] | str | None:
        """Return the arguments after qdd, or a key of ``JOINT_STATE_OUTCOMES``; None: not yet."""
        arguments: list[Array] = []
        if self.base is not None:
            motion = self.base.motion_at(estimate.stamp, estimate.q, estimate.qd, estimate.qdd)
            if isinstance(motion, str):
                if motion == 'base_behind':
                    return None   # newer data may follow; after the timeout it is 'base_stale'
                self._unknown = motion
                return 'no_base'
            self._unknown = ''
            arguments.append(motion)
        if self.wrenches is not None:
            external = self.wrenches.wrenches_at(estimate.stamp, estimate.q)
            if isinstance(external, str):
                return 'no_wrench'
            arguments.append(external)
        if self._payload is not None:
            arguments.append(self._payload())
        return tuple(arguments)

    @property
    def warnings(self) -> tuple[str, ...]:
        """Sentences about data that are unknown or not credible, with the reason."""
        warnings: tuple[str, ...] = ()
        if self.base is not None:
            warnings = self.base.warnings
            if self._unknown:
                warnings = (f'motion of the base, {self._unknown}: '
                            f'{self.base.explained(self._unknown)}', *warnings)
        return warnings if self.wrenches is None else (*warnings, *self.wrenches.warnings)

    @property
    def figures(self) -> dict[str, str]:
        """Counters of base data and wrenches."""
        return {f'{name}: {outcome}': str(count)
                for name, source in (('base', self.base), ('wrenches', self.wrenches))
                if source is not None for outcome, count in sorted(source.counters.items())}
