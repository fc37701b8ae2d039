"""
Gear ratios from `<transmission>`, wherever its reduction is written.

In the wild it stands in the actuator (ROS 1), in the joint (ros2_control, whose transmissions are
in `<ros2_control>`) or beside both (PR2). A transmission of several joints or actuators, such as
a differential, couples them: none of its joints has a gear ratio of its own.

"""

from __future__ import annotations

from collections.abc import Iterator

from urdf2dyn_ros.algebra.magnitude import LARGEST_MAGNITUDE, SMALLEST_DIVISOR
from urdf2dyn_ros.urdf.description import Description, Element, name_of
from urdf2dyn_ros.urdf.numbers import read_numbers

TAGS = ('mechanicalReduction', 'mechanical_reduction')


def transmissions(robot: Description) -> Iterator[Element]:
    """Yield every transmission, in the order of the file."""
    for element in robot.robot.iterchildren('transmission', 'ros2_control'):
        if element.tag == 'transmission':
            yield element
        else:
            yield from element.iterchildren('transmission')


def reductions(robot: Description) -> Iterator[tuple[str, Element]]:
    """Yield the name of a joint with a transmission of its own, and a reduction of it."""
    for transmission in transmissions(robot):
        joints = transmission.findall('joint')
        if len(joints) == 1 and len(transmission.findall('actuator')) <= 1:
            for reduction in transmission.iter(*TAGS):
                yield name_of(joints[0]), reduction


def text_of(reduction: Element) -> str:
    """Text of a reduction, without the comments in it."""
    return str(reduction.xpath('string()')).strip(' \t\r\n')


def read_reduction(text: str) -> float:
    """
    Return a reduction.

    Raises
    ------
    ValueError
        The text says what is wrong and what to write.

    """
    (value,) = read_numbers(text, 1)
    if not SMALLEST_DIVISOR <= abs(value) <= LARGEST_MAGNITUDE:
        raise ValueError(f'not 0, nor beyond {LARGEST_MAGNITUDE:g} either way; write how many '
                         'turns of the motor are one of the joint')
    return value


def gear_ratios(robot: Description) -> dict[str, float]:
    """Return gear ratios by name of joint: the first of each that can be read."""
    ratios: dict[str, float] = {}
    for joint, reduction in reductions(robot):
        try:
            ratios.setdefault(joint, read_reduction(text_of(reduction)))
        except ValueError:   # which a rule reports
            continue
    return ratios
