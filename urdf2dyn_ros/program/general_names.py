"""Names for every length, angle and axis of a URDF, and the rotations that follow from them."""

from dataclasses import replace

from urdf2dyn_ros.algebra.expression import Graph, cos, reciprocal, sin, sqrt
from urdf2dyn_ros.algebra.frames import aligned, composed, from_cosines_and_sines, meant
from urdf2dyn_ros.algebra.inertia import BodyInertia
from urdf2dyn_ros.algebra.vectors import (
    AXES,
    IDENTITY,
    Matrix,
    Triple,
    Vector,
    add,
    apply,
    cross,
    dot,
    product,
    scale,
    transpose,
)
from urdf2dyn_ros.functions.mention import mention
from urdf2dyn_ros.multibody import Attached, Body, LinkWrench, Placement
from urdf2dyn_ros.program.constant_names import ConstantNames

_NO_ZERO = 1e-15
"""What makes the sign of zero one, also in single precision."""


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
                n, body.axis, body.alignment, f'axis of joint {n}'))
        elif body.normal is not None:
            if body.placement is not None:   # the first of the plane's three coordinates
                self._plane = self._aligned(n, body.normal, aligned(body.normal),
                                            f'normal of the plane of joints {n} to {i + 3}')
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
        """Return the same from xyz and rpy of a fixed joint, or the axis of a moving one."""
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
        """Return the same from the numbers of the tag <force>."""
        tag = wrench.tag
        assert tag is not None
        what = f'of tag <force> {k}, on link{mention(wrench.link)}'
        force = self.vector(f'Ft{k}', tag.force, f'force {what}, along its own axes [N]')
        torque = self.vector(f'Nt{k}', tag.torque, f'torque {what}, along these axes [N m]')
        xyz = self.vector(f'xyzF{k}', tag.xyz, f'point {what}, in the frame of the link [m]')
        R = self._from_angles(f'F{k}', tag.rpy, f'roll, pitch, yaw of the axes {what} [rad]')
        f = apply(R, force)
        moment = add(apply(R, torque), cross(xyz, f))
        for symbol, vector in (('Fu', f), ('Nu', moment)):
            for x, entry in zip(AXES, vector):
                self.graph.label(f'{symbol}{k}_{x}', entry)
        return LinkWrench(wrench.link, f, moment)

    def inertial_axes(self, old: Attached, new: Attached, suffix: str, rpy: Triple) -> Matrix:
        """Return the same from the angles of <inertial>."""
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
        axis = self.vector(f'axis{n}', direction, f'{what}, of any length')
        size = sqrt(dot(axis, axis))
        self.graph.label(f'la{n}', size)
        x, y, z = apply(transpose(exported), scale(reciprocal(size), axis))
        for name, entry in zip(AXES, (x, y, z)):
            self.graph.label(f'ua{n}_{name}', entry)
        sign = (z + _NO_ZERO) * reciprocal(abs(z + _NO_ZERO))
        a = -reciprocal(sign + z)
        for name, entry in (('sa', sign), ('ka', a)):
            self.graph.label(f'{name}{n}', entry)
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
        for x, entry in zip(AXES, p):
            self.graph.label(f'p{n}_{x}', entry)
        self._label_matrix(f'{letter}{n}', R)

    def _label_matrix(self, name: str, R: Matrix) -> None:
        for x, row in zip(AXES, R):
            for y, entry in zip(AXES, row):
                self.graph.label(f'{name}_{x}{y}', entry)
