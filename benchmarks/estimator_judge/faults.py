"""
Faults of joint states, with the motion that is behind them.

A robot of 1 to 12 joints moves by sums of sines, by minimum jerk with rests between, or by a
chirp; its accelerations have an RMS of 1 to 25 rad/s^2. Encoders have 17 to 20 bits per turn,
velocities a noise of 1 mrad/s. A fault changes the messages; what the robot does stays as it is.

"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

RATES = (50, 125, 250, 500, 1000)   # Hz
QUICK_RATES = (50, 250, 1000)
JOINTS = (1, 2, 3, 6, 7, 12)
SETTLING = 2.0   # s, the first outputs are not judged
KINDS = ('sines', 'minimum jerk', 'chirp')
MARGIN = 3.0   # s before and after the judged motion that faults may show: late motions


class Motion(NamedTuple):
    """What each joint does: `of` returns q, qd, qdd (3, k, n) at times (k,) [s]."""

    kind: str
    of: Callable[[np.ndarray], np.ndarray]
    joints: int


def motion(kind: str, joints: int, random: np.random.Generator, duration: float,
           rate: float) -> Motion:
    """Draw a motion that a sensor of a rate [Hz] shows."""
    target = np.exp(random.uniform(np.log(1.0), np.log(25.0))) * random.uniform(0.5, 1.0, joints)
    if kind == 'sines':
        w = 2.0 * np.pi * random.uniform(0.2, 1.2, (3, joints))
        size = random.uniform(0.2, 1.0, (3, joints)) / w**2
        phase = random.uniform(0.0, 6.0, (3, joints))

        def shape(t):
            angle = w * t[:, None, None] + phase
            return np.array([(size * np.sin(angle)).sum(1), (size * w * np.cos(angle)).sum(1),
                             (-size * w * w * np.sin(angle)).sum(1)])
    elif kind == 'chirp':
        first, last = 2 * np.pi * 0.2, 2 * np.pi * random.uniform(1.0, 2.0)
        rise, phase = (last - first) / duration, random.uniform(0.0, 6.0, joints)

        def shape(t):
            t = t[:, None]
            angle, speed = first * t + 0.5 * rise * t * t + phase, first + rise * t
            q = np.sin(angle)
            return np.array([q, speed * np.cos(angle), rise * np.cos(angle) - speed**2 * q])
    else:
        count = 100
        lasting = random.uniform(max(0.6, 40.0 / rate), 1.4, count)
        rest = random.uniform(0.1, 0.6, count)
        begin = np.concatenate(([0.0], np.cumsum(lasting + rest)))[:-1] - MARGIN
        goals = np.concatenate((np.zeros((1, joints)), random.uniform(-1.0, 1.0, (count, joints))))

        def shape(t):
            k = np.clip(np.searchsorted(begin, t, side='right') - 1, 0, count - 1)
            s = np.clip((t - begin[k]) / lasting[k], 0.0, 1.0)[:, None]
            way, each = goals[k + 1] - goals[k], lasting[k][:, None]
            return np.array([goals[k] + way * (10 * s**3 - 15 * s**4 + 6 * s**5),
                             way / each * (30 * s**2 - 60 * s**3 + 30 * s**4),
                             way / each**2 * (60 * s - 180 * s**2 + 120 * s**3)])
    scale = target / np.sqrt(np.square(shape(np.arange(0.0, duration, 0.01))[2]).mean(axis=0))
    offset = random.uniform(-0.5, 0.5, joints)

    def of(t):
        values = scale * shape(np.asarray(t, float))
        values[0] += offset
        return values

    return Motion(kind, of, joints)


@dataclass
class Messages:
    """
    What arrives: times [s] (k,), positions and velocities (k, n).

    An output for a message is right if it is right at the time the message was `sent`, or at that
    when its content was `taken` (NaN: of no time); where the same message is `repeated`, also
    if it is right for a rest. `source`: which sample of the robot it carries, -1 for none. `home`
    (k, n): what is added to its positions before efforts are judged, for encoders that slipped.
    """

    sent: np.ndarray
    taken: np.ndarray
    stamps: np.ndarray
    q: np.ndarray
    qd: np.ndarray | None
    source: np.ndarray
    repeated: np.ndarray
    home: np.ndarray
    note: str = ''

    def _arrays(self) -> tuple:
        return (self.sent, self.taken, self.stamps, self.q, self.qd, self.source, self.repeated,
                self.home)

    def rows(self, some) -> 'Messages':
        """Return some messages, in the order given."""
        return Messages(*(None if each is None else each[some] for each in self._arrays()),
                        self.note)

    def with_others(self, others: 'Messages') -> 'Messages':
        """Return these messages and others, as they arrive."""
        both = Messages(*(None if mine is None else np.concatenate((mine, other))
                          for mine, other in zip(self._arrays(), others._arrays())), self.note)
        return both.rows(np.argsort(both.sent, kind='stable'))


def foreign(sent: np.ndarray, q: np.ndarray, qd: np.ndarray) -> Messages:
    """Return the messages of another publisher."""
    k = len(sent)
    return Messages(sent, np.full(k, np.nan), sent, q, qd, np.full(k, -1), np.zeros(k, bool),
                    np.zeros_like(q))


class Robot(NamedTuple):
    """A motion, how its sensors show it, and the random generator of a fault."""

    motion: Motion
    rate: float
    step: float   # rad, of the encoder
    random: np.random.Generator
    begin: float   # s, when a lasting fault begins

    def measured(self, t: np.ndarray) -> np.ndarray:
        """Return positions (k, n) as encoders show them."""
        return self.step * np.round(self.motion.of(t)[0] / self.step)

    def moments(self, shortest: float, longest: float) -> np.ndarray:
        """Draw moments that are apart by times between two limits [s]."""
        return 1.0 + np.cumsum(self.random.uniform(shortest, longest, 400))

    def draw(self, low: float, high: float, size=None):
        """Draw numbers whose logarithms are uniform."""
        return np.exp(self.random.uniform(np.log(low), np.log(high), size))


def scenario(rate: float, velocities: bool, seed: int, duration: float) -> tuple[Robot, Messages]:
    """Return a robot, and its messages without a fault."""
    random = np.random.default_rng([int(rate), velocities, seed])
    joints = JOINTS[(seed + int(rate) + 3 * velocities) % len(JOINTS)]
    moves = motion(KINDS[(seed + int(rate) // 7 + velocities) % 3], joints, random, duration,
                   rate)
    bits = random.integers(17, 21)
    robot = Robot(moves, rate, 2.0 * np.pi / 2.0**bits, random, random.choice([0.0, 4.0]))
    t = np.arange(0.0, duration, 1.0 / rate)
    qd = moves.of(t)[1]
    messages = Messages(t, t.copy(), t.copy(), robot.measured(t),
                        qd + 1e-3 * random.normal(size=qd.shape) if velocities else None,
                        np.arange(len(t)), np.zeros(len(t), bool), np.zeros_like(qd),
                        f'{joints} joints, {moves.kind}, {bits} bits')
    return robot, messages


def clean(robot: Robot, m: Messages) -> None:
    """Change nothing."""


def second_publisher(kind: str):
    """Return a second publisher of the same joints."""
    def fault(robot: Robot, m: Messages) -> Messages:
        random, n = robot.random, robot.motion.joints
        rate = random.choice([each for each in (5, 10, 30, 50, 100) if each < 0.7 * robot.rate])
        sent = np.arange(robot.begin + random.uniform(0.0, 0.1), m.sent[-1], 1.0 / rate)
        sent = sent + random.uniform(0.0, 2e-4, len(sent))
        q, qd = np.zeros((len(sent), n)), np.zeros((len(sent), n))
        m.note += f'; {kind} at {rate} Hz from {robot.begin:g} s'
        if kind == 'constants':
            q = q + robot.measured(random.uniform(0.0, m.sent[-1], 1))
        if kind == 'late':
            late = robot.draw(0.02, 0.3)
            q, qd = robot.measured(sent - late), robot.motion.of(sent - late)[1]
            m.note += f', {late:.3f} s late'
        elif random.random() < 0.5:
            qd = np.full_like(qd, np.nan)   # no velocities
        return m.with_others(foreign(sent, q, qd))
    return fault


def relay(robot: Robot, m: Messages) -> Messages:
    """Relay the same messages with their stamps, up to 20 ms later."""
    others = m.rows(slice(None))
    others.sent = others.sent + robot.random.uniform(0.0, 0.02) + robot.random.uniform(
        0.0, 1e-3, len(others.sent))
    return m.with_others(others)


def glitches(kind: str, burst: bool):
    """Return messages that are all zero, or old ones with new stamps."""
    def fault(robot: Robot, m: Messages) -> None:
        longest = 0
        for moment in robot.moments(*((1.0, 2.0) if burst else (0.2, 1.0))):
            k = int(moment * robot.rate)
            count = robot.random.integers(2, 11) if burst else 1
            if k + count >= len(m.sent):
                break
            some = slice(k, k + count)
            longest = max(longest, count)
            if kind == 'zeros':
                m.q[some] = 0.0
                if m.qd is not None:
                    m.qd[some] = 0.0
            else:
                old = k - int(robot.draw(0.05, 1.0) * robot.rate) - 1
                m.q[some] = m.q[old]
                if m.qd is not None:
                    m.qd[some] = m.qd[old]
            m.source[some], m.taken[some] = -1, np.nan
        m.note += f'; up to {longest} in a row'
    return fault


def stalls(catching_up: int):
    """Return repeated messages; they catch up with the robot at once or in two messages."""
    def fault(robot: Robot, m: Messages) -> None:
        stop = 0
        counts = []
        while True:
            k = stop + int(robot.random.uniform(1.0, 2.0) * robot.rate)
            count = robot.random.choice([1, 2, 3, 5, 10, 20, 50])
            stop = k + count
            if stop + 1 >= len(m.sent):
                break
            counts.append(f'{count} at {m.sent[k]:.2f} s')
            some = slice(k, stop)
            m.q[some], m.taken[some] = m.q[k - 1], np.nan
            m.source[some], m.repeated[some] = -1, True
            if m.qd is not None:
                m.qd[some] = m.qd[k - 1] if robot.random.random() < 0.7 else 0.0
            if catching_up == 2:
                m.q[stop] = m.q[k - 1] + robot.random.uniform(0.05, 0.6) * (m.q[stop] - m.q[k - 1])
                m.taken[stop], m.source[stop] = np.nan, -1
        m.note += f'; {", ".join(counts)}'
    return fault


def copies(wrong_first_velocities: bool):
    """Return each message two or three times."""
    def fault(robot: Robot, m: Messages) -> Messages:
        if wrong_first_velocities:
            m.q += 1e-3 * np.exp(-m.sent / 0.03)[:, None]
            if m.qd is not None:
                m.qd -= robot.random.choice([0.05, 0.2]) * np.exp(-m.sent / 0.06)[:, None]
        count, gap = robot.random.integers(2, 4), robot.draw(2e-6, 2e-4)
        m.note += f'; {count} times, {1e6 * gap:.0f} us apart'
        many = m.rows(np.repeat(np.arange(len(m.sent)), count))
        many.stamps = many.stamps + np.tile(np.arange(count) * gap, len(m.sent))
        return many
    return fault


def early_successors(robot: Robot, m: Messages) -> Messages:
    """Lose messages; the next one is stamped one period early."""
    keep = np.ones(len(m.sent), bool)
    for moment in robot.moments(0.5, 1.5):
        k = int(moment * robot.rate)
        if k + 2 >= len(m.sent):
            break
        keep[k + 1] = False
        m.stamps[k + 2] = m.sent[k + 2] = m.sent[k + 1]
    return m.rows(keep)


def outliers(low: float, high: float):
    """Return outliers [rad] in 1 to 5 % of the positions."""
    def fault(robot: Robot, m: Messages) -> None:
        share = robot.random.uniform(0.01, 0.05)
        hit = robot.random.random(m.q.shape) < share
        size = robot.draw(low, high)
        m.q[hit] += size * robot.random.choice([-1.0, 1.0], hit.sum()) * robot.random.uniform(
            0.5, 1.0, hit.sum())
        m.note += f'; {100 * share:.1f} %, {1e3 * size:.1f} mrad'
    return fault


def slips(low: float, high: float, apart: tuple[float, float]):
    """Return steps of an encoder [rad], which stay."""
    def fault(robot: Robot, m: Messages) -> None:
        sizes = []
        for moment in robot.moments(*apart):
            if moment > m.sent[-1]:
                break
            joint, size = robot.random.integers(m.q.shape[1]), robot.draw(low, high)
            sizes.append(f'{moment:.2f} s joint {joint} {1e3 * size:.0f} mrad')
            size *= robot.random.choice([-1.0, 1.0])
            m.q[m.sent >= moment, joint] += size
            m.home[m.sent >= moment, joint] -= size
        m.note += f'; {", ".join(sizes[:8])}'
    return fault


def turns(robot: Robot, m: Messages) -> None:
    """Let revolute joints step by 2 pi."""
    for moment in robot.moments(0.5, 1.5):
        m.q[m.sent >= moment, robot.random.integers(m.q.shape[1])] += (
            2.0 * np.pi * robot.random.choice([-1.0, 1.0]))


def wraps(robot: Robot, m: Messages) -> None:
    """Wrap revolute joints at pi or 2 pi, in the middle of their motion."""
    low = robot.random.choice([-np.pi, 0.0])
    middle = m.q.mean(axis=0)
    m.home[:] = middle - low
    m.q[:] = np.mod(m.q - middle, 2.0 * np.pi) + low


def stamps_on_arrival(robot: Robot, m: Messages) -> None:
    """Stamp messages when they arrive: late by exponential times, or several at once."""
    random, k = robot.random, np.arange(len(m.sent))
    if random.random() < 0.5:
        late = robot.draw(5e-4, 3e-3)
        arrived = m.sent + random.exponential(late, len(k))
        m.note += f'; late by {1e3 * late:.1f} ms'
    else:
        group = random.integers(2, 6)
        last = np.minimum(k // group * group + group - 1, len(k) - 1)
        arrived = m.sent[last] + 3e-5 * (k % group) + random.uniform(0.0, 1e-5, len(k))
        m.note += f'; {group} at once'
    m.stamps[:] = np.maximum.accumulate(arrived) + 1e-7 * k
    m.sent[:] = m.stamps


def clock_steps(robot: Robot, m: Messages) -> None:
    """Set the clock of the stamps by 3 to 80 ms either way, for good."""
    sizes = []
    for moment in robot.moments(1.5, 3.0):
        if moment > m.sent[-1]:
            break
        size = robot.draw(0.003, 0.08) * robot.random.choice([-1.0, 1.0])
        sizes.append(f'{moment:.2f} s {1e3 * size:.0f} ms')
        m.stamps[m.sent >= moment] += size
    m.note += f'; {", ".join(sizes)}'


def wrong_velocities(kind: str):
    """Return velocities of a wrong kind, from the start or from 4 s on."""
    def fault(robot: Robot, m: Messages) -> None:
        random, qd = robot.random, m.qd.copy()
        if kind == 'late':
            late = robot.draw(0.005, 0.2)
            qd = robot.motion.of(m.sent - late)[1] + 1e-3 * random.normal(size=qd.shape)
            m.note += f'; {1e3 * late:.0f} ms'
        elif kind == 'scaled':
            scale = random.choice([0.5, 0.8, 0.92, 1.05, 1.2, 2.0])
            qd = qd * scale
            m.note += f'; {scale:g} times'
        elif kind == 'zero':
            qd[:] = 0.0
        elif kind == 'of another joint':
            qd = np.roll(qd, 1, axis=1) if qd.shape[1] > 1 else robot.motion.of(m.sent + 0.7)[1]
        elif kind == 'negated':
            qd[:, random.integers(qd.shape[1])] *= -1.0
        elif kind == 'degrees':
            qd = np.degrees(qd)
        elif kind == 'constant':
            qd[:] = qd[int(random.integers(len(qd)))]
        elif kind == 'noisy':
            noise = robot.draw(0.03, 1.0)
            qd += noise * random.normal(size=qd.shape)
            m.note += f'; {noise:.2f} rad/s'
        elif kind == 'sometimes missing':
            qd[random.random(qd.shape) < 0.3] = np.nan
        some = m.sent >= robot.begin
        m.qd[some] = qd[some]
        m.note += f' from {robot.begin:g} s'
    return fault


def lower_rate(interpolated: bool):
    """Return samples of a lower rate, held or interpolated, with velocities that fit them."""
    def fault(robot: Robot, m: Messages) -> None:
        rate = robot.random.choice([each for each in (10, 20, 25, 50, 125)
                                    if each < 0.7 * robot.rate])
        before = np.floor(m.sent * rate + 1e-9) / rate
        q, after = robot.measured(before), robot.measured(before + 1.0 / rate)
        m.taken[:] = before
        m.note += f'; {rate} Hz'
        if interpolated:
            m.q[:] = q + (after - q) * ((m.sent - before) * rate)[:, None]
        else:
            m.q[:] = q
        if m.qd is not None:
            m.qd[:] = (after - q) * rate if interpolated else robot.motion.of(before)[1]
    return fault


def rounded(robot: Robot, m: Messages) -> None:
    """Round positions to 1 to 10 mrad."""
    step = robot.draw(1e-3, 1e-2)
    m.q[:] = step * np.round(m.q / step)
    m.note += f'; {1e3 * step:.1f} mrad'


class Fault(NamedTuple):
    """
    A row of the table.

    `answers`: the share of the clean run's answers that is asked for; `coarse`: only the largest
    error and the deviation count; `alone`: also without velocities.
    """

    change: Callable[[Robot, Messages], Messages | None]
    answers: float = 0.5
    coarse: bool = False
    alone: bool = True


FAULTS = {
    'clean': Fault(clean, 0.99),
    'second publisher, zeros': Fault(second_publisher('zeros'), 0.0),
    'second publisher, constants': Fault(second_publisher('constants'), 0.0),
    'second publisher, late': Fault(second_publisher('late'), 0.0),
    'relay of the same messages': Fault(relay, 0.99),
    'all-zero messages, single': Fault(glitches('zeros', False)),
    'all-zero messages, bursts': Fault(glitches('zeros', True)),
    'stale messages, single': Fault(glitches('stale', False)),
    'stale messages, bursts': Fault(glitches('stale', True)),
    'stalls, at once': Fault(stalls(1)),
    'stalls, in two': Fault(stalls(2)),
    'each message 2 or 3 times': Fault(copies(False), 0.99),
    'the same, first samples wrong': Fault(copies(True), 0.99),
    'lost, successor early': Fault(early_successors),
    'outliers of 1 to 5 mrad': Fault(outliers(1e-3, 5e-3)),
    'outliers of 5 to 50 mrad': Fault(outliers(5e-3, 5e-2)),
    'slips of 10 to 100 mrad': Fault(slips(0.01, 0.1, (1.0, 3.0))),
    'turns of 2 pi': Fault(turns),
    'wraps of revolute joints': Fault(wraps),
    'stamps on arrival': Fault(stamps_on_arrival),
    'clock steps of 3 to 80 ms': Fault(clock_steps),
    **{f'velocities {kind}': Fault(wrong_velocities(kind), alone=False) for kind in (
        'late', 'scaled', 'zero', 'of another joint', 'negated', 'degrees', 'constant', 'noisy',
        'sometimes missing')},
    'coarse: interpolated': Fault(lower_rate(True), coarse=True),
    'coarse: held': Fault(lower_rate(False), coarse=True),
    'coarse: rounded to 1 to 10 mrad': Fault(rounded, coarse=True),
    'coarse: slips of 2 mrad': Fault(slips(0.002, 0.002, (0.3, 1.5)), coarse=True)}


def messages(name: str, rate: float, velocities: bool, seed: int,
             duration: float) -> tuple[Robot, Messages]:
    """Return a robot and what arrives of it under a fault."""
    robot, found = scenario(rate, velocities, seed, duration)
    return robot, FAULTS[name].change(robot, found) or found


def change_recording(fault: str, stamps: np.ndarray, q: np.ndarray,
                     qd: np.ndarray) -> tuple[np.ndarray, ...]:
    """
    Return stamps, positions, velocities and which rows are judged, with one of ``OF_RECORDINGS``.

    A row stays the row of its sample, so that its reference stays the same. What a stall
    repeats is not judged.
    """
    random, rows = np.random.default_rng(0), np.arange(len(stamps))
    judged = np.ones(len(stamps), bool)
    stamps, q = stamps.copy(), q.copy()
    if fault == 'outliers':
        hit = random.random(q.shape) < 0.01
        q[hit] += random.choice([-1.0, 1.0], hit.sum()) * random.uniform(2e-3, 2e-2, hit.sum())
    elif fault == 'repeats':   # every fourth message
        rows[3::4] -= 1
    elif fault == 'stalls':   # of 20 to 80 ms, every 1.5 s on average
        begin = stamps[0] + np.cumsum(random.uniform(1e9, 2e9, 1000))
        for moment, length in zip(begin, random.uniform(2e7, 8e7, 1000)):
            some = (stamps > moment) & (stamps < moment + length)
            rows[some] = max(some.argmax() - 1, 0)
            judged &= ~some
    elif fault == 'groups':   # of three, stamped on arrival
        last = np.minimum(rows // 3 * 3 + 2, len(rows) - 1)
        stamps = stamps[last] + 30_000 * (rows % 3)
    return stamps, q[rows], qd[rows], judged


OF_RECORDINGS = ('outliers', 'repeats', 'stalls', 'groups')
