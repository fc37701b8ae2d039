"""
Inverse dynamics for CasADi and JAX, beside adam and frax.

    python benchmarks/optimisers.py

CasADi: instructions of the function tau(q, qd, qdd) of SX, which are its cost. JAX: seconds until
the first batch is there, and microseconds a state on a batch of 20,000 in double precision. adam
has M(q) and the bias alone: M qdd + bias, both from one call. What is not installed is left out:
pip install 'adam-robotics[jax,casadi]' frax. Efforts differ in the fifth digit, since gravity is
9.80665 m/s^2 there; each row is checked against ours with that.
"""

import os
import re
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

os.environ['JAX_ENABLE_X64'] = '1'

import casadi
import jax
import numpy as np
from jax import numpy as jnp

from urdf2dyn_ros import InverseDynamics, lock_joints, read_urdf
from urdf2dyn_ros.robot.writer import clean_urdf

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / 'test'))
from support.robot_files import EXAMPLES

ROBOTS = {'UR5': (EXAMPLES / 'ur_description/urdf/ur5_robot.urdf', {}),
          'Panda': (EXAMPLES / 'panda_description/urdf/panda.urdf', {'panda_finger_joint1': 0.0})}
BATCH, RUNS = 20_000, 5
GRAVITY = (0.0, 0.0, -9.80665)   # [m/s^2], as adam's


def with_adam(path: str, names: list[str]) -> tuple[Callable[..., Any], Callable[..., Any]]:
    """Return efforts of columns in CasADi, and of batches in JAX."""
    from adam.casadi import KinDynComputations as InCasadi
    from adam.jax import KinDynComputations as InJax
    symbolic, batched = InCasadi(path, names), InJax(path, names)

    def of_columns(q: Any, qd: Any, qdd: Any) -> Any:
        at = casadi.SX.eye(4)
        M = symbolic.mass_matrix_fun()(at, q)[6:, 6:]
        return M @ qdd + symbolic.bias_force_fun()(at, q, casadi.SX.zeros(6), qd)[6:]

    def of_batch(q: Any, qd: Any, qdd: Any) -> Any:
        at, still = jnp.broadcast_to(jnp.eye(4), (len(q), 4, 4)), jnp.zeros((len(q), 6))
        M = batched.mass_matrix(at, q)[:, 6:, 6:]
        return (M @ qdd[..., None])[..., 0] + batched.bias_force(at, q, still, qd)[:, 6:]

    return of_columns, of_batch


def with_frax(path: str, names: list[str]) -> tuple[None, Callable[..., Any]]:
    import frax
    robot = frax.Robot(path)
    upwards = jnp.array([0.0, 0.0, -GRAVITY[2], 0.0, 0.0, 0.0])
    assert [*robot.joint_names] == names
    return None, jax.vmap(lambda q, qd, qdd: robot.rnea(
        q, qd, qdd, upwards, jnp.zeros((robot.nv, 6))))


def main() -> None:
    random = np.random.default_rng(0)
    for robot, (source, locked) in ROBOTS.items():
        model = lock_joints(read_urdf(source.read_bytes()), locked)
        dynamics = InverseDynamics(model, gravity=GRAVITY)
        n, names = dynamics.n, list(dynamics.joint_names)
        motion = random.uniform(-1.0, 1.0, (3, BATCH, n))
        expected = dynamics(*motion)
        with tempfile.NamedTemporaryFile('w', suffix='.urdf') as file:
            text = re.sub(r'(?s)<transmission.*?</transmission>', '', clean_urdf(model))
            file.write(text)   # frax reads no transmission of another version
            file.flush()
            path = file.name
            ours = dynamics.function('casadi'), dynamics.function('jax')
            for name, peer in (('urdf2dyn_ros', None), ('adam', with_adam), ('frax', with_frax)):
                try:
                    of_columns, of_batch = peer(path, names) if peer else ours
                except ImportError as error:
                    print(f'{robot}, {name}: left out: {error}')
                    continue
                said = [f'{robot}, {name}:']
                if of_columns is not None:
                    said.append(counted(of_columns, motion[:, 0], expected[0]))
                if of_batch is not None:
                    said.append(timed(of_batch, motion, expected))
                print(' '.join(said), flush=True)


def counted(of_columns: Callable[..., Any], motion: Any, expected: Any) -> str:
    symbols = [casadi.SX.sym(name, motion.shape[1]) for name in ('q', 'qd', 'qdd')]
    function = casadi.Function('tau', symbols, [of_columns(*symbols)])
    check(np.array(function(*motion)).ravel(), expected)
    return f'{function.n_instructions()} instructions of CasADi'


def timed(of_batch: Callable[..., Any], motion: Any, expected: Any) -> str:
    function, arrays = jax.jit(of_batch), [*map(jnp.array, motion)]
    took = []
    for _ in range(1 + RUNS):
        begin = time.perf_counter()
        found = function(*arrays).block_until_ready()
        took.append(time.perf_counter() - begin)
    check(np.array(found), expected)
    return f'JAX: {took[0]:.1f} s, then {min(took[1:]) / BATCH * 1e6:.2f} us a state'


def check(found: Any, expected: Any) -> None:
    worst = np.abs(found - expected).max() / np.abs(expected).max()
    assert worst < 1e-4, worst   # adam's inertias are those of its own reader


if __name__ == '__main__':
    main()
