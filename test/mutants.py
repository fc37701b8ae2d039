"""
Break single operators, comparisons and numbers, and count how many of them the tests find.

    make mutants
    .venv/bin/python test/mutants.py --number 200 --seed 7 --folder robot

Lines that tests of `make test` run are broken one at a time, in a copy of the tree, and the tests
that run the line are run until one fails: one case of each test before the next, short ones first,
and those of the line's own folder before others of four times their length. A constant and the
head of a function are tried by the tests of the lines that use them. Other tests of the folder
follow, since a robot that was read once is kept, and the next test does not run the reader; all
together take at most --seconds of a processor, as measured when nothing is broken and each line
is noted, which takes several times as long. A test that fails with nothing broken as well does not
count. A table by folder and a list of what no test found are printed; a line of that list lacks
an assertion, or can go.

"""

import argparse
import ast
import collections
import concurrent.futures
import dataclasses
import functools
import io
import itertools
import keyword
import os
import queue
import random
import re
import shutil
import subprocess
import sys
import tempfile
import time
import tokenize
from collections.abc import Iterator
from pathlib import Path
from xml.etree import ElementTree

import coverage

ROOT = Path(__file__).resolve().parents[1]
CACHE = ROOT / '.cache' / 'mutants'
PACKAGE = 'urdf2dyn_ros'
ENVIRONMENT = {**os.environ, 'EVERY_PACKAGE': '1', 'OPENBLAS_NUM_THREADS': '1',
               'PYTHONDONTWRITEBYTECODE': ''}
SWAPS = {'+': '-', '-': '+', '*': '/', '/': '*', '//': '/', '%': '*', '**': '*', '@': '+',
         '<': '<=', '<=': '<', '>': '>=', '>=': '>', '==': '!=', '!=': '==', 'is': 'is not',
         'in': 'not in', 'and': 'or', 'or': 'and', 'not': '', '+=': '-=', '-=': '+=',
         '*=': '/=', '|': '&', '&': '|'}


_PLUGIN = """import os
import pytest

used = 0.0

def pytest_collection_finish(session):
    os.environ['COVERAGE_PROCESS_START'] = {!r}   # in processes that tests start

@pytest.hookimpl(tryfirst=True)
def pytest_runtest_makereport(item, call):
    global used
    call.duration, used = sum(os.times()[:4]) - used, sum(os.times()[:4])
"""


@dataclasses.dataclass(frozen=True)
class Mutant:
    """One change of one token of a file."""

    path: str
    line: int
    column: int
    old: str
    new: str

    @property
    def folder(self) -> str:
        """The folder below the package, 'root' for its root."""
        return self.path.split('/')[1] if self.path.count('/') > 1 else 'root'

    def apply(self, text: str) -> str:
        """Return the text of the file with the change."""
        lines = text.splitlines(keepends=True)
        line = lines[self.line - 1]
        lines[self.line - 1] = (
            line[:self.column] + self.new + line[self.column + len(self.old):])
        return ''.join(lines)

    def parses(self) -> bool:
        """Return whether the file is still Python."""
        try:
            ast.parse(self.apply((ROOT / self.path).read_text(encoding='utf-8')))
        except SyntaxError:
            return False
        return True

    def __str__(self) -> str:
        place = f'{self.path}:{self.line}:{self.column + 1}'
        return f'{place}  {self.old} -> {self.new or "(nothing)"}'


def mutants(path: str, text: str) -> Iterator[Mutant]:
    """Yield what can be broken in a file; annotations, imports and texts are left out."""
    quiet: set[tuple[int, int]] = set()
    for node in ast.walk(ast.parse(text)):
        for part in (getattr(node, 'annotation', None), getattr(node, 'returns', None)):
            if isinstance(part, ast.AST):
                quiet.update(_positions(part))
        if isinstance(node, (ast.JoinedStr, ast.Import, ast.ImportFrom)):
            quiet.update(_positions(node))
        if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == '__all__':
            quiet.update(_positions(node))
    previous = None
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        kind, old, (line, column), _, _ = token
        if (line, column) in quiet:
            continue
        new = None
        if kind == tokenize.NUMBER:
            new = '1' if old == '0' else f'({old} + 1)'
        elif old in SWAPS and (kind == tokenize.OP or kind == tokenize.NAME):
            # a star before a name, a sign before a term and `for x in y` are other things
            binary = previous is not None and not keyword.iskeyword(previous.string) and (
                previous.type in (tokenize.NAME, tokenize.NUMBER, tokenize.STRING)
                or previous.string in (')', ']', '}'))
            source = token.line.lstrip()
            if kind == tokenize.OP and binary and not source.startswith('@'):   # no decorator
                new = SWAPS[old]
            elif kind == tokenize.NAME and old in ('and', 'or', 'not', 'is'):
                new = SWAPS[old]
                if old == 'not' and previous is not None and previous.string == 'is':
                    new = None
            elif old == 'in' and ' for ' not in source and not source.startswith('for '):
                new = SWAPS[old] if previous is None or previous.string != 'not' else None
        if kind not in (tokenize.NL, tokenize.COMMENT, tokenize.NEWLINE, tokenize.INDENT,
                        tokenize.DEDENT):
            previous = token
        if new is not None:
            yield Mutant(path, line, column, old, new)


def _positions(node: ast.AST) -> Iterator[tuple[int, int]]:
    first, last = (node.lineno, node.col_offset), (node.end_lineno, node.end_col_offset)
    for line in range(first[0], last[0] + 1):
        start = first[1] if line == first[0] else 0
        end = last[1] if line == last[0] else 200
        yield from ((line, column) for column in range(start, end))


class Covered:
    """Which tests run which line, and how long each keeps a processor busy."""

    def __init__(self, jobs: int, again: bool) -> None:
        data, times = CACHE / 'lines', CACHE / 'times.xml'
        if again or not (data.exists() and times.exists()):
            _measure(jobs, data, times)
        self._data = coverage.CoverageData(str(data))
        self._data.read()
        self.seconds = {
            f'{case.get("classname", "").replace(".", "/")}.py::{case.get("name")}':
            float(case.get('time', 0))
            for case in ElementTree.parse(times).iter('testcase')
            if case.find('failure') is None and case.find('error') is None
            and case.find('skipped') is None
            and str(ROOT) not in case.get('name', '')}   # it has another name in a copy

    @functools.cache   # noqa: B019 - there is one
    def lines(self, path: str) -> dict[int, set[str]]:
        """Return the tests of each line of a file that is run at all."""
        return {line: {*map(_test_of, names)} & self.seconds.keys()
                for line, names in self._data.contexts_by_lineno(str(ROOT / path)).items()}

    def tests(self, path: str, line: int) -> set[str]:
        """
        Return the tests that run a line.

        A constant and the head of a function are run when their module is imported; of them it is
        the tests of the lines that have their name.
        """
        result = set(self.lines(path).get(line, ()))
        waiting, known = [*_defined(path).get(line, ())], set()
        while waiting:
            if (name := waiting.pop()) not in known:
                known.add(name)
                for user, place in _uses().get(name, ()):
                    names = _defined(user).get(place)
                    if names is None:
                        result |= self.lines(user).get(place, set())
                    else:
                        waiting += names
        return result

    def chosen(self, mutant: Mutant, budget: float) -> list[str]:
        """Return the tests to run, the most telling first."""
        tests = self.tests(mutant.path, mutant.line)
        near = f'test/{mutant.folder}/'.replace('/root/', '/codegen/')
        counts: collections.Counter[str] = collections.Counter()
        ranked = []
        for name in sorted(self.seconds, key=lambda name: self.seconds[name]):
            function = name.partition('[')[0]
            counts[function] += 1
            if name in tests or name.startswith(near):
                far = 1.0 if name.startswith(near) else 4.0
                ranked.append((name not in tests, counts[function], far * self.seconds[name],
                               name))
        result, total = [], 0.0
        for *_, name in sorted(ranked):
            total += self.seconds[name]
            if total > budget and result:
                break
            result.append(name)
        return result


@functools.cache
def _defined(path: str) -> dict[int, set[str]]:
    """Return the names that statements of modules and classes, and heads of functions, define."""
    result: dict[int, set[str]] = {}
    tree = ast.parse((ROOT / path).read_text(encoding='utf-8'))
    for parent in ast.walk(tree):
        outside = isinstance(parent, (ast.Module, ast.ClassDef))
        for node in getattr(parent, 'body', ()) if outside else ():
            if isinstance(node, (ast.Assign, ast.AnnAssign)):
                targets = node.targets if isinstance(node, ast.Assign) else [node.target]
                names = {name.id for target in targets for name in ast.walk(target)
                         if isinstance(name, ast.Name)}
                last = node.end_lineno or node.lineno
            elif isinstance(node, ast.FunctionDef):
                names, last = {node.name}, node.body[0].lineno - 1
            else:
                continue
            result.update((line, names) for line in range(node.lineno, last + 1))
    return result


@functools.cache
def _uses() -> dict[str, set[tuple[str, int]]]:
    """Return the files and lines that have a name."""
    result: dict[str, set[tuple[str, int]]] = collections.defaultdict(set)
    for file in (ROOT / PACKAGE).rglob('*.py'):
        with file.open(encoding='utf-8') as text:
            for token in tokenize.generate_tokens(text.readline):
                if token.type == tokenize.NAME:
                    result[token.string].add((str(file.relative_to(ROOT)), token.start[0]))
    return result


@functools.cache
def _test_of(context: str) -> str:
    """Return the test of a context of pytest-cov, test|run, or of pytest, test (call)."""
    return re.sub(r'(\|| \()(setup|run|call|teardown)\)?$', '', context)


def _measure(jobs: int, data: Path, times: Path) -> None:
    CACHE.mkdir(parents=True, exist_ok=True)
    settings = CACHE / 'settings.ini'
    # what a process runs that a test starts counts for that test
    settings.write_text(f'[run]\nsource = {PACKAGE}\ndata_file = {data}\nparallel = true\n'
                        'context = ${PYTEST_CURRENT_TEST-}\nsigterm = true\n', encoding='utf-8')
    (CACHE / 'mutants_plugin.py').write_text(_PLUGIN.format(str(settings)), encoding='utf-8')
    log = CACHE / 'log'
    print(f'running the tests once to see which line each of them runs: {log}', file=sys.stderr)
    with log.open('w', encoding='utf-8') as output:
        subprocess.run(
            [sys.executable, '-m', 'pytest', '-n', str(jobs), '--dist', 'worksteal', '-q',
             '-m', 'not slow', '--timeout', '600', '-p', 'mutants_plugin', f'--cov={PACKAGE}',
             f'--cov-config={settings}', '--cov-context=test', '--cov-report=',
             f'--junitxml={times}'],
            cwd=ROOT, check=False, env={**ENVIRONMENT, 'PYTHONPATH': f'{CACHE}:{ROOT}'},
            stdout=output, stderr=output)
    if not data.exists():
        subprocess.run([sys.executable, '-m', 'coverage', 'combine', f'--rcfile={settings}',
                        '--keep'], cwd=CACHE, check=True, stdout=sys.stderr)


class Tree:
    """A copy of the files of the repository, in which one line at a time is broken."""

    def __init__(self, folder: Path) -> None:
        self.root = folder / ROOT.name   # names of tests have it
        shared = ROOT.parent / 'shared'
        if shared.exists():
            (folder / 'shared').symlink_to(shared)
        listed = subprocess.run(['git', 'ls-files', '-z'], cwd=ROOT, check=True,
                                capture_output=True, text=True).stdout
        for name in filter(None, listed.split('\0')):
            if (ROOT / name).is_file():
                (self.root / name).parent.mkdir(parents=True, exist_ok=True)
                shutil.copy2(ROOT / name, self.root / name)
        self._stamp = int(time.time())
        self._passed: set[str] = set()   # tests that pass here with nothing broken

    def finds(self, mutant: Mutant, tests: list[str]) -> str:
        """Return the test that fails with the change, '' if none does."""
        path = self.root / mutant.path
        whole = path.read_text(encoding='utf-8')
        while tests:
            try:
                self._write(path, mutant.apply(whole))
                failed = self._first_failure(tests)
            finally:
                self._write(path, whole)
            if not failed or failed in self._passed:
                return failed
            if failed not in tests:
                if self._first_failure(tests, '--collect-only') != '':
                    raise RuntimeError(f'with nothing broken as well: {failed}\n{tests}')
                return failed
            if not self._first_failure([failed]):
                self._passed.add(failed)
                return failed
            tests = [name for name in tests if name != failed]
        return ''

    def _first_failure(self, tests: list[str], *options: str) -> str:
        names = self.root.parent / 'tests'
        names.write_text('\n'.join(tests), encoding='utf-8')
        try:
            done = subprocess.run(
                [sys.executable, '-m', 'pytest', '-x', '-q', '-p', 'no:cacheprovider',
                 '--tb', 'no', '-rfE', '--timeout', '60', *options, f'@{names}'], cwd=self.root,
                env={**ENVIRONMENT, 'PYTHONPATH': str(self.root)}, text=True,
                stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=900, check=False)
        except subprocess.TimeoutExpired:
            return '(no end)'
        if done.returncode == 0:
            return ''
        for line in done.stdout.splitlines():
            name = line.removeprefix('FAILED ').removeprefix('ERROR ')
            if name != line:
                return next((test for test in tests
                             if f'{name} - '.startswith(f'{test} - ')), '(no import)')
        return '(no start)'

    def _write(self, path: Path, text: str) -> None:
        path.write_text(text, encoding='utf-8')
        self._stamp += 2   # compiled files are known by the second of their source
        os.utime(path, (self._stamp, self._stamp))


def main() -> int:
    """Run the command line."""
    parser = argparse.ArgumentParser(description=__doc__.split('\n\n')[0])
    parser.add_argument('--number', type=int, default=50, help='lines to break (50)')
    parser.add_argument('--seed', type=int, default=0)
    parser.add_argument('--folder', action='append', help='of the package; may be repeated')
    parser.add_argument('--seconds', type=float, default=60.0,
                        help='of a processor, for the tests of one broken line (60)')
    parser.add_argument('--jobs', type=int, default=2)
    parser.add_argument('--again', action='store_true', help='measure anew which test runs what')
    arguments = parser.parse_args()
    covered = Covered(arguments.jobs, arguments.again)
    candidates = []
    for file in sorted((ROOT / PACKAGE).rglob('*.py')):
        path = str(file.relative_to(ROOT))
        lines = covered.lines(path)
        candidates += [mutant
                       for mutant in mutants(path, file.read_text(encoding='utf-8'))
                       if mutant.line in lines
                       and mutant.folder in (arguments.folder or [mutant.folder])]
    random.Random(arguments.seed).shuffle(candidates)
    parsed = (each for each in candidates if each.parses())
    chosen = list(itertools.islice(parsed, arguments.number))

    found: dict[str, list[bool]] = collections.defaultdict(list)
    missed = []
    with tempfile.TemporaryDirectory() as scratch:
        trees: queue.Queue[Tree] = queue.Queue()
        for index in range(arguments.jobs):
            folder = Path(scratch, str(index))
            folder.mkdir()
            trees.put(Tree(folder))

        def judge(mutant: Mutant) -> str:
            tree = trees.get()
            try:
                return tree.finds(mutant, covered.chosen(mutant, arguments.seconds))
            finally:
                trees.put(tree)

        with concurrent.futures.ThreadPoolExecutor(arguments.jobs) as pool:
            running = {pool.submit(judge, each): each for each in chosen}
            for count, done in enumerate(concurrent.futures.as_completed(running), 1):
                mutant = running[done]
                found[mutant.folder].append(bool(done.result()))
                if not done.result():
                    missed.append(mutant)
                print(f'{count}/{len(chosen)}  {mutant}  {done.result() or "MISSED"}',
                      file=sys.stderr, flush=True)

    print(f'{"folder":16s} found  of')
    for name, results in sorted(found.items()):
        print(f'{name:16s} {sum(results):5d} {len(results):3d}'
              f'  {100 * sum(results) / len(results):3.0f} %')
    total = sum(map(sum, found.values()))
    print(f'{"all":16s} {total:5d} {len(chosen):3d}  {100 * total / len(chosen):3.0f} %')
    for mutant in sorted(missed, key=str):
        print(f'missed: {mutant}')
    return 0


if __name__ == '__main__':
    raise SystemExit(main())
