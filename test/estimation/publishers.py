"""Publishers of a part of a robot's joints each, with exact states, and what comes of them."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from support.oracles import Pinocchio
from urdf2dyn_ros.estimation.messages import Message
from urdf2dyn_ros.estimation.stream import Output, Stream
from urdf2dyn_ros.estimation.stream_setup import make_stream
from urdf2dyn_ros.inverse_dynamics import InverseDynamics
from urdf2dyn_ros.nodes.inverse_dynamics import NODE_PARAMETERS
from urdf2dyn_ros.robot.reader import read_urdf
from urdf2dyn_ros.text import SECOND_NS

START = 1_700_000_000 * SECOND_NS
FREQUENCIES = np.array([0.23, 0.51, 0.97])   # Hz
AMPLITUDES = np.array([0.5, 0.3, 0.12])      # rad
Array = np.ndarray


@dataclass(frozen=True)
class Robot:
    """A robot whose joints move by sums of sines; those of `slow` at a fifth of the speed."""

    text: bytes
    dynamics: InverseDynamics
    slow: Sequence[int] = ()

    def motion(self, joint: int, time: float | Array) -> Array:
        """Return position, velocity and acceleration of a joint, (3, ...)."""
        w = 2.0 * np.pi * FREQUENCIES * (1.0 + 0.07 * joint) * (0.2 if joint in self.slow else 1)
        phase = np.multiply.outer(time, w) + (1.3 + np.arange(3)) * joint
        return np.array([np.sin(phase) @ AMPLITUDES, np.cos(phase) @ (AMPLITUDES * w),
                         -np.sin(phase) @ (AMPLITUDES * w * w)])

    def efforts(self, stamps: Sequence[int]) -> Array:
        """Return the efforts of Pinocchio at stamps [ns], (k, n)."""
        oracle, names = Pinocchio(self.text), self.dynamics.joint_names
        times = (np.array(stamps) - START) * 1e-9
        states = np.array([self.motion(joint, times) for joint in range(len(names))])
        rows = []
        for number in range(len(times)):
            efforts = oracle.efforts(dict(zip(names, states[:, :, number])))
            rows.append([efforts[name] for name in names])
        return np.array(rows)


def robot(path: Any, slow: Sequence[int] = ()) -> Robot:
    text = path.read_bytes()
    return Robot(text, InverseDynamics(read_urdf(text), backend='c'), slow)


@dataclass(frozen=True)
class Publisher:
    """
    Publishes joints at a rate [Hz], from the time `offset` [s].

    Stamps jitter by a part of the period (one deviation), a part of the messages is lost; they are
    received up to a time `delay` [s] later, in order. At a time [s] it publishes if it is `alive`,
    its clock is wrong by a `shift` [s].

    """

    joints: Sequence[int]
    rate: float
    offset: float = 0.0
    jitter: float = 0.0
    lost: float = 0.0
    delay: float = 0.0
    alive: Callable[[float], bool] = lambda time: True
    shift: Callable[[float], float] = lambda time: 0.0

    def stamps(self, seconds: float) -> list[int]:
        """Return the true stamps [ns] of what it publishes in a time [s]."""
        random = np.random.default_rng(round(self.rate))
        times = self.offset + np.arange(round(seconds * self.rate)) / self.rate
        times += np.clip(random.normal(size=len(times)), -2, 2) * self.jitter / self.rate
        kept = random.uniform(size=len(times)) >= self.lost
        return [START + round(time * 1e9) for time in times[kept] if self.alive(time)]

    def messages(self, of: Robot, seconds: float) -> list[tuple[int, int, Array]]:
        """Return arrival [ns], stamp and positions and velocities (2, k) of each message."""
        stamps = self.stamps(seconds)
        times = (np.array(stamps) - START) * 1e-9
        states = np.array([of.motion(joint, times)[:2] for joint in self.joints])
        late = np.random.default_rng(1).uniform(0.0, self.delay * 1e9, len(stamps))
        arrivals = np.maximum.accumulate(np.array(stamps) + late.astype(np.int64)).tolist()
        return [(arrival, stamp + round(self.shift(time) * 1e9), states[:, :, number].T)
                for number, (arrival, stamp, time) in enumerate(zip(arrivals, stamps, times))]


class Run:
    """
    Outputs of a stream that receives all publishers; those since a time `settle` [s] are judged.

    Errors are relative to the RMS, or to the largest, of the true efforts of each joint; `covered`
    is the part of the accelerations that are within two declared deviations of the true ones.

    """

    def __init__(self, of: Robot, publishers: Sequence[Publisher], seconds: float,
                 settle: float = 0.5, **values: Any) -> None:
        self.stream = new_stream(of, **values)
        names = of.dynamics.joint_names
        messages = sorted(((arrival, number, stamp, state)
                           for number, publisher in enumerate(publishers)
                           for arrival, stamp, state in publisher.messages(of, seconds)),
                          key=lambda message: message[:3])
        self.outputs: list[Output] = []
        for _, number, stamp, (q, qd) in messages:
            output = self.stream.receive(Message(
                stamp, [names[joint] for joint in publishers[number].joints], q, qd, []))
            if output is not None and stamp >= START + settle * 1e9:
                self.outputs.append(output)
        stamps = [output.stamp for output in self.outputs]
        expected = of.efforts(stamps)
        self.times = (np.array(stamps) - START) * 1e-9
        self.errors = np.array([output.effort for output in self.outputs]) - expected
        self.rms = self.most = self.covered = np.nan
        if not self.outputs:
            return
        qdd, std = (np.array([getattr(output, name) for output in self.outputs])
                    for name in ('qdd', 'std'))
        true = np.stack([of.motion(joint, self.times)[2] for joint in range(len(names))], axis=1)
        self.covered = float((np.abs(qdd - true) < 2.0 * std).mean())
        self.rms = float((np.sqrt((self.errors**2).mean(axis=0) / (expected**2).mean(axis=0))
                          ).max())
        self.most = float((np.abs(self.errors).max(axis=0) / np.abs(expected).max(axis=0)).max())

    def rate(self, begin: float, end: float) -> float:
        """Return the outputs per second between two times [s]."""
        return float(((self.times >= begin) & (self.times < end)).sum() / (end - begin))


def new_stream(of: Robot, **values: Any) -> Stream:
    """Return the stream of a node with these parameters."""
    parameters = {row.name: row.default for row in NODE_PARAMETERS}
    assert values.keys() <= parameters.keys()
    return make_stream({**parameters, **values}, of.dynamics, lambda: START)
