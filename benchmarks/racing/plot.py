"""The picture of the figures: times of all contestants, and growth with the number of joints."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import matplotlib

matplotlib.use('Agg')
import matplotlib.pyplot as plt
from matplotlib.axes import Axes
from matplotlib.ticker import FuncFormatter

from racing.plot_times import draw_times

STYLE = {'font.size': 9.5, 'axes.spines.top': False, 'axes.spines.right': False,
         'axes.titlesize': 10.5, 'axes.titleweight': 'bold', 'axes.titlelocation': 'left'}
GROWTH = {'Python': ('#d55e00', 'o'), 'C, compiled': ('#0072b2', 's'),
          'C, from the cache': ('#009e73', 'D')}


def draw(found: dict[str, Any], path: Path) -> None:
    """Write the picture."""
    with plt.rc_context(STYLE):
        figure = plt.figure(figsize=(10.5, 9.2), layout='constrained')
        top, bottom = figure.subfigures(2, 1, height_ratios=(1.45, 1), hspace=0.04)
        draw_times(top, found['robots'])
        left, right = bottom.subplots(1, 2)
        _growth(left, found['growth'], 'seconds', 'from URDF text to first efforts', _seconds)
        _growth(right, found['growth'], 'megabytes', 'peak memory of that', _megabytes)
        host = found['host']
        lines = [*_missing(found['robots']), f'{host["processor"]}; {host["compilers"]}']
        bottom.supxlabel('\n'.join(lines), fontsize=7.5,
                         color='#777777', x=0.01, ha='left')
        path.parent.mkdir(parents=True, exist_ok=True)
        figure.savefig(path, dpi=120, metadata={'Software': None})
        plt.close(figure)


def _missing(robots: dict[str, Any]) -> Iterator[str]:
    """Yield a line for each robot that some contestants cannot compute."""
    for name, robot in robots.items():
        if robot['left_out']:
            yield (f'without a time for {name}: {"; ".join(robot["left_out"])} '
                   '(reasons: benchmark.json)')


def _growth(ax: Axes, growth: dict[str, Any], key: str, title: str,
            form: FuncFormatter) -> None:
    for name, series in growth.items():
        color, marker = GROWTH[name]
        points = [(point['joints'], point[key]) for point in series['points'] if point[key] > 0]
        exponent = series['exponents'][key]
        grows = '' if exponent is None else f', as $n^{{{exponent:.2f}}}$'
        ax.loglog(*zip(*points), marker=marker, color=color, linewidth=2, markersize=6,
                  label=name + grows)
    points = next(iter(growth.values()))['points']
    middle = points[len(points) // 2]
    sizes = [point['joints'] for point in points]
    ax.loglog(sizes, [middle[key] * n / middle['joints'] for n in sizes], label='linear',
              color='black', linestyle=':', linewidth=1.3, zorder=4)
    ax.set_title(title)
    ax.set_xlabel('joints n of a chain with oblique axes')
    ax.set_xticks(sizes, [str(n) for n in sizes])
    ax.minorticks_off()
    ax.yaxis.set_major_formatter(form)
    ax.grid(color='#e8e8e8')
    ax.legend(frameon=False, fontsize=8.5, loc='upper left')


_seconds = FuncFormatter(lambda y, _: f'{y:g} s' if y >= 1 else f'{y * 1e3:g} ms')
_megabytes = FuncFormatter(lambda y, _: f'{y:g} MB')
