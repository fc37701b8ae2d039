"""parameters.yaml of an identified robot: the same terms for node, evaluate and export."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import yaml

from support.recordings import scara
from support.recordings.evaluate_command import Done
from urdf2dyn_ros import read_urdf
from urdf2dyn_ros.__main__ import main
from urdf2dyn_ros.export import export_model
from urdf2dyn_ros.identification.result_files import identified_parameters, identified_urdf
from urdf2dyn_ros.nodes.inverse_dynamics import NODE_PARAMETERS
from urdf2dyn_ros.robot.loads import Loads, with_loads
from urdf2dyn_ros.robot.parameters import read_parameter_file
from urdf2dyn_ros.robot.terms import Friction, JointTerm, Rotor

TERMS: dict[str, list[JointTerm]] = {
    'joint1': [Friction(2.0, 3.0, 1.0 / 0.02, offset=-0.25, load=0.08, quadratic=0.5),
               Rotor(armature=0.75)],
    'joint2': [Friction(0.5, 0.0, 1.0 / 0.02, load=0.125), Rotor(1e-4, 90.0)],
    'joint3': [Friction(coulomb=1e-5, steepness=1.0 / 0.02)],
    'joint4': [Friction(3.0, 7.0, 1.0 / 0.02), Rotor()]}


def used(terms: Mapping[str, Sequence[JointTerm]]) -> dict[str, float]:
    """Return the parameters that have an effect, by joint, term and field."""
    return {f'{joint} {term.NAME} {name}': value for joint, each in terms.items()
            for term in each if not term.is_off() for name, _, value in term.parameters()}


def identified(folder: Path, text: str = '') -> tuple[Path, Path]:
    """Write the URDF and the parameters of a SCARA with these terms."""
    original = scara.SCARA.read_bytes()
    model = read_urdf(original)
    joints = []
    for joint in model.joints:
        friction, *_ = TERMS.get(joint.name, [Friction()])
        assert isinstance(friction, Friction)
        joints.append(replace(joint, damping=friction.viscous, friction=friction.coulomb))
    urdf, parameters = folder / 'identified.urdf', folder / 'parameters.yaml'
    urdf.write_bytes(identified_urdf(original, replace(model, joints=tuple(joints))))
    parameters.write_text(text or identified_parameters(TERMS, ['identified', 'from "a\n.mcap"']))
    return urdf, parameters


def test_urdf_and_parameters_together_have_the_terms(tmp_path: Path) -> None:
    """As the node reads them; YAML's own reader sees no texts in the place of numbers."""
    urdf, path = identified(tmp_path)
    values = read_parameter_file(path, 'inverse_dynamics')
    assert values['friction.width'] == 0.02 and values['friction.enabled'] is True
    assert values['joints.joint2.gear_ratio'] == 90.0
    assert 'joints.joint1.viscous' not in values and 'joints.joint3.coulomb' not in values
    defaults = {row.name: row.default for row in NODE_PARAMETERS}
    _, loads = with_loads({**defaults, **values}, read_urdf(urdf.read_bytes()))
    assert used(loads.terms) == used(TERMS)
    nested = yaml.safe_load(path.read_text())['/**']['ros__parameters']
    assert all(isinstance(value, float) for joint in nested['joints'].values()
               for value in joint.values())
    # widths of their own, and names that are no plain keys
    odd: dict[str, list[JointTerm]] = {
        'a.b': [Friction(coulomb=1.0, steepness=50.0)], 'no': [Rotor(armature=1e-7)],
        '7: "x" é': [Friction(coulomb=1.0, steepness=25.0, load=0.5)]}
    path.write_text(identified_parameters(odd))
    assert read_parameter_file(path, 'inverse_dynamics') == {
        'friction.enabled': True, 'joints.a.b.friction_width': 0.02, 'joints.no.armature': 1e-7,
        'joints.7: "x" é.friction_width': 0.04, 'joints.7: "x" é.load': 0.5}
    path.write_text(identified_parameters({}))
    assert read_parameter_file(path, 'inverse_dynamics') == {'friction.enabled': False}


def test_evaluate_computes_with_them_and_adds_no_friction_twice(tmp_path, capsys):
    """A recording with that friction and these rotors has no residual."""
    urdf, parameters = identified(tmp_path)
    samples = scara.motion(200)
    effort = samples.effort.copy()
    for k, (friction, rotor) in enumerate((*each, Rotor())[:2] for each in TERMS.values()):
        qd, links = samples.qd[:, k], samples.effort[:, k]
        effort[:, k] += (friction.viscous * qd + friction.quadratic * qd * np.abs(qd)
                         + (friction.coulomb + friction.load * np.abs(links))
                         * np.tanh(qd / 0.02) + friction.offset
                         + (rotor.inertia * rotor.gear_ratio**2 + rotor.armature)
                         * samples.qdd[:, k])
    recording = scara.trajectory(tmp_path, samples.but(effort=effort))
    folder = tmp_path / 'out'
    code = main(['evaluate', str(recording), '--urdf', str(urdf), '--parameters', str(parameters),
                 '--effort-semantics', 'commanded', '-o', str(folder)])
    printed = capsys.readouterr()
    assert (code, printed.err) == (0, '')
    assert np.abs(Done(code, '', '', folder).side('residual')).max() < 1e-7
    assert 'include friction: joint1, joint2, joint3, joint4; none of the' in printed.out
    assert 'computed efforts include rotors: joint1, joint2\n' in printed.out


def test_export_and_info_use_them(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    urdf, parameters = identified(tmp_path)
    words = [str(urdf), '--parameters', str(parameters)]
    assert main(['export', *words, '--language', 'c', '-o', str(tmp_path)]) == 0
    model = read_urdf(urdf.read_bytes())
    for name, text in export_model(model, 'c', loads=Loads(terms=TERMS)).items():
        assert (tmp_path / name).read_text() == text
    assert main(['info', *words]) == 0
    printed = capsys.readouterr()
    assert 'Coulomb friction per transmitted effort 0.08' in printed.out and not printed.err


HEAD = '/**:\n  ros__parameters:\n    '


@pytest.mark.parametrize(('text', 'words'), [
    ('joints: {joint1: {load: -1}}', ['joints.joint1.load = -1', 'at least 0']),
    ('joints: {joint1: {laod: 1}}', ['joints.joint1.laod', 'the fields are', 'load']),
    ('joints: {elbow: {load: 1}}', ['no movable joint "elbow"', '"joint1"']),
    ('joints.joint1.load: "0.1"', ["= '0.1'", 'must be a number']),
    ('friction: {enable: true}', ['no parameter friction.enable', 'friction.enabled']),
    ('external_wrenches: {link4: /ft}', ['external_wrenches of link4', 'remove them']),
    ('payload.link: hand', ["no link 'hand'"]),
    ('base: imu', ['add --base fixed']),
    ('a: [1, [2]]', ['line 3', 'a list where none can be']),
    ('a: &x 1\n    b: *x', ['line 3', 'anchors']),
    ('a: {b', ['.yaml is no YAML: line 3, column 10: while parsing'])])
def test_what_is_wrong_in_a_file_is_an_error(text, words, tmp_path, capsys):
    urdf, parameters = identified(tmp_path, HEAD + text)
    recording = scara.trajectory(tmp_path, scara.motion(20))
    code = main(['evaluate', str(recording), '--urdf', str(urdf), '--parameters',
                 str(parameters), '-o', str(tmp_path / 'out')])
    printed = capsys.readouterr().err
    assert code == 1 and all(word in printed for word in words), printed
    assert not (tmp_path / 'out').exists()


def test_a_file_without_parameters_of_the_node_is_an_error(tmp_path, capsys):
    path = tmp_path / 'none.yaml'
    for text, words in (('other:\n  ros__parameters: {a: 1}', 'it has those of "other"'),
                        ('', 'no parameters of the node'), ('just a text', 'a mapping is'),
                        ('\x00', 'none.yaml is no YAML: unacceptable character #x0000: special '
                         'characters are not allowed at position 0')):
        path.write_text(text)
        assert main(['info', str(scara.SCARA), '--parameters', str(path)]) == 1
        assert words in capsys.readouterr().err
    path.write_bytes(b'\xff\xfe\xfa')
    for each, words in ((path, 'is not UTF-8'), (tmp_path / 'missing', 'cannot read'),
                        (tmp_path, 'cannot read')):
        assert main(['info', str(scara.SCARA), '--parameters', str(each)]) == 1
        assert words in capsys.readouterr().err


def test_options_go_before_the_file_and_a_payload_is_carried(tmp_path, capsys):
    """Gravity along x, 2 kg at the last link; what the command does not use is a warning."""
    text = ('friction.enabled: off\n    spring: {enabled: no}\n    gravity: [5, 0.0, 1e-3]\n    '
            'payload: {link: link4, mass: 2.0}\n    estimator: kalman\n    gravty: 1')
    urdf, parameters = identified(
        tmp_path, f'other: {{ros__parameters: {{gravity: 3}}}}\n{HEAD}{text}')
    samples = scara.motion(20)
    recording = scara.table(tmp_path, samples.but(effort=None), accelerations=True)
    computed = []
    for more in ([], ['--gravity', '0', '0', '-9.81']):
        folder = tmp_path / f'out{len(more)}'
        assert main(['evaluate', str(recording), '--urdf', str(urdf), '--parameters',
                     str(parameters), '-o', str(folder), *more]) == 0
        printed = capsys.readouterr()
        assert 'this command does not use estimator\n' in printed.err
        assert 'there is no parameter gravty; did you mean "gravity"?\n' in printed.err
        assert ('gravity 5 0 0.001' in printed.out) is not bool(more)
        computed.append(Done(0, '', '', folder).side('computed'))
    slides = computed[1][:, 3] - samples.effort[:, 3]
    expected = 2.0 * (samples.qdd[:, 3] + 9.81)
    assert np.abs(np.abs(slides) - np.abs(expected)).max() < 1e-6
    assert math.isclose(np.abs(computed[0] - computed[1])[:, 3].min(), 9.811 * (
        2.0 + read_urdf(urdf.read_bytes()).links[-1].mass), rel_tol=0.5)
