"""What the functions about links have in common."""

from abc import abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import ClassVar, TypeVar

from urdf2dyn_ros.algebra.expression import Scalar
from urdf2dyn_ros.algebra.frames import ROUNDOFF
from urdf2dyn_ros.algebra.inertia import BodyInertia
from urdf2dyn_ros.algebra.vectors import AXES, Matrix, Vector, apply, transpose
from urdf2dyn_ros.equations.kinematics import REFERENCE, Frame, chain, link_frame, root_frames
from urdf2dyn_ros.equations.links.link_kinematics import LinkKinematics
from urdf2dyn_ros.functions.function import Expected, ModelFunction, Rows
from urdf2dyn_ros.functions.links.link_symbols import LINK_SYMBOLS
from urdf2dyn_ros.functions.mechanics import Mechanics
from urdf2dyn_ros.functions.mention import mention
from urdf2dyn_ros.functions.quantity import Axis, Quantity
from urdf2dyn_ros.functions.symbol import Symbol
from urdf2dyn_ros.joints.motion import BodyNote
from urdf2dyn_ros.multibody import Multibody

_T = TypeVar('_T')


def spatial(linear: str = '', angular: str = '') -> Axis:
    """Return the axis of a linear and an angular vector with these units."""
    return Axis('twist', tuple(f'{kind} {x}' for kind in ('linear', 'angular') for x in AXES),
                (linear,) * 3 + (angular,) * 3)


def in_axes(mechanics: Mechanics, R: Matrix, vectors: Sequence[Vector]) -> list[Vector]:
    """Return vectors of the root's axes in the chosen axes; R is root_R_link."""
    if mechanics.frames.axes == 'root':
        return list(vectors)
    return [apply(transpose(R), vector) for vector in vectors]


class LinkFunction(ModelFunction):
    """
    A function about the frames of links, which no load changes.

    With several links each result has the number of its link behind its name.
    """

    OPTIONS: ClassVar[tuple[str, ...]] = ('link', 'axes')
    LOAD_INPUTS: ClassVar[tuple[str, ...]] = ()
    KINEMATIC = True
    LOADS = False
    SPINS = False
    SYMBOLS: ClassVar[Mapping[str, Symbol]] = LINK_SYMBOLS

    def simplified(self, system: Multibody,
                   moving: bool) -> tuple[Multibody, list[BodyInertia | None]]:
        """Return the robot in other frames, as exact as its own."""
        return super().simplified(replace(system, close=ROUNDOFF), moving)

    def quantities(self, mechanics: Mechanics) -> tuple[Quantity, ...]:
        return tuple(quantity._replace(name=quantity.name + tag)
                     for _, tag in _tagged(mechanics) for quantity in self.RESULTS)

    def derive(self, mechanics: Mechanics) -> dict[str, Rows]:
        """Return the results of every link, in the textbook's way or with few operations."""
        system, notes, state = mechanics.system, mechanics.notes, mechanics.state(self.INPUTS)
        results: dict[str, Rows] = {}
        if not mechanics.textbook:
            posed = mechanics.frames.axes == 'link' or 'axes' not in self.OPTIONS
            for link, tag in _tagged(mechanics):
                kinematics = LinkKinematics(system, link, state[0], posed)
                results |= _named(self.fast(mechanics, kinematics), tag)
            return results
        frames = root_frames(system, state, mechanics.frames.links, notes.note,
                             self.root(mechanics))
        for link, tag in _tagged(mechanics):
            i, attached = system.links[link]
            notes.begin('', tag, f'link{mention(link)}')
            frame = link_frame(frames[i], attached, partial(notes.note, i))
            bodies = {k: frames[k] for k in chain(system, i)}
            results |= _named(self.explained(mechanics, frame, bodies, partial(notes.note, i)),
                              tag)
        notes.begin()
        return results

    def expected(self, mechanics: Mechanics) -> Expected:
        """Return the results by the recursion of frames in the axes of the root."""
        results: dict[str, Sequence[float]] = {}
        frames = root_frames(mechanics.system, mechanics.state(('q', 'qd', 'qdd')),
                             mechanics.frames.links, root=_root(mechanics))
        for link, tag in _tagged(mechanics):
            i, attached = mechanics.system.links[link]
            results |= _named(self.checked(mechanics, link_frame(frames[i], attached)), tag)
        return {name: tuple(map(float, entries)) for name, entries in results.items()}

    def root(self, mechanics: Mechanics) -> Frame:
        """Return the frame of the root, and how it moves in the world if that is an input."""
        return _root(mechanics) if self.LOAD_INPUTS else REFERENCE

    @abstractmethod
    def fast(self, mechanics: Mechanics, link: LinkKinematics) -> dict[str, Rows]:
        """Return the results of a link with few operations."""

    @abstractmethod
    def explained(self, mechanics: Mechanics, link: Frame, bodies: Mapping[int, Frame],
                  note: BodyNote) -> dict[str, Rows]:
        """Return the results of a link, from its frame and those of the bodies before it."""

    @abstractmethod
    def checked(self, mechanics: Mechanics, link: Frame) -> dict[str, Sequence[Scalar]]:
        """Return what a self-check expects of a link in a state of numbers."""


def _root(mechanics: Mechanics) -> Frame:
    if not mechanics.moving:
        return REFERENCE
    twist, acceleration = (mechanics.arguments[f'base_{x}'] for x in ('twist', 'acceleration'))
    v, w, a, wd = ((x, y, z) for six in (twist, acceleration)
                   for x, y, z in (six[:3], six[3:]))
    return REFERENCE._replace(v=v, w=w, a=a, wd=wd)


def _tagged(mechanics: Mechanics) -> Iterator[tuple[str, str]]:
    """Yield each link, with what stands behind the names of its results."""
    links = mechanics.frames.links
    for k, link in enumerate(links, 1):
        yield link, f'_{k}' * (len(links) > 1)


def _named(results: Mapping[str, _T], tag: str) -> dict[str, _T]:
    return {name + tag: result for name, result in results.items()}
