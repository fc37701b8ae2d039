"""
C that CasADi generates from adam.

adam's rnea takes no accelerations; efforts are mass matrix times accelerations plus bias.

"""

import logging
import warnings

import numpy as np
from cases import Case
from contestant import ExcludedError, Ready

from contestants.generated_by_casadi import compiled


def prepare(case: Case) -> Ready:
    """Generate with common subexpressions eliminated, which is the fastest that CasADi has."""
    import casadi

    with warnings.catch_warnings():
        warnings.simplefilter('ignore')
        from adam.casadi import KinDynComputations

        logging.disable(logging.WARNING)
        computations = KinDynComputations(case.urdf.read_text(), list(case.joint_names),
                                          gravity=np.array([0.0, 0.0, -9.81, 0.0, 0.0, 0.0]))
        logging.disable(logging.NOTSET)
    n = len(case.joint_names)
    q, qd, qdd = (casadi.SX.sym(name, n) for name in ('q', 'qd', 'qdd'))
    base = casadi.SX(np.eye(4))
    try:
        mass = computations.mass_matrix(base, q)
        bias = computations.bias_force(base, q, casadi.SX.zeros(6), qd)
    except RuntimeError as error:
        raise ExcludedError(f'adam fails: {str(error).splitlines()[-1]}') from None
    mass, bias = (getattr(value, 'array', value) for value in (mass, bias))
    tau = mass[6:, 6:] @ qdd + bias[6:]
    function = casadi.Function('robot', [q, qd, qdd], [tau], {'cse': True})
    folder = case.folder / 'adam'
    folder.mkdir(exist_ok=True)
    generator = casadi.CodeGenerator('robot')
    generator.add(function)
    (folder / 'robot.c').write_text(generator.dump())
    return compiled(case, folder)
