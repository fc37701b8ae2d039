"""A recording as segments without a gap: stamps, positions and measured efforts."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple, cast

import numpy as np
from numpy.typing import NDArray

from urdf2dyn_ros.algebra.arrays import Array
from urdf2dyn_ros.errors import RecordingError
from urdf2dyn_ros.evaluation.joint_names import recorded_joints
from urdf2dyn_ros.joint_states.samples import Sample, Samples
from urdf2dyn_ros.recordings import Recording
from urdf2dyn_ros.recordings.messages import LATEST_STAMP
from urdf2dyn_ros.robot_model import Mimic
from urdf2dyn_ros.smoothing.jump_words import is_of_turns, jump_sentences
from urdf2dyn_ros.smoothing.jumps import parts_between, position_jumps
from urdf2dyn_ros.smoothing.repeated import single_instants
from urdf2dyn_ros.smoothing.smoother import FEWEST_SAMPLES
from urdf2dyn_ros.smoothing.times_taken import times_taken
from urdf2dyn_ros.smoothing.times_words import times_sentences
from urdf2dyn_ros.stamps import SECOND_NS
from urdf2dyn_ros.stream.hold import Hold

_LONGEST_HOLE = 0.1
"""Longest time between two measured efforts over which they are interpolated [s]."""

MEASURED_SHARE = 0.5
"""Share of the samples with an effort, from which on it is measured."""

_REST_RUN = 3
"""Length of a run of equal samples, relative to the usual one, above which the robot may rest."""

_REST_SPEED = 0.5
"""Mean velocity of a run, relative to that after it, from which on it is lost samples, no rest."""

NOTHING_HELD = Hold()


class RecordedNames(NamedTuple):
    """Joints of a robot, which are continuous, units, what is held, `renaming`, mimic joints."""

    joints: tuple[str, ...]
    continuous: tuple[bool, ...]
    units: tuple[str, ...]
    hold: Hold = NOTHING_HELD
    renames: tuple[str, ...] = ()
    mimics: Mapping[str, Mimic] = {}


class RecordedSegment(NamedTuple):
    """Samples without a gap: stamps (k,) [ns], positions and efforts (k, m) of the recorded."""

    stamps: NDArray[np.int64]
    q: Array
    effort: Array


def read_segments(recording: Recording,
                  names: RecordedNames) -> tuple[list[RecordedSegment], RecordedNames]:
    """
    Return the segments of a recording, and the names with what is held in it.

    Repeated samples are dropped: drivers that publish faster than they measure repeat everything.
    Those of a rest stay: without them, accelerations would begin before the motion does. Jumps of
    positions by whole turns divide segments, too. A RecordingError if a joint is missing, its
    position jumps, the recording is damaged, or too short.
    """
    recorded = recorded_joints(recording, names.joints, names.hold, names.renames, recording.path,
                               names.mimics)
    continuous = [flag for name, flag in zip(names.joints, names.continuous)
                  if name in recorded.moving]
    for remark in recorded.remarks:
        recording.remark(remark)
    samples = Samples(recorded.moving, continuous, Counter())
    segments: list[list[Sample]] = []
    last = recorded.heads[0].stamp
    later, rises = max(SECOND_NS - last, 0), 0
    for record in recorded.records:
        rises += record.stamp > last
        last = record.stamp
        stamp = record.stamp + later
        if not 0 < stamp < LATEST_STAMP:
            continue
        sample = samples.add(stamp, *cast(Any, record[1:5]))
        if isinstance(sample, Sample):
            if sample.restart or not segments:
                segments.append([])
            segments[-1].append(sample)
    whole = [segment for each in segments if (segment := _segment(each)) is not None]
    if not whole and rises < 0.5 * (recording.count - 1):
        raise RecordingError(recording.path, f'its times rise at {rises} of {recording.count - 1} '
                             'steps: write the records in the order of their times')
    units = [unit for name, unit in zip(names.joints, names.units) if name in recorded.moving]
    smooth = _at_times_taken(_without_jumps(whole, recording, recorded.moving, units), recording,
                             recorded.moving)
    parts = [part for segment in smooth for part in _without_holes(segment)]
    missing = _seconds(smooth) - _seconds(parts)
    if missing > _LONGEST_HOLE:
        recording.remark(f'measured efforts are missing for up to {missing:.3g} s in the middle '
                         'of the motion, which is not used')
    return parts, names._replace(hold=recorded.hold)


def _seconds(segments: Sequence[RecordedSegment]) -> float:
    return sum(float(each.stamps[-1] - each.stamps[0]) for each in segments) / SECOND_NS


def _without_jumps(segments: Sequence[RecordedSegment], recording: Recording,
                   joints: Sequence[str], units: Sequence[str]) -> Iterator[RecordedSegment]:
    """Yield the parts between jumps of whole turns; RecordingError if there are other jumps."""
    jumps = [position_jumps(each.stamps, each.q) for each in segments]
    every = [jump for each in jumps for jump in each]
    start = int(segments[0].stamps[0]) if every else 0
    sentences = jump_sentences(every, joints, units, start)
    if not all(is_of_turns(jump, units[jump.joint]) for jump in every):
        raise RecordingError(recording.path, '; '.join(sentences))
    for sentence in sentences:
        recording.remark(sentence)
    for segment, each in zip(segments, jumps):
        for rows in parts_between(segment.stamps, each):
            if rows.stop - rows.start >= FEWEST_SAMPLES:
                yield RecordedSegment(segment.stamps[rows], segment.q[rows],
                                      segment.effort[rows])


def _at_times_taken(segments: Iterable[RecordedSegment], recording: Recording,
                    joints: Sequence[str]) -> list[RecordedSegment]:
    """Return the segments with times at which samples were taken, positions with efforts."""
    taken = [(each, times_taken(each.stamps, each.q)) for each in segments]
    clock = np.max([(times.period, times.off) for _, times in taken], axis=0, initial=0.0)
    for sentence in times_sentences(joints, np.repeat(clock[:, None], len(joints), axis=1)):
        recording.remark(sentence)
    return [each._replace(stamps=times.times) for each, times in taken]


def _without_holes(segment: RecordedSegment) -> Iterator[RecordedSegment]:
    """Yield the parts between holes in the efforts of joints that are measured otherwise."""
    missing = np.zeros(len(segment.stamps), dtype=bool)
    for effort in segment.effort.T:
        rows = np.flatnonzero(np.isfinite(effort))
        if not MEASURED_SHARE * len(effort) <= len(rows) < len(effort):
            continue
        steps = np.diff(segment.stamps[rows])
        longest = max(_LONGEST_HOLE * SECOND_NS, 3.0 * float(np.median(steps)))
        for row in np.flatnonzero(steps > longest):
            missing[rows[row] + 1:rows[row + 1]] = True
    if not missing.any():
        yield segment
        return
    rows = np.flatnonzero(~missing)
    for part in np.split(rows, np.flatnonzero(np.diff(rows) > 1) + 1):
        if len(part) >= FEWEST_SAMPLES:
            yield RecordedSegment(segment.stamps[part], segment.q[part], segment.effort[part])


def _segment(samples: Sequence[Sample]) -> RecordedSegment | None:
    """Return samples without repeated ones; None if there are too few."""
    q, effort = np.array([each.q for each in samples]), np.array([each.effort for each in samples])
    stamps = np.array([each.stamp for each in samples], dtype=np.int64)
    single = single_instants(stamps) if len(stamps) > 1 else np.ones(len(stamps), dtype=bool)
    stamps, q, effort = stamps[single], q[single], effort[single]
    both = np.nan_to_num(np.concatenate((q, effort), axis=1))
    new = np.concatenate(([True], (np.diff(both, axis=0) != 0.0).any(axis=1)))
    if new.mean() < 0.9 and new.sum() > 1:
        new |= _at_rest(new, q)
        stamps, q, effort = stamps[new], q[new], effort[new]
    return RecordedSegment(stamps, q, effort) if len(stamps) >= FEWEST_SAMPLES else None


def _at_rest(new: NDArray[np.bool_], q: Array) -> NDArray[np.bool_]:
    """
    Return which repeated samples are those of a robot at rest, as of a simulated one.

    A rest ends with a small change, a run of lost samples with that of the whole run. The
    positions are (k, m), samples with a change are `new` (k,).
    """
    changes = np.flatnonzero(new)
    runs = np.diff(changes, append=len(new))
    usual = int(np.median(runs))
    distances = np.linalg.norm(np.diff(q[changes], axis=0), axis=1)
    speeds = np.append(distances, [0.0, 0.0]) / np.append(runs, 1)
    rest = (runs > _REST_RUN * usual) & (speeds[:-1] <= _REST_SPEED * speeds[1:])
    since = np.arange(len(new)) - np.repeat(changes, runs)
    rests: NDArray[np.bool_] = np.repeat(rest, runs) & (since % usual == 0)
    return rests
