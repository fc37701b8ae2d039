"""The callable of this package with compiled equations, from Python."""

from cases import Case
from racing.contestant import ExcludedError, Ready

from contestants.ours_python import batch, one_by_one
from urdf2dyn_ros import InverseDynamics
from urdf2dyn_ros.errors import CompilerError


def prepare(case: Case) -> Ready:
    """One state per call."""
    return one_by_one(case, compiled(case))


def prepare_batch(case: Case) -> Ready:
    """All states in one call."""
    return batch(case, compiled(case))


def prepare_threads(case: Case) -> Ready:
    """All states in one call, on two threads."""
    return batch(case, compiled(case, threads=2))


def prepare_forward(case: Case) -> Ready:
    """Forward dynamics, one state per call."""
    return one_by_one(case, compiled(case).forward_dynamics)


def prepare_forward_batch(case: Case) -> Ready:
    """Forward dynamics, all states in one call."""
    return batch(case, compiled(case).forward_dynamics)


def compiled(case: Case, threads: int = 1) -> InverseDynamics:
    """Return the callable of a robot."""
    try:
        return InverseDynamics(case.model, backend='c', threads=threads)
    except CompilerError as error:
        raise ExcludedError(str(error).splitlines()[0]) from None
