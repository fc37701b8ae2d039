"""A buffer of messages, so that hundreds are processed at once as arrays."""

from collections.abc import Iterator, Sequence

import numpy as np

from urdf2dyn_ros.algebra.arrays import Array
from urdf2dyn_ros.comparison.pairing.series import Stamps
from urdf2dyn_ros.joint_states.messages import LARGEST_MEASURED

_MOST_JOINTS = 1000
"""Largest number of joints, so that ever new names do not fill the memory."""


class _Messages:
    """Buffered messages with the same names."""

    def __init__(self, columns: int) -> None:
        self.order: list[int] = []
        self.stamps: list[int] = []
        self.columns: tuple[list[Sequence[float]], ...] = tuple([] for _ in range(columns))


class MessageBuffer:
    """Keeps messages of so many vectors, for instance efforts and velocities, until processed."""

    def __init__(self, columns: int) -> None:
        self._columns = columns
        self._layouts: dict[tuple[str, ...], _Messages] = {}
        self._known: dict[str, None] = {}
        self.groups: dict[str, int] = {}
        """Number of each joint's group: the joints of one message, from one driver."""
        self.waiting = 0

    @property
    def names(self) -> tuple[str, ...]:
        """All joints, in the order of their first message."""
        return tuple(self._known)

    def add(self, stamp: int, names: Sequence[str], *vectors: Sequence[float]) -> None:
        """Add vectors with one entry for each name; an empty one is unknown."""
        key = tuple(names)
        layout = self._layouts.get(key)
        if layout is None:
            layout = self._layouts[key] = _Messages(self._columns)
        layout.order.append(self.waiting)
        layout.stamps.append(stamp)
        for column, vector in zip(layout.columns, vectors, strict=True):
            column.append(vector if len(vector) else [np.nan] * len(key))
        self.waiting += 1

    def take(self) -> Iterator[tuple[tuple[str, ...], Array, Stamps, Array]]:
        """Remove all; yield names (n,), order and stamps (k,) [ns], values (k, n, columns)."""
        layouts, self._layouts, self.waiting = self._layouts, {}, 0
        for names, layout in layouts.items():
            self._group(names)
            if names:
                values = np.stack([np.array(column, dtype=float).reshape(-1, len(names))
                                   for column in layout.columns], axis=-1)
                values[~(np.abs(values) < LARGEST_MEASURED)] = np.nan
                yield (names, np.array(layout.order), np.array(layout.stamps, dtype=np.int64),
                       values)

    def _group(self, names: Sequence[str]) -> None:
        """Put the joints of one message into the same group, that of the first that has one."""
        group = next((self.groups[name] for name in names if name in self.groups),
                     len(self.groups))
        if len(self.groups) < _MOST_JOINTS:
            for name in names:
                self.groups.setdefault(name, group)

    def by_joint(self, batches: Sequence[tuple[tuple[str, ...], Array, Stamps, Array]],
                 ) -> Iterator[tuple[str, Stamps, Array]]:
        """Yield each joint's stamps (k,) and rows (k, columns), in the order of arrival."""
        by_name: dict[str, list[tuple[Array, Stamps, Array]]] = {}
        for names, order, stamps, values in batches:
            for column, name in enumerate(names):
                if name not in self._known:
                    if len(self._known) >= _MOST_JOINTS:
                        continue
                    self._known[name] = None
                by_name.setdefault(name, []).append((order, stamps, values[:, column]))
        for name, parts in by_name.items():
            if len(parts) == 1:
                yield name, parts[0][1], parts[0][2]
                continue
            turn = np.argsort(np.concatenate([part[0] for part in parts]), kind='stable')
            yield (name, np.concatenate([part[1] for part in parts])[turn],
                   np.concatenate([part[2] for part in parts])[turn])
