"""The worker thread of the node inverse_dynamics."""

import threading

import pytest

from urdf2dyn_ros.nodes.endpoints import Worker


@pytest.mark.fault(51)
def test_of_jobs_that_pile_up_the_newest_is_done() -> None:
    """The one under way is ended, the others are forgotten."""
    begun, go, ended = threading.Event(), threading.Event(), threading.Event()
    done: list[int] = []
    worker = Worker(lambda job: job)

    def wait() -> int:
        begun.set()
        assert go.wait(120.0)
        return -1

    worker.submit(wait, lambda result, error: done.append(result))
    assert begun.wait(120.0)
    for k in range(1000):
        worker.submit(lambda k=k: k, lambda result, error: (done.append(result), ended.set()))
    go.set()
    assert ended.wait(120.0)
    assert done == [-1, 999]


@pytest.mark.fault(53)
def test_an_error_of_a_job_is_passed_on_and_one_of_its_end_is_survived() -> None:
    errors: list[Exception] = []
    ended = threading.Event()

    def guarded(job):
        def run() -> None:
            try:
                job()
            except Exception as error:
                errors.append(error)
            ended.set()
        return run

    worker = Worker(guarded)
    worker.submit(lambda: 1 / 0, lambda result, error: errors.append(error))
    assert ended.wait(120.0)
    ended.clear()
    worker.submit(lambda: 1, lambda result, error: [][result])
    assert ended.wait(120.0)
    assert [type(error) for error in errors] == [ZeroDivisionError, IndexError]
