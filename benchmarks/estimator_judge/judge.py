"""
Judge of an estimator of accelerations: on real recordings, under faults, on known motions.

    python judge.py recordings --adapter FILE.py [--only NAME] [--fault stalls]
        [--against kalman_fixed_lag]
    python judge.py faults --adapter FILE.py [--fault NAME] [--rate HZ] [--seeds K] [--quick]
    python judge.py known --adapter FILE.py

An adapter is the only contact with an implementation: a Python file with

    make(joints, continuous, limits, **options) -> object with
    update(stamp_ns, q, qd) -> None | (stamp_ns, q, qd, qdd, std)

for one robot whose joints come in one message: continuous (n,) of bool, limits (n, 2), infinite
where there are none; q and qd (n,) with NaN where not measured, in the message's order; the output
has the stamp that it is declared for. Where it is None, nothing is published for this message.
``--options NAME=VALUE ...`` are passed to `make`; the option `lag` [s] asks for a fixed lag.

"""

import argparse
import importlib.util
import json
import os
import sys
import time
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import faults
import numpy as np

HERE = Path(__file__).resolve().parent
BASELINE = HERE / 'baseline.json'
COLUMNS = ('alone', 'with velocities')
START = 1_700_000_000_000_000_000   # ns, stamp of the first message under faults
GRAVITY = 5.0   # rad/s^2, weight of the pendulums whose efforts are judged
WRONG = 0.3   # of the largest: an output that differs more is wrong
MOST_WRONG, MOST = 0.003, 3.0   # share of wrong outputs, and largest difference that are allowed
LAG = 0.02   # s, of the third column of known motions
# rate [Hz], bits of a turn (0: exact), noise of velocities [rad/s]; limits [%]
PROFILES = {'A': (1000.0, 17, 1e-3, 4.5, 9.5, 1.1), 'B': (500.0, 17, 1e-3, 5.0, 10.5, 1.3),
            'C': (125.0, 17, 1e-3, 6.0, 12.0, 2.0), 'D': (1000.0, 20, 3e-4, 2.6, 4.6, 0.6),
            'E': (1000.0, 0, 0.0, 0.6, 0.7, 0.05), 'F': (1000.0, 14, 5e-3, 10.0, 20.0, 2.6)}
SHOWN = 10   # outputs of a run
HOPELESS = 200.0   # %, of an old error: the ratio says nothing about accuracy


def load_adapter(path: str) -> Any:
    """Return the module of an adapter."""
    spec = importlib.util.spec_from_file_location('judged_adapter', path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def run(make: Any, stamps: np.ndarray, q: np.ndarray, qd: np.ndarray | None,
        options: dict[str, Any], continuous: np.ndarray | None = None,
        limits: np.ndarray | None = None) -> dict[str, np.ndarray]:
    """
    Return the outputs for messages: stamps, rows of the messages that caused them, and the others.

    `seconds` is the processor time of a message.
    """
    n = q.shape[1]
    continuous = np.zeros(n, bool) if continuous is None else continuous
    limits = np.tile((-np.inf, np.inf), (n, 1)) if limits is None else limits
    estimator = make(n, continuous, limits, **options)
    unmeasured = np.full(n, np.nan)
    given = []
    start = time.process_time()
    for row, stamp in enumerate(stamps.tolist()):
        output = estimator.update(stamp, q[row].copy(),
                                  unmeasured.copy() if qd is None else qd[row].copy())
        if output is not None:
            given.append((output[0], row, *(np.array(each) for each in output[1:])))
    seconds = (time.process_time() - start) / max(len(stamps), 1)
    return {'seconds': seconds, **{name: np.array([each[k] for each in given], kind).reshape(shape)
                                   for k, (name, kind, shape) in enumerate((
                                       ('stamps', np.int64, -1), ('rows', np.int64, -1),
                                       ('q', float, (-1, n)), ('qd', float, (-1, n)),
                                       ('qdd', float, (-1, n)), ('std', float, (-1, n))))}}


def judge_recording(path: Path, make: Any, velocities: bool, fault: str,
                    options: dict[str, Any]) -> dict:
    """Return the figures of a recording: error [%] of each joint and the others of the table."""
    data = np.load(path)
    true = data['reference']
    stamps, q, qd, judged = faults.change_recording(
        fault, *(data[each] for each in ('stamps', 'q', 'qd')))
    mask = data['mask'] & judged
    found = run(make, stamps, q, qd if velocities else None, options, data['continuous'])
    qdd, std = (np.full(true.shape, np.nan) for _ in range(2))
    rows = np.searchsorted(stamps, found['stamps'])
    known = (rows < len(stamps)) & (stamps[np.minimum(rows, len(stamps) - 1)] == found['stamps'])
    qdd[rows[known]], std[rows[known]] = found['qdd'][known], found['std'][known]
    finite = np.isfinite(qdd).all(axis=1)
    some = mask & finite
    if not some.any():
        return {'error': [float('nan')] * true.shape[1], 'answered': 0.0, 'covered': [0.0],
                'largest': float('inf'), 'seconds': found['seconds']}
    rms = np.sqrt(np.square(true[some]).mean(axis=0))
    away = np.abs(qdd - true)
    steps = np.diff(stamps)
    gaps = np.flatnonzero(steps > max(1e8, 5.0 * np.median(steps)))
    begun = np.zeros(len(stamps), np.int64)   # row of the first sample, or the first after a gap
    begun[gaps + 1] = gaps + 1
    later = (stamps > stamps[np.maximum.accumulate(begun)] + 500_000_000) & judged
    return {
        'error': (100.0 * np.sqrt(np.square(away[some]).mean(axis=0)) / rms).round(2).tolist(),
        'answered': round(100.0 * float(finite[later].mean()), 2),
        'covered': (100.0 * (away[some] <= 2.0 * std[some]).mean(axis=0)).round(1).tolist(),
        'largest': round(float((away[some].max(axis=0)
                                / np.sqrt(np.square(true[mask]).mean(axis=0))).max()), 2),
        'seconds': found['seconds']}


_worker: Any = None


def start_worker(adapter: str) -> None:
    """Load the adapter in a process of the pool."""
    global _worker
    _worker = load_adapter(adapter)


def pool(arguments: argparse.Namespace) -> Any:
    """Return processes that have loaded the adapter."""
    for each in ('OMP_NUM_THREADS', 'OPENBLAS_NUM_THREADS'):
        os.environ.setdefault(each, '1')   # of these processes, before they import numpy
    return get_context('spawn').Pool(arguments.jobs, start_worker, (arguments.adapter,))


def recording_job(job: tuple[Path, bool, str, dict]) -> tuple[str, str, dict]:
    """Return the name, the column and the figures of a recording."""
    path, velocities = job[:2]
    return path.stem, COLUMNS[velocities], judge_recording(path, _worker.make, *job[1:])


def recordings(arguments: argparse.Namespace) -> None:
    """Print the table of recordings."""
    paths = [path for path in sorted(arguments.data.glob('*.npz'))
             if any(each in path.stem for each in arguments.only.split(','))]
    if not paths:
        sys.exit(f'no recordings in {arguments.data}: write them by recordings.py')
    jobs = [(path, velocities, arguments.fault, arguments.options)
            for path in paths for velocities in (False, True)
            if not velocities or np.isfinite(np.load(path)['qd']).any()]
    jobs.sort(key=lambda job: -job[0].stat().st_size)   # long ones first
    with pool(arguments) as workers:
        found = {job[:2]: job[2] for job in workers.imap_unordered(recording_job, jobs)}
    stored = read_baseline().get('recordings', {}).get(
        f'{arguments.against} {arguments.fault}'.strip(), {})
    print(f'{"recording":30}{"old %":>8}{"new %":>8}{"ratio":>7}{"answered":>10}{"covered":>9}'
          f'{"largest/RMS":>13} {"us":>5}   new %, by joint')
    for column in COLUMNS:
        print(f'{column}:')
        ratios = {}
        for name in sorted({key[0] for key in found}, key=lambda name: ('gazebo' in name, name)):
            if (name, column) not in found:
                continue
            new = found[name, column]
            old = stored.get(name, {}).get(column)
            before, after = (np.nan if each is None else np.mean(each['error'])
                             for each in (old, new))
            if 'gazebo' not in name:
                ratios[name] = after / before
            marks = [mark for mark, bad in (
                ('answers', new['answered'] < (97.0 if name[:5] in ('so101', 'reach') else 99.5)),
                ('covers', min(new['covered']) < 90.0), ('single', new['largest'] > 15.0),
                ('worse', after > 1.15 * before)) if bad]
            print(f'  {name:28}{before:8.1f}{after:8.1f}{after / before:7.2f}'
                  f'{new["answered"]:9.2f}%{min(new["covered"]):8.1f}%{new["largest"]:13.1f} '
                  f'{1e6 * new["seconds"]:5.0f}   '
                  + ' '.join(f'{each:.3g}' for each in new['error'])
                  + ('   << ' + ', '.join(marks) if marks else ''))
        for text, some in (('all', ratios), (f'those whose old error is below {HOPELESS:g} %', {
                name: ratio for name, ratio in ratios.items()
                if name in stored and np.mean(stored[name][column]['error']) < HOPELESS})):
            means = np.array([each for each in some.values() if np.isfinite(each)])
            if len(means):
                print(f'  geometric mean of the ratios of {text} ({len(means)}, without Gazebo): '
                      f'{np.exp(np.log(means).mean()):.3f}; worst {max(means):.2f}; '
                      f'above 1.15: {(means > 1.15).sum()}')
        print()
    if arguments.store:
        values: dict = {}
        for (name, column), new in sorted(found.items()):
            new.pop('seconds')
            values.setdefault(name, {})[column] = new
        store('recordings', f'{arguments.store} {arguments.fault}'.strip(), values)


def judge_fault(make: Any, fault: str, rate: int, velocities: bool, seed: int, duration: float,
                options: dict[str, Any]) -> dict:
    """
    Return the figures of a run under a fault.

    An output is as wrong as the worst joint: the difference of its acceleration, or of the effort
    of a pendulum of unit inertia in a field of ``GRAVITY``, over the largest true one.
    """
    robot, m = faults.messages(fault, rate, velocities, seed, duration)
    stamps = START + np.rint(1e9 * m.stamps).astype(np.int64)
    found = run(make, stamps, m.q, m.qd, options)
    row_of = dict(zip(stamps.tolist(), range(len(stamps))))
    rows = np.array([row_of.get(stamp, row) for stamp, row in zip(
        found['stamps'].tolist(), found['rows'].tolist())], np.int64)
    some = m.sent[rows] > faults.SETTLING
    rows, (q, qdd, std) = rows[some], (found[name][some] for name in ('q', 'qdd', 'std'))
    efforts = qdd + GRAVITY * np.sin(q + m.home[rows])
    around = robot.motion.of(np.arange(0.0, duration, 0.002))
    largest = np.abs([around[2], around[2] + GRAVITY * np.sin(around[0])]).max(axis=1)   # (2, n)

    def away(true_q, true_qdd):
        return np.maximum(np.abs(qdd - true_qdd) / largest[0], np.abs(
            efforts - true_qdd - GRAVITY * np.sin(true_q)) / largest[1])

    true, taken = robot.motion.of(m.sent[rows]), robot.motion.of(m.taken[rows])
    joints = away(true[0], true[2])
    for each, applies in ((away(taken[0], taken[2]), np.isfinite(m.taken[rows])),
                          (away(m.q[rows] + m.home[rows], 0.0), m.repeated[rows])):
        better = applies & (each.max(axis=1) < joints.max(axis=1))
        joints[better] = each[better]
    joints[~(np.isfinite(qdd) & np.isfinite(q))] = np.inf
    wrong = joints.max(axis=1) if len(rows) else np.zeros(0)
    genuine = np.unique(m.source[(m.sent > faults.SETTLING) & (m.source >= 0)])

    def line(k):
        j = joints[k].argmax()
        return (f'    {wrong[k]:.3f} at {m.sent[rows[k]]:.4f} s (message {rows[k]}, sample '
                f'{m.source[rows[k]]}), joint {j}: {qdd[k, j]:.5g}, true {true[2][k, j]:.5g}, '
                f'deviation {std[k, j]:.3g}; seed {seed}, {m.note}')

    return {'outputs': len(rows), 'wrong': int((wrong > WRONG).sum()),
            'worst': float(wrong.max(initial=0.0)), 'genuine': len(genuine),
            'answered': len(np.intersect1d(m.source[rows], genuine)),
            'covered': int((np.abs(qdd - true[2]) <= 2.0 * std).sum()), 'numbers': qdd.size,
            'seconds': found['seconds'],
            'worst_outputs': [(wrong[k], line(k)) for k in np.argsort(-wrong)[:SHOWN]]}


def fault_job(job: tuple) -> dict:
    """Return the figures of a run."""
    return judge_fault(_worker.make, *job)


def cell(figures: list[dict], least: float, coarse: bool,
         clean: float) -> tuple[list[float], bool]:
    """Return wrong [%], worst, answered and covered [%] of runs, and if the promise is broken."""
    total = {name: sum(each[name] for each in figures) for name in (
        'outputs', 'wrong', 'genuine', 'answered', 'covered', 'numbers')}
    wrong = total['wrong'] / max(total['outputs'], 1)
    worst = max(each['worst'] for each in figures)
    answered = total['answered'] / total['genuine'] / clean
    return ([round(each, 3) for each in (
        100.0 * wrong, min(worst, 1e9), 100.0 * answered,
        100.0 * total['covered'] / max(total['numbers'], 1))],
        worst > MOST or (wrong > MOST_WRONG and not coarse) or answered < least)


def judge_faults(arguments: argparse.Namespace) -> None:
    """Print the table of faults, a row as soon as it is known."""
    duration = 10.0 if arguments.quick else 12.0
    rates = arguments.rate or (faults.QUICK_RATES if arguments.quick else faults.RATES)
    count = arguments.seeds or (1 if arguments.quick else 2)
    seeds = range(arguments.first, arguments.first + count)
    lines = [(name, velocities) for name, fault in faults.FAULTS.items()
             if name == 'clean' or any(each in name for each in arguments.fault.split(','))
             for velocities in (False, True) if velocities or fault.alone]
    jobs = [(name, rate, velocities, seed, duration, arguments.options)
            for name, velocities in lines for rate in rates for seed in seeds]
    kind = 'quick' if arguments.quick else 'full'
    stored = read_baseline().get('faults', {}).get(f'{arguments.against} {kind}', {})
    print('wrong outputs [%], the largest difference, answers relative to the clean run [%]; '
          'coarse: outputs within\ntwo deviations [%] instead; * breaks the promise; in '
          f'brackets: {arguments.against}\n'
          + ' ' * 46 + ''.join(f'{rate} Hz'.ljust(38) for rate in rates))
    broken, spent, clean = [], [], {}
    with pool(arguments) as workers:
        results = workers.imap(fault_job, jobs)
        for name, velocities in lines:
            key = f'{name}, {"with velocities" if velocities else "alone"}'
            print(key.ljust(46), end='')
            outputs, values = [], {}
            _, least, coarse, _ = faults.FAULTS[name]
            for rate in rates:
                figures = [next(results) for _ in seeds]
                spent += [each['seconds'] for each in figures]
                outputs += [one for each in figures for one in each['worst_outputs']]
                if name == 'clean':
                    clean[velocities, rate] = max(1e-9, sum(each['answered'] for each in figures)
                                                  / sum(each['genuine'] for each in figures))
                new, bad = cell(figures, least, coarse, clean[velocities, rate])
                values[str(rate)] = new
                broken += [f'{key}, {rate} Hz'] * bad
                old = stored.get(key, {}).get(str(rate))
                print(f'{new[3] if coarse else new[0]:6.2f} {new[1]:8.3g} {new[2]:4.0f}'
                      + ('* ' if bad else '  ') + (
                          f'({old[3] if coarse else old[0]:.3g} {old[1]:.3g} {old[2]:.0f})'
                          if old else '').ljust(17), end='', flush=True)
            print(flush=True)
            if arguments.store:
                store('faults', f'{arguments.store} {kind}', {key: values})
            for wrong, text in sorted(outputs, reverse=True)[:arguments.show]:
                if wrong > 0.5 * WRONG:
                    print(text)
    print(f'{len(broken)} of {len(rates) * len(lines)} cells break the promise; '
          f'{1e6 * np.median(spent):.0f} us a message')
    if broken and not arguments.show:
        print('for the worst outputs of a row: --fault NAME --rate HZ --show 10')


def known_motions(t: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """
    Return q, qd, qdd (k, 6) of the motions of the table.

    They are five harmonics of 0.2 Hz; minimum jerk by 1 rad in 0.8 s with rests of 0.2 s;
    trapezoids of 6 rad/s^2; 0.03 rad at 4 Hz; 1 rad/s that stops within 50 ms; and starts from
    rest to 1 rad/s within 0.1 s.
    """
    random = np.random.default_rng(7)
    w = 2.0 * np.pi * 0.2 * np.arange(1, 6)
    a, b = (random.normal(size=(5, 2)) / np.arange(1, 6)[:, None]).T
    sine, cosine = np.sin(np.outer(t, w)), np.cos(np.outer(t, w))
    found = [(sine @ a + cosine @ b, cosine @ (w * a) - sine @ (w * b),
              -sine @ (w * w * a) - cosine @ (w * w * b))]
    phase, sign = np.mod(t, 1.0), np.where(np.mod(t, 2.0) < 1.0, 1.0, -1.0)
    s = np.minimum(phase / 0.8, 1.0)
    found.append((0.5 - 0.5 * sign + sign * (10 * s**3 - 15 * s**4 + 6 * s**5),
                  sign * (30 * s**2 - 60 * s**3 + 30 * s**4) / 0.8,
                  sign * (60 * s - 180 * s**2 + 120 * s**3) / 0.64))
    found.append(pieces(t, (0.2, 0.6, 0.4, 0.6, 0.2), (6.0, 0.0, -6.0, 0.0, 6.0)))
    w = 2.0 * np.pi * 4.0
    found.append((0.03 * np.sin(w * t), 0.03 * w * np.cos(w * t), -0.03 * w * w * np.sin(w * t)))
    found.append(pieces(t, (0.5, 0.5, 0.05, 0.95), (2.0, 0.0, -20.0, 0.0)))
    found.append(pieces(t, (0.9, 0.1, 0.5, 0.5), (0.0, 10.0, 0.0, -2.0)))
    return tuple(np.stack(each, axis=1) for each in zip(*found))


def pieces(t: np.ndarray, lasting: tuple, accelerations: tuple) -> tuple:
    """Return q, qd, qdd of piecewise constant accelerations, repeated."""
    a, lasting = np.array(accelerations), np.array(lasting)
    begin = np.concatenate(([0.0], np.cumsum(lasting)))
    qd = np.concatenate(([0.0], np.cumsum(a * lasting)))
    q = np.concatenate(([0.0], np.cumsum(qd[:-1] * lasting + 0.5 * a * lasting**2)))
    turn, phase = np.divmod(t, begin[-1])
    k = np.minimum(np.searchsorted(begin, phase, side='right') - 1, len(a) - 1)
    s = phase - begin[k]
    return turn * q[-1] + q[k] + qd[k] * s + 0.5 * a[k] * s * s, qd[k] + a[k] * s, a[k]


def known_errors(make: Any, profile: str, column: str,
                 options: dict[str, Any]) -> tuple[list[float], float]:
    """Return the errors [%] of the known motions, and the share covered by two deviations."""
    rate, bits, noise = PROFILES[profile][:3]
    stamps = START + np.rint(np.arange(round(12.0 * rate)) * (1e9 / rate)).astype(np.int64)
    t = (stamps - START) * 1e-9
    q, qd, true = known_motions(t)
    step = 2.0 * np.pi / 2.0**bits
    if bits:
        q = step * np.round(q / step)
    qd = qd + noise * np.random.default_rng(0).normal(size=qd.shape)
    errors, covered = [], []
    # the sudden ones apart, so that the others are judged as in the documents
    for some in (slice(0, 4), slice(4, 6)):
        found = run(make, stamps, q[:, some], None if column == 'alone' else qd[:, some], {
            **options, **({'lag': LAG} if column == 'lag' else {})})
        rows = np.searchsorted(stamps, found['stamps'])
        judged = (t[rows] >= 1.0) & (t[rows] <= 11.8)
        away = found['qdd'][judged] - true[rows[judged], some]
        errors += (100.0 * np.sqrt(np.square(away).mean(axis=0) / np.square(
            true[rows[judged], some]).mean(axis=0))).tolist()
        covered.append(np.abs(away) <= 2.0 * found['std'][judged])
    return errors, float(np.mean(np.concatenate([each.ravel() for each in covered])))


def known_job(job: tuple) -> tuple[tuple, list[float]]:
    """Return the errors [%] of the known motions for the sensors of a profile."""
    return job[:2], known_errors(_worker.make, *job)[0]


def judge_known(arguments: argparse.Namespace) -> None:
    """Print the table of known motions."""
    jobs = [(profile, column, arguments.options) for profile in PROFILES
            for column in ('with velocities', 'alone', 'lag')]
    stored, values = read_baseline().get('known', {}).get('kalman', {}), {}
    print('errors [%]: geometric mean of four motions (limit; old), each of them; stops within '
          '50 ms (old), starts\nwithin 0.1 s (old)')
    with pool(arguments) as workers:
        for (profile, column), errors in workers.imap(known_job, jobs):
            limit = PROFILES[profile][3 + ('with velocities', 'alone', 'lag').index(column)]
            old = stored.get(profile, {}).get(column, [np.nan] * 6)
            mean, before = (np.exp(np.log(each[:4]).mean()) for each in (errors, old))
            print(f'{profile}, {column:16}{mean:7.3f} ({limit}; {before:.3f})'.ljust(44)
                  + ' '.join(f'{each:.3g}' for each in errors[:4]).ljust(28)
                  + f'{errors[4]:6.1f} ({old[4]:.1f}) {errors[5]:6.1f} ({old[5]:.1f})'
                  + '   << limit' * bool(mean > limit), flush=True)
            values.setdefault(profile, {})[column] = [float(f'{each:.4g}') for each in errors]
    if arguments.store:
        store('known', arguments.store, values)


def read_baseline() -> dict:
    """Return the stored figures."""
    return json.loads(BASELINE.read_text()) if BASELINE.exists() else {}


def store(kind: str, name: str, values: dict) -> None:
    """Add figures of rows and their columns to the stored ones, a line for each row."""
    whole = read_baseline()
    table = whole.setdefault(kind, {}).setdefault(name, {})
    for key, value in values.items():
        table.setdefault(key, {}).update(value)
    rows = [f' {json.dumps(kind)}: {{' + ',\n'.join(
        f'\n  {json.dumps(each)}: {{\n' + ',\n'.join(
            f'   {json.dumps(key)}: {json.dumps(value)}' for key, value in sorted(table.items()))
        + '}' for each, table in sorted(tables.items())) + '}'
        for kind, tables in sorted(whole.items())]
    BASELINE.write_text('{\n' + ',\n'.join(rows) + '\n}\n')


def value(text: str) -> tuple[str, Any]:
    """Return NAME=VALUE of an option as a name and a number, or a text."""
    name, _, given = text.partition('=')
    try:
        return name, json.loads(given)
    except ValueError:
        return name, given


def main() -> None:
    """Judge an adapter."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[1])
    commands = parser.add_subparsers(dest='command', required=True)
    for name in ('recordings', 'faults', 'known'):
        command = commands.add_parser(name)
        command.add_argument('--adapter', required=True, help='Python file with `make`')
        command.add_argument('--options', nargs='*', type=value, default=[], metavar='NAME=VALUE')
        command.add_argument('--jobs', type=int, default=2, help='processes')
        command.add_argument('--against', default='kalman', help='set of stored figures')
        command.add_argument('--store', default='', help='store the figures as a set')
        if name == 'recordings':
            command.add_argument('--data', type=Path, default=HERE / 'recordings')
            command.add_argument('--only', default='', help='parts of names, with commas')
            command.add_argument('--fault', default='', choices=faults.OF_RECORDINGS)
            command.set_defaults(action=recordings)
        elif name == 'faults':
            command.add_argument('--fault', default='', help='parts of names, with commas')
            command.add_argument('--rate', type=int, nargs='*', help='Hz')
            command.add_argument('--seeds', type=int, default=0, help='how many')
            command.add_argument('--first', type=int, default=0, help='of the seeds')
            command.add_argument('--quick', action='store_true', help='1 seed, 3 rates, 10 s')
            command.add_argument('--show', type=int, default=0, help='worst outputs of a row')
            command.set_defaults(action=judge_faults)
        else:
            command.set_defaults(action=judge_known)
    arguments = parser.parse_args()
    arguments.options = dict(arguments.options)
    arguments.action(arguments)


if __name__ == '__main__':
    main()
