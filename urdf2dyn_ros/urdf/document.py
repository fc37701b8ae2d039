"""From untrusted text or bytes to an XML tree: no DOCTYPE, no network, no files, bounded."""

import codecs
import re

from lxml import etree

from urdf2dyn_ros.errors import Problem, UrdfError
from urdf2dyn_ros.quoting import escaped, quote
from urdf2dyn_ros.urdf.description import Element, line_of

MAX_BYTES = 10_000_000
MAX_DEPTH = 100

_SIGNATURES = (
    (codecs.BOM_UTF32_LE, 'utf-32-le'),
    (codecs.BOM_UTF32_BE, 'utf-32-be'),
    (codecs.BOM_UTF8, 'utf-8'),
    (codecs.BOM_UTF16_LE, 'utf-16-le'),
    (codecs.BOM_UTF16_BE, 'utf-16-be'),
    (b'<\0', 'utf-16-le'),
    (b'\0<', 'utf-16-be'),
)
"""First bytes of a text, and its codec; longer ones first, as UTF-32's begin with UTF-16's."""

# Codecs that a declaration may name; Python has many more, some of which are no encodings.
_ENCODINGS = re.compile(r'utf-8|ascii|iso8859-\d+|cp125\d|koi8-.|gb\w+|euc_\w+|shift_jis|big5')
_DECLARED = re.compile(rb'\s*<\?xml[^>]*?encoding\s*=\s*["\']([A-Za-z][\w.-]*)["\']', re.ASCII)
_DECLARATION = re.compile(r'\s*<\?xml\s[^>]*\?>')
# What may precede the root element, hence a DOCTYPE.
_PROLOG = re.compile(r'[ \t\r\n]+|<\?.*?\?>|<!--.*?-->', re.DOTALL)


def parse_document(text: str | bytes, max_bytes: int = MAX_BYTES,
                   max_depth: int = MAX_DEPTH) -> Element:
    """Return the root element, or raise an UrdfError with what prevents reading the text."""
    if len(text) > max_bytes:
        raise _error('too-large', f'{len(text)} bytes; the limit max_bytes is {max_bytes}')
    decoded = (text if isinstance(text, str) else _decode(text)).lstrip('\ufeff')
    if '\0' in decoded:
        raise _error_at('xml', decoded, decoded.index('\0'), 'a NUL character is not XML')
    _check_doctype(decoded)
    declaration = _DECLARATION.match(decoded)   # of the encoding, which is decoded; lines stay
    end = declaration.end() if declaration else 0
    root = _parse(re.sub(r'[^\n]', ' ', decoded[:end]) + decoded[end:])
    _check_depth(root, max_depth)
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


def _check_doctype(text: str) -> None:
    """Reject a DOCTYPE before any parser reads it, since it may define harmful entities."""
    position = 0
    while prolog := _PROLOG.match(text, position):
        position = prolog.end()
    if text[position:position + 9].upper() == '<!DOCTYPE':
        raise _error_at('doctype', text, position, 'a DOCTYPE is rejected (entities, external '
                        'files); a URDF needs none, delete it')


def _parse(text: str) -> Element:
    parser = etree.XMLParser(encoding='utf-8', resolve_entities=False, no_network=True,
                             load_dtd=False, huge_tree=False)
    try:
        data = text.encode()
    except UnicodeEncodeError as error:
        raise _error_at('encoding', text, error.start,
                        'a lone surrogate is no character') from None
    try:
        return etree.fromstring(data, parser)
    except etree.XMLSyntaxError as error:
        raise _syntax_error(error, text) from None


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


def _check_depth(root: Element, max_depth: int) -> None:
    depth = 0
    for event, element in etree.iterwalk(root, events=('start', 'end')):
        depth += 1 if event == 'start' else -1
        if depth > max_depth:
            raise _too_deep(line_of(element), f'{max_depth}, the limit max_depth')


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
