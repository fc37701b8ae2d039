"""The joints of a model as a stream sees them, and those that are held at a known position."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Mapping, Sequence
from itertools import zip_longest
from typing import NamedTuple

import numpy as np

from urdf2dyn_ros.estimation.kalman import Estimate
from urdf2dyn_ros.estimation.messages import Indices, Message
from urdf2dyn_ros.inverse_dynamics import InverseDynamics
from urdf2dyn_ros.robot.parameters import Parameter
from urdf2dyn_ros.robot.spatial import Array
from urdf2dyn_ros.text import first_names, listed, quote, suggestion

# ---- The joints of a model as a stream sees them: names, which ones turn, limits of positions

_LARGEST_STEP = 1.0   # rad, of a joint with limits, between two of its messages
FAR_TOO_FAST = 20.0   # velocity over its limit that is one of degrees, which are 57 times as fast


class ModelJoints(NamedTuple):
    """Joints in the model's order."""

    names: tuple[str, ...]
    # (n,), distance from whole turns up to which a step is one of turns, which is removed: half a
    # turn for continuous joints, 0 for prismatic ones [rad]
    turn_error: Array
    # (n, 2), lower and upper positions [rad]; infinite for joints that have none or are measured
    # in m
    limits: Array
    # (n,), velocity beyond which an angle without limits is one in degrees [rad/s]; else infinite
    fastest: Array

    def equals(self, other: ModelJoints) -> bool:
        """Return whether all joints are the same."""
        return self.names == other.names and all(
            map(np.array_equal, self[1:], other[1:]))

    def chosen(self, joints: Indices) -> ModelJoints:
        return ModelJoints(tuple(self.names[joint] for joint in joints.tolist()),
                           self.turn_error[joints], self.limits[joints], self.fastest[joints])


def joints_of(dynamics: InverseDynamics) -> ModelJoints:
    """Return the joints of a model, with the limits of the angles that have them."""
    limits = [(row.lower, row.upper) if unit == 'rad' and not continuous
              and row.lower is not None and row.upper is not None and row.lower < row.upper
              else (-np.inf, np.inf) for row, unit, continuous in zip(
                  dynamics.limits, dynamics.units, dynamics.continuous)]
    fastest = [FAR_TOO_FAST * row.velocity if row.velocity and unit == 'rad' and lower == -np.inf
               else np.inf for row, unit, (lower, _) in zip(
                   dynamics.limits, dynamics.units, limits)]
    return unlimited_joints(dynamics.joint_names, dynamics.continuous, dynamics.units)._replace(
        limits=np.array(limits).reshape(-1, 2), fastest=np.array(fastest, dtype=np.float64))


def unlimited_joints(names: Sequence[str], continuous: Sequence[bool] = (),
                     units: Sequence[str] = ()) -> ModelJoints:
    """Return joints whose positions have no limits; by default none of them turns."""
    errors = [math.pi if endless else _LARGEST_STEP if unit == 'rad' else 0.0
              for _, endless, unit in zip_longest(names, continuous, units)]
    return ModelJoints(tuple(names), np.array(errors, dtype=np.float64),
                       np.tile((-np.inf, np.inf), (len(names), 1)), np.full(len(names), np.inf))


# ---- The parameter `hold`: joints that are not published, and are at rest at a known position

AUTO = 'auto'
AUTO_TIME = 5.0   # s, of data of others after which joints are held by ``auto``
_MOST_NAMES = 10   # of held joints in a message

HOLD = Parameter(
    'hold', ('',), 'Joints that are not published, each as JOINT or JOINT=POSITION: they are at '
    'rest at that position [rad or m], by default 0 or the limit nearest to it, and have efforts '
    "like the others. auto: those that have not been published after 5 s of others' data. A held "
    'joint that is published is no longer held.')


class Hold(NamedTuple):
    """What the parameter ``hold`` says."""

    positions: Mapping[str, float] = {}   # of the joints that are held from the start [rad or m]
    automatic: bool = False   # whether others are held by ``auto``
    defaults: Mapping[str, float] = {}   # positions of all joints unless another one is set


def read_hold(texts: Iterable[str], dynamics: InverseDynamics) -> tuple[Hold, list[str]]:
    """Return what the texts of the parameter ``hold`` mean, and a sentence for each fault."""
    ranges = {name: (-math.inf, math.inf) if endless or row.lower is None or row.upper is None
              or row.lower > row.upper else (row.lower, row.upper) for name, row, endless in zip(
                  dynamics.joint_names, dynamics.limits, dynamics.continuous)}
    units = dict(zip(dynamics.joint_names, dynamics.units))
    defaults = {name: min(max(0.0, lower), upper) for name, (lower, upper) in ranges.items()}
    positions: dict[str, float] = {}
    faults = []
    used = [text.strip() for text in texts if text.strip()]
    for text in used:
        if text == AUTO:
            continue
        name = text if text in ranges else text.rpartition('=')[0].rstrip() or text
        if name not in ranges:
            fault = _not_held(name, dynamics)
        elif name in positions:
            fault = 'the joint is held twice: remove one of the two'
        elif text == name:
            position, fault = defaults[name], ''
        else:
            position, fault = _position(text.rpartition('=')[2].strip(), *ranges[name],
                                        units[name])
        if fault:
            faults.append(f'hold {quote(text)}: {fault}')
        else:
            positions[name] = position
    if positions and len(positions) == len(defaults):
        positions = {}
        faults.append('hold: all joints of the robot are named, but at least one must be '
                      'published: remove those that are')
    return Hold(positions, AUTO in used, defaults), faults


def _not_held(name: str, dynamics: InverseDynamics) -> str:
    """Return why nothing of this name can be held."""
    similar = suggestion(name, dynamics.joint_names, search=True)
    joint = next((joint for joint in dynamics.model.joints if joint.name == name), None)
    if joint is None:
        return f'robot {quote(dynamics.model.name)} has no joint {quote(name)}; {similar}'
    if joint.mimic is not None:
        return f'the joint mimics {quote(joint.mimic.joint)}: hold that one'
    if not joint.moves:
        return 'the joint is fixed, it needs no position: remove it'
    return (f'the {joint.type} joint has several coordinates: hold each of them by its name; '
            f'{similar}')


def _position(text: str, lower: float, upper: float, unit: str) -> tuple[float, str]:
    """Return a position [rad or m] and what is wrong with it, or an empty text."""
    try:
        position = float(text)
    except ValueError:
        position = math.nan
    if not math.isfinite(position):
        return position, f'the position {quote(text)} is not a number [{unit}]'
    if not lower <= position <= upper:
        return position, (f'the position is outside of the limits of the joint, {lower:g} to '
                          f'{upper:g} {unit}')
    return position, ''


def hold_advice(missing: Sequence[str], hold: Sequence[str], node: str) -> str:
    """Return how a node holds joints that are missing, besides those it holds, or nothing."""
    if not missing:
        return ''
    if AUTO in map(str.strip, hold):
        return (f'hold: {AUTO} holds them at rest once the other joints have been published for '
                f'{AUTO_TIME:g} s without them')
    texts = [text for text in hold if text] + list(missing)
    value = json.dumps(texts, ensure_ascii=False).replace("'", "'\\''")
    return f"if nothing publishes them, hold them at rest: ros2 param set {node} hold '{value}'"


# ---- Which joints are held now: those of the parameter, and those that were never published

class HeldJoints:
    """Which joints of a robot are held now, and the state of all joints with them."""

    def __init__(self, joint_names: Sequence[str], hold: Hold) -> None:
        self._names, self._defaults, self._hold = tuple(joint_names), hold.defaults, hold
        self.automatic = hold.automatic
        self.positions = dict(hold.positions)   # of the joints that are held now [rad or m]
        self._notices: list[str] = []   # changes
        self._update()

    def _update(self) -> None:
        # indices of the joints that are not held
        self.received = np.array([k for k, name in enumerate(self._names)
                                  if name not in self.positions], dtype=np.intp)
        self._rest = np.array([self.positions.get(name, 0.0) for name in self._names])
        self._first: int | None = None

    def proceed(self, before: HeldJoints, published: Sequence[str]) -> None:
        """Go on with what was held before; another parameter holds no joint that is published."""
        self._notices = before._notices
        if self._hold == before._hold:
            self.positions, first = dict(before.positions), before._first
        else:
            unpublished = {name: position for name, position in before.positions.items()
                           if self.automatic and name not in before._hold.positions}
            self.positions, first = {
                name: position for name, position in {**unpublished, **self.positions}.items()
                if name not in published}, None
        self._update()
        self._first = first

    @property
    def unused(self) -> list[str]:
        """Names of the parameter that are not held, as they are published."""
        return [name for name in self._hold.positions if name not in self.positions]

    def hold_unpublished(self, stamp: int, never: Sequence[str]) -> bool:
        """Hold what was never received, if data of others have a stamp [ns] at which it is due."""
        if not never:
            return False
        self._first = stamp if self._first is None else min(self._first, stamp)
        if stamp - self._first < AUTO_TIME * 1e9:
            return False
        self.positions |= {name: self._defaults.get(name, 0.0) for name in never}
        self._notices.append(f'not published for {AUTO_TIME:g} s, held at rest from now on (hold: '
                             f'auto): {held_text({name: self.positions[name] for name in never})}')
        self._update()
        return True

    def take_notices(self) -> list[str]:
        """Return sentences about what is held, or no longer, since the call before."""
        notices, self._notices = self._notices, []
        return notices

    def published(self, message: Message) -> list[str]:
        """Return the held joints that have a position in a message."""
        names, positions = message.names, message.position
        if len(names) != len(positions) or self.positions.keys().isdisjoint(names):
            return []
        return [name for name, position in zip(names, positions)
                if name in self.positions and math.isfinite(position)]

    def release(self, names: Sequence[str]) -> None:
        """Hold some joints no longer, as they are published."""
        for name in names:
            del self.positions[name]
        self._notices.append(f'{listed(names)} held by the parameter hold, but published: the '
                             'published positions are used from now on')
        self._update()

    def complete(self, estimate: Estimate, measured: Array) -> tuple[Estimate, Array]:
        """Return an estimate and measured efforts of all joints, from those of the received."""
        if not self.positions:
            return estimate, measured
        q, qd, qdd = self.motion(np.stack((estimate.q, estimate.qd, estimate.qdd)))
        prompt = estimate.prompt_qd
        return (estimate._replace(q=q, qd=qd, qdd=qdd, std=self.filled(estimate.std, 0.0),
                                  prompt_qd=None if prompt is None else self.filled(prompt, 0.0)),
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
