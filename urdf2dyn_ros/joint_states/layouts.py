"""Which entries of a message belong to which joints of the model, by name."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

Indices = NDArray[np.intp]

MAX_LAYOUTS = 64
"""Layouts that are cached."""

MAX_UNKNOWN = 64
"""Unknown names that are remembered."""


@dataclass(frozen=True)
class NameLayout:
    """Joints of the model in a list of names."""

    length: int   # number of names
    joints: Indices   # (k,), joints of the model that are named, ascending
    entries: Indices   # (k,), entry of the message for each of them
    continuous: Indices   # (c,), which of these k are continuous
    continuous_joints: Indices   # (c,), the same as joints of the model
    complete: bool   # whether all joints of the model are named


class Layouts:
    """
    Layouts by list of names; for the list of the last message one comparison is enough.

    The keys of `unknown` are names that are no joints of the model, the first few in the order of
    receipt.
    """

    def __init__(self, joint_names: Sequence[str], continuous: Sequence[bool]) -> None:
        self._joint_names = tuple(joint_names)
        self._continuous = np.array(continuous, dtype=bool)
        self.unknown: dict[str, None] = {}
        self._known: dict[tuple[str, ...], NameLayout | str] = {}
        self._last_names: tuple[str, ...] = ()
        self._last = self._arrange(())

    def find(self, names: Any) -> NameLayout | str:
        """Return the layout of a sequence of names; the outcome if it is none or has a fault."""
        try:
            key = tuple(names)
            if key == self._last_names:
                return self._last
            layout = self._known.get(key)
        except (TypeError, ValueError):  # no sequence, or entries that cannot be names
            return 'malformed'
        if layout is None:
            if len(self._known) >= MAX_LAYOUTS:
                self._known.clear()
            layout = self._known[key] = self._arrange(key)
        self._last_names, self._last = key, layout
        return layout

    def _arrange(self, names: tuple[str, ...]) -> NameLayout | str:
        if not names:
            return 'empty'
        entry_of = {name: entry for entry, name in enumerate(names)}
        if len(entry_of) < len(names):
            return 'duplicate_names'
        joint_names = set(self._joint_names)
        for name in names:   # a difference of sets would have another order in each process
            if name not in joint_names and len(self.unknown) < MAX_UNKNOWN:
                self.unknown[name] = None
        joints = np.array([joint for joint, name in enumerate(self._joint_names)
                           if name in entry_of], dtype=np.intp)
        if not joints.size:
            return 'other_joints'
        entries = np.array([entry_of[self._joint_names[joint]] for joint in joints], dtype=np.intp)
        continuous = np.flatnonzero(self._continuous[joints])
        return NameLayout(len(names), joints, entries, continuous, joints[continuous],
                          complete=len(joints) == len(self._joint_names))
