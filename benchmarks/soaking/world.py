"""The node, its robot, and a subscriber that checks every output."""

import json
import math
import os
import struct
import subprocess
import sys
import time
from collections import deque
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from diagnostic_msgs.msg import DiagnosticArray
from rclpy.qos import DurabilityPolicy, QoSProfile, ReliabilityPolicy
from sensor_msgs.msg import JointState
from std_msgs.msg import String
from under_load.process_figures import Figures, figures
from under_load.steady_publisher import motion

from urdf2dyn_ros import InverseDynamics, read_urdf
from urdf2dyn_ros.nodes.demonstration import ChildProcess, join_empty_domain, stop_all

FOLDER = Path(__file__).resolve().parents[1]
NODE = 'urdf2dyn_ros.nodes.inverse_dynamics'
LATCHED = QoSProfile(depth=1, reliability=ReliabilityPolicy.RELIABLE,
                     durability=DurabilityPolicy.TRANSIENT_LOCAL)
DEEP = 20_000
LOOK = 0.005
RIGHT, WRONG = 0.02, 0.25
"""
Errors of efforts relative to the largest of the motion. With exact states, an estimate that has
settled is right to a thousandth; nothing that is published may be wrong.
"""


class Answer(NamedTuple):
    """One message of efforts: when it was seen [s], its stamp [ns] and its relative error."""

    seen: float
    stamp: int
    error: float


class World:
    """
    A node in a domain of its own, which reads the description from its topic, and a publisher.

    Parameters
    ----------
    urdf : str
    folder : str
        Where exported files go.
    rate : float
        Of the joint states [1/s].

    Attributes
    ----------
    answers : deque of Answer
        The newest.
    count : int
        All answers.
    wrong : list of Answer
        Those that should not have been published.
    samples : list of (float, Figures)
        Time since the start [s] and figures of the node, every second.
    unheard : list of int
        Samples that were received here and not by the node, at each of its statuses; the node
        itself counts those that it received or lost.

    """

    def __init__(self, urdf: str, folder: str, rate: float) -> None:
        self.urdf, self.rate = urdf, rate
        self._truth = InverseDynamics(read_urdf(urdf), backend='auto')
        self.names = list(self._truth.joint_names)
        self._scale = max(float(np.abs(self._efforts(k * 10**7)).max()) for k in range(200))
        self.client, domain = join_empty_domain('soak')
        self._environment = {'ROS_DOMAIN_ID': str(domain),
                             'PYTHONPATH': os.pathsep.join((str(FOLDER), str(FOLDER.parent)))}
        node = self.client.node
        self.description = node.create_publisher(String, 'robot_description', LATCHED)
        self.description.publish(String(data=urdf))
        self._heard = node.create_subscription(JointState, 'joint_states', lambda data: None,
                                               QoSProfile(depth=DEEP), raw=True)
        self._answered = node.create_subscription(JointState, 'inverse_dynamics/efforts',
                                                  lambda data: None, QoSProfile(depth=DEEP))
        self._status = node.create_subscription(DiagnosticArray, 'inverse_dynamics/status',
                                                lambda data: None, 10)
        node.executor.remove_node(node)   # taken from, not spun
        words = ['--ros-args', '-p', f'export.directory:={json.dumps(folder)}', '-p',
                 'export.overwrite:=true', '-p', 'backend:=auto']
        self.process = ChildProcess(NODE, words, self._environment)
        self.robots: list[subprocess.Popen[str]] = []
        self.inputs: deque[tuple[float, int]] = deque(maxlen=DEEP)
        self.answers: deque[Answer] = deque(maxlen=DEEP)
        self.wrong: list[Answer] = []
        self.samples: list[tuple[float, Figures]] = []
        self.unheard: list[int] = []
        self.count = self._inputs = 0
        self._began = time.monotonic()

    def close(self) -> int | None:
        """End everything; return the node's exit code, as SIGINT leaves it."""
        for robot in self.robots:
            robot.kill()
            robot.wait()
        stop_all([self.process])
        self.client.close()
        return self.process.exit_code

    def start_robot(self, **orders: Any) -> subprocess.Popen[str]:
        """Start a publisher, with orders."""
        robot = subprocess.Popen(
            [sys.executable, FOLDER / 'under_load' / 'steady_publisher.py',
             json.dumps(self.names)],
            env={**os.environ, **self._environment}, stdin=subprocess.PIPE, text=True)
        self.robots.append(robot)
        self.tell(robot, listeners=2, rate=self.rate, **orders)   # the node, and this
        return robot

    def tell(self, robot: subprocess.Popen[str], **orders: Any) -> None:
        """Change the settings of a publisher."""
        assert robot.stdin is not None
        robot.stdin.write(json.dumps(orders) + '\n')
        robot.stdin.flush()

    def end_robot(self, robot: subprocess.Popen[str]) -> None:
        """Kill a publisher."""
        robot.kill()
        robot.wait()
        self.robots.remove(robot)

    @property
    def seconds(self) -> float:
        """Since the start [s]."""
        return time.monotonic() - self._began

    def wait(self, seconds: float) -> None:
        """Process messages for a time [s]."""
        end = time.monotonic() + seconds
        self.until(lambda: time.monotonic() > end, seconds + 1.0)

    def until(self, condition: Callable[[], object], timeout: float) -> bool:
        """Process messages until a condition holds; return whether it did within `timeout` [s]."""
        end = time.monotonic() + timeout
        while time.monotonic() < end:
            self._look()
            if condition():
                return True
            time.sleep(LOOK)
        return False

    def call(self, kind: Any, service: str, request: Any, timeout: float = 20.0) -> Any:
        """Call a service and return its response, None if there is none in time."""
        client = self.client.node.create_client(kind, service)
        try:
            if not self.until(client.service_is_ready, timeout):
                return None
            answers: list[Any] = []
            with client.handle:
                client.handle.send_request(request)

            def answered() -> bool:
                with client.handle:
                    header, response = client.handle.take_response(kind.Response)
                answers.extend([response] if header is not None else [])
                return bool(answers)

            return answers[0] if self.until(answered, timeout) else None
        finally:
            self.client.node.destroy_client(client)

    def _look(self) -> None:
        now = self.seconds
        if not self.samples or now - self.samples[-1][0] >= 1.0:
            self.samples.append((now, figures(self.process.pid)))
        with self._heard.handle:
            while (taken := self._heard.handle.take_message(JointState, True)) is not None:
                sec, nanosec = struct.unpack_from('<iI', taken[0], 4)
                self.inputs.append((now, sec * 10**9 + nanosec))
                self._inputs += 1
        with self._answered.handle:
            while (taken := self._answered.handle.take_message(JointState, False)) is not None:
                self._judge(now, taken[0])
        with self._status.handle:
            while (taken := self._status.handle.take_message(DiagnosticArray, False)) is not None:
                given = sum(int(row.value) for row in taken[0].status[1].values
                            if row.key in ('received', 'overruns'))
                self.unheard.append(self._inputs - given)

    def _judge(self, now: float, message: Any) -> None:
        stamp = message.header.stamp.sec * 10**9 + message.header.stamp.nanosec
        error = float(np.abs(np.array(message.effort) - self._efforts(stamp)).max()) / self._scale
        answer = Answer(now, stamp, error if math.isfinite(error) else math.inf)
        self.count += 1
        self.answers.append(answer)
        if not answer.error < WRONG:
            self.wrong.append(answer)

    def _efforts(self, stamp: int) -> Any:
        return self._truth(*motion(stamp, len(self.names)))
