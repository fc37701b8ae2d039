"""The possible results of reading a URDF: a model that computes, or a UrdfError."""

import dataclasses
import encodings
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
from fuzz.allow_list import check_text

from urdf2dyn_ros.errors import StateError, UrdfError
from urdf2dyn_ros.inverse_dynamics import InverseDynamics
from urdf2dyn_ros.robot.loads import GRAVITY
from urdf2dyn_ros.robot.model import RobotModel
from urdf2dyn_ros.robot.multibody import make_multibody
from urdf2dyn_ros.robot.reader import read_description
from urdf2dyn_ros.robot.writer import clean_urdf

SLOW = 10.0
"""[s] of CPU time for what takes some milliseconds, also if it is instrumented."""
MOST_JOINTS = 12

_FORBIDDEN = ('open', 'socket.', 'urllib.', 'subprocess.', 'os.system', 'os.exec', 'os.fork',
              'os.posix_spawn')
_CODECS = tuple(encodings.__path__)
_watching: list[bool] = []


def verdict(text: str | bytes) -> RobotModel | UrdfError:
    """
    Read a description, and run what is made of it.

    Raises
    ------
    AssertionError
        If the result is not what a user is promised, it took too long, or a file or the network
        was looked at.
    Exception
        Whatever else comes out of the reader.

    """
    began = time.process_time()
    try:
        with watched():
            model = read_description(text)
    except UrdfError as error:
        assert any(problem.refused for problem in error.problems)
        assert all(problem.line for problem in error.problems)
        _check_shown(str(error))
        return error
    finally:
        assert time.process_time() - began < SLOW
    for problem in model.warnings:
        _check_shown(str(problem))
    check_model(model)
    if len(model.joints) <= MOST_JOINTS:
        check_efforts(model)
    assert time.process_time() - began < 2.0 * SLOW
    return model


def check_model(model: RobotModel) -> None:
    """Demand one tree, and that it is read from what is written of it."""
    again = read_description(clean_urdf(model))
    assert dataclasses.replace(again, warnings=model.warnings) == model
    children = [joint.child for joint in model.joints]
    assert sorted([model.root, *children]) == sorted(link.name for link in model.links)
    names = make_multibody(model).joint_names
    assert len(set(names)) == len(names)


def check_efforts(model: RobotModel) -> None:
    """Demand text of nothing but generated names, and finite efforts or a StateError."""
    with watched():
        dynamics = InverseDynamics(model, GRAVITY, base='fixed')
    check_text(dynamics.text)
    n = len(dynamics.joint_names)
    for scale in (0.0, 0.7):
        try:
            efforts = dynamics(*(scale * np.cos(np.arange(3 * n)).reshape(3, n)))
        except StateError:
            continue
        assert efforts.shape == (n,) and np.isfinite(efforts).all()


@contextmanager
def watched() -> Iterator[None]:
    """Forbid files, the network and other processes."""
    _watching.append(True)
    try:
        yield
    finally:
        _watching.pop()


def _audit(event: str, arguments: tuple[Any, ...]) -> None:
    # the codec of a text's encoding is imported at its first use
    if _watching and event.startswith(_FORBIDDEN) and not (
            event == 'open' and str(arguments[0]).startswith(_CODECS)):
        raise AssertionError(f'{event} of {arguments!r:.200}')


def _check_shown(text: str) -> None:
    """Demand that a message does nothing to a terminal."""
    assert all(line.isprintable() for line in text.split('\n')), ascii(text)


# What is imported at a first use is imported now.
check_efforts(read_description('<robot name="r"><link name="a"/></robot>'))
sys.addaudithook(_audit)
