"""The readable messages of a truncated bag, in the order of the file, without its index."""

import sqlite3
import struct
import zlib
from collections.abc import Callable, Iterator
from contextlib import closing
from importlib import import_module
from io import BytesIO
from pathlib import Path
from typing import BinaryIO
from urllib.parse import quote

from urdf2dyn_ros.recordings.storage import Topic

_SCHEMA, _CHANNEL, _MESSAGE, _CHUNK, _DATA_END = 3, 4, 5, 6, 15
"""Opcodes of MCAP's records (https://mcap.dev/spec)."""

_MCAP_MAGIC = 8

_ZSTD_MAGIC = b'\x28\xb5\x2f\xfd'
"""First bytes of a message that is compressed by itself; others begin with 0."""


class Damaged:
    """The files of a bag that, for the reason `fault`, cannot be opened, read up to a defect."""

    def __init__(self, path: Path, fault: str) -> None:
        self.fault = fault
        files = path.iterdir() if path.is_dir() else [path]
        # bag_10 comes after bag_9
        self._files = sorted((file for file in files if file.suffix in STORAGES),
                             key=lambda file: (len(file.name), file.name))

    def topics(self) -> list[Topic]:
        """Return the topics before the defect."""
        readable: dict[Topic, None] = {}
        for file in self._files:
            topics, _ = STORAGES[file.suffix]
            try:
                for name, kind in topics(file):
                    readable[Topic(name, kind, None)] = None
            # libraries raise many types on damaged bytes
            except Exception:
                break
        return list(readable)

    def messages(self, topic: Topic) -> Iterator[tuple[int, bytes]]:
        """Yield the time of recording [ns] and the serialized message; raise at the defect."""
        for file in self._files:
            _, messages = STORAGES[file.suffix]
            for recorded, data in messages(file, topic):
                yield recorded, _zstd(data) if data.startswith(_ZSTD_MAGIC) else data


def _database(path: Path) -> sqlite3.Connection:
    """Return a connection that writes nothing, and no files next to the database."""
    database = sqlite3.connect(f'file:{quote(str(path.resolve()))}?mode=ro&immutable=1', uri=True)
    # else SQLite rejects a truncated file as a whole; it remains read-only
    database.execute('pragma writable_schema = on')
    return database


def _sqlite_topics(path: Path) -> Iterator[tuple[str, str]]:
    with closing(_database(path)) as database:
        yield from database.execute('select name, type from topics')


def _sqlite_messages(path: Path, topic: Topic) -> Iterator[tuple[int, bytes]]:
    with closing(_database(path)) as database:
        wanted = {number for number, in database.execute(
            'select id from topics where name = ? and type = ?', topic[:2])}
        for number, recorded, data in database.execute(
                'select topic_id, timestamp, data from messages not indexed'):
            if number in wanted:
                yield recorded, data


def _mcap_topics(path: Path) -> Iterator[tuple[str, str]]:
    schemas: dict[int, str] = {}
    for opcode, content in _mcap_records(path):
        if opcode == _SCHEMA:
            schemas[struct.unpack_from('<H', content)[0]] = _text(content, 2)[0]
        elif opcode == _CHANNEL:
            yield _text(content, 4)[0], schemas.get(struct.unpack_from('<H', content, 2)[0], '')


def _mcap_messages(path: Path, topic: Topic) -> Iterator[tuple[int, bytes]]:
    schemas: dict[int, str] = {}
    channels: set[int] = set()
    for opcode, content in _mcap_records(path):
        if opcode == _SCHEMA:
            schemas[struct.unpack_from('<H', content)[0]] = _text(content, 2)[0]
        elif opcode == _CHANNEL:
            channel, schema = struct.unpack_from('<HH', content)
            if (_text(content, 4)[0], schemas.get(schema)) == topic[:2]:
                channels.add(channel)
        elif opcode == _MESSAGE:
            channel, _, logged = struct.unpack_from('<HIQ', content)
            if channel in channels:
                yield logged, content[22:]


def _mcap_records(path: Path) -> Iterator[tuple[int, bytes]]:
    """Yield opcode and content of every record, also of those in chunks."""
    size = path.stat().st_size
    with path.open('rb') as file:
        file.seek(_MCAP_MAGIC)
        for opcode, content in _records(file, size):
            if opcode == _DATA_END:
                return
            if opcode == _CHUNK:
                inner = _unpacked(content)
                yield from _records(BytesIO(inner), len(inner))
            else:
                yield opcode, content


def _records(file: BinaryIO | BytesIO, size: int) -> Iterator[tuple[int, bytes]]:
    while file.tell() < size:
        start = file.tell()
        head = file.read(9)
        opcode, length = struct.unpack('<BQ', head) if len(head) == 9 else (0, size)
        whole = length <= size - file.tell()
        if whole or opcode == _CHUNK:   # of a slow stream, it may contain half a minute
            yield opcode, file.read(min(length, size))
        if not whole:
            raise ValueError(f'the record at byte {start} is truncated')


def _unpacked(chunk: bytes) -> bytes:
    """Return the records in a chunk, also in a truncated one."""
    size, check = struct.unpack_from('<QI', chunk, 16)
    compression, start = _text(chunk, 28)
    inner = DECOMPRESSED[compression](chunk[start + 8:])
    if len(inner) == size and check and zlib.crc32(inner) != check:
        raise ValueError('the check sum of a chunk is wrong')
    return inner


def _text(content: bytes, start: int) -> tuple[str, int]:
    """Return a text that follows its length, and its end."""
    end = start + 4 + int(struct.unpack_from('<I', content, start)[0])
    return content[start + 4:end].decode(), end


def _zstd(data: bytes) -> bytes:
    try:
        module = import_module('compression.zstd')
    except ImportError:
        module = import_module('backports.zstd')   # a requirement of rosbags
    return bytes(module.decompress(data))


DECOMPRESSED: dict[str, Callable[[bytes], bytes]] = {
    '': bytes,
    'lz4': lambda data: bytes(import_module('lz4.frame').decompress(data)),
    'zstd': _zstd,
}

STORAGES: dict[str, tuple[Callable[[Path], Iterator[tuple[str, str]]],
                          Callable[[Path, Topic], Iterator[tuple[int, bytes]]]]] = {
    '.db3': (_sqlite_topics, _sqlite_messages),
    '.mcap': (_mcap_topics, _mcap_messages),
}
"""Names and types of the topics of a file, and the messages of one of them."""
