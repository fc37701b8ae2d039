"""
C that CasADi generates from adam.

adam's rnea takes no accelerations; efforts are mass matrix times accelerations plus bias.

"""

import logging
import warnings
from typing import Any

import numpy as np
from cases import Case
from racing.contestant import ExcludedError, Ready

from contestants.generated_by_casadi import compiled


def equations(case: Case) -> tuple[list[Any], Any, Any]:
    """Return symbols for a state, and the mass matrix and bias of its position and velocity."""
    import casadi

    with warnings.catch_warnings():
        warnings.simplefilter('ignore')
        from adam.casadi import KinDynComputations

        logging.disable(logging.WARNING)
        computations = KinDynComputations(case.urdf.read_text(), list(case.joint_names),
                                          gravity=np.array([0.0, 0.0, -9.81, 0.0, 0.0, 0.0]))
        logging.disable(logging.NOTSET)
    n = len(case.joint_names)
    q, qd, _ = state = [casadi.SX.sym(name, n) for name in ('q', 'qd', 'third')]
    base = casadi.SX(np.eye(4))
    try:
        mass = computations.mass_matrix(base, q)
        bias = computations.bias_force(base, q, casadi.SX.zeros(6), qd)
    except RuntimeError as error:
        raise ExcludedError(f'adam fails: {str(error).splitlines()[-1]}') from None
    mass, bias = (getattr(value, 'array', value) for value in (mass, bias))
    return state, mass[6:, 6:], bias[6:]


def generated(case: Case, name: str, state: list[Any], results: list[Any]) -> Ready:
    """Generate with common subexpressions eliminated, which is the fastest that CasADi has."""
    import casadi

    function = casadi.Function('robot', state, results, {'cse': True})
    folder = case.folder / name
    folder.mkdir(exist_ok=True)
    generator = casadi.CodeGenerator('robot')
    generator.add(function)
    (folder / 'robot.c').write_text(generator.dump())
    return compiled(case, folder)


def prepare(case: Case) -> Ready:
    """Generate the efforts."""
    state, mass, bias = equations(case)
    return generated(case, 'adam', state, [mass @ state[2] + bias])


def prepare_forward(case: Case) -> Ready:
    """Generate accelerations by sparse factors: adam's aba is that of a robot that floats."""
    import casadi

    state, mass, bias = equations(case)
    return generated(case, 'adam_forward', state, [
        casadi.ldl_solve(state[2] - bias, *casadi.ldl(mass))])


def prepare_derivatives(case: Case) -> Ready:
    """Generate the efforts with CasADi's derivatives, of which the efforts are compared."""
    import casadi

    state, mass, bias = equations(case)
    tau = mass @ state[2] + bias
    return generated(case, 'adam_derivatives', state, [
        tau, *(casadi.jacobian(tau, x) for x in state[:2]), mass])
