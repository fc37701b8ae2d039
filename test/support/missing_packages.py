"""
Test files are skipped that import a package which is not installed, such as an oracle.

A ROS installation has the packages in package.xml, but not Pinocchio, MuJoCo or hypothesis. One
missing package would end the collection of all files, as launch_testing imports each of them to
see whether it is one of its own.

"""

import os
from collections.abc import Generator, Iterable
from pathlib import Path
from typing import Any

import pytest

from support.paths import ROOT

STRICT = 'EVERY_PACKAGE'
"""Environment variable that makes a missing package an error; `make test` sets it."""


def missing_package(error: BaseException | None) -> str | None:
    """Return the package that is not installed, or None if the error has another cause."""
    if not isinstance(error, ModuleNotFoundError) or not error.name or os.environ.get(STRICT):
        return None
    package = error.name.split('.')[0]
    ours = any((folder / package).exists() or (folder / f'{package}.py').exists()
               for folder in (ROOT, ROOT / 'test'))
    return None if ours else package


class FileWithImports(pytest.Module):
    """A test file that is skipped, with the reason, where a package that it imports is missing."""

    def collect(self) -> Iterable[pytest.Item | pytest.Collector]:
        """Return the tests of the file."""
        try:
            return super().collect()
        except self.CollectError as error:
            package = missing_package(error.__cause__)
            if package is None:
                raise
            pytest.skip(f'{package} is not installed', allow_module_level=True)


@pytest.hookimpl(hookwrapper=True)
def pytest_pycollect_makemodule(module_path: Path, parent: pytest.Collector,
                                ) -> Generator[None, Any, None]:
    """Choose `FileWithImports` but for launch_testing's own files."""
    outcome = yield
    if outcome.excinfo:   # what ends one file would otherwise end its folder
        error = outcome.excinfo[1]
        ours = isinstance(error, pytest.skip.Exception) or missing_package(error) is not None
    else:
        ours = type(outcome.get_result()) is pytest.Module
    if ours:
        outcome.force_result(FileWithImports.from_parent(parent, path=module_path))
