"""A node under load: a publisher at 1 kHz, and a subscriber that records the outputs."""

from __future__ import annotations

import json
import os
import struct
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from rclpy.qos import QoSProfile
from sensor_msgs.msg import JointState

from urdf2dyn_ros.nodes.demonstration import ChildProcess, Client, join_empty_domain, stop_all
from urdf2dyn_ros.nodes.runtime import EXECUTOR_VARIABLE

HERE = Path(__file__).resolve().parent
FOLDER = HERE.parent
SETTLING = 1.0
DRAINING = 0.2
LOOK = 0.005
EFFORTS = 'inverse_dynamics/efforts'
Stamps = NDArray[np.int64]


@dataclass(frozen=True)
class Phase:
    """
    Figures of one phase.

    Attributes
    ----------
    sent, answered, lost : int
        Messages.
    rate : float
        Actual rate of the publisher [1/s].
    late : float
        Share of its messages that were sent over 0.5 ms later than a period after the one before.
    cpu : float
        Processor time of the node per message [us].
    p50, p99 : float
        From a message's stamp to the publishing of its output [us].

    """

    sent: int
    answered: int
    lost: int
    rate: float
    late: float
    cpu: float
    p50: float
    p99: float

    @staticmethod
    def together(phases: Sequence[Phase]) -> dict[str, float]:
        """Return the sums of counts and the medians of measured figures."""
        rows = [asdict(one) for one in phases]
        return {key: sum(values) if isinstance(values[0], int) else round(
            float(np.median(values)), 4) for key in rows[0]
            for values in [[row[key] for row in rows]]}

    def __str__(self) -> str:
        return ', '.join(f'{name} {value:.4g}' if isinstance(value, float) else f'{name} {value}'
                         for name, value in asdict(self).items())


@dataclass
class Rig:
    """
    The processes of a phase.

    Attributes
    ----------
    node : ChildProcess
        The measured node.
    client : Client
        In the same graph.
    listener : Listener
        Records the node's outputs.
    folder : Path
        Directory of exports.
    environment : dict
        Environment of processes in the same graph.
    sent : ndarray, (k,)
        Stamps [ns], at the end of the phase.

    """

    node: ChildProcess
    client: Client
    listener: Listener
    folder: Path
    environment: dict[str, str]
    sent: Stamps

    def between(self, began: int, ended: int) -> tuple[Stamps, Stamps]:
        """Return the stamps (k,) sent in a time [ns], and those of their outputs (m, 2)."""
        sent = self.sent[(self.sent >= began) & (self.sent < ended)]
        heard = np.array(self.listener.heard, dtype=np.int64).reshape(-1, 2)
        return sent, heard[np.isin(heard[:, 0], sent)]


@contextmanager
def running(urdf: str, names: list[str], executor: str, backend: str) -> Iterator[Rig]:
    """Run a node; `backend` empty for the one that copies."""
    client, domain = join_empty_domain('listener')
    with tempfile.TemporaryDirectory() as folder:
        environment = {'ROS_DOMAIN_ID': str(domain), EXECUTOR_VARIABLE: executor,
                       'PYTHONPATH': os.pathsep.join((str(FOLDER), str(FOLDER.parent)))}
        node = started(urdf, backend, folder, environment)
        stamps = Path(folder) / 'stamps.npy'
        robot = subprocess.Popen([sys.executable, HERE / 'steady_publisher.py', json.dumps(names),
                                  stamps], env={**os.environ, **environment})
        try:
            rig = Rig(node, client, Listener(client), Path(folder), environment,
                      np.empty(0, np.int64))
            client.wait(lambda: rig.listener.look() or rig.listener.heard, 60.0, 'output')
            rig.listener.wait(SETTLING)
            yield rig
            rig.listener.wait(DRAINING)
        finally:
            robot.terminate()
            robot.wait(10.0)
            stop_all([node])
            client.close()
        rig.sent = np.load(stamps)


def measure(urdf: str, names: list[str], executor: str, backend: str, seconds: float) -> Phase:
    """Run a phase; `backend` empty for the node that copies."""
    with running(urdf, names, executor, backend) as rig:
        began, before = time.time_ns(), processor_time(rig.node.pid)
        rig.listener.wait(seconds)
        rig.client.wait(lambda: rig.listener.look() or rig.listener.heard[-1][0] > began, 60.0,
                        'output')   # an overloaded machine may take longer for the first
        ended, after = time.time_ns(), processor_time(rig.node.pid)
    sent, heard = rig.between(began, ended)
    p50, p99 = np.percentile(latencies(heard), [50, 99])
    steps = np.diff(sent) * 1e-6
    return Phase(len(sent), len(heard), int(len(sent) - np.isin(sent, heard[:, 0]).sum()),
                 1000.0 * len(steps) / float(steps.sum()), float((steps > 1.5).mean()),
                 1e6 * (after - before) / len(sent), float(p50), float(p99))


def processor_time(process: int) -> float:
    """Return the processor time of a process since its start [s], from Linux."""
    # behind the name in parentheses, which may have spaces: from the state, the third field, on
    fields = Path('/proc', str(process), 'stat').read_text().rpartition(')')[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf('SC_CLK_TCK')


def latencies(heard: Stamps) -> NDArray[np.float64]:
    """Return the time (m,) from stamp to publishing [us] of outputs (m, 2)."""
    return (heard[:, 1] - heard[:, 0]) * 1e-3


def started(urdf: str, backend: str, folder: str, environment: dict[str, str]) -> ChildProcess:
    """Start the node."""
    if not backend:
        return ChildProcess('under_load.copy_node', environment=environment)
    values = {'robot_description': urdf, 'backend': backend, 'export.directory': folder,
              'export.overwrite': True}
    words = [word for name, value in values.items()
             for word in ('-p', f'{name}:={json.dumps(value)}')]
    return ChildProcess('urdf2dyn_ros.nodes.inverse_dynamics', ['--ros-args', *words], environment)


class Listener:
    """Records the stamp of every output and of its publishing by DDS, with little overhead."""

    def __init__(self, client: Client) -> None:
        self.heard: list[tuple[int, int]] = []
        # not spun: `look` takes messages as bytes, a few hundred times a second
        self._subscription = client.node.create_subscription(
            JointState, EFFORTS, lambda data: None, QoSProfile(depth=10_000), raw=True)
        client.node.executor.remove_node(client.node)

    def look(self) -> None:
        """Record the messages in the queue."""
        queue = self._subscription.handle
        with queue:
            while (taken := queue.take_message(JointState, True)) is not None:
                sec, nanosec = struct.unpack_from('<iI', taken[0], 4)
                self.heard.append((sec * 10**9 + nanosec, taken[1]['source_timestamp']))

    def wait(self, seconds: float, meanwhile: Callable[[], None] = lambda: None) -> None:
        """Record for a time [s]."""
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            self.look()
            meanwhile()
            time.sleep(LOOK)
