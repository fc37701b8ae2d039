"""What becomes of a message with a wrench, and why an instant has none."""

from __future__ import annotations

from collections.abc import Sequence

from urdf2dyn_ros.algebra.magnitude import LARGEST_MAGNITUDE
from urdf2dyn_ros.stamps import MAX_STAMP

# Every message has exactly one of these outcomes.
OUTCOMES = {
    'taken': 'it counts from its stamp to that of the next one',
    'no_frame': 'the frame_id is empty',
    'unknown_frame': 'the frame_id is no link of the robot, nor its world if the base stands',
    'not_finite': f'force or torque is not three finite numbers up to {LARGEST_MAGNITUDE:g}',
    'no_stamp': 'the stamp is zero or out of range',
    'duplicate_stamp': 'the stamp is that of the message before',
    'out_of_order': 'the stamp is older than that of the message before',
}
EVENTS = {
    'received': 'messages; the sum of all outcomes',
    'jump_back': 'steps back over 0.1 s and five median periods, seen twice in a row',
}
# Why a link has no wrench at an instant; counted by instant and link.
REASONS = {
    'missing': 'no message that can be used has come yet',
    'silent': 'no message that can be used has arrived within the timeout',
    'stale': 'the newest stamp is older than the joint states by more than the timeout',
    'ahead': 'all stamps are later than the joint states; are the clocks synchronised?',
    'too_large': 'moved to the link it is too large for floating point',
}


def fault(stamp: int, frame_id: str, force: Sequence[float], torque: Sequence[float]) -> str:
    """Return what is wrong with a message by itself, a key of OUTCOMES; empty if nothing is."""
    if not frame_id:
        return 'no_frame'
    if not 0 < stamp <= MAX_STAMP:
        return 'no_stamp'
    numbers = all(len(vector) == 3 and all(abs(entry) <= LARGEST_MAGNITUDE for entry in vector)
                  for vector in (force, torque))
    return '' if numbers else 'not_finite'
