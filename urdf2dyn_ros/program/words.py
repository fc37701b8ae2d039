"""What acts on a robot, in the words of a file's head."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence

from urdf2dyn_ros.algebra.vectors import Triple
from urdf2dyn_ros.functions.mention import mention
from urdf2dyn_ros.loads import TERMS, Loads
from urdf2dyn_ros.multibody import Multibody


def in_words(system: Multibody, gravity: Triple, loads: Loads, named: Collection[str],
             ) -> Iterator[str]:
    """Yield a sentence for each load among the named inputs, results; one for what is absent."""
    yield _acting(system, loads, named)
    if not loads.moving(system):
        yield f'Gravity ({", ".join(f"{entry:g}" for entry in gravity)}) m/s^2 in the root frame.'
    elif 'base_motion' in named:
        yield ('The root moves as base_motion says. Gravity is part of it: a0 is what an '
               'accelerometer at the origin of the root measures.')
        if 'tau_coriolis' in named:
            yield ('tau_gravity is what a0 asks for; tau_coriolis and tau_inertia include the '
                   "root's angular velocity and angular acceleration.")
    if 'external' in named:
        yield ('external: force and moment on a link by the environment, about its origin, in '
               'its axes.')
        for k, link in enumerate(loads.external):
            name = mention(link) or f' number {k + 1} of those asked for'
            yield f'    Entries {6 * k + 1} to {6 * k + 6}: link{name}.'
    if 'payload' in named:
        yield ('payload: a body that is fixed to '
               + (f'link{mention(loads.payload)}.' if mention(loads.payload) else 'a link.'))


def _acting(system: Multibody, loads: Loads, named: Collection[str]) -> str:
    """Return the loads that a function has, and those that are absent."""
    on = [name for name in TERMS if any(
        name == term.NAME and not term.is_off() for terms in loads.terms.values()
        for term in terms)]
    off = [f'no {TERMS[name].PLURAL}' for name in TERMS if name not in on]
    acts = [f'{_listed([TERMS[name].PLURAL for name in on])} at joints'] if on else []
    if system.forces:
        acts.append('the constant wrenches of the tags <force>')
    acts += [words for name, words in (('external', 'given wrenches'), ('payload', 'a payload'))
             if name in named]
    if not system.forces and not loads.external:
        off.append('no contact')
    return ('Rigid links' + (f' with {_listed(acts)}; ' if acts else ' alone: ')
            + ', '.join(off)).removesuffix('; ') + '.'


def _listed(words: Sequence[str]) -> str:
    """Return a, b and c."""
    return ' and '.join(filter(None, (', '.join(words[:-1]), words[-1])))
