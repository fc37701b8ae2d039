"""
Names for the numbers of a robot: parameters of a graph, and their lines in a file.

In readable style masses, centres, tensors and lengths are parameters; zeros and ones of the
geometry are structure (`ConstantNames`). In general style all numbers of the URDF are parameters,
and positions and rotations follow from them (`GeneralNames`).
"""

from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

from urdf2dyn_ros.codegen.expression import Graph
from urdf2dyn_ros.codegen.functions.function import mention
from urdf2dyn_ros.codegen.program import ParameterLine
from urdf2dyn_ros.robot.joints import JOINTS
from urdf2dyn_ros.robot.loads import BodyTerms
from urdf2dyn_ros.robot.multibody import ROOT, Attached, Body, LinkWrench, Multibody, Placement
from urdf2dyn_ros.robot.spatial import (
    AXES,
    IDENTITY,
    TENSOR,
    BodyInertia,
    LinkInertia,
    Matrix,
    Scalar,
    Triple,
    Vector,
    about_origin,
    add,
    aligned,
    apply,
    com_in_body,
    composed,
    cos,
    cross,
    dot,
    from_cosines_and_sines,
    from_rpy,
    meant,
    product,
    reciprocal,
    scale,
    sin,
    sqrt,
    symmetric,
    total,
    transpose,
    upper,
)
from urdf2dyn_ros.robot.terms import JointTerm

_TENSOR_LINES = (((0, 3, 5), 'inertia about the centre of mass [kg m^2]'),
                 ((1, 2, 4), 'its products, entries of the tensor [kg m^2]'))


class ConstantNames:
    """Makes parameters of a graph, and keeps their names and values."""

    # numbers of the geometry that are part of the robot's structure
    STRUCTURAL: Sequence[float] = (0.0, 1.0, -1.0)

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
        return LinkWrench(
            wrench.link,
            self.vector(f'Fu{k}', wrench.force, f'force on link{mention(wrench.link)}, in its '
                        'axes [N]'),
            self.vector(f'Nu{k}', wrench.moment, f'moment on link{mention(wrench.link)}, about '
                        'its origin [N m]'))

    def placed(self, old: Attached, suffix: str) -> Attached:
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
        six: dict[int, Scalar] = {}
        for kept, comment in _TENSOR_LINES:
            six |= zip(kept, self._add(tuple(f'I{suffix}_{TENSOR[k]}' for k in kept),
                                       tuple(inertia.tensor[k] for k in kept), comment))
        return LinkInertia(mass, (com[0], com[1], com[2]),
                           symmetric(tuple(six[k] for k in range(6))),
                           self.inertial_axes(old, new, suffix, inertia.rpy), new.body_R_link,
                           new.body_p_link)

    def inertial_axes(self, old: Attached, new: Attached, suffix: str, rpy: Triple) -> Matrix:
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
            self.graph.label_entries(f'c{suffix}', AXES, com_in_body(link))
            parts.append(about_origin(link))
            if len(links) > 1:
                self._label(suffix if suffix != n else f'{n}_0', parts[-1])
        whole = total(parts)
        if whole is not None:
            self.graph.label(f'M{n}', whole.m)
            self._label(n, whole)
        return whole

    def _label(self, suffix: str, inertia: BodyInertia) -> None:
        self.graph.label_entries(f'h{suffix}', AXES, inertia.h)
        self.graph.label_entries(f'J{suffix}', TENSOR, upper(inertia.J))

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


_NO_ZERO = 1e-15   # what makes the sign of zero one, also in single precision


class GeneralNames(ConstantNames):
    """Names all lengths and angles as the URDF has them; positions and rotations get labels."""

    STRUCTURAL = ()

    def __init__(self, graph: Graph) -> None:
        super().__init__(graph)
        self._body: Body | None = None   # whose links are placed
        self._plane: Matrix = IDENTITY   # x, y and normal of the plane of a joint
        self._of_link: dict[str, tuple[Vector, Matrix]] = {}   # in the frame of its body

    def body(self, i: int, body: Body, follows: bool) -> tuple[Body, BodyInertia | None]:
        """Return the same; the axes of the link that the joint moves follow from the axis."""
        n = str(i + 1)
        if body.axis is not None:
            body = replace(body, alignment=self._aligned(
                n, body.axis, body.alignment, f'axis of joint {n}, of any length'))
        elif body.normal is not None:
            if body.placement is not None:   # the first of the plane's three coordinates
                # x and y of a URDF's plane jump where another entry of its normal is the least
                self._plane = self._aligned(
                    n, body.normal, aligned(body.normal), f'normal of the plane of joints {n} to '
                    f'{i + 3}, not to be edited: export the edited URDF')
                self._label_matrix(f'V{n}', self._plane)
            body = replace(body, alignment=product(self._plane, composed(
                transpose(aligned(body.normal)), body.alignment)))
        self._body = body
        return super().body(i, body, follows)

    def joint(self, n: str, body: Body) -> tuple[Vector, Matrix]:
        """Return the same from xyz and rpy of the joint; of a further coordinate, numbers."""
        if body.placement is None:
            return body.parent_p_joint, body.parent_R_joint
        p, R = self._from_urdf(n, body.placement, f'joint {n}')
        R = product(R, body.alignment)
        self._label_frame(n, p, 'A', R)
        return p, R

    def placed(self, old: Attached, suffix: str) -> Attached:
        p, R = old.body_p_link, old.body_R_link
        body = self._body
        if old.placement is None and body is not None and (body.axis or body.normal):
            R = transpose(body.alignment)
            self._label_matrix(f'B{suffix}', R)
        if old.placement is not None:
            p, R = self._from_urdf(suffix, old.placement, f'fixed link {suffix}')
            self._label_frame(suffix, p, 'B', R)
        self._of_link[old.link.name] = p, R
        return replace(old, body_p_link=p, body_R_link=R)

    def force(self, k: str, wrench: LinkWrench) -> LinkWrench:
        tag = wrench.tag
        assert tag is not None
        what = f'of tag <force> {k}, on link{mention(wrench.link)}'
        force = self.vector(f'Ft{k}', tag.force, f'force {what}, along its own axes [N]')
        torque = self.vector(f'Nt{k}', tag.torque, f'torque {what}, along these axes [N m]')
        xyz = self.vector(f'xyzF{k}', tag.xyz, f'point {what}, in the frame of the link [m]')
        R = self._from_angles(f'F{k}', tag.rpy, f'roll, pitch, yaw of the axes {what} [rad]')
        f = apply(R, force)
        moment = add(apply(R, torque), cross(xyz, f))
        self.graph.label_entries(f'Fu{k}', AXES, f)
        self.graph.label_entries(f'Nu{k}', AXES, moment)
        return LinkWrench(wrench.link, f, moment)

    def inertial_axes(self, old: Attached, new: Attached, suffix: str, rpy: Triple) -> Matrix:
        R = product(new.body_R_link, self._from_angles(
            f'I{suffix}', rpy, 'roll, pitch, yaw of its inertial axes [rad]'))
        self._label_matrix(f'E{suffix}', R)
        return R

    def _from_urdf(self, n: str, placement: Placement, what: str) -> tuple[Vector, Matrix]:
        """Return position and rotation in the frame of a body, from those in that of its link."""
        link_p, link_R = self._of_link[placement.link]
        link = mention(placement.link)
        xyz = self.vector(f'xyz{n}', placement.xyz, f'origin of {what} in its parent{link} [m]')
        R = self._from_angles(n, placement.rpy, f'roll, pitch, yaw of {what} there [rad]')
        return add(link_p, apply(link_R, xyz)), product(link_R, R)

    def _aligned(self, n: str, direction: Triple, exported: Matrix, what: str) -> Matrix:
        """
        Return the rotation of z to a direction, that of the description where it is as exported.

        Of a unit vector (x, y, z) in the frame of the latter: T. Duff et al., Building an
        Orthonormal Basis, Revisited, 2017, which is singular in no direction.
        """
        axis = self.vector(f'axis{n}', direction, what)
        size = sqrt(dot(axis, axis))
        self.graph.label(f'la{n}', size)
        x, y, z = apply(transpose(exported), scale(reciprocal(size), axis))
        self.graph.label_entries(f'ua{n}', AXES, (x, y, z))
        sign = (z + _NO_ZERO) * reciprocal(abs(z + _NO_ZERO))
        a = -reciprocal(sign + z)
        self.graph.label(f'sa{n}', sign)
        self.graph.label(f'ka{n}', a)
        across = x * y * a
        columns = ((1.0 + sign * x * x * a, sign * across, -sign * x),
                   (across, sign + y * y * a, -y), (x, y, z))
        return product(exported, transpose(columns))

    def _from_angles(self, n: str, rpy: Triple, comment: str) -> Matrix:
        angles = self.vector(f'rpy{n}', (meant(rpy[0]), meant(rpy[1]), meant(rpy[2])), comment)
        pairs = []
        for letter, angle in zip('rpy', angles):
            pairs.append((cos(angle), sin(angle)))
            for name, value in zip('cs', pairs[-1]):
                self.graph.label(f'{name}{letter}{n}', value)
        return from_cosines_and_sines(*pairs)

    def _label_frame(self, n: str, p: Vector, letter: str, R: Matrix) -> None:
        self.graph.label_entries(f'p{n}', AXES, p)
        self._label_matrix(f'{letter}{n}', R)

    def _label_matrix(self, name: str, R: Matrix) -> None:
        for x, row in zip(AXES, R):
            self.graph.label_entries(name, (x + y for y in AXES), row)


class NamedConstants(NamedTuple):
    """A robot with parameters of a graph in the place of numbers."""

    system: Multibody
    gravity: Vector
    terms: dict[int, tuple[JointTerm, ...]]   # by number of the body
    inertias: list[BodyInertia | None]   # one per body, then the root's
    lines: dict[int | str, tuple[ParameterLine, ...]]   # by number of a body, or by title


def named_constants(graph: Graph, system: Multibody, gravity: Vector, terms: BodyTerms,
                    moving: bool, general: bool) -> NamedConstants:
    """
    Return a robot whose masses, centres, inertias and lengths are parameters of the graph.

    What follows from them gets labels. A zero in the geometry is part of the robot's structure and
    vanishes from the equations, as does a zero of friction, rotors and springs; an inertial
    parameter that happens to be zero stays. With `general` lengths of zero stay as well, and
    rotations are made of the angles of the URDF. If the root moves, its inertia counts, and
    gravity is part of its motion.
    """
    names = (GeneralNames if general else ConstantNames)(graph)
    lines: dict[int | str, tuple[ParameterLine, ...]] = {}
    if not moving:
        gravity = names.vector('g', gravity, 'gravity in the root frame [m/s^2]')
    root, root_inertia = names.attached('0', system.root, moving)
    lines[ROOT] = names.lines()
    bodies, inertias, named_terms, drivers = [], [], {}, system.drivers
    for i, old in enumerate(system.bodies):
        body, inertia = names.body(i, old, drivers[old.coordinate] != i)
        bodies.append(body)
        inertias.append(inertia)
        if i in terms:
            named_terms[i] = names.terms(i, body, terms[i])
        lines[i] = names.lines()
    forces = tuple(names.force(str(k), force) for k, force in enumerate(system.forces, 1))
    lines['constant wrenches by the environment, as the tags <force> say'] = names.lines()
    return NamedConstants(
        replace(system, bodies=tuple(bodies), root=root, forces=forces), gravity, named_terms,
        [*inertias, root_inertia], {key: kept for key, kept in lines.items() if kept})
