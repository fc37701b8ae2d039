"""From process start to exit code: what every node of this package does around its spinning."""

from __future__ import annotations

import signal
import sys
from collections.abc import Callable, Sequence

import rclpy
from rclpy.executors import ExternalShutdownException, SingleThreadedExecutor
from rclpy.node import Node

from urdf2dyn_ros.errors import Urdf2DynError


def run(make_node: Callable[[], Node], arguments: Sequence[str] | None = None) -> int:
    """
    Spin a node until SIGINT, SIGTERM or the end of the context; return the exit code.

    A node whose arguments or parameters are unusable at the start says so and gives 2.

    """
    try:
        rclpy.init(args=arguments)
    except RuntimeError as error:  # for instance a file of parameters that is no YAML
        print(f'error: {error}', file=sys.stderr)
        return 2
    node = None
    try:
        node = make_node()
        executor = SingleThreadedExecutor()
        executor.add_node(node)
        executor.spin()
    except (KeyboardInterrupt, ExternalShutdownException):
        pass
    except Urdf2DynError as error:
        print(f'error: {error}', file=sys.stderr)
        return 2
    except Exception:
        # a signal shuts the context down wherever the loop is: what fails then is only that
        if rclpy.ok():
            raise
    finally:
        # whoever is told twice to end still ends in order
        for number in (signal.SIGINT, signal.SIGTERM):
            signal.signal(number, signal.SIG_IGN)
        if node is not None:
            node.destroy_node()
        rclpy.try_shutdown()
    return 0
