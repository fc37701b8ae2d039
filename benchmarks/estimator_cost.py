"""
What an update of each estimator costs, at 7 and at 30 joints.

    .venv/bin/python benchmarks/estimator_cost.py

"""

from __future__ import annotations

import time

import numpy as np

from urdf2dyn_ros.estimators import ESTIMATORS, make_estimator

UPDATES, SETTLING = 5000, 500
PERIOD = 1_000_000   # ns


def cost(name: str, joints: int) -> tuple[float, float]:
    """Return median and 99th percentile of the time of an update [us], at rest with noise."""
    random = np.random.default_rng(0)
    q, qd = (size * random.normal(size=(UPDATES, joints)) for size in (1e-5, 1e-3))
    estimator = make_estimator(name, joints)
    times = np.empty(UPDATES)
    for k in range(UPDATES):
        start = time.perf_counter()
        estimator.update(10**18 + k * PERIOD, q[k], qd[k])
        times[k] = time.perf_counter() - start
    median, high = np.percentile(times[SETTLING:], [50, 99]) * 1e6
    return float(median), float(high)


def main() -> None:
    """Print a table."""
    print(f'{"[us]":20}{"7 joints: p50":>16}{"p99":>8}{"30 joints: p50":>16}{"p99":>8}')
    for name in ESTIMATORS:
        few, many = cost(name, 7), cost(name, 30)
        print(f'{name:20}{few[0]:16.1f}{few[1]:8.1f}{many[0]:16.1f}{many[1]:8.1f}')


if __name__ == '__main__':
    main()
