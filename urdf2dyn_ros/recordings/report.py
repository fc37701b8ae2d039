"""A comparison as a table to read, a page of HTML, a picture, and files for programs."""

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple, TextIO

import numpy as np

from urdf2dyn_ros.errors import ComparisonError
from urdf2dyn_ros.recordings.comparison import JointComparison, Span
from urdf2dyn_ros.recordings.lag import lateness
from urdf2dyn_ros.recordings.measured_efforts import rate_unit
from urdf2dyn_ros.recordings.pages import (
    COMPUTED,
    MEASURED,
    RESIDUAL,
    ReportTable,
    add_head,
    add_name,
    draw_line,
    drawn_name,
    html_list,
    html_page,
    html_png,
    html_table,
    html_text,
    panels,
    png_bytes,
    save,
    style_axes,
    thinned,
)
from urdf2dyn_ros.system import atomic_file, call_in_child, create_files, json_text
from urdf2dyn_ros.text import (
    NO_ORIGIN,
    SECOND_NS,
    EffortSource,
    Level,
    Origin,
    Status,
    aligned,
    csv_cell,
    printable,
)

# ---- The figures of a joint as texts: columns of a table, notes, and the values of a status


class FigureColumn(NamedTuple):
    """A figure in tables and in the status."""

    head: str
    meaning: str   # explanation on the page
    key: str   # in the status, with the units of effort and of velocity to be filled in
    value: Callable[[Span], float]
    form: str = '.4g'   # format of the number in tables
    error: Callable[[Span], float] | None = None


FIGURE_COLUMNS = (
    FigureColumn('RMSE', 'root mean square of the residual, measured minus computed',
                 'RMSE [{unit}]', lambda span: span.figures.rmse),
    FigureColumn('maximum', 'largest magnitude of the residual', 'maximum [{unit}]',
                 lambda span: span.figures.max_error),
    FigureColumn('bias', 'mean of the residual', 'bias [{unit}]',
                 lambda span: span.figures.bias, '.3g'),
    FigureColumn('NRMSE [%]', 'RMSE divided by the range of the measured effort; - if a sensor '
                 'does not resolve that', 'NRMSE [%]',
                 lambda span: 100.0 * span.figures.nrmse, '.4f'),
    FigureColumn('of RMS [%]', 'RMSE divided by the root mean square of the measured effort',
                 'RMSE by RMS [%]', lambda span: 100.0 * span.figures.nrmse_rms, '.4f'),
    FigureColumn('R2', 'share of the variance of the measured effort that is explained', 'R2',
                 lambda span: span.figures.r2, '.6f'),
    FigureColumn('lag [ms]', 'lag of the measurement, one for the joints of a message, which is '
                 'corrected; - if not significant',
                 'lag [ms]', lambda span: 1e3 * span.lag, '.2f'),
    FigureColumn('viscous', 'viscous friction in the measured effort, that of the URDF '
                 'included, per rad/s or m/s',
                 'viscous friction [{unit} / ({rate})]',
                 lambda span: span.figures.friction.viscous.value,
                 error=lambda span: span.figures.friction.viscous.error),
    FigureColumn('Coulomb', 'Coulomb friction in the measured effort, that of the URDF '
                 'included',
                 'Coulomb friction [{unit}]', lambda span: span.figures.friction.coulomb.value,
                 error=lambda span: span.figures.friction.coulomb.error),
    FigureColumn('offset', 'offset that fits the residual best', 'offset [{unit}]',
                 lambda span: span.figures.friction.offset.value, '.3g',
                 lambda span: span.figures.friction.offset.error),
    FigureColumn('RMSE left', 'RMSE without this friction and offset',
                 'RMSE without friction [{unit}]', lambda span: span.figures.friction.rmse),
)


def figure_texts(span: Span) -> list[str]:
    """Return the figures in the order of the columns; - if unknown."""
    values = [(column.value(span), column.form) for column in FIGURE_COLUMNS]
    return ['-' if math.isnan(value) else format(value, form) for value, form in values]


def notes(joints: Iterable[JointComparison]) -> list[str]:
    """Return sentences about what the figures do not show, each once, behind its joints."""
    names: dict[str, list[str]] = {}
    for joint in joints:
        span = joint.total
        texts = [span.left_out, span.hint]
        if not span.fault and not math.isnan(span.lag):
            texts.append(f'the measurement is {lateness(span.lag)}; without alignment RMSE '
                         f'{span.unaligned.rmse:.4g}, NRMSE {100.0 * span.unaligned.nrmse:.4f} %')
        if not span.fault and span.figures.friction.unknown:
            texts.append(f'no friction fitted: {span.figures.friction.unknown}')
        for text in filter(None, texts):
            names.setdefault(text, []).append(printable(joint.joint))
    return [f'{", ".join(of)}: {text}' for text, of in names.items()]


def joint_status(joint: JointComparison, seconds: float, stale: bool, why: str = '') -> Status:
    """Return a joint's status, with a window of `seconds`; it is stale without new pairs."""
    values = {'unit': joint.unit}
    for name, span in (('window', joint.window), ('total', joint.total)):
        values |= _status_values(name, span, joint.unit)
    level, last = Level.WARN, f'in the last {seconds:g} s'
    if joint.fault:
        sentence = f'not credible: {joint.fault}' + why
    elif stale:
        level, sentence = Level.STALE, 'nothing new to compare' + why
    elif joint.window.fault:
        sentence = f'not credible {last}: {joint.window.fault}'
    elif joint.total.hint:
        sentence = joint.total.hint
    else:
        figures = joint.window.figures
        share = '' if math.isnan(figures.nrmse) else (
            f', {100.0 * figures.nrmse:.3g} % of the range')
        # beyond what is measured, and its changes: zero would be a better guess
        worse = figures.nrmse > 1.0 and figures.nrmse_rms > 1.0
        level = Level.WARN if worse else Level.OK
        sentence = f'RMSE {figures.rmse:.3g} {joint.unit}{share} {last}'
    return Status(joint.joint, level, sentence, values)


def _status_values(name: str, span: Span, unit: str) -> dict[str, str]:
    values = {f'{name} samples': str(span.figures.samples)}
    if span.fault:
        return {**values, f'{name} not credible': span.fault}
    numbers = {column.key.format(unit=unit, rate=rate_unit(unit)): column.value(span)
               for column in FIGURE_COLUMNS}
    numbers[f'RMSE without alignment [{unit}]'] = span.unaligned.rmse
    values |= {f'{name} {key}': 'none' if math.isnan(number) else f'{number:.6g}'
               for key, number in numbers.items()}
    if span.figures.friction.unknown:
        values[f'{name} no friction fitted'] = span.figures.friction.unknown
    return values


# ---- A comparison as a table to read, and as files for spreadsheets and programs

KINDS = ('measured', 'computed', 'residual')
OBSERVED = (*KINDS, 'external')


def comparison_table(joints: Sequence[JointComparison]) -> str:
    """Return an aligned table of figures; joints that are not credible have the reason instead."""
    if not joints:
        return 'no effort was computed'
    heads = ('joint', 'unit', 'samples', *(column.head for column in FIGURE_COLUMNS))
    rows = [heads, *((printable(joint.joint), joint.unit, str(joint.figures.samples), *(
        [''] * len(FIGURE_COLUMNS) if joint.fault else figure_texts(joint.total)))
        for joint in joints)]
    faults = ['', *(joint.fault for joint in joints)]
    lines = [f'{line}  not credible: {fault}' if fault else line
             for line, fault in zip(aligned(rows, left=2), faults, strict=True)]
    return '\n'.join([*lines, *notes(joints)])


def write_head(file: TextIO, joints: Sequence[str], kinds: Sequence[str] = KINDS) -> None:
    """Write the names of the columns: the time, and those of every joint."""
    heads = [f'{kind}_{joint}' for joint in joints for kind in kinds]
    file.write(','.join(['time', *map(csv_cell, heads)]) + '\n')


def write_rows(file: TextIO, stamps: Iterable[int], rows: Iterable[Sequence[float]]) -> None:
    """Write a line for every stamp [ns]; NaN becomes an empty cell."""
    form = ''
    for stamp, row in zip(stamps, rows):
        form = form or ',%.10g' * len(row) + '\n'
        file.write(seconds(stamp) + (form % tuple(row)).replace('nan', ''))


def seconds(stamp: int) -> str:
    """Return a stamp [ns] in seconds with nine decimals."""
    second, rest = divmod(abs(stamp), SECOND_NS)
    return f'{"-" if stamp < 0 else ""}{second}.{rest:09d}'


def write_csv(joints: Sequence[JointComparison], path: Path) -> None:
    """Write time [s] and efforts of every joint with samples; ComparisonError without any."""
    joints = [joint for joint in joints if len(joint.stamps)]
    if not joints:
        raise ComparisonError(
            'no effort was measured and computed at the same time: check that both topics '
            'are published, name the same joints and have stamps of the same clock')
    stamps = np.unique(np.concatenate([joint.stamps for joint in joints]))
    columns = np.full((len(stamps), 3 * len(joints)), np.nan)
    for number, joint in enumerate(joints):
        rows = np.searchsorted(stamps, joint.stamps)
        columns[rows, 3 * number:3 * number + 3] = np.column_stack(
            (joint.measured, joint.computed, joint.residual))
    with atomic_file(path) as part, part.open('w', encoding='utf-8', newline='') as file:
        write_head(file, [joint.joint for joint in joints])
        write_rows(file, stamps.tolist(), columns.tolist())


def write_json(joints: Sequence[JointComparison], path: Path, origin: Origin = NO_ORIGIN) -> None:
    """Write the figures of every joint, null if unknown or not credible, and the origin."""
    rows = [{'joint': joint.joint, 'unit': joint.unit, **_span_json(joint.total),
             'window': _span_json(joint.window)} for joint in joints]
    about = {**origin.facts, 'efforts': origin.efforts}
    text = json_text({'about': about, 'joints': rows})
    create_files({path: text.encode()}, replace=True)


def _span_json(span: Span) -> dict[str, Any]:
    figures, unaligned = ({name: value for name, value in vars(row).items() if name != 'friction'}
                          for row in (span.figures, span.unaligned))
    fit = span.figures.friction
    friction = {name: {'value': value, 'standard_error': error} for name, (value, error) in (
        ('viscous', fit.viscous), ('coulomb', fit.coulomb), ('offset', fit.offset))}
    return {**figures, 'friction': {**friction, 'rmse': fit.rmse, 'unknown': fit.unknown},
            'not_credible': span.fault, 'left_out': span.left_out, 'hint': span.hint,
            'lag': span.lag, 'unaligned': unaligned}


# ---- Pictures: measured and computed effort of a joint, the residual, and its friction

# all in [in]: a joint's place, its width in a single column, the strip with title and legend
_CELL, _SINGLE_COLUMN, _HEADER = (5.3, 2.9), 7.5, 0.75
# on a page: widths of the picture over time and of that over velocity, their height, the legend's
_WIDE, _NARROW, _HIGH, _LEGEND = 5.3, 4.2, 2.65, 0.35
# distance of both axes from the borders of the place, and bottom and height of each
_LEFT, _RIGHT, _EFFORT, _RESIDUE = 0.95, 0.15, (1.22, 1.35), (0.45, 0.55)
_SEGMENTS = 1000   # of time that can be distinguished at this size
_POINTS = 600   # of a cloud over the velocity


def plot_comparison(joints: Sequence[JointComparison], path: Path, title: str = '',
                    source: EffortSource = 'measured') -> None:
    """Draw the joints with samples, in the format of the ending; ComparisonError without any."""
    drawn = [joint for joint in joints if len(joint.stamps)]
    if not drawn:
        raise ComparisonError('there is no effort to draw: none was measured and computed at the '
                              'same time')
    # not much higher than wide, whatever the number of joints
    columns = min(4, math.ceil(len(drawn) / 3.5))
    cell = (_CELL[0] if columns > 1 else _SINGLE_COLUMN, _CELL[1])
    figure, places = panels(len(drawn), columns, cell, _HEADER, (_LEFT, _RIGHT),
                            (_EFFORT, _RESIDUE))
    start = min(int(joint.stamps[0]) for joint in drawn)
    for joint, (upper, lower) in zip(drawn, places):
        lines = _draw_efforts(upper, lower, joint, start, source)
        figures = 'not credible' if joint.fault else f'NRMSE {100.0 * joint.figures.nrmse:.2g} %'
        if not math.isnan(joint.total.lag):
            figures += f', {lateness(joint.total.lag)}'
        add_name(upper, f'{drawn_name(joint.joint, 32)}   {figures}')
    add_head(figure, title, 40 * columns + 40, lines)
    save(figure, path, title)


def _draw_efforts(upper: Any, lower: Any, joint: JointComparison, start: int,
                  source: EffortSource) -> list[Any]:
    """Draw both efforts of a joint and the residual below them; return the three lines."""
    curves = np.stack((joint.measured, joint.computed, joint.residual))
    rows = thinned(curves, _SEGMENTS)
    time = np.asarray((joint.stamps - start) * 1e-9, dtype=float)
    looks = ((upper, source, MEASURED, '-', 3.5), (upper, 'computed', COMPUTED, (0, (5, 3)), 1.2),
             (lower, f'residual ({source} - computed)', RESIDUAL, '-', 0.7))
    lines = [draw_line(axes, time, values, rows, color=colour, linestyle=style, linewidth=width,
                       label=label)
             for (axes, label, colour, style, width), values in zip(looks, curves)]
    upper.set_ylabel(f'effort [{joint.unit}]', fontsize='small')
    lower.set_ylabel(f'residual\n[{joint.unit}]', fontsize='small')
    upper.tick_params(labelbottom=False)
    lower.set_xlabel('time [s]', fontsize='small', labelpad=1.0)
    lower.locator_params(axis='y', nbins=3)
    for axes in (upper, lower):
        style_axes(axes, inset=0.57)
        axes.margins(x=0.01)
    return lines


def joint_picture(joint: JointComparison, start: int, source: EffortSource) -> bytes:
    """Return a PNG of a joint's efforts over time; `start` is the stamp of time zero [ns]."""
    figure, [[upper, lower]] = panels(1, 1, (_WIDE, _HIGH), _LEGEND, (_LEFT, _RIGHT),
                                      (_EFFORT, _RESIDUE))
    add_head(figure, '', 1, _draw_efforts(upper, lower, joint, start, source), 0.2, 'small')
    return png_bytes(figure)


def friction_picture(joint: JointComparison) -> bytes:
    """Return a PNG of the residual over the velocity: friction is a step and a slope."""
    figure, [[axes]] = panels(1, 1, (_NARROW, _HIGH), _LEGEND, (_LEFT, _RIGHT),
                              [(_RESIDUE[0], sum(_EFFORT) - _RESIDUE[0])])
    finite = np.flatnonzero(np.isfinite(joint.velocity))
    points = finite[np.linspace(0, len(finite) - 1, min(len(finite), _POINTS)).astype(int)]
    lines = axes.plot(joint.velocity[points], joint.residual[points], color=RESIDUAL,
                      linestyle='none', marker='o', markersize=1.8, markeredgewidth=0.0,
                      alpha=0.55, label='samples')
    friction = joint.figures.friction
    if len(points) and not joint.fault and not friction.unknown:
        ends = joint.velocity[finite].min(), joint.velocity[finite].max()
        # two points at zero, for the step
        velocity = np.array([ends[0], -1e-9, 1e-9, ends[1]])
        lines += axes.plot(velocity, friction.residual(velocity), color=COMPUTED, linewidth=1.8,
                           label='friction fit')
    axes.set_xlabel(f'velocity [{rate_unit(joint.unit)}]', fontsize='small', labelpad=1.0)
    axes.set_ylabel(f'residual [{joint.unit}]', fontsize='small')
    axes.locator_params(axis='x', nbins=5)   # whose numbers do not touch on a phone
    style_axes(axes, inset=0.57)
    axes.margins(x=0.01)
    add_head(figure, '', 1, lines, 0.2, 'small')
    return png_bytes(figure)


# ---- The report of a comparison as one page of HTML that fetches nothing

_MOST_DECIMALS = 5   # of a number with its uncertainty; smaller ones have an exponent


def write_page(joints: Sequence[JointComparison], path: Path, title: str,
               about: Sequence[str] = (), origin: Origin = NO_ORIGIN,
               pictures: Mapping[str, tuple[bytes, str]] | None = None) -> None:
    """
    Write table and pictures as one file of HTML; `about` are paragraphs under the title.

    More pictures, by their headings, are PNGs with their words.
    """
    drawn = [joint for joint in joints if len(joint.stamps)]
    start = min((int(joint.stamps[0]) for joint in drawn), default=0)
    if any(joint.total.unaligned.samples > 1.1 * len(joint.stamps) for joint in drawn):
        about = [*about, 'Figures cover everything since the beginning, pictures the newest '
                 'samples.']
    parts = [
        f'<p>Efforts of the recording: {origin.efforts}.</p>' if origin.facts else '',
        *(f'<p>{html_text(paragraph)}</p>' for paragraph in about),
        html_table(_table(joints, origin)), html_list('Notes', notes(joints)),
        *(f'<section>\n<h2>{html_text(heading)}</h2>\n{html_png(*picture)}\n</section>'
          for heading, picture in (pictures or {}).items()),
        *(_section(joint, start, origin) for joint in drawn),
        html_list('Meaning of the columns', [f'{column.head}: {column.meaning}'
                                             for column in FIGURE_COLUMNS]),
        html_list('Origin', origin.lines if origin.facts else [])]
    create_files({path: html_page(title, parts).encode()}, replace=True)


def _table(joints: Sequence[JointComparison], origin: Origin) -> ReportTable:
    rows = [[joint.joint, joint.unit, str(joint.figures.samples), *(
        [f'not credible: {joint.fault}'] if joint.fault else
        [_with_error(column, text, joint.total) for column, text in zip(
            FIGURE_COLUMNS, figure_texts(joint.total))])] for joint in joints]
    return ReportTable(
        'Figures by joint',
        ('joint', 'unit', 'samples', *(column.head for column in FIGURE_COLUMNS)),
        rows, [f'{origin.efforts.capitalize()} minus computed effort, since the beginning; '
               'efforts and their differences in the unit of the joint; +- is one standard '
               'deviation, at least; grey: no larger than two of them'])


def _with_error(column: FigureColumn, text: str, span: Span) -> str:
    error = math.nan if column.error is None else column.error(span)
    if math.isnan(error):
        return text
    decimals = 1 - math.floor(math.log10(error)) if error else 3
    forms = 2 * [f'.{decimals}f'] if 0 <= decimals <= _MOST_DECIMALS else ['.3g', '.2g']
    return f'{column.value(span):{forms[0]}} +- {error:{forms[1]}}'


def _section(joint: JointComparison, start: int, origin: Origin) -> str:
    begin, end = ((int(joint.stamps[row]) - start) * 1e-9 for row in (0, -1))
    figures = (f'not credible, {joint.fault}' if joint.fault
               else f'RMSE {joint.figures.rmse:.4g} {joint.unit}, largest difference '
               f'{joint.figures.max_error:.4g} {joint.unit}')
    fault = f'<p class="fault">not credible: {html_text(joint.fault)}</p>\n' if joint.fault else ''
    return '\n'.join([
        f'<section>\n<h2>{html_text(joint.joint)}</h2>\n{fault}<div class="pictures">',
        html_png(joint_picture(joint, start, origin.efforts),
                 f'Joint {joint.joint} from {begin:.1f} to {end:.1f} s: {origin.efforts} and '
                 f'computed effort, and their difference. {figures}.'),
        html_png(friction_picture(joint),
                 f'Joint {joint.joint}: the difference over the velocity.'),
        '</div>\n</section>'])


# ---- The files of a report

REPORT_FILES = tuple(f'efforts.{kind}' for kind in ('csv', 'json', 'png', 'html'))
LONGEST_DRAWING = 600.0   # time limit of the child process [s]


def write_report(joints: Sequence[JointComparison], directory: Path, title: str,
                 about: Sequence[str] = (), origin: Origin = NO_ORIGIN) -> list[Path]:
    """
    Write samples (CSV), figures (JSON), a picture (PNG) and a page (HTML); return their paths.

    Under the title of the page are the paragraphs `about`; page and figures have the origin. A
    ComparisonError if no joint has samples, a DrawingError without matplotlib, an OSError if a
    file cannot be written.
    """
    directory.mkdir(parents=True, exist_ok=True)
    table = directory / REPORT_FILES[0]
    write_csv(joints, table)
    return [table, *write_figures(joints, directory, title, about, origin)]


def write_figures(joints: Sequence[JointComparison], directory: Path, title: str,
                  about: Sequence[str], origin: Origin,
                  pictures: Mapping[str, tuple[bytes, str]] | None = None) -> list[Path]:
    """Write the files of `write_report` except the samples, with more pictures in the page."""
    json, png, html = paths = [directory / name for name in REPORT_FILES[1:]]
    write_json(joints, json, origin)
    plot_comparison(joints, png, title, origin.efforts)
    write_page(joints, html, title, about, origin, pictures)
    return paths


def write_report_in_child(joints: Sequence[JointComparison], directory: Path, title: str,
                          about: Sequence[str] = (), origin: Origin = NO_ORIGIN) -> list[Path]:
    """Call `write_report` in a child process, as drawing would block other threads for seconds."""
    return call_in_child(write_report, (joints, directory, title, about, origin), ComparisonError,
                         LONGEST_DRAWING)
