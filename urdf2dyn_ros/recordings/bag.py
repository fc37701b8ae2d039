"""Bags of rosbag2: a .db3 or .mcap file, or a directory with metadata.yaml."""

import re
from collections.abc import Iterator
from pathlib import Path

from urdf2dyn_ros.errors import RecordingError, Urdf2DynError
from urdf2dyn_ros.recordings.messages import decoder
from urdf2dyn_ros.recordings.recording import Record, Recording, one_line
from urdf2dyn_ros.recordings.storage import BagStorage, choose_topic

_MAGIC = {'.db3': (b'SQLite format 3\0', 'SQLite database'), '.mcap': (b'\x89MCAP0\r\n', 'MCAP')}
"""First bytes of a file by suffix, and the name of its format."""

METADATA = 'metadata.yaml'

_REPAIRS = {'.mcap': 'mcap recover {0} -o new.mcap',
            '.db3': 'sqlite3 {0} .recover | sqlite3 new.db3'}
"""The command that saves what can be read of a file, by suffix."""


class BagRecording(Recording):
    """One topic of a bag; RecordingError also if it is missing or ambiguous."""

    def __init__(self, path: Path, topic: str | None = None) -> None:
        super().__init__(path)
        _check_kind(path)
        self.remedy = _remedy(path)
        self._storage = BagStorage(path)
        try:
            topics = self._storage.topics()
        except Urdf2DynError:
            raise
        # the library raises many types on damaged bytes
        except Exception as error:
            raise RecordingError(path, _why_not_opened(path, error, self.remedy)) from None
        self._topic = choose_topic(topics, topic, path)
        self.topic = self._topic.name
        for file in [path, *path.glob('*.db3')]:
            log = Path(f'{file}-wal')
            if log.exists() and log.stat().st_size:
                self.remark(f'{log.name} is not read, as that would change the bag: stop the '
                            'recorder, or open a copy of both with sqlite3')

    def _records(self) -> Iterator[Record]:
        records = decoder(self._topic.type)
        expected = self._topic.messages
        number = unstamped = 0
        for number, (recorded, data) in enumerate(self._storage.messages(self._topic), start=1):
            unstamped += not any(data[4:12])
            yield from records(data, recorded)
            if expected:
                self._report(number / expected)
        if unstamped:
            self.remark(f'messages without a stamp: {unstamped}; the time of their recording is '
                        'used')
        if expected and number < expected:
            self.remark(f'messages announced: {expected}, but there are {number}')


def _check_kind(path: Path) -> None:
    """Reject what is not a bag, with clearer messages than those of the library."""
    if path.is_dir():
        if not (path / METADATA).exists():
            files = sorted(file.name for kind in _MAGIC for file in path.glob(f'*{kind}'))
            packed = sorted(file.name for kind in _MAGIC for file in path.glob(f'*{kind}.zstd'))
            remedy = (f'; ros2 bag reindex writes one, or name a file in it: {", ".join(files)}'
                      if files else f'; decompress its files with zstd -d, and name one: '
                      f'{", ".join(packed)}' if packed
                      else ', and no .db3 or .mcap file: it is not a bag')
            raise RecordingError(path, f'a directory without {METADATA}{remedy}')
        return
    magic, kind = _MAGIC[path.suffix.lower()]
    try:
        with path.open('rb') as file:
            begin = file.read(len(magic))
    except OSError as error:
        raise RecordingError(path, f'cannot be read: {error.strerror}') from None
    if not begin:
        raise RecordingError(path, 'an empty file: nothing was recorded, or the disk was full')
    if _in_compressed_bag(path):
        raise RecordingError(path, f'the messages of its bag are compressed, as {METADATA} next '
                             f'to it says: name the directory {str(path.parent)!r}')
    if begin != magic:
        raise RecordingError(path, f'not in the format {kind}, in spite of {path.suffix}: it '
                             f'begins with {begin!r}')


def _in_compressed_bag(path: Path) -> bool:
    """Return whether a file is of a bag whose messages are compressed one by one."""
    try:
        text = (path.parent / METADATA).read_text(encoding='utf-8', errors='replace')
    except OSError:
        return False
    return path.name in text and re.search(r'compression_mode:\s*["\']?message', text,
                                           re.IGNORECASE) is not None


def _remedy(path: Path) -> str:
    """Return the commands that make a readable bag of a damaged one."""
    files = sorted(path.iterdir()) if path.is_dir() else [path]
    repairs = {file.suffix.lower(): _REPAIRS[file.suffix.lower()].format(file.name)
               for file in files if file.suffix.lower() in _REPAIRS}
    saving = f'{" or ".join(repairs.values())} saves what can be read of a file' if repairs else ''
    reindex = f'ros2 bag reindex {path.name} writes its metadata again' if path.is_dir() else ''
    return ', '.join(filter(None, (saving, reindex)))


def _why_not_opened(path: Path, error: Exception, remedy: str) -> str:
    fault = one_line(error)
    if set('?#%') & set(str(path)):
        return (f'cannot be opened ({fault}); SQLite does not accept ?, # and % in a path: rename '
                'it')
    return f'damaged ({fault}): {remedy}'
