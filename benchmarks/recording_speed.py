"""
The cost of reading and of evaluating a recording: MB/s and peak memory.

    .venv/bin/python benchmarks/recording_speed.py --megabytes 1000

A bag of joint states at 1 kHz is written first, and removed afterwards. Every row is a process of
its own on the same bag: the library rosbags with bytes, the same with messages, `open_recording`,
and the whole of `urdf2dyn evaluate`, which writes a table and a bag.

"""

import argparse
import contextlib
import io
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

from urdf2dyn_ros import InverseDynamics, read_urdf
from urdf2dyn_ros.__main__ import main as urdf2dyn
from urdf2dyn_ros.recordings import open_recording
from urdf2dyn_ros.recordings.bag import JOINT_STATE

ROBOT = Path(__file__).parents[1] / 'urdf' / 'rx90.urdf'
PERIOD = 1_000_000   # ns
START = 1_700_000_000_000_000_000


def make_bag(path: Path, kind: str, robot: Path, megabytes: float) -> Path:
    """Write a bag of about this size; return its file."""
    from rosbags.rosbag2 import StoragePlugin, Writer
    from rosbags.typesys import Stores, get_typestore

    dynamics = InverseDynamics(read_urdf(robot.read_bytes()), backend='auto')
    store = get_typestore(Stores.ROS2_HUMBLE)
    plugin = {'db3': StoragePlugin.SQLITE3, 'mcap': StoragePlugin.MCAP}[kind]
    with Writer(path, version=8, storage_plugin=plugin) as writer:
        connection = writer.add_connection('/joint_states', JOINT_STATE, typestore=store)
        size = 0.0
        for stamp, message in _messages(dynamics, store.types):
            data = store.serialize_cdr(message, JOINT_STATE)
            writer.write(connection, stamp, data)
            size += len(data)
            if size >= 1e6 * megabytes:
                break
    return next(path.glob(f'*.{kind}'))


def _messages(dynamics: InverseDynamics, types: dict) -> Iterator[tuple[int, object]]:
    """Yield joint states of sines with noise, and the efforts that belong to them."""
    names, n = list(dynamics.joint_names), len(dynamics.joint_names)
    random = np.random.default_rng(0)
    w, phase = random.uniform(1.0, 6.0, n), random.uniform(0.0, 6.0, n)
    step = 0
    while True:
        t = 1e-9 * PERIOD * np.arange(step, step + 1000)[:, None]
        angle = w * t + phase
        q, qd, qdd = 0.3 * np.sin(angle), 0.3 * w * np.cos(angle), -0.3 * w * w * np.sin(angle)
        tau = dynamics(q, qd, qdd) + random.normal(0.0, 0.01, q.shape)
        q, qd = q + random.normal(0.0, 1e-5, q.shape), qd + random.normal(0.0, 1e-3, q.shape)
        for row in range(1000):
            stamp = START + (step + row) * PERIOD
            time_ = types['builtin_interfaces/msg/Time'](*divmod(stamp, 10**9))
            header = types['std_msgs/msg/Header'](time_, '')
            yield stamp, types[JOINT_STATE](header, names, q[row], qd[row], tau[row])
        step += 1000


def rosbags_bytes(bag: Path, robot: Path) -> int:
    """Return the number of messages, none of them decoded."""
    from rosbags.rosbag2 import Reader

    with Reader(bag) as reader:
        return sum(1 for _ in reader.messages())


def rosbags_messages(bag: Path, robot: Path) -> int:
    """Return the number of messages, all decoded."""
    from rosbags.rosbag2 import Reader
    from rosbags.typesys import Stores, get_typestore

    store = get_typestore(Stores.ROS2_HUMBLE)
    with Reader(bag) as reader:
        return sum(1 for connection, _, data in reader.messages()
                   if len(store.deserialize_cdr(data, connection.msgtype).position))


def records(bag: Path, robot: Path) -> int:
    """Return the number of records."""
    return sum(1 for _ in open_recording(bag))


def evaluation(bag: Path, robot: Path) -> int:
    """Return the number of records that were evaluated."""
    out = io.StringIO()
    with contextlib.redirect_stdout(out):
        code = urdf2dyn(['evaluate', str(bag), '--urdf', str(robot), '-o',
                         str(bag.parent / 'evaluated'), '--overwrite'])
    if code:
        raise RuntimeError(out.getvalue())
    return int(out.getvalue().partition(' records')[0].rpartition(' ')[2])


CONTESTANTS: dict[str, Callable[[Path, Path], int]] = {
    'rosbags, bytes': rosbags_bytes, 'rosbags, messages': rosbags_messages,
    'open_recording': records, 'urdf2dyn evaluate': evaluation}


def measure(name: str, bag: Path, robot: Path) -> None:
    """Print messages, seconds, seconds of processor and peak memory [MB] of this process."""
    start, used = time.perf_counter(), time.process_time()
    count = CONTESTANTS[name](bag, robot)
    wall, used = time.perf_counter() - start, time.process_time() - used
    status = Path('/proc/self/status').read_text()
    peak = float(status.partition('VmHWM:')[2].split()[0]) * 1024 / 1e6
    print(count, wall, used, peak)


def main() -> None:
    """Print a table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument('--megabytes', type=float, default=50.0)
    parser.add_argument('--kind', choices=('db3', 'mcap'), default='db3')
    parser.add_argument('--robot', type=Path, default=ROBOT)
    parser.add_argument('--directory', type=Path, default=None, help='with room for the bag')
    parser.add_argument('--measure', nargs=2, metavar=('NAME', 'BAG'), help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.measure:
        name, bag = arguments.measure
        return measure(name, Path(bag), arguments.robot)
    with TemporaryDirectory(dir=arguments.directory) as folder:
        bag = make_bag(Path(folder) / 'bag', arguments.kind, arguments.robot,
                       arguments.megabytes)
        size = bag.stat().st_size / 1e6
        print(f'{arguments.kind}, {size:.0f} MB, {arguments.robot.stem}', flush=True)
        print(f'{"":20}{"MB/s":>8}{"messages/s":>12}{"s":>8}{"s of CPU":>10}{"peak MB":>9}')
        for name in CONTESTANTS:
            done = subprocess.run(
                [sys.executable, __file__, '--robot', arguments.robot, '--measure', name, bag],
                stdout=subprocess.PIPE, check=True, text=True)
            count, wall, used, peak = map(float, done.stdout.split())
            print(f'{name:20}{size / wall:8.2f}{count / wall:12.0f}{wall:8.1f}{used:10.1f}'
                  f'{peak:9.0f}', flush=True)
    return None


if __name__ == '__main__':
    main()
