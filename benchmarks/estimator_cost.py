"""
What an update of each estimator costs, at 7 and at 30 joints.

    .venv/bin/python benchmarks/estimator_cost.py

"""

from __future__ import annotations

import time
from collections.abc import Callable

import numpy as np

from urdf2dyn_ros.estimators import COMPILED, ESTIMATORS, Estimator, make_compiled, make_estimator

UPDATES, SETTLING = 5000, 500
PERIOD, JITTER = 1_000_000, 50_000   # ns


def cost(make: Callable[..., Estimator], name: str, joints: int) -> tuple[float, float]:
    """Return median and 99th percentile of the time of an update [us], at rest with noise."""
    random = np.random.default_rng(0)
    q, qd = (size * random.normal(size=(UPDATES, joints)) for size in (1e-5, 1e-3))
    stamps = (10**18 + PERIOD * np.arange(UPDATES) + random.integers(0, JITTER, UPDATES)).tolist()
    estimator = make(name, joints)
    times = np.empty(UPDATES)
    for k in range(UPDATES):
        start = time.perf_counter()
        estimator.update(stamps[k], q[k], qd[k])
        times[k] = time.perf_counter() - start
    median, high = np.percentile(times[SETTLING:], [50, 99]) * 1e6
    return float(median), float(high)


def main() -> None:
    """Print a table."""
    print(f'{"[us]":20}{"7 joints: p50":>16}{"p99":>8}{"30 joints: p50":>16}{"p99":>8}')
    for name, make in (*((name, make_estimator) for name in ESTIMATORS),
                       *((name, make_compiled) for name in COMPILED)):
        few, many = cost(make, name, 7), cost(make, name, 30)
        shown = f'{name}, C' if make is make_compiled else name
        print(f'{shown:20}{few[0]:16.1f}{few[1]:8.1f}{many[0]:16.1f}{many[1]:8.1f}')


if __name__ == '__main__':
    main()
