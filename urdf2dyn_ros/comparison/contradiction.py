"""Whether measured efforts are of another semantics than the chosen one."""

from collections.abc import Mapping

import numpy as np

from urdf2dyn_ros.algebra.arrays import Array
from urdf2dyn_ros.comparison.joint_record import ADDED, COMPUTED, GRAVITY, MEASURED, VELOCITY
from urdf2dyn_ros.comparison.semantics import SEMANTICS, JointFacts

_BETTER_RESIDUAL = 0.3
"""Residual relative to that of the chosen semantics from which on another one is likely."""

_FEWEST_PAIRS = 100

_LEAST_FACTOR = 0.3
"""Least difference from 1 of a factor that wrong masses do not explain."""

_MOST_LEFT = 0.5
"""Residual of a multiple of the computed effort, relative to the measured one."""

_LEAST_RESIDUAL = 0.01
"""Least residual, relative to the measured effort, that needs an explanation."""


def contradiction(chosen: str, rows: Array, facts: JointFacts, still: float) -> str:
    """
    Return a hint if another semantics explains the pairs (k, 5) much better, or an empty text.

    Currents are not judged: their gain may be wrong, too.
    """
    rows = rows[np.isfinite(rows[:, VELOCITY])]
    if chosen == 'current' or len(rows) < _FEWEST_PAIRS:
        return ''
    velocity = np.where(np.abs(rows[:, VELOCITY]) > still, rows[:, VELOCITY], 0.0)
    friction = facts.damping * velocity + facts.friction * np.sign(velocity)
    net = rows[:, COMPUTED] - (friction if SEMANTICS[chosen].friction else 0.0)
    residuals = {'net': rows[:, MEASURED] - net,
                 'commanded': rows[:, MEASURED] - net - friction,
                 'gravity_compensated': rows[:, MEASURED] + rows[:, GRAVITY] - net}
    sizes = {name: _rms(residual) for name, residual in residuals.items()}
    text = (_upside_down(rows, net, sizes, facts) if chosen == 'net' else '') or _proportional(
        rows, net, sizes, facts)
    if text:
        return text
    best = min(sizes, key=lambda name: sizes[name] if np.isfinite(sizes[name]) else np.inf)
    size = _rms(rows[:, MEASURED] + rows[:, ADDED])
    if not (sizes[chosen] > _LEAST_RESIDUAL * size
            and sizes[best] < _BETTER_RESIDUAL * sizes[chosen]):
        return ''
    included = (', and whether the computed one includes friction already (friction.enabled of '
                'inverse_dynamics): then it compares as net'
                if SEMANTICS[chosen].friction and best == 'net' else '')
    if 'gravity_compensated' in (best, chosen):   # another direction looks like none
        included += ', and whether gravity is that of the robot'
    return (f'the measured effort seems to be {best} ({SEMANTICS[best].meaning}), not {chosen}: '
            f'that would leave an RMSE of {sizes[best]:.3g} instead of {sizes[chosen]:.3g} '
            f'{facts.unit}; check the semantics of the effort{included}')


def _rms(values: Array) -> float:
    return float(np.sqrt(np.square(values).mean()))


def _upside_down(rows: Array, net: Array, sizes: Mapping[str, float], facts: JointFacts) -> str:
    """Return a hint if the measured effort is that of the opposite gravity, or an empty text."""
    left = _rms(rows[:, MEASURED] - net + 2.0 * rows[:, GRAVITY])
    opposite = _rms(rows[:, MEASURED] + net)   # which a slow robot has as well
    if not left < _BETTER_RESIDUAL * min(opposite, *sizes.values()):
        return ''
    return (f'the measured effort is that of the opposite gravity, which leaves an RMSE of '
            f'{left:.3g} instead of {sizes["net"]:.3g} {facts.unit}: does the robot hang, or is z '
            'of its root downwards? (--gravity, parameter gravity)')


def _proportional(rows: Array, net: Array, sizes: Mapping[str, float], facts: JointFacts) -> str:
    """Return a hint if the measured effort is a multiple of the net one (k,), or an empty text."""
    measured = rows[:, MEASURED]
    factor = float(measured @ net / (net @ net)) if net.any() else 0.0
    residual, size = _rms(measured - factor * net), _rms(measured)
    others = min(filter(np.isfinite, sizes.values()), default=0.0)
    if (abs(factor - 1.0) < _LEAST_FACTOR or factor <= 0.0 or residual > _MOST_LEFT * size
            or residual > _BETTER_RESIDUAL * others):
        return ''
    return (f'the measured effort is {factor:.3g} times the computed one, but for '
            f'{100.0 * residual / size:.2g} %: is it a current, an effort before the gear, or in '
            f'another unit? The semantics current with a gain of {1.0 / factor:.3g} {facts.unit} '
            'for each of its units would explain it')
