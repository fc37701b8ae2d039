"""Summaries as files of numpy, versioned and checked, which stand in for recordings."""

import json
from io import BytesIO
from pathlib import Path
from typing import Any

import numpy as np

from urdf2dyn_ros.algebra.arrays import Array
from urdf2dyn_ros.errors import RecordingError
from urdf2dyn_ros.identification.fit.joint_columns import JOINT_COLUMNS
from urdf2dyn_ros.identification.fit.pooled_fit import Pool
from urdf2dyn_ros.identification.robot import Robot
from urdf2dyn_ros.identification.rows import BLOCKS
from urdf2dyn_ros.identification.summary import Summary

SUFFIX = '.npz'

_VERSION = 4
_LISTS = {'weighted': BLOCKS + 1, 'moving': BLOCKS, 'resting': BLOCKS}
"""Lists of pools in a summary, and their lengths."""

_VECTORS = ('used', 'fastest', 'correlation', 'joint_seconds')


def summary_bytes(summary: Summary, robot: Robot) -> bytes:
    """Return the content of a summary's file."""
    head = {'version': _VERSION, 'robot': robot.key, 'joints': robot.joints,
            'name': summary.name, 'seconds': summary.seconds, 'cutoff': summary.cutoff,
            'delay': summary.delay, 'currents': summary.currents, 'recordings': summary.recordings}
    arrays: dict[str, Any] = {name: getattr(summary, name) for name in _VECTORS}
    arrays['coupling'] = summary.coupling
    for name in _LISTS:
        pools: list[Pool] = getattr(summary, name)
        arrays[f'{name}_rows'] = np.array([pool.rows for pool in pools])
        for joint in range(len(robot.joints)):
            arrays[f'{name}_{joint}'] = np.array([pool.triangles[joint] for pool in pools])
    buffer = BytesIO()
    np.savez_compressed(buffer, head=np.array(json.dumps(head)), **arrays)
    return buffer.getvalue()


def read_summary(path: Path, robot: Robot) -> Summary:
    """Return a summary; a RecordingError for a damaged file, another version, or another robot."""
    try:
        with np.load(path, allow_pickle=False) as file:
            arrays: dict[str, Array] = {name: file[name] for name in file.files}
        head = json.loads(str(arrays['head']))
        if head['version'] != _VERSION:
            raise RecordingError(path, f'a summary of version {head["version"]}, but this program '
                                 f'reads {_VERSION}: make it again from the recording')
        if head['robot'] != robot.key:
            raise RecordingError(path, 'a summary for another robot, URDF or gravity: make it '
                                 'again from the recording with this URDF')
        return _summary(head, arrays, robot)
    except RecordingError:
        raise
    # a damaged archive raises many types
    except Exception as error:
        raise RecordingError(path, f'no summary, or damaged ({type(error).__name__}): make it '
                             'again from the recording') from None


def summary_paths(folder: Path) -> list[Path]:
    """Return the files of a directory that `summary_bytes` wrote, also those of other robots."""
    return [path for path in sorted(folder.glob(f'*{SUFFIX}')) if _is_summary(path)]


def _is_summary(path: Path) -> bool:
    try:
        with np.load(path, allow_pickle=False) as file:
            return {'version', 'robot', 'seconds'} <= set(json.loads(str(file['head'])))
    # a damaged archive, or another one, raises many types
    except Exception:
        return False


def _summary(head: dict[str, Any], arrays: dict[str, Array], robot: Robot) -> Summary:
    n, name = len(robot.joints), str(head['name'])
    if Path(name).name != name:   # a file is named after it
        raise ValueError('name')
    lists = {}
    for key, count in _LISTS.items():
        rows = _checked(arrays[f'{key}_rows'], (count, n))
        sizes = [10 * len(bodies) + len(JOINT_COLUMNS) + 1 for bodies in robot.columns.bodies]
        joints = [_checked(arrays[f'{key}_{joint}'], (count, size, size))
                  for joint, size in enumerate(sizes)]
        lists[key] = [Pool([each[k] for each in joints], rows[k]) for k in range(count)]
    used, fastest, correlation, seconds = (_checked(arrays[each], (n,)) for each in _VECTORS)
    return Summary(name, float(head['seconds']), float(head['cutoff']),
                   float(head['delay']), used, fastest, correlation, lists['weighted'],
                   lists['moving'], lists['resting'], _checked(arrays['coupling'], (n, n)),
                   seconds, bool(head['currents']), int(head['recordings']))


def _checked(values: Array, shape: tuple[int, ...]) -> Array:
    if values.shape != shape or values.dtype != np.float64 or not np.isfinite(values).all():
        raise ValueError('shape, type or value')
    return values
