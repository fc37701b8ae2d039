"""The payload of the parameters as the equations take it, and the service ~/set_payload."""

from collections.abc import Mapping
from typing import Any

from rclpy.parameter import Parameter as RosParameter
from std_srvs.srv import SetBool

from urdf2dyn_ros.algebra.arrays import Array
from urdf2dyn_ros.errors import ParameterError
from urdf2dyn_ros.loads.payload import carried, payload, payload_fault
from urdf2dyn_ros.nodes.endpoints import Endpoints
from urdf2dyn_ros.nodes.parameters import NodeParameters


class Payload:
    """
    The last payload of each link, in `entries`, as the equations take it.

    A model that is about to be replaced by one with the payload on another link keeps its own.
    """

    def __init__(self, endpoints: Endpoints, parameters: NodeParameters) -> None:
        self._node, self._parameters = endpoints.node, parameters
        self._logged = '', ''
        self.entries: dict[str, Array] = {}
        self.check(parameters.values)
        self._mass = parameters.values['payload.mass']
        self.apply()
        endpoints.service(SetBool, '~/set_payload', self._attach)

    def check(self, values: Mapping[str, Any]) -> None:
        """Raise a ParameterError for a payload that no body can be, where inertias are strict."""
        flaw = payload_fault(values)
        if flaw and values['strict_inertia']:
            raise ParameterError(f'{flaw}; rejected because strict_inertia is true')

    def apply(self) -> None:
        """Compute with the payload of the parameters from the next message on."""
        values = self._parameters.values
        link = values['payload.link']
        self.entries[link] = payload(values)
        text, flaw, mass = carried(values), payload_fault(values), values['payload.mass']
        logger, logged = self._node.get_logger(), self._logged
        self._logged = text, flaw
        if link and text != logged[0]:
            logger.info(f'payload: {text}')
        if link and flaw and flaw != logged[1]:
            logger.warning(flaw)
        if mass != self._mass and mass and not link:
            logger.warning('payload.mass without effect: payload.link is empty')
        self._mass = mass

    def _attach(self, request: SetBool.Request, response: SetBool.Response) -> None:
        if not self._parameters.values['payload.link']:
            response.message = ('no link carries a payload: set the parameter payload.link to a '
                                'link of the robot, then payload.mass, payload.com and '
                                'payload.inertia')
            return
        done, = self._node.set_parameters([RosParameter('payload.attached', value=request.data)])
        response.success = done.successful
        response.message = done.reason or f'payload: {carried(self._parameters.values)}'
