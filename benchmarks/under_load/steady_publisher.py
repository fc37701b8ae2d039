"""
A process that publishes joint states of a known motion at a steady rate.

    python steady_publisher.py '["joint1", "joint2"]' stamps.npy
"""

from __future__ import annotations

import gc
import json
import signal
import sys
import time
from array import array

import numpy as np
import rclpy
from numpy.typing import NDArray
from rclpy.signals import SignalHandlerOptions
from sensor_msgs.msg import JointState

Array = NDArray[np.float64]

STEP = 1e-3   # between two messages [s]
PERIOD = 2_000_000_000   # of the motion [ns], to which stamps are reduced before float
SPEED = 2.0 * np.pi / (PERIOD * 1e-9)
AMPLITUDE = 0.4


def motion(stamp: int, joints: int) -> tuple[Array, Array]:
    """Return q and qd at a stamp [ns], each (joints,): sines of 0.5 Hz, one after the other."""
    phase = SPEED * (stamp % PERIOD) * 1e-9 + np.arange(joints)
    return AMPLITUDE * np.sin(phase), AMPLITUDE * SPEED * np.cos(phase)


def publish(names: list[str], stopped: list[int]) -> list[int]:
    """Publish until a signal, from the first subscription on; return the stamps [ns]."""
    node = rclpy.create_node('robot')
    publisher = node.create_publisher(JointState, 'joint_states', 10)
    joints, zeros, sent = len(names), array('d', bytes(8 * len(names))), []
    message = JointState(name=names, position=zeros, velocity=zeros, effort=zeros)
    q, qd = (np.frombuffer(field) for field in (message.position, message.velocity))
    while not (publisher.get_subscription_count() or stopped):
        time.sleep(0.01)
    gc.disable()
    due = time.monotonic()
    while not stopped:
        due = max(due + STEP, time.monotonic() - 0.1)
        time.sleep(max(due - time.monotonic(), 0.0))
        stamp = time.time_ns()
        q[:], qd[:] = motion(stamp, joints)
        message.header.stamp.sec, message.header.stamp.nanosec = divmod(stamp, 10**9)
        publisher.publish(message)
        sent.append(stamp)
    return sent


def main() -> None:
    """Write the stamps after a signal."""
    rclpy.init(signal_handler_options=SignalHandlerOptions.NO)
    stopped: list[int] = []
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda number, frame: stopped.append(number))
    np.save(sys.argv[2], np.array(publish(json.loads(sys.argv[1]), stopped), dtype=np.int64))
    rclpy.try_shutdown()


if __name__ == '__main__':
    main()
