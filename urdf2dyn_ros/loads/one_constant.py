"""One constant where friction and a spring have one each: an addition fewer."""

from __future__ import annotations

from dataclasses import replace

from urdf2dyn_ros.loads.friction import Friction
from urdf2dyn_ros.loads.joint_term import JointTerm
from urdf2dyn_ros.loads.spring import Spring


def one_constant(terms: tuple[JointTerm, ...]) -> tuple[JointTerm, ...]:
    """Return terms of one joint with what a spring has at zero in the offset of friction."""
    springs = [term for term in terms if isinstance(term, Spring)]
    if not springs or not any(isinstance(term, Friction) and term.offset for term in terms):
        return terms
    constant = sum(spring.stiffness * spring.reference for spring in springs)
    return tuple(
        replace(term, offset=term.offset - constant) if isinstance(term, Friction) else
        replace(term, reference=0.0) if isinstance(term, Spring) else term for term in terms)
