"""The picture of an identification: efforts over time, and residuals of the three models."""

from typing import Any

import numpy as np

from urdf2dyn_ros.algebra.arrays import Array
from urdf2dyn_ros.drawing.picture import (
    COMPUTED,
    GREY,
    LIGHT,
    MEASURED,
    add_head,
    add_name,
    drawn_name,
    panels,
    png_bytes,
    style_axes,
    thinned,
)
from urdf2dyn_ros.identification.low_pass import ROW_RATE
from urdf2dyn_ros.identification.result import Identification
from urdf2dyn_ros.identification.rows import BLOCKS

_WIDE, _STACKED, _HIGH, _HEAD = 6.6, 5.6, 2.1, 1.1
"""Width of a joint's place, in one column, its height, and that of title and legend [in]."""

_MOST_STACKED = 12
"""Joints up to which they are below each other, which a phone can show."""

_MOST_ROWS, _MOST_JOINTS = 1500, 40


def held_out_efforts(result: Identification, joint: int) -> tuple[Array, Array, Array] | None:
    """Return measured effort, that of the URDF, and held-out one (k,); None without rows."""
    summary = result.summaries[0]
    if summary.rows is None:
        return None
    rows, bodies = summary.rows, result.robot.columns.bodies[joint]
    part = rows.joints[joint]
    blocks = np.minimum(rows.block, BLOCKS - 1) if result.parts == 'blocks' else 0 * rows.block
    computed = np.empty(len(part))
    for number, fit in enumerate(result.fits):
        chosen = blocks == number
        computed[chosen] = part[chosen, :-1] @ fit.solution(joint, bodies)
    nominal = part[:, :10 * len(bodies)] @ (
        result.fit.gains[joint] * result.robot.prior.nominal[bodies].ravel())
    gain = 1.0 if result.gains is None else result.gains.values[joint]
    unit = gain if result.gains is not None and result.gains.free[joint] else 1.0
    if result.parts == 'blocks':   # rows in gaps belong to no block
        computed[rows.block == BLOCKS] = np.nan
    return gain / unit * part[:, -1], nominal / unit, computed / unit


def identification_picture(result: Identification, title: str) -> bytes:
    """Return a PNG with a panel for each joint that is identified."""
    joints = np.flatnonzero(result.used)[:_MOST_JOINTS].tolist()
    columns, wide = (1, _STACKED) if len(joints) <= _MOST_STACKED else (2, _WIDE)
    figure, places = panels(len(joints), columns, (wide, _HIGH), _HEAD, (0.85, 0.15),
                            [(0.45, _HIGH - 0.85)])
    handles: list[Any] = []
    for joint, (axes,) in zip(joints, places):
        curves = held_out_efforts(result, joint)
        lines = _bars(axes, result, joint) if curves is None else _curves(axes, *curves)
        handles = handles or lines
        add_name(axes, drawn_name(result.robot.joints[joint], 30))
        figures = ' > '.join(f'{each:.3g}' for each in result.held_out.every[:, joint])
        axes.set_title(f'RMS {figures}', fontsize='small', loc='right')
        axes.set_ylabel(f'effort [{result.units[joint]}]', fontsize='small')
        style_axes(axes, inset=0.5)
    add_head(figure, title, 50 * columns, handles, legend=0.52, size='small')
    figure.text(0.5, 1.0 - 0.75 / figure.get_figheight(), 'RMS of the residual: URDF > with '
                'friction and rotors > identified', ha='center', fontsize='small')
    return png_bytes(figure)


def _curves(axes: Any, measured: Array, nominal: Array, computed: Array) -> list[Any]:
    time = np.arange(len(measured)) / ROW_RATE
    rows = thinned(np.stack((measured, nominal, computed)), _MOST_ROWS // 2)
    lines = [axes.plot(time[rows], values[rows], color=colour, linewidth=width, label=label)[0]
             for values, colour, width, label in (
                 (nominal, LIGHT, 1.2, 'URDF, without friction'),
                 (measured, MEASURED, 2.6, 'measured'),
                 (computed, COMPUTED, 1.0, 'identified, without this part'))]
    axes.set_xlabel('time [s]', fontsize='small', labelpad=1.0)
    return lines


def _bars(axes: Any, result: Identification, joint: int) -> list[Any]:
    """Draw residuals, where only a summary is known."""
    values = result.held_out.every[:, joint]
    return [axes.bar([number], [value], color=colour, label=label)
            for number, (value, colour, label) in enumerate(zip(
                values, (LIGHT, GREY, COMPUTED),
                ('residual of the URDF', 'with friction', 'identified')))]
