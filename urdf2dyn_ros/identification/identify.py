"""Identification from recordings: read and summarised one after the other, then fitted."""

import math
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field, replace
from pathlib import Path

from threadpoolctl import threadpool_limits

from urdf2dyn_ros.errors import IdentificationError, ParameterError
from urdf2dyn_ros.estimation.hold import read_hold
from urdf2dyn_ros.identification.checks import (
    SourceSettings,
    read_summaries,
    shared_paths,
    with_filter_of,
)
from urdf2dyn_ros.identification.delays import LARGEST_GIVEN_DELAY
from urdf2dyn_ros.identification.fit_data import CarriedPayload, payload_on
from urdf2dyn_ros.identification.gains import FREE, read_gains
from urdf2dyn_ros.identification.identification import Identification, identified
from urdf2dyn_ros.identification.robot import Robot, robot_of
from urdf2dyn_ros.identification.rows import RecordedNames
from urdf2dyn_ros.identification.summary import (
    MOST_SUMMARIES,
    Summary,
    SummaryGroups,
    summary_bytes,
)
from urdf2dyn_ros.inverse_dynamics import InverseDynamics
from urdf2dyn_ros.recordings.workers import Workers

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
    friction_per_recording: bool = False
    payload_recordings: tuple[str, ...] = ()   # with a payload that the others are without
    payload_link: str | None = None
    payload_mass: float | None = None   # [kg], which makes gains free unless they are set
    force: bool = False   # whether joints that are not explained are written as well
    columns: tuple[str, ...] = ()   # of tables with other names, as 'effort=tau{n}'
    workers: Workers = field(default_factory=Workers)   # the processes that read


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
        What returns, for a title, a context with a function of the share that is done.
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
    robot = robot_of(dynamics.model, dynamics)
    source, remarks = source_settings(robot, settings), list[str]()
    used, loaded, judged = ([str(path) for path in paths] for paths in (
        recordings, settings.payload_recordings, validate))
    count = len(used) + len(loaded) + len(judged)

    def read(first: int, part: Sequence[str], source: SourceSettings) -> list[Summary]:
        most = len(part) if settings.friction_per_recording else MOST_SUMMARIES
        groups = SummaryGroups(len(part), most)
        for each in read_summaries(
                robot, shared_paths(part, source), source, remarks,
                lambda fraction: show((first + fraction * len(part)) / count)):
            if first == 0:
                keep(each.name, summary_bytes(each, robot))
            groups.add(each)
        return groups.summaries()

    with threadpool_limits(1, user_api='blas'):
        with progress('reading and compressing') as show:
            summaries = read(0, used, source)
            payload = _payload(robot, settings, read(len(used), loaded, source)
                               ) if loaded else None
            # nothing of the model is chosen from what it is judged by
            others = with_filter_of(summaries, source)
            try:
                validation = read(len(used) + len(loaded), judged, others) if judged else []
            except IdentificationError as error:   # of no recording for the validation
                validation = []
                remarks += [f'not used: {fault}' for fault in str(error).splitlines()]
        with progress('fitting') as show:
            result = identified(robot, summaries, validation, settings.weight, source.gains, show,
                                settings.friction_per_recording, payload)
    result.remarks[:0] = remarks
    return replace(result, force=settings.force)


def source_settings(robot: Robot, settings: IdentificationSettings) -> SourceSettings:
    """Return how recordings are read; raise a ParameterError for settings that cannot be."""
    if robot.model.forces:
        raise ParameterError('the URDF has tags <force>, which are not identified: remove them')
    hold, faults = read_hold(settings.hold, robot.dynamics)
    if faults:
        raise ParameterError('\n'.join(faults))
    mass, link = settings.payload_mass, settings.payload_link
    if bool(settings.payload_recordings) != bool(link):
        raise ParameterError('--payload-recording and --payload-link require each other')
    if mass is not None:
        if not link:
            raise ParameterError('--payload-mass requires --payload-recording and --payload-link')
        if not 0.0 < mass <= 1e6:
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
        _payload(robot, settings, ())   # a wrong link is an error before anything is read
    dynamics = robot.dynamics
    return SourceSettings(
        settings.topic, RecordedNames(robot.joints, dynamics.continuous, dynamics.units, hold,
                                      settings.renames, dynamics.model.mimics),
        gains, settings.cutoff, settings.delay, settings.workers, settings.columns)


def _payload(robot: Robot, settings: IdentificationSettings,
             summaries: Sequence[Summary]) -> CarriedPayload:
    mass = math.nan if settings.payload_mass is None else settings.payload_mass
    return payload_on(robot, settings.payload_link or '', mass, summaries)
