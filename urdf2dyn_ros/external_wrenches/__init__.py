"""Wrenches that topics report: checked, held between messages, moved to the links they act on."""

from urdf2dyn_ros.external_wrenches.external_wrenches import ExternalWrenches
from urdf2dyn_ros.external_wrenches.outcomes import EVENTS, OUTCOMES, REASONS

__all__ = ['EVENTS', 'OUTCOMES', 'REASONS', 'ExternalWrenches']
