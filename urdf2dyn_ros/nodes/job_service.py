"""Services Trigger whose response takes seconds, while the node goes on."""

from collections.abc import Callable

from rclpy.callback_groups import ReentrantCallbackGroup
from rclpy.node import Node
from std_srvs.srv import Trigger

from urdf2dyn_ros.errors import Urdf2DynError
from urdf2dyn_ros.nodes.callbacks import report_defect
from urdf2dyn_ros.nodes.worker import Worker


class JobService:
    """
    Does the job of one call at a time in a worker; the response has its message or its error.

    The function `job` returns the job of a call, which returns the message; both may raise
    Urdf2DynError. `busy` returns the response to a call during another one; `failed` is called
    with the traceback of every other error, which is logged.
    """

    def __init__(self, node: Node, name: str, worker: Worker,
                 job: Callable[[], Callable[[], str]], busy: Callable[[], str],
                 failed: Callable[[str], None] = lambda text: None) -> None:
        self._node, self._worker, self._job, self._failed = node, worker, job, failed
        self._under_way, self._busy = False, busy
        # a call that waits blocks its callback group for a second call and, if it were the node's
        # own group, for all messages
        node.create_service(Trigger, name, self._respond, callback_group=ReentrantCallbackGroup())

    async def _respond(self, request: Trigger.Request, response: Trigger.Response,
                       ) -> Trigger.Response:
        if self._under_way:
            response.message = self._busy()
            return response
        self._under_way = True
        try:
            response.message = await self._worker.result(self._job(), self._node.executor)
            response.success = True
        except Urdf2DynError as error:
            response.message = str(error)
        except Exception as error:
            report_defect(self._node, self._failed)
            response.message = f'a defect: {error!r}'
        finally:
            self._under_way = False
        return response
