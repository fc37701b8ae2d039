"""What the columns of a table are: by patterns of a user, our own names, or what is common."""

import re
from collections.abc import Callable, Sequence
from decimal import Decimal
from typing import NamedTuple

from urdf2dyn_ros.errors import ParameterError

QUANTITIES = ('position', 'velocity', 'effort', 'acceleration')
TIME = 'time'
# our own prefixes of a column's name, before that of the joint
_OWN = {'position': 'q|position', 'velocity': 'qd|velocity', 'effort': 'effort',
        'acceleration': 'qdd|acceleration'}
_COMMON = {
    'position': r'q|pos|positions?|angles?|observation\.state',
    'velocity': 'qd|dq|vel|velocity|velocities',
    'effort': 'eff|efforts?|tau|torques?',
    'acceleration': 'qdd|ddq|acc|accelerations?'}
_FORMS = (r'(?:observation\.)?(?:{0})[_./ ](?P<joint>.+?)',        # q_<joint>
          r'(?:.*[._/])?(?:{0})_?\[?(?P<joint>\d+)\]?',             # q1, actual_q_0, position[0]
          '(?:.*/)?(?P<joint>[^/]+)[_./ ](?:{0})')    # <joint>_pos, /joint_states/<joint>/position
_UNIT = r'(?:\s+[\[(][^\d].*[\])])?'   # behind a name, as q1 [rad]
_COMMON_TIME = re.compile(r'_*(?:t|time|(?:.*[./])?(?:time)?stamp|secs?|seconds?)'
                          r'[_ ]*[\[(]?(?P<unit>s|sec|ms|us|ns)?[\])]?', re.IGNORECASE)
_SECONDS = {'ms': Decimal('1e-3'), 'us': Decimal('1e-6'), 'ns': Decimal('1e-9')}
_RULE = (f'QUANTITY=NAME, with a quantity of time, {", ".join(QUANTITIES)}, and in the name '
         "{joint}, or {n} for a number: 'position={joint}_pos', 'effort=tau{n}', 'time=stamp'")


class ColumnNames(NamedTuple):
    """The column of time, the seconds of its unit, and the columns of each quantity by joint."""

    time: str
    unit: Decimal
    joints: dict[str, dict[str, list[str]]]
    remarks: list[str]


def column_names(names: Sequence[str], patterns: Sequence[str]) -> ColumnNames:
    """
    Return what columns are; the time is empty, and a quantity without joints, where there is none.

    A ParameterError for a pattern that is none, or that no column matches.
    """
    chosen: dict[str, str] = {}
    for word in patterns:
        quantity, sign, pattern = word.partition('=')
        placed = '{joint}' in pattern or '{n}' in pattern
        if quantity not in (TIME, *QUANTITIES) or not sign or placed == (quantity == TIME):
            raise ParameterError(f'--columns {word!r} is not {_RULE}')
        chosen[quantity] = re.escape(pattern).replace(r'\{joint\}', '(?P<joint>.+)').replace(
            r'\{n\}', r'(?P<joint>\d+)')
    joints = {}
    for quantity in QUANTITIES:
        tried = [[chosen[quantity]]] if quantity in chosen else [
            [_FORMS[0].format(_OWN[quantity]) + _UNIT],
            [f'(?i:{form.format(_COMMON[quantity])}){_UNIT}' for form in _FORMS]]
        joints[quantity] = next(filter(None, (_matches(names, forms) for forms in tried)), {})
        if quantity in chosen and not joints[quantity]:
            raise ParameterError(f'--columns: no column is like the pattern of {quantity}; they '
                                 f'are {", ".join(names[:40])}')
    time = next((name for name in names if re.fullmatch(chosen.get(TIME, TIME), name)), '')
    unit = ''
    if not time and TIME not in chosen:
        found = next(filter(None, map(_COMMON_TIME.fullmatch, names)), None)
        time, unit = (found[0], (found['unit'] or '').lower()) if found else ('', '')
    elif match := _COMMON_TIME.fullmatch(time):
        unit = (match['unit'] or '').lower()
    remarks = [*filter(None, (_number_joints(joints, quantity) for quantity in QUANTITIES[1:]))]
    return ColumnNames(time, _SECONDS.get(unit, Decimal(1)), joints, remarks)


def _number_joints(joints: dict[str, dict[str, list[str]]], quantity: str) -> str:
    """Give columns with numbers, such as tau1, to the joints of the positions; return a remark."""
    position, other = (sorted(names, key=int) if all(map(str.isdecimal, names)) else [*names]
                       for names in (joints['position'], joints[quantity]))
    numbers = sum(all(map(str.isdecimal, names)) for names in (position, other))
    if numbers != 1 or len(position) != len(other):
        return ''
    columns = [joints[quantity][name] for name in other]
    joints[quantity] = dict(zip(position, columns))
    pairs = ', '.join(f'{column[0]} = {joint}' for joint, column in zip(position, columns))
    return (f'the columns of {quantity} are taken in the order of those of position: {pairs}; if '
            'that is wrong, rename them')


def _matches(names: Sequence[str], forms: Sequence[str]) -> dict[str, list[str]]:
    """Return the columns by joint that have one of some forms."""
    joints: dict[str, list[str]] = {}
    patterns: list[Callable[[str], re.Match[str] | None]] = [
        re.compile(form).fullmatch for form in forms]
    for name in names:
        match = next(filter(None, (pattern(name) for pattern in patterns)), None)
        if match:
            joints.setdefault(match['joint'], []).append(name)
    return joints
