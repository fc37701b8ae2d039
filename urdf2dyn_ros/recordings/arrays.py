"""Tables that are no text, as names of columns and rows of texts: Parquet, NumPy, MATLAB."""

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np

from urdf2dyn_ros.errors import Urdf2DynError
from urdf2dyn_ros.recordings.columns import column_list, find_columns
from urdf2dyn_ros.recordings.recording import one_line

Defect = Callable[[str], Urdf2DynError]
Remark = Callable[[str], None]
Cells = dict[str, list[str]]   # by column


# ---- Parquet: a list, as LeRobot's observation.state, is a column for each entry

def parquet_columns(path: Path, defect: Defect, _: Remark) -> Cells:
    """Return the columns of a table of pandas."""
    try:
        pandas = import_module('pandas')
        table = pandas.read_parquet(path)
    except ImportError:
        raise defect('reading it needs two Python libraries: pip install pandas pyarrow') from None
    except Exception as error:   # many types on damaged bytes
        raise defect(f'no Parquet table ({one_line(error)}): copy it again from where it was '
                     'recorded') from None
    columns: Cells = {}
    for name, values in (table.reset_index() if table.index.name else table).items():
        cells = values.tolist()
        if values.dtype.kind == 'M':
            dates = pandas.to_datetime(values, utc=True).astype('datetime64[ns, UTC]')
            columns[str(name)] = [f'{date}e-9' for date in dates.astype('int64')]
        elif cells and isinstance(cells[0], np.ndarray):
            entries = np.stack(cells).T.tolist()
            columns |= zip(_lerobot_names(path, str(name), len(entries)),
                           ([*map(str, entry)] for entry in entries))
        else:
            columns[str(name)] = [*map(str, cells)]
    return columns


def _lerobot_names(path: Path, name: str, count: int) -> list[str]:
    """Return columns for the entries of a list, with the names in LeRobot's meta/info.json."""
    for folder in path.absolute().parents[:3]:
        with suppress(OSError, ValueError, LookupError, TypeError):
            info = json.loads((folder / 'meta' / 'info.json').read_text())
            names = info['features'][name]['names']   # a list, or {'motors': [...]}
            [names] = names.values() if isinstance(names, dict) else [names]
            if len(names) == count:
                return [f'{name}.{str(joint).removesuffix(".pos")}' for joint in names]
    return [f'{name}[{k}]' for k in range(count)]


# ---- Arrays by name, as t (k,), q, qd, qdd, tau (k, n) or (n, k), and joint_names if there are

_NAMES = ('joint_names', 'names', 'joints')


def npz_columns(path: Path, defect: Defect, remark: Remark) -> Cells:
    """Return the columns of what numpy.savez writes; Python objects in it are not read."""
    try:
        file = np.load(path, allow_pickle=False)
    except Exception as error:   # many types, as zipfile's
        raise defect(f'no .npz, or damaged ({one_line(error)}); if it is of a spreadsheet, save '
                     'it as CSV') from None
    with file:
        arrays, objects = {}, []
        for name in file.files:
            try:
                arrays[name] = file[name]
            except Exception:   # pickled, or damaged
                objects.append(name)
    if objects:
        remark(f'Python objects or damaged arrays are not read: {column_list(objects)}')
    return _columns(arrays, defect, remark)


def mat_columns(path: Path, defect: Defect, remark: Remark) -> Cells:
    """Return the columns of a .mat file of MATLAB up to version 7, also of a struct in it."""
    from scipy.io import loadmat

    try:
        content = loadmat(path, simplify_cells=True)
    except NotImplementedError:
        raise defect("a .mat file of version 7.3 (HDF5): save it with save(..., '-v7')") from None
    except Exception as error:
        raise defect(f'no .mat file ({one_line(error)})') from None
    return _columns(_flat({name: value for name, value in content.items()
                           if not name.startswith('__')}, defect), defect, remark)


def _flat(content: Mapping[str, Any], defect: Defect) -> dict[str, Any]:
    """Return the arrays of structs by their names; of a name that several have, by their paths."""
    def arrays(content: Mapping[str, Any], path: str = '') -> Iterator[tuple[str, str, Any]]:
        for name, value in content.items():
            if isinstance(value, dict):
                yield from arrays(value, f'{path}{name}.')
            else:
                yield name, path + name, value

    places: dict[str, dict[str, Any]] = {}
    for name, path, value in arrays(content):
        places.setdefault(name, {})[path] = value
    result: dict[str, Any] = {}
    for name, (path, *others) in places.items():
        values = [*places[name].values()]
        if all(np.array_equal(values[0], value) for value in values[1:]):
            result[name] = values[0]
        elif find_columns([name]).time.name or _is_quantity(name):
            outer = next(filter(None, (each.rpartition('.')[0] for each in places[name])))
            raise defect(f'{name!r} is there {len(values)} times, as '
                         f'{column_list([path, *others])}, and these differ: save one struct, '
                         f'as run = {outer}; '
                         "save('run.mat', '-struct', 'run', '-v7')")
        else:
            result |= places[name]
    return result


def other_format(_: Path, defect: Defect, __: Remark) -> Cells:
    """Refuse what is neither a table nor arrays with names."""
    raise defect("arrays need names, and HDF5 is not read: numpy.savez('motion.npz', t=t, q=q, "
                 "tau=tau), or in MATLAB save('motion.mat', 't', 'q', 'tau', '-v7')")


def compressed(_: Path, defect: Defect, __: Remark) -> Cells:
    """Refuse a file that has to be unpacked first."""
    raise defect('compressed: unpack it first, as by gunzip, unxz, bunzip2 or unzstd')


def _columns(content: Mapping[str, Any], defect: Defect, remark: Remark) -> Cells:
    arrays, others = dict[str, Any](), []
    joints = next(([*map(str, np.ravel(content[name]))] for name in _NAMES
                   if name in content and np.asarray(content[name]).dtype.kind in 'UO'), [])
    for name, value in content.items():
        array = np.squeeze(np.asarray(value))
        if array.dtype.kind in 'fiu' and 1 <= array.ndim <= 2:
            arrays[name] = array
        elif name not in _NAMES:
            others.append(name)
    time = find_columns([*arrays]).time.name
    longest = max((max(each.shape) for each in arrays.values()), default=0)
    rows = arrays[time].size if time else longest
    columns: Cells = {}
    for name, array in arrays.items():
        if rows not in array.shape:
            others.append(name)
            continue
        if array.shape == (rows, rows) and rows > 1:
            raise defect(f'{name!r} is {rows} x {rows}, and nothing says which of both are the '
                         'samples: save more or fewer of them, or a CSV with names of columns')
        if array.ndim == 2 and len(array) != rows:
            array = array.T
        table = array.reshape(rows, -1)
        count = table.shape[1]
        entries = joints if len(joints) == count else range(1, count + 1)
        single = array.ndim == 1 and (name == time or (not joints[:1] and not _is_quantity(name)))
        for entry, values in zip(entries, table.T.astype(float).tolist()):
            columns[name if single else f'{name}_{entry}'] = [*map(repr, values)]
    unread = others and ('not read, as they are no real numbers, or not of '
                         f'{rows} samples{f" as {time!r}" if time else ""}: {column_list(others)}')
    if not columns.keys() - {time}:
        raise defect('there are no arrays t (samples,), q (samples, joints), tau ...'
                     + (f'; {unread}' if unread else ''))
    if unread:
        remark(unread)
    return columns


def _is_quantity(name: str) -> bool:
    return any(find_columns([f'{name}_1']).joints.values())


def rows_of_columns(columns: Cells) -> Iterator[tuple[int, list[str]]]:
    """Yield the names, and the rows, each with its number as in a text."""
    yield 1, [*columns]
    yield from ((line, [*row]) for line, row in enumerate(zip(*columns.values()), start=2))


KINDS: Sequence[tuple[bytes, Callable[[Path, Defect, Remark], Cells]]] = (   # by the first bytes
    (b'PAR1', parquet_columns), (b'PK\x03\x04', npz_columns), (b'MATLAB', mat_columns),
    (b'\x93NUMPY', other_format), (b'\x89HDF', other_format),
    *((magic, compressed) for magic in (b'\x1f\x8b', b'\xfd7zXZ', b'BZh', b'\x28\xb5\x2f\xfd')))
