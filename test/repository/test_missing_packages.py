"""Test files whose oracle is not installed, as under ROS, which has no Pinocchio or hypothesis."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from support.missing_packages import STRICT
from support.paths import TEST

FILES = {
    'test_oracle.py': 'import no_such_oracle\ndef test_compared(): pass\n',
    'test_skipped.py': 'import pytest\npytest.skip("no robots", allow_module_level=True)\n',
    'test_plain.py': 'def test_plain(): pass\n',
    'test_misspelt.py': 'from support import no_such_module\ndef test_never(): pass\n',
}
IMPORTED_BY_ANOTHER_PLUGIN = '''\
def pytest_pycollect_makemodule(module_path):
    """Import each file, as launch_testing does."""
    exec(compile(module_path.read_text(), str(module_path), 'exec'), {'__name__': 'x'})
'''


def collect(folder: Path, *names: str, strict: str = '') -> str:
    """Run pytest on files of a folder and return its last line, and the reasons of skipping."""
    for name in names:
        (folder / name).write_text(FILES[name])
    path = ':'.join(filter(None, (str(TEST), str(folder), os.environ.get('PYTHONPATH'))))
    environment = {**os.environ, 'PYTHONPATH': path, STRICT: strict}
    done = subprocess.run(
        [sys.executable, '-m', 'pytest', '-q', '-rs', '-p', 'support.missing_packages', '-p',
         'no:cacheprovider', '-p', 'no:xdist', '-p', 'no:hypothesispytest', '--rootdir', '.',
         *(f'-p{path.stem}' for path in folder.glob('plugin*.py')), *names],
        cwd=folder, env=environment, text=True, capture_output=True)
    return done.stdout


@pytest.mark.parametrize('imported', [False, True])
def test_a_missing_oracle_is_a_reason_to_skip(tmp_path: Path, imported: bool) -> None:
    """Also where another plugin imports the file first; the other files run."""
    if imported:
        (tmp_path / 'plugin_of_launch.py').write_text(IMPORTED_BY_ANOTHER_PLUGIN)
    out = collect(tmp_path, 'test_oracle.py', 'test_skipped.py', 'test_plain.py')
    assert 'no_such_oracle is not installed' in out
    assert '1 passed, 2 skipped' in out


@pytest.mark.parametrize(('name', 'strict'), [('test_oracle.py', '1'), ('test_misspelt.py', '')])
def test_what_is_no_missing_oracle_is_an_error(tmp_path: Path, name: str, strict: str) -> None:
    """Nothing is skipped by `make test`, nor ever a file that misspells one of ours."""
    assert '1 error' in collect(tmp_path, name, strict=strict)
