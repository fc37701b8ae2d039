"""Exports asked for while the load is measured."""

from __future__ import annotations

from itertools import count
from typing import Any

from rcl_interfaces.msg import Parameter, ParameterValue
from rcl_interfaces.srv import SetParameters
from std_srvs.srv import Trigger

from urdf2dyn_ros.nodes.client import Client


class Call:
    """A call of a service whose answer is looked for, not waited for."""

    def __init__(self, client: Client, kind: Any, name: str) -> None:
        self._kind = kind
        self._client = client.node.create_client(kind, name)
        self._client.wait_for_service(10.0)

    def ask(self, request: Any) -> None:
        """Send a request."""
        queue = self._client.handle
        with queue:
            queue.send_request(request)

    def answer(self) -> Any:
        """Return the answer, None if there is none yet."""
        queue = self._client.handle
        with queue:
            return queue.take_response(self._kind.Response)[1]


class Exports:
    """
    Asks for the export of the model as it is, and for the next one as soon as it is answered.

    Attributes
    ----------
    done : int
        That succeeded.

    """

    def __init__(self, client: Client) -> None:
        self.done = 0
        self._export = Call(client, Trigger, 'export_model')
        self._export.ask(Trigger.Request())

    def look(self) -> None:
        """Take an answer, if there is one, and ask again."""
        response = self._export.answer()
        if response is not None:
            self.done += bool(response.success)
            self._again()

    def _again(self) -> None:
        self._export.ask(Trigger.Request())


class OtherExports(Exports):
    """Asks under another name every time, so that the text is written anew."""

    def __init__(self, client: Client) -> None:
        self._parameters = Call(client, SetParameters, 'inverse_dynamics/set_parameters')
        self._names = (f'robot_{k}' for k in count())
        super().__init__(client)

    def look(self) -> None:
        """Take an answer, if there is one, and ask again."""
        super().look()
        if self._parameters.answer() is not None:
            super()._again()

    def _again(self) -> None:
        self._parameters.ask(SetParameters.Request(parameters=[Parameter(
            name='export.name', value=ParameterValue(type=4, string_value=next(self._names)))]))


EXPORTS: dict[str, type[Exports]] = {'export': Exports, 'anew': OtherExports}
"""What may run beside a node, a key of a contestant."""
