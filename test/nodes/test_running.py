"""A node that does not end after a signal."""

import subprocess
import sys

STUCK = """
import os, signal, threading, time
from rclpy.node import Node
from urdf2dyn_ros.nodes import runtime as running

class Stuck(Node):
    def __init__(self):
        super().__init__('stuck')
        threading.Timer(0.5, os.kill, (os.getpid(), signal.SIGINT)).start()

    def destroy_node(self):
        time.sleep(100.0)

running.MOST_TO_END = 1.0
running.run_node(Stuck, [])
"""


def test_a_node_that_does_not_end_prints_where_it_is_and_ends() -> None:
    done = subprocess.run([sys.executable, '-c', STUCK], capture_output=True, text=True,
                          timeout=90)
    assert done.returncode == 1
    assert 'in destroy_node\n' in done.stderr
