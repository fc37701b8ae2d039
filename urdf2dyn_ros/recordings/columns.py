"""What the columns of a table are: time, quantities of joints, their units, what is desired."""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from decimal import Decimal
from functools import lru_cache, partial
from math import pi
from typing import NamedTuple

from urdf2dyn_ros.errors import ParameterError
from urdf2dyn_ros.text import escaped, first_names

QUANTITIES = ('position', 'velocity', 'effort', 'acceleration')
TIME = 'time'
_LONGEST_NAME, _MOST_NAMES = 60, 40


def column_list(names: Sequence[str]) -> str:
    return first_names([escaped(repr(name), _LONGEST_NAME) for name in names], _MOST_NAMES)


# ---- Units: one table, and how people write them

class Unit(NamedTuple):
    """A unit: how it is printed, its SI unit, and how many of these it is."""

    text: str
    si: str   # 's', 'rad', 'm', 'N m', 'N' or 'A'; of velocities and accelerations 'rad' or 'm'
    factor: Decimal


_TIMES = {'s': '1', 'ms': '1e-3', 'us': '1e-6', 'ns': '1e-9', 'min': '60', 'h': '3600'}
_ANGLES = {'rad': '1', 'mrad': '1e-3', 'deg': str(pi / 180.0), 'rev': str(2.0 * pi)}
_LENGTHS = {'m': '1', 'cm': '1e-2', 'mm': '1e-3', 'um': '1e-6'}
_FORCES = {'N': '1', 'mN': '1e-3', 'cN': '1e-2', 'kN': '1e3'}
_CURRENTS = {'A': '1', 'mA': '1e-3', 'uA': '1e-6'}
_PRINTED = {'deg': 'degrees', 'rev': 'revolutions'}
_REV_PER_MINUTE = Decimal(_ANGLES['rev']) / 60


def _units(power: int) -> Iterator[tuple[str, Unit]]:
    """Yield the units of positions over so many powers of time."""
    exponent = f'^{power}' if power > 1 else ''
    for si, lengths in (('rad', _ANGLES), ('m', _LENGTHS)):
        for name, size in lengths.items():
            for time, seconds in _TIMES.items() if power else (('', '1'),):
                key = f'{name}/{time}{exponent}' if power else name
                factor = Decimal(size) / Decimal(seconds)**power
                yield key, Unit(_PRINTED.get(key, key), si, factor)
    if power:
        key = 'rpm' if power == 1 else 'rpm/s'
        yield key, Unit(key, 'rad', _REV_PER_MINUTE)


UNITS: dict[str, dict[str, Unit]] = {
    TIME: {name: Unit(name, 's', Decimal(size)) for name, size in _TIMES.items()},
    'position': dict(_units(0)), 'velocity': dict(_units(1)), 'acceleration': dict(_units(2)),
    'effort': {
        **{force + arm: Unit(f'{force} {arm}', 'N m', Decimal(size) * Decimal(length))
           for force, size in _FORCES.items() for arm, length in _LENGTHS.items()},
        **{name: Unit(name, 'N', Decimal(size)) for name, size in _FORCES.items()},
        **{name: Unit(name, 'A', Decimal(size)) for name, size in _CURRENTS.items()}}}

_USUAL = {TIME: 's, ms, us, ns and min', 'position': 'rad, deg, rev, m and mm',
          'velocity': 'rad/s, deg/s, rpm, m/s and mm/s', 'effort': 'N m, mN m, kN m, N, A and mA',
          'acceleration': 'rad/s^2, deg/s^2 and m/s^2'}

_SPELLINGS = [(re.compile(pattern, re.IGNORECASE), text) for pattern, text in (
    ('[µμ]', 'u'), ('[°º]|degrees?', 'deg'), ('radians?', 'rad'),
    ('revolutions?|turns?|revs', 'rev'), (r'\bdps\b', 'deg/s'), (r'\brps\b', 'rev/s'),
    ('newton[ -]?met(?:re|er)s?', 'Nm'), ('newtons?', 'N'),
    ('milli[ -]?(?=met|sec|amp|newton)', 'm'), ('micro[ -]?(?=met|sec|amp)', 'u'),
    ('nano[ -]?(?=sec)', 'n'), ('seconds?|secs?', 's'), ('minutes?', 'min'),
    ('met(?:re|er)s?', 'm'), ('amp(?:ere|ère)?s?', 'A'), (r'\s+per\s+|(?<=[a-z])ps\b', '/'),
    ('²', '2'), ('¹', '1'), ('[⁻−]', '-'), (r'\*\*', '^'),
    (r'[\s.·⋅*]*\bs\^?-1', '/s'), (r'[\s.·⋅*]*\bs\^?-2', '/s^2'),
    (r'/\(?(s|min)\)?(?:/\1|\^?2)', r'/\1^2'), (r'[\s·⋅×*._-]+', ''), ('/$', '/s'))]
# short words in brackets that are no unit, longer names of units that are none of ours
_SHORT_WORDS = re.compile('raw|real|base|tool|hand|head|hip|knee|axis|pan|tilt|lift|roll|yaw|'
                          'act|set|des|cmd|ref|left|arm|leg|meas|est|sim|filt|avg|'
                          'mean|max|abs|rel|[xyzlr]')
_LONG_UNITS = re.compile('counts?|ticks?|pulses?|steps?|inches|gradians|grads?|gon|[cm]deg|'
                         'percent|permille|pct|arcmin|arcsec|pounds|volts|frames|samples|'
                         'kgf?c?m|ozf?in|lbf?(?:ft|in)|(?:ft|in)lbf?')
_BEFORE_UNIT = re.compile(r'\s*[/,:]\s*|\s+in\s+|[_ ]+')
_BRACKETS = re.compile(r'\s*[\[(<]([^\[\]()<>]*)[\])>]')


def unit_of(quantity: str, text: str) -> Unit | None:
    """Return the unit of a quantity in any usual spelling, or None if it is not known."""
    units = UNITS[quantity]
    if text in units:
        return units[text]
    short = text.strip()
    for pattern, replacement in _SPELLINGS:
        short = pattern.sub(replacement, short)
    if short in units:
        return units[short]
    # in other cases, but MN is no mN
    small = {name.lower(): unit for name, unit in units.items()}
    return None if short.startswith('MN') else small.get(short.lower())


def _is_unit(quantity: str, text: str) -> bool:
    """Return whether the end of a name is a unit, of ours or, but of times, another one."""
    return bool(unit_of(quantity, text) or (
        quantity != TIME and _LONG_UNITS.fullmatch(text.lower())))


def _has_form_of_unit(text: str) -> bool:
    if any(unit_of(quantity, text) for quantity in UNITS):
        return True
    words = [*filter(None, re.split(r'[\s·⋅*.:-]+|(?<=\d)(?=[^\W\d_])', text.lower()))]
    return bool(re.search(r'[^\W\d_].*[/^²]|[/°%‰]', text)) or any(
        _LONG_UNITS.fullmatch(word) or (len(word) > 1 and any(
            unit_of(quantity, word) for quantity in UNITS)) for word in words) or (
        bool(words) and all(re.fullmatch(r'[^\W\d_]{1,4}', word)
                            and not _SHORT_WORDS.fullmatch(word) for word in words))


def are_units(cells: Sequence[str]) -> bool:
    """Return whether the cells of a row are units, most of them known ones."""
    units = [unit for cell in cells if (unit := cell.strip(' []()-\r\n'))]
    known = [unit for unit in units if any(unit_of(quantity, unit) for quantity in UNITS)]
    return 2 * len(known) > len(units) and all(map(_has_form_of_unit, units))


def split_unit(name: str) -> tuple[str, str]:
    """Return a column's name without brackets that have no digits, and the unit in them."""
    unit = ''
    for match in [*_BRACKETS.finditer(name)][::-1]:
        content = match[1]
        if _has_form_of_unit(content) and not unit:
            unit = content
        elif re.search(r'[\d{}]', content) or not content.strip():
            continue
        name = name[:match.start()] + name[match.end():]
    return name.strip().rstrip(' /'), unit


def _without_suffix(quantity: str, name: str) -> tuple[str, str]:
    """
    Return a name and the unit at its end, which may be empty, or none of ours, as counts.

    It is in q1_deg, qd_1_rad_s, q1/deg (as ISO 80000-1 writes it), 'q1, deg' and 'q1 in deg'.
    """
    for end in _BEFORE_UNIT.finditer(name):
        tail = name[end.end():]
        words = [word for word in re.split('[_ ]', tail) if word != 'per']
        for unit in (tail, '/'.join(words), ''.join(words)):
            if end.start() and not unit.isdigit() and _is_unit(quantity, unit):
                return name[:end.start()], unit
    return name, ''


# ---- What columns are: by patterns of a user, our own names, or what is common

# our own prefixes of a column's name, before that of the joint
_OWN = {'position': 'q|position', 'velocity': 'qd|velocity', 'effort': 'effort',
        'acceleration': 'qdd|acceleration'}
_COMMON = {
    'position': r'q|qpos|pos|positions?|angles?|theta|θ|observation\.state',
    'velocity': 'qd|dq|qvel|vel|velocity|velocities|speeds?|dtheta|omega',
    'effort': 'eff|efforts?|tau|tau_j|τ|torques?|moments?|qfrc(?:_actuator)?',
    'acceleration': 'qdd|ddq|qacc|acc|accelerations?'}
# q_dot1, q1_dot and theta_ddot_1 are qd1, qd1 and qdd_1
_DOT = re.compile(r'(?i)(?<![a-z])(?:q|theta|θ)_?(\d*)_?(d?)dot(?![a-z])')
_FORMS = (r'(?:observation\.)?(?:{0})[_./ ](?P<joint>.+?)',       # q_<joint>
          # q1, actual_q_0, position[0], q(1), gear_torque.A1
          r'(?:.*[._/ ])?(?:{0})[_. ]?[\[(]?(?P<joint>(?:(?<=[_. ])[aj])?\d+)[\])]?',
          # <joint>_pos, /joint_states/<joint>/position
          r'(?:.*/|state\.)?(?P<joint>[^/]+)[_./ ](?:{0})')
# where PosIst_A1, q1Deg and jointPosition1 have words
_CAMEL = re.compile(r'(?<=[a-z])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])|(?<=\d)(?=[A-Za-z])')
_NUMBERED = re.compile(r'(.*?)(\d+)')
# a joint's number behind no word of a quantity
ONLY_JOINT = re.compile(r'(?i)(?:.*[^a-z{])?(?:j|jnt|joint|a|axis|achse)[_ .]?{n}')
_COMMON_TIME = re.compile(
    r'(?i)_*(?:t(?:out)?|(?:(?:elapsed|relative|sample|sim|x)[_ ]?)?(?:time|zeit)|x_value|'
    r'(?:.*[./])?(?:time)?stamp(?:[./_]secs?)?|secs?|seconds?)')
# what a controller wants, not what was measured; of d only where the same exists without it
_DESIRED = ('des|desired|cmd|command|commanded|ref|reference|target|goal|set|setpoint|soll|'
            'planned|action|error|err|output|d')
_MARKED = re.compile(rf'(?i)[_./ (\[]*(?<![a-z])(?:{_DESIRED})(?![a-z])[)\]]*')
_MEASURED = re.compile(r'(?i)[_./ (\[]*(?<![a-z])(?:measured|meas|msr|actual|act|observation|obs|'
                       r'feedback|ist)(?![a-z])[)\]]*')
_PATTERN_RULE = (
    f'QUANTITY=NAME, with a quantity of time, {", ".join(QUANTITIES)}, and in the name '
    "{joint}, or {n} for a number: 'position={joint}_pos', 'effort=cur{n} [mA]', 'time=t [ms]'")

IsJoint = Callable[[str], bool]


class TableColumn(NamedTuple):
    """A column of a table, with the text of its unit, or empty."""

    name: str
    unit: str = ''


class TableColumns(NamedTuple):
    """What columns are; the time is empty, and a quantity without joints, where there is none."""

    time: TableColumn
    joints: dict[str, dict[str, list[TableColumn]]]   # by quantity and joint
    desired: list[str]   # columns that are not read, as there are measured ones
    remarks: list[str]


def find_columns(names: Sequence[str], patterns: Sequence[str] = (),
                 is_joint: IsJoint = lambda name: False) -> TableColumns:
    """
    Return what columns are; a ParameterError for a pattern that is none, or has no column.

    Whether the end of a name is a unit, or the word desired belongs to it, shows by the joints of
    the robot, if it is known.
    """
    chosen = _patterns(patterns)
    joints: dict[str, dict[str, list[TableColumn]]] = {}
    remarks: list[str] = []
    left_out: list[str] = []
    known = is_joint
    for quantity in QUANTITIES:
        if quantity in chosen:
            joints[quantity] = _matching(names, quantity, *chosen[quantity])
        else:
            measured, desired = _common(names, quantity, known)
            if not measured and not desired:
                measured, desired = _common_in_camel_case(names, quantity, known)
            joints[quantity] = measured or desired
            if desired and measured:
                left_out += [column.name for columns in desired.values() for column in columns]
            elif desired:
                remarks.append(f'there is no measured {quantity}, and the desired one is taken: '
                               + column_list([each[0].name for each in desired.values()]))
        if quantity == 'position':
            known = partial(_either, is_joint, joints[quantity])
    if left_out:
        remarks.append(f'the measured columns are read, not the desired {column_list(left_out)}')
    remarks += filter(None, (_number_joints(joints, quantity, is_joint)
                             for quantity in QUANTITIES[1:]))
    return TableColumns(_time_column(names, chosen), joints, left_out, remarks)


def _either(is_joint: IsJoint, names: Mapping[str, object], name: str) -> bool:
    return is_joint(name) or name in names


def _patterns(words: Sequence[str]) -> dict[str, tuple[str, str, str]]:
    """Return name, name without unit, and unit of what a user says of each quantity."""
    chosen = {}
    for word in words:
        quantity, sign, pattern = word.partition('=')
        placed = pattern.count('{joint}') + pattern.count('{n}')
        if quantity not in (TIME, *QUANTITIES) or not sign or placed != (quantity != TIME):
            raise ParameterError(f'--columns {word!r} is not {_PATTERN_RULE}')
        stem, unit = split_unit(pattern)
        if not unit:
            _, unit = _without_suffix(quantity, pattern)
            unit = unit if len(unit) > 1 and unit_of(quantity, unit) else ''
        chosen[quantity] = pattern, stem, unit
    return chosen


def _expression(pattern: str) -> str:
    return re.escape(pattern).replace(r'\{joint\}', '(?P<joint>.+)').replace(
        r'\{n\}', r'(?P<joint>\d+)')


def _matching(names: Sequence[str], quantity: str, pattern: str, stem: str,
              said: str) -> dict[str, list[TableColumn]]:
    """Return the columns by joint that are as a user says, with or without the unit."""
    exact = any(re.fullmatch(_expression(pattern), name) for name in names)
    if not exact and not said:   # brackets that are no part of a name are a unit
        said = pattern[len(stem):].strip(' [()]')
    joints: dict[str, list[TableColumn]] = {}
    for name in names:
        bare, unit = split_unit(name)
        match = re.fullmatch(_expression(pattern), name) if exact else re.fullmatch(
            _expression(stem), bare)
        if not match:
            continue
        if unit and said and unit_of(quantity, unit) != unit_of(quantity, said):
            raise ParameterError(f'--columns: {quantity} in {said!r}, but the column is called '
                                 f'{name!r}: correct one of the two')
        joints.setdefault(match.groupdict().get('joint') or '', []).append(
            TableColumn(name, said or unit))
    if not joints:
        raise ParameterError(f'--columns: no column is like the pattern of {quantity}; they '
                             f'are {", ".join(names[:_MOST_NAMES])}')
    return joints


def _time_column(names: Sequence[str], chosen: Mapping[str, tuple[str, str, str]]) -> TableColumn:
    if TIME in chosen:
        return _matching(names, TIME, *chosen[TIME])[''][0]
    times = []
    for name in names:
        stem, unit = split_unit(name)
        if not unit and not _COMMON_TIME.fullmatch(stem):
            stem, unit = _without_suffix(TIME, stem)
        if _COMMON_TIME.fullmatch(stem):
            times.append(TableColumn(name, unit))
    return next((each for each in times if split_unit(each.name)[0] == TIME),
                times[0] if times else TableColumn(''))


class _NameReading(NamedTuple):
    joint: str
    unit: str
    other: str   # name of the joint without a unit in it, or empty
    other_unit: str


def _common(names: Sequence[str], quantity: str, is_joint: IsJoint,
            ) -> tuple[dict[str, list[TableColumn]], dict[str, list[TableColumn]]]:
    """Return the measured columns of a quantity by joint, and the desired ones."""
    own = _FORMS[0].format(_OWN[quantity])
    forms = own, *(f'(?i:{form.format(_COMMON[quantity])})' for form in _FORMS)
    measured: list[tuple[_NameReading, str]] = []
    desired: list[tuple[_NameReading, _NameReading | None, str]] = []
    for name in names:
        clean = _MEASURED.sub('', name).lstrip('_./ ')
        as_it_is = _read(name, quantity, forms)
        reading = _read(clean, quantity, forms) or as_it_is
        marked = _MARKED.search(name)
        if as_it_is and is_joint(as_it_is.joint) and (
                not marked or _MARKED.search(as_it_is.joint)):
            measured.append((as_it_is, name))
        elif marked and (bare := _read(
                _MARKED.sub('', clean).lstrip('_./ '), quantity, forms)):
            desired.append((bare, reading, name))
        elif reading:
            measured.append((reading, name))
    # our own names go before others, which may be of another device
    measured = [each for each in measured if _read(each[1], quantity, (own,))] or measured
    plain = _named(measured, is_joint)
    for joint, columns in plain.items():
        plain[joint] = [each for each in columns if _MEASURED.search(each.name)] or columns
    twins = _named([(bare, name) for bare, _, name in desired], is_joint)
    twin_of = {column.name: joint for joint, columns in twins.items() for column in columns}
    # what has no measured twin may be of a joint called so
    alone = [(reading, name) for _, reading, name in desired
             if reading and (twin_of[name] not in plain)
             and (measured or _only_d(name))]
    kept = {name for _, name in alone}
    left = {joint: columns for joint, all_columns in twins.items()
            if (columns := [each for each in all_columns if each.name not in kept])}
    return _named([*measured, *alone], is_joint) if alone else plain, left


def _common_in_camel_case(
        names: Sequence[str], quantity: str, is_joint: IsJoint,
) -> tuple[dict[str, list[TableColumn]], dict[str, list[TableColumn]]]:
    """Return what `_common` does of names whose words begin with capitals."""
    written = {_CAMEL.sub('_', name): name for name in names}

    def as_written(joint: str, name: str) -> str:
        parts = re.search('_?'.join(map(re.escape, joint.replace('_', ''))), name)
        return parts[0] if parts else joint

    measured, desired = ({
        as_written(joint, written[columns[0].name]): [
            column._replace(name=written[column.name]) for column in columns]
        for joint, columns in found.items()} for found in _common(
            [*written], quantity, lambda joint: is_joint(joint.replace('_', ''))))
    return measured, desired


def columns_of_joints(names: Sequence[str], is_joint: IsJoint) -> dict[str, list[TableColumn]]:
    """Return the columns whose names are joints, but for a unit."""
    joints: dict[str, list[TableColumn]] = {}
    for name in names:
        joint, unit = split_unit(name)
        if not unit and not is_joint(joint):
            joint, unit = _without_suffix('position', joint)
        if is_joint(joint):
            joints.setdefault(joint, []).append(TableColumn(name, unit))
    return joints


def bare_positions(names: Sequence[str], found: TableColumns) -> list[str]:
    """
    Return patterns of columns that differ by a number and may be positions, as none says to be.

    A single one like `ONLY_JOINT` can be taken as those.
    """
    read = {column.name for by_joint in found.joints.values() for columns in by_joint.values()
            for column in columns}
    families: dict[str, list[int]] = {}
    for name in names:
        text, unit = split_unit(_CAMEL.sub('_', name))
        text = _MEASURED.sub('', _MARKED.sub('', text))
        text, unit = (text, unit) if unit else _without_suffix('position', text)
        number = _NUMBERED.fullmatch(text)
        other = unit and not unit_of('position', unit) and any(
            unit_of(quantity, unit) for quantity in UNITS)
        if number and name not in read and not other:
            before, _, after = name.rpartition(number[2])
            families.setdefault(f'{before}{{n}}{after}', []).append(int(number[2]))
    patterns = [pattern for pattern, numbers in families.items() if numbers in (
        [*range(len(numbers))], [*range(1, len(numbers) + 1)])]
    return [pattern for pattern in patterns
            if not _MARKED.search(_CAMEL.sub('_', pattern))] or patterns


def _only_d(name: str) -> bool:
    return all(match[0].strip('_./ ()[]').lower() == 'd' for match in _MARKED.finditer(name))


@lru_cache(4096)   # each table's head is read several times
def _read(name: str, quantity: str, forms: tuple[str, ...]) -> _NameReading | None:
    stem, unit = split_unit(name)
    stem = _DOT.sub(lambda match: f'qd{match[2]}{match[1]}', stem)

    def joint_of(text: str) -> str:
        return next((match['joint'] for form in forms if (match := re.fullmatch(form, text))), '')

    joint = joint_of(stem)
    if unit:
        return _NameReading(joint, unit, '', '') if joint else None
    without, suffix = _without_suffix(quantity, stem)
    other = joint_of(without) if suffix else ''
    first = re.match(r'([^_. /]+(?:[_ ](?:per_)?s2?)?)[_. /](.+)', joint)   # as q_deg_1
    if not other and first and _is_unit(quantity, text := first[1].replace('_', '/')):
        suffix, other = text, first[2]
    if not joint:
        return _NameReading(other, suffix, '', '') if other else None
    return _NameReading(joint, '', other, suffix if other else '')


def _named(readings: Sequence[tuple[_NameReading, str]], is_joint: IsJoint,
           ) -> dict[str, list[TableColumn]]:
    """Return columns by joint; a unit in a name counts where the name without it is a joint's."""
    common = {each.other_unit for each, _ in readings}
    all_have = len(common) == 1 and len(min(common)) > 1
    result: dict[str, list[TableColumn]] = {}
    for each, name in readings:
        counts = bool(each.other_unit) and not is_joint(each.joint) and (
            is_joint(each.other) or each.other.isdecimal() or all_have)
        joint, unit = (each.other, each.other_unit) if counts else (each.joint, each.unit)
        result.setdefault(joint, []).append(TableColumn(name, unit))
    return result


def _number_joints(joints: dict[str, dict[str, list[TableColumn]]], quantity: str,
                   is_joint: IsJoint) -> str:
    """Give columns with numbers, such as tau1, to the joints of the positions; return a remark."""
    of_robot = [*filter(is_joint, joints['position'])]
    position, other = (sorted(names, key=int) if all(map(str.isdecimal, names)) else [*names]
                       for names in (of_robot or joints['position'], joints[quantity]))
    numbered = [all(map(str.isdecimal, names)) for names in (position, other)]
    if not any(numbered) or {*position} == {*other} or len(position) != len(other):
        return ''
    columns = [joints[quantity][name] for name in other]
    joints[quantity] = dict(zip(position, columns))
    pairs = ', '.join(f'{column[0].name} = {joint}' for joint, column in zip(position, columns))
    return (f'the columns of {quantity} are taken in the order of those of position: {pairs}; if '
            'that is wrong, rename them')


def known_unit(quantity: str, column: TableColumn) -> Unit | None:
    """Return the unit that a column states, or None for none; ValueError if it is not known."""
    if not column.unit:
        return None
    unit = unit_of(quantity, column.unit)
    if unit is None:
        raise ValueError(
            f'column {escaped(repr(column.name), _LONGEST_NAME)}: {column.unit!r} is no unit of '
            f'{quantity} that is known, as are {_USUAL[quantity]}; convert it, or, if that is no '
            'unit, rename the column')
    return unit


def reading_text(units: Mapping[str, Mapping[str, Unit | None]], degrees: bool) -> str:
    """Return which units were read, by quantity and column, as `positions in degrees`."""
    parts = []
    for quantity, by_joint in units.items():
        texts: dict[str, list[str]] = {}
        for joint, unit in by_joint.items():
            if unit is not None:
                texts.setdefault(unit.text, []).append(joint)
        what = quantity if quantity == TIME else (
            'velocities' if quantity == 'velocity' else f'{quantity}s')
        if len(texts) == 1 and None not in by_joint.values():
            parts.append(f'{what} in {min(texts)}')
        elif texts:
            parts.append(f'{what} in ' + ', '.join(
                f'{text} ({first_names(names, 5)})' for text, names in texts.items()))
    if degrees:
        parts.append('angles without a unit in degrees')
    return f'read: {", ".join(parts)}' if parts else ''
