"""The service export_model: the equations of the robot that runs, as files."""

from __future__ import annotations

import traceback
from collections.abc import Callable

from rclpy.callback_groups import ReentrantCallbackGroup
from rclpy.node import Node
from rclpy.task import Future
from std_srvs.srv import Trigger

from urdf2dyn_ros.errors import ExportError, Urdf2DynError
from urdf2dyn_ros.export_process import Export, export_aside
from urdf2dyn_ros.nodes.worker import Worker


class ExportService:
    """
    Answers one call at a time, in a process of its own, while the node goes on.

    Parameters
    ----------
    node : Node
    asked : callable
        Returns what to export, as it is at the moment of the call; None without a model.
    worker : Worker
        Waits for the process.
    failed : callable
        Called with the traceback of an error that is a defect.

    """

    def __init__(self, node: Node, asked: Callable[[], Export | None], worker: Worker,
                 failed: Callable[[str], None]) -> None:
        self._node, self._asked, self._worker, self._failed = node, asked, worker, failed
        self._busy = False
        # a call that waits holds up its callback group: a second call, and were it the node's own
        # group, all the data
        node.create_service(Trigger, 'export_model', self._answer,
                            callback_group=ReentrantCallbackGroup())

    async def _answer(self, request: Trigger.Request, response: Trigger.Response,
                      ) -> Trigger.Response:
        try:
            response.message = '\n'.join(await self._export())
            response.success = True
        except Urdf2DynError as error:
            response.message = str(error)
        except Exception as error:
            text = traceback.format_exc()
            self._failed(text)
            self._node.get_logger().error(f'an export failed, this is a defect:\n{text}')
            response.message = f'a defect: {error!r}'
        return response

    async def _export(self) -> list[str]:
        export = self._asked()
        if export is None:
            raise ExportError('there is no model yet: no robot description has come')
        if self._busy:
            raise ExportError('busy: another export is under way; call again')
        answer = Future(executor=self._node.executor)
        # a sleeping executor is woken by a callback of the future, not by its result alone
        answer.add_done_callback(lambda done: None)
        self._busy = True
        try:
            self._worker.submit(lambda: export_aside(export),
                                lambda paths, error: answer.set_result((paths, error)))
            paths, error = await answer
        finally:
            self._busy = False
        if error is not None:
            raise error
        found: list[str] = paths
        return found
