"""Texts of exported files of some robots, as they are, by their lengths and checksums."""

import re
import zlib

from support.frozen import assert_frozen
from support.mechanisms import MECHANISMS, mechanism
from support.robot_files import robot_path
from urdf2dyn_ros import export_model, read_urdf
from urdf2dyn_ros.robot.loads import Loads
from urdf2dyn_ros.robot.terms import Friction, Rotor, Spring

TERMS = Friction(2.0, 1.5, 100.0, 0.5, 400.0, 0.1), Rotor(1e-4, 50.0, gyroscopic=True), Spring(3.0)
ROBOTS = {   # what acts, and what is exported, of each
    'scara': (False, 'all'), 'rx90': (False, 'all'), 'ur5_robot': (True, 'inverse_dynamics'),
    'five_bar': (False, 'inverse_dynamics'), 'palletizer': (False, 'inverse_dynamics'),
    'panda': (False, 'inverse_dynamics'), 'solo12': (True, 'inverse_dynamics'),
    'allegro_left_hand': (True, 'inverse_dynamics'), 'iris': (False, 'inverse_dynamics')}


def rounded(number: re.Match[str]) -> str:
    value = float(number[0])
    return f'{value if abs(value) > 1e-12 else 0.0:.6g}'


def test_exports_are_frozen() -> None:
    """Numbers count with six digits: the last ones are those of a processor."""
    found = {}
    for name, (loaded, functions) in ROBOTS.items():
        model = read_urdf(mechanism(name) if name in MECHANISMS else robot_path(name))
        moving = [joint.name for joint in model.joints if joint.type in ('revolute', 'continuous')]
        loads = Loads('moving', {moving[0]: TERMS}, (model.links[-1].name,), model.links[-1].name,
                      ) if loaded else Loads()
        for language, style in (('python', 'readable'), ('python', 'general'), ('c', 'fast')):
            if style == 'general' and functions != 'all':
                continue
            files = export_model(model, language, style, functions=functions, loads=loads)
            for file, text in files.items():
                text = re.sub(r'-?\d+\.\d+(?:e[-+]\d+)?', rounded, text)
                found[f'{style}/{file}'] = {'lines': text.count('\n'),
                                            'checksum': zlib.crc32(text.encode())}
    assert_frozen('exports', found)
