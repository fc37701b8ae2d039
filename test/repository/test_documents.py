"""README and docs/: links lead somewhere, commands are accepted, examples run."""

import ast
import inspect
import posixpath
import re
import runpy
import shlex
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace

import pytest

import urdf2dyn_ros
from support.nodes.graph import domain
from support.paths import ROOT
from urdf2dyn_ros import InverseDynamics
from urdf2dyn_ros import __main__ as cli
from urdf2dyn_ros.commands import COMMANDS, command_parser

pytestmark = pytest.mark.slow

PAGES = sorted([*ROOT.glob('*.md'), *(ROOT / 'docs').rglob('*.md')])
RUN_AS_THEY_STAND = (
    'README.md', *(f'docs/{name}.md' for name in (
        'first_steps', 'compare_with_a_simulator', 'recordings', 'contact_detection',
        'c_on_a_controller', 'identification', 'ros2_control', 'gravity_compensation', 'plots')))
"""Pages whose bash blocks run with what ships; those of others are only checked."""

SHELL = ('cc', 'c++', 'head')
"""Other commands of these blocks that run."""

PICTURES = ('recordings.report.plot_comparison', 'recordings.report.write_page')
"""Functions that take most of the time."""

FENCED = re.compile(r'^```(\w*)\n(.*?)^```', re.MULTILINE | re.DOTALL)
LINK = re.compile(r'\]\(([^)\s#:]*)(?:#([^)\s:]+))?\)')
COMMAND = re.compile(
    r'^(?:    |\| [^|`]* \| `)?((?:ros2 (?:run|launch) urdf2dyn_ros|urdf2dyn) [^`\n]*)',
    re.MULTILINE)
"""Indented, in a fence, or as the second cell of a table."""


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


def test_public_names_are_imported_from_the_package() -> None:
    """As `__all__` promises: where a name is defined may change."""
    files = [*PAGES, *(ROOT / 'examples').glob('*.py')]
    found = re.findall(r'from urdf2dyn_ros\.\S+ import (.*)', '\n'.join(
        path.read_text() for path in files))
    assert {*re.findall(r'\w+', ' '.join(found))} & {*urdf2dyn_ros.__all__} == set()


@pytest.mark.parametrize('name', urdf2dyn_ros.__all__)
def test_what_is_said_of_public_names_is_no_html(name: str) -> None:
    """Of which the site would show nothing: tags of a URDF stand in backticks."""
    public = getattr(urdf2dyn_ros, name)
    members = [getattr(public, each) for each in dir(public) if not each.startswith('_')]
    for text in filter(None, map(inspect.getdoc, (public, *members))):
        assert re.findall(r'<[a-z]+[^<>`]*>', re.sub('`+[^`]*`+', '', text)) == []


def test_commands_are_accepted(capsys: pytest.CaptureFixture[str]) -> None:
    """Commands and options of `urdf2dyn`; executables, launch files and their arguments."""
    count = 0
    executables = re.findall(r"'(\w+) = ", (ROOT / 'setup.py').read_text())
    parsers = {name: command_parser(name) for name in COMMANDS}
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


def files_of(path: Path) -> dict[str, str]:
    """Return the blocks of a page that are files: their names stand in a comment, first."""
    texts = [text for _, text in FENCED.findall(path.read_text())]
    names = [re.match(r'(?:#|//|/\*) (\w+\.\w+)(?: \*/)?\n', text) for text in texts]
    return {name.group(1): text for name, text in zip(names, texts) if name}


@pytest.mark.parametrize('path', [path for path in PAGES if 'urdf2dyn_ros import' in
                                  ''.join(blocks(path, 'python'))], ids=relative)
def test_python_runs(path: Path, clone: Path) -> None:
    """The blocks of a page from their first import on, one after the other, as written."""
    namespace: dict[str, object] = {'__name__': 'example'}
    texts = [text for text in blocks(path, 'python') if not text.startswith(' ')]
    first = next(k for k, text in enumerate(texts) if 'import' in text)
    for text in texts[first:]:
        exec(compile(text, relative(path), 'exec'), namespace)


def run(line: str, monkeypatch: pytest.MonkeyPatch) -> bool:
    """Run a line of a block: this command and scripts in this process, else by the shell."""
    words = shlex.split(line, comments=True)
    if words[:1] == ['urdf2dyn']:
        assert cli.main(words[1:]) == 0, line
    elif words[:1] == ['python3'] and words[1].endswith('.py'):
        monkeypatch.setattr(sys, 'argv', words[1:])
        try:
            runpy.run_path(words[1], run_name='__main__')
        except SystemExit as end:
            assert not end.code, line
    elif words and words[0] in SHELL:
        subprocess.run(line, shell=True, check=True, timeout=120)
    else:
        return False
    return True


@pytest.mark.parametrize('name', RUN_AS_THEY_STAND)
def test_commands_run_as_they_stand(name, clone, monkeypatch, capfd):
    """And print what the page shows of their output."""
    page = ROOT / name
    for picture in PICTURES:   # other tests draw them; where one has another name, it is drawn
        monkeypatch.setattr(f'urdf2dyn_ros.{picture}', lambda *_: [], raising=False)
    for file, text in files_of(page).items():
        (clone / file).write_text(text)
    lines = re.sub(r'\\\n\s*', '', ''.join(blocks(page, 'bash'))).splitlines()
    assert sum(run(line, monkeypatch) for line in lines)
    printed = capfd.readouterr().out
    for text in blocks(page, 'text'):
        assert all(line in printed for line in text.splitlines()), text


def test_the_node_of_gravity_compensation_commands_the_efforts_of_gravity(clone: Path) -> None:
    """Those of the joints that it knows, among others."""
    import rclpy
    from sensor_msgs.msg import JointState
    from std_msgs.msg import String

    text, = files_of(ROOT / 'docs' / 'gravity_compensation.md').values()
    (clone / 'node.py').write_text(text)
    context = rclpy.Context()
    context.init(args=[], domain_id=domain())
    node = runpy.run_path(str(clone / 'node.py'))['GravityCompensation'](context=context)
    try:
        sent: list[list[float]] = []
        node.commands = SimpleNamespace(publish=lambda message: sent.append([*message.data]))
        state = JointState(name=['finger', *(f'joint{k}' for k in range(6, 0, -1))],
                           position=[0.1, 0.0, 0.4, 0.0, -0.5, 0.3, 0.0])
        node.on_state(state)
        assert not sent
        node.on_description(String(data=(ROOT / 'urdf' / 'rx90.urdf').read_text()))
        node.on_state(state)
        assert len(sent) == 1
        expected = InverseDynamics(ROOT / 'urdf' / 'rx90.urdf', backend='python').gravity(
            [0.0, 0.3, -0.5, 0.0, 0.4, 0.0])
        assert sent[0] == pytest.approx(expected.tolist())
        node.on_state(JointState(name=['joint1'], position=[0.1]))
        assert len(sent) == 1
    finally:
        node.destroy_node()
        context.try_shutdown()


def test_the_sentences_that_faq_explains_are_those_of_the_status() -> None:
    """Every first column of its table."""
    source = (ROOT / 'urdf2dyn_ros' / 'estimation' / 'status.py').read_text()
    sentences = re.findall(r'^\| `([^`]+)` \|', (ROOT / 'docs' / 'faq.md').read_text(),
                           re.MULTILINE)
    assert len(sentences) > 5
    assert [sentence for sentence in sentences if sentence not in source] == []


def test_the_site_has_every_page() -> None:
    """Those of docs/ and the generated ones stand once in the navigation, and nothing else."""
    listed = re.findall(r': (\S+\.md)$', (ROOT / 'mkdocs.yml').read_text(), re.MULTILINE)
    site = runpy.run_path(str(ROOT / 'docs' / 'build_site.py'))
    assert sorted(listed) == sorted([*map(site['site_path'], site['sources']()),
                                     *site['GENERATED'], 'robots/index.md'])
    text = {page: make() for page, make in site['GENERATED'].items()}
    shown = re.findall(r'^::: urdf2dyn_ros\.(\S+)', text['reference/python_api.md'], re.MULTILINE)
    assert {*urdf2dyn_ros.__all__} - {*shown} == {'__version__'}
    assert '| <code>kalman.<wbr>bandwidth</code><br>`0.0` |' in text['reference/parameters.md']
    assert 'joint_simulator\n' in text['reference/parameters.md']
    assert all(f'usage: urdf2dyn {name} ' in text['reference/options.md'] for name in COMMANDS)
    for page in site['sources']():
        here = site['site_path'](page)
        for target, _ in LINK.findall(site['linked']((ROOT / page).read_text(), page)):
            goal = posixpath.normpath(posixpath.join(posixpath.dirname(here), target))
            assert (not target or goal in listed or (ROOT / 'docs' / goal).is_file()
                    or goal in {site['site_path'](path) for path in site['linked_files']()}), goal


def test_contributing_names_tables_where_they_are() -> None:
    """The last column of its table has a name and a file, or the file of the column before."""
    rows = re.findall(r'^\| [^|]+ \| ([^|]+) \| `(\w+)`(.*) \|$',
                      (ROOT / 'CONTRIBUTING.md').read_text(), re.MULTILINE)
    assert len(rows) > 10
    for place, name, rest in rows:
        files = re.findall(r'`([\w/]+\.\w+)`', rest if ' in `' in rest.split(';')[0] else place)
        texts = [path.read_text() for path in (
            folder / files[0] for folder in (ROOT / 'urdf2dyn_ros', ROOT)) if path.is_file()]
        assert any(re.search(rf'^{name}\b|^{name}:', text, re.MULTILINE) for text in texts), name
