"""What acts on a robot, in the words of a file's head."""

from __future__ import annotations

from urdf2dyn_ros.equations.notation import mention
from urdf2dyn_ros.joint_terms import TERMS
from urdf2dyn_ros.loads import Loads
from urdf2dyn_ros.multibody import Multibody

Gravity = tuple[float, float, float]


def in_words(system: Multibody, gravity: Gravity, loads: Loads) -> tuple[str, ...]:
    """Return a sentence for each thing that acts beside the links, and what does not."""
    on = [name for name in TERMS if any(
        name == term.NAME and not term.is_off() for terms in loads.terms.values()
        for term in terms)]
    acts = [f'the {name} of joints' for name in on]
    if system.forces:
        acts.append('the constant wrenches of the tags <force>')
    off = [name for name in TERMS if name not in on]
    sentences = [f'Rigid links{", and " * bool(acts)}{", ".join(acts)}; no '
                 f'{", no ".join([*off, "contact"])}.']
    if not loads.moving(system):
        sentences.append(f'Gravity ({", ".join(f"{entry:g}" for entry in gravity)}) m/s^2 in the '
                         'root frame.')
    else:
        sentences.append('The root moves: its motion base_motion holds gravity (a0 is what an '
                         'accelerometer measures), and wrench is what the world must give at its '
                         'origin.')
    for k, link in enumerate(loads.external):
        sentences.append(f'external, entries {6 * k + 1} to {6 * k + 6}: force and moment on link'
                         f'{mention(link)} by the environment, about its origin, in its axes.')
    if loads.payload:
        sentences.append(f'payload: fixed to link{mention(loads.payload)}.')
    return tuple(sentences)
