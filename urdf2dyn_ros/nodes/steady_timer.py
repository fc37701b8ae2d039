"""Timers that run on while simulated time stands still or jumps."""

from __future__ import annotations

from collections.abc import Callable

from rclpy.clock import Clock, ClockType
from rclpy.node import Node


def steady_timer(node: Node, period: float, callback: Callable[[], None]) -> None:
    """Call a callback every `period` [s] of the machine's steady clock, not of the node's."""
    node.create_timer(period, callback, clock=Clock(clock_type=ClockType.STEADY_TIME))
