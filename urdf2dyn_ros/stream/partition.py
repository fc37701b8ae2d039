"""Which joints of a robot are received together."""

from collections.abc import Callable, Iterable

import numpy as np

from urdf2dyn_ros.estimators.estimate import Estimator
from urdf2dyn_ros.joint_states.layouts import MAX_LAYOUTS, Indices, NameLayout
from urdf2dyn_ros.joint_states.steps import Steps
from urdf2dyn_ros.stream.group import Group, Joints
from urdf2dyn_ros.stream.model_joints import ModelJoints

MESSAGES_TO_JOIN = 100
"""Messages in a row with all joints of several groups after which these become one; doubled each
time, so that a message with fewer joints now and then does not divide them again and again."""

Parts = list[tuple[Group, Indices | None]]
"""Groups in a message, with the entries of their joints; None for all entries."""


class Partition:
    """
    The groups of a robot's joints: the largest sets of which each message has all or none.

    A message with a part of a group divides it, and only its joints start again.
    """

    def __init__(self, joints: ModelJoints, make_estimator: Callable[[int], Estimator],
                 max_gap: int) -> None:
        self._model = joints
        self._make_estimator = make_estimator
        self._messages_to_join = MESSAGES_TO_JOIN
        everything = np.arange(len(joints.names), dtype=np.intp)
        self.groups: list[Group] = []   # replaced as a whole when it changes
        self._known: dict[bytes, Parts] = {}
        self._layout: NameLayout | None = None
        self._parts: Parts = []
        self._replace([Group(self._joints(everything), make_estimator(len(everything)),
                             Steps(max_gap))])

    def parts(self, layout: NameLayout) -> Parts:
        """Return the groups that are received in a message."""
        if layout is not self._layout:
            self._parts = self._find(layout.joints)
            self._layout = layout
        return self._parts

    def _find(self, joints: Indices) -> Parts:
        key = joints.tobytes()
        if key not in self._known:
            self._divide(joints)
            if len(self._known) >= MAX_LAYOUTS:
                self._known.clear()
            inside = [group for group in self.groups if group.joints[0] in joints]
            self._known[key] = [(group, None if len(inside) == 1 else np.searchsorted(
                joints, group.joints)) for group in inside]
        return self._known[key]

    def _divide(self, joints: Indices) -> None:
        """Divide the groups of which only a part is among some joints."""
        groups: list[Group] = []
        for group in self.groups:
            inside = np.isin(group.joints, joints)
            groups += [group] if inside.all() or not inside.any() else [
                self._new(group, group.joints[chosen]) for chosen in (inside, ~inside)]
        if len(groups) > len(self.groups):
            self._replace(groups)

    def join(self, parts: Parts) -> None:
        """Make one group of those in a message if they have been received together for long."""
        for group, _ in parts:
            group.repeated = group.repeated + 1 if group.message is parts else 0
            group.message = parts
        received = [group for group, _ in parts]
        if len(received) > 1 and all(
                group.repeated >= self._messages_to_join for group in received):
            self._messages_to_join *= 2
            joints = np.sort(np.concatenate([group.joints for group in received]))
            self._replace([*(group for group in self.groups if group not in received),
                           self._new(received[0], joints)])

    def _new(self, like: Group, joints: Indices) -> Group:
        return like.successor(self._joints(joints), self._make_estimator(len(joints)))

    def _joints(self, joints: Indices) -> Joints:
        return Joints(joints, np.flatnonzero(self._model.continuous[joints]),
                      self._model.limits[joints])

    def _replace(self, groups: Iterable[Group]) -> None:
        self.groups = list(groups)
        # for each joint of the model, its place among the joints of all groups
        self.order = np.argsort(np.concatenate([group.joints for group in self.groups]))
        for group in self.groups:
            group.history.all_kept = len(self.groups) > 1
        self._known.clear()
        self._layout = None
