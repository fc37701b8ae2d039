"""What a user declares as loads; a new joint term is a file and a line here."""

from urdf2dyn_ros.loads.friction import Friction
from urdf2dyn_ros.loads.joint_term import JointTerm
from urdf2dyn_ros.loads.loads import BASES, Loads
from urdf2dyn_ros.loads.rotor import Rotor
from urdf2dyn_ros.loads.spring import Spring

TERMS: dict[str, type[JointTerm]] = {
    'friction': Friction,
    'rotor': Rotor,
    'spring': Spring,
}
"""Name of a joint term to the class of its parameters."""

__all__ = ['BASES', 'TERMS', 'Friction', 'JointTerm', 'Loads', 'Rotor', 'Spring']
