"""
Gear ratios from `<transmission>`, wherever its reduction is written.

It may be in the actuator (ROS 1), in the joint (ros2_control, whose transmissions are in
`<ros2_control>`) or in the transmission itself (PR2). A transmission of several joints or
actuators, such as a differential, couples them: none of its joints has a gear ratio of its own.
"""

from collections.abc import Iterator

from urdf2dyn_ros.algebra.magnitude import LARGEST_MAGNITUDE, SMALLEST_DIVISOR
from urdf2dyn_ros.quoting import quote
from urdf2dyn_ros.urdf.description import Description, Element, name_of
from urdf2dyn_ros.urdf.numbers import read_numbers

REDUCTION_TAGS = ('mechanicalReduction', 'mechanical_reduction')


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
            for reduction in transmission.iter(*REDUCTION_TAGS):
                yield name_of(joints[0]), reduction


def read_reduction(reduction: Element) -> float | str:
    """Return the value of a reduction, or a sentence that says what is wrong with its text."""
    text = str(reduction.xpath('string()')).strip(' \t\r\n')   # without comments
    try:
        (value,) = read_numbers(text, 1)
    except ValueError as error:
        return f'{quote(text)}: {error}'
    if not SMALLEST_DIVISOR <= abs(value) <= LARGEST_MAGNITUDE:
        return (f'{quote(text)}: it must not be 0 or larger than {LARGEST_MAGNITUDE:g}; write the '
                'turns of the motor for one of the joint')
    return value


def gear_ratios(robot: Description) -> dict[str, float]:
    """Return gear ratios by name of joint: the first readable one of each."""
    ratios: dict[str, float] = {}
    for joint, reduction in reductions(robot):
        value = read_reduction(reduction)
        if not isinstance(value, str):   # a rule reports it
            ratios.setdefault(joint, value)
    return ratios
