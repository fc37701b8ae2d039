"""The table of what acts at a joint beside rigid links: a new term is a file and a line here."""

from urdf2dyn_ros.joint_terms.friction import Friction
from urdf2dyn_ros.joint_terms.rotor import Rotor
from urdf2dyn_ros.joint_terms.spring import Spring
from urdf2dyn_ros.joint_terms.term import Term

TERMS: dict[str, type[Term]] = {
    'friction': Friction,
    'rotor': Rotor,
    'spring': Spring,
}
"""Name of a term to the class of its parameters at one joint."""

__all__ = ['TERMS', 'Friction', 'Rotor', 'Spring', 'Term']
