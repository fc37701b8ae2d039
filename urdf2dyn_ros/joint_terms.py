"""Friction and rotor under the names that docs/loads.md shows; they stand in `loads`."""

from urdf2dyn_ros.loads import Friction, Rotor

__all__ = ['Friction', 'Rotor']
