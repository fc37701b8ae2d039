"""A table of parameters as ROS parameters: declared with descriptors, checked before applied."""

from __future__ import annotations

import traceback
from array import array
from collections.abc import Callable, Sequence
from typing import Any

from rcl_interfaces.msg import ParameterDescriptor, SetParametersResult
from rclpy.node import Node
from rclpy.parameter import Parameter as RosParameter

from urdf2dyn_ros.errors import Urdf2DynError
from urdf2dyn_ros.parameters import Parameter


class NodeParameters:
    """
    The parameters of a node, by name in ``values``.

    Parameters
    ----------
    node : Node
    table : sequence of Parameter
    apply : callable
        Called with all the values after a change, before the change is accepted; whatever error
        of this package it raises refuses the change, with its text as the reason.

    Raises
    ------
    ParameterError
        If a value given at the start breaks its rule.

    """

    def __init__(self, node: Node, table: Sequence[Parameter],
                 apply: Callable[[dict[str, Any]], None] = lambda values: None) -> None:
        self._node = node
        self._rows = {row.name: row for row in table}
        self._apply = apply
        self.values: dict[str, Any] = {}
        for row in table:
            unit = f' [{row.unit}]' if row.unit else ''
            descriptor = ParameterDescriptor(
                description=row.meaning + unit, additional_constraints=row.rule,
                read_only=row.read_only, dynamic_typing=True)
            default = list(row.default) if isinstance(row.default, tuple) else row.default
            given = node.declare_parameter(row.name, default, descriptor)
            self.values[row.name] = row.check(_plain(given.value))
        node.add_on_set_parameters_callback(self._set)

    def _set(self, changes: list[RosParameter]) -> SetParametersResult:
        values = dict(self.values)
        try:
            for change in changes:
                if change.name in self._rows:
                    values[change.name] = self._rows[change.name].check(_plain(change.value))
            if values != self.values:
                self._apply(values)
        except Urdf2DynError as error:
            return SetParametersResult(successful=False, reason=str(error))
        except Exception as error:  # would end the node
            self._node.get_logger().error('a change of parameters failed, this is a defect:\n'
                                          + traceback.format_exc())
            return SetParametersResult(successful=False, reason=f'a defect: {error!r}')
        self.values = values
        return SetParametersResult(successful=True)


def _plain(value: Any) -> Any:
    """Return a list for an array, which an error's text would show as array('d', ...)."""
    return list(value) if isinstance(value, array) else value
