"""What acts on a robot beside its links' inertia and gravity."""

from urdf2dyn_ros.loads.loads import BASES, Loads

__all__ = ['BASES', 'Loads']
