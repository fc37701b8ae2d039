"""The service export_model: the equations of the robot that runs, as files."""

from __future__ import annotations

import time
import traceback
from collections.abc import Callable
from typing import NamedTuple

from rclpy.callback_groups import ReentrantCallbackGroup
from rclpy.node import Node
from rclpy.task import Future
from std_srvs.srv import Trigger

from urdf2dyn_ros.errors import ExportError, Urdf2DynError
from urdf2dyn_ros.export import write_files
from urdf2dyn_ros.nodes.export_process import Export, ExportProcess
from urdf2dyn_ros.nodes.worker import Worker
from urdf2dyn_ros.system.pauses import Pauses


class Order(NamedTuple):
    """What to export and to where, as in `write_files`."""

    export: Export
    directory: str
    overwrite: bool


class ExportService:
    """
    Answers one call at a time, while the node goes on.

    The text that was written last is kept: to hand it out again is to write files. Where the
    model or the parameters are others by now, it is written in a process of its own. Who asks
    again at once while data flow is answered after a pause, else they would wait for a core or for
    the interpreter in too many of their milliseconds.

    Parameters
    ----------
    node : Node
    asked : callable
        Returns what to export, as it is at the moment of the call; None without a model.
    silent : callable
        Returns whether no data flow.
    worker : Worker
        Pauses, waits for the process and writes the files.
    failed : callable
        Called with the traceback of an error that is a defect.

    """

    def __init__(self, node: Node, asked: Callable[[], Order | None],
                 silent: Callable[[], bool], worker: Worker,
                 failed: Callable[[str], None]) -> None:
        self._node, self._asked, self._silent = node, asked, silent
        self._worker, self._failed = worker, failed
        self._busy, self._pauses = False, Pauses()
        self._process = ExportProcess()
        self._kept: tuple[Export, dict[str, str]] | None = None
        # a call that waits holds up its callback group: a second call, and were it the node's own
        # group, all the data
        node.create_service(Trigger, 'export_model', self._answer,
                            callback_group=ReentrantCallbackGroup())

    def prepare(self, export: Export) -> None:
        """Write a text before it is asked for, in this thread: where nothing is held up by it."""
        try:
            self._kept = export, export.files()
        except Urdf2DynError:
            pass   # said to whoever asks for it
        except Exception:
            self._defect()   # no reason not to run the model

    async def _answer(self, request: Trigger.Request, response: Trigger.Response,
                      ) -> Trigger.Response:
        try:
            response.message = '\n'.join(await self._export())
            response.success = True
        except Urdf2DynError as error:
            response.message = str(error)
        except Exception as error:
            self._defect()
            response.message = f'a defect: {error!r}'
        return response

    def _defect(self) -> None:
        """Tell of the error that is being handled."""
        text = traceback.format_exc()
        self._failed(text)
        self._node.get_logger().error(f'an export failed, this is a defect:\n{text}')

    async def _export(self) -> list[str]:
        order = self._asked()
        if order is None:
            raise ExportError('there is no model yet: no robot description has come')
        if self._busy:
            raise ExportError('busy: another export is under way; call again')
        answer = Future(executor=self._node.executor)
        # a sleeping executor is woken by a callback of the future, not by its result alone
        answer.add_done_callback(lambda done: None)
        self._busy, silent = True, self._silent()
        try:
            self._worker.submit(lambda: self._written(*order, silent),
                                lambda paths, error: answer.set_result((paths, error)))
            paths, error = await answer
        finally:
            self._busy = False
        if error is not None:
            raise error
        found: list[str] = paths
        return found

    def _written(self, export: Export, directory: str, overwrite: bool,
                 silent: bool) -> list[str]:
        time.sleep(0.0 if silent else self._pauses.left)
        with self._pauses.work():
            kept = self._kept
            if kept is None or kept[0] != export:
                self._kept = kept = export, self._process.files(export)
            return [str(path) for path in write_files(kept[1], directory, overwrite)]
