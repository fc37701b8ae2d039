"""
Robots with closed loops as URDF texts: each closes where all joints are at zero.

All frames have the axes of the root there, so that a mechanism is written as the places of its
joints. Loops are ``<loop_joint>``, motors ``<ros2_control>``.
"""

from collections.abc import Callable, Sequence
from functools import cache

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
Point = Sequence[float]

Y, Z = (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)


def _words(values: Point) -> str:
    return ' '.join(f'{float(x):.17g}' for x in values)


class Builder:
    """A description that grows: links where all joints are at zero, and loops."""

    def __init__(self, name: str) -> None:
        self.name, self.places = name, {'base': np.zeros(3)}
        self.motors: list[str] = []
        self._parts = ['<link name="base"/>']
        self._rng = np.random.default_rng(len(name))

    def joint(self, name: str, parent: str, place: Point, axis: Point = Y,
              kind: str = 'continuous', mass: float | None = None, motor: bool = False,
              limits: str = '', reach: Point = (0.0, 0.0, 0.0)) -> str:
        """Add a link at a place, whose centre is half way to what it reaches; return its name."""
        rng, link = self._rng, f'{name}_link'
        self._parts.append(f'<link name="{link}">')
        if mass is None or mass > 0.0:
            half = rng.normal(size=(3, 3)) * 0.05
            m = mass or float(rng.uniform(0.5, 3.0))
            S = m * (half @ half.T + 1e-3 * np.eye(3))   # second moments, which any body has
            J = np.trace(S) * np.eye(3) - S
            centre = 0.5 * (np.array(reach) - place) if any(reach) else rng.normal(size=3) * 0.05
            entries = ' '.join(f'i{"xyz"[r]}{"xyz"[c]}="{J[r, c]:.17g}"'
                               for r in range(3) for c in range(r, 3))
            self._parts.append(f'<inertial><origin xyz="{_words(centre)}"/><mass value="{m:.17g}"'
                               f'/><inertia {entries}/></inertial>')
        self._parts.append(
            f'</link><joint name="{name}" type="{kind}"><origin '
            f'xyz="{_words(np.array(place) - self.places[parent])}"/><parent link="{parent}"/>'
            f'<child link="{link}"/><axis xyz="{_words(axis)}"/>{limits}</joint>')
        self.places[link] = np.array(place, np.float64)
        self.motors += [name] * motor
        return link

    def universal(self, name: str, parent: str, place: Point, to: Point, axis: Point,
                  mass: float = 0.4) -> str:
        """Add a rod from a place to another on two crossed hinges, the first about an axis."""
        along = np.array(to) - place
        second = np.cross(along, axis)
        cross = self.joint(f'{name}_a', parent, place, axis, mass=0.0)
        return self.joint(f'{name}_b', cross, place, second / np.linalg.norm(second), mass=mass,
                          reach=to)

    def ball(self, name: str, parent: str, place: Point, mass: float) -> str:
        """Add a link on three crossed hinges."""
        for x, axis in zip('xyz', np.eye(3)):
            parent = self.joint(f'{name}_{x}', parent, place, axis, mass=0.0 if x < 'z' else mass)
        return parent

    def loop(self, name: str, first: str, second: str, place: Point, kind: str = 'revolute',
             axis: Point = Y) -> None:
        ends = ''.join(f'<link{k} link="{link}" xyz="{_words(np.array(place) - self.places[link])}'
                       '" rpy="0 0 0"/>' for k, link in ((1, first), (2, second)))
        about = f'<axis xyz="{_words(axis)}"/>' if kind != 'spherical' else ''
        self._parts.append(f'<loop_joint name="{name}" type="{kind}">{ends}{about}</loop_joint>')

    @property
    def text(self) -> str:
        motors = ''.join(f'<joint name="{name}"><command_interface name="effort"/></joint>'
                         for name in self.motors)
        parts = '\n  '.join(self._parts)
        return (f'<robot name="{self.name}">\n  {parts}\n  <ros2_control name="motors" '
                f'type="system">{motors}</ros2_control>\n</robot>\n')


def four_bar() -> Builder:
    b = Builder('four_bar')
    tip, end = (0.55, 0.02, 0.45), (0.7, 0.0, 0.0)
    crank = b.joint('crank', 'base', (0.0, 0.0, 0.0), reach=(0.05, 0.0, 0.3), motor=True)
    coupler = b.joint('coupler', crank, (0.05, 0.0, 0.3), reach=tip)
    rocker = b.joint('rocker', 'base', end, reach=tip)
    b.loop('pin', coupler, rocker, tip)
    return b


def five_bar() -> Builder:
    b = Builder('five_bar')
    tip = (0.15, 0.0, 0.5)
    links = []
    for side, x, elbow in (('left', 0.0, -0.12), ('right', 0.3, 0.45)):
        arm = b.joint(side, 'base', (x, 0.0, 0.0), motor=True, reach=(elbow, 0.0, 0.25))
        links.append(b.joint(f'{side}_elbow', arm, (elbow, 0.0, 0.25), reach=tip))
    b.loop('tip', *links, tip)
    return b


def palletizer() -> Builder:
    """Three parallelograms: one drives the forearm from the base, two hold the hand level."""
    b = Builder('palletizer')
    shoulder, elbow, wrist = map(np.array, ([0.2, 0, 0.5], [0.2, 0, 1.2], [1.0, 0, 1.2]))
    crank, link = np.array([-0.25, 0.0, 0.0]), np.array([0.05, 0.0, 0.15])
    column = b.joint('j1', 'base', (0, 0, 0.2), Z, mass=40.0, motor=True)
    lower = b.joint('j2', column, shoulder, mass=20.0, motor=True, reach=elbow)
    fore = b.joint('elbow', lower, elbow, mass=15.0, reach=wrist)
    lever = b.joint('j3', column, shoulder, mass=5.0, motor=True, reach=shoulder + crank)
    rod = b.joint('rod', lever, shoulder + crank, mass=2.0, reach=elbow + crank)
    b.loop('drive', rod, fore, elbow + crank)
    triangle = b.joint('triangle', lower, elbow, mass=3.0, reach=elbow + link)
    level = b.joint('level', column, shoulder + link, mass=1.5, reach=elbow + link)
    b.loop('hold', level, triangle, elbow + link)
    hand = b.joint('hand', fore, wrist, mass=4.0, reach=wrist + link)
    follower = b.joint('follower', triangle, elbow + link, mass=1.2, reach=wrist + link)
    b.loop('carry', follower, hand, wrist + link)
    b.joint('j4', hand, (1.1, 0, 1.1), Z, mass=6.0, motor=True)
    return b


def excavator() -> Builder:
    """Boom, arm and bucket, each moved by a cylinder, the bucket's by a linkage."""
    b = Builder('excavator')

    def cylinder(name: str, first: str, start: Point, second: str, end: Point) -> None:
        along = np.array(end) - start
        barrel = b.joint(f'{name}_pin', first, start, mass=30.0, reach=end)
        piston = b.joint(name, barrel, end, along / np.linalg.norm(along), 'prismatic', 20.0,
                         motor=True, limits='<limit lower="-0.6" upper="0.6" effort="1e6" '
                         'velocity="1"/>')
        b.loop(f'{name}_eye', piston, second, end)

    boom = b.joint('boom', 'base', (0, 0, 1), mass=800.0, reach=(3.5, 0, 3.0))
    arm = b.joint('arm', boom, (3.5, 0, 3.0), mass=400.0, reach=(5.0, 0, 1.5))
    bucket = b.joint('bucket', arm, (5.0, 0, 1.5), mass=300.0, reach=(5.3, 0, 1.0))
    cylinder('boom_cylinder', 'base', (0.6, 0, 0.6), boom, (2.0, 0, 2.4))
    cylinder('arm_cylinder', boom, (1.8, 0, 2.9), arm, (3.2, 0, 3.5))
    link = b.joint('link', arm, (4.8, 0, 1.75), mass=20.0, reach=(5.1, 0, 2.0))
    coupler = b.joint('coupler', link, (5.1, 0, 2.0), mass=20.0, reach=(5.35, 0, 1.6))
    b.loop('tooth', coupler, bucket, (5.35, 0, 1.6))
    cylinder('bucket_cylinder', arm, (3.9, 0, 3.0), link, (5.1, 0, 2.0))
    return b


def delta() -> Builder:
    """Three arms, each with two rods between crossed hinges and balls; the hand does not turn."""
    b = Builder('delta')
    hand = ''
    for k in range(3):
        c, s = np.cos(2.1 * k), np.sin(2.1 * k)
        out, side = np.array([c, s, 0.0]), np.array([-s, c, 0.0])
        hip, knee, foot = 0.2 * out, 0.35 * out + [0, 0, -0.12], 0.06 * out + [0, 0, -0.6]
        arm = b.joint(f'arm{k}', 'base', hip, side, mass=0.8, motor=True, reach=knee)
        for sign, name in ((-0.04, 'l'), (0.04, 'r')):
            end = foot + sign * side
            rod = b.universal(f'rod{k}{name}', arm, knee + sign * side, end, side, 0.1)
            if hand:
                b.loop(f'ball{k}{name}', rod, hand, end, 'spherical')
            else:
                hand = b.ball('hand', rod, end, 0.6)
    return b


def stewart() -> Builder:
    b = Builder('stewart')
    plate = ''
    for k in range(6):
        low, high = (np.pi / 3) * (k - k % 2) + 1.2 * (k % 2), (np.pi / 3) * (k - k % 2) + 0.3 * (
            k % 2) + 0.45
        start = np.array([0.6 * np.cos(low), 0.6 * np.sin(low), 0.0])
        end = np.array([0.35 * np.cos(high), 0.35 * np.sin(high), 0.7])
        along = (end - start) / np.linalg.norm(end - start)
        tube = b.universal(f'leg{k}', 'base', start, end, Z if k % 2 else (1.0, 0.0, 0.0), 2.0)
        rod = b.joint(f'piston{k}', tube, end, along, 'prismatic', 1.0, motor=True,
                      limits='<limit lower="-0.3" upper="0.3" effort="1e5" velocity="1"/>')
        if plate:
            b.loop(f'ball{k}', rod, plate, end, 'spherical')
        else:
            plate = b.ball('plate', rod, end, 8.0)
    return b


def ankle() -> Builder:
    """A foot on crossed hinges that two motors in the shank move by cranks and rods."""
    b = Builder('ankle')
    pitch = b.joint('pitch', 'base', (0, 0, 0), Y, mass=0.2)
    foot = b.joint('roll', pitch, (0, 0, 0), (1.0, 0.0, 0.0), mass=1.2, reach=(0.1, 0, -0.1))
    for side, y in (('left', 0.05), ('right', -0.05)):
        place, tip, end = (0.0, y, 0.3), (-0.06, y, 0.29), (-0.07, 0.9 * y, 0.01)
        crank = b.joint(side, 'base', place, Y, mass=0.3, motor=True, reach=tip)
        rod = b.universal(f'{side}_rod', crank, tip, end, Y, 0.2)
        b.loop(f'{side}_ball', rod, foot, end, 'spherical')
    return b


MECHANISMS: dict[str, Callable[[], Builder]] = {
    'four_bar': four_bar, 'five_bar': five_bar, 'palletizer': palletizer, 'excavator': excavator,
    'delta': delta, 'stewart': stewart, 'ankle': ankle}


@cache
def mechanism(name: str) -> str:
    """Return the text of one."""
    return MECHANISMS[name]().text
