"""
The node at 1 kHz for a long time, with a fault every few seconds.

    make soak MINUTES=30

After every fault the efforts must be right again within 0.2 s of data, by the stamps; data that
DDS did not deliver to the node, as the first of a publisher that is not connected yet, do not
count. All published efforts must be right. Memory, threads and open files must not grow, and the
node must end with exit code 0 on SIGINT.

"""

import argparse
import json
import random
import sys
import tempfile
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from cases import ROOT, case
from host import host
from soaking.faults import FAULTS
from soaking.report import draw, growth, table
from soaking.world import RIGHT, World

from urdf2dyn_ros.nodes.demonstration import keep_local
from urdf2dyn_ros.text import counted

BUILD = ROOT / 'build' / 'benchmarks'
QUIET = 3.0
"""Time between faults [s]."""
PATIENCE = 60.0
"""Longest time of a recovery; a slow one is a failure long before [s]."""
LIMIT = 0.2
STEADY = 500_000_000
"""Time for which outputs must be right for a recovery, by their stamps [ns]."""
JUMP = 100_000_000
"""A longer step of the stamps is a jump [ns]."""
GROWTH = {'memory': 5.0, 'threads': 0.5, 'files': 0.5}
"""Largest slopes of Theil and Sen per 10 minutes [MB, 1, 1]."""
JUDGED = 10.0
"""Length of a run [min] from which slopes are judged; shorter ones are all warm-up."""
PROGRESS = 10.0


@dataclass
class Tally:
    """
    Results of one kind of fault.

    Attributes
    ----------
    recoveries : list of float
        From the first good sample after the fault to the first right output [s].
    unheard : list of float
        Part of a recovery longer than `LIMIT` in which the node received no data [s]; it is
        subtracted.
    wrong : int
        Outputs that should not have been published.
    error : float
        Largest relative error of an output during and after it.
    failures : list of str
        Other failures.

    """

    recoveries: list[float] = field(default_factory=list)
    unheard: list[float] = field(default_factory=list)
    wrong: int = 0
    error: float = 0.0
    failures: list[str] = field(default_factory=list)


def main() -> int:
    """Run, print, draw; 1 if there were failures."""
    arguments = parsed()
    keep_local()
    urdf = case('Panda', BUILD / 'Panda').urdf.read_text()
    with tempfile.TemporaryDirectory() as folder:
        world = World(urdf, folder, arguments.rate)
        try:
            tallies = soak(world, arguments.minutes * 60.0, random.Random(arguments.seed))
        except BaseException:
            print(world.process.output, file=sys.stderr)
            raise
        finally:
            code = world.close()
    found: dict[str, Any] = {
        'host': host(), 'minutes': world.seconds / 60.0, 'answers': world.count,
        'exit code': code, 'growth': growth(world.samples), 'samples': [
            (round(when, 2), *row) for when, row in world.samples],
        'faults': {name: vars(tally) for name, tally in tallies.items()}}
    found['failures'] = failures(found, judge_growth=arguments.minutes >= JUDGED)
    print(table(found))
    arguments.output.mkdir(parents=True, exist_ok=True)
    (arguments.output / 'soak.json').write_text(json.dumps(found) + '\n')
    draw(found, arguments.output / 'soak.png')
    return int(bool(found['failures']))


def soak(world: World, seconds: float, chance: random.Random) -> dict[str, Tally]:
    """Cause all faults, in a new order each time, for a time [s]."""
    world.start_robot()
    if not world.until(lambda: world.count > 0.5 * world.rate and world.unheard, 60.0):
        raise TimeoutError('no outputs')
    tallies = {name: Tally() for name in FAULTS}
    end, told = time.monotonic() + seconds, time.monotonic()
    while True:
        # stamps must jump forward after they jumped back, and not as a fault of its own
        names = [name for name in FAULTS if name != 'clock right again']
        chance.shuffle(names)
        names.insert(names.index('clock set back') + 1, 'clock right again')
        for name in names:
            world.wait(min(QUIET, seconds))
            suffer(world, name, tallies[name])
            if time.monotonic() - told > PROGRESS:
                told = time.monotonic()
                memory = world.samples[-1][1].memory
                done = sum(len(tally.recoveries) for tally in tallies.values())
                print(f'{world.seconds / 60.0:.1f} min: {world.count} outputs, {done} faults, '
                      f'{len(world.wrong)} wrong outputs, {memory:.1f} MB', flush=True)
        if time.monotonic() > end:
            return tallies


def suffer(world: World, name: str, tally: Tally) -> None:
    """Cause a fault, and measure the time until outputs are right again."""
    world.answers.clear()
    world.inputs.clear()
    wrong, unheard = len(world.wrong), world.unheard[-1]
    try:
        FAULTS[name](world)
    except RuntimeError as error:
        tally.failures.append(str(error))
    over = world.seconds
    if world.until(lambda: recovered(world, over) is not None, PATIENCE):
        recovery = recovered(world, over)
        assert recovery is not None
        if recovery > LIMIT:
            told = len(world.unheard)
            world.until(lambda: len(world.unheard) > told + 1, PATIENCE)
            tally.unheard.append((world.unheard[-1] - unheard) / world.rate)
            recovery -= min(max(tally.unheard[-1], 0.0), recovery)
        tally.recoveries.append(recovery)
    else:
        tally.failures.append('no right outputs')
    tally.wrong += len(world.wrong) - wrong
    tally.error = max([tally.error, *(answer.error for answer in world.answers)])


def recovered(world: World, over: float) -> float | None:
    """
    Return the time [s] from the first good sample to the first of many right outputs, by stamps.

    The first good sample is the first one after the fault was over [s], or after the last jump of
    the stamps, whichever is later; None as long as there are not enough right outputs to it.

    """
    inputs = list(world.inputs)
    first = next((k for k, (seen, _) in enumerate(inputs) if seen > over), len(inputs))
    for k in range(1, len(inputs)):
        if not 0 < inputs[k][1] - inputs[k - 1][1] < JUMP:
            first = max(first, k)
    stamps = [stamp for _, stamp in inputs[first:]]
    if not stamps:
        return None
    answers = [answer for answer in world.answers if stamps[0] <= answer.stamp <= stamps[-1]]
    right = 1 + max((k for k, answer in enumerate(answers) if answer.error > RIGHT), default=-1)
    if len(answers) <= right or answers[-1].stamp - answers[right].stamp < STEADY:
        return None
    return (answers[right].stamp - stamps[0]) * 1e-9


def failures(found: dict[str, Any], judge_growth: bool) -> list[str]:
    """Return the failures in words."""
    said = [] if found['exit code'] == 0 else [f'exit code {found["exit code"]}']
    for name, tally in found['faults'].items():
        said += [f'{name}: {text}' for text in tally['failures']]
        if tally['wrong']:
            said.append(f'{name}: {tally["wrong"]} wrong outputs')
        slow = [time for time in tally['recoveries'] if time > LIMIT]
        if slow:
            said.append(f'{name}: {counted(len(slow), "recovery", "recoveries")} slower than '
                        f'{LIMIT:g} s, {max(slow):.3f} s')
    if judge_growth:
        said += [f'{name} grows by {found["growth"][name]:.2f} per 10 minutes'
                 for name, limit in GROWTH.items() if found['growth'][name] > limit]
    return said


def parsed() -> argparse.Namespace:
    """Return the options."""
    parser = argparse.ArgumentParser(description='Soak the node, with faults.')
    parser.add_argument('--minutes', type=float, default=30.0,
                        help='time in which another round of all faults begins; 0 for one round')
    parser.add_argument('--rate', type=float, default=1000.0, help='of the joint states [1/s]')
    parser.add_argument('--seed', type=int, default=0, help='of the order of the faults')
    parser.add_argument('--output', type=Path, default=ROOT / 'docs', metavar='FOLDER',
                        help='where soak.png and soak.json go; by default docs/')
    return parser.parse_args()


if __name__ == '__main__':
    sys.exit(main())
