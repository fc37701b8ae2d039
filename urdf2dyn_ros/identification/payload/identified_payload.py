"""A payload as it was identified, in the frame of its link, and whether it was determined."""

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np

from urdf2dyn_ros.algebra.arrays import Array
from urdf2dyn_ros.errors import IdentificationError
from urdf2dyn_ros.identification.bodies import BASIS, parameters_of, pseudo_inertia
from urdf2dyn_ros.identification.fit.consistent_fit import ConsistentFit
from urdf2dyn_ros.identification.fit.deviations import Deviations, covariance_of, deviations
from urdf2dyn_ros.identification.fit.pooled_fit import PooledFit
from urdf2dyn_ros.identification.payload.payload_body import CarriedPayload

_LARGEST_SCALE = 1.6
"""Mass of the robot over that of its URDF that is plausible; 1.24 for a UR10e that is known."""

_FAINT_WEIGHT = 1e-3
"""Weight of the URDF where what the data alone determine of a scale is judged."""

_MOST_OF_MASS, _MOST_OF_GAIN = 0.3, 0.1
"""Largest standard deviations of a mass that is identified, and of a gain, as shares of them."""


class IdentifiedPayload(NamedTuple):
    """A payload."""

    link: str
    recordings: tuple[str, ...]   # names of those in which it is carried
    known: bool   # whether its mass was known
    # mass, first moments and inertia about the link's origin, in the link's axes
    parameters: Array   # (10,)
    covariance: Array   # (10, 10)

    @property
    def deviations(self) -> Array:
        """Standard deviations (10,) of the parameters."""
        return np.sqrt(np.diag(self.covariance))

    @property
    def centre(self) -> tuple[Array, Array]:
        """Centre of mass in the link's frame [m] and its standard deviations, (3,) each."""
        mass, centre = self.parameters[0], self.parameters[1:4] / self.parameters[0]
        slopes = np.column_stack((-centre, np.eye(3))) / mass
        return centre, np.sqrt(np.diag(slopes @ self.covariance[:4, :4] @ slopes.T))

    @property
    def inertia(self) -> Array:
        """Inertia (6,) about the centre of mass in the link's axes [kg m^2]."""
        P = pseudo_inertia(self.parameters)
        P[:3, :3] -= np.outer(P[:3, 3], P[:3, 3]) / P[3, 3]
        P[:3, 3] = P[3, :3] = 0.0
        return parameters_of(P)[4:]

    def settings(self) -> Mapping[str, Any]:
        """Return the node's parameters of this payload."""
        return {'payload.link': self.link, 'payload.mass': float(self.parameters[0]),
                'payload.com': [float(each) for each in self.centre[0]],
                'payload.inertia': [float(each) for each in self.inertia]}


def identified_payload(payload: CarriedPayload, result: PooledFit, correlation: Array,
                       errors: Deviations) -> tuple[IdentifiedPayload, Deviations]:
    """
    Return the payload of a fit, and the deviations of the fit with those of gains by the payload.

    An IdentificationError if the data determine neither the unknown mass, nor gains by the known
    one.
    """
    known = bool(np.isfinite(payload.mass))
    problem = result.problem
    if known:   # the URDF's masses must not count for the scale
        result = result._replace(problem=problem._replace(weight=_FAINT_WEIGHT))
        own = deviations(result, correlation)
        errors = errors._replace(gains=own.gains, ratios=own.ratios)
    rows = slice(10 * len(problem.factors) - 10, 10 * len(problem.factors))
    slopes = ConsistentFit(problem).slopes[-1]
    covariance = slopes @ covariance_of(result, correlation)[0][rows, rows] @ slopes.T
    back = np.linalg.inv(payload.transformation)
    in_link: Array = parameters_of(back @ BASIS @ back.T).T
    estimate = IdentifiedPayload(
        payload.link, tuple(each.name for each in payload.summaries), known,
        in_link @ result.fit.bodies[-1], in_link @ covariance @ in_link.T)
    mass, deviation = estimate.parameters[0], estimate.deviations[0]
    if not known and deviation > _MOST_OF_MASS * mass:
        raise IdentificationError(
            f'the payload on {payload.link} is not determined: {mass:.3g} kg with a standard '
            f'deviation of {deviation:.2g} kg; record both with faster motions of the joints that '
            'move it, against gravity where they can, or with a heavier payload')
    if known and not np.nanmin(errors.gains, initial=np.inf) <= _MOST_OF_GAIN:
        best = 100.0 * np.nanmin(errors.gains, initial=np.inf)
        raise IdentificationError(
            f'the payload of {payload.mass:g} kg on {payload.link} does not determine the gains: '
            f'the best one has a standard deviation of {best:.0f} %; check that it was carried in '
            f'{", ".join(estimate.recordings)} and in no other recording, or take a heavier one')
    return estimate, errors


def scale_remark(payload: CarriedPayload, before: Array, after: Array) -> list[str]:
    """Return that a payload's known mass does not fit masses of the URDF and of the fit (b,)."""
    scale = float(after.sum() / before.sum())
    if not np.isfinite(payload.mass) or 1.0 / _LARGEST_SCALE < scale < _LARGEST_SCALE:
        return []
    return [f'with a payload of {payload.mass:g} kg the robot would have {scale:.2g} times the '
            f'mass of its URDF, with {payload.mass / scale:.2g} kg the same: check '
            '--payload-mass, to which all gains are proportional, and the masses of the URDF']
