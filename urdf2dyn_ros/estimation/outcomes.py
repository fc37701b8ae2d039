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


_STAMP_OUTCOMES = {
    'no_stamp': 'stamp zero or out of range',
    'duplicate_stamp': 'same stamp as the message before',
    'out_of_order': 'older than the message before, but no clock jump',
}
_ESTIMATE_OUTCOMES = {
    'warming_up': 'too few samples before it, or after it in a recording',
    'same_instant': 'the estimate is no newer than the one before',
}

JOINT_STATE_OUTCOMES = {
    'used': 'efforts were computed',
    **_ESTIMATE_OUTCOMES,
    'overtaken': 'filtered; effort skipped because a newer message is queued',
    'incomplete': 'filtered; efforts are computed at messages of other joints, or these are not '
                  'received',
    'skewed': 'filtered; other joints would have to be carried too far to this stamp',
    'empty': 'no names',
    'malformed': 'a name is not a string, or neither one position for each name nor none',
    'duplicate_names': 'a name appears twice',
    'other_joints': 'no joint of the model among the names',
    'position_not_finite': 'all positions of the model are NaN, 1e9 or more, or left out',
    **_STAMP_OUTCOMES,
    'no_stamp': 'stamp zero or out of range: publish with stamps, or set '
                'stream.use_receive_time',
    'repeated': 'all positions are once more those of the message before, while the motion goes '
                'on: the driver stalls, or its samples are sent again',
    'contradictory': 'positions contradict the motion before: not used until later messages show '
                     'whether they were errors, another zero of an encoder or another motion',
    'distrusted': 'too many positions of a joint contradict its motion: two publishers of the '
                  'same joints, a sensor that fails, noise above 3 mrad, or '
                  'a controller that oscillates at half the rate of the messages',
    'frozen': 'the position of a joint stays the same while its velocity moves it: its sensor or '
              'its driver has stopped',
    'implausible': 'a position looks, or looked since the joints began, like degrees, by its '
                   'limits or its speed, and the parameter implausible is stop',
    'uncertain': 'the standard deviation of an acceleration is above stream.max_deviation',
    'no_base': 'the motion of the base at that stamp is unknown',
    'no_wrench': 'an external wrench is missing, stale or unusable, and wrench.policy is stop',
    'not_finite': 'acceleration or effort NaN or infinite; the estimator is reset',
    'open': 'the closed loops of the robot do not close at these positions',
    'singular': 'passive joints of closed loops can move by themselves: efforts have no limit',
}
JOINT_STATE_EVENTS = {
    'received': 'messages; the sum of all outcomes, and of those that wait for base data',
    'gap': 'steps forward over max_gap and five median periods of these joints; their estimator '
           'begins anew but keeps what it has learned',
    'jump_back': 'steps back over max_gap and five median periods of these joints, or smaller '
                 'ones that a second older message confirmed; all of them is reset',
    'relayed': 'duplicate or older stamps with the positions of the message before of that stamp: '
               'messages that are published twice',
    'overruns': 'messages that a full queue, an overload that lasts, or the network lost before '
                'they were received',
    'velocity_ignored': 'velocities not one for each name',
    'effort_ignored': 'efforts not one for each name',
    'position_rejected': 'messages with a position that contradicts the motion, and is not used: '
                         'outliers, or a second publisher',
    'velocity_rejected': 'samples with a velocity that the estimate does not use, as it does not '
                         'fit the positions',
    'accelerations': 'messages with accelerations for the estimator external',
    'accelerations_ignored': 'of these, without a stamp, with a joint missing or not finite, or '
                             'for another estimator',
}
# of joint states without a fault
ACCEPTED_OUTCOMES = frozenset(('used', 'warming_up', 'same_instant', 'overtaken', 'incomplete',
                               'skewed'))


def joint_state_lines(counters: Counter[str], omitted: Collection[str]) -> list[str]:
    """
    Return a line for each counted outcome of records without effort, and each event, but some.

    They are those of a file, for which no parameter of the node is a remedy.
    """
    outcomes = {**JOINT_STATE_OUTCOMES, 'no_stamp': 'stamp zero or out of range: record with '
                'stamps, or write the time of these records into the file'}
    return [f'{head if name not in ACCEPTED_OUTCOMES else "without effort"}: {name} '
            f'{counters[name]} ({meaning})' for head, keys in (
                ('dropped', outcomes), ('events', JOINT_STATE_EVENTS))
            for name, meaning in keys.items() if counters[name] and name not in omitted]


BASE_OUTCOMES = {
    'used': 'the motion of the sensor is known',
    **_ESTIMATE_OUTCOMES,
    'unknown_frame': 'the frame is no link of the robot',
    'not_measured': 'a covariance begins with -1: there is no such measurement',
    'not_finite': 'NaN, infinite or beyond any motion; if it is an acceleration that was '
                  'computed, everything is reset',
    'contradictory': 'velocities contradict the motion before',
    'no_rotation': 'the quaternion is not of unit length',
    **_STAMP_OUTCOMES,
}
BASE_EVENTS = {
    'received': 'messages; the sum of all outcomes',
    'gap': 'steps forward over 0.1 s and five median periods; the filters begin anew but keep '
           'what they have learned',
    'jump_back': 'steps back over 0.1 s and five median periods, or smaller ones that a second '
                 'older message confirmed; everything is reset',
    'frame_changed': 'messages from another link than the one before; everything is reset',
}
BASE_ABSENCES = {   # why the motion of the base at a stamp is unknown
    'base_missing': 'no base data yet',
    'base_warming_up': 'too little base data yet for accelerations',
    'base_behind': 'the joint states are newer than the base data by more than max_age',
    'base_stale': 'the base data is older than the joint states by more than the timeout',
    'base_gap': 'the joint states are in a gap of the base data that is longer than the timeout',
    'base_forgotten': 'the joint states are older than all base data that is kept',
    'base_not_finite': 'the motion of the base is too large for floating point',
}

WRENCH_OUTCOMES = {
    'taken': 'it acts from its stamp to that of the next one',
    'no_frame': 'the frame_id is empty',
    'unknown_frame': 'the frame_id is no link of the robot, nor its world if the base is fixed',
    'not_finite': f'force or torque is not three finite numbers up to {LARGEST_MAGNITUDE:g}',
    **_STAMP_OUTCOMES,
}
WRENCH_EVENTS = {
    'received': 'messages; the sum of all outcomes',
    'jump_back': 'steps back that a second older message confirmed; everything is forgotten',
}
WRENCH_ABSENCES = {   # why a link has no wrench at a stamp; counted by stamp and link
    'missing': 'no usable message was received yet',
    'silent': 'no usable message was received within the timeout',
    'stale': 'the newest stamp is older than the joint states by more than the timeout',
    'ahead': 'all stamps are later than the joint states; are the clocks synchronised?',
    'too_large': 'in the frame of the link it is too large for floating point',
}
