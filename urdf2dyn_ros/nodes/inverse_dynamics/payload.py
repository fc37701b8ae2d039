"""The payload of the parameters as the equations take it, and the service ~/set_payload."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from rclpy.node import Node
from rclpy.parameter import Parameter as RosParameter
from std_srvs.srv import SetBool

from urdf2dyn_ros.algebra.arrays import Array
from urdf2dyn_ros.errors import ParameterError
from urdf2dyn_ros.loads.payload import carried, doubt, payload
from urdf2dyn_ros.nodes.barrier import answering


class Payload:
    """
    What is carried at the moment.

    Parameters
    ----------
    node : Node
        With the parameters payload.*.
    values : mapping
        The parameters at the start.
    failed : callable
        Called with the traceback of every error.

    Attributes
    ----------
    entries : dict
        By link, as the equations take it: a model that is about to be replaced by one that
        carries on another link keeps its own.

    Raises
    ------
    ParameterError
        As `check` does.

    """

    def __init__(self, node: Node, values: Mapping[str, Any],
                 failed: Callable[[str], None]) -> None:
        self._node = node
        self._told = '', ''
        self.entries: dict[str, Array] = {}
        self.check(values)
        self.take(values)
        node.create_service(SetBool, '~/set_payload', answering(node, self._answer, failed))

    def check(self, values: Mapping[str, Any]) -> None:
        """Raise a ParameterError for a payload that no body is, where inertias are strict."""
        found = doubt(values)
        if found and values['strict_inertia']:
            raise ParameterError(f'{found}; refused because strict_inertia is true')

    def take(self, values: Mapping[str, Any]) -> None:
        """Carry the payload of these parameters from the next message on."""
        link = values['payload.link']
        self.entries[link] = payload(values)
        text, found = carried(values), doubt(values)
        logger, before = self._node.get_logger(), self._told
        self._told = text, found
        if link and text != before[0]:
            logger.info(f'payload: {text}')
        if link and found and found != before[1]:
            logger.warning(found)
        self._carries = bool(link)

    def _answer(self, request: SetBool.Request, response: SetBool.Response) -> None:
        if not self._carries:
            response.message = ('no link carries a payload: set the parameter payload.link to a '
                                'link of the robot, then payload.mass, payload.com and '
                                'payload.inertia')
            return
        done, = self._node.set_parameters([RosParameter('payload.attached', value=request.data)])
        response.success = done.successful
        response.message = done.reason or f'payload: {self._told[0]}'
