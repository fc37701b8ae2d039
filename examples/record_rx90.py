"""
Write rx90.csv and rx90.mcap in this folder: six seconds of a simulated RX-90 at 100 Hz.

    pip install '.[recordings]' dartpy
    python examples/record_rx90.py [FOLDER]

An arm in the physics engine DART follows a smooth motion of all joints. Positions, velocities and
efforts are those of the engine, without noise. Both files have the same samples.
"""

import sys
import tempfile
from pathlib import Path

try:
    import numpy as np

    from urdf2dyn_ros import (
        SmoothTrajectory,
        Urdf2DynError,
        computed_torque,
        read_urdf,
        simulator_class,
    )
except ImportError as error:
    sys.exit(f"this example needs urdf2dyn_ros ({error}); in a clone of it: pip install '.[all]'")

try:
    import dartpy  # noqa: F401 - of which the simulator asks when the work begins
    from rosbags.rosbag2 import StoragePlugin, Writer
    from rosbags.typesys import Stores, get_typestore
except ImportError as error:
    sys.exit(f'this example needs dartpy and rosbags ({error}): '
             "pip install '.[recordings]' dartpy")

HERE = Path(__file__).parent
DURATION, RATE, STEPS = 6.0, 100, 10
"""Of the recording [s] and its samples [1/s]; physics steps for each sample."""


def simulate() -> tuple[tuple[str, ...], np.ndarray]:
    """Return the n joints, and a row for each sample: time, q, qd and effort (1 + 3 n,)."""
    model = read_urdf(HERE.parent / 'urdf' / 'rx90.urdf')
    simulator = simulator_class('dart')(model, dt=1.0 / (RATE * STEPS))
    motion = SmoothTrajectory([joint.type for joint in model.joints],
                              [joint.limits for joint in model.joints], DURATION)
    simulator.set_state(*motion(0.0)[:2])
    rows = []
    for step in range(round(DURATION * RATE * STEPS)):
        sample = simulator.step(computed_torque(simulator, *motion(simulator.time)))
        if step % STEPS == 0:
            rows.append(np.concatenate([[sample.time], sample.q, sample.velocity, sample.net]))
    return simulator.joint_names, np.array(rows)


def write_csv(path: Path, joints: tuple[str, ...], rows: np.ndarray) -> None:
    """Write columns time [s], q_, qd_ and effort_<joint> [rad], [rad/s], [N m]."""
    columns = ['time', *(f'{what}_{name}' for what in ('q', 'qd', 'effort') for name in joints)]
    n = len(joints)
    formats = ['%.2f'] + ['%.9f'] * n + ['%.8f'] * n + ['%.6f'] * n
    np.savetxt(path, rows, formats, delimiter=',', header=','.join(columns), comments='')


def write_mcap(path: Path, joints: tuple[str, ...], rows: np.ndarray) -> None:
    """Write messages sensor_msgs/JointState on /joint_states."""
    store = get_typestore(Stores.ROS2_HUMBLE)
    kind = 'sensor_msgs/msg/JointState'
    with tempfile.TemporaryDirectory() as folder:
        bag = Path(folder) / 'rx90'
        with Writer(bag, version=8, storage_plugin=StoragePlugin.MCAP) as writer:
            topic = writer.add_connection('/joint_states', kind, typestore=store)
            for row in rows:
                stamp = 1_000_000_000 + round(row[0] * 1e9)   # a stamp of zero means: none
                header = store.types['std_msgs/msg/Header'](
                    store.types['builtin_interfaces/msg/Time'](*divmod(stamp, 10**9)), '')
                message = store.types[kind](header, list(joints), *row[1:].reshape(3, -1))
                writer.write(topic, stamp, store.serialize_cdr(message, kind))
        path.write_bytes((bag / 'rx90.mcap').read_bytes())


def main() -> None:
    """Simulate once, write both files."""
    folder = Path(sys.argv[1]) if len(sys.argv) > 1 else HERE
    joints, rows = simulate()
    write_csv(folder / 'rx90.csv', joints, rows)
    write_mcap(folder / 'rx90.mcap', joints, rows)


if __name__ == '__main__':
    try:
        main()
    except (Urdf2DynError, OSError, ValueError) as error:
        sys.exit(f'{error}; in a clone of the repository: '
                 'python examples/record_rx90.py [FOLDER]')
