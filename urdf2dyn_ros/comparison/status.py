"""How a joint's comparison is, in a level, a sentence and values."""

from __future__ import annotations

import math

from urdf2dyn_ros.comparison.joint_comparison import JointComparison, Span
from urdf2dyn_ros.comparison.semantics import rate_unit
from urdf2dyn_ros.health import Level, Status


def joint_status(joint: JointComparison, seconds: float, stale: bool) -> Status:
    """
    Return the status of a joint.

    Parameters
    ----------
    joint : JointComparison
        Its samples are not needed.
    seconds : float
        Length of the sliding window [s].
    stale : bool
        Whether nothing new has been compared for a while.

    """
    values = {'unit': joint.unit}
    for name, span in (('window', joint.window), ('total', joint.total)):
        values |= _values(name, span, joint.unit)
    if joint.doubt:
        return Status(joint.joint, Level.WARN, f'not credible: {joint.doubt}', values)
    if stale:
        return Status(joint.joint, Level.STALE, 'nothing new to compare', values)
    if joint.window.doubt:
        return Status(joint.joint, Level.WARN,
                      f'not credible in the last {seconds:g} s: {joint.window.doubt}', values)
    figures = joint.window.figures
    sentence = f'RMSE {figures.rmse:.3g} {joint.unit}'
    if not math.isnan(figures.nrmse):
        sentence += f', {100.0 * figures.nrmse:.3g} % of the range'
    sentence += f' in the last {seconds:g} s'
    if joint.total.hint:
        return Status(joint.joint, Level.WARN, joint.total.hint, values)
    return Status(joint.joint, Level.OK, sentence, values)


def _values(name: str, span: Span, unit: str) -> dict[str, str]:
    figures = span.figures
    values = {f'{name} samples': str(figures.samples)}
    if span.doubt:
        return {**values, f'{name} not credible': span.doubt}
    friction = figures.friction
    numbers = {
        f'RMSE [{unit}]': figures.rmse, f'maximum [{unit}]': figures.max_error,
        f'bias [{unit}]': figures.bias, 'NRMSE [%]': 100.0 * figures.nrmse,
        'RMSE by RMS [%]': 100.0 * figures.nrmse_rms, 'R2': figures.r2,
        'lag [ms]': 1e3 * span.lag, f'RMSE without alignment [{unit}]': span.unaligned.rmse,
        f'viscous friction [{unit} / ({rate_unit(unit)})]': friction.viscous.value,
        f'Coulomb friction [{unit}]': friction.coulomb.value,
        f'offset [{unit}]': friction.offset.value,
        f'RMSE without friction [{unit}]': friction.rmse}
    values |= {f'{name} {key}': 'none' if math.isnan(number) else f'{number:.6g}'
               for key, number in numbers.items()}
    if friction.unknown:
        values[f'{name} no friction fitted'] = friction.unknown
    return values
