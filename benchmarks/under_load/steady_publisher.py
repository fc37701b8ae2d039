"""
A process that publishes joint states of a known motion at a steady rate.

    python steady_publisher.py '["joint1", "joint2"]' [stamps.npy]

It reads orders, lines of JSON on standard input with some attributes of `Orders` each,
until SIGINT or the end of that input; then it writes the stamps it has sent. The motion depends on
the stamp alone, so the expected efforts follow from the stamp of an output.

"""

from __future__ import annotations

import gc
import json
import signal
import sys
import threading
import time
from array import array
from dataclasses import dataclass

import numpy as np
import rclpy
from numpy.typing import NDArray
from rclpy.signals import SignalHandlerOptions
from sensor_msgs.msg import JointState

Array = NDArray[np.float64]

PERIOD = 2_000_000_000
"""Period of the motion [ns], to which stamps are reduced before conversion to float."""
SPEED = 2.0 * np.pi / (PERIOD * 1e-9)
AMPLITUDE = 0.4


def motion(stamp: int, joints: int) -> tuple[Array, Array, Array]:
    """Return q, qd, qdd at a stamp [ns], each (joints,): sines of 0.5 Hz, one after the other."""
    phase = SPEED * (stamp % PERIOD) * 1e-9 + np.arange(joints)
    sine, cosine = np.sin(phase), np.cos(phase)
    return (AMPLITUDE * sine, AMPLITUDE * SPEED * cosine, -AMPLITUDE * SPEED * SPEED * sine)


@dataclass
class Orders:
    """
    What the publisher does at the moment.

    Attributes
    ----------
    rate : float
        [1/s].
    offset : float
        Of the stamps from the clock [s].
    loop : float
        Length of a piece that is played again and again [s]; 0 for none.
    nan : bool
        Whether the first position is NaN.
    listeners : int
        How many there must be before it begins.
    stop : bool

    """

    rate: float = 1000.0
    offset: float = 0.0
    loop: float = 0.0
    nan: bool = False
    listeners: int = 1
    stop: bool = False


def listen(orders: Orders) -> None:
    """Read settings from standard input, in a thread; its end ends the process."""
    for line in sys.stdin:
        for name, value in json.loads(line).items():
            setattr(orders, name, value)
    orders.stop = True


def publish(names: list[str], orders: Orders, sent: array[int]) -> None:
    """Publish until the end of standard input."""
    node = rclpy.create_node('robot')
    publisher = node.create_publisher(JointState, 'joint_states', 10)
    joints, zeros = len(names), array('d', bytes(8 * len(names)))
    message = JointState(name=names, position=zeros, velocity=zeros, effort=zeros)
    q, qd = (np.frombuffer(field) for field in (message.position, message.velocity))
    while publisher.get_subscription_count() < orders.listeners and not orders.stop:
        time.sleep(0.01)
    gc.disable()
    due, first = time.monotonic(), 0
    while not orders.stop:
        due = max(due + 1.0 / orders.rate, time.monotonic() - 0.1)
        time.sleep(max(due - time.monotonic(), 0.0))
        now = time.time_ns()
        if orders.loop:
            first = first or now
            now = first + (now - first) % round(orders.loop * 1e9)
        else:
            first = 0
        stamp = now + round(orders.offset * 1e9)
        q[:], qd[:], _ = motion(stamp, joints)
        if orders.nan:
            q[0] = np.nan
        message.header.stamp.sec, message.header.stamp.nanosec = divmod(stamp, 10**9)
        publisher.publish(message)
        sent.append(stamp)


def main() -> None:
    """Publish from the first subscription on."""
    rclpy.init(signal_handler_options=SignalHandlerOptions.NO)
    orders, sent = Orders(), array('q')
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda number, frame: setattr(orders, 'stop', True))
    threading.Thread(target=listen, args=(orders,), daemon=True).start()
    publish(json.loads(sys.argv[1]), orders, sent)
    if len(sys.argv) > 2:
        np.save(sys.argv[2], np.array(sent, dtype=np.int64))
    rclpy.try_shutdown()


if __name__ == '__main__':
    main()
