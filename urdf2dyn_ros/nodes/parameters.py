"""A table of parameters as ROS parameters: declared with descriptors, checked before applied."""

from __future__ import annotations

import traceback
from array import array
from collections.abc import Callable, Sequence
from difflib import get_close_matches
from typing import Any

from rcl_interfaces.msg import ParameterDescriptor, SetParametersResult
from rclpy.node import Node
from rclpy.parameter import Parameter as RosParameter

from urdf2dyn_ros.errors import ParameterError, Urdf2DynError
from urdf2dyn_ros.parameters import Parameter
from urdf2dyn_ros.parameters.parameter_family import Family
from urdf2dyn_ros.quoting import listed

_QOS = 'qos_overrides.'


class NodeParameters:
    """
    The parameters of a node, by name in ``values``.

    Parameters
    ----------
    node : Node
        With families, one that allows undeclared parameters.
    table : sequence of Parameter
    apply : callable
        Called with all the values after a change, before the change is accepted; whatever error
        of this package it raises refuses the change, with its text as the reason.
    families : sequence of Family
        Their parameters are in ``values`` only if they are given; deleting one takes it out.

    Raises
    ------
    ParameterError
        If a value given at the start breaks its rule. A name given at the start that there is
        not is told in the log, if it looks like one of these, and left alone.

    """

    def __init__(self, node: Node, table: Sequence[Parameter],
                 apply: Callable[[dict[str, Any]], None] = lambda values: None,
                 families: Sequence[Family] = ()) -> None:
        self._node = node
        self._rows = {row.name: row for row in table}
        self._families = families
        self._apply = apply
        self.values: dict[str, Any] = {}
        for row in table:
            default = list(row.default) if isinstance(row.default, tuple) else row.default
            self._declare(row, default)
        # no public way to what was given at the start, but to have all of it declared: in types
        # of rclpy's own, and with an error for an empty list, that of another node as well
        for name in node._parameter_overrides if families else ():
            family = self._family(name)
            if family is not None:
                try:
                    row = family.row(name)
                except ParameterError as error:
                    node.get_logger().warning(str(error))
                else:
                    self._declare(row, None)
            elif name not in self._rows:
                self._tell_unknown(name)
        node.add_on_set_parameters_callback(self._set)

    def _declare(self, row: Parameter, default: Any) -> None:
        unit = f' [{row.unit}]' if row.unit else ''
        descriptor = ParameterDescriptor(
            description=row.meaning + unit, additional_constraints=row.rule,
            read_only=row.read_only, dynamic_typing=True)
        given = self._node.declare_parameter(row.name, default, descriptor)
        self.values[row.name] = row.check(_plain(given.value))

    def _tell_unknown(self, name: str) -> None:
        """Log a name that is none of this node's but looks like one; others' are left alone."""
        groups: dict[str, list[str]] = {}
        for known in (*self._rows, *(family.form for family in self._families)):
            groups.setdefault(known.partition('.')[0], []).append(known)
        for group in get_close_matches(name.partition('.')[0], groups, n=1, cutoff=0.8):
            self._node.get_logger().warning(f'there is no parameter {name}, it has no effect; did '
                                            f'you mean {listed(groups[group])}?')

    def _family(self, name: str) -> Family | None:
        return next((family for family in self._families if family.has(name)), None)

    def _set(self, changes: list[RosParameter]) -> SetParametersResult:
        values = dict(self.values)
        try:
            for change in changes:
                self._change(values, change)
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

    def _change(self, values: dict[str, Any], change: RosParameter) -> None:
        """Enter a change into the values, or raise a ParameterError."""
        name, family = change.name, self._family(change.name)
        if name in self._rows:
            values[name] = self._rows[name].check(_plain(change.value))
        elif family is not None:
            if any(row.read_only for row in family.rows):
                raise ParameterError(f'parameter {name} is fixed after the start')
            if change.type_ == RosParameter.Type.NOT_SET:
                values.pop(name, None)
            else:
                values[name] = family.row(name).check(_plain(change.value))
        elif self._families and not (self._node.has_parameter(name) or name.startswith(_QOS)):
            # rclpy comes here to declare its own of a publisher as well
            raise ParameterError(f'there is no parameter {name}')


def _plain(value: Any) -> Any:
    """Return a list for an array, which an error's text would show as array('d', ...)."""
    return list(value) if isinstance(value, array) else value
