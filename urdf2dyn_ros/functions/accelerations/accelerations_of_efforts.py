"""Accelerations that efforts cause, however they are computed."""

import numpy as np
from numpy.typing import ArrayLike

from urdf2dyn_ros.algebra.arrays import Array
from urdf2dyn_ros.algebra.expression import Scalar
from urdf2dyn_ros.equations.body_terms import body_terms
from urdf2dyn_ros.equations.elimination.definiteness import SMALLEST_INERTIA, weakness
from urdf2dyn_ros.errors import ParameterError
from urdf2dyn_ros.functions.function import Expected, ModelFunction, Rows
from urdf2dyn_ros.functions.mass_matrix import MassMatrix
from urdf2dyn_ros.functions.mechanics import Mechanics
from urdf2dyn_ros.functions.quantity import Quantity
from urdf2dyn_ros.loads import Loads
from urdf2dyn_ros.multibody import Multibody
from urdf2dyn_ros.quoting import quote

ACCELERATION_UNITS = {'N m': 'rad/s^2', 'N': 'm/s^2'}
"""Unit of an effort to that of the acceleration of its joint."""


class AccelerationsOfEfforts(ModelFunction):
    """qdd of tau = M(q) qdd + bias(q, qd)."""

    INPUTS = ('q', 'qd', 'tau')
    SUMMARY = 'the accelerations qdd that efforts cause, the inverse of inverse_dynamics'
    TITLE = ('Forward dynamics{robot}: {results} = FD({forward_dynamics}), the accelerations that '
             'efforts cause.')
    RESULTS = (Quantity('qdd', 'accelerations [rad/s^2 or m/s^2]', ACCELERATION_UNITS),)
    SECOND_MOMENTS = True

    def check(self, system: Multibody, loads: Loads) -> None:
        """Raise a ParameterError where efforts do not determine the accelerations."""
        terms = body_terms(system, loads)
        for i, each in terms.items():
            if any(term.needs_transmitted() for term in each):
                raise ParameterError(
                    f'forward_dynamics with friction of joint {quote(system.bodies[i].name)} that '
                    'depends on the effort that the joint transmits: this depends on the '
                    'accelerations, of which there may be several for the same efforts; set its '
                    'load to 0')
        weak = weakness(system, terms)
        if weak is not None:
            why = (f'what it moves has an inertia of {weak.inertia:g}'
                   if weak.inertia <= SMALLEST_INERTIA else
                   f'of the inertia {weak.inertia:g} that it moves, {weak.rest:.3g} is left as '
                   'the joints behind it move freely')
            without = '; the payload does not count, as it may be zero' * bool(loads.payload)
            raise ParameterError(
                f'forward_dynamics at joint {quote(weak.joint)}: {why}, so that no acceleration '
                'follows from its effort; give the links behind it their mass and inertia, or the '
                f'joint a rotor{without}')

    def expected(self, mechanics: Mechanics) -> Expected:
        """Return the accelerations by Cholesky's factors of the dense matrix."""
        return {'qdd': dense_solution(MassMatrix().derive(mechanics)['M'], np.subtract(
            mechanics.of_joints('tau'), without_accelerations(mechanics)))}


def dense_solution(M: Rows, b: ArrayLike) -> tuple[float, ...]:
    """Return M^-1 b by Cholesky's factors of the dense matrix."""
    if not len(M):
        return ()
    # with ones on the diagonal: inertias of fingers and of the torso are far apart
    scale: Array = 1.0 / np.sqrt(np.diag(M))
    half = np.linalg.inv(np.linalg.cholesky(scale[:, None] * np.array(M) * scale))
    return tuple((scale * (half.T @ (half @ (scale * np.array(b))))).tolist())


def without_accelerations(mechanics: Mechanics) -> list[Scalar]:
    """Return the bias; a base that moves has its accelerations."""
    def renamed(i: int, symbol: str, entries: tuple[Scalar, ...]) -> None:
        mechanics.notes.note(i, 'bias' if symbol == 'tau' else symbol, entries)

    return mechanics.efforts(('q', 'qd'), renamed).efforts
