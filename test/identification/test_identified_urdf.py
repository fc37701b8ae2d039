"""Identified numbers in the text of a URDF: read back exactly, and no other byte differs."""

import re
from dataclasses import replace

import numpy as np
import pytest

from support.robot_files import EXAMPLES, OWN
from urdf2dyn_ros import RobotModel, read_urdf
from urdf2dyn_ros.errors import ParameterError, UrdfError
from urdf2dyn_ros.identification.result_files import identified_urdf
from urdf2dyn_ros.robot.model import Inertial

OTHER = Inertial(1.25, (0.1, 0.0, -0.3), (0.0, 0.0, 0.5), (0.5, 0.1, 0.0, 0.5, 0.0, 0.6))

ODD = r"""<?xml version='1.0'?>
<!-- <link name="base"><inertial><mass value="7"/></inertial></link> > -->
<robot name = "odd">
	<link name='base'«/|>NEW</link»>
	<link name="a &lt; b > c">
		<!-- <mass value="3"/> kept --><inertial >
			<mass
				value = '«2.50|1.25»'
			></mass>
			<origin rpy="0	0.00 «0|0.5»" xyz=" 0.1 0 «3e-1|-0.3» "/> <!-- from CAD -->
			<inertia ixx=".5" ixy="«0|0.1»" ixz="0" iyy="0.50" iyz="-0" izz="«5e-1|0.6»"/>
		</inertial>
		<visual><origin xyz="0.1 0 3e-1"/><geometry><mesh filename="a/b.dae"/></geometry></visual>
	</link>
	<link name="no_origin"><inertial>«|<origin xyz="0.1 0.0 -0.3" rpy="0.0 0.0 0.5"/>»<mass
		value="«1|1.25»"/><inertia izz="«1|0.6»" ixx="0.5" ixy="0.1" ixz="0" iyy="0.5"
		iyz="0"/></inertial></link>
	<link name="visible">
		«|NEW
		»<visual/>
	</link>
	<link name="empty">«|NEW»
	</link>
	<joint name="one" type="revolute">
		<parent link="base"/><child link="a &lt; b > c"/>
		<limit effort="1" velocity="1"/>«|
		<dynamics damping="2.5" friction="0.75"/>»
	</joint>
	<joint name="two" type="revolute"><parent link="base"/><child link="no_origin"/>
		<limit effort="1" velocity="1"/>
		<dynamics damping='«1|2.5»'«| friction="0.75"»/>
	</joint>
	<joint name="three" type="fixed"><parent link="base"/><child link="visible"/></joint>
	<joint name="four" type="revolute"><dynamics friction="0.75"
		rubbing='2'«| damping="2.5"»/><parent link="base"/><child link="empty"/>
		<limit effort="1" velocity="1"/></joint>
	<gazebo><link name="a"><inertial><mass value="2.5"/></inertial></link>
		<![CDATA[<link><inertial><mass value="1"/>]]></gazebo>
</robot>
""".replace('NEW', '<inertial><origin xyz="0.1 0.0 -0.3" rpy="0.0 0.0 0.5"/><mass value="1.25"/>'
            '<inertia ixx="0.5" ixy="0.1" ixz="0.0" iyy="0.5" iyz="0.0" izz="0.6"/></inertial>')


def sides(template: str) -> tuple[str, str]:
    """Return the text before and after, of a template with «before|after»."""
    before, after = (re.sub('«(.*?)[|](.*?)»', rf'\{k}', template, flags=re.DOTALL)
                     for k in (1, 2))
    return before, after


def with_numbers(model: RobotModel) -> RobotModel:
    return replace(
        model, links=tuple(replace(link, inertia=OTHER) for link in model.links),
        joints=tuple(joint if joint.type == 'fixed' else
                     replace(joint, damping=2.5, friction=0.75) for joint in model.joints))


@pytest.mark.parametrize('encoding', ['', 'utf-8', 'utf-8-sig', 'utf-16', 'utf-16-be'])
@pytest.mark.parametrize('end', ['\n', '\r\n'])
def test_nothing_but_numbers_changes_in_an_odd_text(end: str, encoding: str) -> None:
    before, after = (text.replace('\n', end) for text in sides(ODD))
    model = with_numbers(read_urdf(before))
    if not encoding:
        assert identified_urdf(before, model) == after
        return
    assert identified_urdf(before.encode(encoding), model) == after.encode(encoding)


def test_encodings_prefixes_and_texts_without_lines_stay_as_they_are() -> None:
    one = ('<?xml version="1.0" encoding="iso-8859-1"?><u:robot name="\xe9" xmlns:u="urn:u">'
           '<u:link name="\xfc"«/|><u:inertial><u:origin xyz="0.1 0.0 -0.3" rpy="0.0 0.0 0.5"/>'
           '<u:mass value="1.25"/><u:inertia ixx="0.5" ixy="0.1" ixz="0.0" iyy="0.5" iyz="0.0"'
           ' izz="0.6"/></u:inertial></u:link»></u:robot>')
    before, after = (text.encode('latin-1') for text in sides(one))
    assert identified_urdf(before, with_numbers(read_urdf(before))) == after


def random_numbers(model: RobotModel) -> RobotModel:
    rng = np.random.default_rng(3)

    def inertia(old: Inertial) -> Inertial:
        points = rng.normal(size=(20, 3))
        tensor = np.eye(3) * np.square(points).sum() - points.T @ points
        return Inertial(rng.uniform(1e-5, 30.0), tuple(rng.normal(size=3)), old.rpy,
                        tuple(tensor[np.triu_indices(3)]))

    return replace(
        model, links=tuple(link if link.inertia is None else
                           replace(link, inertia=inertia(link.inertia)) for link in model.links),
        joints=tuple(replace(joint, damping=rng.uniform(0.0, 1e-6), friction=rng.uniform(0.0, 9.0))
                     for joint in model.joints))


@pytest.mark.parametrize('path', [
    *sorted(OWN.glob('*.urdf')),
    *(next(EXAMPLES.rglob(f'{name}.urdf')) for name in ('ur10_robot', 'panda'))],
    ids=lambda path: path.stem)
def test_the_numbers_of_robots_are_read_back(path) -> None:
    """Exactly; the text without the elements that have them is the same."""
    text = path.read_bytes()
    model = random_numbers(read_urdf(text))
    new = identified_urdf(text, model)
    found = read_urdf(new)
    assert (found.links, found.joints, found.name) == (model.links, model.joints, model.name)
    inertials = [re.findall(rb'<inertial.*?</inertial>', each, re.DOTALL) for each in (text, new)]
    assert len({*map(len, inertials)}) == 1
    rests = [re.sub(rb'(<inertial.*?</inertial>)|\s*<dynamics[^>]*/>', b'', each, flags=re.DOTALL)
             for each in (text, new)]
    assert rests[0] == rests[1] and len(rests[0]) > 400
    for old_part, new_part in zip(*inertials):
        assert re.sub(rb'[-+.\de]+', b'0', old_part) == re.sub(rb'[-+.\de]+', b'0', new_part)
    assert identified_urdf(new, found) == new


def test_what_cannot_be_written_is_refused() -> None:
    text = (OWN / 'robot_2r.urdf').read_text()
    model = read_urdf(text)
    for other in (replace(model, links=model.links[:-1]),
                  replace(model, joints=tuple(replace(joint, xyz=(9.0, 0.0, 0.0))
                                              for joint in model.joints)),
                  replace(model, links=tuple(replace(link, inertia=None)
                                             for link in model.links))):
        with pytest.raises(ParameterError, match='the text with other numbers does not have them'):
            identified_urdf(text, other)
    with pytest.raises(UrdfError, match='nan'):
        identified_urdf(text, replace(model, joints=tuple(
            replace(joint, damping=float('nan')) for joint in model.joints)))
