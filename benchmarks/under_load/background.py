"""Load in the background of a node that is measured."""

import os
import subprocess
import sys
from collections.abc import Callable
from itertools import count
from typing import Any, Protocol

from rcl_interfaces.msg import Parameter, ParameterValue
from rcl_interfaces.srv import SetParameters
from std_srvs.srv import Trigger

from under_load.phase import Rig

ENDING = 60.0
"""Longest time for a pending response [s]."""


class Background(Protocol):
    """
    A load that runs from its construction until `end`.

    Attributes
    ----------
    done : int
        Number of completed exports.

    """

    done: int

    def look(self) -> None:
        """Handle responses; called a few hundred times a second."""

    def end(self) -> None:
        """Stop the load."""


class Nothing:
    """No load."""

    def __init__(self, rig: Rig) -> None:
        self.done = 0

    def look(self) -> None:
        """Do nothing."""

    def end(self) -> None:
        """Do nothing."""


class Loop(Nothing):
    """A process of the scheduler's lowest class that computes while a core is idle."""

    def __init__(self, rig: Rig) -> None:
        super().__init__(rig)
        self._process = subprocess.Popen([sys.executable, '-c', 'while True: pass'],
                                         start_new_session=True)
        os.sched_setscheduler(self._process.pid, os.SCHED_IDLE, os.sched_param(0))

    def end(self) -> None:
        """Stop the process."""
        self._process.kill()
        self._process.wait()


class Call:
    """A call of a service without waiting for the response."""

    def __init__(self, rig: Rig, kind: Any, name: str) -> None:
        self._kind, self._node = kind, rig.client.node
        self._client = self._node.create_client(kind, name)
        self._client.wait_for_service(ENDING)

    def send(self, request: Any) -> None:
        """Send a request."""
        queue = self._client.handle
        with queue:
            queue.send_request(request)

    def response(self) -> Any:
        """Return the response, None if there is none yet."""
        queue = self._client.handle
        with queue:
            return queue.take_response(self._kind.Response)[1]

    def end(self) -> None:
        """Remove the client."""
        self._node.destroy_client(self._client)


class Exports:
    """Exports of the same model, each called as soon as the last one has its response."""

    def __init__(self, rig: Rig) -> None:
        self.done = 0
        self._rig, self._ending, self._ended = rig, False, False
        self._calls = [Call(rig, Trigger, 'export_model')]
        self._again()

    def look(self) -> None:
        """Receive the response, if there is one, and call again."""
        response = self._calls[0].response()
        if response is not None:
            self.done += bool(response.success)
            self._ended = self._ending
            if not self._ending:
                self._again()

    def end(self) -> None:
        """Wait for the pending response."""
        self._ending = True
        self._rig.client.wait(self._over, ENDING, 'response')
        for call in self._calls:
            call.end()

    def _over(self) -> bool:
        self.look()
        self._rig.listener.look()
        return self._ended

    def _again(self) -> None:
        self._export()

    def _export(self) -> None:
        self._calls[0].send(Trigger.Request())


class LostFiles(Exports):
    """The same, with the files removed before each call, so that they are written."""

    def _again(self) -> None:
        for path in self._rig.folder.glob('*_dynamics*'):
            path.unlink()
        self._export()


class NewTexts(Exports):
    """The same, with another name for each call, so that the text is generated again."""

    names = (f'robot_{k}' for k in count())

    def __init__(self, rig: Rig) -> None:
        self._parameters = Call(rig, SetParameters, 'inverse_dynamics/set_parameters')
        super().__init__(rig)
        self._calls.append(self._parameters)

    def look(self) -> None:
        """Receive the response, if there is one, and call again."""
        super().look()
        if self._parameters.response() is not None:
            self._export()

    def _again(self) -> None:
        self._parameters.send(SetParameters.Request(parameters=[Parameter(
            name='export.name', value=ParameterValue(type=4, string_value=next(self.names)))]))


BACKGROUND: dict[str, Callable[[Rig], Background]] = {
    'nothing': Nothing,
    'exports': Exports,
    'exports of lost files': LostFiles,
    'exports of new texts': NewTexts,
    'a loop in the lowest class': Loop,
}
"""Loads by name; the others are compared with the first."""
