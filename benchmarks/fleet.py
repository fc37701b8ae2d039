"""
What many recordings cost: time and memory of each, and what two workers gain over one.

    .venv/bin/python benchmarks/fleet.py [--recordings 1000]

Recordings of the SCARA that ships, a few seconds at 60 Hz with other masses, friction and noise,
are written as tables and merged into one summary: by one worker, by two, and by a Dask cluster of
two processes. Their number may be small where the machine is shared; time and memory of one
recording do not depend on it, which the quarters of the run show. The first quarter has the start
of the processes and does not count in what is faster.

"""

import argparse
import os
import resource
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

from urdf2dyn_ros.identification.identify import IdentificationSettings, Source, read_summaries
from urdf2dyn_ros.identification.robot import Robot, robot_of
from urdf2dyn_ros.identification.rows import RecordedNames
from urdf2dyn_ros.identification.summary import Summary, grouped, summary_bytes
from urdf2dyn_ros.inverse_dynamics import InverseDynamics
from urdf2dyn_ros.recordings.workers import Workers
from urdf2dyn_ros.robot.loads import Loads
from urdf2dyn_ros.robot.reader import read_urdf
from urdf2dyn_ros.robot.spatial import Array
from urdf2dyn_ros.robot.terms import Friction
from urdf2dyn_ros.system import resident_memory

SCARA = Path(__file__).parents[1] / 'urdf' / 'scara.urdf'
SECONDS, RATE, NOISE = 5.0, 60.0, 0.01
DIFFERENT = 50
"""Recordings that are simulated; the others are copies, which cost the same."""


def write_recording(path: Path, truth: InverseDynamics, seed: int) -> None:
    """Write the table of a motion of all joints."""
    rng = np.random.default_rng(seed)
    t = np.arange(0.0, SECONDS, 1.0 / RATE)
    n = len(truth.joint_names)
    q, qd, qdd = np.zeros((3, len(t), n))
    for joint in range(n):
        size = {'rad': 0.4, 'm': 0.04}[truth.units[joint]]
        for w, phase in zip(2.0 * np.pi * rng.uniform(0.2, 1.0, 4), rng.uniform(0.0, 6.28, 4)):
            q[:, joint] += size * np.sin(w * t + phase)
            qd[:, joint] += size * w * np.cos(w * t + phase)
            qdd[:, joint] -= size * w * w * np.sin(w * t + phase)
    effort = truth(q, qd, qdd)
    effort += NOISE * effort.std(axis=0) * rng.normal(size=effort.shape)
    head = ['time', *(f'{kind}_{name}' for kind in ('q', 'effort') for name in truth.joint_names)]
    np.savetxt(path, np.column_stack((t, q, effort)), '%.9g', ',', header=','.join(head),
               comments='')


def processor_time() -> float:
    """Return the time of this process and its children that ended [s]."""
    return sum(part for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)
               for part in resource.getrusage(who)[:2])


def merged_by(robot: Robot, paths: list[str], workers: Workers) -> tuple[Summary, Array, Array]:
    """Return the merged summary, and time [s] and memory [MB] after each recording."""
    names = RecordedNames(robot.joints, robot.dynamics.continuous, robot.dynamics.units)
    source = Source(IdentificationSettings(cutoff=10.0, delay=0.0, workers=workers), names, None)
    times, memory = [time.monotonic()], [resident_memory()]

    def timed() -> Iterator[Summary]:
        for summary in read_summaries(robot, paths, source, [], lambda fraction: None):
            yield summary
            times.append(time.monotonic())
            memory.append(resident_memory())

    summary, = grouped(timed(), len(paths), 1)
    return summary, np.array(times), np.array(memory)


@contextmanager
def cluster() -> Iterator[Workers]:
    """Yield two processes of a Dask cluster on this machine."""
    from distributed import LocalCluster  # which is slow to import

    with LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=':0',
                      host='127.0.0.1') as local:
        yield Workers(scheduler=local.scheduler_address)


@contextmanager
def processes(count: int) -> Iterator[Workers]:
    """Yield processes of this machine."""
    yield Workers(count)


def main() -> None:
    """Print a table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[1])
    parser.add_argument('--recordings', type=int, default=1000)
    count = parser.parse_args().recordings
    model = read_urdf(SCARA.read_bytes())
    robot = robot_of(model, InverseDynamics(model))
    terms = {name: (Friction(2.0, 1.5, 50.0),) for name in robot.joints}
    truth = InverseDynamics(model, loads=Loads(terms=terms))
    with TemporaryDirectory() as name:
        paths = []
        for number in range(count):
            path = Path(name) / f'{number:06d}.csv'
            if number < DIFFERENT:
                write_recording(path, truth, number)
            else:
                os.link(paths[number % DIFFERENT], path)
            paths.append(str(path))
        print(f'{count} recordings of {SECONDS:g} s, {len(robot.joints)} joints; load of this '
              f'machine: {os.getloadavg()[0]:.1f} of {os.cpu_count()} processors', flush=True)
        print('workers        time [s]  [ms each]  quarters [ms each]         memory here [MB]  '
              'faster', flush=True)
        one, whole = 0.0, b''
        for title, ready in (('1', processes(1)), ('2', processes(2)), ('Dask, 2', cluster())):
            with ready as workers:
                begin = processor_time()
                summary, times, memory = merged_by(robot, paths, workers)
            steps = np.diff(times)
            quarters = ' '.join(f'{1e3 * part.mean():5.0f}' for part in np.array_split(steps, 4))
            total = float(times[-1] - times[0])
            # processes start once
            steady = float(steps[len(steps) // 4:].mean())
            one = one or steady
            ends = ' '.join(f'{memory[k * (len(memory) - 1) // 4]:.0f}' for k in range(1, 5))
            print(f'{title:12}  {total:9.1f}  {1e3 * total / count:9.1f}  {quarters:25}  '
                  f'{ends:>16}  {one / steady:6.2f}   processor '
                  f'{processor_time() - begin:.1f} s', flush=True)
            content = summary_bytes(summary, robot)
            whole = whole or content
            assert content == whole, 'the result depends on the workers'
        each = one
        print(f'the merged summary has {len(whole) / 1e3:.0f} kB; a million recordings take '
              f'{1e6 * each / 3600.0:.0f} hours of one worker, and '
              f'{1e6 * each / 3600.0 / 100.0:.1f} of a hundred')
        print(f'peak memory of this process: '
              f'{resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e3:.0f} MB; of the largest '
              f'worker: {resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1e3:.0f} MB')


if __name__ == '__main__':
    sys.exit(main())
