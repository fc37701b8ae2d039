"""
Outcomes of messages, and the other keys that are counted: one vocabulary for all topics.

Every message has exactly one outcome. Events are counted in addition to it.
"""

from collections import Counter
from collections.abc import Collection
from enum import Enum

from urdf2dyn_ros.robot.spatial import LARGEST_MAGNITUDE


class Outcome(str, Enum):
    """
    Why a message ends where it does; each has one, which is counted.

    A step on its way returns what it made (a `Sample`, a `MeasuredEstimate`, an `Output`) or the
    outcome that ends it there; ESTIMATED and WAITING do not, and are not counted. The tables below
    have those of each topic.
    """

    __str__ = str.__str__

    USED = 'used'
    WARMING_UP = 'warming_up'
    SAME_INSTANT = 'same_instant'
    OVERTAKEN = 'overtaken'
    INCOMPLETE = 'incomplete'
    SKEWED = 'skewed'
    EMPTY = 'empty'
    MALFORMED = 'malformed'
    DUPLICATE_NAMES = 'duplicate_names'
    OTHER_JOINTS = 'other_joints'
    POSITION_NOT_FINITE = 'position_not_finite'
    NO_STAMP = 'no_stamp'
    DUPLICATE_STAMP = 'duplicate_stamp'
    OUT_OF_ORDER = 'out_of_order'
    REPEATED = 'repeated'
    CONTRADICTORY = 'contradictory'
    DISTRUSTED = 'distrusted'
    FROZEN = 'frozen'
    IMPLAUSIBLE = 'implausible'
    UNCERTAIN = 'uncertain'
    NO_BASE = 'no_base'
    NO_WRENCH = 'no_wrench'
    NOT_FINITE = 'not_finite'
    OPEN = 'open'
    SINGULAR = 'singular'
    UNKNOWN_FRAME = 'unknown_frame'
    NO_FRAME = 'no_frame'
    NOT_MEASURED = 'not_measured'
    NO_ROTATION = 'no_rotation'
    TAKEN = 'taken'
    ESTIMATED = 'estimated'   # the joints of a message have an estimate: an output may follow
    WAITING = 'waiting'   # for data of the base or later samples; counted when they are received


class Event(str, Enum):
    """What else is counted of a sample of some joints; they begin anew, unless it is relayed."""

    __str__ = str.__str__

    GAP = 'gap'
    JUMP_BACK = 'jump_back'
    RESTART = 'restart'   # the first sample, which is not counted
    RELAYED = 'relayed'


class Count(str, Enum):
    """What else is counted of a message or a sample, and changes nothing for those that follow."""

    __str__ = str.__str__

    RECEIVED = 'received'
    OVERRUNS = 'overruns'
    VELOCITY_IGNORED = 'velocity_ignored'
    EFFORT_IGNORED = 'effort_ignored'
    POSITION_REJECTED = 'position_rejected'
    VELOCITY_REJECTED = 'velocity_rejected'
    ACCELERATIONS = 'accelerations'
    ACCELERATIONS_IGNORED = 'accelerations_ignored'
    FRAME_CHANGED = 'frame_changed'   # of base data


class Absence(str, Enum):
    """Why there is no motion of the base, or no wrench on a link, at a stamp; it is counted."""

    __str__ = str.__str__

    BASE_MISSING = 'base_missing'
    BASE_WARMING_UP = 'base_warming_up'
    BASE_BEHIND = 'base_behind'
    BASE_STALE = 'base_stale'
    BASE_GAP = 'base_gap'
    BASE_FORGOTTEN = 'base_forgotten'
    BASE_NOT_FINITE = 'base_not_finite'
    MISSING = 'missing'
    SILENT = 'silent'
    STALE = 'stale'
    AHEAD = 'ahead'
    TOO_LARGE = 'too_large'


_STAMP_OUTCOMES: dict[str, str] = {
    Outcome.NO_STAMP: 'stamp zero or out of range',
    Outcome.DUPLICATE_STAMP: 'same stamp as the message before',
    Outcome.OUT_OF_ORDER: 'older than the message before, but no clock jump',
}
_ESTIMATE_OUTCOMES: dict[str, str] = {
    Outcome.WARMING_UP: 'too few samples before it, or after it in a recording',
    Outcome.SAME_INSTANT: 'the estimate is no newer than the one before',
}

JOINT_STATE_OUTCOMES: dict[str, str] = {
    Outcome.USED: 'efforts were computed',
    **_ESTIMATE_OUTCOMES,
    Outcome.OVERTAKEN: 'filtered; effort skipped because a newer message is queued',
    Outcome.INCOMPLETE: 'filtered; efforts are computed at messages of other joints, or these '
                        'are not received',
    Outcome.SKEWED: 'filtered; other joints would have to be carried too far to this stamp',
    Outcome.EMPTY: 'no names',
    Outcome.MALFORMED: 'a name is not a string, or neither one position for each name nor none',
    Outcome.DUPLICATE_NAMES: 'a name appears twice',
    Outcome.OTHER_JOINTS: 'no joint of the model among the names',
    Outcome.POSITION_NOT_FINITE: 'all positions of the model are NaN, 1e9 or more, or left out',
    **_STAMP_OUTCOMES,
    Outcome.NO_STAMP: 'stamp zero or out of range: publish with stamps, or set '
                      'stream.use_receive_time',
    Outcome.REPEATED: 'all positions are once more those of the message before, while the motion '
                      'goes on: the driver stalls, or its samples are sent again',
    Outcome.CONTRADICTORY: 'positions contradict the motion before: not used until later '
                           'messages show whether they were errors, another zero of an encoder '
                           'or another motion',
    Outcome.DISTRUSTED: 'too many positions of a joint contradict its motion: two publishers of '
                        'the same joints, a sensor that fails, noise above 3 mrad, or a '
                        'controller that oscillates at half the rate of the messages',
    Outcome.FROZEN: 'the position of a joint stays the same while its velocity moves it: its '
                    'sensor or its driver has stopped',
    Outcome.IMPLAUSIBLE: 'a position looks, or looked since the joints began, like degrees, by '
                         'its limits or its speed, and the parameter implausible is stop',
    Outcome.UNCERTAIN: 'the standard deviation of an acceleration is above stream.max_deviation',
    Outcome.NO_BASE: 'the motion of the base at that stamp is unknown',
    Outcome.NO_WRENCH: 'an external wrench is missing, stale or unusable, and wrench.policy is '
                       'stop',
    Outcome.NOT_FINITE: 'acceleration or effort NaN or infinite; the estimator is reset',
    Outcome.OPEN: 'the closed loops of the robot do not close at these positions',
    Outcome.SINGULAR: 'passive joints of closed loops can move by themselves: efforts have no '
                      'limit',
}
JOINT_STATE_EVENTS: dict[str, str] = {
    Count.RECEIVED: 'messages; the sum of all outcomes, and of those that wait for base data',
    Event.GAP: 'steps forward over max_gap and five median periods of these joints; their '
               'estimator begins anew but keeps what it has learned',
    Event.JUMP_BACK: 'steps back over max_gap and five median periods of these joints, or '
                     'smaller ones that a second older message confirmed; all of them is reset',
    Event.RELAYED: 'duplicate or older stamps with the positions of the message before of that '
                   'stamp: messages that are published twice',
    Count.OVERRUNS: 'messages that a full queue, an overload that lasts, or the network lost '
                    'before they were received',
    Count.VELOCITY_IGNORED: 'velocities not one for each name',
    Count.EFFORT_IGNORED: 'efforts not one for each name',
    Count.POSITION_REJECTED: 'messages with a position that contradicts the motion, and is not '
                             'used: outliers, or a second publisher',
    Count.VELOCITY_REJECTED: 'samples with a velocity that the estimate does not use, as it does '
                             'not fit the positions',
    Count.ACCELERATIONS: 'messages with accelerations for the estimator external',
    Count.ACCELERATIONS_IGNORED: 'of these, without a stamp, with a joint missing or not finite, '
                                 'or for another estimator',
}
# of joint states without a fault
ACCEPTED_OUTCOMES: frozenset[str] = frozenset((
    Outcome.USED, Outcome.WARMING_UP, Outcome.SAME_INSTANT, Outcome.OVERTAKEN, Outcome.INCOMPLETE,
    Outcome.SKEWED))


def joint_state_lines(counters: Counter[str], omitted: Collection[str]) -> list[str]:
    """
    Return a line for each counted outcome of records without effort, and each event, but some.

    They are those of a file, for which no parameter of the node is a remedy.
    """
    outcomes = {**JOINT_STATE_OUTCOMES, Outcome.NO_STAMP: 'stamp zero or out of range: record '
                'with stamps, or write the time of these records into the file'}
    return [f'{head if name not in ACCEPTED_OUTCOMES else "without effort"}: {name} '
            f'{counters[name]} ({meaning})' for head, keys in (
                ('dropped', outcomes), ('events', JOINT_STATE_EVENTS))
            for name, meaning in keys.items() if counters[name] and name not in omitted]


BASE_OUTCOMES = {
    Outcome.USED: 'the motion of the sensor is known',
    **_ESTIMATE_OUTCOMES,
    Outcome.UNKNOWN_FRAME: 'the frame is no link of the robot',
    Outcome.NOT_MEASURED: 'a covariance begins with -1: there is no such measurement',
    Outcome.NOT_FINITE: 'NaN, infinite or beyond any motion; if it is an acceleration that was '
                        'computed, everything is reset',
    Outcome.CONTRADICTORY: 'velocities contradict the motion before',
    Outcome.NO_ROTATION: 'the quaternion is not of unit length',
    **_STAMP_OUTCOMES,
}
BASE_EVENTS = {
    Count.RECEIVED: 'messages; the sum of all outcomes',
    Event.GAP: 'steps forward over 0.1 s and five median periods; the filters begin anew but '
               'keep what they have learned',
    Event.JUMP_BACK: 'steps back over 0.1 s and five median periods, or smaller ones that a '
                     'second older message confirmed; everything is reset',
    Count.FRAME_CHANGED: 'messages from another link than the one before; everything is reset',
}
BASE_ABSENCES = {   # why the motion of the base at a stamp is unknown
    Absence.BASE_MISSING: 'no base data yet',
    Absence.BASE_WARMING_UP: 'too little base data yet for accelerations',
    Absence.BASE_BEHIND: 'the joint states are newer than the base data by more than max_age',
    Absence.BASE_STALE: 'the base data is older than the joint states by more than the timeout',
    Absence.BASE_GAP: 'the joint states are in a gap of the base data that is longer than the '
                      'timeout',
    Absence.BASE_FORGOTTEN: 'the joint states are older than all base data that is kept',
    Absence.BASE_NOT_FINITE: 'the motion of the base is too large for floating point',
}

WRENCH_OUTCOMES = {
    Outcome.TAKEN: 'it acts from its stamp to that of the next one',
    Outcome.NO_FRAME: 'the frame_id is empty',
    Outcome.UNKNOWN_FRAME: 'the frame_id is no link of the robot, nor its world if the base is '
                           'fixed',
    Outcome.NOT_FINITE: f'force or torque is not three finite numbers up to {LARGEST_MAGNITUDE:g}',
    **_STAMP_OUTCOMES,
}
WRENCH_EVENTS = {
    Count.RECEIVED: 'messages; the sum of all outcomes',
    Event.JUMP_BACK: 'steps back that a second older message confirmed; everything is forgotten',
}
WRENCH_ABSENCES = {   # why a link has no wrench at a stamp; counted by stamp and link
    Absence.MISSING: 'no usable message was received yet',
    Absence.SILENT: 'no usable message was received within the timeout',
    Absence.STALE: 'the newest stamp is older than the joint states by more than the timeout',
    Absence.AHEAD: 'all stamps are later than the joint states; are the clocks synchronised?',
    Absence.TOO_LARGE: 'in the frame of the link it is too large for floating point',
}
