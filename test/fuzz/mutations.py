"""Random mutations of a URDF, as by people, editors, programs and attackers."""

import re
from collections.abc import Callable
from copy import deepcopy
from random import Random

from lxml import etree

from urdf2dyn_ros.robot.document import (
    ATTRIBUTES,
    CHILDREN,
    NUMBER_ATTRIBUTES,
    REDUCTION_TAGS,
    Element,
)
from urdf2dyn_ros.robot.joints import URDF_TYPES

NUMBERS = ('0', '-0', '1', '-1', '1e400', '1e-320', '1e308', '-1e308', '1e154', 'nan', '-inf',
           '1,5', '1_0', '0x10', '١', '', ' ', '1 2', '0 0 0', '0 0 5', '1e-9 0 0', '1 1 1 1',
           '\t2\n', '3.141592653589793', '9' * 400, '1e99999999999', '1e-99999999999', '.', '+')
NAMES = ('', ' ', 'base', 'a joint', "it's", 'say "so"', 'two\nlines', ';import os', '"""',
         'back\\slash', 'class', 'q1', 'ｊ1', 'j1', '\u202egnp', '\u200b', '関節', '{0}', '%s',
         'j/x', 'j/theta', 'a' * 300, '${x}', '$(arg y)', '__import__("os")', '\x85', '\u2028')
TAGS = (*CHILDREN, *sorted({tag for tags in CHILDREN.values() for tag in tags}), 'gazebo',
        'visual', 'transmission')
TOKENS = (b'<', b'>', b'"', b'&', b'&#0;', b'&x;', b'&#x110000;', b'\0', b'\xff', b'\xed\xa0\x80',
          b'<!DOCTYPE robot [<!ENTITY x "y">]>', b'<!DOCTYPE robot SYSTEM "file:///etc/passwd">',
          b'<?xml version="1.0" encoding="latin-1"?>', b'<?xml version="1.1"?>', b'<![CDATA[',
          b']]>', b'<!--', b'-->', b'<xacro:macro/>', b' xmlns="urn:x"', b' xmlns:xacro="x"',
          b'<a>' * 120, b'</robot>', b'\r', b'\xef\xbb\xbf', b'${x}')
ENCODINGS = ('utf-16', 'utf-32-be', 'utf-8-sig', 'utf-16-le', 'latin-1')

Stroke = Callable[[Element, Random], None]


def mutate(data: bytes, random: Random) -> bytes:
    """Return a text after some strokes of bad luck, most of them with its elements."""
    root = _parsed(data)
    if root is None or random.random() < 0.1:
        return _bytes(data, random)
    for _ in range(random.choice((1, 1, 2, 4))):
        random.choice(STROKES)(root, random)
    return etree.tostring(root, encoding='utf-8')


def cross(data: bytes, other: bytes, random: Random) -> bytes:
    """Return a text with some elements of another one."""
    root, donor = _parsed(data), _parsed(other)
    if root is None or donor is None:
        return data
    for _ in range(random.randint(1, 3)):
        random.choice(list(root.iter('*'))).append(deepcopy(random.choice(list(donor.iter('*')))))
    return etree.tostring(root, encoding='utf-8')


def reduced(data: bytes) -> bytes:
    """Return a URDF without what dynamics does not look at."""
    root = _parsed(data)
    if root is None:
        return data
    for element in list(root.iter()):
        parent = element.getparent()
        if parent is not None and element.tag not in CHILDREN.get(str(parent.tag), ()):
            parent.remove(element)
    return etree.tostring(root, encoding='utf-8')


def _parsed(data: bytes) -> Element | None:
    parser = etree.XMLParser(resolve_entities=False, no_network=True, remove_comments=True)
    try:
        return etree.fromstring(data, parser)
    except (etree.XMLSyntaxError, ValueError):
        return None


def _bytes(data: bytes, random: Random) -> bytes:
    """Return a text that an editor, a cable or an attacker has spoilt."""
    start, end = sorted(random.randint(0, len(data)) for _ in range(2))
    kind = random.randrange(5)
    if kind == 0:
        return data[:start] + random.choice(TOKENS) + data[start:]
    if kind == 1:
        return data[:start] + random.randbytes(random.randint(1, 8)) + data[start + 1:]
    if kind == 2:
        return data[:start] + data[end:]
    if kind == 3:
        return data[:end] + data[start:end][:2000] + data[end:]
    text = data.decode('utf-8', 'replace')
    return text.encode(random.choice(ENCODINGS), 'replace')


def _value(root: Element, random: Random) -> None:
    element = _any(root, random, '*')
    if element is not None and element.attrib:
        name = random.choice(element.attrib.keys())
        others = [other.get(name, '') for other in root.iter('*') if name in other.attrib]
        element.set(name, random.choice((random.choice(NUMBERS), random.choice(NAMES),
                                         random.choice(others))))


def _number(root: Element, random: Random) -> None:
    element = _any(root, random, *NUMBER_ATTRIBUTES)
    if element is None or not element.attrib:
        return
    name = random.choice(element.attrib.keys())
    words = element.get(name, '').split() or ['1']
    k = random.randrange(len(words))
    words[k] = random.choice((random.choice(NUMBERS), f'-{words[k]}',
                              re.sub('e.*', '', words[k]) + f'e{random.randint(-330, 330)}'))
    element.set(name, ' '.join(words))


def _rename(root: Element, random: Random) -> None:
    """Give a link or joint another name wherever it is named, so that nothing else is wrong."""
    element = _any(root, random, 'link', 'joint')
    if element is None:
        return
    old, new = element.get('name'), random.choice(NAMES)
    names = ('name', 'link') if element.tag == 'link' else ('name', 'joint')
    for other in root.iter('*'):
        for name in names:
            if other.get(name) == old and (name != 'name' or other.tag == element.tag):
                other.set(name, new)


def _type(root: Element, random: Random) -> None:
    joint = _any(root, random, 'joint')
    if joint is not None:
        joint.set('type', random.choice((*URDF_TYPES, *URDF_TYPES, 'ball', 'Fixed')))


def _reattach(root: Element, random: Random) -> None:
    end, link = _any(root, random, 'parent', 'child'), _any(root, random, 'link')
    if end is not None and link is not None:
        end.set('link', link.get('name', ''))


def _mimic(root: Element, random: Random) -> None:
    joint, other = _any(root, random, 'joint'), _any(root, random, 'joint')
    if joint is not None and other is not None:
        mimic = etree.SubElement(joint, 'mimic', joint=other.get('name', ''))
        mimic.set('multiplier', random.choice(NUMBERS))


def _transmission(root: Element, random: Random) -> None:
    """Give joints gears: one, several, or something like one."""
    place = etree.SubElement(root, 'ros2_control') if random.random() < 0.3 else root
    gears = etree.SubElement(place, 'transmission', name=random.choice(NAMES[1:6]))
    joint = _any(root, random, 'joint')
    name = random.choice(NAMES[:6]) if joint is None else joint.get('name', '')
    for tag in random.choices(('joint', 'actuator'), k=random.randint(1, 3)):
        part = etree.SubElement(gears, tag, name=name)
        reduction = etree.SubElement(random.choice((gears, part)), random.choice(REDUCTION_TAGS))
        reduction.text = random.choice(('100', '-2.5', random.choice(NUMBERS)))


def _add(root: Element, random: Random) -> None:
    parent = _any(root, random, *CHILDREN)
    if parent is not None:
        child = etree.SubElement(parent, random.choice(CHILDREN[str(parent.tag)]))
        for name in ATTRIBUTES[str(child.tag)]:
            if random.random() < 0.7:
                child.set(name, random.choice((random.choice(NUMBERS), '1 0 0', '2')))


def _drop(root: Element, random: Random) -> None:
    element = _any(root, random, '*')
    if element is not None and (parent := element.getparent()) is not None:
        parent.remove(element)


def _drop_attribute(root: Element, random: Random) -> None:
    element = _any(root, random, '*')
    if element is not None and element.attrib:
        del element.attrib[random.choice(element.attrib.keys())]


def _copy(root: Element, random: Random) -> None:
    element, place = _any(root, random, '*'), _any(root, random, '*')
    if element is not None and place is not None:
        place.append(deepcopy(element))


def _swap(root: Element, random: Random) -> None:
    one = _any(root, random, '*')
    other = None if one is None else _any(root, random, str(one.tag))
    if one is not None and other is not None:
        kept, given = dict(one.attrib), dict(other.attrib)
        for element, values in ((one, given), (other, kept)):
            element.attrib.clear()
            element.attrib.update(values)


def _retag(root: Element, random: Random) -> None:
    element = _any(root, random, '*')
    if element is not None:
        element.tag = random.choice(TAGS)


STROKES: tuple[Stroke, ...] = (
    _value, _value, _number, _number, _number, _rename, _rename, _type, _reattach, _mimic, _add,
    _transmission, _drop, _drop_attribute, _copy, _swap, _retag)


def _any(root: Element, random: Random, *tags: str) -> Element | None:
    elements = list(root.iter(*tags))
    return random.choice(elements) if elements else None
