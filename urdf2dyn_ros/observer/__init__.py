"""External efforts from the momentum, and the contacts that they show."""

from urdf2dyn_ros.observer.contact import Contact, ContactDetector
from urdf2dyn_ros.observer.momentum_observer import MomentumObserver

__all__ = ['Contact', 'ContactDetector', 'MomentumObserver']
