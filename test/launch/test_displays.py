"""What RViz, PlotJuggler and Foxglove are to load: topics, frames and joints of the demo."""

import json
from collections.abc import Iterator
from typing import Any

import pytest
import yaml
from lxml import etree

from support.paths import ROOT
from urdf2dyn_ros.nodes.effort_comparison import COMPUTED_TOPIC, MEASURED_TOPIC
from urdf2dyn_ros.robot.reader import read_urdf
from urdf2dyn_ros.system import robot_file

RX90 = read_urdf(robot_file('rx90').read_bytes())
RVIZ = yaml.safe_load((ROOT / 'rviz' / 'urdf2dyn.rviz').read_text())['Visualization Manager']
FOXGLOVE = json.loads((ROOT / 'foxglove' / 'urdf2dyn.json').read_text())
LAYOUT = etree.parse(ROOT / 'plotjuggler' / 'urdf2dyn.xml').getroot()

# the names of the properties, as rviz_default_plugins 14 calls them in its sources
PROPERTIES = {
    'Grid': {'Alpha', 'Cell Size', 'Color', 'Plane', 'Plane Cell Count', 'Reference Frame'},
    'RobotModel': {'Alpha', 'Collision Enabled', 'Description Source', 'Description Topic',
                   'TF Prefix', 'Update Interval', 'Visual Enabled'},
    'TF': {'Frame Timeout', 'Marker Scale', 'Show Arrows', 'Show Axes', 'Show Names',
           'Update Interval'},
    'Effort': {'Alpha', 'History Length', 'Robot Description', 'Scale', 'TF Prefix', 'Topic',
               'Width'},
}


def test_rviz_has_the_displays_with_properties_that_they_know():
    displays = {display['Class']: display for display in RVIZ['Displays']}
    assert set(displays) == {f'rviz_default_plugins/{name}' for name in PROPERTIES}
    for name, known in PROPERTIES.items():
        display = displays[f'rviz_default_plugins/{name}']
        assert set(display) - {'Class', 'Name'} == known | {'Enabled', 'Value'}
        assert display['Enabled'] is True and display['Value'] is True
    effort, robot = displays['rviz_default_plugins/Effort'], displays[
        'rviz_default_plugins/RobotModel']
    assert effort['Topic']['Value'] == f'/{COMPUTED_TOPIC}'
    assert effort['Robot Description'] == robot['Description Topic']['Value'] == (
        '/robot_description')
    # a subscriber without history does not receive a latched message
    assert robot['Description Topic']['Durability Policy'] == 'Transient Local'


def test_the_fixed_frame_and_the_effort_limits_are_those_of_the_demo():
    assert RVIZ['Global Options']['Fixed Frame'] == RX90.root
    for joint in RX90.joints:
        assert joint.type == 'revolute' and joint.limits.effort > 0.0


@pytest.mark.parametrize(('tab', 'topics'), [
    ('measured and computed', [MEASURED_TOPIC, COMPUTED_TOPIC]),
    ('measured - computed', ['inverse_dynamics/residuals']),
])
def test_plotjuggler_draws_every_joint_of_the_demo(tab, topics):
    [found] = LAYOUT.xpath('tabbed_widget[@parent="main_window"]/Tab[@tab_name=$tab]', tab=tab)
    areas = found.findall('.//DockArea')
    assert [area.get('name') for area in areas] == [f'{joint.name} [N m]'
                                                    for joint in RX90.joints]
    for area, joint in zip(areas, RX90.joints, strict=True):
        assert [curve.get('name') for curve in area.findall('plot/curve')] == [
            f'/{topic}/{joint.name}/effort' for topic in topics]


def test_plotjuggler_subscribes_to_the_topics_that_it_draws_and_its_splitters_are_full():
    [topics] = LAYOUT.xpath('Plugins/plugin/selected_topics/@value')
    curves = {name.rsplit('/', 2)[0] for name in LAYOUT.xpath('.//curve/@name')}
    assert curves == set(topics.split(';'))
    assert (LAYOUT.xpath('string(previouslyLoaded_Streamer/@name)')
            == LAYOUT.xpath('string(Plugins/plugin/@ID)') == 'ROS2 Topic Subscriber')
    splitters = LAYOUT.findall('.//DockSplitter')
    assert splitters
    for splitter in splitters:
        sizes = [float(size) for size in splitter.get('sizes').split(';')]
        assert len(splitter) == len(sizes) == int(splitter.get('count'))
        assert sum(sizes) == pytest.approx(1.0, abs=1e-5)
        assert splitter.get('orientation') in '|-'


def _panels(mosaic: Any) -> Iterator[str]:
    if isinstance(mosaic, str):
        yield mosaic
    else:
        yield from (*_panels(mosaic['first']), *_panels(mosaic['second']))


@pytest.mark.parametrize(('tab', 'topics'), [
    ('measured and computed', [MEASURED_TOPIC, COMPUTED_TOPIC]),
    ('measured - computed', ['inverse_dynamics/residuals'])])
def test_foxglove_draws_every_joint_of_the_demo(tab, topics):
    panels = FOXGLOVE['configById']
    [found] = [each for each in panels['Tab!urdf2dyn']['tabs'] if each['title'] == tab]
    for k, name in enumerate(_panels(found['layout'])):
        assert panels[name]['foxglovePanelTitle'] == f'{RX90.joints[k].name} [N m]'
        assert [path['value'] for path in panels[name]['paths']] == [
            f'/{topic}.effort[{k}]' for topic in topics]
    assert k == len(RX90.joints) - 1
