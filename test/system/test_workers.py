"""Workers: results in order, whatever happens to processes, on this machine and on a cluster."""

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from functools import partial
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from work import fail, span, square, squared_or_killed

from support.nodes.children import children, command, ended
from support.scara_recordings import SCARA, recording
from urdf2dyn_ros.__main__ import main
from urdf2dyn_ros.errors import WorkersError
from urdf2dyn_ros.recordings.workers import Lost, Workers, results_of
from urdf2dyn_ros.system import child_environment


@pytest.fixture(scope='module')
def cluster() -> Iterator[str]:
    """Return the address of a real cluster: two processes of two threads."""
    distributed: Any = pytest.importorskip('distributed')
    import dask

    # else a worker is killed four times, and Dask starts each again
    with dask.config.set({'distributed.scheduler.allowed-failures': 0}), distributed.LocalCluster(
            n_workers=2, threads_per_worker=2, dashboard_address=':0', host='127.0.0.1',
            memory_limit='800MB') as local:
        yield local.scheduler_address


@pytest.fixture(params=['processes', 'cluster'])
def workers(request: pytest.FixtureRequest) -> Workers:
    if request.param == 'processes':
        return Workers(2)
    return Workers(scheduler=request.getfixturevalue('cluster'))


def test_a_worker_that_is_killed_changes_nothing(workers: Workers, tmp_path: Path) -> None:
    results = list(results_of(partial(squared_or_killed, str(tmp_path)), range(5), workers))
    assert results == [0, 1, 4, 9, 16]
    assert (tmp_path / 'killed_2').exists()


@pytest.mark.slow
def test_an_item_that_kills_each_process_costs_only_itself(workers, tmp_path):
    first, lost, *others = results_of(
        partial(squared_or_killed, str(tmp_path)), (1, 5, 3, 4, 6, 7), workers)
    assert (first, others) == (1, [9, 16, 36, 49])
    assert isinstance(lost, Lost) and 'killed' in lost.reason


def test_errors_of_the_function_are_raised(workers: Workers) -> None:
    with pytest.raises(KeyError, match='item 0'):
        list(results_of(fail, range(3), workers))


def test_a_process_of_a_cluster_works_on_one_item_at_a_time(cluster: str) -> None:
    """Although it has two threads: its memory is that of one recording."""
    spans = sorted(results_of(span, range(12), Workers(scheduler=cluster)))
    pairs = [(first, second) for first, second in pairwise(spans) if first[0] == second[0]]
    assert len(pairs) >= 10
    assert all(first[2] <= second[1] for first, second in pairs)


STARTING = """
import time
from urdf2dyn_ros.recordings.workers import Workers, results_of
print(len(list(results_of(time.sleep, [0.0] * 4, Workers(2)))))
"""


def handles_ctrl_c(pid: int) -> bool:
    """Return whether a worker runs Python, which handles it from then on, by proc(5)."""
    if b'spawn_main' not in command(pid):
        return False
    status = Path(f'/proc/{pid}/status').read_text()
    return bool(int(status.partition('SigCgt:')[2].split()[0], 16) & 1 << signal.SIGINT - 1)


@pytest.mark.usefixtures('ctrl_c')
def test_ctrl_c_in_a_terminal_while_processes_start_is_for_their_parent_alone() -> None:
    """All processes receive it, those as well that have not begun to work."""
    with subprocess.Popen([sys.executable, '-c', STARTING], env=child_environment(), text=True,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT) as process:
        starting: list[int] = []
        while not starting:
            assert process.poll() is None
            starting = [child for child in children(process.pid) if handles_ctrl_c(child)]
        os.kill(starting[0], signal.SIGINT)
        assert ended(process, 0) == '4\n'


def test_without_workers_this_process_does_the_work() -> None:
    assert list(results_of(square, range(4), Workers())) == [0, 1, 4, 9]
    assert list(results_of(square, [], Workers(2))) == []


def test_a_scheduler_that_is_none_is_named() -> None:
    with pytest.raises(WorkersError, match='no-scheme'):
        list(results_of(square, range(2), Workers(scheduler='no-scheme://x')))


@pytest.mark.slow
def test_summaries_of_workers_are_the_same_and_a_damaged_recording_costs_only_itself(
        cluster: str, tmp_path: Path, capsys: pytest.CaptureFixture[str],
        monkeypatch: pytest.MonkeyPatch) -> None:
    """Byte by byte, from processes and from a cluster."""
    monkeypatch.setattr('urdf2dyn_ros.commands.identify.identification_picture', lambda *of: b'')
    paths = [recording(tmp_path / f'{name}.csv', 5.0, seed) for seed, name in enumerate('ab')]
    (tmp_path / 'broken.csv').write_text('time,q_joint1\n0,1\n')
    paths.insert(1, str(tmp_path / 'broken.csv'))
    results = []
    for name, words in (('one', ()), ('two', ('--workers', '2')),
                        ('dask', ('--scheduler', cluster))):
        out = tmp_path / name
        assert main(['identify', *paths, '--urdf', str(SCARA), '--cutoff', '10', '--delay', '0',
                     '--weight', '10', '-o', str(out), *words]) == 0
        errors = capsys.readouterr().err
        assert errors.count('not used: ') == errors.count('broken.csv') == 1
        results.append({path.name: path.read_bytes() for path in (out / 'summaries').iterdir()})
        assert {*results[-1]} == {'a.npz', 'b.npz'}
    assert results[0] == results[1] == results[2]


@pytest.mark.slow
@pytest.mark.parametrize(('words', 'text'), [
    (('--workers', '0'), '--workers 0: must be between'),
    (('--workers', '2', '--scheduler', 'tcp://x:1'), 'exclude each other')])
def test_wrong_workers_are_named(words, text, tmp_path, capsys):
    code = main(['identify', 'x.csv', '--urdf', str(SCARA), '-o', str(tmp_path / 'out'), *words])
    assert code == 1 and text in capsys.readouterr().err
