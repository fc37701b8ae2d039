"""
Equations as Python text unless a test names a back end, and Ctrl-C.

This file makes pytest add its folder to the path of imports, for the package `support`.

"""

import gc
import inspect
import logging
import signal
from collections.abc import Iterator

import pytest

from support.missing_packages import pytest_pycollect_makemodule as pytest_pycollect_makemodule
from urdf2dyn_ros import InverseDynamics

# The default compiles each robot, hundreds of random ones, which takes longer than their tests.
_MAKE = inspect.unwrap(InverseDynamics.__init__)
_MAKE.__defaults__ = tuple('python' if default == 'auto' else default
                           for default in _MAKE.__defaults__ or ())


def pytest_collection_finish() -> None:
    """Collect garbage seldom: a robot's expressions, all in use, are many objects."""
    gc.freeze()   # what was imported stays
    gc.set_threshold(500_000, 20, 20)


@pytest.fixture
def ctrl_c() -> Iterator[None]:
    """Ctrl-C has an effect, also if the tests run in the background, where it is ignored."""
    previous = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, previous)


@pytest.fixture
def caplog(caplog, monkeypatch):
    """Receive this package's messages under ROS too: launch has loggers that keep theirs."""
    monkeypatch.setattr(logging, '_loggerClass', logging.Logger)   # of those that a test names
    for name, logger in logging.root.manager.loggerDict.items():
        if name.startswith('urdf2dyn_ros') and isinstance(logger, logging.Logger):
            monkeypatch.setattr(logger, 'propagate', True)
    return caplog


@pytest.fixture
def undrawn(monkeypatch: pytest.MonkeyPatch) -> None:
    """Run evaluate and torque without pictures, which take longer than all the rest."""
    from support.recordings.scara import no_pictures

    monkeypatch.setattr('urdf2dyn_ros.recordings.many.write_figures', no_pictures)
    monkeypatch.setattr('urdf2dyn_ros.commands.torque.motion_picture', lambda *of, **_: b'')
