"""
Find what an RX-90 carries from a recording of its motion, by gradients of JAX.

    python examples/fit_payload_jax.py

The efforts of 400 states are those of the arm with an unknown tool, and noise of 1 N m. Mass and
centre of mass are found by Gauss and Newton: `jacfwd` of the residual, which is one call of the
equations on all states at once.
"""

import sys
from pathlib import Path

try:
    import numpy as np

    from urdf2dyn_ros import InverseDynamics, Loads, Payload, Urdf2DynError
except ImportError as error:
    sys.exit(f"this example needs urdf2dyn_ros ({error}); in a clone of it: pip install '.[all]'")

try:
    import jax
except ImportError as error:
    sys.exit(f'this example needs jax ({error}): pip install jax')

ROBOT = Path(__file__).parent.parent / 'urdf' / 'rx90.urdf'
TOOL = Payload(3.2, (0.03, -0.02, 0.12))   # to be found: mass [kg], centre [m] in link6
STATES, NOISE, STEPS = 400, 1.0, 6   # NOISE in [N m]


def main() -> None:
    if not ROBOT.is_file():
        sys.exit(f'{ROBOT}: not found; run this example in a clone of the repository')
    jax.config.update('jax_enable_x64', True)
    dynamics = InverseDynamics(ROBOT, loads=Loads(payload='link6'))
    random = np.random.default_rng(0)
    q, qd, qdd = (scale * random.uniform(-1.0, 1.0, (STATES, dynamics.n))
                  for scale in (2.0, 2.0, 6.0))
    measured = dynamics(q, qd, qdd, payload=TOOL) + NOISE * random.normal(size=q.shape)
    inverse_dynamics = dynamics.function('jax')

    @jax.jit
    def residual(tool: jax.Array) -> jax.Array:
        """Return what is left of the efforts with mass and first moments (4,) of a tool."""
        numbers = jax.numpy.concatenate([tool[:1], tool[1:] / tool[0], jax.numpy.zeros(6)])
        payload = jax.numpy.broadcast_to(numbers, (STATES, 10))
        return (inverse_dynamics(q, qd, qdd, payload) - measured).ravel()

    by_tool = jax.jit(jax.jacfwd(residual))
    tool = np.array([1.0, 0.0, 0.0, 0.0])   # mass [kg], first moments [kg m]
    for _ in range(STEPS):
        tool = tool - np.linalg.lstsq(by_tool(tool), residual(tool), rcond=None)[0]
    rms = float(np.sqrt(np.mean(np.square(residual(tool)))))
    centre = ' '.join(f'{x:.3f}' for x in tool[1:] / tool[0])
    print(f'mass {tool[0]:.2f} kg, centre of mass {centre} m in link6')
    print(f'residual {rms:.2f} N m, noise {NOISE:.2f} N m, {STATES} states')


if __name__ == '__main__':
    try:
        main()
    except (Urdf2DynError, OSError) as error:
        sys.exit(f'{error}; usage: python examples/fit_payload_jax.py')
