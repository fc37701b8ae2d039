"""Callbacks whose errors are logged and do not end the process, and timers of the steady clock."""

import traceback
from collections.abc import Callable
from functools import wraps
from typing import Any

from rclpy.clock import Clock, ClockType
from rclpy.node import Node


def barrier(node: Node, callback: Callable[..., None],
            failed: Callable[[str], None] = lambda text: None) -> Callable[..., None]:
    """
    Return a callback that logs errors, one in five seconds, instead of raising them.

    The function `failed` is called with the traceback of every error.
    """
    @wraps(callback)   # rclpy looks at the signature for the arguments that a callback takes
    def guarded(*message: Any) -> None:
        try:
            callback(*message)
        except Exception:
            report_defect(node, failed)

    return guarded


def answering(node: Node, callback: Callable[[Any, Any], None],
              failed: Callable[[str], None]) -> Callable[[Any, Any], Any]:
    """Return the same for a service: a callback of a request and the response that it fills."""
    def guarded(request: Any, response: Any) -> Any:
        try:
            callback(request, response)
        except Exception as error:
            report_defect(node, failed)
            response.success, response.message = False, f'a defect: {error!r}'
        return response

    return guarded


def report_defect(node: Node, failed: Callable[[str], None]) -> None:
    """Log the error that is being handled, one in five seconds; pass its traceback to `failed`."""
    text = traceback.format_exc()
    failed(text)
    node.get_logger().error(f'a callback failed, this is a defect:\n{text}',
                            throttle_duration_sec=5.0)


def steady_timer(node: Node, period: float, callback: Callable[[], None]) -> None:
    """Call a callback every `period` [s], also while simulated time stands still or jumps."""
    node.create_timer(period, callback, clock=Clock(clock_type=ClockType.STEADY_TIME))
