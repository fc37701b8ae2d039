"""The executor of a node, with one thread: the events executor where it is usable."""

from __future__ import annotations

import os
import re
from collections.abc import Callable
from importlib.metadata import PackageNotFoundError, version

from rclpy.executors import Executor, SingleThreadedExecutor

from urdf2dyn_ros.errors import ParameterError

EXECUTOR_VARIABLE = 'URDF2DYN_EXECUTOR'
"""Environment variable with a choice: an executor is made before a node has parameters."""

EVENTS_SINCE = (9, 1, 2)
"""Version of rclpy from which its events executor awaits a service that is a coroutine."""


def _events() -> Executor:
    from rclpy.experimental import EventsExecutor
    return EventsExecutor()


def _best() -> Executor:
    return _events() if rclpy_version() >= EVENTS_SINCE else SingleThreadedExecutor()


EXECUTORS: dict[str, Callable[[], Executor]] = {
    'auto': _best,
    'events': _events,
    'single': SingleThreadedExecutor,
}


def make_executor() -> Executor:
    """
    Return the executor that the environment requests; by default events, where it is usable.

    One that is unknown, or that this rclpy does not have, raises a ParameterError.

    """
    name = os.environ.get(EXECUTOR_VARIABLE) or 'auto'
    if name not in EXECUTORS:
        raise ParameterError(f'{EXECUTOR_VARIABLE} = {name!r}: must be one of '
                             f'{", ".join(EXECUTORS)}')
    try:
        return EXECUTORS[name]()
    except ImportError as error:
        raise ParameterError(f'{EXECUTOR_VARIABLE} = {name!r}: this rclpy has no such executor; '
                             f'unset the variable or set it to single ({error})') from None


def rclpy_version() -> tuple[int, ...]:
    """Return the numbers of rclpy's version; none if it is unknown."""
    try:
        return tuple(map(int, re.findall(r'\d+', version('rclpy'))[:3]))
    except PackageNotFoundError:
        return ()
