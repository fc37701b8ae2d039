"""What a project has besides code: source distribution, citation, addresses, workflow, faults."""

import re
import shutil
import subprocess
import sys
import tarfile
from pathlib import Path
from xml.etree import ElementTree

import pytest
import yaml

from support.paths import ROOT, TEST

PACKAGE_XML = ElementTree.parse(ROOT / 'package.xml')


@pytest.mark.slow
def test_a_source_distribution_has_everything(tmp_path: Path) -> None:
    """All files of the repository, nothing that was compiled, and no warning in a clean clone."""
    listed = subprocess.run(['git', 'ls-files', '-z'], cwd=ROOT, capture_output=True, text=True)
    if listed.returncode:
        pytest.skip('this is no clone of the repository')
    source, tracked = tmp_path / 'source', [name for name in listed.stdout.split('\0') if name]
    for name in tracked:
        if (ROOT / name).is_file():   # not deleted just now
            (source / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(ROOT / name, source / name)
    command = [sys.executable, 'setup.py', '-q', 'sdist', '-d', tmp_path]
    for compiled in ((), ('test/a.pyc', 'urdf2dyn_ros/estimation/b.so')):
        for name in compiled:
            (source / name).write_bytes(b'')
        done = subprocess.run(command, cwd=source, check=True, capture_output=True, text=True,
                              timeout=200)
        assert 'files' not in done.stderr, done.stderr   # found or not found
    archive, = tmp_path.glob('*.tar.gz')
    with tarfile.open(archive) as tar:
        packed = {name.partition('/')[2] for name in tar.getnames()}
    assert {name for name in tracked if (ROOT / name).is_file()} <= packed
    assert [name for name in packed if name.endswith(('.pyc', '.so'))] == []


def test_the_citation_is_of_this_version() -> None:
    citation = yaml.safe_load((ROOT / 'CITATION.cff').read_text())
    assert {'cff-version', 'message', 'title', 'authors'} <= {*citation}
    assert citation['version'] == PACKAGE_XML.findtext('version')
    assert citation['license'] == PACKAGE_XML.findtext('license')
    assert citation['repository-code'] == PACKAGE_XML.findtext('url[@type="website"]')


def test_every_source_file_has_the_licence_of_the_package() -> None:
    listed = subprocess.run(['git', 'ls-files', '-z', '*.py', '*.c', '*.h', '*.js', '*.css'],
                            cwd=ROOT, capture_output=True, text=True)
    if listed.returncode:
        pytest.skip('this is no clone of the repository')
    text = (ROOT / 'REUSE.toml').read_text()
    licence, = re.findall(r'^SPDX-License-Identifier = "(.*)"$', text, re.MULTILINE)
    assert licence == PACKAGE_XML.findtext('license')
    assert 'Apache License' in (ROOT / 'LICENSE').read_text()
    globs = re.findall(r'"([^"]*)"', text.partition('path = [')[2].partition(']')[0])
    patterns = [re.compile(re.escape(glob).replace(r'\*\*', '.*')) for glob in globs]
    own = [name for name in listed.stdout.split('\0')
           if name and not name.startswith(('test/golden/', 'test/drivers/',
                                            'benchmarks/native/'))]
    assert len(own) > 300
    assert [name for name in own if not any(each.fullmatch(name) for each in patterns)] == []


def test_addresses_agree() -> None:
    home = re.search("HOME = '(.*?)'", (ROOT / 'setup.py').read_text())
    assert home is not None
    urls = {url.get('type'): url.text for url in PACKAGE_XML.iter('url')}
    assert urls == {'website': home[1], 'bugtracker': f'{home[1]}/issues'}


def test_ci_runs_the_tests_and_builds_the_documents_strictly() -> None:
    """README and the Makefile name the command that it runs."""
    command = (ROOT / '.ci' / 'run').read_text().rstrip().rpartition('\n')[2]
    assert command == 'make test test-all docs'
    assert 'zensical build --strict' in (ROOT / 'Makefile').read_text()
    for file in ('README.md', 'Makefile', '.ci/run'):
        assert command in (ROOT / file).read_text(), file


# ---- The workflow of GitHub, which cannot run here: its schema, and what it has to cover

WORKFLOW = ROOT / '.github' / 'workflows' / 'ci.yml'


def test_the_workflow_has_the_form_that_github_reads() -> None:
    """By the schema that check-jsonschema has with it."""
    pytest.importorskip('check_jsonschema')
    done = subprocess.run(
        [sys.executable, '-m', 'check_jsonschema', '--builtin-schema', 'vendor.github-workflows',
         str(WORKFLOW)], capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stdout + done.stderr


def test_the_workflow_runs_what_a_developer_runs() -> None:
    """On the Ubuntus of the supported Pythons, and in each ROS distribution."""
    jobs = yaml.safe_load(WORKFLOW.read_text())['jobs']
    scripts = {name: '\n'.join(step.get('run', '') for step in job['steps'])
               for name, job in jobs.items()}
    assert '.ci/run' in scripts['ubuntu']
    assert all(command in scripts['ros'] for command in (
        'rosdep install', 'colcon build', 'colcon test'))
    assert jobs['ros']['strategy']['matrix']['distribution'] == [
        'humble', 'jazzy', 'kilted', 'lyrical', 'rolling']


# ---- docs/reliability.md and the tests agree: a test for each line, a line for each mark

TABLE = (ROOT / 'docs' / 'reliability.md').read_text()


def promised() -> dict[int, set[str]]:
    """Return the names of test files by the number of the line."""
    rows = re.findall(r'^\| (\d+) \|.*\| ([\w, ]+) \|$', TABLE, re.MULTILINE)
    return {int(number): set(files.split(', ')) for number, files in rows}


def held() -> dict[int, set[str]]:
    """Return the names of test files with a mark by its number."""
    found: dict[int, set[str]] = {}
    for path in TEST.rglob('test_*.py'):
        for numbers in re.findall(r'mark\.fault\(([\d, ]+)\)', path.read_text()):
            for number in numbers.split(','):
                found.setdefault(int(number), set()).add(path.stem)
    corpus = (TEST / 'robot' / 'test_urdf_corpus.py').read_text()
    for number in re.findall(r"^    \((\d+), '", corpus, re.MULTILINE):
        found.setdefault(int(number), set()).add('test_urdf_corpus')
    return found


def test_every_line_has_its_tests() -> None:
    table, marks = promised(), held()
    assert set(table) == set(range(1, 60))
    for number, files in table.items():
        assert files <= marks[number], f'line {number}: {files - marks[number]} has no such mark'


def test_every_mark_has_its_line() -> None:
    assert set(held()) <= set(promised())
