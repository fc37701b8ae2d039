"""The joint names of a recording: renamed to those of a model, and checked against them."""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import chain, islice
from pathlib import Path
from shlex import quote as quoted
from typing import NamedTuple

from urdf2dyn_ros.errors import ParameterError, RecordingError
from urdf2dyn_ros.estimation.hold import Hold
from urdf2dyn_ros.recordings.columns import QUANTITIES
from urdf2dyn_ros.recordings.measured_efforts import with_followers
from urdf2dyn_ros.recordings.recording import ANGULAR, Record, Recording
from urdf2dyn_ros.robot.model import Mimic
from urdf2dyn_ros.text import first_names, likely_pairs

_RECORDS_SEARCHED = 1000   # for names: a sample may need several messages
_EXAMPLE = r'fer_joint(\d)=panda_joint\1'
_LONGEST_NAME = 80   # characters of a name of which all parts are searched for in others
_MOST_NAMES = 40   # of a list in a message
_MOST_LISTS = 64   # of names whose new names are cached
_EFFORT_UNITS = {'rad': 'N m', 'm': 'N'}   # by the unit of the position


class RecordedJoints(NamedTuple):
    """
    Records with the names of the robot; the first ones, `heads`, again.

    `hold` is what is held in them, `moving` are the joints that are not, and `remarks` what was
    changed.
    """

    records: Iterator[Record]
    hold: Hold
    moving: list[str]
    heads: Sequence[Record]
    remarks: list[str]


def match_joints(recording: Recording, joints: Mapping[str, str], hold: Hold,
                 renames: Sequence[str], mimics: Mapping[str, Mimic],
                 currents: bool | None = None, until_defect: bool = False) -> RecordedJoints:
    """
    Return the records of a recording for the joints of a model, the first ones also as `heads`.

    The joints have their units, 'rad' or 'm'; values are in these, whatever the recording says.
    Joints of other names are matched where there are as many: see `_matched`.
    What is held is, with ``auto``, also what these lack; `renames` are the rules of `renaming`.
    The effort of a driver counts those of its `mimics`, by name. Recorded efforts are, or are not,
    `currents`; None if they are not used. A RecordingError if a joint of the model is missing, or
    if the recording states another unit; or for a defect, unless records count `until_defect`.
    """
    path, names = recording.path, [*joints]
    renamed = renaming(renames, path)
    rest = recording.records_of(lambda name: renamed((name,))[0] in joints,
                                QUANTITIES if currents is not None else ANGULAR, until_defect)
    heads: list[Record] = []   # up to the one that completes the names
    missing = set(names) - set(hold.positions)
    for record in islice(rest, _RECORDS_SEARCHED):
        heads.append(record)
        missing.difference_update(renamed(tuple(record.names)))
        if not missing:
            break
    remarks: list[str] = []
    remarks += [f'--rename {quoted(rule)} is of none of its joints' for rule in renames
                if not any(_rule(rule)[0].fullmatch(name)
                           for record in heads for name in record.names)]
    recorded = tuple(dict.fromkeys(
        name for record in heads for name in renamed(tuple(record.names))))
    others = {} if not set(recorded).isdisjoint(names) else _matched(
        recorded, [name for name in names if name not in hold.positions], recording.in_order)
    if others:
        remarks.append('its joints have other names, and are taken as those of the robot: '
                       + first_names([f'{old} = {new}' for old, new in others.items()],
                                     _MOST_NAMES) + '; if that is wrong, use --rename')
        recorded = tuple(others[name] for name in recorded)
    followers = {name: mimic for name, mimic in mimics.items()
                 if {name, mimic.joint} <= {*recorded}}

    @lru_cache(_MOST_LISTS)
    def new_names(old: tuple[str, ...]) -> tuple[str, ...]:
        return tuple(others.get(name, name) for name in renamed(old))

    check_units(recording, new_names, joints, currents)

    def changed(record: Record) -> Record:
        new = new_names(tuple(record.names))
        record = recording.in_radians(record, [joints.get(name, 'rad') for name in new])
        return record._replace(names=new, effort=with_followers(
            new, record.effort, followers) if followers and len(record.effort) == len(new)
            else record.effort)

    heads, rest = [*map(changed, heads)], map(changed, rest)
    remarks += [f'the measured effort of {mimic.joint} counts that of {name}, which mimics '
                f'it, {mimic.multiplier:g} times' for name, mimic in followers.items()
                if any(dict(zip(record.names, record.effort)).get(name) for record in heads)]
    lacking = {}
    if hold.automatic and not set(recorded).isdisjoint(names):
        lacking = {name: hold.defaults[name] for name in names
                   if name not in recorded and name not in hold.positions}
    hold = Hold({**hold.positions, **lacking}, False, hold.defaults)
    moving = [name for name in names if name not in hold.positions]
    unknown = [name for name in recorded if name not in joints and name not in mimics]
    _check_recorded(moving, recorded, unknown, path)
    held = [name for name in hold.positions if name not in recorded]
    if unknown and len(unknown) == len(held):
        rules = _likely_rules(held, unknown)
        remarks.append(f'held: {first_names(held, _MOST_NAMES)}; not joints of the robot: '
                       f'{first_names(unknown, _MOST_NAMES)}; if they are the same, do not hold '
                       f'them, but add {rules}')
    return RecordedJoints(chain(heads, rest), hold, moving, heads, remarks)


def _matched(recorded: Sequence[str], joints: Sequence[str], in_order: bool) -> dict[str, str]:
    """
    Return the joints of as many recorded names, none of which is one of them; empty if unknown.

    They differ by a part of the name, are numbers, or stand in the order of the joints.
    """
    if len(recorded) != len(joints):
        return {}
    if rules := _rules_between(recorded, joints):
        return dict(zip(recorded, renaming(rules[:1], Path())(tuple(recorded))))
    if all(name.isdecimal() for name in recorded):
        return dict(zip(sorted(recorded, key=int), joints))
    return dict(zip(recorded, joints)) if in_order else {}


def check_units(recording: Recording, new_names: Callable[[tuple[str, ...]], tuple[str, ...]],
                joints: Mapping[str, str], currents: bool | None = None) -> None:
    """Raise a RecordingError if a unit is not one of its joint, or only others state theirs."""
    for what, by_joint in recording.units.items():
        kinds = {name: kind for name in by_joint if (kind := joints.get(new_names((name,))[0]))}
        stated = {kinds[name]: (name, unit.text) for name, unit in by_joint.items()
                  if unit and name in kinds}
        for name, kind in kinds.items():
            unit = by_joint[name]
            if unit is None and kind in stated and not (recording.degrees and what in ANGULAR):
                other, text = stated[kind]
                raise RecordingError(recording.path, f'the {what} of {other!r} is in {text}, and '
                                     f'that of {name!r} in no unit: add it to the head')
            if unit is None:
                continue
            expected = kind if what in ANGULAR else 'A' if currents else _EFFORT_UNITS[kind]
            if unit.si == expected:
                continue
            remedy = (
                'they are currents: add --effort-semantics current --gains' if unit.si == 'A' else
                'omit --effort-semantics current' if expected == 'A' else
                f'the joint {"turns" if kind == "rad" else "moves along its axis"}: correct the '
                f'head, or choose its columns by --columns')
            raise RecordingError(recording.path, f'the {what} of {name!r} is in {unit.text}, not '
                                 f'in {expected} or a part of it; {remedy}')


def _check_recorded(joints: Sequence[str], recorded: Sequence[str], unknown: Sequence[str],
                    path: Path) -> None:
    """Raise RecordingError with the names of both sides if a joint of a model is missing."""
    missing = [joint for joint in joints if joint not in recorded]
    if not missing:
        return
    sides = (f'\n  recorded: {first_names(recorded, _MOST_NAMES)}'
             f'\n  robot: {first_names(joints, _MOST_NAMES)}\n')
    if len(missing) == len(joints):
        numbered = all(map(str.isdecimal, recorded))   # which of them are joints is not known
        rules = [] if numbered else _rules_between(recorded, joints)
        remedy = ('which of them were measured, not desired? Choose these: ' if len(rules) > 1 else
                  "if only their names differ, rename the recording's: ")
        remedy += (f'--rename {" or ".join(map(quoted, rules))}' if rules else
                   f'--rename {quoted(f"{re.escape(recorded[0])}=JOINT")}, and so for each other '
                   'name, with the joint of the robot that it is')
        raise RecordingError(path, f'none of its joints is a joint of the robot:{sides}{remedy}')
    remedy = (
        'as many of its names are no joints of the robot: if they are the missing ones, add '
        f'{_likely_rules(missing, unknown)}' if len(missing) == len(unknown) else
        'if their names differ, rename the recorded ones with --rename; if they were at rest, '
        'hold them, at a position other than 0 with JOINT=POSITION [rad or m]: '
        f'{" ".join(f"--hold {quoted(name)}" for name in missing)}; --hold auto holds all of them')
    raise RecordingError(
        path, f'joints of the robot that are not in it: {first_names(missing, _MOST_NAMES)}; '
        f'efforts need the motion of all joints:{sides}{remedy}')


def _likely_rules(missing: Sequence[str], unknown: Sequence[str]) -> str:
    """Return the options --rename for as many missing joints as unknown names."""
    return ' '.join('--rename ' + quoted(f'{re.escape(name)}={joint}')
                    for joint, name in likely_pairs(missing, unknown)[:_MOST_NAMES])


def _rules_between(recorded: Sequence[str], joints: Sequence[str]) -> list[str]:
    """Return the rules, each of which makes recorded names those of all joints, or all known."""
    first, rules = joints[0][:_LONGEST_NAME], list[str]()
    parts = sorted({first[i:j] for i in range(len(first)) for j in range(i + 1, len(first) + 1)},
                   key=len, reverse=True)
    for name in recorded:
        for part in parts:
            before, _, after = name.partition(part)
            left, _, right = first.partition(part)
            names = {before + joint[len(left):len(joint) - len(right)] + after
                     for joint in joints if joint.startswith(left) and joint.endswith(right)}
            if name == before + part + after and (names >= {*recorded} or (
                    len(names) == len(joints) and names <= {*recorded})):
                rules.append(f'{re.escape(before)}(.*){re.escape(after)}={left}\\1{right}')
                break
    return rules


def renaming(rules: Sequence[str], path: Path) -> Callable[[tuple[str, ...]], tuple[str, ...]]:
    r"""
    Return a function that replaces names which match a regular expression as a whole.

    Of the rules PATTERN=REPLACEMENT, for instance ``fer_joint(\d)=panda_joint\1``, the first that
    matches a name is used; ParameterError if one is not valid. The function raises RecordingError
    if two names become one, or a name is there twice.
    """
    patterns = [_rule(rule) for rule in rules]

    def new_name(name: str) -> str:
        return next((match.expand(replacement) for pattern, replacement in patterns
                     if (match := pattern.fullmatch(name))), name)

    @lru_cache(_MOST_LISTS)
    def renamed(names: tuple[str, ...]) -> tuple[str, ...]:
        result = tuple(map(new_name, names))
        olds: dict[str, str] = {}
        for old, new in zip(names, result):
            if new in olds:
                raise RecordingError(path, (
                    f'it names the joint {old!r} twice, with a position for each: correct its '
                    'names, or delete one of the two') if olds[new] == old else (
                        f'--rename makes {new!r} of both {olds[new]!r} and {old!r}: let its '
                        'pattern match one of them only'))
            olds[new] = old
        return result

    return renamed


def _rule(text: str) -> tuple[re.Pattern[str], str]:
    left, separator, right = text.rpartition('=')
    try:
        if not (separator and left and right):
            raise ValueError('it is not PATTERN=REPLACEMENT')
        pattern = re.compile(left)
        # a match of the empty text with all groups of the pattern checks the replacement
        re.compile(f'{left}|').fullmatch('').expand(right)   # type: ignore[union-attr]
    except (re.error, ValueError, IndexError) as error:
        raise ParameterError(f'--rename {text!r}: {error}; for instance '
                             f'--rename {quoted(_EXAMPLE)}') from None
    return pattern, right
