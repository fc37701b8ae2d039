"""From the values of parameters to an observer of contacts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from urdf2dyn_ros.inverse_dynamics import InverseDynamics
from urdf2dyn_ros.observer.contact import ContactDetector
from urdf2dyn_ros.observer.contact_watch import ContactWatch
from urdf2dyn_ros.observer.momentum_observer import MomentumObserver, of_joints
from urdf2dyn_ros.parameters import group

OF_JOINTS = ('observer.gain', 'contact.thresholds')
"""One for all joints, or one for each."""


def contact_watch(values: Mapping[str, Any], dynamics: InverseDynamics,
                  touched: Sequence[str]) -> ContactWatch:
    """
    Return what finds out what touches the robot.

    Parameters
    ----------
    values : mapping
        The parameters.
    dynamics : InverseDynamics
    touched : sequence of str
        Joints that have felt a contact before.

    Raises
    ------
    ParameterError
        If the base moves, or if gains or thresholds are not one for each joint.

    """
    for name in OF_JOINTS:
        of_joints(name, values[name], dynamics.joint_names)
    chosen = group(values, 'observer')
    del chosen['enabled']
    return ContactWatch(dynamics, MomentumObserver(dynamics, **chosen),
                        ContactDetector(dynamics.joint_names, **group(values, 'contact')),
                        touched)
