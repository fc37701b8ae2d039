"""
Hold and move an arm by its computed efforts: it is guided by hand, or follows a reference.

    python examples/gravity_compensation.py [ROBOT.urdf]
    python examples/gravity_compensation.py --ros-args -r commands:=/effort_controller/commands

The first simulates the robot by its own forward dynamics, with friction in the joints. The second
is a node: /joint_states and the efforts of forward_command_controller (Float64MultiArray), the
topic `mode` (String: gravity, feedforward or computed_torque) and `reference`
(trajectory_msgs/JointTrajectoryPoint). For a real arm, `urdf2dyn export --language ros2_control`
writes a controller in C++: it runs in the loop of the drives, at a constant rate, where Python
waits for messages and for its garbage collector, and it limits efforts, ramps, and stops by itself
when states are missing or wrong. This node does none of that: docs/controller.md.
"""

import sys
from contextlib import suppress
from pathlib import Path

try:
    import numpy as np

    from urdf2dyn_ros import InverseDynamics, Urdf2DynError
except ImportError as error:
    sys.exit(f"this example needs urdf2dyn_ros ({error}); in a clone of it: pip install '.[all]'")

URDF = Path(__file__).parent.parent / 'urdf' / 'rx90.urdf'
STEP, DAMPING = 1e-3, 3.0   # [s], friction over inertia [1/s]
KP, KD = 100.0, 20.0        # of errors of position [1/s^2] and velocity [1/s]: 10 rad/s, critical
MODES = ('gravity', 'feedforward', 'computed_torque')


def efforts(dynamics: InverseDynamics, mode: str, q: np.ndarray, qd: np.ndarray,
            reference: np.ndarray) -> np.ndarray:
    """Return the efforts (n,) of a mode in a state; the reference (3, n) is q, qd and qdd."""
    if mode == 'gravity':
        return np.asarray(dynamics.gravity(q))
    feedback = KP * (reference[0] - q) + KD * (reference[1] - qd)
    if mode == 'computed_torque':
        return np.asarray(dynamics(q, qd, reference[2] + feedback))
    return np.asarray(dynamics(*reference) + dynamics.mass_matrix(q).diagonal() * feedback)


def simulate(urdf: Path, mode: str, push: float, duration: float = 2.0) -> np.ndarray:
    """Return the change of q (n,) after a push of 0.2 s on the second joint [N m]."""
    dynamics = InverseDynamics(urdf)
    n = len(dynamics.joint_names)
    start = np.full(n, 0.4)
    q, qd, reference = start.copy(), np.zeros(n), np.array([start, np.zeros(n), np.zeros(n)])
    friction = DAMPING * dynamics.mass_matrix(start).diagonal()
    for step in range(round(duration / STEP)):
        tau = efforts(dynamics, mode, q, qd, reference) if mode else np.zeros(n)
        acting = tau - friction * qd                                    # the robot
        acting[min(1, n - 1)] += push if step * STEP < 0.2 else 0.0
        qd = qd + STEP * dynamics.forward_dynamics(q, qd, acting)
        q = q + STEP * qd
    return q - start


def spin() -> None:
    """Run the node until it is interrupted."""
    import rclpy
    from rclpy.executors import ExternalShutdownException
    from rclpy.node import Node
    from rclpy.qos import DurabilityPolicy, QoSProfile
    from sensor_msgs.msg import JointState
    from std_msgs.msg import Float64MultiArray, String
    from trajectory_msgs.msg import JointTrajectoryPoint

    class GravityCompensation(Node):
        def __init__(self) -> None:
            super().__init__('gravity_compensation')
            self.dynamics, self.mode, self.reference = None, MODES[0], None
            latched = QoSProfile(depth=1, durability=DurabilityPolicy.TRANSIENT_LOCAL)
            self.create_subscription(String, 'robot_description', self.on_description, latched)
            self.create_subscription(String, 'mode', self.on_mode, 1)
            self.create_subscription(JointTrajectoryPoint, 'reference', self.on_reference, 1)
            self.create_subscription(JointState, 'joint_states', self.on_state, 1)
            self.commands = self.create_publisher(Float64MultiArray, 'commands', 1)

        def on_description(self, message: String) -> None:
            self.dynamics, self.reference = InverseDynamics(message.data), None

        def on_mode(self, message: String) -> None:
            if message.data in MODES:   # it holds where it is until a reference comes
                self.mode, self.reference = message.data, None
            else:
                self.get_logger().warning(f'mode {message.data!r}: one of {", ".join(MODES)}')

        def on_reference(self, message: JointTrajectoryPoint) -> None:
            n = len(self.dynamics.joint_names) if self.dynamics else 0
            rows = [message.positions, message.velocities, message.accelerations]
            if n and len(rows[0]) == n and all(len(row) in (0, n) for row in rows):
                self.reference = np.array([row if len(row) else [0.0] * n for row in rows])

        def on_state(self, message: JointState) -> None:
            states = dict(zip(message.name, zip(message.position, message.velocity)))
            if self.dynamics is None or not states.keys() >= {*self.dynamics.joint_names}:
                return
            q, qd = np.array([states[name] for name in self.dynamics.joint_names]).T
            if self.reference is None or self.mode == MODES[0]:
                self.reference = np.array([q, 0.0 * q, 0.0 * q])
            tau = efforts(self.dynamics, self.mode, q, qd, self.reference)
            self.commands.publish(Float64MultiArray(data=tau.tolist()))

    rclpy.init()
    with suppress(KeyboardInterrupt, ExternalShutdownException):   # Ctrl-C, or ros2 launch ends it
        rclpy.spin(GravityCompensation())


def main() -> None:
    """Print by how much the joints move, or run the node."""
    if '--ros-args' in sys.argv:
        spin()
        return
    urdf = Path(sys.argv[1]) if len(sys.argv) > 1 else URDF
    with np.printoptions(precision=4, suppress=True):
        print('without compensation, after 0.3 s [rad]:', simulate(urdf, '', 0.0, 0.3))
        print('with compensation, after 2 s [rad]:     ', simulate(urdf, 'gravity', 0.0))
        for mode in MODES:
            print(f'{mode}, pushed with 20 N m for 0.2 s [rad]:', simulate(urdf, mode, 20.0))


if __name__ == '__main__':
    try:
        main()
    except (Urdf2DynError, OSError, ValueError) as error:
        sys.exit(f'{error}; in a clone of the repository: '
                 'python examples/gravity_compensation.py [ROBOT.urdf]')
