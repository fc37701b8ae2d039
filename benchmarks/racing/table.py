"""The figures as text."""

from collections.abc import Iterable, Iterator
from typing import Any

from contestants import C_BASE, CONTESTANTS, OTHER_RACES, PYTHON_BASE

from racing.contestant import Contestant

WIDTH = 26
COLUMN = 18


def text(found: dict[str, Any]) -> str:
    """Return all tables."""
    lines = [f'{name}: {value}' for name, value in found['host'].items()]
    for side, base in (('Python', PYTHON_BASE), ('C', C_BASE)):
        lines += ['', *_times(found['robots'], CONTESTANTS, side, base)]
    lines += ['', *_left_out(found['robots'])]
    for name, contestants in OTHER_RACES.items():
        lines += ['', name.replace('_', ' ')]
        for side, base in (('Python', PYTHON_BASE), ('C', C_BASE)):
            if any(one.side == side for one in contestants):
                lines += ['', *_times(found[name], contestants, side, base)]
        lines += ['', *_left_out(found[name])]
    return '\n'.join(lines)


def _row(name: str, cells: list[str]) -> str:
    return f'{name:{WIDTH}}' + ''.join(f'{cell:>{COLUMN}}' for cell in cells)


def _times(robots: dict[str, Any], contestants: Iterable[Contestant], side: str,
           base: str) -> Iterator[str]:
    yield _row(f'called from {side}', [*robots])
    yield _row('[ns per state]', [f'{robot["joints"]} joints' for robot in robots.values()])
    for one in contestants:
        if one.side == side and any(one.name in robot['ns'] for robot in robots.values()):
            yield _row(one.name, [_cell(robot['ns'], one.name, base)
                                  for robot in robots.values()])
    if any(base in robot['ns'] for robot in robots.values()):
        yield f'(in brackets: how many times faster than {base})'
    worst = max((difference for robot in robots.values()
                 for difference in robot['difference'].values()), default=0.0)
    yield f'(results agree to {worst:.1e} of the largest)'


def _cell(ns: dict[str, float], name: str, base: str) -> str:
    if name not in ns:
        return '-'
    if base not in ns:
        return _number(ns[name])
    ratio = ns[base] / ns[name]
    shown = f'({ratio:.0f}x)' if ratio >= 10 else f'({ratio:.2g}x)'
    return f'{_number(ns[name])} {shown:>8}'


def _number(x: float) -> str:
    return f'{x:.0f}' if x >= 100 else f'{x:.1f}'


def _left_out(robots: dict[str, Any]) -> Iterator[str]:
    reasons: dict[tuple[str, str], list[str]] = {}
    for robot, result in robots.items():
        for name, reason in result['left_out'].items():
            reasons.setdefault((name, reason), []).append(robot)
    for (name, reason), where in reasons.items():
        at = '' if len(where) == len(robots) else f' ({", ".join(where)})'
        yield f'not compared: {name}{at}, because {reason}'
