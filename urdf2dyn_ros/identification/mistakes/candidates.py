"""Mistakes that recordings may have: how each would be corrected, and what the user can do."""

from collections.abc import Iterator, Sequence
from itertools import combinations, pairwise, product
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from urdf2dyn_ros.algebra.arrays import Array
from urdf2dyn_ros.equations.kinematics import chain
from urdf2dyn_ros.identification.mistakes.change import (
    Change,
    Differential,
    swapped,
    turned,
)
from urdf2dyn_ros.identification.robot import Robot

ANGLES = tuple(np.radians([20.0, *np.arange(45.0, 360.0, 45.0), 340.0]).tolist())
"""Differences of the zero of a joint that are tried [rad]."""

_TILT = 0.4
"""Tangent of the smallest tilts of gravity that are tried."""

_MOST_JOINTS = 12
"""Joints up to which all pairs are tried."""


class Mistake(NamedTuple):
    """A mistake."""

    change: Change   # what corrects the recording
    kind: str   # a key of SENTENCES
    joints: tuple[int, ...] = ()

    def sentence(self, robot: Robot, gains: bool) -> str:
        """Return what is wrong and how it is mended, where the recording has currents or not."""
        names = [robot.joints[joint] for joint in self.joints]
        words = dict(zip(('joint', 'other'), names))
        if self.kind == 'zero':
            shift = float(np.remainder(self.change.shifts[self.joints[0]] + np.pi, 2.0 * np.pi)
                          - np.pi)
            words |= {'radians': f'{shift:.3g}', 'degrees': f'{np.degrees(shift):.0f}'}
        if self.change.gravity is not None:
            words['gravity'] = ' '.join(f'{entry:.1f}' for entry in self.change.gravity + 0.0)
            words['nominal'] = ' '.join(f'{entry:.3g}' for entry in robot.dynamics.gravity_vector)
        if self.change.differential is not None:
            words['formulas'] = ' and '.join(
                f'{"-" * (one < 0.0)}e_{names[0]} {"-" if other < 0.0 else "+"} e_{names[1]} '
                f'for {name}'
                for name, (one, other) in zip(names, self.change.differential.signs))
        words['gains'] = ('change the sign of its gain' if gains else
                          'change their sign, or add --effort-semantics current --gains 1 '
                          f'{names[0]}=-1' if names else '')
        return SENTENCES[self.kind].format(**words)


SENTENCES = {
    'sign': 'the efforts of {joint} have the wrong sign: there they are minus what the URDF '
            'needs, and they push where friction brakes; {gains}',
    'zero': 'the zero of {joint} is not that of the URDF: the efforts fit its geometry if about '
            '{radians} rad ({degrees} deg) is added to the positions of this joint; set the zero '
            "in the driver, or turn the joint's <origin> in the URDF about its axis by it",
    'positions': 'the positions of {joint} have the wrong sign: the efforts fit the geometry of '
                 'the URDF if it is changed; change it, or that of the <axis> in the URDF and of '
                 'the efforts',
    'direction': '{joint} turns the other way than in the URDF: the efforts fit its geometry if '
                 'positions and efforts of this joint change their sign; change the sign of its '
                 '<axis> in the URDF',
    'efforts': 'the efforts of {joint} and {other} look interchanged: each fits the other joint; '
               'interchange the two columns, or the entries of the efforts in the messages',
    'joints': '{joint} and {other} look interchanged: the efforts fit the URDF if the two have '
              "each other's names; add --rename {joint}={other} --rename {other}={joint}",
    'differential': 'the efforts of {joint} and {other} look like those of two motors that drive '
                    'both joints, as those of a differential: {formulas} fit the URDF; record '
                    'the efforts of the joints, or compute them so',
    'gravity': 'the efforts fit a gravity of about {gravity} m/s^2 in the frame of the root, not '
               '{nominal}: if the robot is mounted so, set it with --gravity {gravity}; otherwise '
               'the zeros of its joints differ from those of the URDF',
    'no gravity': 'the efforts are without gravity, which the URDF needs: if the driver subtracts '
                  'it, record the efforts before it does, or set --gravity 0 0 0; if they are '
                  'currents of motors, add --effort-semantics current --gains free',
}


def single_joints(base: Change, robot: Robot, moving: NDArray[np.bool_],
                  free: NDArray[np.bool_]) -> Iterator[Mistake]:
    """
    Yield mistakes of one joint besides those that `base` corrects.

    Where nothing moves beyond a joint, another zero is another centre of mass, no mistake.
    """
    n = len(moving)
    inner = moved_beyond(robot, moving)
    for joint in np.flatnonzero(moving).tolist():
        signs = turned(n, joint)
        if joint in inner and robot.dynamics.units[joint] == 'rad':
            for angle in ANGLES:
                yield Mistake(shifted(base, joint, angle), 'zero', (joint,))
        other = base._replace(position_signs=base.position_signs * signs)
        both = other._replace(effort_signs=base.effort_signs * signs)
        if free[joint]:
            yield Mistake(other, 'direction', (joint,))
        else:
            yield Mistake(other, 'positions', (joint,))
            yield Mistake(both, 'direction', (joint,))
            yield Mistake(base._replace(effort_signs=base.effort_signs * signs), 'sign', (joint,))


def moved_beyond(robot: Robot, moving: NDArray[np.bool_]) -> set[int]:
    """Return the joints beyond which another one moves."""
    bodies = robot.system.bodies
    return {bodies[each].coordinate for number, body in enumerate(bodies)
            for each in chain(robot.system, number)
            if moving[body.coordinate] and bodies[each].coordinate != body.coordinate}


def shifted(base: Change, joint: int, angle: float) -> Change:
    """Return a change that also adds an angle to the positions of a joint."""
    shifts = base.shifts.copy()
    shifts[joint] += angle
    return base._replace(shifts=shifts)


def pairs(base: Change, joints: Sequence[int]) -> Iterator[Mistake]:
    """Yield mistakes of two joints: of their names, and of their efforts alone."""
    for one, other in combinations(joints, 2) if len(joints) <= _MOST_JOINTS else ():
        order = swapped(len(base.shifts), one, other)
        efforts = base._replace(efforts=base.efforts[order])
        yield Mistake(efforts, 'efforts', (one, other))
        yield Mistake(efforts._replace(positions=base.positions[order]), 'joints', (one, other))


def differentials(base: Change, joints: Sequence[int], free: NDArray[np.bool_],
                  units: Sequence[str]) -> Iterator[Mistake]:
    """Yield neighbours whose efforts are those of two motors that drive both joints."""
    if base.differential is not None:
        return
    for pair in pairwise(joints):
        if free[[*pair]].any() or units[pair[0]] != units[pair[1]]:
            continue
        for first, second, odd in product((1.0, -1.0), (1.0, -1.0), (0, 1)):
            row = (first, second)
            other = (-first, second) if odd else (first, -second)
            yield Mistake(base._replace(differential=Differential(pair, (row, other))),
                          'differential', pair)


def gravities(base: Change, nominal: Array) -> Iterator[Mistake]:
    """Yield gravity along other directions of the root frame, and none."""
    size = float(np.linalg.norm(nominal))
    if size <= 0.0 or base.gravity is not None:
        return
    yield Mistake(base._replace(gravity=np.zeros(3)), 'no gravity')
    across = np.linalg.svd(nominal[None])[2][1:]
    tilted = [nominal + size * _TILT * np.array(each) @ across
              for each in product((-1.0, 0.0, 1.0), repeat=2) if any(each)]
    for direction in (*map(np.array, product((-1.0, 0.0, 1.0), repeat=3)), *tilted):
        length = float(np.linalg.norm(direction))
        if length > 0.0 and direction @ nominal < 0.95 * length * size:
            yield Mistake(base._replace(gravity=size / length * direction), 'gravity')
