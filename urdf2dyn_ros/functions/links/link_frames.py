"""The links that a function is about, and the axes of its vectors."""

from collections.abc import Collection
from dataclasses import dataclass
from typing import Literal, TypeAlias

from urdf2dyn_ros.errors import ExportError
from urdf2dyn_ros.multibody import Multibody

FrameAxes: TypeAlias = Literal['root', 'link']
FRAME_AXES: tuple[FrameAxes, ...] = ('root', 'link')
DEPENDING = {'link': ('forward_kinematics', 'jacobian', 'frame_motion'),
             'axes': ('jacobian', 'frame_motion')}
"""The functions that depend on each choice."""


@dataclass(frozen=True)
class LinkFrames:
    """
    Links, by default the only tip, and the axes of vectors at their origins.

    Attributes
    ----------
    links : tuple of str
        Names from the URDF, of links that are lumped into a body as well.
    axes : str
        'root': those of the root; 'link': those of the link itself.

    """

    links: tuple[str, ...] = ()
    axes: FrameAxes = FRAME_AXES[0]

    def resolved(self, system: Multibody, options: Collection[str], moving: bool) -> 'LinkFrames':
        """
        Return the choice with the links of a robot, whose root is `moving` or not.

        `options` are the choices that the functions have. An ExportError for a link that does not
        exist or is named twice, several tips and no link, unknown axes, or another choice.
        """
        if self.axes not in FRAME_AXES:
            raise ExportError(f'unknown axes {self.axes!r}; they are: {", ".join(FRAME_AXES)}')
        for option, chosen in (('link', self.links), ('axes', self.axes != FRAME_AXES[0])):
            if chosen and option not in options:
                raise ExportError(f'the model does not depend on a choice of {option}: remove '
                                  f'{option}, or choose one of {", ".join(DEPENDING[option])}')
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
