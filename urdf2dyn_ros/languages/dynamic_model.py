"""The dynamic model of a readable Python script: vectors in the root frame, and their check."""

from collections.abc import Iterator, Mapping, Sequence

from urdf2dyn_ros.languages.language import Language
from urdf2dyn_ros.languages.lines import WIDTH, packed, wrapped
from urdf2dyn_ros.program.function import Function, Row
from urdf2dyn_ros.program.scales import wrench_scales
from urdf2dyn_ros.program.statements import Block, names_in

FLAG = 'in_root_frame'
"""Argument of the function that goes on with the vectors."""

FRAME_KINDS = ('position_', 'velocity_', 'acceleration_', 'orientation_', 'angular_velocity_')
"""Beginnings of the keys of what every joint's and link's frame has."""

_FRAMES = '    values = {kind + name: [*vector] for names, *vectors in ('
_NAMED = '    ) for name in names for kind, vector in zip(kinds, vectors)}'

_LONGEST_LINE = WIDTH - 17
"""Columns of a vector that is not broken."""

_JOINED_WIDTH = 64
"""Columns of a line with several short statements, at most."""

_MODEL = """

def dynamic_model(array_of_variables):
    \"\"\"
    Return vectors in the root frame: a dictionary by kind and name.

    array_of_variables: a row [position, velocity, acceleration] for each of JOINT_NAMES.
    position_, velocity_, acceleration_ [m, m/s, m/s^2]: origin of every joint and link;
    orientation_, angular_velocity_ [-, rad/s]: its axes as columns (3 x 3), and how they rotate;
    forces_, torques_ [N, N m]: what a joint transmits to its link, about the joint's origin.
    \"\"\"
    q, qd, qdd = ([row[k] for row in array_of_variables] for k in range(3))"""
_SCALED = """\
    for entries, expected, scale in zip(zip(*found), zip(*expected_wrenches), scale_wrenches):
        wrong += differences('dynamic_model', entries, expected, [scale] * len(entries))"""
_CHECK = """\
    found = [values[f'forces_{name}'] + values[f'torques_{name}'] for name in JOINT_NAMES]
    for entries, expected in zip(zip(*found), zip(*expected_wrenches)):
        wrong += differences('dynamic_model', entries, expected)"""


def continuation(language: Language, function: Function) -> Iterator[str]:
    """Yield the rest of the function that returns the efforts: the vectors in the root frame."""
    yield from language.body(function)
    rows = {row.key: row for row in function.results[0].rows}
    yield from ['', f"    kinds = {', '.join(map(repr, FRAME_KINDS))}", _FRAMES]
    indent = ' ' * 8
    for names, parts in _frames(language, rows):
        yield packed([ascii(tuple(names)), *parts], f'{indent}(', f'{indent} ', '),')
    yield _NAMED
    rest = [part for key, row in rows.items() if not key.startswith(FRAME_KINDS)
            for part in _parts(language, row, f'{key!a}: ')]
    if rest:
        yield packed(rest, '    values |= {', ' ' * 15, '}')
    yield '    return values'


def _frames(language: Language, rows: Mapping[str, Row]) -> Iterator[tuple[list[str], list[str]]]:
    """Yield the names of frames that are the same, and the texts of what FRAME_KINDS are."""
    frames: dict[tuple[str, ...], list[str]] = {}
    for key in rows:
        if key.startswith(FRAME_KINDS[0]):
            name = key.removeprefix(FRAME_KINDS[0])
            parts = [part for kind in FRAME_KINDS for part in _parts(language, rows[kind + name])]
            frames.setdefault(tuple(parts), []).append(name)
    for texts, names in frames.items():
        yield names, list(texts)


def _parts(language: Language, row: Row, key: str = '') -> list[str]:
    """Return the text of a vector, or of a matrix of nine entries, in parts if it is long."""
    entries = list(map(language.INFIX.signed, row.entries))
    last = len(entries) - 1
    if last > 2:
        for k in range(0, len(entries), 3):
            entries[k:k + 3] = f'[{entries[k]}', entries[k + 1], f'{entries[k + 2]}]'
    entries[0], entries[last] = f'{key}[{entries[0]}', f'{entries[last]}]'
    text = ', '.join(entries)
    return [text] if len(text) < _LONGEST_LINE else [
        wrapped(entry, '', ' ' * 16, _LONGEST_LINE) for entry in entries]


def definition(function: str, arguments: Sequence[str]) -> list[str]:
    """Return dynamic_model, which calls the function that holds the equations."""
    return [*_MODEL.splitlines(), f'    return {function}({", ".join([*arguments, "True"])})']


def table(language: Language) -> Iterator[str]:
    """Yield the expected force and torque of every joint in the first state."""
    vectors = language.program.references[0].vectors
    yield from language.table('expected_wrenches', '', [
        [float(f'{entry:.11g}') for kind in ('forces', 'torques')
         for entry in vectors[f'{kind}_{row.name}']] for row in language.program.independent])
    if language.scales:
        values = [language.number(each) for each in wrench_scales(language.program)]
        yield language.array('scale_wrenches = [', [values[0]] * 3 + [values[1]] * 3, ']')


def check(language: Language, function: str, arguments: Sequence[str]) -> Iterator[str]:
    """Yield the comparison of forces and torques with those expected in the first state."""
    values = [f'reference_{x}[0]' for x in arguments]
    yield packed([*values, 'True'], f'    values = {function}(',
                 ' ' * len(f'    values = {function}('), ')')
    lines = _CHECK.splitlines()
    yield from [lines[0], *_SCALED.splitlines()] if language.scales else lines


def compact(language: Language, block: Block, indent: str, form: str) -> Iterator[str]:
    """Yield a block with short statements side by side, and its formula behind the first line."""
    lines: list[str] = []
    names: list[str] = []    # of the statements in the last line
    values: list[str] = []
    for statement in block.statements:
        value = language.INFIX.signed(statement.value)
        line = f'{indent}{", ".join([*names, statement.name])} = {", ".join([*values, value])}'
        if names and len(line) <= _JOINED_WIDTH and names_in([statement.value]).isdisjoint(names):
            lines[-1] = line
        else:
            names, values = [], []
            lines.append(language.assignment(statement.name, value, indent, form))
        names.append(statement.name)
        values.append(value)
    comment = f'  {language.COMMENT}{block.comment}' * bool(block.comment)
    if lines and '\n' not in lines[0] and len(f'{lines[0]:40}{comment}') <= WIDTH:
        yield f'{lines[0]:40}{comment}'.rstrip()
        yield from lines[1:]
    else:
        yield from [*language.comments([block.comment] * bool(comment), indent), *lines]
