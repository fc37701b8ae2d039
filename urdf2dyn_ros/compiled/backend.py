"""The choice of the back end of a function: generated Python text, or the same compiled from C."""

import logging
import operator
from typing import Any

from urdf2dyn_ros.compiled.caller import Caller, compiled
from urdf2dyn_ros.compiled.source import source
from urdf2dyn_ros.errors import CompilerError, ParameterError
from urdf2dyn_ros.program.program import Program

BACKENDS = ('python', 'c', 'auto')
MAX_THREADS = 64
_LOG = logging.getLogger(__name__)
logged_reasons: set[str] = set()


def check(backend: str, threads: int) -> None:
    """Raise a ParameterError for an unknown back end or number of threads."""
    if backend not in BACKENDS:
        raise ParameterError(f'unknown back end {backend!r}; the back ends are: '
                             f'{", ".join(BACKENDS)}')
    try:
        number = 0 if isinstance(threads, bool) else operator.index(threads)
    except TypeError:
        number = 0
    if not 1 <= number <= MAX_THREADS:
        raise ParameterError(f'threads is {threads!r}; it must be an integer from 1 to '
                             f'{MAX_THREADS}')


def choose(program: Program, function: str, backend: str, threads: int = 1,
           ) -> tuple[str, Caller]:
    """
    Return the back end, 'python' or 'c', that runs a function of a program of style fast.

    With it, its callable: compiled, or one that always returns None, so that the caller evaluates
    the Python text. The back end 'auto' is C where it can be compiled, else Python and a line in
    the log. Of a batch, at most so many threads take a part, from 1 to 64.

    A CompilerError is raised if `backend` is 'c' and it cannot be compiled, a ParameterError for
    an unknown back end or number of threads.
    """
    check(backend, threads)
    if backend == 'python' or not program.numbers:   # C has no arrays without elements
        return 'python', not_compiled
    try:
        return 'c', compiled(source(program.function(function)),
                             operator.index(threads))
    except CompilerError as error:
        if backend == 'c':
            raise
        reason = ' '.join(str(error).split())   # in one line, and once
        if reason not in logged_reasons:
            logged_reasons.add(reason)
            _LOG.warning('%r runs in Python, many times slower: %s', program.robot, reason)
        return 'python', not_compiled


def not_compiled(*states: Any) -> None:
    """Return None, as a compiled function does for unusual arguments."""
