"""The figures of a joint as texts: columns of a table, notes, and the values of a status."""

import math
from collections.abc import Callable, Iterable
from typing import NamedTuple

from urdf2dyn_ros.comparison.figures import JointComparison, Span
from urdf2dyn_ros.comparison.lag import OwnLag
from urdf2dyn_ros.comparison.semantics import rate_unit
from urdf2dyn_ros.health import Level, Status
from urdf2dyn_ros.quoting import printable


class FigureColumn(NamedTuple):
    """
    A figure in tables and in the status.

    `meaning` is its explanation on the page, `key` that in the status, with the units of effort
    and of velocity to be filled in; `form` is the format of the number in tables.
    """

    head: str
    meaning: str
    key: str
    value: Callable[[Span], float]
    form: str = '.4g'
    error: Callable[[Span], float] | None = None


FIGURE_COLUMNS = (
    FigureColumn('RMSE', 'root mean square of the residual, measured minus computed',
                 'RMSE [{unit}]', lambda span: span.figures.rmse),
    FigureColumn('maximum', 'largest magnitude of the residual', 'maximum [{unit}]',
                 lambda span: span.figures.max_error),
    FigureColumn('bias', 'mean of the residual', 'bias [{unit}]',
                 lambda span: span.figures.bias, '.3g'),
    FigureColumn('NRMSE [%]', 'RMSE divided by the range of the measured effort; - if a sensor '
                 'does not resolve that', 'NRMSE [%]',
                 lambda span: 100.0 * span.figures.nrmse, '.4f'),
    FigureColumn('of RMS [%]', 'RMSE divided by the root mean square of the measured effort',
                 'RMSE by RMS [%]', lambda span: 100.0 * span.figures.nrmse_rms, '.4f'),
    FigureColumn('R2', 'share of the variance of the measured effort that is explained', 'R2',
                 lambda span: span.figures.r2, '.6f'),
    FigureColumn('lag [ms]', 'lag of the measurement, one for the joints of a message, which is '
                 'corrected; - if not significant',
                 'lag [ms]', lambda span: 1e3 * span.lag, '.2f'),
    FigureColumn('viscous', 'viscous friction in the measured effort, that of the URDF '
                 'included, per rad/s or m/s',
                 'viscous friction [{unit} / ({rate})]',
                 lambda span: span.figures.friction.viscous.value,
                 error=lambda span: span.figures.friction.viscous.error),
    FigureColumn('Coulomb', 'Coulomb friction in the measured effort, that of the URDF '
                 'included',
                 'Coulomb friction [{unit}]', lambda span: span.figures.friction.coulomb.value,
                 error=lambda span: span.figures.friction.coulomb.error),
    FigureColumn('offset', 'offset that fits the residual best', 'offset [{unit}]',
                 lambda span: span.figures.friction.offset.value, '.3g',
                 lambda span: span.figures.friction.offset.error),
    FigureColumn('RMSE left', 'RMSE without this friction and offset',
                 'RMSE without friction [{unit}]', lambda span: span.figures.friction.rmse),
)


def figure_texts(span: Span) -> list[str]:
    """Return the figures in the order of the columns; - if unknown."""
    values = [(column.value(span), column.form) for column in FIGURE_COLUMNS]
    return ['-' if math.isnan(value) else format(value, form) for value, form in values]


def lateness(lag: float) -> str:
    """Return a lag [s] in words."""
    if not lag:
        return 'on time'
    return f'{1e3 * abs(lag):.3g} ms {"late" if lag > 0.0 else "early"}'


_PREVAILING_SHARE = 0.5
"""Share of a measured effort that only the computed one explains; below it friction prevails."""


def own_lag_text(own: OwnLag, common: float) -> str:
    """Return a sentence about a joint whose lag differs from the common one [s]."""
    cause = ('check its driver and filters' if own.effect >= _PREVAILING_SHARE else
             'friction that is not in the model may look like that')
    others = 'no common lag is significant' if math.isnan(common) else (
        f'the joints together are {lateness(common)}')
    return (f'alone it would be {lateness(own.lag)}, {others}; that leaves {100.0 * own.left:.2g} '
            '% of the unexplained power, and the computed effort explains '
            f'{100.0 * own.effect:.2g} % of the measured one besides friction: {cause}')


def notes(joints: Iterable[JointComparison]) -> list[str]:
    """Return sentences about what the figures do not show, each once, behind its joints."""
    names: dict[str, list[str]] = {}
    for joint in joints:
        for text in _notes(joint.total):
            names.setdefault(text, []).append(printable(joint.joint))
    return [f'{", ".join(of)}: {text}' for text, of in names.items()]


def _notes(span: Span) -> list[str]:
    texts = [span.hint] if span.hint else []
    if not span.fault and not math.isnan(span.lag):
        texts.append(f'the measurement is {lateness(span.lag)}; without alignment RMSE '
                     f'{span.unaligned.rmse:.4g}, NRMSE {100.0 * span.unaligned.nrmse:.4f} %')
    if span.own_lag is not None:
        texts.append(own_lag_text(span.own_lag, span.lag))
    if not span.fault and span.figures.friction.unknown:
        texts.append(f'no friction fitted: {span.figures.friction.unknown}')
    return texts


def joint_status(joint: JointComparison, seconds: float, stale: bool) -> Status:
    """
    Return the status of a joint, whose samples are not used, with a sliding window of `seconds`.

    It is stale if there have been no new pairs for a while.
    """
    values = {'unit': joint.unit}
    for name, span in (('window', joint.window), ('total', joint.total)):
        values |= _status_values(name, span, joint.unit)
    if joint.fault:
        return Status(joint.joint, Level.WARN, f'not credible: {joint.fault}', values)
    if stale:
        return Status(joint.joint, Level.STALE, 'nothing new to compare', values)
    if joint.window.fault:
        return Status(joint.joint, Level.WARN,
                      f'not credible in the last {seconds:g} s: {joint.window.fault}', values)
    if joint.total.hint:
        return Status(joint.joint, Level.WARN, joint.total.hint, values)
    figures = joint.window.figures
    sentence = f'RMSE {figures.rmse:.3g} {joint.unit}'
    if not math.isnan(figures.nrmse):
        sentence += f', {100.0 * figures.nrmse:.3g} % of the range'
    return Status(joint.joint, Level.OK, f'{sentence} in the last {seconds:g} s', values)


def _status_values(name: str, span: Span, unit: str) -> dict[str, str]:
    values = {f'{name} samples': str(span.figures.samples)}
    if span.fault:
        return {**values, f'{name} not credible': span.fault}
    numbers = {column.key.format(unit=unit, rate=rate_unit(unit)): column.value(span)
               for column in FIGURE_COLUMNS}
    numbers[f'RMSE without alignment [{unit}]'] = span.unaligned.rmse
    values |= {f'{name} {key}': 'none' if math.isnan(number) else f'{number:.6g}'
               for key, number in numbers.items()}
    if span.own_lag is not None:
        values[f'{name} own lag [ms]'] = f'{1e3 * span.own_lag.lag:.6g}'
        values[f'{name} own lag'] = own_lag_text(span.own_lag, span.lag)
    if span.figures.friction.unknown:
        values[f'{name} no friction fitted'] = span.figures.friction.unknown
    return values
