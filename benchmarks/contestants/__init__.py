"""The table of contestants: a new one is a file and a line here."""

from racing.contestant import Contestant

from contestants import (
    dynibo,
    ours_compiled,
    ours_exported,
    ours_python,
    pinocchio_casadi,
    pinocchio_cpp,
    pinocchio_python,
)

CONTESTANTS = (
    Contestant('ours: Python, one call', True, 'Python', ours_python.prepare),
    Contestant('ours: Python, batch', True, 'Python', ours_python.prepare_batch),
    Contestant('ours: C, one call', True, 'Python', ours_compiled.prepare),
    Contestant('ours: C, batch', True, 'Python', ours_compiled.prepare_batch),
    Contestant('ours: C, batch, 2 threads', True, 'Python', ours_compiled.prepare_threads),
    Contestant('Pinocchio from Python', False, 'Python', pinocchio_python.prepare),
    Contestant('dynibo from Python', False, 'Python', dynibo.prepare),
    Contestant('ours: exported C', True, 'C', ours_exported.prepare),
    Contestant('Pinocchio', False, 'C', pinocchio_cpp.prepare, slow=True),
    Contestant('Pinocchio + CasADi, C', False, 'C', pinocchio_casadi.prepare, slow=True),
)
FORWARD_DYNAMICS = (
    Contestant('ours: C, one call', True, 'Python', ours_compiled.prepare_forward),
    Contestant('ours: C, batch', True, 'Python', ours_compiled.prepare_forward_batch),
    Contestant('Pinocchio from Python', False, 'Python', pinocchio_python.prepare_forward),
    Contestant('dynibo from Python', False, 'Python', dynibo.prepare_forward),
    Contestant('ours: exported C', True, 'C', ours_exported.prepare_forward),
    Contestant('Pinocchio', False, 'C', pinocchio_cpp.prepare_forward, slow=True),
    Contestant('Pinocchio + CasADi, C', False, 'C', pinocchio_casadi.prepare_forward, slow=True),
)
"""Those of forward dynamics: the third vector of a state are efforts."""

DERIVATIVES = (
    Contestant('ours: exported C', True, 'C', ours_exported.prepare_derivatives),
    Contestant('Pinocchio', False, 'C', pinocchio_cpp.prepare_derivatives, slow=True),
    Contestant('Pinocchio + CasADi, C', False, 'C', pinocchio_casadi.prepare_derivatives,
               slow=True),
)
"""Those of the efforts with their derivatives by q, qd and qdd."""

OTHER_RACES = {'forward_dynamics': FORWARD_DYNAMICS, 'derivatives': DERIVATIVES}
"""Name of a race besides that of the efforts, to its contestants."""

PYTHON_BASE = 'Pinocchio from Python'
C_BASE = 'Pinocchio'
"""What the ratios are relative to."""
