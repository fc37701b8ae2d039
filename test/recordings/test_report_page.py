"""The page of a report: in order by its source, and in a browser."""

import re
from dataclasses import replace
from hashlib import sha256

import pytest
from comparisons import FIT, joints

from support.pages import Source, asked, in_a_browser
from urdf2dyn_ros.errors import ComparisonError
from urdf2dyn_ros.recordings.comparison import FittedValue
from urdf2dyn_ros.recordings.pages import ReportTable, report_page
from urdf2dyn_ros.recordings.report import write_page, write_report
from urdf2dyn_ros.text import Origin, __version__, facts

pytest.importorskip('matplotlib')

ODD = '<script>alert(1)</script> & "quoted"\u202e'

ASK = """<script>
addEventListener('load', () => {
  const box = (element) => element.getBoundingClientRect();
  document.title = JSON.stringify({
    images: [...document.images].map((image) => [image.complete, image.naturalWidth,
                                                 box(image).width]),
    rows: document.querySelectorAll('tbody tr').length,
    cells: [...document.querySelectorAll('tbody tr')].map((row) =>
      [...row.cells].reduce((sum, cell) => sum + cell.colSpan, 0)),
    heads: document.querySelectorAll('thead th[scope=col]').length,
    rowHeads: document.querySelectorAll('tbody th[scope=row]').length,
    beyond: document.documentElement.scrollWidth - innerWidth,
    ink: getComputedStyle(document.body).color,
    paper: getComputedStyle(document.body).backgroundColor,
  });
});
</script>"""


@pytest.fixture(scope='module')
def page(tmp_path_factory):
    path = tmp_path_factory.mktemp('page') / 'efforts.html'
    shown = joints(5)
    shown[0] = replace(shown[0], joint=ODD)
    origin = Origin('simulated', facts('urdf2dyn evaluate x.csv', 'robot.urdf', '<robot/>'))
    write_page(shown, path, 'robot: simulated and computed efforts',
               ['net: what moves the links', f'recording: /{"path" * 60}.mcap'],
               origin, {'External efforts': (b'PNG', 'of each joint')})
    return path


def every(source, tag):
    return [attributes for name, attributes in source.tags if name == tag]


def test_it_is_one_file_that_fetches_nothing(page):
    text = page.read_text(encoding='utf-8')
    source = Source(text)
    for _, attributes in source.tags:
        for name in ('src', 'href'):
            assert attributes.get(name, 'data:').startswith('data:')
    assert not re.search(r'url\(\s*["\']?(?!#)(?!data:)\w', text)
    assert every(source, 'script') == [] and '@import' not in text
    assert [path.name for path in page.parent.iterdir()] == ['efforts.html']


def test_everything_has_a_name_for_screen_readers(page):
    source = Source(page.read_text(encoding='utf-8'))
    assert every(source, 'html') == [{'lang': 'en'}]
    images = every(source, 'img')
    assert images.pop(0)['alt'] == 'of each joint'
    assert len(images) == 10
    for over_time, over_velocity in zip(images[::2], images[1::2]):
        assert 'simulated and computed effort' in over_time['alt'] and ' s: ' in over_time['alt']
        assert over_velocity['alt'].endswith(': the difference over the velocity.')
    assert {head['scope'] for head in every(source, 'th')} == {'col', 'row'}


def test_the_origin_is_named_and_uncertain_numbers_are_grey(page):
    text = page.read_text(encoding='utf-8')
    assert 'Efforts of the recording: simulated.' in text and 'Simulated minus computed' in text
    for line in (f'program: urdf2dyn_ros {__version__}', 'command: urdf2dyn evaluate x.csv',
                 'urdf: robot.urdf', f'urdf sha256: {sha256(b"<robot/>").hexdigest()[:12]}<'):
        assert f'<li>{line}' in text
    assert re.search(r'<li>date: \d{4}-\d\d-\d\d \d\d:\d\d:\d\d UTC', text)
    assert '<td>0.400 +- 0.010</td>' in text   # viscous friction, forty times its deviation
    noise = replace(FIT, viscous=FittedValue(0.4, 0.3))
    joint, = joints(1)
    span = replace(joint.total, figures=replace(joint.figures, friction=noise))
    write_page([replace(joint, total=span)], page.with_name('noise.html'), 'robot')
    written = page.with_name('noise.html').read_text(encoding='utf-8')
    page.with_name('noise.html').unlink()
    assert '<td class="noise">0.40 +- 0.30</td>' in written


def test_what_may_be_noise_is_grey_in_an_identification_too():
    table = ReportTable('friction', ('joint', 'viscous'), [
        ('a', '0.1 +- 0.2'), ('b', '1.5 +- 0.1'), ('c', '-2e-05 +- 1.1e-05'), ('d', 'not known')])
    page = report_page('robot', [table], [], [])
    assert page.count('class="noise"') == 2
    for cell in ('<td class="noise">0.1 +- 0.2', '<td>1.5 +- 0.1', '<td>not known'):
        assert cell in page


def test_names_are_text_and_what_is_not_credible_is_reported(page):
    text = page.read_text(encoding='utf-8')
    assert '&lt;script&gt;alert(1)&lt;/script&gt; &amp; &quot;quoted&quot;?' in text
    assert 'not credible: frozen' in text
    assert 'the measurement is 12 ms late; without alignment RMSE 0.001' in text


@pytest.mark.slow
@in_a_browser
@pytest.mark.parametrize(('options', 'ink', 'paper'), [
    (('--window-size=1400,900',), 'rgb(28, 28, 28)', 'rgb(255, 255, 254)'),
    (('--window-size=500,900', '--blink-settings=preferredColorScheme=0'),
     'rgb(232, 232, 232)', 'rgb(22, 25, 29)')])
def test_a_browser_shows_table_and_pictures_on_light_and_dark(page, tmp_path, options, ink, paper):
    seen = asked(page.read_text(encoding='utf-8'), ASK, tmp_path, *options)
    assert len(seen['images']) == 11
    for complete, natural, width in seen['images'][1:]:
        assert complete and natural > 300 and width > 300
    assert (seen['rows'], seen['rowHeads']) == (5, 5)
    assert set(seen['cells']) == {seen['heads']}
    assert seen['beyond'] <= 0   # a wide table scrolls by itself, the page does not
    assert (seen['ink'], seen['paper']) == (ink, paper)


def test_a_report_is_four_files_or_says_why_not(tmp_path):
    paths = write_report(joints(2), tmp_path / 'new' / 'report', 'robot')
    assert [path.name for path in paths] == [f'efforts.{kind}'
                                             for kind in ('csv', 'json', 'png', 'html')]
    assert sorted(path.name for path in (tmp_path / 'new' / 'report').iterdir()) == sorted(
        path.name for path in paths)
    with pytest.raises(ComparisonError, match='stamps of the same clock'):
        write_report(joints(2, samples=0), tmp_path / 'empty', 'robot')
    assert not list((tmp_path / 'empty').iterdir())
