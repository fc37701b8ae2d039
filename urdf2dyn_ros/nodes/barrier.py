"""What stands between a callback's error and the end of the process."""

from __future__ import annotations

import traceback
from collections.abc import Callable
from functools import wraps
from typing import Any

from rclpy.node import Node


def barrier(node: Node, callback: Callable[..., None],
            failed: Callable[[str], None] = lambda text: None) -> Callable[..., None]:
    """
    Return a callback such that an error is logged and the node goes on.

    Parameters
    ----------
    node : Node
    callback : callable
    failed : callable
        Called with the traceback of every error, of which the log has one in five seconds.

    """
    @wraps(callback)   # rclpy looks at the signature to see what a callback wants to be given
    def guarded(*message: Any) -> None:
        try:
            callback(*message)
        except Exception:
            text = traceback.format_exc()
            failed(text)
            node.get_logger().error(f'a callback failed, this is a defect:\n{text}',
                                    throttle_duration_sec=5.0)

    return guarded
