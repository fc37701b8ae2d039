"""
The latency of the node during exports and other loads, compared with that without load.

    make exporting

One node computes the efforts of 7 joints at 1 kHz throughout; loads in the background take turns.
The time from stamp to publishing ends with DDS's own stamp of the output, so that the subscriber
adds nothing to it.

"""

import argparse
import json
import sys
import time
from collections import defaultdict
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
from cases import ROOT, case
from host import host
from numpy.typing import NDArray
from under_load.background import BACKGROUND
from under_load.exporting_report import draw, table
from under_load.phase import LOOK, Rig, latencies, running

from urdf2dyn_ros.nodes.demonstration import keep_local

BUILD = ROOT / 'build' / 'benchmarks'
PAUSE = 0.3
"""Time between two turns [s]."""


@dataclass(frozen=True)
class Turn:
    """
    Figures of one turn of a load.

    Attributes
    ----------
    name : str
        A key of BACKGROUND.
    sent, answered : int
        Messages, and those with an output.
    done : int
        Number of exports.
    latencies : ndarray, (answered,)
        From stamp to publishing [us].

    """

    name: str
    sent: int
    answered: int
    done: int
    latencies: NDArray[np.float64]


@dataclass(frozen=True)
class Row:
    """
    All turns of something.

    Attributes
    ----------
    sent, answered, done : int
    p50, p90, p99 : float
        Of all answers together [us].
    ratio : float
        Of `p99` to that of the turns in which nothing went on.
    quartiles : list of float
        Of the ratio by turns: each to the one in which nothing went on, of the same round.

    """

    name: str
    sent: int
    answered: int
    done: int
    p50: float
    p90: float
    p99: float
    ratio: float
    quartiles: list[float]


def main() -> int:
    """Measure, print, draw."""
    arguments = parsed()
    keep_local()
    turns = measured(arguments.executor, arguments.rounds, arguments.seconds)
    found: dict[str, Any] = {
        'host': host(), 'executor': arguments.executor, 'seconds': arguments.seconds,
        'rounds': arguments.rounds, 'rows': [asdict(row) for row in rows(turns)]}
    print(table(found))
    arguments.output.mkdir(parents=True, exist_ok=True)
    stem = f'exporting_{arguments.executor}'
    (arguments.output / f'{stem}.json').write_text(json.dumps(found, indent=1) + '\n')
    draw(found, arguments.output / f'{stem}.png')
    return 0


def measured(executor: str, rounds: int, seconds: float) -> list[Turn]:
    """Return the figures of every turn; each round begins with another load."""
    robot, names = case('Panda', BUILD / 'Panda'), list(BACKGROUND)
    spans = []
    with running(robot.urdf.read_text(), list(robot.joint_names), executor, 'auto') as rig:
        for k in range(rounds):
            first = k % len(names)
            for name in names[first:] + names[:first]:
                spans.append((name, *_turn(rig, name, seconds)))
            print(f'{k + 1} of {rounds} rounds', file=sys.stderr)
    turns = []
    for name, began, ended, done in spans:
        sent, heard = rig.between(began, ended)
        turns.append(Turn(name, len(sent), len(heard), done, latencies(heard)))
    return turns


def _turn(rig: Rig, name: str, seconds: float) -> tuple[int, int, int]:
    """Return the start and the end of a turn [ns], and its number of exports."""
    background = BACKGROUND[name](rig)
    began = time.time_ns()
    rig.listener.wait(seconds, background.look)
    while rig.listener.heard[-1][0] <= began:   # an overloaded machine takes longer
        rig.listener.wait(LOOK, background.look)
    ended = time.time_ns()
    background.end()
    rig.listener.wait(PAUSE)
    return began, ended, background.done


def rows(turns: list[Turn]) -> list[Row]:
    """Return the figures of all turns of each load."""
    of: dict[str, list[Turn]] = defaultdict(list)
    for turn in turns:   # of a kind in the order of rounds
        of[turn.name].append(turn)
    nothing = of[next(iter(BACKGROUND))]
    alone = [float(np.percentile(turn.latencies, 99)) for turn in nothing]
    floor = _percentiles(nothing)[2]
    found = []
    for name, mine in of.items():
        ratios = [float(np.percentile(turn.latencies, 99)) / one
                  for turn, one in zip(mine, alone, strict=True)]
        p50, p90, p99 = _percentiles(mine)
        found.append(Row(name, *(sum(getattr(turn, key) for turn in mine)
                                 for key in ('sent', 'answered', 'done')), p50, p90, p99,
                         round(p99 / floor, 3),
                         [round(float(x), 3) for x in np.percentile(ratios, [25, 50, 75])]))
    return found


def _percentiles(turns: list[Turn]) -> list[float]:
    together = np.concatenate([turn.latencies for turn in turns])
    return [round(float(x), 1) for x in np.percentile(together, [50, 90, 99])]


def parsed() -> argparse.Namespace:
    """Return the options."""
    parser = argparse.ArgumentParser(description='Measure the data path during exports.')
    parser.add_argument('--executor', default='events', choices=('events', 'single'))
    parser.add_argument('--seconds', type=float, default=5.0, help='length of a turn')
    parser.add_argument('--rounds', type=int, default=12, help='how many turns each has')
    parser.add_argument('--output', type=Path, default=ROOT / 'docs', metavar='FOLDER',
                        help='where the picture and the figures go; by default docs/')
    return parser.parse_args()


if __name__ == '__main__':
    sys.exit(main())
