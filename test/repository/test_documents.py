"""README and docs/: links lead somewhere, commands are accepted, examples run."""

import argparse
import ast
import re
import runpy
import shlex
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from support.paths import ROOT
from urdf2dyn_ros import cli
from urdf2dyn_ros.commands import COMMANDS

PAGES = [ROOT / 'README.md', ROOT / 'CONTRIBUTING.md', *sorted((ROOT / 'docs').rglob('*.md'))]
RUN_AS_THEY_STAND = ('README.md',)
"""Pages whose bash blocks run with what ships; those of others are only checked."""

FENCED = re.compile(r'^```(\w*)\n(.*?)^```', re.MULTILINE | re.DOTALL)
LINK = re.compile(r'\]\(([^)\s#:]*)(?:#([^)\s:]+))?\)')
COMMAND = re.compile(r'^(?:    )?((?:ros2 (?:run|launch) urdf2dyn_ros|urdf2dyn) .*)$',
                     re.MULTILINE)


def relative(path: Path) -> str:
    return str(path.relative_to(ROOT))


def blocks(path: Path, language: str) -> list[str]:
    return [text for name, text in FENCED.findall(path.read_text()) if name == language]


def anchors(path: Path) -> set[str]:
    """Return the names of a page's headings in links, by the rule of GitHub and of the site."""
    prose = re.sub(r'^```.*?^```', '', path.read_text(), flags=re.MULTILINE | re.DOTALL)
    titles = re.findall(r'^#+ (.*)$', prose, re.MULTILINE)
    return {re.sub(r'[^\w\- ]', '', title.lower()).replace(' ', '-') for title in titles}


def commands(path: Path) -> Iterator[list[str]]:
    """Yield the words of commands of this package, in blocks with and without a fence."""
    text = re.sub(r'\\\n\s*', '', path.read_text())
    for line in COMMAND.findall(text):
        words = shlex.split(line, comments=True)
        yield words[:next((k for k, word in enumerate(words) if word in ('|', '>', '&&', '&')),
                          len(words))]


@pytest.mark.parametrize('path', PAGES, ids=relative)
def test_links_lead_somewhere(path: Path) -> None:
    """To a file of the repository, and to a heading in it."""
    for target, anchor in LINK.findall(FENCED.sub('', path.read_text())):
        page = (path.parent / target) if target else path
        assert page.exists(), target
        assert not anchor or anchor in anchors(page), f'{target}#{anchor}'


def declared_arguments(launch_file: str) -> set[str]:
    """Return all texts in launch files, which include each other, their arguments among them."""
    texts = [path.read_text() for path in ROOT.glob('launch/*.launch.py')]
    assert (ROOT / 'launch' / launch_file).exists(), launch_file
    return {node.value for text in texts for node in ast.walk(ast.parse(text))
            if isinstance(node, ast.Constant) and isinstance(node.value, str)}


def test_commands_are_accepted(capsys: pytest.CaptureFixture[str]) -> None:
    """Commands and options of `urdf2dyn`; executables, launch files and their arguments."""
    count = 0
    executables = re.findall(r"'(\w+) = ", (ROOT / 'setup.py').read_text())
    parsers = {name: argparse.ArgumentParser(name) for name in COMMANDS}
    for name, parser in parsers.items():
        COMMANDS[name].add(parser)
    for path in PAGES:
        for words in commands(path):
            count += 1
            if words[:2] == ['ros2', 'launch']:
                names = {word.partition(':=')[0] for word in words[4:] if ':=' in word}
                assert names <= declared_arguments(words[3]), words
                continue
            if words[0] == 'ros2':
                assert words[3] in executables, words
                words = words[3:]
            if words[0] == 'urdf2dyn' and not {'--help', '-h', '...'} & {*words}:
                try:
                    parsers[words[1]].parse_args(words[2:])
                except SystemExit:
                    pytest.fail(f'{relative(path)}: {shlex.join(words)}: '
                                f'{capsys.readouterr().err}')
    assert count > 20


@pytest.fixture
def clone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a directory with what a clone has, in which results can be written."""
    for name in ('urdf', 'examples', 'config'):
        (tmp_path / name).symlink_to(ROOT / name)
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize('path', [path for path in PAGES if 'from urdf2dyn_ros' in
                                  ''.join(blocks(path, 'python'))], ids=relative)
def test_python_runs(path: Path, clone: Path) -> None:
    """The blocks of a page from their first import on, one after the other, as written."""
    namespace: dict[str, object] = {'__name__': 'example'}
    texts = [text for text in blocks(path, 'python') if not text.startswith(' ')]
    first = next(k for k, text in enumerate(texts) if 'import' in text)
    for text in texts[first:]:
        exec(compile(text, relative(path), 'exec'), namespace)


@pytest.mark.parametrize('name', RUN_AS_THEY_STAND)
def test_commands_run_as_they_stand(name: str, clone: Path,
                                    monkeypatch: pytest.MonkeyPatch) -> None:
    """Those of `urdf2dyn` in this process, scripts and compilers in their own."""
    ran = 0
    for block in blocks(ROOT / name, 'bash'):
        for line in re.sub(r'\\\n\s*', '', block).splitlines():
            words = shlex.split(line, comments=True)
            if words[:1] == ['urdf2dyn']:
                assert cli.main(words[1:]) == 0, line
            elif words[:1] == ['python3'] and words[1].endswith('.py'):
                monkeypatch.setattr(sys, 'argv', words[1:])
                with pytest.raises(SystemExit) as end:
                    runpy.run_path(words[1], run_name='__main__')
                assert not end.value.code, line
            elif words[:1] == ['cc']:
                subprocess.run(line, shell=True, check=True, timeout=120)
            else:
                continue
            ran += 1
    assert ran
