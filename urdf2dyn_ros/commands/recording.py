"""The arguments of commands for recordings, and for processes that share the work on them."""

import argparse

from urdf2dyn_ros.commands.word_order import gain
from urdf2dyn_ros.errors import ParameterError
from urdf2dyn_ros.origin import EFFORT_SOURCES
from urdf2dyn_ros.recordings import DIRECTORY, RECORDINGS
from urdf2dyn_ros.system.workers import Workers

_MOST_WORKERS = 1024
"""Most processes on one machine."""


def add_recording(parser: argparse.ArgumentParser, metavar: str, columns: str,
                  many: bool = False) -> None:
    """Add the recording or recordings, with the columns of tables, and the topic of bags."""
    *most, last = (suffix for suffix in RECORDINGS if suffix != DIRECTORY)
    parser.add_argument('recordings' if many else 'recording', nargs='+' if many else None,
                        metavar=metavar,
                        help=f'rosbag2 directory, {", ".join(most)} or {last} file (columns time, '
                        f'q_<joint>, {columns})')
    add_topic(parser)


def add_topic(parser: argparse.ArgumentParser) -> None:
    parser.add_argument('--topic', metavar='TOPIC', help='topic of bags (default: their only '
                        'topic of joint states, or /joint_states)')


def add_joints(parser: argparse.ArgumentParser) -> None:
    """Add what joints are called, and which of them were at rest."""
    parser.add_argument('--rename', action='append', default=[], metavar='REGEX=NAME',
                        help='rename recorded joints whose whole name matches, for instance '
                        r"'fer_joint(\d)=panda_joint\1'; may be repeated")
    parser.add_argument('--hold', action='append', default=[], metavar='JOINT[=POSITION]',
                        help='a joint that is not in the recordings was at rest at this position '
                        '[rad or m] (default: 0 or the limit nearest to it); auto: all that are '
                        'not; may be repeated')


def add_efforts(parser: argparse.ArgumentParser, free: str) -> None:
    """Add the source of measured efforts, and gains of currents; what is done with `free` ones."""
    parser.add_argument('--efforts', choices=EFFORT_SOURCES, default=EFFORT_SOURCES[0],
                        help='where the recorded efforts come from, as the report names them '
                        f'(default: {EFFORT_SOURCES[0]})')
    parser.add_argument('--gains', nargs='+', type=gain, default=(), metavar='GAIN',
                        help='gains of currents [N m/A or N/A]: one, one for each joint, or '
                        f'JOINT=VALUE; free: {free}')


def add_workers(parser: argparse.ArgumentParser, work: str) -> None:
    """Add processes and scheduler; `work` is what they do."""
    parser.add_argument('--workers', type=int, default=1, metavar='N',
                        help=f'processes of this machine that {work} (default: 1)')
    parser.add_argument('--scheduler', default='', metavar='ADDRESS',
                        help=f'address of a Dask scheduler whose workers {work}, as '
                        'tcp://host:8786; they read the same paths (needs the extra cluster)')


def read_workers(arguments: argparse.Namespace) -> Workers:
    count = arguments.workers
    if not 1 <= count <= _MOST_WORKERS:
        raise ParameterError(f'--workers {count}: must be between 1 and {_MOST_WORKERS}')
    if arguments.scheduler and count > 1:
        raise ParameterError('--workers and --scheduler exclude each other: the workers of a '
                             'scheduler are started with it')
    return Workers(count, arguments.scheduler)
