"""The terms at the joint of every body, and the same in the coordinates of another choice."""

from collections.abc import Mapping
from dataclasses import replace

from urdf2dyn_ros.loads import Friction, JointTerm, Loads, Spring
from urdf2dyn_ros.multibody import Multibody

BodyTerms = Mapping[int, tuple[JointTerm, ...]]


def body_terms(system: Multibody, loads: Loads) -> dict[int, tuple[JointTerm, ...]]:
    """Return the terms by the number of a body; what is off leaves no trace."""
    terms = {i: tuple(term for term in loads.terms.get(body.name, ()) if not term.is_off())
             for i, body in enumerate(system.bodies)}
    return {i: each for i, each in terms.items() if each}


def shifted(terms: BodyTerms, old: Multibody, new: Multibody,
            merged: bool) -> dict[int, tuple[JointTerm, ...]]:
    """
    Return the terms of `old` where the offset of a coordinate is part of a constant turn in `new`.

    If `merged`, what a spring has at zero may be counted with the offset of friction: one addition
    fewer where only the sum is returned.
    """
    result = {}
    for i, each in terms.items():
        shift = old.bodies[i].offset - new.bodies[i].offset
        new_terms = tuple(term.shifted(shift) for term in each)
        result[i] = _one_constant(new_terms) if merged else new_terms
    return result


def _one_constant(terms: tuple[JointTerm, ...]) -> tuple[JointTerm, ...]:
    """Return terms of one joint with what a spring has at zero in the offset of friction."""
    springs = [term for term in terms if isinstance(term, Spring)]
    if not springs or not any(isinstance(term, Friction) and term.offset for term in terms):
        return terms
    constant = sum(spring.stiffness * spring.reference for spring in springs)
    return tuple(
        replace(term, offset=term.offset - constant) if isinstance(term, Friction) else
        replace(term, reference=0.0) if isinstance(term, Spring) else term for term in terms)
