"""
Compare efforts with those of MuJoCo, at random states of an arm.

    pip install mujoco
    python examples/compare_with_mujoco.py [ROBOT.urdf]

MuJoCo reads the same URDF. Its joints are matched by name.
"""

import re
import sys
from pathlib import Path

try:
    import numpy as np

    from urdf2dyn_ros import InverseDynamics, Urdf2DynError
except ImportError as error:
    sys.exit(f"this example needs urdf2dyn_ros ({error}); in a clone of it: pip install '.[all]'")

try:
    import mujoco
except ImportError as error:
    sys.exit(f'this example needs MuJoCo ({error}): pip install mujoco')

URDF = Path(__file__).parent.parent / 'urdf' / 'rx90.urdf'
COMPILER = '<mujoco><compiler balanceinertia="false" discardvisual="true"/></mujoco>'


def largest_difference(urdf: Path, states: int = 100) -> float:
    """Return the largest difference [N m or N] over the largest effort."""
    dynamics = InverseDynamics(urdf)
    n = len(dynamics.joint_names)
    text = re.sub(r'</robot>\s*$', f'{COMPILER}</robot>', urdf.read_text())
    try:
        model = mujoco.MjModel.from_xml_string(text)
    except ValueError as error:   # docs/compare_with_a_simulator.md has the usual reasons
        sys.exit(f'MuJoCo does not read {urdf}: {" ".join(str(error).split())}')
    model.opt.disableflags |= int(mujoco.mjtDisableBit.mjDSBL_CONSTRAINT)   # contacts, limits
    model.dof_damping[:] = 0.0   # friction is off by default in urdf2dyn_ros as well
    data = mujoco.MjData(model)
    places = [model.joint(name).dofadr[0] for name in dynamics.joint_names]
    q, qd, qdd = np.random.default_rng(0).uniform(-1.0, 1.0, (3, states, n))
    theirs = np.empty((states, n))
    for k in range(states):
        data.qpos[places], data.qvel[places], data.qacc[places] = q[k], qd[k], qdd[k]
        mujoco.mj_inverse(model, data)
        theirs[k] = data.qfrc_inverse[places]
    ours = dynamics(q, qd, qdd)
    return float(np.abs(ours - theirs).max() / np.abs(theirs).max())


def main() -> None:
    """Print the difference."""
    urdf = Path(sys.argv[1]) if len(sys.argv) > 1 else URDF
    print(f'largest difference, relative: {largest_difference(urdf):.1e}')


if __name__ == '__main__':
    try:
        main()
    except (Urdf2DynError, OSError, ValueError) as error:
        sys.exit(f'{error}; in a clone of the repository: '
                 'python examples/compare_with_mujoco.py [ROBOT.urdf]')
