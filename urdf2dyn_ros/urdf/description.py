"""A view of a robot's XML tree: its links, joints and numbers, unchecked."""

from functools import cached_property
from typing import cast

from lxml import etree

from urdf2dyn_ros.urdf.numbers import read_numbers
from urdf2dyn_ros.urdf.schema import CHILDREN, NUMBER_ATTRIBUTES

Element = etree._Element  # lxml gives its element type no public name


class Description:
    """The robot element, its links, joints and forces in file order, and the first of a name."""

    def __init__(self, robot: Element) -> None:
        self.robot = robot
        self.links, self.joints, self.forces = (
            tuple(robot.iterchildren(tag)) for tag in ('link', 'joint', 'force'))
        self.link_of, self.joint_of = map(_first_by_name, (self.links, self.joints))

    @property
    def is_small(self) -> bool:
        """Whether comparing every name with every other takes little time."""
        return max(len(self.links), len(self.joints)) <= 200

    @cached_property
    def elements(self) -> tuple[Element, ...]:
        """Every element of the schema, in the order of the file."""
        elements, stack = [], [self.robot]
        while stack:
            element = stack.pop()
            elements.append(element)
            stack += reversed(children(element))
        return tuple(elements)


def _first_by_name(elements: tuple[Element, ...]) -> dict[str, Element]:
    first: dict[str, Element] = {}
    for element in elements:
        first.setdefault(name_of(element), element)
    return first


def children(element: Element) -> list[Element]:
    """Return the children that are in the schema."""
    tags = CHILDREN.get(str(element.tag), ())
    return list(element.iterchildren(*tags)) if tags else []


def ignored(robot: Description) -> list[str]:
    """Return the tags of ignored elements, each once, in alphabetical order."""
    tags = {str(child.tag) for element in robot.elements for child in element.iterchildren('*')
            if child.tag not in CHILDREN.get(str(element.tag), ())}
    return sorted(tags - {'transmission'})


def name_of(element: Element) -> str:
    """Return the name of a link, joint or the like; empty where it has none."""
    return element.get('name', '')


def line_of(element: Element) -> int | None:
    """Return the line in the text, from 1."""
    return cast('int | None', element.sourceline)


def type_of(joint: Element) -> str:
    """Return the type of a joint; empty where it has none."""
    return joint.get('type', '')


def end_of(joint: Element, tag: str) -> str:
    """Return the name of a joint's parent or child link; empty where it is missing."""
    end = joint.find(tag)
    return '' if end is None else end.get('link', '')


def numbers(element: Element | None, attribute: str) -> tuple[float, ...] | None:
    """Return the numbers of an attribute; None if it is missing, or faulty as a rule reports."""
    if element is None or (text := element.get(attribute)) is None:
        return None
    try:
        return read_numbers(text, NUMBER_ATTRIBUTES[str(element.tag)][attribute])
    except ValueError:
        return None


def number(element: Element | None, attribute: str) -> float | None:
    """Return an attribute's single number; None as in `numbers`."""
    values = numbers(element, attribute)
    return values[0] if values else None
