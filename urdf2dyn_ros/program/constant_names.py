"""Names for the numbers of a robot: parameters of a graph, and their lines in a file."""

from collections.abc import Sequence
from dataclasses import replace

from urdf2dyn_ros.algebra.expression import Graph, Scalar
from urdf2dyn_ros.algebra.frames import composed, from_rpy
from urdf2dyn_ros.algebra.inertia import (
    BodyInertia,
    LinkInertia,
    about_origin,
    com_in_body,
    total,
)
from urdf2dyn_ros.algebra.vectors import (
    AXES,
    TENSOR,
    Matrix,
    Triple,
    Vector,
    symmetric,
    upper,
)
from urdf2dyn_ros.functions.mention import mention
from urdf2dyn_ros.joints import JOINTS
from urdf2dyn_ros.loads import JointTerm
from urdf2dyn_ros.multibody import ROOT, Attached, Body, LinkWrench
from urdf2dyn_ros.program.program import ParameterLine

_TENSOR_LINES = (((0, 3, 5), 'inertia about the centre of mass [kg m^2]'),
                 ((1, 2, 4), 'its products, entries of the tensor [kg m^2]'))


class ConstantNames:
    """Makes parameters of a graph, and keeps their names and values."""

    STRUCTURAL: Sequence[float] = (0.0, 1.0, -1.0)
    """Numbers of the geometry that are part of the robot's structure."""

    def __init__(self, graph: Graph) -> None:
        self.graph = graph
        self._lines: list[ParameterLine] = []

    def lines(self) -> tuple[ParameterLine, ...]:
        """Return what has been named since the last call."""
        lines, self._lines = self._lines, []
        return tuple(lines)

    def body(self, i: int, body: Body, follows: bool) -> tuple[Body, BodyInertia | None]:
        n = str(i + 1)
        attached, inertia = self.attached(n, body.attached)
        parent_p_joint, parent_R_joint = self.joint(n, body)
        named = replace(
            body, attached=attached, parent_p_joint=parent_p_joint, parent_R_joint=parent_R_joint,
            multiplier=self._scalar(f'k{n}', body.multiplier, 'mimic multiplier')
            if follows else body.multiplier,
            offset=self._scalar(f'o{n}', body.offset, 'mimic offset')
            if follows else body.offset)
        return named, inertia

    def joint(self, n: str, body: Body) -> tuple[Vector, Matrix]:
        """Return position and axes of a joint in the frame of the body before it."""
        parent = 'the root frame' if body.parent == ROOT else f'frame {body.parent + 1}'
        return (self.vector(f'p{n}', body.parent_p_joint, f'origin of joint {n} in {parent} [m]'),
                self._rotation(f'A{n}', body.parent_R_joint,
                               f'constant rotation from joint {n} to {parent}'))

    def attached(self, n: str, links: tuple[Attached, ...], heavy: bool = True,
                 ) -> tuple[tuple[Attached, ...], BodyInertia | None]:
        """Return the links of a body and, where it counts, its inertia."""
        inertias: list[tuple[str, LinkInertia]] = []
        attached: list[Attached] = []
        for k, old in enumerate(links):
            suffix = f'{n}_{k}' if k else n
            new = self.placed(old, suffix)
            attached.append(new)
            if heavy and old.link.inertia is not None:
                inertias.append((suffix, self._inertia(old, new, suffix)))
        return tuple(attached), self._total(n, inertias)

    def terms(self, i: int, body: Body, terms: Sequence[JointTerm]) -> tuple[JointTerm, ...]:
        """Return the terms at a joint; constants that follow from their parameters get names."""
        named = []
        for term in terms:
            values = {}
            for name, row, value in term.parameters():
                unit = row.unit.format(**JOINTS[body.type].units)
                values[name] = self._add((f'{row.symbol}{i + 1}',), (value,),
                                         f'{row.what} [{unit}]')[0]
            named.append(replace(term, **values))
            for symbol, scalar in named[-1].constants().items():
                self.graph.label(f'{symbol}{i + 1}', scalar)
        return tuple(named)

    def force(self, k: str, wrench: LinkWrench) -> LinkWrench:
        """Return a constant wrench on a link."""
        return LinkWrench(
            wrench.link,
            self.vector(f'Fu{k}', wrench.force, f'force on link{mention(wrench.link)}, in its '
                        'axes [N]'),
            self.vector(f'Nu{k}', wrench.moment, f'moment on link{mention(wrench.link)}, about '
                        'its origin [N m]'))

    def placed(self, old: Attached, suffix: str) -> Attached:
        """Return a link with its position and axes in the frame of its body."""
        n = suffix.split('_')[0]
        frame = 'the root frame' if n == '0' else f'frame {n}'
        if old.joint is None:   # the root link, whose frame is that of the equations
            return old
        first = suffix == n and n != '0'   # with its origin at the joint
        return replace(
            old, body_p_link=old.body_p_link if first else self.vector(
                f'p{suffix}', old.body_p_link, f'origin of fixed link {suffix} in {frame} [m]'),
            body_R_link=self._rotation(f'B{suffix}', old.body_R_link,
                                       f'constant rotation from link {suffix} to {frame}'))

    def _inertia(self, old: Attached, new: Attached, suffix: str) -> LinkInertia:
        inertia = old.link.inertia
        assert inertia is not None
        mass = self._add((f'm{suffix}',), (inertia.mass,), 'mass [kg]')[0]
        com = self._add(tuple(f'com{suffix}_{x}' for x in AXES), inertia.com,
                        'centre of mass in the link [m]')
        six: list[Scalar] = [0.0] * 6
        for kept, comment in _TENSOR_LINES:
            named = self._add(tuple(f'I{suffix}_{TENSOR[k]}' for k in kept),
                              tuple(inertia.tensor[k] for k in kept), comment)
            for k, scalar in zip(kept, named):
                six[k] = scalar
        return LinkInertia(mass, (com[0], com[1], com[2]), symmetric(tuple(six)),
                           self.inertial_axes(old, new, suffix, inertia.rpy), new.body_R_link,
                           new.body_p_link)

    def inertial_axes(self, old: Attached, new: Attached, suffix: str, rpy: Triple) -> Matrix:
        """Return the axes of a link's tensor in the frame of its body."""
        if rpy == (0.0, 0.0, 0.0):
            return new.body_R_link
        return self._rotation(
            f'E{suffix}', composed(old.body_R_link, from_rpy(rpy)),
            f'constant rotation from the inertial axes of link {suffix} to frame '
            f'{suffix.split("_")[0]}')

    def _total(self, n: str, links: list[tuple[str, LinkInertia]]) -> BodyInertia | None:
        """Sum up a body, with a name for what every link contributes if there are several."""
        parts = []
        for suffix, link in links:
            for x, scalar in zip(AXES, com_in_body(link)):
                self.graph.label(f'c{suffix}_{x}', scalar)
            parts.append(about_origin(link))
            if len(links) > 1:
                self._label(suffix if suffix != n else f'{n}_0', parts[-1])
        whole = total(parts)
        if whole is not None:
            self.graph.label(f'M{n}', whole.m)
            self._label(n, whole)
        return whole

    def _label(self, suffix: str, inertia: BodyInertia) -> None:
        for k, x in enumerate(AXES):
            self.graph.label(f'h{suffix}_{x}', inertia.h[k])
        for name, entry in zip(TENSOR, upper(inertia.J)):
            self.graph.label(f'J{suffix}_{name}', entry)

    def _scalar(self, name: str, value: float, comment: str) -> Scalar:
        if value in self.STRUCTURAL:
            return value
        return self._add((name,), (value,), comment)[0]

    def vector(self, name: str, values: Vector, comment: str) -> Vector:
        """Return a vector whose entries are parameters where they are not zero."""
        kept = [k for k in range(3) if values[k] != 0.0 or not self.STRUCTURAL]
        named = self._add(tuple(f'{name}_{AXES[k]}' for k in kept),
                          tuple(values[k] for k in kept), comment)
        return tuple(named[kept.index(k)] if k in kept else 0.0  # type: ignore[return-value]
                     for k in range(3))

    def _rotation(self, name: str, m: Matrix, comment: str) -> Matrix:
        rows: list[list[Scalar]] = [list(row) for row in m]
        for i in range(3):
            kept = [j for j in range(3) if m[i][j] not in self.STRUCTURAL]
            named = self._add(tuple(f'{name}_{AXES[i]}{AXES[j]}' for j in kept),
                              tuple(m[i][j] for j in kept), comment)
            for j, scalar in zip(kept, named):
                rows[i][j] = scalar
        return tuple(tuple(row) for row in rows)  # type: ignore[return-value]

    def _add(self, names: tuple[str, ...], values: tuple[float, ...],
             comment: str) -> tuple[Scalar, ...]:
        if names:
            self._lines.append(ParameterLine(names, values, comment))
        return tuple(self.graph.parameter(name) for name in names)
