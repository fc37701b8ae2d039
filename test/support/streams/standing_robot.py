"""A robot that stands still, and messages that say so."""

from __future__ import annotations

import numpy as np
import pytest

from support.robot_files import robot_path
from support.streams.flying_robot import START
from urdf2dyn_ros import read_urdf
from urdf2dyn_ros.estimation.moving_base import BASE_SENSORS
from urdf2dyn_ros.robot.multibody import multibody

MODEL = read_urdf(robot_path('solo12').read_bytes())
STILL = np.zeros((3, len(multibody(MODEL).joint_names)))
MS = 1_000_000
REST = np.array([0.0] * 8 + [9.81])
TAKEN = ('used', 'warming_up')

SENSES = {
    'imu': {'angular_velocity': (0.0, 0.0, 0.0), 'linear_acceleration': (0.0, 0.0, 9.81)},
    'odometry': {'orientation': (0.0, 0.0, 0.0, 1.0), 'linear': (0.0, 0.0, 0.0),
                 'angular': (0.0, 0.0, 0.0)},
}
every_base = pytest.mark.parametrize('name', BASE_SENSORS)


class Robot:
    """Stands still; messages are identified by their time [ms]."""

    def __init__(self, name: str, **parameters) -> None:
        self.name, self.now = name, START
        self.base = BASE_SENSORS[name](MODEL, clock=lambda: self.now, **parameters)

    def receive(self, ms: float, frame: str = 'base_link', **fields) -> str:
        return self.base.receive(START + round(ms * MS), frame, **{**SENSES[self.name], **fields})

    def warm(self, since: float = 0.0, count: int = 50) -> Robot:
        """Receive so many messages, 5 ms apart."""
        for k in range(count):
            assert self.receive(since + 5.0 * k) in TAKEN
        return self

    def ask(self, ms: float):
        return self.base.motion_at(START + round(ms * MS), *STILL)

    def reason(self, ms: float) -> str:
        """Return why there is no motion, as a person reads it; count it."""
        before = self.base.counters.copy()
        absence = self.ask(ms)
        assert isinstance(absence, str)
        assert self.base.counters - before == {absence: 1}
        return self.base.explained(absence)
