"""What a generated function takes and returns: links, inputs and results, as data."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple, TypeAlias

from urdf2dyn_ros.errors import ExportError
from urdf2dyn_ros.robot.loads import Loads
from urdf2dyn_ros.robot.multibody import Multibody
from urdf2dyn_ros.robot.spatial import AXES, TENSOR, Scalar

FrameAxes: TypeAlias = Literal['root', 'link']
FRAME_AXES: tuple[FrameAxes, ...] = ('root', 'link')


@dataclass(frozen=True)
class LinkFrames:
    """Links, by default the only tip, and the axes of vectors at their origins."""

    links: tuple[str, ...] = ()   # names from the URDF, of links lumped into a body as well
    axes: FrameAxes = FRAME_AXES[0]   # those of the root, or those of the link itself

    def __post_init__(self) -> None:
        if isinstance(self.links, str):
            object.__setattr__(self, 'links', (self.links,))

    def resolved(self, system: Multibody, options: Collection[str], moving: bool,
                 depending: Mapping[str, Sequence[str]]) -> 'LinkFrames':
        """
        Return the choice with the links of a robot, where functions have such `options`.

        `depending` are the functions that depend on each choice, 'link' and 'axes'.
        """
        if self.axes not in FRAME_AXES:
            raise ExportError(f'unknown axes {self.axes!r}; they are: {", ".join(FRAME_AXES)}')
        for option, chosen in (('link', self.links), ('axes', self.axes != FRAME_AXES[0])):
            if chosen and option not in options:
                raise ExportError(f'the model does not depend on a choice of {option}: remove '
                                  f'{option}, or choose one of {", ".join(depending[option])}')
        if 'link' not in options:
            return self
        links = tuple(self.links) or system.tips
        for link in links:
            if link not in system.links:
                raise ExportError(f'there is no link {link!r}; the links are: '
                                  f'{", ".join(system.links)}')
            if moving and link in system.world:
                raise ExportError(f'link {link!r} is the world, in which the robot floats, or '
                                  'fixed to it: where it is relative to the root is not known')
        if len(set(links)) < len(links):
            raise ExportError(f'a link is named twice: {", ".join(links)}')
        if not self.links and len(links) != 1:
            raise ExportError('choose a link (link=, --link, export.link): the robot has several '
                              f'tips, {", ".join(links)}')
        return LinkFrames(links, self.axes)


ONLY_TIP = LinkFrames()


class Input(NamedTuple):
    """Declaration of an argument of a generated function, a vector."""

    name: str
    entries: tuple[str, ...]   # their names in the statements, in order
    summary: str   # what they are, with units
    of_joints: bool = True   # whether they are those of the independent joints


class JointInput(NamedTuple):
    kind: str   # a word for names of variables
    unit: str   # of an entry, with {unit} and {effort} of its joint
    units: str   # of all


# inputs of the joints by name
JOINT_INPUTS = {
    'q': JointInput('position', '{unit}', '[rad or m]'),
    'qd': JointInput('velocity', '{unit}/s', '[rad/s or m/s]'),
    'qdd': JointInput('acceleration', '{unit}/s^2', '[rad/s^2 or m/s^2]'),
    'tau': JointInput('effort', '{effort}', '[N m or N]'),
}


def inputs_of(system: Multibody, loads: Loads) -> dict[str, Input]:
    """Return q, qd, qdd and tau of a robot, then what varies with its loads, in this order."""
    inputs = [Input(x, tuple(f'{x}{i + 1}' for i in system.motors), known.units)
              for x, known in JOINT_INPUTS.items()]
    if system.closed_loops:
        drivers = system.drivers
        inputs.append(Input('passive', tuple(f'q{drivers[k] + 1}' for k in system.unknown), (
            'positions [rad or m] of the passive joints, which close the loops: '
            + ', '.join(system.joint_names[k] for k in system.unknown)), False))
    if loads.moving(system):
        inputs.append(Input('base_motion', _of_root('w', 'wd', 'a'), (
            'of the root, in its frame: angular velocity [rad/s], angular acceleration [rad/s^2], '
            'acceleration of the origin minus gravity [m/s^2]'), False))
    if loads.external:
        inputs.append(Input('external', tuple(
            f'{symbol}{k}_{x}' for k in range(1, len(loads.external) + 1)
            for symbol in ('Fe', 'Ne') for x in AXES),
            'for each link that the heading names, force [N] and moment [N m] on it by the '
            'environment, about its origin, in its axes', False))
    if loads.payload:
        inputs.append(Input('payload', ('mp', *(f'cp_{x}' for x in AXES),
                                        *(f'Ip_{xy}' for xy in TENSOR)),
                            'mass [kg], centre of mass [m] in the link, inertia about it '
                            f'[kg m^2]: {", ".join(TENSOR)}', False))
    if loads.moving(system):   # as seen from the world, for links
        inputs += [Input('base_twist', _of_root('v', 'w'), (
            'of the root, in its axes: velocity of the origin [m/s], angular velocity [rad/s]'),
            False), Input('base_acceleration', _of_root('a', 'wd'), (
                'of the root, in its axes: acceleration of the origin [m/s^2], angular '
                'acceleration [rad/s^2]'), False)]
    inputs += [Input('state', ('begun', *(f'{symbol}{i + 1}' for symbol in ('rb', 'pb', 'kb')
                                          for i in system.motors)),
                     'zeros at first, then next_state of the call before', False),
               Input('dt', ('step',), 'time since the call before [s]', False)]
    return {each.name: each for each in inputs}


def _of_root(*symbols: str) -> tuple[str, ...]:
    return tuple(f'{symbol}0_{x}' for symbol in symbols for x in AXES)


# ---- Results

Rows = Sequence[Sequence[Scalar]]


class Axis(NamedTuple):
    """Meaning of the rows or columns of a result, which for independent joints the robot names."""

    name: str   # a word that identifiers are made of
    keys: tuple[str, ...] = ()
    units: tuple[str, ...] = ()


BY_JOINT = Axis('joint')   # the independent joints, in the order of q

# entries of a force and of a moment
WRENCH = Axis('wrench',
              ('force x', 'force y', 'force z', 'moment x', 'moment y', 'moment z'),
              ('N', 'N', 'N', 'N m', 'N m', 'N m'))


class ResultKey(NamedTuple):
    """A result of a function, by the names of both."""

    function: str
    result: str


class Quantity(NamedTuple):
    """A result of a function, without its entries."""

    name: str   # valid as an identifier in every language
    summary: str   # what it is, with its unit
    # unit of a joint's effort to the unit of that joint's entry; by default the same
    unit: dict[str, str] | None = None
    rows: Axis = BY_JOINT
    columns: Axis | None = None   # none for a vector
    # name of the vector that the self-check multiplies a matrix by: an input with an entry a
    # column, or one that the reference states have in addition
    times: str = ''
    same_as: ResultKey | None = None   # the result with these expected values
