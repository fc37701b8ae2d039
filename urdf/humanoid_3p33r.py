"""
Write humanoid_3p33r.urdf, a woman of 57.3 kg and 1.61 m with 36 joints, next to this file.

All numbers are in tables; `python3 urdf/humanoid_3p33r.py` rewrites the URDF byte for byte.

"""

from __future__ import annotations

import math
from pathlib import Path
from typing import NamedTuple

Vector = tuple[float, float, float]

HEAD_COMMENT = """
  A woman of 57.3 kg and 1.61 m: 16 segments and 36 joints (3 prismatic, 33 revolute) with the
  names and the x, y, z order of the HuMoD database (Wojtusch and von Stryk, 2015), its subject A.
  Frames: x forward, y UP, z to the right (use gravity 0 -9.81 0), each on its proximal joint. At
  q = 0 she stands in the anatomical position, the middle of her hips at the origin of `world`.
  Links named *_massless only chain the axes of one joint; the hands are fixed to the forearms.
  Segment inertias: P. de Leva, Adjustments to Zatsiorsky-Seluyanov's segment inertia parameters,
  J. Biomechanics 29(9), 1996. Written by humanoid_3p33r.py: change its tables, not this file.
"""

# Subject A of HuMoD: 562 N, 1.61 m. The mean stature of de Leva's women is 1735 mm.
BODY_MASS, STATURE = 57.3, 1.61  # [kg], [m]
METRES = STATURE / 1735.0  # of her body, for one millimetre of de Leva's mean woman


class Segment(NamedTuple):
    """
    One row of de Leva's table 4, female columns, and the size of the solid that RViz shows.

    """

    mass: float  # [% of body mass]
    length: float  # [mm] of the mean woman
    centre: float  # [% of length] of the centre of mass, from the cranial or proximal end
    radii: Vector  # [% of length] radii of gyration about the sagittal, transverse, long axis
    solid: tuple[float, ...]  # [m] radius, or thickness along x and z: invented, for the eye


# Of the rows with several end points, those that stack: head and upper trunk meet at the 7th
# cervical vertebra, shank to ankle centre, hand to fingertip. The masses add up to 99.99 % and are
# normalised in write_segment. The sagittal axis points forward, the transverse one to the side; a
# foot is measured from the heel to the toes, and its sagittal axis taken as the sole's normal.
SEGMENTS = {
    'head': Segment(6.68, 243.7, 48.41, (27.1, 29.5, 26.1), (0.075,)),
    'thorax': Segment(15.45, 228.0, 50.50, (46.6, 31.4, 44.9), (0.17, 0.25)),
    'lumbar': Segment(14.65, 205.3, 45.12, (43.3, 35.4, 41.5), (0.16, 0.23)),
    'pelvis': Segment(12.47, 181.5, 49.20, (43.3, 40.2, 44.4), (0.18, 0.28)),
    'upper_arm': Segment(2.55, 275.1, 57.54, (27.8, 26.0, 14.8), (0.035,)),
    'forearm': Segment(1.38, 264.3, 45.59, (26.1, 25.7, 9.4), (0.03,)),
    'hand': Segment(0.56, 170.1, 34.27, (24.4, 20.8, 15.4), (0.03, 0.07)),
    'thigh': Segment(14.78, 368.5, 36.12, (36.9, 36.4, 16.2), (0.065,)),
    'shank': Segment(4.81, 438.6, 43.52, (26.7, 26.3, 9.2), (0.045,)),
    'foot': Segment(1.29, 228.3, 40.14, (29.9, 27.9, 13.9), (0.06, 0.08)),
}
TRUNK = ('head', 'thorax', 'lumbar', 'pelvis')  # above their joint and single; the rest are pairs

LENGTH = {name: segment.length * METRES for name, segment in SEGMENTS.items()}
SHOULDER_UP = 497.9 * METRES - LENGTH['pelvis'] - LENGTH['lumbar']  # de Leva's trunk, MIDS to MIDH
SHOULDER_OUT = 0.100 * STATURE  # half of ANSUR II's biacromial breadth (365 of 1628) less 20 mm
HIP_OUT = 0.36 * 0.23  # 0.36 of the iliac spines' breadth (Reed 1999, as in HuMoD); 0.23 m assumed
ANKLE_UP = STATURE - sum(LENGTH[name] for name in (*TRUNK, 'thigh', 'shank'))  # 4.0 % are left
HEEL_BACK = 0.25 * LENGTH['foot']  # ankle to heel: a quarter of the foot, assumed


class Joint(NamedTuple):
    """
    One joint of the body, its freedoms in order from parent to child, described on the right side.

    """

    name: str
    parent: str
    child: str
    origin: Vector  # [m] in the parent's frame
    effort: float  # [N m or N] a plausible limit
    freedoms: dict[str, tuple[float, float]]  # e.g. rX: limits [deg], or pX: limits [m]


# The joints are at the ends of de Leva's segments: the back bends at the navel (LLJ) and xiphion
# (ULJ), where HuMoD has L5/S1 and T12/L1. Limits: norms of the AAOS (1965), halved for the back.
JOINTS = (
    Joint('BJ', 'world', 'pelvis', (0.0, 0.0, 0.0), 5000.0,
          {'pX': (-10, 10), 'pY': (-10, 10), 'pZ': (-10, 10),
           'rX': (-180, 180), 'rY': (-180, 180), 'rZ': (-180, 180)}),
    Joint('LLJ', 'pelvis', 'lumbar', (0.0, LENGTH['pelvis'], 0.0), 300.0,
          {'rX': (-17.5, 17.5), 'rZ': (-40, 12.5)}),
    Joint('ULJ', 'lumbar', 'thorax', (0.0, LENGTH['lumbar'], 0.0), 300.0,
          {'rX': (-17.5, 17.5), 'rY': (-45, 45), 'rZ': (-40, 12.5)}),
    Joint('LNJ', 'thorax', 'head', (0.0, LENGTH['thorax'], 0.0), 50.0,
          {'rX': (-45, 45), 'rY': (-60, 60), 'rZ': (-45, 45)}),
    Joint('SJ', 'thorax', 'upper_arm', (0.0, SHOULDER_UP, SHOULDER_OUT), 100.0,
          {'rX': (-180, 50), 'rY': (-90, 70), 'rZ': (-60, 180)}),
    Joint('EJ', 'upper_arm', 'forearm', (0.0, -LENGTH['upper_arm'], 0.0), 80.0, {'rZ': (0, 150)}),
    Joint('WJ', 'forearm', 'hand', (0.0, -LENGTH['forearm'], 0.0), 0.0, {}),
    Joint('HJ', 'pelvis', 'thigh', (0.0, 0.0, HIP_OUT), 300.0,
          {'rX': (-45, 30), 'rY': (-45, 45), 'rZ': (-30, 120)}),
    Joint('KJ', 'thigh', 'shank', (0.0, -LENGTH['thigh'], 0.0), 300.0, {'rZ': (-135, 0)}),
    Joint('AJ', 'shank', 'foot', (0.0, -LENGTH['shank'], 0.0), 200.0,
          {'rX': (-15, 35), 'rY': (-30, 30), 'rZ': (-50, 20)}),
)
KINDS, AXES = {'p': 'prismatic', 'r': 'revolute'}, {'X': '1 0 0', 'Y': '0 1 0', 'Z': '0 0 1'}
VELOCITY = 20.0  # [rad/s or m/s] above any human motion


def numbers(*values: float) -> str:
    """
    Return the values as an XML attribute: seven significant digits, zero without a sign.

    """
    return ' '.join(f'{value + 0.0:.7g}' for value in values)


def write_segment(name: str, side: str) -> list[str]:
    """
    Return the lines of a segment's link; `side` is '', '_L' or '_R'.

    """
    segment = SEGMENTS[name]
    percent = sum((1 if key in TRUNK else 2) * row.mass for key, row in SEGMENTS.items())
    mass = BODY_MASS * segment.mass / percent
    length = LENGTH[name]
    sagittal, transverse, long = (mass * (r / 100 * length) ** 2 for r in segment.radii)
    centre, middle = -segment.centre / 100 * length, -length / 2  # down from the upper end
    if name in TRUNK:
        centre, middle = length + centre, length + middle
    origin, inertia = (0.0, centre, 0.0), (sagittal, long, transverse)
    place, size = (0.0, middle, 0.0), (segment.solid[0], length, segment.solid[-1])
    if name == 'foot':  # along x, from the heel
        origin, inertia = (-centre - HEEL_BACK, -ANKLE_UP / 2, 0.0), (long, sagittal, transverse)
        size = (length, segment.solid[0], segment.solid[1])
        place = (length / 2 - HEEL_BACK, size[1] / 2 - ANKLE_UP, 0.0)
    rpy, solid = '0 0 0', f'box size="{numbers(*size)}"'
    if len(segment.solid) == 1:  # a URDF cylinder lies along z
        rpy, solid = '1.570796 0 0', f'cylinder radius="{size[0]}" length="{numbers(length)}"'
    return [
        f'  <link name="{name}{side}">\n    <inertial>',
        f'      <origin xyz="{numbers(*origin)}" rpy="0 0 0"/>',
        f'      <mass value="{numbers(mass)}"/>',
        f'      <inertia ixx="{numbers(inertia[0])}" ixy="0" ixz="0"',
        f'               iyy="{numbers(inertia[1])}" iyz="0" izz="{numbers(inertia[2])}"/>',
        '    </inertial>\n    <visual>',
        f'      <origin xyz="{numbers(*place)}" rpy="{rpy}"/>',
        f'      <geometry>\n        <{solid}/>\n      </geometry>',
        '      <material name="skin"/>\n    </visual>\n  </link>\n',
    ]


def write_joint(joint: Joint, side: str) -> list[str]:
    """
    Return the lines of a joint, one axis after the other, and of the segment that it moves.

    """
    origin = numbers(*joint.origin[:2], joint.origin[2] * (-1 if side == '_L' else 1))
    parent = joint.parent + ('' if joint.parent in ('world', *TRUNK) else side)
    lines: list[str] = []
    freedoms = list(joint.freedoms) or ['']
    for freedom in freedoms:
        name = f'{freedom[:1]}{joint.name}{freedom[1:]}{side}'
        last = freedom == freedoms[-1]
        child = joint.child + side if last else f'{name}_massless'
        lines += [f'  <joint name="{name}" type="{KINDS.get(freedom[:1], "fixed")}">',
                  f'    <parent link="{parent}"/>\n    <child link="{child}"/>',
                  f'    <origin xyz="{origin}" rpy="0 0 0"/>']
        if freedom:
            lower, upper = joint.freedoms[freedom]
            if side == '_L' and freedom[1] in 'XY':  # the mirrored motion has the other sign
                lower, upper = -upper, -lower
            if freedom[0] == 'r':
                lower, upper = math.radians(lower), math.radians(upper)
            lines += [f'    <axis xyz="{AXES[freedom[1]]}"/>',
                      f'    <limit lower="{numbers(lower)}" upper="{numbers(upper)}"'
                      f' effort="{numbers(joint.effort)}" velocity="{numbers(VELOCITY)}"/>']
        lines += ['  </joint>\n'] if last else [f'  </joint>\n\n  <link name="{child}"/>\n']
        parent, origin = child, '0 0 0'
    return lines + write_segment(joint.child, side)


def write_humanoid() -> str:
    """
    Return the text of the URDF.

    """
    lines = ['<?xml version="1.0" encoding="utf-8"?>', f'<!--{HEAD_COMMENT}-->',
             '<robot name="humanoid_3p33r">\n\n  <material name="skin">',
             '    <color rgba="0.85 0.7 0.6 1"/>\n  </material>\n\n  <link name="world"/>\n']
    for joint in JOINTS:
        for side in ('',) if joint.child in TRUNK else ('_L', '_R'):
            lines += write_joint(joint, side)
    return '\n'.join(lines).rstrip('\n') + '\n</robot>\n'


if __name__ == '__main__':
    Path(__file__).with_suffix('.urdf').write_text(write_humanoid(), encoding='utf-8')
