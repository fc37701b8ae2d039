"""Where the entries of a message belong in the model, by the names it bears."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

Indices = NDArray[np.intp]

MAX_LAYOUTS = 64
MAX_UNKNOWN = 64


@dataclass(frozen=True)
class Layout:
    """
    What a list of names means for a model.

    Attributes
    ----------
    length : int
        Number of names.
    joints : ndarray of int, (k,)
        The model's joints that are named, ascending.
    entries : ndarray of int, (k,)
        Where in the message each of them is.
    turning : ndarray of int, (c,)
        Which of these k are continuous.
    turning_joints : ndarray of int, (c,)
        The same, as joints of the model.
    complete : bool
        Whether no joint is missing.
    fault : str
        Why such a message is dropped; empty if it is not.

    """

    length: int
    joints: Indices
    entries: Indices
    turning: Indices
    turning_joints: Indices
    complete: bool
    fault: str


class Layouts:
    """
    Finds the layout of a list of names: with one comparison where it is that of the last message.

    Parameters
    ----------
    joint_names : sequence of str, (n,)
        In the model's order.
    continuous : sequence of bool, (n,)
        Which joints turn without end.

    Attributes
    ----------
    unknown : dict of str to None
        Names that are no joints of the model, in the order of their arrival; only the first few
        are kept.

    """

    def __init__(self, joint_names: Sequence[str], continuous: Sequence[bool]) -> None:
        self._joint_names = tuple(joint_names)
        self._continuous = np.array(continuous, dtype=bool)
        self.unknown: dict[str, None] = {}
        self._known: dict[tuple[str, ...], Layout] = {}
        self._last_names: tuple[str, ...] = ()
        self._last = self._arrange(())

    def find(self, names: Any) -> Layout:
        """Return the layout of a sequence of names; of anything else one with a fault."""
        try:
            key = tuple(names)
            if key == self._last_names:
                return self._last
            layout = self._known.get(key)
        except (TypeError, ValueError):  # no sequence, or of things that cannot be names
            return _faulty('malformed')
        if layout is None:
            if len(self._known) >= MAX_LAYOUTS:
                self._known.clear()
            layout = self._known[key] = self._arrange(key)
        self._last_names, self._last = key, layout
        return layout

    def _arrange(self, names: tuple[str, ...]) -> Layout:
        if not names:
            return _faulty('empty')
        entry_of = {name: entry for entry, name in enumerate(names)}
        if len(entry_of) < len(names):
            return _faulty('duplicate_names')
        for name in entry_of.keys() - set(self._joint_names):
            if len(self.unknown) < MAX_UNKNOWN:
                self.unknown[name] = None
        joints = np.array([joint for joint, name in enumerate(self._joint_names)
                           if name in entry_of], dtype=np.intp)
        if not joints.size:
            return _faulty('other_joints')
        entries = np.array([entry_of[self._joint_names[joint]] for joint in joints], dtype=np.intp)
        turning = np.flatnonzero(self._continuous[joints])
        return Layout(len(names), joints, entries, turning, joints[turning],
                      complete=len(joints) == len(self._joint_names), fault='')


def _faulty(fault: str) -> Layout:
    nothing = np.zeros(0, dtype=np.intp)
    return Layout(0, nothing, nothing, nothing, nothing, complete=False, fault=fault)
