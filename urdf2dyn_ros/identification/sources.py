"""Recordings as summaries, one after the other: a damaged one costs only itself."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from urdf2dyn_ros.errors import IdentificationError, ParameterError, RecordingError
from urdf2dyn_ros.identification.checks import checked
from urdf2dyn_ros.identification.gains import Gains
from urdf2dyn_ros.identification.preparation import RecordedNames, pieces_of, read_segments
from urdf2dyn_ros.identification.robot import Robot
from urdf2dyn_ros.identification.summary import Summary, summarised
from urdf2dyn_ros.identification.summary_file import SUFFIX, read_summary
from urdf2dyn_ros.recordings import open_recording


@dataclass(frozen=True)
class SourceSettings:
    """
    How recordings are read.

    Attributes
    ----------
    topic : str or None
        Of bags.
    names : RecordedNames
    gains : Gains or None
        Of currents; None where efforts are recorded.
    cutoff, delay : float or None
        [Hz], [s]; None: chosen for each recording.

    """

    topic: str | None
    names: RecordedNames
    gains: Gains | None = None
    cutoff: float | None = None
    delay: float | None = None


def summaries_of(robot: Robot, paths: Sequence[str], settings: SourceSettings,
                 remarks: list[str], show: Callable[[float], None]) -> list[Summary]:
    """
    Return the summaries of recordings, or those that are in files; add to the remarks.

    A recording that cannot be used is a remark if others can.

    Raises
    ------
    IdentificationError
        If none can be used, with the reasons.

    """
    result: list[Summary] = []
    faults: list[RecordingError | IdentificationError] = []
    names: set[str] = set()
    for number, path in enumerate(paths):
        def shown(fraction: float, number: int = number) -> None:
            show((number + fraction) / len(paths))
        try:
            summary = (read_summary(Path(path), robot) if path.endswith(SUFFIX)
                       else _summary(robot, path, settings, remarks, shown))
        except (RecordingError, IdentificationError) as error:
            faults.append(error)
            continue
        if summary.currents != (settings.gains is not None):
            raise ParameterError(
                f'{path}: a summary of ' + ('currents: add --effort-semantics current --gains'
                                            if summary.currents else
                                            'efforts, not of currents: remove --gains and '
                                            '--effort-semantics'))
        if result:   # one picture is enough, and the memory does not grow
            summary = replace(summary, rows=None)
        while summary.name in names:
            summary = replace(summary, name=f'{summary.name}_')
        names.add(summary.name)
        result.append(summary)
        shown(1.0)
    if not result:
        if len(faults) == 1 and isinstance(faults[0], RecordingError):
            raise IdentificationError(str(faults[0]))
        raise IdentificationError('\n'.join(map(str, faults)))
    remarks += [f'not used: {fault}' for fault in faults]
    return result


def _summary(robot: Robot, path: str, settings: SourceSettings, remarks: list[str],
             show: Callable[[float], None]) -> Summary:
    recording = open_recording(path, settings.topic, lambda fraction: show(0.3 * fraction))
    segments, names = read_segments(recording, settings.names)
    pieces = pieces_of(segments, names, path)
    gains = settings.gains
    found = checked(robot, pieces if gains is None else [
        piece._replace(effort=piece.effort * gains.values) for piece in pieces],
        gains is not None and bool(gains.free.any()))
    if found.fault:
        raise IdentificationError(f'{path}: {found.fault}')
    name = recording.path.stem or 'recording'
    remarks += [f'{name}: {remark}' for remark in found.remarks]
    remarks += [f'{name}: {remark}' for remark in recording.remarks]
    if not found.moving.all():
        resting = [joint for joint, moves in zip(robot.joints, found.moving)
                   if not moves and joint not in names.hold.positions]
        if resting:
            remarks.append(f'{name}: {", ".join(resting)} at rest: not identified, as static '
                           'friction is undetermined')
    return summarised(robot, name, pieces, found.used, (settings.cutoff, settings.delay), gains,
                      lambda fraction: show(0.3 + 0.7 * fraction))
