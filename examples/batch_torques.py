"""
Compute the efforts of a million states of an arm, on one thread and on two: best of five times.

    python examples/batch_torques.py [ROBOT.urdf] [STATES]
"""

import sys
import time
from pathlib import Path

try:
    import numpy as np

    from urdf2dyn_ros import InverseDynamics, Urdf2DynError
except ImportError as error:
    sys.exit(f"this example needs urdf2dyn_ros ({error}); in a clone of it: pip install '.[all]'")

URDF = Path(__file__).parent.parent / 'urdf' / 'rx90.urdf'


def main() -> None:
    """Print the time per state, and the largest effort of each joint."""
    dynamics = InverseDynamics(sys.argv[1] if len(sys.argv) > 1 else URDF)
    states = int(sys.argv[2]) if len(sys.argv) > 2 else 1_000_000
    shape = states, len(dynamics.joint_names)
    q, qd, qdd = (np.random.default_rng(seed).uniform(-1.0, 1.0, shape) for seed in range(3))
    for threads in (1, 2):
        dynamics = InverseDynamics(dynamics.model, threads=threads)
        dynamics(q[:100], qd[:100], qdd[:100])   # compiled before the time is taken
        times = []
        for _ in range(5):
            start = time.perf_counter()
            tau = dynamics(q, qd, qdd)
            times.append(time.perf_counter() - start)
        seconds = min(times)
        print(f'{states} states, threads={threads}: {seconds:.3f} s, '
              f'{1e9 * seconds / states:.0f} ns a state')
    for name, unit, largest in zip(dynamics.joint_names, dynamics.effort_units,
                                   np.abs(tau).max(axis=0)):
        print(f'{name}: at most {largest:.4g} {unit}')


if __name__ == '__main__':
    try:
        main()
    except (Urdf2DynError, OSError, ValueError) as error:
        sys.exit(f'{error}; in a clone of the repository: '
                 'python examples/batch_torques.py [ROBOT.urdf] [STATES]')
