"""
What an update of each estimator costs at 7 and at 30 joints, and whether that meets the gate.

    .venv/bin/python benchmarks/estimator_cost.py

Every joint moves on a sine of its own, with an encoder's steps, a noisy velocity and irregular
stamps, so that everything is computed that is computed on a robot. The estimators take turns, and
a table is printed; docs/estimator_cost.json has its figures. The gate is for the filter that is
the default; whether the others meet it is reported as well.

"""

import argparse
import json
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from host import host

from urdf2dyn_ros.estimation.estimators import ESTIMATORS, EstimatorBase, Kalman, make_estimator

ROOT = Path(__file__).parents[1]
UPDATES, TURNS, SETTLING = 5000, 4, 500
JOINTS = (7, 30)
PERIOD, JITTER = 1_000_000, 50_000   # ns
START = 10**18
ENCODER_STEP, NOISE = 2.0 * np.pi / 2**17, 1e-3   # rad, rad/s
GATE = {'joints': 30, 'p50': 40.0, 'p99': 150.0}   # us

Samples = list[tuple[int, np.ndarray, np.ndarray]]


def motion(joints: int, updates: int) -> Samples:
    """Return the samples of moving joints: stamp [ns], q [rad], qd [rad/s]."""
    random = np.random.default_rng(0)
    stamps = START + PERIOD * np.arange(updates) + random.integers(0, JITTER, updates)
    w, phase = random.uniform(1.0, 6.0, joints), random.uniform(0.0, 6.0, joints)
    angle = w * (stamps - START)[:, None] * 1e-9 + phase
    q = np.round(0.5 * np.sin(angle) / ENCODER_STEP) * ENCODER_STEP
    qd = 0.5 * w * np.cos(angle) + NOISE * random.normal(size=q.shape)
    return list(zip(stamps.tolist(), q, qd))


def times(estimator: EstimatorBase, samples: Samples) -> np.ndarray:
    """Return the times of the updates [us], without the first few."""
    found = np.empty(len(samples))
    for k, (stamp, q, qd) in enumerate(samples):
        start = time.perf_counter()
        estimator.update(stamp, q, qd)
        found[k] = time.perf_counter() - start
    return 1e6 * found[min(SETTLING, len(samples) // 2):]


def contestants() -> dict[str, Callable[[int], EstimatorBase]]:
    """Return a constructor of each estimator, by its name in the table."""
    return {**{name: lambda joints, name=name: make_estimator(name, joints)
               for name in ESTIMATORS},
            'kalman, numpy': Kalman}


def measure(updates: int) -> dict[str, Any]:
    """Return the median and the 99th percentile of every estimator's update [us]."""
    all_times: dict[tuple[str, int], list[np.ndarray]] = {}
    for joints in JOINTS:
        samples = motion(joints, updates)
        for _ in range(TURNS):
            for name, make in contestants().items():
                all_times.setdefault((name, joints), []).append(times(make(joints), samples))
    rows: dict[str, Any] = {}
    for (name, joints), parts in all_times.items():
        median, high = np.percentile(np.concatenate(parts), [50, 99]).tolist()
        rows.setdefault(name, {})[str(joints)] = {'p50': round(median, 1), 'p99': round(high, 1)}
    for row in rows.values():
        row['gate_met'] = all(row[str(GATE['joints'])][each] <= GATE[each]
                              for each in ('p50', 'p99'))
    return {'host': host(), 'updates': TURNS * updates, 'gate': GATE, 'us': rows}


def show(found: dict[str, Any]) -> None:
    """Print a table."""
    gate = found['gate']
    print(f'{"[us]":22}{"7 joints: p50":>14}{"p99":>8}{"30 joints: p50":>16}{"p99":>8}'
          f'   at most {gate["p50"]:g} and {gate["p99"]:g} at {gate["joints"]}')
    for name, row in found['us'].items():
        few, many = (row[str(joints)] for joints in JOINTS)
        print(f'{name:22}{few["p50"]:14.1f}{few["p99"]:8.1f}{many["p50"]:16.1f}'
              f'{many["p99"]:8.1f}   {"met" if row["gate_met"] else "not met"}')


def main() -> None:
    """Measure, print a table and write the figures."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[1])
    parser.add_argument('--updates', type=int, default=UPDATES, help='in each turn')
    parser.add_argument('--output', type=Path, default=ROOT / 'docs',
                        help='where estimator_cost.json goes; by default docs/')
    arguments = parser.parse_args()
    found = measure(arguments.updates)
    show(found)
    (arguments.output / 'estimator_cost.json').write_text(json.dumps(found, indent=1) + '\n')


if __name__ == '__main__':
    main()
