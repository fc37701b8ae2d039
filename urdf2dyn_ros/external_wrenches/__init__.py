"""Wrenches of topics: checked, held between messages, transformed to the links they act on."""

from urdf2dyn_ros.external_wrenches.external_wrenches import ExternalWrenches

__all__ = ['ExternalWrenches']
