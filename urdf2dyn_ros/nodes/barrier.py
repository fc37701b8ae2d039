"""Callbacks whose errors are logged and do not end the process."""

from __future__ import annotations

import traceback
from collections.abc import Callable
from functools import wraps
from typing import Any

from rclpy.node import Node


def barrier(node: Node, callback: Callable[..., None],
            failed: Callable[[str], None] = lambda text: None) -> Callable[..., None]:
    """
    Return a callback that logs errors instead of raising them.

    Parameters
    ----------
    node : Node
    callback : callable
    failed : callable
        Called with the traceback of every error; the log has one in five seconds.

    """
    @wraps(callback)   # rclpy looks at the signature for the arguments that a callback takes
    def guarded(*message: Any) -> None:
        try:
            callback(*message)
        except Exception:
            _report(node, failed)

    return guarded


def answering(node: Node, callback: Callable[[Any, Any], None],
              failed: Callable[[str], None]) -> Callable[[Any, Any], Any]:
    """Return the same for a service: a callback of a request and the response that it fills."""
    def guarded(request: Any, response: Any) -> Any:
        try:
            callback(request, response)
        except Exception as error:
            _report(node, failed)
            response.success, response.message = False, f'a defect: {error!r}'
        return response

    return guarded


def _report(node: Node, failed: Callable[[str], None]) -> None:
    text = traceback.format_exc()
    failed(text)
    node.get_logger().error(f'a callback failed, this is a defect:\n{text}',
                            throttle_duration_sec=5.0)
