"""What calls a node's callbacks, in one thread: the events executor where it can be used."""

from __future__ import annotations

import os
import re
from collections.abc import Callable
from importlib.metadata import PackageNotFoundError, version

from rclpy.executors import Executor, SingleThreadedExecutor

from urdf2dyn_ros.errors import ParameterError

VARIABLE = 'URDF2DYN_EXECUTOR'
"""The environment variable with a choice; the executor is there before a node's parameters are."""

EVENTS_SINCE = (9, 1, 2)
"""Before, rclpy's events executor does not await a service that is a coroutine."""


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
    Return the executor that the environment asks for: by default events, where rclpy has it.

    Raises
    ------
    ParameterError
        For another choice, or one that this rclpy does not have.

    """
    name = os.environ.get(VARIABLE) or 'auto'
    if name not in EXECUTORS:
        raise ParameterError(f'{VARIABLE} = {name!r}: must be one of {", ".join(EXECUTORS)}')
    try:
        return EXECUTORS[name]()
    except ImportError as error:
        raise ParameterError(f'{VARIABLE} = {name!r}: this rclpy has no such executor; leave the '
                             f'variable out or set it to single ({error})') from None


def rclpy_version() -> tuple[int, ...]:
    """Return the numbers of rclpy's version; none where it is not known."""
    try:
        return tuple(map(int, re.findall(r'\d+', version('rclpy'))[:3]))
    except PackageNotFoundError:
        return ()
