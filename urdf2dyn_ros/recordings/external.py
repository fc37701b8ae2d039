"""External efforts and contacts during a recording, and their report."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from urdf2dyn_ros.estimation.observer import Contact, ContactDetector, MomentumObserver, per_joint
from urdf2dyn_ros.inverse_dynamics import InverseDynamics
from urdf2dyn_ros.recordings.pages import (
    BLACK,
    BLUE,
    ORANGE,
    add_head,
    add_name,
    drawn_name,
    panels,
    png_bytes,
    style_axes,
)
from urdf2dyn_ros.robot.parameters import parameter_file_text
from urdf2dyn_ros.robot.spatial import Array
from urdf2dyn_ros.system import create_files, json_text
from urdf2dyn_ros.text import SECOND_NS, counted

_MOST_CONTACTS = 100   # of a joint that are kept with their times; all are counted
FEWEST_SEGMENTS = 1000   # of a curve with enough samples


class Curves:
    """Lowest and highest values by segment of time, in bounded memory."""

    def __init__(self) -> None:
        self._size = 1   # samples of a segment
        self.stamps: list[int] = []
        self.lowest: list[Array] = []   # (n,) of each segment
        self.highest: list[Array] = []

    def add(self, stamps: Sequence[int], values: Array) -> None:
        """Add rows (k, n) at their stamps [ns]."""
        firsts = np.arange(0, len(values), self._size)
        self.stamps += stamps[::self._size]
        self.lowest += [*np.fmin.reduceat(values, firsts)]
        self.highest += [*np.fmax.reduceat(values, firsts)]
        while len(self.stamps) > 2 * FEWEST_SEGMENTS:
            self._size *= 2
            firsts = np.arange(0, len(self.stamps), 2)
            self.stamps = self.stamps[::2]
            self.lowest = [*np.fmin.reduceat(self.lowest, firsts)]
            self.highest = [*np.fmax.reduceat(self.highest, firsts)]


@dataclass
class JointExternal:
    """External efforts, in the unit of a joint, and contacts, of which the first are listed."""

    joint: str
    unit: str
    threshold: float
    samples: int = 0
    largest: float = 0.0   # the value of largest magnitude
    largest_at: int = 0   # its stamp [ns]
    excess: float = 0.0   # the largest magnitude beyond friction that is not determined
    rms: float = 0.0
    count: int = 0
    contacts: list[Contact] = field(default_factory=list)

    def add(self, stamps: Sequence[int], values: Array, undetermined: Array) -> None:
        """Add values (k,) at their stamps [ns]; NaN if unknown."""
        finite = values[np.isfinite(values)]
        if not len(finite):
            return
        power = self.rms**2 * self.samples + float(np.square(finite).sum())
        self.samples += len(finite)
        self.rms = float(np.sqrt(power / self.samples))
        self.excess = max(self.excess, float(np.nanmax(np.abs(values) - undetermined)))
        k = int(np.nanargmax(np.abs(values)))
        if abs(values[k]) > abs(self.largest):
            self.largest, self.largest_at = float(values[k]), stamps[k]


class ObservedEfforts:
    """
    Observes the external efforts of a recording, batch by batch, with a gain [1/s].

    There is one threshold of contacts for all joints, or one each [N m or N]. A step back in time
    resets the figures. A parameter out of range raises ParameterError.
    """

    def __init__(self, dynamics: InverseDynamics, gain: float,
                 thresholds: Sequence[float]) -> None:
        self.gain = gain
        self._names, self._units = dynamics.joint_names, dynamics.effort_units
        self._observer = MomentumObserver(dynamics, gain=(gain,))
        self._detector = ContactDetector(self._names, thresholds=tuple(thresholds))
        self._thresholds = per_joint('thresholds', tuple(thresholds), self._names).tolist()
        self._last: int | None = None
        self._begin()

    def _begin(self) -> None:
        self.curves = Curves()
        self.joints = [JointExternal(*values) for values in zip(
            self._names, self._units, self._thresholds)]

    def add(self, stamps: Sequence[int], q: Array, qd: Array, effort: Array) -> Array:
        """
        Return the external efforts (k, n) [N m or N] at stamps (k,) [ns]; NaN if unknown.

        They follow from estimated q and qd and measured efforts, all (k, n).
        """
        efforts, undetermined = self._observer.run(stamps, q, qd, effort)
        last, self._last = stamps[0] if self._last is None else self._last, stamps[-1]
        back = np.flatnonzero(np.diff(stamps, prepend=last) < 0)
        first = int(back[-1]) if len(back) else 0
        if len(back):
            self.stop()
            self._begin()
        for stamp, row, bound in zip(stamps[first:], efforts[first:], undetermined[first:]):
            self._note(self._detector.update(stamp, row, bound))
        for joint, column, bounds in zip(self.joints, efforts[first:].T, undetermined[first:].T):
            joint.add(stamps[first:], column, bounds)
        self.curves.add(stamps[first:], efforts[first:])
        return efforts

    def stop(self) -> None:
        """Count the contacts that have not ended."""
        self._note(self._detector.stop())

    def _note(self, contacts: Sequence[Contact]) -> None:
        for contact in contacts:
            joint = self.joints[self._names.index(contact.joint)]
            joint.count += 1
            if len(joint.contacts) < _MOST_CONTACTS:
                joint.contacts.append(contact)


# ---- The report of external efforts: sentences, figures (JSON) and a picture

EXTERNAL_FILES = ('external_efforts.json', 'contact.yaml', 'external_efforts.png')
_CONTACTS_LISTED = 3   # of a joint, one by one
_THRESHOLD_MARGIN = 1.5   # threshold, relative to the largest effort without contact
_SHADE = 0.35   # opacity of the times with contact
# all in [in]: width of a joint's place, which suits a phone; height of its axis
_WIDE, _AXIS = 4.4, 1.35
_LEFT, _RIGHT, _BELOW, _ABOVE, _HEAD = 0.75, 0.15, 0.5, 0.3, 0.7   # space around it; the head


def external_summary(external: ObservedEfforts) -> list[str]:
    """Return a sentence about the observer, and one for each joint."""
    start = external.curves.stamps[0] if external.curves.stamps else 0
    lines = ['external efforts: of the momentum observer, with a gain of '
             f'{external.gain:g}/s; times count from the first one. They include friction and '
             'other errors of the model; contact.yaml has thresholds of '
             f'{_THRESHOLD_MARGIN:g} times the largest beyond the friction of joints that may '
             'stick, for a recording in which nothing touched the robot']
    for joint in external.joints:
        head = f'external effort on {drawn_name(joint.joint, 64)}: '
        if not joint.samples:
            lines.append(head + 'none, as its effort was not measured')
            continue
        contacts = []
        for contact in joint.contacts[:_CONTACTS_LISTED]:
            begin, end = ((stamp - start) / SECOND_NS for stamp in (contact.begin, contact.end))
            contacts.append(f'{begin:.3f} to {end:.3f} s ({contact.peak:.3g} {joint.unit})')
        if joint.count > len(contacts):
            contacts.append(f'{joint.count - len(contacts)} more')
        time = (joint.largest_at - start) / SECOND_NS
        lines.append(
            f'{head}largest {joint.largest:.3g} {joint.unit} at {time:.3f} s, RMS {joint.rms:.3g} '
            f'{joint.unit}, ' + ('no threshold' if not joint.threshold else
                                 f'threshold {joint.threshold:g} {joint.unit}, ' + (
                                     f'{counted(joint.count, "contact")}: {", ".join(contacts)}'
                                     if joint.count else 'no contact')))
    return lines


def write_external_efforts(external: ObservedEfforts, directory: Path,
                           picture: bytes) -> list[Path]:
    """
    Write figures (JSON, stamps [ns]), thresholds and the picture (PNG); return their paths.

    The thresholds are parameters of the node, and of a controller that is exported with them.
    """
    rows = [{**vars(joint), 'contacts': [
        {'begin': contact.begin, 'end': contact.end, 'peak': contact.peak}
        for contact in joint.contacts]} for joint in external.joints]
    figures = json_text({'gain': external.gain, 'joints': rows}).encode()
    paths = [directory / name for name in EXTERNAL_FILES]
    thresholds = parameter_file_text(
        {'observer.gain': [external.gain],
         'contact.thresholds': [float(f'{_THRESHOLD_MARGIN * joint.excess:.4g}')
                                for joint in external.joints]},
        [f'Contacts: {_THRESHOLD_MARGIN:g} times the largest external effort of the momentum '
         'observer in a recording,', 'beyond the friction of joints that may stick; valid if '
         'nothing touched the robot in it,', 'and no data of it were used to identify the robot.'],
        {'contact.thresholds': '[N m or N], 0: unknown'})
    create_files(dict(zip(paths, (figures, thresholds.encode(), picture))), replace=True)
    return paths


def external_picture(external: ObservedEfforts, title: str) -> bytes:
    """Return a PNG with the joints below each other."""
    joints, curves = external.joints, external.curves
    start = curves.stamps[0]
    time = (np.array(curves.stamps) - start) / SECOND_NS
    low, high = np.array(curves.lowest), np.array(curves.highest)
    figure, places = panels(len(joints), 1, (_WIDE, _ABOVE + _AXIS + _BELOW), _HEAD,
                            (_LEFT, _RIGHT), [(_BELOW, _AXIS)])
    for number, (joint, (axes,)) in enumerate(zip(joints, places)):
        handles = _draw(axes, time, low[:, number], high[:, number], joint, start)
    add_head(figure, title, 60, handles, legend=0.48)
    return png_bytes(figure)


def _draw(axes: Any, time: Any, low: Any, high: Any, joint: JointExternal,
          start: int) -> list[Any]:
    from matplotlib.patches import Patch
    axes.fill_between(time, low, high, color=BLUE, linewidth=0.9)
    for side in (-joint.threshold, joint.threshold) if joint.threshold else ():
        axes.axhline(side, color=BLACK, linewidth=0.9, linestyle=(0, (5, 3)),
                     label='threshold')
    for contact in joint.contacts:
        begin, end = ((stamp - start) / SECOND_NS for stamp in (contact.begin, contact.end))
        axes.axvspan(begin, end, color=ORANGE, alpha=_SHADE, linewidth=0.8, zorder=0)
    figures = (f'largest {joint.largest:.3g} {joint.unit}' if joint.samples
               else 'effort not measured')
    add_name(axes, f'{drawn_name(joint.joint, 32)}   {figures}')
    axes.set_ylabel(f'effort [{joint.unit}]', fontsize='small')
    axes.set_xlabel('time [s]', fontsize='small', labelpad=1.0)
    axes.set_xlim(time[0], time[-1] if time[-1] > time[0] else time[0] + 1.0)
    axes.locator_params(axis='y', nbins=5)
    style_axes(axes, inset=0.5)
    axes.margins(y=0.12)
    return [Patch(color=BLUE, label='external effort'), *axes.lines[:1],
            Patch(color=ORANGE, alpha=_SHADE, label='contact')]
