"""Messages of three joints, and the samples made of them."""

MS = 1_000_000
START = 1_700_000_000 * 1000 * MS
NAMES = ['a', 'b', 'c']


def take(samples, ms, names=NAMES, position=(1.0, 2.0, 3.0), velocity=(), effort=()):
    return samples.add(START + round(ms * MS), names, position, velocity, effort)
