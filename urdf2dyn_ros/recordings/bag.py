"""Messages as recordings: bags, read and written with computed efforts, and YAML of ``echo``."""

from __future__ import annotations

import shutil
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

import numpy as np
import yaml

from urdf2dyn_ros.errors import ExportError, RecordingError, Urdf2DynError
from urdf2dyn_ros.recordings.recording import Record, Recording, one_line, text_encoding
from urdf2dyn_ros.robot.parameters import load_yaml, yaml_fault
from urdf2dyn_ros.robot.spatial import Array
from urdf2dyn_ros.text import MAX_STAMP, SECOND_NS, counted, suggestion

# ---- Serialized messages decoded to records: a type of message is a function and a line here

LATEST_STAMP = 2**31 * SECOND_NS   # the first that a message of ROS cannot contain [ns]
TOO_LATE = ('times beyond 2038, which a message cannot contain, are dropped: are they in '
            'seconds?')

JOINT_STATE = 'sensor_msgs/msg/JointState'


def _stamp(message: Any) -> int:
    stamp = message.header.stamp
    return int(stamp.sec) * SECOND_NS + int(stamp.nanosec)


def joint_state(message: Any, recorded: int) -> Iterator[Record]:
    """Yield the record of a JointState; without a stamp its time is `recorded` [ns]."""
    yield Record(_stamp(message) or recorded, message.name, message.position, message.velocity,
                 message.effort)


def joint_trajectory(message: Any, recorded: int) -> Iterator[Record]:
    start = _stamp(message) or recorded
    for point in message.points:
        after = point.time_from_start
        yield Record(start + after.sec * SECOND_NS + after.nanosec, message.joint_names,
                     point.positions, point.velocities, point.effort, point.accelerations)


# functions by type, in the order in which a topic is searched
MESSAGES: dict[str, Callable[[Any, int], Iterator[Record]]] = {
    JOINT_STATE: joint_state, 'trajectory_msgs/msg/JointTrajectory': joint_trajectory}


def decoder(kind: str, ros: int = 2) -> Callable[[bytes, int], Iterator[Record]]:
    """
    Return a function of a serialized message of ROS 1 or 2 and its time of recording [ns].

    The definitions of the types are the same in every version; those in a bag are not needed.
    """
    store, records = types(ros), MESSAGES[kind]
    if ros == 1:
        return lambda data, recorded: records(store.deserialize_ros1(data, kind), recorded)
    return lambda data, recorded: records(store.deserialize_cdr(data, kind), recorded)


@cache
def types(ros: int = 2) -> Any:
    """Return the types of the library, which takes a quarter of a second."""
    from rosbags.typesys import Stores, get_typestore

    return get_typestore(Stores.ROS2_HUMBLE if ros == 2 else Stores.ROS1_NOETIC)


# ---- The topics of a bag, and their serialized messages, read by the library rosbags

_USUAL_TOPIC = '/joint_states'


class Topic(NamedTuple):
    """One topic of a bag, with the number of its messages."""

    name: str
    type: str
    messages: int

    def __str__(self) -> str:
        return f'{self.name} ({self.type}, {counted(self.messages, "message")})'


def choose_topic(topics: Sequence[Topic], wanted: str | None, path: Path) -> Topic:
    """
    Return the requested or only possible topic; RecordingError lists all topics otherwise.

    Possible are those of the first type that occurs, if there are any those with messages, and of
    several the usual one.
    """
    named = [topic for topic in topics if not wanted or topic.name in (wanted, f'/{wanted}')]
    by_type = ([topic for topic in named if topic.type == kind] for kind in MESSAGES)
    possible: list[Topic] = next(filter(None, by_type), [])
    if not wanted:
        possible = [topic for topic in possible if topic.messages] or possible
        possible = [topic for topic in possible if topic.name == _USUAL_TOPIC] or possible
    if len(possible) == 1 or (wanted and possible):
        return possible[0]
    readable = ' and '.join(MESSAGES)
    fault = 'several topics are possible: choose one with --topic' if possible else (
        f'no topic {wanted!r} of {readable}' if wanted else f'no topic of {readable}')
    listed = ''.join(f'\n  {topic}' for topic in topics) or ' none'
    raise RecordingError(path, f'{fault}; the topics are:{listed}')


def library(ros: int = 2) -> Any:
    """Return the optional requirement rosbags.rosbag2 or 1; Urdf2DynError if it is missing."""
    try:
        from rosbags import rosbag1, rosbag2
    except ImportError as error:
        raise Urdf2DynError(f'reading bags needs the Python library rosbags ({error}); install '
                            "it with: pip install rosbags, or 'urdf2dyn_ros[recordings]'"
                            ) from None
    return rosbag2 if ros == 2 else rosbag1


# ---- Bags: a .db3 or .mcap file, or a directory with metadata.yaml; of ROS 1 a .bag file

METADATA = 'metadata.yaml'
# by suffix: first bytes of a file and its format; the command that saves what can be read of it
_MAGIC = {'.bag': (b'#ROSBAG V2.0', 'bag of ROS 1'),
          '.db3': (b'SQLite format 3\0', 'SQLite database'), '.mcap': (b'\x89MCAP0\r\n', 'MCAP')}
_REPAIRS = {'.bag': 'rosbag fix {0} new.bag',
            '.mcap': 'mcap recover {0} -o new.mcap',
            '.db3': 'sqlite3 {0} .recover | sqlite3 new.db3'}


class BagRecording(Recording):
    """One topic of a bag; RecordingError also if it is missing or ambiguous."""

    def __init__(self, path: Path, topic: str | None = None, columns: Sequence[str] = (),
                 rate: float | None = None) -> None:
        super().__init__(path)
        if columns or rate is not None:
            raise RecordingError(path, 'a bag has stamps and no columns: omit --columns and '
                                 '--rate')
        if path.is_file():
            _check_kind(path)
        elif not (path / METADATA).exists():
            raise RecordingError(path, f'a directory without {METADATA} is no bag: if there are '
                                 f'.db3 or .mcap files, ros2 bag reindex {path.name} writes it')
        self.remedy = _remedy(path)
        self._ros = 1 if path.is_file() and path.suffix.lower() == '.bag' else 2
        self._reader = library(self._ros).Reader
        counts: Counter[tuple[str, str]] = Counter()
        try:
            with self._reader(path) as reader:
                for connection in reader.connections:
                    counts[connection.topic, connection.msgtype] += connection.msgcount
        # the library raises many types on damaged bytes
        except Exception as error:
            fault = (f'cannot be opened ({one_line(error)}); SQLite does not accept ?, # and % in '
                     'a path: rename it' if set('?#%') & set(str(path)) else
                     f'damaged ({one_line(error)}): {self.remedy}')
            raise RecordingError(path, fault) from None
        topics = [Topic(*key, count) for key, count in counts.items()]
        self._topic = choose_topic(topics, topic, path)
        self.topic = self._topic.name
        self.plan = self._topic.type != JOINT_STATE
        for file in [path, *path.glob('*.db3')]:
            log = Path(f'{file}-wal')
            if log.exists() and log.stat().st_size:
                self.remark(f'{log.name} is not read, as that would change the bag: stop the '
                            'recorder, or open a copy of both with sqlite3')

    def _records(self) -> Iterator[Record]:
        records, expected = decoder(self._topic.type, self._ros), self._topic.messages
        number = unstamped = 0
        with self._reader(self.path) as reader:
            wanted = [connection for connection in reader.connections
                      if (connection.topic, connection.msgtype) == self._topic[:2]]
            for number, (_, recorded, data) in enumerate(reader.messages(wanted), start=1):
                if data[0] and self._ros == 2:   # the first byte of CDR is zero
                    raise self.defect(f'its messages are compressed: {self.remedy}')
                unstamped += not any(data[4:12])
                part = [*records(data, recorded)]
                if self.plan:
                    self.plans.append(len(part))
                yield from part
                if expected:
                    self._report(number / expected)
        if unstamped:
            self.remark(f'messages without a stamp: {unstamped}; the time of their recording is '
                        'used')
        if expected and number < expected:
            self.remark(f'messages announced: {expected}, but there are {number}')


def _check_kind(path: Path) -> None:
    """Reject a file that is not a bag, with clearer messages than those of the library."""
    magic, kind = _MAGIC[path.suffix.lower()]
    try:
        with path.open('rb') as file:
            begin = file.read(len(magic))
    except OSError as error:
        raise RecordingError(path, f'cannot be read: {error.strerror}') from None
    if not begin:
        raise RecordingError(path, 'an empty file: nothing was recorded, or the disk was full')
    if begin != magic:
        raise RecordingError(path, f'not in the format {kind}, in spite of {path.suffix}: it '
                             f'begins with {begin!r}')


def _remedy(path: Path) -> str:
    """Return the commands that make a readable bag of a damaged one."""
    files = sorted(path.iterdir()) if path.is_dir() else [path]
    repairs = {file.suffix: _REPAIRS[file.suffix.lower()].format(file.name)
               for file in files if file.suffix.lower() in _REPAIRS}
    saving = f'{" or ".join(repairs.values())} saves what can be read of a file' if repairs else ''
    other = (f'ros2 bag reindex {path.name} writes its metadata again' if path.is_dir() else
             f'if it is of a compressed bag, name the directory {str(path.parent)!r}' if (
                 path.parent / METADATA).exists() else '')
    return ', '.join(filter(None, (saving, other)))


# ---- Computed efforts as a bag of joint states, written by the library rosbags

_TOPIC = '/inverse_dynamics/efforts'
_VERSION = 8   # of the format: the newest that ROS 2 Humble reads, and all later ones


@contextmanager
def effort_bag(path: Path, joints: Sequence[str], frame: str,
               ) -> Iterator[Callable[[int, Array, Array, Array], None]]:
    """
    Yield a function that writes a message as the node would publish it; a bag appears at the end.

    Its arguments are the stamp [ns], q, qd and effort (n,) in the order of the joints; the frame
    of the messages is the model's root. An earlier bag is replaced. It raises Urdf2DynError if
    rosbags is not installed, and ExportError if the bag cannot be written.
    """
    rosbag2, store, names = library(), types(), list(joints)
    joint_states, header, time = (store.types[kind] for kind in (
        JOINT_STATE, 'std_msgs/msg/Header', 'builtin_interfaces/msg/Time'))
    others = [path.name] if path.exists() else []
    if path.is_dir():
        others = sorted({file.name for file in path.iterdir()} - {METADATA, f'{path.name}.mcap'})
    if others:
        raise ExportError(f'{path} would be replaced by a new bag, but it has other contents: '
                          f'{", ".join(others[:3])}; move it, or choose another directory')

    @contextmanager
    def writing() -> Iterator[None]:   # the library raises many types, as when the disk is full
        try:
            yield
        except Exception as error:
            raise ExportError(f'cannot write the bag {path}: {one_line(error)}') from None

    def write(stamp: int, q: Array, qd: Array, effort: Array) -> None:
        with writing():
            message = joint_states(header(time(*divmod(stamp, SECOND_NS)), frame), names, q, qd,
                                   effort)
            writer.write(connection, stamp, store.serialize_cdr(message, JOINT_STATE))

    with TemporaryDirectory(prefix='.', dir=path.parent) as folder:
        part = Path(folder, path.name)   # the files in it are named after the directory
        with writing():
            writer = rosbag2.Writer(part, version=_VERSION,
                                    storage_plugin=rosbag2.StoragePlugin.MCAP)
            writer.open()
            connection = writer.add_connection(_TOPIC, JOINT_STATE, typestore=store)
        try:
            yield write
        except BaseException:
            with suppress(Exception):
                writer.close()
            raise
        with writing():
            writer.close()
            if path.is_dir():
                shutil.rmtree(path)
            part.replace(path)


# ---- Trajectories as YAML: a trajectory_msgs/JointTrajectory, also inside of another message

_TRAJECTORY = ('a trajectory has joint_names and points, each with positions and time_from_start, '
               'as trajectory_msgs/JointTrajectory')
_LONGEST_SECONDS = 1e6   # of a number without a unit
_TIME = 'time_from_start'
_VECTORS = ('positions', 'velocities', 'effort', 'accelerations')


class TrajectoryFile(Recording):
    """The points of the trajectories in a file, as ``ros2 topic echo`` or MoveIt write them."""

    remedy = _TRAJECTORY
    plan = True

    def __init__(self, path: Path, topic: str | None = None, columns: Sequence[str] = (),
                 rate: float | None = None) -> None:
        super().__init__(path)
        if topic or columns or rate is not None:
            raise RecordingError(path, 'YAML or JSON has times, no topics and no columns: omit '
                                 '--topic, --columns and --rate')

    def _records(self) -> Iterator[Record]:
        try:
            text = self.path.read_text(encoding=text_encoding(self.path))
            trajectories = [*_trajectories([*load_yaml(text)])]
        except OSError as error:
            raise self.defect(f'cannot be read: {error.strerror}') from None
        except UnicodeDecodeError as error:
            raise self.defect(f'not {error.encoding.upper()} ({error.reason}): save it as '
                              'UTF-8') from None
        except yaml.YAMLError as error:
            kind = 'JSON' if self.path.suffix.lower() == '.json' else 'YAML'
            raise self.defect(f'no {kind}: {yaml_fault(error)}') from None
        if not trajectories:
            raise self.defect(f'no trajectory in it: {_TRAJECTORY}')
        self.plans = [len(trajectory['points']) for trajectory in trajectories]
        for trajectory in trajectories:
            names = tuple(map(str, trajectory['joint_names']))
            for number, point in enumerate(trajectory['points'], start=1):
                try:
                    for name in {*point} - {*_VECTORS, _TIME}:
                        raise ValueError(f'{name!r} is no part of a point; '
                                         + suggestion(str(name), (*_VECTORS, _TIME), False))
                    yield Record(_nanoseconds(point[_TIME]), names, *(
                        _vector(point, name, len(names)) for name in _VECTORS))
                except (KeyError, TypeError, ValueError, OverflowError) as error:
                    fault = f'no {error}' if isinstance(error, KeyError) else str(error)
                    raise self.defect(f'point {number}: {fault}; {_TRAJECTORY}') from None


def _trajectories(data: Any) -> Iterator[Mapping[str, Any]]:
    if isinstance(data, Mapping) and isinstance(data.get('points'), list) and data.get(
            'joint_names'):
        yield data
    elif isinstance(data, (Mapping, list)):
        for each in data.values() if isinstance(data, Mapping) else data:
            yield from _trajectories(each)


def _nanoseconds(time: Any) -> int:
    """Return a duration of ROS 2 or ROS 1, or a number of seconds [ns]."""
    if not isinstance(time, Mapping):
        if abs(float(time)) >= _LONGEST_SECONDS:
            raise ValueError(f'a time_from_start of {time} s, which is {float(time) / 3.2e7:.2g} '
                             'years: if it is in nanoseconds, write {sec: ..., nanosec: ...}')
        time = {'nanosec': round(float(time) * SECOND_NS)}
    sizes = {'sec': SECOND_NS, 'secs': SECOND_NS, 'nanosec': 1, 'nsecs': 1}
    if not time or not {*time} <= {*sizes}:
        raise ValueError(f'{_TIME} has {", ".join(map(str, time)) or "nothing"}, and not sec and '
                         'nanosec')
    stamp = 0
    for name, value in time.items():
        number = value if isinstance(value, int) else float(value)   # of any size
        whole = int(number)
        stamp += whole * sizes[name] + round((number - whole) * sizes[name])
    if not -MAX_STAMP <= stamp <= MAX_STAMP:
        raise ValueError('a time_from_start beyond 292 years')
    return stamp


def _vector(point: Mapping[str, Any], name: str, joints: int) -> Array:
    entries = point.get(name) or []
    if any(isinstance(entry, bool) for entry in entries):
        raise ValueError(f'{name} are no numbers')
    values = np.array(entries, dtype=float)   # YAML takes 1e-3 for a text
    if len(values) not in (0, joints):
        raise ValueError(f'{len(values)} {name} of {joints} joints')
    return values
