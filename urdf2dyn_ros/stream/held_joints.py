"""Which joints are held now: those of the parameter, and those that were never published."""

import math
from collections.abc import Mapping, Sequence

import numpy as np

from urdf2dyn_ros.algebra.arrays import Array
from urdf2dyn_ros.estimators.estimate import Estimate
from urdf2dyn_ros.quoting import first_names, listed
from urdf2dyn_ros.stream.hold import AUTO_TIME, Hold

_MOST_NAMES = 10


class HeldJoints:
    """Which joints of a robot are held now, and the state of all joints with them."""

    def __init__(self, joint_names: Sequence[str], hold: Hold) -> None:
        self._names, self._defaults = tuple(joint_names), hold.defaults
        self.automatic = hold.automatic             # whether joints are held by ``auto``
        self.positions = dict(hold.positions)       # of the held joints [rad or m]
        self.notices: list[str] = []                # changes by ``auto``; the reader removes them
        self._update()

    def _update(self) -> None:
        # indices of the joints that are not held
        self.received = np.array([k for k, name in enumerate(self._names)
                                  if name not in self.positions], dtype=np.intp)
        self._rest = np.array([self.positions.get(name, 0.0) for name in self._names])
        self._first: int | None = None

    def hold_unpublished(self, stamp: int, never: Sequence[str]) -> bool:
        """
        Hold the joints that were never received if that is due; return whether there are any.

        The stamp [ns] is that of the data of other joints.
        """
        if not never:
            return False
        self._first = stamp if self._first is None else min(self._first, stamp)
        if stamp - self._first < AUTO_TIME * 1e9:
            return False
        self.positions |= {name: self._defaults.get(name, 0.0) for name in never}
        self.notices.append(f'not published for {AUTO_TIME:g} s, held at rest from now on (hold: '
                            f'auto): {held_text({name: self.positions[name] for name in never})}')
        self._update()
        return True

    def published(self, names: Sequence[str], positions: Sequence[float]) -> list[str]:
        """Return the held joints that have a position in a message."""
        if len(names) != len(positions) or self.positions.keys().isdisjoint(names):
            return []
        return [name for name, position in zip(names, positions)
                if name in self.positions and math.isfinite(position)]

    def release(self, names: Sequence[str]) -> None:
        """Hold some joints no longer, as they are published."""
        for name in names:
            del self.positions[name]
        self.notices.append(f'{listed(names)} held by the parameter hold, but published: the '
                            'published positions are used from now on')
        self._update()

    def complete(self, estimate: Estimate, measured: Array) -> tuple[Estimate, Array]:
        """Return an estimate and measured efforts of all joints, from those of the received."""
        if not self.positions:
            return estimate, measured
        stamp, q, qd, qdd, std, valid = estimate
        q, qd, qdd = self.motion(np.stack((q, qd, qdd)))
        return (Estimate(stamp, q, qd, qdd, self.filled(std, 0.0), valid),
                self.filled(measured, np.nan))

    def motion(self, received: Array) -> Array:
        """Return q, qd and qdd of all joints (3, ..., n), from those of the received ones."""
        result = self.filled(received, 0.0)
        result[0] += self._rest
        return result

    def filled(self, received: Array, value: float) -> Array:
        """Return an array for all joints (..., n), with a value for those that are held."""
        result = np.full((*received.shape[:-1], len(self._names)), value)
        result[..., self.received] = received
        return result


def held_text(positions: Mapping[str, float]) -> str:
    """Return the held joints with their positions."""
    return first_names([f'{name} at {position:g}' for name, position in positions.items()],
                       _MOST_NAMES)
