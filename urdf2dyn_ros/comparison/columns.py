"""The figures of a joint as rows of a table, the same in the terminal and on the page."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import NamedTuple

from urdf2dyn_ros.comparison.joint_comparison import Span


class Column(NamedTuple):
    """A figure: its head, what it says, and how it is written."""

    head: str
    meaning: str
    text: Callable[[Span], str]


def _number(value: float, form: str = '.4g') -> str:
    return '-' if math.isnan(value) else format(value, form)


FIGURE_COLUMNS = (
    Column('RMSE', 'root mean square of measured minus computed',
           lambda span: _number(span.figures.rmse)),
    Column('maximum', 'largest magnitude of it', lambda span: _number(span.figures.max_error)),
    Column('bias', 'mean of it', lambda span: _number(span.figures.bias, '.3g')),
    Column('NRMSE [%]', 'RMSE by the range of the measured effort',
           lambda span: _number(100.0 * span.figures.nrmse, '.4f')),
    Column('of RMS [%]', 'RMSE by the root mean square of the measured effort',
           lambda span: _number(100.0 * span.figures.nrmse_rms, '.4f')),
    Column('R2', 'share of the variance of the measured effort that is explained',
           lambda span: _number(span.figures.r2, '.6f')),
    Column('lag [ms]', 'by which the measurement is late, and was moved back; - where none is '
           'significant',
           lambda span: _number(1e3 * span.lag, '.2f')),
    Column('viscous', 'friction that explains the difference best, per rad/s or m/s',
           lambda span: _number(span.figures.friction.viscous.value)),
    Column('Coulomb', 'friction that explains the difference best',
           lambda span: _number(span.figures.friction.coulomb.value)),
    Column('offset', 'that explains the difference best',
           lambda span: _number(span.figures.friction.offset.value, '.3g')),
    Column('RMSE left', 'RMSE without that friction and offset',
           lambda span: _number(span.figures.friction.rmse)),
)


def lateness(lag: float) -> str:
    """Return a lag [s] in words."""
    return f'{1e3 * abs(lag):.3g} ms {"late" if lag > 0.0 else "early"}'


def notes(name: str, span: Span) -> list[str]:
    """Return what else is to be said of a joint, in sentences."""
    texts = [span.hint] if span.hint else []
    if not span.doubt and not math.isnan(span.lag):
        texts.append(f'the measurement is {lateness(span.lag)}; without alignment RMSE '
                     f'{span.unaligned.rmse:.4g}, NRMSE {100.0 * span.unaligned.nrmse:.4f} %')
    if not span.doubt and span.figures.friction.unknown:
        texts.append(f'no friction fitted: {span.figures.friction.unknown}')
    return [f'{name}: {text}' for text in texts]
