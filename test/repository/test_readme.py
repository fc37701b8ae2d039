"""What README and the pages of docs/ show is what the package does."""

import re
import runpy

import pytest

from support.paths import ROOT
from support.robot_files import OWN, robot_path
from urdf2dyn_ros import read_urdf
from urdf2dyn_ros.codegen.information import information
from urdf2dyn_ros.codegen.languages import CALLABLE, LANGUAGES

README = (ROOT / 'README.md').read_text()
EXPORTED_FILES = (ROOT / 'docs' / 'exported_files.md').read_text()
ROBOTS = {
    'robot_2r': OWN / 'robot_2r.urdf',
    'scara': OWN / 'scara.urdf',
    'rx90': OWN / 'rx90.urdf',
    'UR5': robot_path('ur5_robot'),
    'Panda with fingers': robot_path('panda'),
    'Talos, reduced': robot_path('talos_reduced'),
    'humanoid_3p33r': OWN / 'humanoid_3p33r.urdf',
}


def row(name: str) -> str:
    found = information(read_urdf(ROBOTS[name].read_bytes()))
    cells = [f'{cost["multiplications"]} / {cost["additions"]}'
             for cost in (found['operations'][style] for style in ('fast', 'readable'))]
    return f'| {name} | {len(found["joints"])} | {cells[0]} | {cells[1]} |'


def test_it_is_short() -> None:
    assert README.count('\n') <= 180


@pytest.mark.parametrize('name', ROBOTS)
def test_operations_are_those_that_info_prints(name: str) -> None:
    assert row(name) in EXPORTED_FILES


def test_the_script_that_is_shown_is_the_one_that_is_exported() -> None:
    """Word for word; the whole file is a golden copy, which another test holds."""
    block = re.search(r'```python\n(    # ---- link 2.*?)```', README, re.DOTALL)
    assert block is not None
    script = (ROOT / 'test/golden/python/readable/robot_2r_dynamics.py').read_text()
    assert block.group(1) in script


@pytest.mark.parametrize(('title', 'function'), [
    ('inverse dynamics', 'inverse_dynamics'), ('mass matrix', 'mass_matrix'),
    ('Coriolis matrix', 'coriolis_matrix'), ('energy', 'energy'),
    ('centre of mass, its velocity and Jacobian', 'centre_of_mass'),
    ('forward dynamics', 'forward_dynamics'),
    ('derivatives of the efforts', 'inverse_dynamics_derivatives'),
    ('derivatives of the accelerations', 'forward_dynamics_derivatives'),
    ('regressor of base parameters', 'regressor')])
def test_operations_that_are_shown_are_those_of_the_functions(title: str, function: str) -> None:
    """Counted for the UR5."""
    page = (ROOT / 'docs' / 'functions.md').read_text()
    cells = re.findall(rf'^\| {title} \| (.*?) \| (.*?) \| (.*?) \|$', page, re.MULTILINE)[0]
    cost = information(read_urdf(ROBOTS['UR5']), functions=function)['operations']['fast']
    assert cells[0].split()[0] == f'{cost["multiplications"]}/{cost["additions"]}'


LINES = [language for language in LANGUAGES if language not in CALLABLE]   # others: as Python


def six_lines(language: str) -> str:
    """Return six values of link 2 in a language, as its golden file has them, fenced."""
    folder = ROOT / 'test' / 'golden' / language / 'readable'
    text = '\n'.join(path.read_text() for path in sorted(folder.iterdir()))
    names = r'(?:[\w ]* )?(?:[bcsw]d?2|wd2)(?:_[xyz])?'
    found = [line.partition('  #')[0].rstrip() for line in re.findall(
        rf'^    {names}(?:, {names})? = .*$', text, re.MULTILINE)]
    fence = {'javascript': 'js'}.get(language, language)
    lines = found[:4 if language == 'python' else 6]
    return '\n'.join([f'```{fence}', *(line[4:] for line in lines), '```'])


@pytest.mark.parametrize('language', LINES)
def test_the_lines_that_are_shown_in_a_language_are_those_of_its_golden_file(language):
    """Six statements of the same link."""
    assert six_lines(language).count('\n') == (5 if language == 'python' else 7)
    assert six_lines(language) in EXPORTED_FILES


@pytest.mark.parametrize('page', ['README.md', 'docs/performance.md', 'docs/functions.md'])
def test_the_times_that_are_shown_are_those_of_the_race(page: str) -> None:
    """The one that wrote benchmark.json; `make bench` writes its figures into the pages."""
    texts = runpy.run_path(str(ROOT / 'benchmarks' / 'write_tables.py'))['pages']()
    assert (ROOT / page).read_text() == {
        str(path.relative_to(ROOT)): text for path, text in texts}[page]


def test_the_description_that_is_shown_is_the_2rs() -> None:
    """But for its visuals and the limits of its lines."""
    block = re.search(r'```xml\n(.*?)```', README, re.DOTALL)
    assert block is not None
    model = read_urdf(OWN.joinpath('robot_2r.urdf').read_bytes())
    shown = read_urdf(f'<robot name="robot_2r"><link name="link1"/>{block.group(1)}</robot>')
    assert shown.joints[0] == model.joints[1]
    assert shown.links[1] == model.links[2]


if __name__ == '__main__':
    print('\n'.join(row(name) for name in ROBOTS))
    print('\n\n'.join(map(six_lines, LINES)))
