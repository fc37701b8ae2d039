"""Recordings that rosbag2 made: a .db3 or .mcap file, or a directory with metadata.yaml."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from urdf2dyn_ros.errors import RecordingError, Urdf2DynError
from urdf2dyn_ros.recordings.damaged import Damaged
from urdf2dyn_ros.recordings.decoder import decoder
from urdf2dyn_ros.recordings.recording import Record, Recording, said
from urdf2dyn_ros.recordings.storage import Intact, Storage
from urdf2dyn_ros.recordings.topics import Topic, choose_topic

_MAGIC = {'.db3': (b'SQLite format 3\0', 'SQLite database'), '.mcap': (b'\x89MCAP0\r\n', 'MCAP')}
"""What a file begins with, and what it is then."""

METADATA = 'metadata.yaml'


class BagRecording(Recording):
    """
    One topic of a bag.

    Parameters
    ----------
    path : Path
    topic : str or None
        The topic that is read; None for the only one that can be meant.

    Raises
    ------
    RecordingError
        As every recording, and if the topic is missing or ambiguous.

    """

    def __init__(self, path: Path, topic: str | None = None) -> None:
        super().__init__(path)
        _check_kind(path)
        self._storage, topics = _opened(path)
        self._topic = choose_topic(topics, topic, path)
        self.topic = self._topic.name
        for file in [path, *path.glob('*.db3')]:
            log = Path(f'{file}-wal')
            if log.exists() and log.stat().st_size:
                self.remark(f'what {log.name} holds is not read, as that would change the bag: '
                             'stop what is recording it, or open a copy of both with sqlite3')

    def _records(self) -> Iterator[Record]:
        records = decoder(self._topic.type)
        expected = self._topic.messages
        number = unstamped = 0
        for number, (recorded, data) in enumerate(self._storage.messages(self._topic), start=1):
            unstamped += not any(data[4:12])
            yield from records(data, recorded)
            if expected:
                self._tell(number / expected)
        if unstamped:
            self.remark(f'messages without a stamp: {unstamped}; the time of their recording was '
                        'taken')
        if self._storage.fault:
            raise self.defect(f'its end is missing ({self._storage.fault}); record it anew, or go '
                              'on with what has been read')
        if expected and number < expected:
            self.remark(f'messages announced: {expected}, but there are {number}')


def _check_kind(path: Path) -> None:
    """Refuse what cannot be a bag at all, in better words than a library's."""
    if path.is_dir():
        if not (path / METADATA).exists():
            files = sorted(file.name for kind in _MAGIC for file in path.glob(f'*{kind}'))
            remedy = (f'; ros2 bag reindex writes one, or name a file in it: {", ".join(files)}'
                      if files else ', and no .db3 or .mcap file: it is no bag')
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
    if begin != magic:
        raise RecordingError(path, f'no {kind} file, though named {path.suffix}: it begins with '
                             f'{begin!r}')


def _opened(path: Path) -> tuple[Storage, list[Topic]]:
    """Return what gives the messages, and the topics; of a damaged bag what is left of them."""
    storage: Storage = Intact(path)
    try:
        return storage, storage.topics()
    except Urdf2DynError:
        raise
    # whatever the library raises on bytes that are not what they should be
    except Exception as error:
        fault = said(error)
    if set('?#%') & set(str(path)):
        raise RecordingError(path, f'cannot be opened ({fault}); SQLite takes ?, # and % in a '
                             'path for something else: rename it')
    storage = Damaged(path, fault)
    topics = storage.topics()
    if not topics:
        raise RecordingError(path, f'damaged, and nothing of it can be read ({fault}); copy it '
                             'anew from where it was recorded')
    return storage, topics


