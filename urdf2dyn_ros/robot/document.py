"""
A robot description as an XML tree: parsed safely, a view of its links, joints and numbers, and
problems with their place in it.

Texts are untrusted: no DOCTYPE, no network, no files, bounded. The view has the part of URDF that
dynamics needs; all other elements (visual, collision, gazebo, ros2_control, unknown ones) are
ignored. What a rule reports as faulty is None or empty in it.
"""

import codecs
import math
import re
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import replace
from functools import cached_property
from typing import cast
from xml.parsers import expat

from lxml import etree

from urdf2dyn_ros.errors import Problem, UrdfError
from urdf2dyn_ros.robot.joints import URDF_TYPES, UrdfType
from urdf2dyn_ros.robot.spatial import LARGEST_MAGNITUDE, SMALLEST_DIVISOR, TENSOR
from urdf2dyn_ros.text import escaped, quote

Element = etree._Element  # lxml gives its element type no public name

MAX_BYTES = 10_000_000
MAX_DEPTH = 100
MAX_LINKS = 5000

# First bytes of a text, and its codec; longer ones first, as UTF-32's begin with UTF-16's.
_SIGNATURES = (
    (codecs.BOM_UTF32_LE, 'utf-32-le'),
    (codecs.BOM_UTF32_BE, 'utf-32-be'),
    (codecs.BOM_UTF8, 'utf-8'),
    (codecs.BOM_UTF16_LE, 'utf-16-le'),
    (codecs.BOM_UTF16_BE, 'utf-16-be'),
    (b'<\0', 'utf-16-le'),
    (b'\0<', 'utf-16-be'),
)
# Codecs that a declaration may name; Python has many more, some of which are no encodings.
_ENCODINGS = re.compile(r'utf-8|ascii|iso8859-\d+|cp125\d|koi8-.|gb\w+|euc_\w+|shift_jis|big5')
_DECLARED = re.compile(rb'\s*<\?xml[^>]*?encoding\s*=\s*["\']([A-Za-z][\w.-]*)["\']', re.ASCII)
_DECLARATION = re.compile(r'\s*<\?xml\s[^>]*\?>')
# What may precede the root element, hence a DOCTYPE.
_PROLOG = re.compile(r'[ \t\r\n]+|<\?.*?\?>|<!--.*?-->', re.DOTALL)
# what is often downloaded in the place of a file
_OTHER_FILES = {
    '<!doctype html': 'a web page, not a URDF: download the file itself, as its button Raw does',
    'version https://git-lfs': 'a pointer of Git LFS, not the file: git lfs pull fetches it'}
_UNDECLARED = etree.ErrorTypes.NS_ERR_UNDEFINED_NAMESPACE   # a prefix without xmlns


def parse_document(text: str | bytes) -> Element:
    """
    Return the root element, or raise an UrdfError with what prevents reading the text.

    <robot xmlns="..."> is <robot>, as for parsers that ignore namespaces.
    """
    if len(text) > MAX_BYTES:
        raise _error('too-large', f'{len(text)} bytes; at most {MAX_BYTES} are read')
    decoded = (text if isinstance(text, str) else _decode(text)).lstrip('\ufeff')
    if '\0' in decoded:
        raise _error_at('xml', decoded, decoded.index('\0'), 'a NUL character is not XML')
    start = _prolog_end(decoded)
    for begin, what in _OTHER_FILES.items():
        if decoded[start:].lower().startswith(begin):
            raise _error('xml', what, 1)
    if decoded[start:start + 9].upper() == '<!DOCTYPE':   # before any parser reads its entities
        raise _error_at('doctype', decoded, start, 'a DOCTYPE is rejected (entities, external '
                        'files); a URDF needs none, delete it')
    declaration = _DECLARATION.match(decoded)   # of the encoding, which is decoded; lines stay
    end = declaration.end() if declaration else 0
    # parsers of XML make a blank of a line's end in a number, and urdfdom reads no number there
    written = _NUMBER_ATTRIBUTE.sub(
        lambda found: found[1] + found[2].translate(_REFERENCES_OF_BLANKS)
        + '\n' * found[2].count('\n'), decoded[end:])
    root = _parse(re.sub(r'[^\n]', ' ', decoded[:end]) + written)
    depth = 0
    for event, element in etree.iterwalk(root, events=('start', 'end')):
        depth += 1 if event == 'start' else -1
        if depth > MAX_DEPTH:
            raise _too_deep(line_of(element), f'the limit {MAX_DEPTH}')
    if namespace := etree.QName(root).namespace:
        for element in root.iter(f'{{{namespace}}}*'):
            element.tag = etree.QName(element).localname
    return root


def codec_of(data: bytes) -> str:
    """Return a text's codec by its first bytes, which stay in the text, or raise an UrdfError."""
    codec = next((name for mark, name in _SIGNATURES if data.startswith(mark)), '')
    declared = _DECLARED.match(data[:200])
    if not codec:
        codec = declared[1].decode() if declared else 'utf-8'
        try:
            known = _ENCODINGS.fullmatch(codecs.lookup(codec).name)
        except LookupError:
            known = None
        if re.match('utf-?(16|32)', codec, re.IGNORECASE):
            raise _error('encoding', f'the first line declares {quote(codec)}, but the text does '
                         'not have that encoding; if it is UTF-8, declare UTF-8', 1)
        if not known:
            raise _error('encoding', f'encoding {quote(codec)} is not supported; save as UTF-8', 1)
    return codec


def _decode(data: bytes) -> str:
    codec = codec_of(data)
    try:
        return data.decode(codec)
    except UnicodeDecodeError as error:
        byte, line = data[error.start], data.count(b'\n', 0, error.start) + 1
        if b'<' not in data[:error.start]:
            raise _error('encoding', f'byte 0x{byte:02x} at offset {error.start}: no text, and so '
                         'no URDF; is it a recording, a mesh or an archive?', line) from None
        raise _error('encoding', f'byte 0x{byte:02x} at offset {error.start} is not {codec}; save '
                     'the text as UTF-8 or declare its encoding in the first line', line) from None


def _prolog_end(text: str) -> int:
    position = 0
    while prolog := _PROLOG.match(text, position):
        position = prolog.end()
    return position


def _parse(text: str) -> Element:
    try:
        data = text.encode()
    except UnicodeEncodeError as error:
        raise _error_at('encoding', text, error.start,
                        'a lone surrogate is no character') from None

    def parser(recover: bool) -> etree.XMLParser:
        return etree.XMLParser(encoding='utf-8', resolve_entities=False, no_network=True,
                               load_dtd=False, huge_tree=False, recover=recover)

    try:
        return etree.fromstring(data, parser(recover=False))
    except etree.XMLSyntaxError as error:
        fault = _syntax_error(error, text)
        if error.code != _UNDECLARED:   # type: ignore[attr-defined]
            raise fault from None
    # urdfdom and what reads <gazebo> know no namespaces: a prefix in it need not be declared
    try:
        expat.ParserCreate('utf-8').Parse(data, True)   # recovery drops what follows the root
    except expat.ExpatError:
        raise fault from None
    lenient = parser(recover=True)
    root = etree.fromstring(data, lenient)
    prefixed = [(element, name) for element in root.iter('*')
                for name in map(str, (element.tag, *element.attrib)) if re.match('[^{]+:', name)]
    if any(entry.type != _UNDECLARED for entry in lenient.error_log) or any(
            name.startswith('xacro:') or next(element.iterancestors('gazebo'), None) is None
            for element, name in prefixed):
        raise fault
    return root


def _syntax_error(error: etree.XMLSyntaxError, text: str) -> UrdfError:
    line, column = error.position
    reason = re.sub(r'\s*, line \d+, column \d+$', '', error.msg or 'not well-formed')
    if reason.startswith('Excessive depth'):
        return _too_deep(line, 'the limit of the parser')
    if not text.strip():
        return _error('xml', f'column {column}: the text is empty; a URDF begins with <robot>', 1)
    remedy = 'the text must be well-formed XML'
    if '<' not in text and len(text.splitlines()) == 1:
        remedy += ('; if this is the path of a file: read_urdf(path) reads one that exists, and '
                   'so does a node with the argument FILE')
    if 'prefix xacro' in reason:
        remedy = 'this is xacro, not URDF: run xacro on it first'
    # the parser's message may have names of the text in it
    reason = f'{escaped(reason, 200)}; {remedy}{_near(text, line, column)}'
    return _error('xml', f'column {column}: {reason}', line)


def _too_deep(line: int | None, limit: str) -> UrdfError:
    return _error('too-deep', f'elements nested deeper than {limit}; a URDF needs six', line)


def _near(text: str, line: int, column: int) -> str:
    """Return an excerpt of 40 characters around a place, for a message."""
    lines = text.split('\n')
    content = lines[line - 1].strip('\r') if 0 < line <= len(lines) else ''
    start = max(0, min(column - 20, len(content) - 40))
    excerpt = content[start:start + 40].strip()
    return f', near {quote(excerpt)}' if excerpt else ''


def _error_at(code: str, text: str, offset: int, reason: str) -> UrdfError:
    line = text.count('\n', 0, offset) + 1
    column = offset - (text.rfind('\n', 0, offset) + 1) + 1
    return _error(code, f'column {column}: {reason}{_near(text, line, column)}', line)


def _error(code: str, message: str, line: int | None = None) -> UrdfError:
    return UrdfError([Problem(code, message, line=line)])


TENSOR_ATTRIBUTES = tuple(f'i{entry}' for entry in TENSOR)

# Children by tag; each may occur once in its parent, except for those of the robot. ``<force>``, a
# constant wrench on a link, is an extension of URDF.
CHILDREN = {
    'robot': ('link', 'joint', 'force'),
    'link': ('inertial',),
    'inertial': ('origin', 'mass', 'inertia'),
    'joint': ('origin', 'parent', 'child', 'axis', 'limit', 'dynamics', 'mimic'),
}

REQUIRED_CHILDREN = {'inertial': ('mass', 'inertia'), 'joint': ('parent', 'child')}

_REFERENCES = {'parent': ('link',), 'child': ('link',), 'mimic': ('joint',), 'force': ('link',)}

NAME_ATTRIBUTES = {
    'robot': ('name',), 'link': ('name',), 'joint': ('name', 'type'), **_REFERENCES}

# Numeric attributes by tag, with the count of their numbers.
NUMBER_ATTRIBUTES = {
    'origin': {'xyz': 3, 'rpy': 3, 'quat_xyzw': 4},
    'mass': {'value': 1},
    'inertia': dict.fromkeys(TENSOR_ATTRIBUTES, 1),
    'axis': {'xyz': 3},
    'limit': dict.fromkeys(('lower', 'upper', 'effort', 'velocity', 'acceleration',
                            'deceleration', 'jerk'), 1),
    'dynamics': {'damping': 1, 'friction': 1},
    'mimic': {'multiplier': 1, 'offset': 1},
    'force': {'xyz': 3, 'rpy': 3, 'force': 3, 'torque': 3},
}

REQUIRED_ATTRIBUTES = {
    'joint': ('type',), 'mass': ('value',), 'inertia': TENSOR_ATTRIBUTES, 'axis': ('xyz',),
    **_REFERENCES}

# All attributes by tag.
ATTRIBUTES = {tag: (*NAME_ATTRIBUTES.get(tag, ()), *NUMBER_ATTRIBUTES.get(tag, ()))
              for tag in (*NAME_ATTRIBUTES, *NUMBER_ATTRIBUTES, 'inertial')}

TRANSPOSED = {'iyx': 'ixy', 'izx': 'ixz', 'izy': 'iyz'}   # of a tensor written row by row

_NUMBER_ATTRIBUTE = re.compile(
    '(\\s(?:' + '|'.join({name for names in NUMBER_ATTRIBUTES.values() for name in names})
    + ')\\s*=\\s*)("[^"<]*"|\'[^\'<]*\')')
_REFERENCES_OF_BLANKS = {ord(blank): f'&#{ord(blank)};' for blank in '\t\r\n'}

REDUCTION_TAGS = ('mechanicalReduction', 'mechanical_reduction')


class Description:
    """
    The robot element, its links, joints and forces in file order, and the first of a name.

    `parent_of` and `child_of` have the names of a joint's links, empty where they are missing.
    """

    def __init__(self, robot: Element) -> None:
        self.robot = robot
        self.links, self.joints, self.forces = (
            tuple(robot.iterchildren(tag)) for tag in ('link', 'joint', 'force'))
        self.link_of: dict[str, Element] = {}
        self.joint_of: dict[str, Element] = {}
        for elements, first in ((self.links, self.link_of), (self.joints, self.joint_of)):
            for element in elements:
                first.setdefault(name_of(element), element)
        self.parent_of, self.child_of = (
            {joint: '' if (end := joint.find(tag)) is None else end.get('link', '')
             for joint in self.joints} for tag in ('parent', 'child'))
        self._numbers: dict[tuple[Element, str], tuple[float, ...] | None] = {}

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

    def numbers(self, element: Element | None, attribute: str) -> tuple[float, ...] | None:
        """Return the numbers of an attribute; None if it is missing, or faulty for a rule."""
        if element is None or (text := element.get(attribute)) is None:
            return None
        key = element, attribute
        if key not in self._numbers:   # many rules ask for the same one
            try:
                count = NUMBER_ATTRIBUTES[str(element.tag)][attribute]
                self._numbers[key] = read_numbers(text, count)
            except ValueError:
                self._numbers[key] = None
        return self._numbers[key]

    def number(self, element: Element | None, attribute: str) -> float | None:
        """Return an attribute's single number; None as in `numbers`."""
        values = self.numbers(element, attribute)
        return values[0] if values else None


def rpy_of(quaternion: tuple[float, ...]) -> tuple[float, float, float]:
    """Return roll, pitch and yaw [rad] of a quaternion x, y, z, w of any length but zero."""
    size = max(map(abs, quaternion))   # against overflow
    x, y, z, w = (entry / size for entry in quaternion)
    # the rotation matrix's first column, times the norm squared
    first, second, third = w*w + x*x - y*y - z*z, 2 * (x*y + w*z), 2 * (w*y - x*z)
    pitch = math.atan2(third, math.hypot(first, second))
    if math.hypot(first, second) < 1e-9 * (w*w + x*x + y*y + z*z):   # roll and yaw are one
        return 0.0, pitch, math.atan2(2 * (w*z - x*y), w*w - x*x + y*y - z*z)
    roll = math.atan2(2 * (w*x + y*z), w*w - x*x - y*y + z*z)
    return roll, pitch, math.atan2(second, first)


def children(element: Element) -> list[Element]:
    """Return the children that are in the schema; an axis only where the joint has one."""
    tags = CHILDREN.get(str(element.tag), ())
    if element.tag == 'joint' and not type_of(element).axial:
        tags = tuple(tag for tag in tags if tag != 'axis')   # as urdfdom does
    return list(element.iterchildren(*tags)) if tags else []


def name_of(element: Element) -> str:
    """Return the name of a link, joint or the like; empty where it has none."""
    return element.get('name', '')


def line_of(element: Element) -> int | None:
    """Return the line in the text, from 1."""
    return cast('int | None', element.sourceline)


def tag_of(element: Element) -> str:
    """Return the tag as it is written, with its prefix."""
    name = etree.QName(element).localname
    return f'{element.prefix}:{name}' if element.prefix else name


def type_of(joint: Element) -> UrdfType:
    """Return the type of a joint; where that is unknown, one with a coordinate and an axis."""
    return URDF_TYPES.get(joint.get('type', ''), URDF_TYPES['continuous'])


# Plain ASCII decimals. Python's own float() accepts more than a URDF may have: nan, inf, 1_0,
# digits of other scripts, and 1e400 as inf.
_SPACE = '[ \t\r\n]'
_NUMBER = r'[+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?'
_NUMBERS = {count: re.compile(rf'{_SPACE}*{_NUMBER}(?:{_SPACE}+{_NUMBER}){{{count - 1}}}{_SPACE}*')
            for count in (1, 3, 4)}

# Common mistakes, and the remedy for each; the first match counts.
_REMEDIES = (
    (re.compile(r'^[+-]?(?:nan|inf)', re.IGNORECASE), 'it must be finite'),
    (re.compile(','), 'the decimal mark is a point and numbers are separated by blanks'),
    (re.compile('_'), 'write it without underscores'),
    (re.compile(r'^[+-]?0[xX]'), 'write it in decimal'),
    (re.compile(r'^[+-]?\d', re.ASCII), 'write digits only, no unit nor anything else'),
    (re.compile(''), 'write it like 0.25 or 2.5e-1, in ASCII digits'),
)


def read_numbers(text: str, count: int) -> tuple[float, ...]:
    """Return the finite numbers of a text, one, three or four; a ValueError says what is wrong."""
    if not _NUMBERS[count].fullmatch(text):
        parts = [part for part in re.split(f'{_SPACE}+', text) if part]
        for part in parts:
            if not re.fullmatch(_NUMBER, part):
                remedy = next(advice for pattern, advice in _REMEDIES if pattern.search(part))
                raise ValueError(f'not a number; {remedy}')
        required = 'one number is' if count == 1 else f'{count} numbers are'
        raise ValueError(f'{len(parts)} numbers where {required} required, separated by blanks')
    values = tuple(map(float, text.split()))
    if not all(map(math.isfinite, values)):
        raise ValueError('too large; it must be finite in double precision')
    return values


# Gear ratios, wherever the reduction of a <transmission> is written: in the actuator (ROS 1), in
# the joint (ros2_control, whose transmissions are in <ros2_control>) or in the transmission itself
# (PR2). A transmission of several joints or actuators, such as a differential, couples them: none
# of its joints has a gear ratio of its own.


def transmissions(robot: Description) -> Iterator[Element]:
    """Yield every transmission, in the order of the file."""
    for element in robot.robot.iterchildren('transmission', 'ros2_control'):
        if element.tag == 'transmission':
            yield element
        else:
            yield from element.iterchildren('transmission')


def reductions(robot: Description) -> Iterator[tuple[str, Element]]:
    """Yield the name of a joint with a transmission of its own, and a reduction of it."""
    for transmission in transmissions(robot):
        joints = transmission.findall('joint')
        if len(joints) == 1 and len(transmission.findall('actuator')) <= 1:
            for reduction in transmission.iter(*REDUCTION_TAGS):
                yield name_of(joints[0]), reduction


def read_reduction(reduction: Element) -> float:
    """Return the value of a reduction; a ValueError says what is wrong with its text."""
    text = str(reduction.xpath('string()')).strip(' \t\r\n')   # without comments
    try:
        (value,) = read_numbers(text, 1)
        if not SMALLEST_DIVISOR <= abs(value) <= LARGEST_MAGNITUDE:
            raise ValueError(f'it must not be 0 or larger than {LARGEST_MAGNITUDE:g}; write the '
                             'turns of the motor for one of the joint')
    except ValueError as error:
        raise ValueError(f'{quote(text)}: {error}') from None
    return value


def gear_ratios(robot: Description) -> dict[str, float]:
    """Return gear ratios by name of joint: the first readable one of each."""
    ratios: dict[str, float] = {}
    for joint, reduction in reductions(robot):
        with suppress(ValueError):   # a rule reports it
            ratios.setdefault(joint, read_reduction(reduction))
    return ratios


# Problems, with the place of the element in words.

NO_EFFECT = 'no effect'   # of a warning on the efforts


def reject(code: str, element: Element, message: str, attribute: str = '') -> Problem:
    """Return a problem for which the description is rejected."""
    return Problem(code, message, place_of(element, attribute), line_of(element))


def warn(code: str, element: Element, message: str, attribute: str = '', *,
         effect: str) -> Problem:
    """Return a problem that is only reported, with its effect on the efforts."""
    return Problem(code, message, place_of(element, attribute), line_of(element), False, effect)


def merged(problems: Iterable[Problem]) -> Iterator[Problem]:
    """Yield the first of equal problems, its message extended by the elements of the others."""
    every = list(problems)
    for first in every[:1]:
        others = ', '.join(problem.element for problem in every[1:4])
        more = f' and {len(every) - 4} more' if len(every) > 4 else ''
        also = f' (also {others}{more})' if others else ''
        yield replace(first, message=first.message + also)


def place_of(element: Element, attribute: str) -> str:
    """Return where an element is, for instance ``link "arm" <inertial><mass value="1,5">``."""
    text = element.get(attribute) if attribute else None
    value = '' if text is None else f' {attribute}={quote(text)}'
    if element.tag == 'robot':
        return f'<robot{value}>'
    if element.tag == 'force':
        link = '' if attribute == 'link' else f' link={quote(element.get("link", ""))}'
        return f'<force{link}{value}>'
    *path, owner = element, *element.iterancestors('inertial', 'link', 'joint', 'actuator',
                                                   'transmission', 'gazebo')
    place = f'{tag_of(owner)} {quote(name_of(owner) or owner.get("reference", ""))}'
    if not path:
        return place + value
    return f'{place} <' + '><'.join(tag_of(step) for step in reversed(path)) + f'{value}>'
