"""The dynamic model of a readable Python script: vectors in the root frame, and their check."""

from collections.abc import Iterator, Sequence

from urdf2dyn_ros.languages.language import Language
from urdf2dyn_ros.languages.lines import WIDTH, packed, wrapped
from urdf2dyn_ros.program.program import Function, Row
from urdf2dyn_ros.program.statements import Block, names_in

FLAG = 'in_root_frame'
"""Argument of the function that goes on with the vectors."""

_JOINED = 64
"""Columns of a line with several short statements, at most."""

_MODEL = """

def dynamic_model(array_of_variables):
    \"\"\"
    Return 3-vectors in the root frame: a dictionary by kind and name.

    array_of_variables: a row [position, velocity, acceleration] for each of JOINT_NAMES.
    position_, velocity_, acceleration_ [m, m/s, m/s^2]: origin of every joint and link;
    forces_, torques_ [N, N m]: what a joint transmits to its link, about the joint's origin.

    \"\"\"
    q, qd, qdd = ([row[k] for row in array_of_variables] for k in range(3))"""
_CHECK = """\
    found = [values[f'forces_{name}'] + values[f'torques_{name}'] for name in JOINT_NAMES]
    for entries, expected in zip(zip(*found), zip(*expected_wrenches)):
        wrong += differences('dynamic_model', entries, expected)"""


def continuation(language: Language, function: Function) -> Iterator[str]:
    """Yield the rest of the function that returns the efforts: the vectors in the root frame."""
    yield from language.body(function)
    yield from ['', '    return {', *_entries(language, function.results[0].rows), '    }']


def _entries(language: Language, rows: Sequence[Row]) -> Iterator[str]:
    signed = language.INFIX.signed
    texts = [f'{row.key!a}: [{", ".join(map(signed, row.entries))}]' for row in rows]
    line = ''
    for row, text in zip(rows, texts):
        if line and len(f'{line} {text},') > WIDTH:
            yield line
            line = ''
        line = f'{line} {text},' if line else f'        {text},'
        if len(line) > WIDTH:
            deep = ' ' * 12
            entries = [wrapped(entry, '', deep + '    ') for entry in map(signed, row.entries)]
            yield f'        {row.key!a}: [\n' + packed(entries, deep, deep, '],')
            line = ''
    if line:
        yield line


def definition(function: str, arguments: Sequence[str]) -> list[str]:
    """Return dynamic_model, which calls the function that holds the equations."""
    return [*_MODEL.splitlines(), f'    return {function}({", ".join([*arguments, "True"])})']


def table(language: Language) -> Iterator[str]:
    """Yield the expected force and torque of every joint in the first state."""
    vectors = language.program.references[0].vectors
    yield from language.table('expected_wrenches', '', [
        [float(f'{entry:.11g}') for kind in ('forces', 'torques')
         for entry in vectors[f'{kind}_{row.name}']] for row in language.program.independent])


def check(function: str, arguments: Sequence[str]) -> Iterator[str]:
    """Yield the comparison of forces and torques with those expected in the first state."""
    values = [f'reference_{x}[0]' for x in arguments]
    yield packed([*values, 'True'], f'    values = {function}(',
                 ' ' * len(f'    values = {function}('), ')')
    yield from _CHECK.splitlines()


def compact(language: Language, block: Block, indent: str, form: str) -> Iterator[str]:
    """Yield a block with short statements side by side, and its formula behind the first line."""
    lines: list[str] = []
    names: list[str] = []    # of the statements in the last line
    values: list[str] = []
    for statement in block.statements:
        value = language.INFIX.signed(statement.value)
        line = f'{indent}{", ".join([*names, statement.name])} = {", ".join([*values, value])}'
        if names and len(line) <= _JOINED and names_in([statement.value]).isdisjoint(names):
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
