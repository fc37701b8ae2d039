"""External efforts of a recording in words, as figures, and drawn over time."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import numpy as np

from urdf2dyn_ros.drawing.picture import BLACK, BLUE, ORANGE, empty_figure, save, shown
from urdf2dyn_ros.evaluation.external_efforts import ExternalEfforts, JointExternal
from urdf2dyn_ros.observer.contact import Contact
from urdf2dyn_ros.recordings.messages import SECOND
from urdf2dyn_ros.system.atomic_file import atomic_file

_STEM = 'external_efforts'
FILES = (f'{_STEM}.json', f'{_STEM}.png')

_CONTACTS_LISTED = 3
"""Contacts of a joint that are told one by one."""

_MARGIN = 1.5
"""Threshold that is advised, relative to the largest effort where nothing touched the robot."""

_SHADE = 0.35
"""Of the stretches with contact."""

_CELL, _AXIS, _LEFT, _RIGHT, _BELOW, _ABOVE, _HEAD = 5.3, 1.35, 0.75, 0.15, 0.5, 0.3, 0.7
"""Width of a joint's place, height of its axis, what is around it, height of the head [in]."""


def words(external: ExternalEfforts) -> list[str]:
    """Return what was found: a sentence about all, and one a joint."""
    start = external.curves.stamps[0] if external.curves.stamps else 0
    return ['external efforts: those of the momentum observer, gain '
            f'{external.gain:g}/s, times from the first one on; friction and other errors of the '
            'model are among them: if nothing touched the robot, thresholds should be '
            f'{_MARGIN:g} times the largest',
            *(_joint(joint, start) for joint in external.joints)]


def _joint(joint: JointExternal, start: int) -> str:
    head = f'external effort on {shown(joint.joint, 64)}: '
    if not joint.samples:
        return head + 'none, as its effort was not measured'
    at = (joint.largest_at - start) / SECOND
    text = (f'{head}largest {joint.largest:.3g} {joint.unit} at {at:.3f} s, RMS {joint.rms:.3g} '
            f'{joint.unit}, threshold {joint.threshold:g} {joint.unit}, ')
    if not joint.count:
        return text + 'no contact'
    told = [_contact(contact, joint.unit, start) for contact in joint.contacts[:_CONTACTS_LISTED]]
    more = [f'{joint.count - len(told)} more'] if joint.count > len(told) else []
    plural = 's' * (joint.count > 1)
    return f'{text}{joint.count} contact{plural}: {", ".join(told + more)}'


def _contact(contact: Contact, unit: str, start: int) -> str:
    begin, end = ((stamp - start) / SECOND for stamp in (contact.begin, contact.end))
    return f'{begin:.3f} to {end:.3f} s ({contact.peak:.3g} {unit})'


def write(external: ExternalEfforts, directory: Path, title: str) -> list[Path]:
    """
    Write figures (JSON) and a picture (PNG), and return their paths; stamps are in nanoseconds.

    Raises
    ------
    DrawingError
        If matplotlib is not installed, or the picture cannot be written.
    OSError
        If the figures cannot be written.

    """
    numbers, picture = (directory / name for name in FILES)
    rows = [{'joint': joint.joint, 'unit': joint.unit, 'threshold': joint.threshold,
             'samples': joint.samples, 'largest': joint.largest, 'largest_at': joint.largest_at,
             'rms': joint.rms, 'count': joint.count,
             'contacts': [{'begin': contact.begin, 'end': contact.end, 'peak': contact.peak}
                          for contact in joint.contacts]} for joint in external.joints]
    with atomic_file(numbers) as part:
        part.write_text(json.dumps({'gain': external.gain, 'joints': rows}, indent=2) + '\n',
                        encoding='utf-8')
    draw(external, picture, title)
    return [numbers, picture]


def draw(external: ExternalEfforts, path: Path, title: str) -> None:
    """Draw the external effort of every joint over time, its thresholds and contacts."""
    joints, (low, high) = external.joints, external.curves.ends
    start = external.curves.stamps[0]
    time = (np.array(external.curves.stamps) - start) / SECOND
    columns = min(4, math.ceil(len(joints) / 4))
    rows = math.ceil(len(joints) / columns)
    place = (_CELL if columns > 1 else 1.4 * _CELL, _ABOVE + _AXIS + _BELOW)
    size = (place[0] * columns, place[1] * rows + _HEAD)
    figure = empty_figure(*size)
    for number, joint in enumerate(joints):
        row, column = divmod(number, columns)
        axes = figure.add_axes((
            (place[0] * column + _LEFT) / size[0],
            (place[1] * (rows - 1 - row) + _BELOW) / size[1],
            (place[0] - _LEFT - _RIGHT) / size[0], _AXIS / size[1]))
        handles = _draw(axes, time, low[:, number], high[:, number], joint, start)
    figure.text(0.5, 1.0 - 0.1 / size[1], shown(title, 40 * columns + 40), ha='center', va='top',
                fontsize='large', parse_math=False)
    figure.legend(handles=handles, loc='center', bbox_to_anchor=(0.5, 1.0 - 0.48 / size[1]),
                  ncol=len(handles), frameon=False)
    save(figure, path, title)


def _draw(axes: Any, time: Any, low: Any, high: Any, joint: JointExternal,
          start: int) -> list[Any]:
    """Draw a joint; return what the legend shows."""
    from matplotlib.patches import Patch
    axes.fill_between(time, low, high, color=BLUE, linewidth=0.9)
    for side in (-joint.threshold, joint.threshold):
        axes.axhline(side, color=BLACK, linewidth=0.9, linestyle=(0, (5, 3)),
                     label='threshold')
    for contact in joint.contacts:
        begin, end = ((stamp - start) / SECOND for stamp in (contact.begin, contact.end))
        axes.axvspan(begin, end, color=ORANGE, alpha=_SHADE, linewidth=0.8, zorder=0)
    figures = (f'largest {joint.largest:.3g} {joint.unit}' if joint.samples
               else 'effort not measured')
    axes.set_title(f'{shown(joint.joint, 32)}   {figures}', fontsize='medium', loc='left',
                   parse_math=False)
    axes.set_ylabel(f'effort [{joint.unit}]', fontsize='small')
    axes.set_xlabel('time [s]', fontsize='small', labelpad=1.0)
    axes.set_xlim(time[0], time[-1] if time[-1] > time[0] else time[0] + 1.0)
    axes.tick_params(labelsize='small')
    axes.locator_params(axis='y', nbins=5)
    axes.ticklabel_format(axis='y', scilimits=(-2, 4), useOffset=False)
    axes.grid(color='#DDDDDD', linewidth=0.5)
    axes.margins(y=0.12)
    axes.yaxis.set_label_coords(-0.5 / (axes.get_position().width
                                        * axes.figure.get_figwidth()), 0.5)
    return [Patch(color=BLUE, label='external effort'),
            axes.lines[0], Patch(color=ORANGE, alpha=_SHADE, label='contact')]
