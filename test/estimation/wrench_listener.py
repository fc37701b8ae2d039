"""A listener to wrenches on a Panda's hand and arm, with a clock of its own."""

import numpy as np

from support.robot_files import robot_path
from urdf2dyn_ros import read_urdf
from urdf2dyn_ros.estimation.wrenches import ExternalWrenches
from urdf2dyn_ros.robot.multibody import multibody

MS = 1_000_000
START = 1_700_000_000 * 1000 * MS
SYSTEM = multibody(read_urdf(robot_path('panda').read_bytes()))
HAND, ARM = 'panda_hand', 'panda_link4'
Q = np.linspace(-0.5, 0.5, len(SYSTEM.joint_names))


class Listener:
    """Wrenches on two links, and the clock of their arrival [ms]."""

    def __init__(self, *links: str, **parameters: object) -> None:
        self.ms = 0.0
        self.wrenches = ExternalWrenches(SYSTEM, links or (HAND, ARM),
                                         clock=lambda: round(self.ms * MS), **parameters)
        self.counters = self.wrenches.counters

    def hear(self, ms: float, newtons: float = 1.0, link: str = HAND, frame: str | None = None,
             arrival: float | None = None, **fields: object) -> None:
        """Take a message of a force along x, stamped and arriving at a time."""
        self.ms = ms if arrival is None else arrival
        values = {'stamp': START + round(ms * MS), 'frame_id': frame or link,
                  'force': (newtons, 0.0, 0.0), 'torque': (0.0, 0.0, 0.0), **fields}
        self.wrenches.receive(link, **values)

    def at(self, ms: float, now: float | None = None) -> list[float] | str:
        """Return the force along x on every link at an instant, or why there is none."""
        self.ms = ms if now is None else now
        found = self.wrenches.wrenches_at(START + round(ms * MS), Q)
        return found if isinstance(found, str) else found[::6].tolist()


def both(**parameters: object) -> Listener:
    """Return a listener that has received 1 N on the hand and 2 N on the arm at 0 ms."""
    listener = Listener(**parameters)
    listener.hear(0, 1.0)
    listener.hear(0, 2.0, ARM)
    assert listener.at(0) == [1.0, 2.0]
    return listener
