"""The functions a program may have: the same recursion with zeros and ones put in."""

from __future__ import annotations

from typing import NamedTuple

from urdf2dyn_ros.errors import ExportError


class Model(NamedTuple):
    """
    What a function depends on and returns.

    Attributes
    ----------
    inputs : tuple of str
        Those of q, qd, qdd that are not zero.
    summary : str
        What is returned.
    loaded : str
        The same where other things act than rigid links, if that is more.

    """

    inputs: tuple[str, ...]
    summary: str
    loaded: str = ''

    def said(self, loaded: bool) -> str:
        """Return what is returned, given whether other things act than rigid links."""
        return (self.loaded if loaded else '') or self.summary


MODELS = {
    'inverse_dynamics': Model(('q', 'qd', 'qdd'), 'the efforts tau that a motion requires'),
    'gravity': Model(('q',), 'the efforts tau that hold the robot still',
                     'the efforts tau where qd = qdd = 0'),
    'bias': Model(('q', 'qd'),
                  'the efforts tau of a motion without accelerations: Coriolis, centrifugal and '
                  'gravity', 'the efforts tau where qdd = 0'),
    'mass_matrix': Model(('q',), 'the symmetric matrix M of tau = M(q) qdd + bias(q, qd)'),
}
"""Name of a function to what it is."""

PARTS = {
    'momentum': Model(('q', 'qd'), 'the momentum p = M(q) qd, and beta and load of d/dt p = tau '
                      '+ beta - load'),
    'terms': Model(('q', 'qd', 'qdd'), 'the terms whose sum are the efforts of inverse_dynamics'),
}
"""Functions that say more about the same efforts; asked for one by one."""

TOGETHER = 'dynamics'
"""Name of the function that does the work of all the others at once."""

ALL = Model(('q', 'qd', 'qdd'),
            'what inverse_dynamics, gravity, bias and mass_matrix return, shared work done once')

FUNCTIONS = {**MODELS, **PARTS, TOGETHER: ALL}
"""All that a program may have."""

CHOICES = (*MODELS, *PARTS, 'all')
"""What a user may ask for."""


def functions_of(choice: str) -> dict[str, Model]:
    """Return the functions of a program, by name; an ExportError for an unknown choice."""
    if choice == 'all':
        return {**MODELS, TOGETHER: ALL}
    if not isinstance(choice, str) or choice not in CHOICES:
        raise ExportError(f'unknown model {choice!r}; the models are: {", ".join(CHOICES)}')
    return {choice: FUNCTIONS[choice]}
