"""
Friction, rotors and springs of the drives, which actuators overcome in addition to the links.

A drive whose inner loop delivers the effort that moves the links, tau_links, has to supply

    tau = tau_links + rotor qdd + friction(qd) + spring(q)

for the motion that happens. So the engine moves the links alone, and neither its constraints nor
its steps limit how stiff a friction may be.
"""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from urdf2dyn_ros.algebra.arrays import Array
from urdf2dyn_ros.errors import ParameterError
from urdf2dyn_ros.joints import JOINTS
from urdf2dyn_ros.joints.motion import AT_REST, Coordinate
from urdf2dyn_ros.loads import TERMS, JointTerm
from urdf2dyn_ros.loads.load_parameters import JOINT_PARAMETERS
from urdf2dyn_ros.robot_model import Joint
from urdf2dyn_ros.simulators.sample import SimulatedSample


class Drives:
    """
    The drives of n joints, with parameters ``joints.<joint>.*`` by their full names.

    Only what is set counts, not <dynamics> of the URDF. A ParameterError names joints that the
    robot does not have.
    """

    def __init__(self, joints: Sequence[Joint], values: Mapping[str, Any]) -> None:
        settings = JOINT_PARAMETERS.of(values)
        names = [joint.name for joint in joints]
        unknown = [name for name in settings if name not in names]
        if unknown:
            raise ParameterError(f'parameters joints.{unknown[0]}.*: there is no joint '
                                 f'{unknown[0]!r} with a drive; there are {", ".join(names)}')
        self._terms = [_terms(joint, settings.get(joint.name, {})) for joint in joints]

    def efforts(self, sample: SimulatedSample) -> Array:
        """Return the efforts (n,) of the drives [N m or N] in addition to those of the links."""
        result = np.zeros(len(self._terms))
        for number, terms in enumerate(self._terms):
            q, qd, qdd = (float(values[number]) for values in (
                sample.q, sample.velocity, sample.qdd))
            at = Coordinate(q, qd, qdd)
            result[number] = sum(float(term.effort(AT_REST, at, float(sample.net[number])))
                                 for term in terms)
        return result


def _terms(joint: Joint, settings: Mapping[str, float]) -> list[JointTerm]:
    terms: list[JointTerm] = []
    for term in TERMS.values():
        fields = {field: row.value(settings[row.setting]) for field, row in term.rows().items()
                  if row.setting in settings}
        made = term(**fields)
        made.check(joint.name, JOINTS[joint.type])
        if not made.is_off():
            terms.append(made)
    return terms
