"""A payload that fits another link than the one that is said to carry it, or other recordings."""

from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from urdf2dyn_ros.errors import IdentificationError
from urdf2dyn_ros.identification.fit.fit_data import all_terms
from urdf2dyn_ros.identification.fit.pooled_fit import (
    PRIOR_WEIGHT,
    FitTerms,
    Pool,
    fitted,
    pooled,
)
from urdf2dyn_ros.identification.gains import Gains, approximated, with_gains
from urdf2dyn_ros.identification.payload.payload_body import (
    CarriedPayload,
    payload_on,
    payload_pool,
    with_payload,
)
from urdf2dyn_ros.identification.robot import Robot
from urdf2dyn_ros.identification.summary import Summary

_BETTER = 1.0
"""Fall of the logarithm of what a fit leaves, over all joints, from which on it is another one."""


def check_carrier(robot: Robot, summaries: Sequence[Summary], gains: Gains | None,
                  payload: CarriedPayload) -> None:
    """Raise an IdentificationError if another link or other recordings explain far more."""
    used = [np.any([each.used > 0 for each in some], axis=0)
            for some in (summaries, payload.summaries)]
    without, loaded = (pooled([pool for each in some for pool in each.weighted])
                       for some in (summaries, payload.summaries))
    if gains is not None:
        gains = approximated(robot, pooled([without, loaded]), gains)
        without, loaded = with_gains([without, loaded], gains.values)
    terms = all_terms(robot, [*summaries, *payload.summaries],
                      gains or Gains(np.ones(len(used[0])), np.zeros(len(used[0]), dtype=bool)),
                      payload)
    given = _left(robot, terms, payload, without, loaded)
    left, fault = min((
        (_left(robot, terms, payload, loaded, without),
         'the recordings with and without the payload look interchanged: check '
         '--payload-recording'),
        *((_left(robot, terms, other, without, loaded),
           f'the payload looks carried by {other.link}, or what is fixed to it, not by '
           f'{payload.link}: check --payload-link') for other in _others(robot, used[1], payload)),
    ), key=lambda pair: pair[0])
    if given - left > _BETTER:
        factor = float(np.exp((given - left) / np.count_nonzero(used[0] | used[1])))
        raise IdentificationError(f'{fault}; then {factor:.2g} times smaller residuals are left '
                                  '(geometric mean of the joints)')


def _others(robot: Robot, used: NDArray[np.bool_], payload: CarriedPayload
            ) -> Iterator[CarriedPayload]:
    """Yield the payload on other bodies that used joints move."""
    moved = {number for bodies, flag in zip(robot.columns.bodies, used) if flag
             for number in bodies}
    for number in sorted(moved - {payload.carrier}):
        link = robot.system.bodies[number].attached[0].link.name
        yield payload_on(robot, link, payload.mass, payload.summaries)


def _left(robot: Robot, terms: FitTerms, payload: CarriedPayload, without: Pool,
          loaded: Pool) -> float:
    """Return the logarithm of what a fit leaves of the efforts, sum of the joints."""
    pool = pooled([payload_pool(robot, payload, without, False),
                   payload_pool(robot, payload, loaded, True)])
    fit = fitted(with_payload(robot, payload), pool, terms, PRIOR_WEIGHT)
    return float(np.log(fit.sigma[pool.rows > 0.0]).sum())
