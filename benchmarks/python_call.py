"""
What a call and a model cost in Python, side by side with Pinocchio in one run.

    make bench

Every figure is the best of several repeats; the ratios of figures of the same run are what can be
compared between machines. The C++ of Pinocchio behind one Python call is no rival to beat in
Python: it shows the order of magnitude.

"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pinocchio

from urdf2dyn_ros import InverseDynamics, export_model, read_urdf
from urdf2dyn_ros.equations.named_constants import body_inertias
from urdf2dyn_ros.equations.newton_euler import newton_euler
from urdf2dyn_ros.multibody import multibody

HERE = Path(__file__).resolve()
sys.path.insert(0, str(HERE.parents[1] / 'test'))
from robots import EXAMPLES, OWN  # noqa: E402

ROBOTS = {
    'robot_2r': OWN / 'robot_2r.urdf',
    'rx90': OWN / 'rx90.urdf',
    'ur5': EXAMPLES / 'ur_description' / 'urdf' / 'ur5_robot.urdf',
    'panda': EXAMPLES / 'panda_description' / 'urdf' / 'panda.urdf',
    'talos_reduced': EXAMPLES / 'talos_data' / 'robots' / 'talos_reduced.urdf',
    'humanoid_3p33r': OWN / 'humanoid_3p33r.urdf',
}
SAMPLES = 5000


def best(call: Callable[[], Any], seconds: float = 0.3) -> float:
    """Return the shortest time of a call [us]."""
    began = time.perf_counter()
    call()
    number = max(1, int(0.02 / max(time.perf_counter() - began, 1e-7)))
    times = []
    while len(times) < 3 or time.perf_counter() - began < seconds:
        start = time.perf_counter()
        for _ in range(number):
            call()
        times.append((time.perf_counter() - start) / number)
    return min(times) * 1e6


def measure(path: Path) -> dict[str, float]:
    """Return times [us] of one robot."""
    text = path.read_bytes()
    model = read_urdf(text)
    dynamics = InverseDynamics(model)
    n = len(dynamics.joint_names)
    states = np.random.default_rng(0).normal(size=(3, SAMPLES, n))
    one = states[:, 0].copy()
    lists = one.tolist()
    namespace: dict[str, Any] = {}
    exec(dynamics.text, namespace)
    system = multibody(model)
    inertias = body_inertias(system)
    peer = pinocchio.buildModelFromXML(text.decode())
    data = peer.createData()
    q = pinocchio.neutral(peer)
    v = np.random.default_rng(0).normal(size=peer.nv)
    return {
        'joints': n,
        'text to callable': best(lambda: InverseDynamics(read_urdf(text))),
        'text to readable script': best(lambda: export_model(read_urdf(text))),
        'generated function': best(lambda: namespace['inverse_dynamics'](*lists)),
        'one call': best(lambda: dynamics(*one)),
        'batch, per state': best(lambda: dynamics(*states)) / SAMPLES,
        'recursion on floats': best(lambda: newton_euler(system, inertias, *lists,
                                                         dynamics.gravity)),
        'pinocchio.rnea from Python': best(lambda: pinocchio.rnea(peer, data, q, v, v)),
    }


def main() -> None:
    """Print a table, or JSON."""
    parser = argparse.ArgumentParser(description='Time a call and a model, beside Pinocchio.')
    parser.add_argument('--json', action='store_true')
    arguments = parser.parse_args()
    found = {}
    for name, path in ROBOTS.items():
        print(f'{name} ...', file=sys.stderr)
        found[name] = measure(path)
    if arguments.json:
        print(json.dumps(found, indent=2))
        return
    rows = list(next(iter(found.values())))
    print(f'{"[us]":28}' + ''.join(f'{name:>16}' for name in found))
    for row in rows:
        print(f'{row:28}' + ''.join(f'{times[row]:16.5g}' for times in found.values()))
    for row, base in (('recursion on floats', 'generated function'),
                      ('one call', 'pinocchio.rnea from Python'),
                      ('batch, per state', 'pinocchio.rnea from Python')):
        ratios = ''.join(f'{times[row] / times[base]:16.3g}' for times in found.values())
        print(f'{row} / {base}:\n{"":28}{ratios}')


if __name__ == '__main__':
    main()
