"""The present stream: positions and velocities of messages to accelerations."""

import numpy as np

from urdf2dyn_ros.estimation.estimators import make_estimator
from urdf2dyn_ros.estimation.hold import ModelJoints
from urdf2dyn_ros.estimation.messages import Message
from urdf2dyn_ros.estimation.stream import Stream


class Adapter:
    """The path from messages to accelerations, as efforts of unit inertias."""

    def __init__(self, joints, continuous, limits, kind='kalman', lag=0.0, **parameters):
        if lag:
            kind, parameters = 'kalman_fixed_lag', {'lag': lag, **parameters}
        self._now = 0
        self._names = [f'joint{k}' for k in range(joints)]
        self.stream = Stream(
            ModelJoints(tuple(self._names), np.where(continuous, np.pi, 1.0), np.asarray(limits),
                        np.full(joints, np.inf)),
            lambda q, qd, qdd: qdd, lambda count: make_estimator(kind, count, **parameters),
            clock=lambda: self._now)

    def update(self, stamp, q, qd):
        """Return the output for a message, or None."""
        self._now = stamp
        found = self.stream.receive(Message(
            stamp, self._names, q, qd if np.isfinite(qd).any() else ()))
        return found and (found.stamp, found.q, found.qd, found.qdd, found.std)


make = Adapter
