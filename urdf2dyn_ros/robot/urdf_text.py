"""
The text of a robot description, edited: no byte changes but those of the edited elements.

`EditableText` finds the elements of the XML tree in its text.
"""

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from urdf2dyn_ros.errors import ParameterError
from urdf2dyn_ros.robot.document import (
    Description,
    Element,
    codec_of,
    parse_document,
)

_TOKEN = re.compile(
    r"""<!--.*?-->|<\?.*?\?>|<!\[CDATA\[.*?\]\]>
    |<(?P<end>/?)(?P<name>[^\s/>!?]+)(?:[^>"']|"[^"]*"|'[^']*')*>""", re.DOTALL | re.VERBOSE)
_ATTRIBUTE = re.compile(r"""([^\s=]+)\s*=\s*("[^"]*"|'[^']*')""")
_INDENT = re.compile(r'(?:\r\n|[\r\n])([ \t]*)\Z')

Edit = tuple[int, int, str]
"""Beginning and end of a part of a text, and what replaces it."""

Tag = tuple[str, str]
"""Name of an element, and its attributes as text that begins with a blank."""


@dataclass
class Place:
    """An element as offsets in the text; those of its end tag are `opened` in `<a/>`."""

    name: str   # with its prefix, if there is one
    start: int   # beginning of its start tag
    opened: int   # end of its start tag
    closed: int = -1   # beginning of its end tag
    end: int = -1   # end of its end tag


def places(text: str) -> list[Place]:
    """Return the elements of a well-formed text without a DOCTYPE, in the order of their tags."""
    elements: list[Place] = []
    unclosed: list[Place] = []
    for token in _TOKEN.finditer(text):
        if token['name'] is None:
            continue
        if token['end']:
            place = unclosed.pop()
            place.closed, place.end = token.span()
            continue
        place = Place(token['name'], *token.span())
        elements.append(place)
        if text[place.opened - 2] == '/':
            place.closed = place.end = place.opened
        else:
            unclosed.append(place)
    return elements


def attributes_of(text: str, place: Place) -> dict[str, tuple[int, int]]:
    """Return the offsets of each attribute's value, without its quotes."""
    begin = place.start + 1 + len(place.name)
    return {match[1]: (match.start(2) + 1, match.end(2) - 1)
            for match in _ATTRIBUTE.finditer(text, begin, place.opened)}


def indent_of(text: str, offset: int) -> str | None:
    """Return the blanks from a line's beginning to an offset; None for more than blanks."""
    line = _INDENT.search(text[max(0, offset - 200):offset])
    return line[1] if line else None


def edited(text: str, edits: Iterable[Edit]) -> str:
    """Return the text with the parts from start to end replaced; no two of them overlap."""
    parts, at = [], 0
    for start, end, new in sorted(edits):
        parts += [text[at:start], new]
        at = end
    return ''.join([*parts, text[at:]])


class Layout:
    """The end of line and the indentation of a text, which new elements continue."""

    def __init__(self, text: str, first: Place | None) -> None:
        """`first` is the first child of the root, whose indentation is that of a level."""
        self._text = text
        self._end_of_line = next(iter(re.findall(r'\r\n|\n|\r', text)), '\n')
        self._unit = None if first is None else indent_of(text, first.start)

    def inserted(self, parent: Place, children: Sequence[Place], lines: Sequence[Tag],
                 first: bool) -> Edit:
        """
        Return the edit that adds an element to a parent, as first or last of its children.

        It is the first of the lines; the others are its own children. In a text without lines it
        is added without blanks.
        """
        near = children[0 if first else -1] if children else None
        indent = self._indent_of_children(parent, near)
        step = '' if indent is None else self._end_of_line + indent
        new = self._nested(parent, lines, step)
        if near is not None:
            at = near.start if first else near.end
            return at, at, f'{new}{step}' if first else f'{step}{new}'
        ending = '' if indent is None else self._end_of_line + (
            indent_of(self._text, parent.start) or '')
        if parent.end == parent.opened:   # <a/>
            slash = len(self._text[:parent.opened - 2].rstrip())
            return slash, parent.end, f'>{step}{new}{ending}</{parent.name}>'
        content = self._text[parent.opened:parent.closed]
        return parent.opened, parent.opened, f'{step}{new}' + (
            '' if re.match(r'[ \t]*[\r\n]', content) else ending)

    def _indent_of_children(self, parent: Place, near: Place | None) -> str | None:
        """Return the blanks before a child in a line of its own; None for the same line."""
        if near is not None:
            return indent_of(self._text, near.start)
        own = indent_of(self._text, parent.start)
        return None if own is None or self._unit is None else own + self._unit

    def _nested(self, parent: Place, lines: Sequence[Tag], step: str) -> str:
        prefix = ''.join(parent.name.rpartition(':')[:2])
        (name, attributes), *children = lines
        if not children:
            return f'<{prefix}{name}{attributes}/>'
        deeper = step + (self._unit or '') if step else ''
        parts = [f'{deeper}<{prefix}{child}{values}/>' for child, values in children]
        return f'<{prefix}{name}{attributes}>{"".join(parts)}{step}</{prefix}{name}>'


class EditableText:
    """A description with the places of its elements; UrdfError if it is no XML."""

    def __init__(self, text: str) -> None:
        self.text = text
        root = parse_document(text)
        self.description = Description(root)
        self.places: dict[Element, Place] = dict(zip(root.iter('*'), places(text), strict=True))


def rewritten(text: bytes, edit: Callable[[str], str]) -> bytes:
    """
    Return an edited text in its own encoding.

    A UrdfError if its bytes are not those of its encoding, a ParameterError if that has no unique
    bytes.
    """
    codec = codec_of(text)
    try:
        source = text.decode(codec)
    except UnicodeDecodeError:
        parse_document(text)   # which says where
        raise
    if source.encode(codec) != text:
        raise ParameterError(f'this text in {codec} has bytes that another writer would not write:'
                             ' save it as UTF-8')
    return edit(source).encode(codec)
