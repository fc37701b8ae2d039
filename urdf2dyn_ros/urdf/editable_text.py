"""An XML text of a robot whose elements are found in it, and edits of them."""

from collections.abc import Callable

from urdf2dyn_ros.errors import ParameterError, Problem
from urdf2dyn_ros.urdf.description import Description, Element, line_of
from urdf2dyn_ros.urdf.document import codec_of, parse_document
from urdf2dyn_ros.urdf.findings import place_of
from urdf2dyn_ros.urdf.reader import drop_namespace
from urdf2dyn_ros.urdf.text_places import Edit, Place, attributes_of, places


class EditableText:
    """A description with the places of its elements; UrdfError if it is no XML."""

    def __init__(self, text: str) -> None:
        self.text = text
        root = parse_document(text)
        drop_namespace(root)
        self.description = Description(root)
        self.places: dict[Element, Place] = dict(zip(root.iter('*'), places(text), strict=True))

    def element(self, problem: Problem) -> tuple[Element, str] | None:
        """Return the element that has a problem, and its attribute or an empty text."""
        for element in self.places:
            if line_of(element) == problem.line:
                for attribute in ('', *element.attrib):
                    if place_of(element, str(attribute)) == problem.element:
                        return element, str(attribute)
        return None

    def with_values(self, element: Element, values: dict[str, str]) -> list[Edit]:
        """Return the edits that give attributes their values."""
        place = self.places[element]
        there = attributes_of(self.text, place)
        last = place.start + 1 + len(place.name)
        return [(*there[name], value) if name in there else (last, last, f' {name}="{value}"')
                for name, value in values.items()]

    def with_text(self, element: Element, content: str) -> list[Edit]:
        """Return the edit that replaces the content of an element."""
        place = self.places[element]
        return [(place.opened, place.closed, content)] if place.closed > place.opened else []


def decoded_text(text: str | bytes) -> str:
    """Return a description as text; UrdfError if its bytes are not those of its encoding."""
    if isinstance(text, str):
        return text
    try:
        return text.decode(codec_of(text))
    except UnicodeDecodeError:
        parse_document(text)   # which says where
        raise


def rewritten(text: bytes, edit: Callable[[str], str]) -> bytes:
    """Return an edited text in its own encoding; ParameterError if that has no unique bytes."""
    codec, source = codec_of(text), decoded_text(text)
    if source.encode(codec) != text:
        raise ParameterError(f'this text in {codec} has bytes that another writer would not write:'
                             ' save it as UTF-8')
    return edit(source).encode(codec)
