"""The files of an excitation: table, trajectory_msgs/JointTrajectory, picture."""

import json
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

from urdf2dyn_ros.algebra.arrays import Array
from urdf2dyn_ros.drawing.curves import draw_curves
from urdf2dyn_ros.drawing.table import Table
from urdf2dyn_ros.identification.excitation.limits import MotionLimits
from urdf2dyn_ros.identification.excitation.optimisation import Excitation
from urdf2dyn_ros.quoting import printable
from urdf2dyn_ros.text_table import csv_cell

ENDINGS = ('.csv', '.yaml', '.png')

_TABLE_RATE, PICTURE_RATE = 100.0, 50.0
"""Rows of the table and drawn instants in a second."""

_POINTS = 100
"""Points of a period: polynomials of degree 5 between them are the motion."""

_SHORTEST_APPROACH = 2.0

_QUINTIC = 1.875
"""Largest velocity of a polynomial of degree 5 from rest to rest, over its mean."""


def instants(duration: float, rate: float) -> Array:
    """Return times from 0 to the duration [s], both included, at about a rate [1/s]."""
    return np.linspace(0.0, duration, round(duration * rate) + 1)


def approach_time(excitation: Excitation, limits: MotionLimits) -> float:
    """
    Return how long [s] a robot may need to go to the start, by polynomials of degree 5.

    From the range of the motion it keeps the velocities of the motion; from the whole range of
    the limits, of which that is a fraction, the whole velocities.
    """
    start = excitation.motion(np.zeros(1))[0, 0]
    way = limits.half + np.abs(start - limits.middle)
    slowest = float((_QUINTIC * way / limits.velocity).max())
    return float(np.ceil(max(_SHORTEST_APPROACH, slowest)))


def csv_text(excitation: Excitation, joints: Sequence[str]) -> str:
    """Return a table with time, and positions and velocities of all joints."""
    times = instants(excitation.duration, _TABLE_RATE)
    q, qd, _ = excitation.motion(times)
    heads = ['time', *(f'{prefix}_{joint}' for joint in joints for prefix in ('q', 'qd'))]
    columns = np.stack((q, qd), axis=2).reshape(len(times), -1)
    rows = [','.join([f'{time:.6f}', *(f'{value:.9f}' for value in row)])
            for time, row in zip(times, columns)]
    return '\n'.join([','.join(map(csv_cell, heads)), *rows]) + '\n'


def yaml_text(excitation: Excitation, joints: Sequence[str], approach: float,
              head: Sequence[str]) -> str:
    """Return a trajectory_msgs/JointTrajectory, whose first point is the start after a time."""
    times = instants(excitation.duration, _POINTS / excitation.period)
    lines = [*(f'# {printable(line)}' for line in head),
             f'joint_names: {json.dumps(list(joints))}', 'points:']
    for time, motion in zip(times, excitation.motion(times).transpose(1, 0, 2)):
        seconds, nanoseconds = divmod(round(1e9 * (approach + time)), 10**9)
        q, qd, qdd = (', '.join(f'{value:.6f}' for value in row) for row in motion)
        lines += [f'- positions: [{q}]', f'  velocities: [{qd}]', f'  accelerations: [{qdd}]',
                  f'  time_from_start: {{sec: {seconds}, nanosec: {nanoseconds}}}']
    return '\n'.join(lines) + '\n'


def excitation_picture(times: Array, motion: Array, efforts: Array, joints: Sequence[str],
                       title: str) -> bytes:
    """Return a PNG of positions, velocities and efforts (T, n) of each joint."""
    columns = {f'{name}_{joint}': values[:, number]
               for name, values in (('q', motion[0]), ('qd', motion[1]), ('effort', efforts))
               for number, joint in enumerate(joints)}
    with TemporaryDirectory() as folder:
        path = Path(folder) / 'picture.png'
        draw_curves(Table(times, columns), path, title)
        return path.read_bytes()
