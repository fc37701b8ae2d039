"""
Hold an arm by its gravity efforts alone: it stays where it is, and a push moves it freely.

    python examples/gravity_compensation.py [ROBOT.urdf]

The robot is simulated by its own forward dynamics, with friction in the joints. On a real robot
the loop reads positions from the driver and sends the efforts to it: docs/gravity_compensation.md.
"""

import sys
from pathlib import Path

try:
    import numpy as np

    from urdf2dyn_ros import InverseDynamics, Urdf2DynError
except ImportError as error:
    sys.exit(f"this example needs urdf2dyn_ros ({error}); in a clone of it: pip install '.[all]'")

URDF = Path(__file__).parent.parent / 'urdf' / 'rx90.urdf'
STEP, DAMPING = 1e-3, 3.0   # [s], friction over inertia [1/s]


def simulate(urdf: Path, compensation: bool, push: float, duration: float = 2.0) -> np.ndarray:
    """Return the change of q (n,) after a push of 0.2 s on the second joint [N m]."""
    dynamics = InverseDynamics(urdf)
    n = len(dynamics.joint_names)
    start = np.full(n, 0.4)
    q, qd = start.copy(), np.zeros(n)
    friction = DAMPING * dynamics.mass_matrix(start).diagonal()
    for step in range(round(duration / STEP)):
        tau = dynamics.gravity(q) if compensation else np.zeros(n)      # the controller
        acting = tau - friction * qd                                    # the robot
        acting[min(1, n - 1)] += push if step * STEP < 0.2 else 0.0
        qd = qd + STEP * dynamics.forward_dynamics(q, qd, acting)
        q = q + STEP * qd
    return q - start


def main() -> None:
    """Print by how much the joints move."""
    urdf = Path(sys.argv[1]) if len(sys.argv) > 1 else URDF
    with np.printoptions(precision=4, suppress=True):
        print('without compensation, after 0.3 s [rad]:', simulate(urdf, False, 0.0, 0.3))
        print('with compensation, after 2 s [rad]:     ', simulate(urdf, True, 0.0))
        print('pushed with 20 N m for 0.2 s [rad]:     ', simulate(urdf, True, 20.0))


if __name__ == '__main__':
    try:
        main()
    except (Urdf2DynError, OSError, ValueError) as error:
        sys.exit(f'{error}; in a clone of the repository: '
                 'python examples/gravity_compensation.py [ROBOT.urdf]')
