"""A table of parameters as ROS parameters: declared with descriptors, checked before applied."""

import traceback
from array import array
from collections.abc import Callable, Mapping, Sequence
from difflib import get_close_matches
from typing import Any

from rcl_interfaces.msg import ParameterDescriptor, SetParametersResult
from rclpy.node import Node
from rclpy.parameter import Parameter as RosParameter

from urdf2dyn_ros.errors import ParameterError, Urdf2DynError
from urdf2dyn_ros.robot.parameters import Family, Parameter
from urdf2dyn_ros.text import listed, suggestion

_QOS = 'qos_overrides.'


class NodeParameters:
    """
    The requested parameters of a node: values that were set and checked.

    The values of `removed` say what to do instead of setting parameters that no longer exist.
    Those of families, for which the node allows undeclared parameters, are in ``values`` only
    while they are set. If values set at the start break their rules, a ParameterError is raised
    that names all of them; an unknown name is logged if it resembles a known one, and has no
    effect.

    For a change, ``check`` is called before it is accepted, with all the new values, and
    ``apply`` with the old ones, once ``values`` is replaced as a whole: attributes that a node
    sets. An error of this package rejects the change, with its text as the reason.
    """

    def __init__(self, node: Node, table: Sequence[Parameter],
                 families: Sequence[Family] = (),
                 removed: Mapping[str, str] | None = None) -> None:
        self._node, self._removed = node, removed or {}
        self._rows = {row.name: row for row in table}
        self._families = families
        self.check: Callable[[dict[str, Any]], None] = lambda values: None
        self.apply: Callable[[dict[str, Any]], None] = lambda old: None
        self.values: dict[str, Any] = {}
        faults = []
        for row in table:
            default = list(row.default) if isinstance(row.default, tuple) else row.default
            try:
                self._declare(row, default)
            except ParameterError as error:
                faults.append(str(error))
        if faults:
            raise ParameterError('\n'.join(faults))
        # the only public way to the values set at the start is to have rclpy declare all of them:
        # in types of its own, and with an error for an empty list, even of another node
        for name in node._parameter_overrides:
            family = self._family(name)
            if family is not None:
                try:
                    row = family.row(name)
                except ParameterError as error:
                    node.get_logger().warning(str(error))
                else:
                    self._declare(row, None)
            elif name in self._removed:
                node.get_logger().warning(f'the parameter {name} no longer exists and has no '
                                          f'effect: {self._removed[name]}')
            elif name not in self._rows:
                self._log_unknown(name)
        node.add_on_set_parameters_callback(self._set)

    def _declare(self, row: Parameter, default: Any) -> None:
        unit = f' [{row.unit}]' if row.unit else ''
        descriptor = ParameterDescriptor(
            description=row.meaning + unit, additional_constraints=row.rule,
            read_only=row.read_only, dynamic_typing=True)
        declared = self._node.declare_parameter(row.name, default, descriptor)
        self.values[row.name] = row.check(_plain(declared.value))

    def _log_unknown(self, name: str) -> None:
        """Log an unknown name if it resembles a known one; it may be meant for another node."""
        groups: dict[str, list[str]] = {}
        for known in (*self._rows, *(family.form for family in self._families)):
            groups.setdefault(known.partition('.')[0], []).append(known)
        for group in get_close_matches(name.partition('.')[0], groups, n=1, cutoff=0.8):
            self._node.get_logger().warning(f'there is no parameter {name}, it has no effect; did '
                                            f'you mean {listed(groups[group])}?')

    def _family(self, name: str) -> Family | None:
        return next((family for family in self._families if family.has(name)), None)

    def _set(self, changes: list[RosParameter]) -> SetParametersResult:
        old, new = self.values, dict(self.values)
        try:
            for change in changes:
                self._enter(change, new)
            if new != old:
                self.check(new)
                self.values = new   # a worker that has built a model may already use them
                self.apply(old)
        except Exception as error:
            self.values = old
            if isinstance(error, Urdf2DynError):
                return SetParametersResult(successful=False, reason=str(error))
            # any other error would end the node
            self._node.get_logger().error('a change of parameters failed, this is a defect:\n'
                                          + traceback.format_exc())
            return SetParametersResult(successful=False, reason=f'a defect: {error!r}')
        return SetParametersResult(successful=True)

    def _enter(self, change: RosParameter, values: dict[str, Any]) -> None:
        """Enter a change into the values; raises a ParameterError if it breaks a rule."""
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
        elif not (self._node.has_parameter(name) or name.startswith(_QOS)):
            # rclpy also calls this to declare the QoS overrides of a publisher
            if name in self._removed:
                raise ParameterError(f'the parameter {name} no longer exists: '
                                     f'{self._removed[name]}')
            raise ParameterError(f'there is no parameter {name}; '
                                 f'{suggestion(name, self._rows, True)}')


def _plain(value: Any) -> Any:
    """Return a list for an array, which an error's text would show as array('d', ...)."""
    return list(value) if isinstance(value, array) else value
