"""Identification from recordings: read and summarised one after the other, then fitted."""

import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, nullcontext, suppress
from dataclasses import dataclass, field, replace
from functools import partial
from hashlib import sha256
from pathlib import Path
from typing import NamedTuple

import numpy as np
from threadpoolctl import threadpool_limits

from urdf2dyn_ros.errors import IdentificationError, LoopError, ParameterError, RecordingError
from urdf2dyn_ros.estimation.hold import held_text, read_hold
from urdf2dyn_ros.identification.checks import check_recording, small_errors
from urdf2dyn_ros.identification.from_summaries import identify_summaries
from urdf2dyn_ros.identification.gains import FREE, Gains, read_gains
from urdf2dyn_ros.identification.payload import payload_on
from urdf2dyn_ros.identification.result import Identification
from urdf2dyn_ros.identification.robot import Robot, robot_of
from urdf2dyn_ros.identification.summary import (
    Summary,
    grouped,
    is_summary,
    read_summary,
    summarised,
    summary_bytes,
)
from urdf2dyn_ros.inverse_dynamics import InverseDynamics, checked_dynamics
from urdf2dyn_ros.recordings import open_recording
from urdf2dyn_ros.recordings.mistakes import LARGEST_GIVEN_DELAY
from urdf2dyn_ros.recordings.pieces import RecordedNames, pieces_of, read_segments, without_delay
from urdf2dyn_ros.recordings.workers import Lost, Workers, results_of

Progress = Callable[[str], AbstractContextManager[Callable[[float], None]]]


@dataclass(frozen=True)
class IdentificationSettings:
    """The options of ``urdf2dyn identify``, which explains them with ``--help``."""

    topic: str | None = None   # of bags
    hold: tuple[str, ...] = ()
    renames: tuple[str, ...] = ()
    # free, JOINT=VALUE or one number [N m/A or N/A], where currents are recorded
    gains: tuple[str, ...] = ()
    cutoff: float | None = None   # [Hz]
    delay: float | None = None   # [s]
    weight: float | None = None
    payload_recordings: tuple[str, ...] = ()   # with a payload that the others are without
    payload_link: str | None = None
    payload_mass: float | None = None   # [kg], which makes gains free unless they are set
    force: bool = False   # whether joints that are not explained are written as well
    columns: Sequence[str] = ()   # of tables with other names, as 'effort=tau{n}'
    workers: Workers = field(default_factory=Workers)   # the processes that read
    degrees: bool = False   # whether angles whose unit is not stated are in degrees
    rate: float | None = None   # rows in a second of tables without a time [Hz]


IDENTIFICATION_SETTINGS = IdentificationSettings()


def identify(recordings: Sequence[str | Path], dynamics: InverseDynamics,
             validate: Sequence[str | Path] = (),
             settings: IdentificationSettings = IDENTIFICATION_SETTINGS,
             progress: Progress = lambda title: nullcontext(lambda fraction: None),
             keep: Callable[[str, bytes], None] = lambda name, content: None) -> Identification:
    """
    Return a robot's inertial parameters, rotors and friction, identified from recordings.

    Parameters
    ----------
    recordings : sequence of str or Path
        Bags, tables, or summaries (.npz) of earlier runs of ``urdf2dyn identify``.
    dynamics : InverseDynamics
        The robot of the URDF, with its gravity; its base is fixed, and it has no loads.
    validate : sequence of str or Path
        Recordings that are predicted, but not used for the fit.
    settings : IdentificationSettings
        By default those of the command.
    progress : callable, optional
        Returns, for the title of a step, a context that yields a function, which is called with
        the share of the step that is done.
    keep : callable, optional
        Called with the name and the content of the summary of each recording.

    Returns
    -------
    Identification
        `fit`, `deviations`, `base` parameters, figures of what was `held_out`, and `remarks`.

    Raises
    ------
    IdentificationError
        If the recordings do not suffice, or a model that is fitted to them explains no more than
        the URDF does.
    ParameterError
        For settings out of range or against each other, or tags ``<force>``.

    """
    robot = robot_of(checked_dynamics(dynamics))
    source, remarks = source_of(robot, settings), list[str]()
    fit_paths, payload_paths, validation_paths = ([str(path) for path in (
        [paths] if isinstance(paths, str | Path) else paths)] for paths in (
        recordings, settings.payload_recordings, validate))
    if not fit_paths:
        raise IdentificationError('there are no recordings to identify from')
    given = dict[str, str]()
    before, count = 0, len(fit_paths) + len(payload_paths) + len(validation_paths)
    with threadpool_limits(1, user_api='blas'):
        with progress('reading and compressing') as show:

            def read(paths: Sequence[str], source: Source, kept: bool = False) -> list[Summary]:
                nonlocal before
                first, before = before, before + len(paths)

                def each() -> Iterator[Summary]:
                    for summary in read_summaries(
                            robot, paths, source, remarks, given,
                            lambda fraction: show((first + fraction * len(paths)) / count)):
                        if kept:
                            keep(summary.name, summary_bytes(summary, robot))
                        yield summary

                return grouped(each(), len(paths))

            summaries = read(fit_paths, source, kept=True)
            payload = payload_on(robot, settings.payload_link or '', settings.payload_mass,
                                 read(payload_paths, source)) if payload_paths else None
            # nothing of the model is chosen from what it is judged by
            seconds = [summary.seconds for summary in summaries]
            cutoff, delay = (float(np.average([getattr(summary, name) for summary in summaries],
                                              weights=seconds)) for name in ('cutoff', 'delay'))
            others = source._replace(settings=replace(
                settings, cutoff=settings.cutoff or cutoff,
                delay=delay if settings.delay is None else settings.delay))
            try:
                validation = read(validation_paths, others) if validation_paths else []
            except IdentificationError as error:   # of no recording for the validation
                validation = []
                remarks += [f'not used: {fault}' for fault in str(error).splitlines()]
        with progress('fitting') as show:
            result = identify_summaries(robot, summaries, validation, settings.weight,
                                        source.gains, show, payload)
    return replace(result, remarks=(*remarks, *result.remarks), force=settings.force)


class Source(NamedTuple):
    """How recordings are read."""

    settings: IdentificationSettings
    names: RecordedNames
    gains: Gains | None   # of currents; None where efforts are recorded


def source_of(robot: Robot, settings: IdentificationSettings) -> Source:
    """Return how recordings are read; raise a ParameterError for settings that cannot be."""
    if robot.model.forces:
        raise ParameterError('the URDF has tags <force>, which are not identified: remove them')
    hold, faults = read_hold(settings.hold, robot.dynamics)
    if faults:
        raise ParameterError('\n'.join(faults))
    mass, link = settings.payload_mass, settings.payload_link
    if bool(settings.payload_recordings) != bool(link) or (mass is not None and not link):
        raise ParameterError('--payload-recording and --payload-link require each other, and '
                             '--payload-mass requires both')
    if mass is not None and not 0.0 < mass <= 1e6:
        raise ParameterError(f'--payload-mass {mass:g}: must be above 0 and at most 1e6 kg')
    for name, least in (('cutoff', 0.1), ('weight', 1e-6)):
        value = getattr(settings, name)
        if value is not None and not least <= value <= 1e6:
            raise ParameterError(f'--{name} {value:g}: must be between {least:g} and 1e6')
    most = LARGEST_GIVEN_DELAY
    if settings.delay is not None and not -most <= settings.delay <= most:
        raise ParameterError(f'--delay {settings.delay:g}: must be between -{most} and {most} s')
    words = settings.gains or ((FREE,) if mass is not None else ())
    gains = read_gains(words, robot.joints) if words else None
    if settings.payload_recordings:   # either its mass or the scale of the efforts is known
        if mass is not None and not (gains is not None and gains.free.any()):
            raise ParameterError('--payload-mass fixes gains that are free, but all are known: '
                                 'omit it, and the mass is identified, or use --gains free')
        if mass is None and gains is not None and gains.free.all():
            raise ParameterError('a payload of unknown mass does not fix free gains: add '
                                 '--payload-mass, or a gain that is known (--gains free '
                                 'JOINT=VALUE)')
        payload_on(robot, link or '', mass, ())   # a wrong link is an error before all reading
    dynamics = robot.dynamics
    return Source(settings, RecordedNames(robot.joints, dynamics.continuous, dynamics.units, hold,
                                          settings.renames, dynamics.model.mimics,
                                          gains is not None), gains)


# ---- Recordings as summaries, one after the other: a damaged one costs only itself

_MOST_ROWS = 15_000   # of recordings, of which these are kept besides the sums: ten minutes


def read_summaries(robot: Robot, paths: Sequence[str], source: Source,
                   remarks: list[str], given: dict[str, str],
                   show: Callable[[float], None]) -> Iterator[Summary]:
    """
    Yield the summaries of recordings, or those that are in files; add to the remarks.

    The names differ. A RecordingError where the samples are those of one that was `given`, as it
    would judge or weigh itself. A recording that cannot be used is a remark if others can; if none
    can, an IdentificationError has the reasons.
    """
    names, faults, rows = set[str](), list[str](), 0
    workers = source.settings.workers
    if workers.scheduler:   # which other machines read
        paths = [os.path.abspath(path) for path in paths]

    def shown(number: int, fraction: float) -> None:
        show((number + fraction) / len(paths))

    # where this process does not read, nobody is told of the progress within a recording
    read = partial(_read, robot, source, shown if workers.here else None)
    for number, result in enumerate(results_of(read, [*enumerate(paths)], workers)):
        shown(number, 1.0)
        summary, fault, more = (None, f'{paths[number]}: {result.reason}', list[str]()) if (
            isinstance(result, Lost)) else result
        remarks += more
        if summary is None:
            faults.append(fault)
            continue
        if summary.digest in given:
            raise RecordingError(paths[number], f'given twice, also as {given[summary.digest]}: '
                                 'a recording counts once, for a fit or for its validation')
        given[summary.digest] = paths[number]
        rows += 0 if summary.rows is None else len(summary.rows.time)
        if names and rows > _MOST_ROWS:   # so that the memory does not grow
            summary = replace(summary, rows=None)
        while summary.name in names:
            summary = replace(summary, name=f'{summary.name}_')
        names.add(summary.name)
        yield summary
    if not names:
        raise IdentificationError('\n'.join(faults))
    remarks += [f'not used: {fault}' for fault in faults]


def _read(robot: Robot, source: Source, show: Callable[[int, float], None] | None,
          item: tuple[int, str]) -> tuple[Summary | None, str, list[str]]:
    """
    Return the summary of a numbered path, or None and why there is none, and remarks.

    Without `show` this is another process.
    """
    number, path = item
    remarks: list[str] = []
    try:
        with threadpool_limits(1, user_api='blas'):
            if is_summary(Path(path)):
                summary = read_summary(Path(path), robot)
            else:
                summary = _summarise(robot, path, source, remarks,
                                     partial(show, number) if show else lambda fraction: None)
    except (RecordingError, IdentificationError) as error:
        return None, str(error), []
    if summary.currents != (source.gains is not None):
        raise ParameterError(
            f'{path}: a summary of ' + ('currents: add --effort-semantics current --gains'
                                        if summary.currents else
                                        'efforts, not of currents: remove --gains and '
                                        '--effort-semantics'))
    return summary, '', remarks


def _summarise(robot: Robot, path: str, source: Source, remarks: list[str],
               show: Callable[[float], None]) -> Summary:
    settings = source.settings
    recording = open_recording(path, settings.topic, lambda fraction: show(0.3 * fraction),
                               settings.columns, settings.degrees, settings.rate)
    segments, names = read_segments(recording, source.names)
    pieces = pieces_of(segments, names, path)
    try:
        for piece in pieces if robot.system.closed_loops else ():
            robot.dynamics.close(piece.q)
    except LoopError as error:
        raise IdentificationError(
            f'{path}: the recorded positions do not fit the loops of the robot: {error}; check '
            'zeros, directions and names of the joints, units, and the start pose') from None
    gains, positions = source.gains, names.hold.positions
    late = np.full(len(robot.joints), settings.delay or 0.0)
    recorded = check_recording(robot, [without_delay(piece, late) for piece in pieces], gains)
    if recorded.fault:
        about = [*recording.remarks]
        if positions:
            about.append(f'not recorded, and taken to be at rest: {held_text(positions)}; did '
                         'they move?')
        more = f' ({"; ".join(about)})' if about else ''
        raise IdentificationError(f'{path}: {recorded.fault}{more}')
    name = recording.path.stem or 'recording'
    remarks += [f'{name}: {remark}' for remark in recorded.remarks]
    remarks += [f'{name}: {remark}' for remark in recording.remarks]
    automatic = {joint: position for joint, position in positions.items()
                 if joint not in source.names.hold.positions}
    if automatic:
        remarks.append(f'{name}: not recorded, and taken to be at rest: {held_text(automatic)}')
    resting = [joint for joint, moves in zip(robot.joints, recorded.moving)
               if not moves and joint not in positions]
    if resting:
        remarks.append(f'{name}: {", ".join(resting)} at rest: not identified, as static '
                       'friction is undetermined')
    summary = summarised(robot, name, pieces, recorded.used, (settings.cutoff, settings.delay),
                         gains, lambda fraction: show(0.3 + 0.7 * fraction))
    contradictions = recorded.contradictions
    if gains is None:
        longest = max(pieces, key=lambda piece: len(piece.q))
        with suppress(LoopError):   # positions with an error may close no loops
            contradictions.append(small_errors(robot, longest, summary, recorded.moving))
    samples = b''.join(array.tobytes() for piece in pieces for array in (piece.q, piece.effort))
    return replace(summary, digest=sha256(samples).hexdigest(), contradictions=tuple(
        f'{name}: {contradiction}' for contradiction in contradictions if contradiction))
