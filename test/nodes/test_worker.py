"""What a node watches: its jobs and publishers, an end that hangs, and free domains."""

import os
import queue
import subprocess
import sys
import threading
from types import SimpleNamespace
from unittest.mock import MagicMock

import pytest
from rclpy.qos import DurabilityPolicy, QoSProfile

from urdf2dyn_ros.nodes import demonstration
from urdf2dyn_ros.nodes.endpoints import Endpoints, Worker


def spun(*, guarded=lambda callback: callback):
    """Return a worker, and the tasks that it gives to the executor of its node."""
    tasks: queue.SimpleQueue = queue.SimpleQueue()
    node = SimpleNamespace(executor=SimpleNamespace(create_task=tasks.put))
    return Worker(node, guarded), tasks


@pytest.mark.fault(51)
def test_of_jobs_that_pile_up_the_newest_is_done() -> None:
    """The one under way is ended, the others are forgotten; results are taken by who spins."""
    begun, go = threading.Event(), threading.Event()
    done: list[tuple[int, int]] = []
    worker, tasks = spun()

    def wait() -> int:
        begun.set()
        assert go.wait(120.0)
        return -1

    def take(result: int, error: None) -> None:
        done.append((result, threading.get_ident()))

    worker.submit(wait, take)
    assert begun.wait(120.0)
    for k in range(1000):
        worker.submit(lambda k=k: k, take)
    go.set()
    for task in (tasks.get(timeout=120.0), tasks.get(timeout=120.0)):
        task()
    assert done == [(-1, threading.get_ident()), (999, threading.get_ident())]


def test_a_result_waits_until_the_node_is_spun_and_none_comes_after_the_end() -> None:
    """The constructor of a node begins a job, and a node is destroyed during another."""
    worker, tasks = spun()
    node, executor = worker._node, worker._node.executor
    node.executor = None
    done = []
    worker.submit(lambda: 1, lambda result, error: done.append(result))
    with pytest.raises(queue.Empty):
        tasks.get(timeout=0.1)
    while not done:   # as in a transition of a life cycle, for which the executor waits
        worker.deliver()
    assert done == [1]
    node.executor = executor
    tasks.get(timeout=120.0)()
    worker.submit(lambda: 2, lambda result, error: done.append(result))
    task = tasks.get(timeout=120.0)
    worker.end()
    task()
    assert done == [1]


@pytest.mark.fault(53)
def test_an_error_of_a_job_is_passed_on_and_one_of_its_end_is_survived() -> None:
    errors: list[Exception] = []

    def guarded(done):
        def run(*result: object) -> None:
            try:
                done(*result)
            except Exception as error:
                errors.append(error)
        return run

    worker, tasks = spun(guarded=guarded)
    worker.submit(lambda: 1 / 0, lambda result, error: errors.append(error))
    tasks.get(timeout=120.0)()
    worker.submit(lambda: 1, lambda result, error: [][result])
    tasks.get(timeout=120.0)()
    assert [type(error) for error in errors] == [ZeroDivisionError, IndexError]


# ---- What a node says of those that publish a topic


LATCHED = QoSProfile(depth=1, durability=DurabilityPolicy.TRANSIENT_LOCAL)


def test_a_publisher_that_is_discovered_before_its_node_has_no_name_yet() -> None:
    """Its name is then a placeholder of rmw, which no user can search for."""
    node = MagicMock()
    node.resolve_topic_name.return_value = '/robot_description'
    node.get_publishers_info_by_topic.return_value = [
        SimpleNamespace(node_namespace='/left/', node_name='publisher', qos_profile=LATCHED),
        SimpleNamespace(node_namespace='_NODE_NAMESPACE_UNKNOWN_',
                        node_name='_NODE_NAME_UNKNOWN_', qos_profile=LATCHED)]
    assert Endpoints(node, MagicMock()).published('robot_description') == (
        '/robot_description, published by /left/publisher (RELIABLE, TRANSIENT_LOCAL), '
        'a node whose name is not discovered yet (RELIABLE, TRANSIENT_LOCAL)')


# ---- A node that does not end after a signal


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


# ---- Domains of DDS that the demonstration may use


def test_a_domain_in_which_others_receive_is_not_joined(graph, monkeypatch):
    """They are found by their ports, however long DDS takes to discover them."""
    monkeypatch.setattr(demonstration, '_DISCOVERY_TIME', 0.0)
    monkeypatch.setattr(os, 'getpid', lambda: graph.domain - 1)
    client, domain = demonstration.join_empty_domain('visitor')
    client.close()
    assert domain != graph.domain


def test_where_all_domains_are_in_use_it_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(demonstration, '_in_use', lambda domain: True)
    with pytest.raises(OSError, match='1 to 101 of this computer are all in use: end the nodes'):
        demonstration.join_empty_domain('visitor')
