"""Names for every length and angle of a URDF, and the rotations that follow from them."""

from dataclasses import replace

from urdf2dyn_ros.algebra.expression import Graph, cos, sin
from urdf2dyn_ros.algebra.frames import from_cosines_and_sines, meant
from urdf2dyn_ros.algebra.vectors import AXES, Matrix, Triple, Vector, add, apply, product
from urdf2dyn_ros.functions.mention import mention
from urdf2dyn_ros.multibody import Attached, Body, Placement
from urdf2dyn_ros.program.constant_names import ConstantNames


class GeneralNames(ConstantNames):
    """Names all lengths and angles as the URDF has them; positions and rotations get labels."""

    STRUCTURAL = ()

    def __init__(self, graph: Graph) -> None:
        super().__init__(graph)
        self._of_link: dict[str, tuple[Vector, Matrix]] = {}   # in the frame of its body

    def joint(self, n: str, body: Body) -> tuple[Vector, Matrix]:
        """Return the same from xyz and rpy of the joint; of a further coordinate, numbers."""
        if body.placement is None:
            return body.parent_p_joint, body.parent_R_joint
        p, R = self._from_urdf(n, body.placement, f'joint {n}')
        R = product(R, body.alignment)
        self._label_frame(n, p, 'A', R)
        return p, R

    def placed(self, old: Attached, suffix: str) -> Attached:
        """Return the same from xyz and rpy of a fixed joint."""
        p, R = old.body_p_link, old.body_R_link
        if old.placement is not None:
            p, R = self._from_urdf(suffix, old.placement, f'fixed link {suffix}')
            self._label_frame(suffix, p, 'B', R)
        self._of_link[old.link.name] = p, R
        return replace(old, body_p_link=p, body_R_link=R)

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
