"""Where the robots that come with the package are found."""

import pytest

from support.paths import ROOT
from urdf2dyn_ros.errors import SourceError
from urdf2dyn_ros.system import robot_file, share_directory


def test_in_a_checkout_they_are_next_to_the_package():
    assert robot_file('rx90') == ROOT / 'urdf' / 'rx90.urdf'


@pytest.mark.parametrize('library', ['lib/python3.11/site-packages',
                                     'local/lib/python3.10/dist-packages'])
def test_installed_they_are_in_share_of_the_prefix(library, tmp_path):
    robots = tmp_path / 'share' / 'urdf2dyn_ros' / 'urdf'
    robots.mkdir(parents=True)
    (robots / 'rx90.urdf').touch()
    package = tmp_path / library / 'urdf2dyn_ros'
    package.mkdir(parents=True)
    assert share_directory(package / 'share.py') == robots.parent


def test_where_there_are_none_the_error_says_where_they_should_be(tmp_path):
    with pytest.raises(SourceError, match='share/urdf2dyn_ros/urdf'):
        share_directory(tmp_path / 'lib' / 'urdf2dyn_ros' / 'share.py')
