"""How time and memory from text to callable grow with the number of joints."""

import json
import os
import signal
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

import numpy as np
from cases import HUMANOID, ROBOTS

from urdf2dyn_ros.robot.model import Inertia, Joint, Link, RobotModel
from urdf2dyn_ros.robot.writer import clean_urdf

SIZES = (2, 5, 10, 20, 50, 100, 200, 500, 1000)
QUICK = (2, 5)
LARGE = 50
"""Fewest joints in the fit of the exponent: with fewer, the cost of every call dominates."""
PATIENCE, LIMIT = 60.0, 150.0
"""Time of one robot that ends a series, and at which a measurement is stopped [s]."""
KINDS = {'Python': 'python', 'C, compiled': 'c', 'C, from the cache': 'c'}
"""Series, cold before cached, and their names in growth_point.py."""
POINT = Path(__file__).resolve().parents[1] / 'growth_point.py'


def chain(joints: int) -> RobotModel:
    """Return a chain without any structure that simplifies its equations."""
    rng = np.random.default_rng(0)

    def triple(scale: float) -> tuple[float, float, float]:
        x, y, z = (float(x) for x in rng.normal(size=3) * scale)
        return x, y, z

    links, all_joints = [Link('link0')], []
    for i in range(1, joints + 1):
        axis = np.array(triple(1.0))
        x, y, z = (float(x) for x in axis / np.linalg.norm(axis))
        links.append(Link(f'link{i}', Inertia(1.0, triple(0.1), triple(1.0),
                                              (0.03, 0.001, 0.002, 0.04, 0.003, 0.05))))
        all_joints.append(Joint(f'joint{i}', 'revolute', f'link{i - 1}', f'link{i}',
                                triple(0.3), triple(1.0), (x, y, z)))
    return RobotModel('chain', tuple(links), tuple(all_joints), 'link0')


def growth(quick: bool) -> dict[str, Any]:
    """Return the points of every series, and the exponents with which they grow."""
    series: dict[str, list[dict[str, float]]] = {name: [] for name in KINDS}
    ended: set[str] = set()   # without a compiled library there is no cached one
    for k, joints in enumerate(QUICK if quick else SIZES, 1):
        print(f'chain of {joints} ...', file=sys.stderr)
        text = clean_urdf(chain(joints), fill_limits=True)
        wanted = {name: what for name, what in KINDS.items() if what not in ended}
        for name, point in measured(text, wanted, quick).items():
            series[name].append({'joints': joints, **point})
        ended |= {what for name, what in wanted.items() if len(series[name]) < k
                  or series[name][-1]['seconds'] > PATIENCE}
    return {name: {'points': points, 'exponents': {
        key: exponent(points, key) for key in ('seconds', 'megabytes')}}
        for name, points in series.items() if points}


def humanoid(quick: bool) -> dict[str, float]:
    """Return the times of 36 joints by kind of callable [s]."""
    found = measured(ROBOTS[HUMANOID].read_text(), {'readable script': 'readable', **KINDS},
                     quick)
    return {name: point['seconds'] for name, point in found.items()}


def measured(text: str, wanted: dict[str, str], quick: bool) -> dict[str, dict[str, float]]:
    """Return seconds and megabytes, each of a process of its own, from an empty cache on."""
    found = {}
    with tempfile.TemporaryDirectory() as folder:
        urdf = Path(folder) / 'robot.urdf'
        urdf.write_text(text)
        for name, what in wanted.items():
            answer, reason = _run([sys.executable, POINT, urdf, what, *['--once'] * quick], folder)
            if reason:
                print(f'excluded: {name}, because {reason}', file=sys.stderr)
                break   # the next ones need its entry of the cache
            found[name] = json.loads(answer)
    return found


def _run(command: list[str | Path], cache: str) -> tuple[str, str]:
    """Return the output of a program, and the reason of its failure, or an empty text."""
    process = subprocess.Popen(command, text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                               env={**os.environ, 'XDG_CACHE_HOME': cache},
                               start_new_session=True)
    try:
        answer, errors = process.communicate(timeout=LIMIT)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)   # with the compiler that it waits for
        process.communicate()
        return '', f'it takes longer than {LIMIT:g} s'
    return answer, errors.strip().splitlines()[-1] if process.returncode else ''


def exponent(points: list[dict[str, float]], key: str) -> float | None:
    """Return the slope over the large robots, both axes logarithmic; 1 is linear."""
    large = [(point['joints'], point[key]) for point in points
             if point['joints'] >= LARGE and point[key] > 0]
    if len(large) < 3:
        return None
    return float(np.polyfit(*np.log(large).T, 1)[0])
