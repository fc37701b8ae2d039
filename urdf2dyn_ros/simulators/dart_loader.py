"""A robot loaded into DART, with its masses checked."""

from __future__ import annotations

from typing import Any

import dartpy
import numpy as np

from urdf2dyn_ros.errors import SimulationError
from urdf2dyn_ros.robot_model import RobotModel
from urdf2dyn_ros.simulators.masses import check_masses
from urdf2dyn_ros.simulators.simulated_model import simulated_urdf

_MASSLESS = 1e-18
"""Mass [kg] and moments [kg m^2] of a link without inertia; DART warns of a segfault at 0."""


def load_skeleton(model: RobotModel, friction: bool) -> Any:
    """
    Return the skeleton that DART reads from the robot.

    Links without inertia are made massless: by default DART gives them 1 kg each.

    Raises
    ------
    SimulationError
        If DART cannot read the robot, or a mass differs from the model.

    """
    options = dartpy.utils.DartLoaderOptions()
    options.mDefaultRootJointType = dartpy.utils.DartLoaderRootJointType.FIXED
    options.mDefaultInertia = dartpy.dynamics.Inertia(
        _MASSLESS, np.zeros(3), _MASSLESS * np.eye(3))
    loader = dartpy.utils.DartLoader()
    loader.setOptions(options)
    skeleton = loader.parseSkeletonString(simulated_urdf(model, friction), dartpy.common.Uri())
    if skeleton is None:
        raise SimulationError(f'DART cannot read robot {model.name!r}')
    # DART has no body for a root called "world"
    check_masses(model, 'DART', {body.getName(): body.getMass()
                                 for body in skeleton.getBodyNodes()})
    return skeleton
