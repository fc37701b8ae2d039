"""The frame of a moving base, and the wrench on the base in that frame."""

from __future__ import annotations

import numpy as np

from urdf2dyn_ros.algebra.arrays import Array
from urdf2dyn_ros.multibody import multibody
from urdf2dyn_ros.robot_model import RobotModel


class BaseFrame:
    """
    The frame of the link that a floating joint moves; without one, that of the root.

    Parameters
    ----------
    model : RobotModel

    Attributes
    ----------
    link : str

    """

    def __init__(self, model: RobotModel) -> None:
        # the parent of a floating joint is the world, which is fixed in tf
        self.link = next((joint.child for joint in model.joints
                          if joint.type == 'floating' and joint.parent == model.root), model.root)
        _, at = multibody(model).links[self.link]
        self._R: Array = np.array(at.body_R_link)
        self._p: Array = np.array(at.body_p_link)

    def wrench(self, at_root: Array) -> Array:
        """Transform force and moment (6,) from the root's frame to this one."""
        force, moment = at_root[:3], at_root[3:]
        return np.concatenate((self._R.T @ force,
                               self._R.T @ (moment - np.cross(self._p, force))))
