"""The picture of the demonstration of identify: torques before and after, and their errors."""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from urdf2dyn_ros.algebra.arrays import Array
from urdf2dyn_ros.drawing.picture import (
    COMPUTED,
    GREY,
    MEASURED,
    add_head,
    add_name,
    drawn_name,
    panels,
    png_bytes,
    style_axes,
    thinned,
)

_WIDE, _HIGH, _HEAD = 6.2, 2.1, 0.75
"""Size of a joint's place, height of title and legend [in]."""

_MOST_SEGMENTS, _MOST_JOINTS = 400, 12


class BeforeAndAfter(NamedTuple):
    """Efforts of n joints at the same k instants."""

    joints: Sequence[str]
    units: Sequence[str]
    time: Array   # (k,) [s]
    measured: Array   # (k, n) [N m or N]
    before: Array   # (k, n), computed from the URDF
    after: Array   # (k, n), computed from what is identified

    def errors(self, axis: int | None = 0) -> tuple[Any, Any]:
        """Return the norms of the errors before and after, (n,), over those of `measured`."""
        size = np.linalg.norm(self.measured, axis=axis)
        before, after = (np.linalg.norm(each - self.measured, axis=axis) / size
                         for each in (self.before, self.after))
        return before, after

    def total_errors(self) -> tuple[float, float]:
        """Return the errors before and after of all joints together."""
        before, after = self.errors(axis=None)
        return float(before), float(after)


def before_and_after_picture(comparison: BeforeAndAfter, robot: str) -> bytes:
    """Return a PNG with a panel for each joint."""
    count = min(len(comparison.joints), _MOST_JOINTS)
    figure, places = panels(count, min(2, count), (_WIDE, _HIGH), _HEAD, (0.7, 0.15),
                            [(0.5, _HIGH - 0.8)])
    handles: list[Any] = []
    errors = comparison.errors()
    for joint, (axes,) in enumerate(places):
        curves = np.stack([each[:, joint] for each in (
            comparison.measured, comparison.before, comparison.after)])
        drawn = thinned(curves, _MOST_SEGMENTS)
        lines = [axes.plot(comparison.time[drawn], values[drawn], color=colour, linewidth=width,
                           linestyle=style, label=label)[0]
                 for values, colour, width, style, label in zip(
                     curves, (MEASURED, GREY, COMPUTED), (3.2, 1.1, 1.1), ('-', (0, (4, 2)), '-'),
                     ('simulated', 'computed from the URDF',
                      'computed from the identified parameters'))]
        handles = handles or lines
        add_name(axes, drawn_name(comparison.joints[joint], 30))
        before, after = (100.0 * each[joint] for each in errors)
        axes.set_title(f'error {before:.3g} % → {after:.2g} %', fontsize='small', loc='right')
        axes.set_ylabel(f'effort [{comparison.units[joint]}]', fontsize='small')
        axes.set_xlim(comparison.time[0], comparison.time[-1])
        axes.set_xlabel('time [s]', fontsize='small', labelpad=1.0)
        style_axes(axes, inset=0.45)
    before, after = (100.0 * each for each in comparison.total_errors())
    add_head(figure, f'{robot}, simulated with other inertias, friction and rotors than its URDF '
             f'has; a motion that was not recorded: error {before:.3g} % → {after:.2g} %', 160,
             handles, legend=0.55)
    return png_bytes(figure)
