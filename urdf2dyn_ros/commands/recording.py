"""The arguments of commands for a recording."""

import argparse

from urdf2dyn_ros.recordings import DIRECTORY, RECORDINGS


def add_recording(parser: argparse.ArgumentParser, metavar: str, columns: str) -> None:
    """Add the recording, with the columns that a table may have, and its topic."""
    *most, last = (suffix for suffix in RECORDINGS if suffix != DIRECTORY)
    parser.add_argument('recording', metavar=metavar,
                        help=f'rosbag2 directory, {", ".join(most)} or {last} file (columns time, '
                        f'q_<joint>, {columns})')
    parser.add_argument('--topic', metavar='TOPIC', help='topic of a bag (default: its only '
                        'topic of joint states, or /joint_states)')
