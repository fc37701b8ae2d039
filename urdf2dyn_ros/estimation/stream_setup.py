"""From the values of parameters to a stream and its sources."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from typing import Any

from urdf2dyn_ros.errors import ParameterError
from urdf2dyn_ros.estimation.estimators import ESTIMATORS, make_estimator
from urdf2dyn_ros.estimation.hold import HOLD, joints_of, read_hold
from urdf2dyn_ros.estimation.kalman import Estimate
from urdf2dyn_ros.estimation.moving_base import BASE_SENSORS, MovingBase
from urdf2dyn_ros.estimation.outcomes import Absence, Outcome
from urdf2dyn_ros.estimation.passive import PassiveJoints
from urdf2dyn_ros.estimation.stream import IMPLAUSIBLE, Stream
from urdf2dyn_ros.estimation.wrenches import ExternalWrenches
from urdf2dyn_ros.inverse_dynamics import InverseDynamics
from urdf2dyn_ros.robot.multibody import make_multibody
from urdf2dyn_ros.robot.parameters import Parameter, values_below
from urdf2dyn_ros.robot.spatial import Array

# ---- The load arguments of the equations, from where they are measured or set


class Sources:
    """The load arguments at a stamp, in their order; `payload` returns (10,) as it is now."""

    def __init__(self, base: MovingBase | None = None, wrenches: ExternalWrenches | None = None,
                 payload: Callable[[], Array] | None = None) -> None:
        self.base, self.wrenches, self._payload = base, wrenches, payload
        self._unknown: Absence | None = None   # why the motion of the base is unknown

    def __call__(self, estimate: Estimate) -> tuple[Array, ...] | Outcome:
        """Return the arguments after qdd, or the outcome without them."""
        arguments: list[Array] = []
        if self.base is not None:
            motion = self.base.motion_at(estimate.stamp, estimate.q, estimate.qd, estimate.qdd)
            if isinstance(motion, Absence):
                if motion is Absence.BASE_BEHIND:
                    return Outcome.WAITING   # after the timeout it is BASE_STALE
                self._unknown = motion
                return Outcome.NO_BASE
            self._unknown = None
            arguments.append(motion)
        if self.wrenches is not None:
            external = self.wrenches.wrenches_at(estimate.stamp, estimate.q)
            if isinstance(external, Absence):
                return Outcome.NO_WRENCH
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
            if self._unknown is not None:
                warnings = (f'motion of the base, {self._unknown}: '
                            f'{self.base.explained(self._unknown)}', *warnings)
        return warnings if self.wrenches is None else (*warnings, *self.wrenches.warnings)

    @property
    def figures(self) -> dict[str, str]:
        return {f'{name}: {outcome}': str(count)
                for name, source in (('base', self.base), ('wrenches', self.wrenches))
                if source is not None for outcome, count in sorted(source.counters.items())}


# ---- The parameters of a stream, and a stream and its sources of their values

STREAM_PARAMETERS: tuple[Parameter, ...] = (
    Parameter('estimator', 'kalman', 'How accelerations are estimated.',
              choices=tuple(ESTIMATORS)),
    HOLD,
    IMPLAUSIBLE,
    *(row.named(f'stream.{row.name}') for row in Stream.PARAMETERS),
    *(row.named(f'{name}.{row.name}') for name, kind in ESTIMATORS.items()
      for row in kind.PARAMETERS),
)


def check_lags(values: Mapping[str, Any]) -> None:
    """Raise a ParameterError if the motion of a base is older than that of the joints."""
    name, lag = values['estimator'], values['moving_base.lag']
    most = ESTIMATORS[name].largest_lag(**values_below(values, name))
    if lag > most and values['base'] != 'fixed':
        remedy = f'{most:g} or less' if most else '0'
        raise ParameterError(
            f'parameter moving_base.lag is {lag:g} s, but estimator {name} of the joints has a '
            f'lag of {most:g} s: all efforts would wait for the base; set it to {remedy}, or '
            'estimator to kalman_fixed_lag with kalman_fixed_lag.lag as large')


def make_stream(values: Mapping[str, Any], dynamics: InverseDynamics, clock: Callable[[], int],
                before: Stream | None = None, **options: Any) -> Stream:
    """
    Return the stream of the parameters; faults of `hold` have no effect.

    It goes on with the samples of the stream `before`.
    """
    name = values['estimator']
    result = Stream(joints_of(dynamics), dynamics,
                    lambda joints: make_estimator(name, joints, **values_below(values, name)),
                    clock=clock, implausible=values['implausible'],
                    passive=PassiveJoints(dynamics) if dynamics.passive_names else None,
                    **values_below(values, 'stream'), **options)
    result.hold(read_hold(values['hold'], dynamics)[0])
    result.estimator = name, values_below(values, name)
    if before is not None:
        result.proceed(before)
    return result


def make_sources(values: Mapping[str, Any], dynamics: InverseDynamics, clock: Callable[[], int],
                 payload: Mapping[str, Array], before: Sources) -> Sources:
    """
    Return the sources of the load arguments, with the counters of those `before`.

    The clock returns the present time [ns]; `payload` has that of each link, (10,), as it is now.
    """
    base, wrenches, loads, system = None, None, dynamics.loads, make_multibody(dynamics.model)
    counted = [None if source is None else source.counters
               for source in (before.base, before.wrenches)]
    if loads.moving(system):
        base = BASE_SENSORS[{'auto': 'imu'}.get(values['base'], values['base'])](
            dynamics.model, clock=clock, gravity=dynamics.gravity_vector,
            counters=counted[0], **values_below(values, 'moving_base'))
        if before.base is not None:
            base.proceed(before.base)
    if loads.external:
        wrenches = ExternalWrenches(system, loads.external, clock=time.monotonic_ns,
                                    moving=base is not None,
                                    counters=counted[1], **values_below(values, 'wrench'))
        if before.wrenches is not None:
            wrenches.proceed(before.wrenches)
    return Sources(base, wrenches, (lambda: payload[loads.payload]) if loads.payload else None)


def stream_values(values: Mapping[str, Any]) -> dict[str, Any]:
    """Return the values that a stream depends on, in groups."""
    name = values['estimator']
    return {'estimator': name, 'hold': values['hold'], 'implausible': values['implausible'], **{
        prefix: values_below(values, prefix)
        for prefix in (name, 'stream', 'wrench', 'moving_base')}}
