"""
Swing up the pole of a cart by iLQR, whose derivatives are exact, and by one with differences.

    python examples/mpc_pendulum.py [PICTURE.png]

Only the cart has a motor: it pulls the pole up by swinging it. The derivatives of all instants are
one call of `forward_dynamics_derivatives`; the other version takes central differences of
`forward_dynamics`, also in one call. A controller solves this again at each instant, from the
state that it measures. The picture has the motion, the force and the cost.
"""

import sys
import time
from collections.abc import Callable
from pathlib import Path

try:
    import numpy as np

    from urdf2dyn_ros import InverseDynamics, Urdf2DynError
except ImportError as error:
    sys.exit(f"this example needs urdf2dyn_ros ({error}); in a clone of it: pip install '.[all]'")

try:
    from matplotlib.figure import Figure
except ImportError as error:
    sys.exit(f'this example needs matplotlib ({error}): pip install matplotlib')

URDF = """<robot name="cart_pole"><link name="rail"/>
<link name="cart"><inertial><mass value="1"/>
<inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="1"/></inertial></link>
<link name="pole"><inertial><origin xyz="0 0 -0.3"/><mass value="0.3"/>
<inertia ixx="0.009" ixy="0" ixz="0" iyy="0.009" iyz="0" izz="0.0001"/></inertial></link>
<joint name="slide" type="prismatic"><parent link="rail"/><child link="cart"/><axis xyz="1 0 0"/>
<limit lower="-2" upper="2" effort="20" velocity="10"/></joint>
<joint name="swing" type="continuous"><parent link="cart"/><child link="pole"/>
<axis xyz="0 1 0"/></joint></robot>"""
STEP, STEPS, ITERATIONS = 0.02, 120, 40   # [s]
UPRIGHT = np.array([0.0, np.pi, 0.0, 0.0])   # q, qd
RUNNING, FINAL = np.array([0.4, 0.4, 0.02, 0.02]), np.array([400.0, 800.0, 40.0, 40.0])
EFFORT = 0.02
"""Weights of the squares of what a state lacks, at all instants and at the last, and of forces."""

dynamics = InverseDynamics(URDF)
Matrices = tuple[np.ndarray, np.ndarray]


def moved(x: np.ndarray, u: np.ndarray) -> np.ndarray:
    """Return the states (4,) or (N, 4) after a step of semi-implicit Euler, by a force each."""
    q, qd = x[..., :2], x[..., 2:]
    tau = np.stack([u, np.zeros_like(u)], -1)
    faster = qd + STEP * dynamics.forward_dynamics(q, qd, tau)
    return np.concatenate([q + STEP * faster, faster], -1)


def exact(x: np.ndarray, u: np.ndarray) -> Matrices:
    """Return the derivatives of `moved` (N, 4, 4) and (N, 4) from those of the accelerations."""
    tau = np.stack([u, np.zeros_like(u)], -1)
    _, by_q, by_qd, by_tau = dynamics.forward_dynamics_derivatives(x[:, :2], x[:, 2:], tau)
    faster = np.concatenate([STEP * by_q, np.eye(2) + STEP * by_qd], 2)
    place = np.concatenate([np.eye(2) + 0.0 * by_q, 0.0 * by_q], 2) + STEP * faster
    push = STEP * by_tau[:, :, 0]
    return np.concatenate([place, faster], 1), np.concatenate([STEP * push, push], 1)


def differences(x: np.ndarray, u: np.ndarray, width: float = 1e-5) -> Matrices:
    """Return the same by central differences: ten states for each of them."""
    change = width * np.concatenate([np.eye(5), -np.eye(5)])[:, None, :]
    states = (np.concatenate([x, u[:, None]], 1) + change).reshape(-1, 5)
    ends = moved(states[:, :4], states[:, 4]).reshape(10, -1, 4)
    slopes = (ends[:5] - ends[5:]).transpose(1, 2, 0) / (2.0 * width)
    return slopes[:, :, :4], slopes[:, :, 4]


def cost(x: np.ndarray, u: np.ndarray) -> float:
    """Return the sum over all instants, and what the last state lacks."""
    away = x - UPRIGHT
    return float((RUNNING * away[:-1] ** 2).sum() + EFFORT * u @ u + (FINAL * away[-1] ** 2).sum())


def gains(x: np.ndarray, u: np.ndarray, A: np.ndarray, B: np.ndarray) -> Matrices:
    """Return the change of the forces (N,) and their feedback (N, 4): Riccati, backwards."""
    change, feedback = np.zeros(len(u)), np.zeros((len(u), 4))
    slope, curvature = 2.0 * FINAL * (x[-1] - UPRIGHT), np.diag(2.0 * FINAL)
    for k in range(len(u) - 1, -1, -1):
        a, b = A[k], B[k]
        of_u = 2.0 * EFFORT * u[k] + b @ slope
        of_x = 2.0 * RUNNING * (x[k] - UPRIGHT) + a.T @ slope
        uu, ux = 2.0 * EFFORT + b @ curvature @ b, b @ curvature @ a
        change[k], feedback[k] = -of_u / uu, -ux / uu
        slope = of_x + ux * change[k]
        curvature = np.diag(2.0 * RUNNING) + a.T @ curvature @ a + np.outer(ux, feedback[k])
    return change, feedback


def rolled_out(x: np.ndarray, u: np.ndarray, change: np.ndarray, feedback: np.ndarray,
               part: float) -> Matrices:
    """Return the motion (N + 1, 4) and the forces with a part of the change."""
    new, forces = x.copy(), u.copy()
    for k in range(len(u)):
        forces[k] += part * change[k] + feedback[k] @ (new[k] - x[k])
        new[k + 1] = moved(new[k], forces[k])
    return new, forces


def swing_up(derivatives: Callable[[np.ndarray, np.ndarray], Matrices],
             ) -> tuple[np.ndarray, np.ndarray, list[float], np.ndarray]:
    """Return motion, forces, the cost of each iteration, and two median times [s]."""
    u, times = 0.5 * np.sin(np.arange(STEPS) * STEP * 4.0), []
    x, u = rolled_out(np.zeros((STEPS + 1, 4)), u, 0.0 * u, np.zeros((STEPS, 4)), 0.0)
    costs = [cost(x, u)]
    while len(costs) <= ITERATIONS:
        begin = time.perf_counter()
        A, B = derivatives(x[:-1], u)
        middle = time.perf_counter()
        change, feedback = gains(x, u, A, B)
        for part in 0.5 ** np.arange(10):
            found = rolled_out(x, u, change, feedback, part)
            if cost(*found) < costs[-1]:
                x, u = found
                break
        times.append((middle - begin, time.perf_counter() - begin))
        costs.append(cost(x, u))
        if costs[-2] - costs[-1] < 1e-4 * costs[-1]:
            break
    return x, u, costs, np.median(times, axis=0)


def draw(x: np.ndarray, u: np.ndarray, costs: dict[str, list[float]], path: Path) -> None:
    """Draw the pole at several instants, the force, and the cost of both versions."""
    figure = Figure(figsize=(9, 6), layout='constrained')
    above, below = figure.subfigures(2, 1, height_ratios=(1.2, 1))
    motion = above.subplots()
    for k in range(0, len(x), 5):
        cart, angle = x[k, :2]
        shade = str(0.85 - 0.75 * k / len(x))
        motion.plot([cart, cart - 0.6 * np.sin(angle)], [0, -0.6 * np.cos(angle)], color=shade,
                    lw=2, marker='o', markevery=[1])
        motion.plot(cart, 0, 's', color=shade, ms=9)
    motion.set(aspect='equal', xlabel='x [m]', ylabel='z [m]',
               title=f'The pole every {5 * STEP:g} s, dark at the end')
    motion.locator_params(axis='x', nbins=3)
    left, right = below.subplots(1, 2)
    left.plot(np.arange(len(u)) * STEP, u, color='#0072B2')
    left.set(xlabel='time [s]', ylabel='force on the cart [N]')
    for (name, values), style in zip(costs.items(), ('-', '--')):
        right.semilogy(values, style, label=name, color='#0072B2' if style == '-' else '#E69F00')
    right.set(xlabel='iteration', ylabel='cost')
    right.legend()
    figure.savefig(path, dpi=100)


def main() -> None:
    """Print the time of an iteration, and draw."""
    path = Path(sys.argv[1] if len(sys.argv) > 1 else 'mpc_pendulum.png')
    for function in (exact, differences):
        function(np.zeros((2, 4)), np.zeros(2))   # compiled
    costs = {}
    for name, derivatives in (('finite differences', differences), ('exact derivatives', exact)):
        x, u, costs[name], (of_derivatives, whole) = swing_up(derivatives)
        print(f'{name}: {len(costs[name]) - 1} iterations of {1e3 * whole:.2f} ms, of which the '
              f'derivatives take {1e6 * of_derivatives:.0f} us')
    A, B = exact(x[:-1], u)
    C, D = differences(x[:-1], u)
    print(f'they differ by {max(np.abs(A - C).max(), np.abs(B - D).max()):.1e} at most')
    print(f'upright after {STEPS * STEP:g} s within {abs(x[-1, 1] - np.pi):.4f} rad; '
          f'largest force {np.abs(u).max():.1f} N')
    draw(x, u, costs, path)
    print(path)


if __name__ == '__main__':
    try:
        main()
    except (Urdf2DynError, OSError, ValueError) as error:
        sys.exit(f'{error}; in a clone of the repository: '
                 'python examples/mpc_pendulum.py [PICTURE.png]')
