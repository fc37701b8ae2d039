"""From the values of parameters to an observer of contacts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from urdf2dyn_ros.inverse_dynamics import InverseDynamics
from urdf2dyn_ros.observer.contact import ContactDetector
from urdf2dyn_ros.observer.contact_watch import ContactWatch
from urdf2dyn_ros.observer.momentum_observer import MomentumObserver, per_joint
from urdf2dyn_ros.parameters import group

PER_JOINT = ('observer.gain', 'contact.thresholds')
"""Parameters with one value for all joints, or one for each."""


def contact_watch(values: Mapping[str, Any], dynamics: InverseDynamics,
                  touched: Sequence[str]) -> ContactWatch:
    """
    Return the contact watch of the parameters.

    Parameters
    ----------
    values : mapping
        The parameters.
    dynamics : InverseDynamics
    touched : sequence of str
        Joints with an earlier contact.

    Raises
    ------
    ParameterError
        If the base moves, or if gains or thresholds are not one for each joint.

    """
    for name in PER_JOINT:
        per_joint(name, values[name], dynamics.joint_names)
    chosen = group(values, 'observer')
    del chosen['enabled']
    return ContactWatch(dynamics, MomentumObserver(dynamics, **chosen),
                        ContactDetector(dynamics.joint_names, **group(values, 'contact')),
                        touched)
