"""
The cost of a message for the node, and for a node that only copies it, in one run.

    make load

Every phase starts a new node and a new publisher; nodes take turns within a round. The time from
stamp to publishing ends with DDS's own stamp of the output, so that the subscriber adds nothing to
it. Processor time is that of all threads of the node. `--minutes 10` adds one phase of that
length for each robot, in which no message may be lost.

"""

import argparse
import json
import sys
from collections import defaultdict
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from cases import ROOT, Case, case
from host import host
from under_load.phase import Phase, measure
from under_load.report import draw, table

from urdf2dyn_ros.nodes.demonstration import keep_local

BUILD = ROOT / 'build' / 'benchmarks'
ROBOTS = {'Panda': 7, 'humanoid_3p33r': 36}
EXECUTORS = ('events', 'single')


@dataclass(frozen=True)
class Contestant:
    """
    A node to be measured.

    Attributes
    ----------
    name : str
    backend : str
        Back end of our node; empty for the one that copies.

    """

    name: str
    backend: str = ''


CONTESTANTS = (Contestant('copy'), Contestant('ours, Python', 'python'),
               Contestant('ours, C', 'auto'))


def main() -> int:
    """Measure, print, draw; 1 if a message was lost in a long phase."""
    arguments = parsed()
    keep_local()
    robots = {name: case(name, BUILD / name) for name in ROBOTS}
    found: dict[str, Any] = {'host': host(), 'seconds': arguments.seconds, 'rows': []}
    phases: dict[tuple[str, str, str], list[Phase]] = defaultdict(list)
    for _ in range(arguments.rounds):
        for name, robot in robots.items():
            for executor in EXECUTORS:
                for one in CONTESTANTS:
                    phases[name, executor, one.name].append(
                        phase(robot, executor, one, arguments.seconds))
    long: list[Phase] = []
    for name, robot in robots.items():
        if arguments.minutes:
            long.append(phase(robot, 'auto', CONTESTANTS[-1], 60.0 * arguments.minutes))
            phases[name, 'auto', f'ours, C, {arguments.minutes:g} min'] = long[-1:]
    for (name, executor, node), measured in phases.items():
        found['rows'].append({'robot': name, 'joints': ROBOTS[name], 'executor': executor,
                              'node': node, **Phase.together(measured)})
    print(table(found))
    arguments.output.mkdir(parents=True, exist_ok=True)
    (arguments.output / 'load.json').write_text(json.dumps(found, indent=1) + '\n')
    draw(found, arguments.output / 'load.png')
    return int(any(one.lost for one in long))


def phase(robot: Case, executor: str, one: Contestant, seconds: float) -> Phase:
    """Return the figures of one phase, and print them."""
    measured = measure(robot.urdf.read_text(), list(robot.joint_names), executor, one.backend,
                       seconds)
    print(f'{robot.name}, {executor}, {one.name}: {measured}', file=sys.stderr)
    return measured


def parsed() -> argparse.Namespace:
    """Return the options."""
    parser = argparse.ArgumentParser(description='Measure the node under load.')
    parser.add_argument('--seconds', type=float, default=5.0, help='length of a phase')
    parser.add_argument('--rounds', type=int, default=2, help='how many turns each node has')
    parser.add_argument('--minutes', type=float, default=0.0,
                        help='length of a phase of its own for each robot, at the end')
    parser.add_argument('--output', type=Path, default=ROOT / 'docs', metavar='FOLDER',
                        help='where load.png and load.json go; by default docs/')
    return parser.parse_args()


if __name__ == '__main__':
    sys.exit(main())
