"""The node inverse_dynamics with a life cycle, for systems that manage their nodes."""

import sys
import traceback
from typing import Any

from rclpy.lifecycle import LifecycleNode, LifecycleState, TransitionCallbackReturn

from urdf2dyn_ros.errors import Urdf2DynError
from urdf2dyn_ros.estimation.status import Monitor
from urdf2dyn_ros.nodes.endpoints import Endpoints, JobService
from urdf2dyn_ros.nodes.inverse_dynamics import NODE_FAMILIES, NODE_PARAMETERS, Wiring
from urdf2dyn_ros.nodes.runtime import NodeParameters, RemarkingNode, run_node

DESCRIPTION_PATIENCE = 10.0   # for a description on the topic, in a transition [s]


class ManagedInverseDynamics(RemarkingNode, LifecycleNode):
    """
    Publishes the efforts that the motion in joint_states requires, while it is active.

    To configure it reads the robot description, from the parameter or the topic of that name, and
    builds the model; the transition fails if there is none or it is rejected. While the node is
    inactive, nothing but descriptions is received and nothing is published. To clean it up
    releases the model and all topics and services but those of the life cycle and export_model,
    which then responds that there is no model.
    """

    def __init__(self, **options: Any) -> None:
        super().__init__('inverse_dynamics', allow_undeclared_parameters=True, **options)
        self.requested = NodeParameters(self, NODE_PARAMETERS, NODE_FAMILIES)
        self._endpoints: Endpoints | None = None
        self._wiring: Wiring | None = None
        self._jobs: dict[str, JobService] = {}
        self._publishing = False

    def on_configure(self, state: LifecycleState) -> TransitionCallbackReturn:
        """Create the endpoints and build the model; blocks until that is done."""
        monitor = Monitor()
        self._endpoints = Endpoints(self, monitor.failed, lambda: self._publishing,
                                    self._jobs)
        try:
            self._wiring = Wiring(self._endpoints, self.requested, monitor)
            self._wiring.descriptions.await_model(DESCRIPTION_PATIENCE)
        except Urdf2DynError as error:
            self.get_logger().error(f'not configured: {error}')
        except Exception:   # rclpy does not log it
            self.get_logger().error('not configured, this is a defect:\n'
                                    + traceback.format_exc())
        else:
            return super().on_configure(state)
        return self._release(TransitionCallbackReturn.FAILURE)

    def on_activate(self, state: LifecycleState) -> TransitionCallbackReturn:
        """Publish, with the samples from now on."""
        if self._wiring is not None:
            self._wiring.restart()
        self._publishing = True
        return super().on_activate(state)

    def on_deactivate(self, state: LifecycleState) -> TransitionCallbackReturn:
        """Do not publish any more; the model is kept."""
        self._publishing = False
        return super().on_deactivate(state)

    def on_cleanup(self, state: LifecycleState) -> TransitionCallbackReturn:
        """Release the model and the endpoints."""
        return self._release(super().on_cleanup(state))

    def on_shutdown(self, state: LifecycleState) -> TransitionCallbackReturn:
        """Release the model and the endpoints; the process goes on until a signal ends it."""
        return self._release(super().on_shutdown(state))

    def on_error(self, state: LifecycleState) -> TransitionCallbackReturn:
        """Release the model and the endpoints, so that the node can be configured again."""
        return self._release(super().on_error(state))

    def _release(self, result: TransitionCallbackReturn) -> TransitionCallbackReturn:
        self._publishing = False
        if self._wiring is not None:
            self._wiring.release()
        if self._endpoints is not None:
            self._endpoints.destroy()
        self._wiring = self._endpoints = None
        return result


def main() -> int:
    """Run the node until a signal ends it."""
    return run_node(ManagedInverseDynamics, NODE_PARAMETERS)


if __name__ == '__main__':
    sys.exit(main())
