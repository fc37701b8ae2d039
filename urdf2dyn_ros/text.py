"""Numbers, names, stamps and tables as text, for messages and reports."""

import hashlib
import re
import shlex
import sys
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timezone
from difflib import SequenceMatcher, get_close_matches
from enum import IntEnum
from itertools import islice
from typing import Literal, TypeAlias
from unicodedata import category, east_asian_width

# ---- Numbers of things in messages


def counted(number: int, one: str, many: str = '') -> str:
    """Return `1 joint`, `2 joints`; `many` is the plural where it is not `one` and an s."""
    return f'{number} {one if number == 1 else many or one + "s"}'


# ---- Names and texts of files in messages and pictures; they may contain any character

def printable(text: str) -> str:
    """Return a text of the same length with a question mark for each control character."""
    return ''.join(character if character.isprintable() else '?' for character in text)


def quote(text: str) -> str:
    """Return a text in double quotes, shortened and with control characters escaped."""
    return f'"{escaped(text, 40)}"'


def escaped(text: str, length: int) -> str:
    """Return a text as `quote` does, without the quotes."""
    short = text if len(text) <= length else text[:length - 1] + '…'
    return ''.join(character if character.isprintable()
                   else character.encode('unicode_escape').decode() for character in short)


def is_plain(name: str) -> bool:
    """Return whether a name from the URDF can stand in a comment of any language."""
    return re.fullmatch(r'[A-Za-z0-9_.][A-Za-z0-9_./ -]{0,63}', name) is not None


def mention(name: str) -> str:
    """Return a name for a comment, or nothing if it is not plain."""
    return f" '{name}'" if is_plain(name) else ''


def listed(names: Iterable[str], limit: int = 10) -> str:
    """Return the first `limit` names, quoted."""
    return first_names([quote(name) for name in names], limit)


def suggestion(name: str, names: Iterable[str], search: bool) -> str:
    """Return a remedy for an unknown name: the closest of `names` if `search`, else a few."""
    most = 12 if search else 5
    known = list(names if search else islice(names, most + 1))
    # Very long names are not mistyped by people, and comparing them takes long.
    short = search and max(map(len, [name, *known])) <= 100
    close = get_close_matches(name, known, n=3) if short else []
    if close:
        return f'did you mean {listed(close)}?'
    example = ' for example' if len(known) > most else ''
    return f'there are {listed(known[:most], most)}{example}' if known else 'there are none'


def likely_pairs(missing: Sequence[str], unknown: Sequence[str]) -> list[tuple[str, str]]:
    """Return (missing, unknown) names, as many, that are likely to mean the same, each once."""
    left, pairs = list(missing), []
    for name in unknown:
        other = max(left, key=lambda one: SequenceMatcher(None, name, one).ratio())
        left.remove(other)
        pairs.append((other, name))
    return pairs


def first_names(names: Sequence[str], most: int) -> str:
    """Return the first names, without quotes, and the number of the others."""
    more = f' and {len(names) - most} more' if len(names) > most else ''
    return ', '.join(names[:most]) + more


def asked_once(sentences: Iterable[tuple[str, str]]) -> list[str]:
    """
    Return the sentences of pairs (joint, sentence), each question once, as about units.

    Where questions differ in the joint and in numbers alone, the first one names the other joints.
    """
    kept: dict[str, str] = {}
    others: dict[str, list[str]] = {}
    for joint, sentence in sentences:
        key = (re.sub(r'[-+.\d]+', '', sentence.replace(joint, '', 1)) if sentence.endswith('?')
               else sentence)
        if key in kept:
            others.setdefault(key, []).append(joint)
        else:
            kept[key] = sentence
    return [sentence + (f' Likewise {", ".join(others[key])}' if key in others else '')
            for key, sentence in kept.items()]


# ---- Tables of texts with aligned columns, and cells of CSV

def aligned(rows: Sequence[Sequence[str]], left: int = 1) -> list[str]:
    """Return the lines of a table, the first `left` columns on the left side."""
    def padded(cell: str, width: int, to_the_left: bool) -> str:
        space = ' ' * (width - _width(cell))
        return cell + space if to_the_left else space + cell

    widths = [max(map(_width, column)) for column in zip(*rows)]
    return ['  '.join(padded(cell, width, number < left)
                      for number, (cell, width) in enumerate(zip(row, widths))).rstrip()
            for row in rows]


def _width(text: str) -> int:
    """Return the columns of a terminal that a text occupies: two for each wide character."""
    return len(text) if text.isascii() else sum(
        0 if category(character) in ('Mn', 'Me') else 1 + (east_asian_width(character) in 'WF')
        for character in text)


def csv_cell(text: str) -> str:
    """Return a cell of a table, quoted where necessary; a joint's name may contain anything."""
    quoted = text.replace('"', '""')
    return f'"{quoted}"' if set(text) & set(',;"\t\n\r') else text


# ---- Stamps: whole nanoseconds since the epoch of a clock

SECOND_NS = 1_000_000_000
MAX_STAMP = 2**63 - 1   # [ns], that of a signed 64-bit integer


def is_stamp(stamp: int) -> bool:
    """Return whether a stamp [ns] is positive and within range."""
    return 0 < stamp <= MAX_STAMP


# ---- How a part of the software is: what diagnostics report

class Level(IntEnum):
    """As diagnostic_msgs/DiagnosticStatus numbers them."""

    OK = 0
    WARN = 1
    ERROR = 2
    STALE = 3


@dataclass(frozen=True)
class Status:
    """One part of the node: how it is, in a short sentence, and the values behind it."""

    part: str
    level: Level
    message: str
    values: dict[str, str]


# ---- The version of this package, the same as in package.xml

__version__ = '0.1.0'


# ---- What the numbers of a report come from: program, command, date, URDF with its hash, efforts

# where the efforts come from that the computed ones are compared with
EffortSource: TypeAlias = Literal['measured', 'simulated']
EFFORT_SOURCES: tuple[EffortSource, ...] = ('measured', 'simulated')
_HASH_LETTERS = 12


@dataclass(frozen=True)
class Origin:
    """Origin of a report: what it is about, by name, and where its efforts come from."""

    efforts: EffortSource = 'measured'
    facts: dict[str, str] = field(default_factory=dict)

    @property
    def lines(self) -> list[str]:
        """A line for each fact, with a short hash."""
        return [f'{name.replace("_", " ")}: '
                f'{value[:_HASH_LETTERS] if name.endswith("sha256") else value}'
                for name, value in self.facts.items()]


NO_ORIGIN = Origin()


def facts(command: str, urdf: str = '', text: str | bytes = '') -> dict[str, str]:
    """Return program, command and date, and a URDF, if there is one, with the hash of its text."""
    now = datetime.now(timezone.utc)
    values = {'program': f'urdf2dyn_ros {__version__}', 'command': command,
              'date': f'{now:%Y-%m-%d %H:%M:%S} UTC'}
    if urdf:
        data = text if isinstance(text, bytes) else text.encode()
        values |= {'urdf': urdf, 'urdf_sha256': hashlib.sha256(data).hexdigest()}
    return values


def typed_command() -> str:
    """Return the command of this process as it could be typed."""
    return shlex.join(['urdf2dyn', *sys.argv[1:]])
