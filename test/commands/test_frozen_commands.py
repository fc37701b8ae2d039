"""What commands print of robots and motions, as it is."""

import json
from pathlib import Path
from typing import Any

import pytest

from support.frozen import assert_frozen
from support.mechanisms import mechanism
from support.paths import ROOT, TEST
from support.robot_files import OWN, robot_path
from urdf2dyn_ros.__main__ import main

POSE = '--q', 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, '--qd', 1, 2, 1, -2, 1, 3
RX90 = OWN / 'rx90.urdf'
COMMANDS: dict[str, tuple[object, ...]] = {
    'info': ('info', RX90), 'info of a tree': ('info', robot_path('solo12')),
    'table': ('info', RX90, '--dh'), 'loops': ('info', 'loops.urdf'),
    'JSON': ('info', OWN / 'scara.urdf', '--json'), 'check': ('check', 'loops.urdf', '-v'),
    'problems': ('check', TEST / 'corpus' / 'units-mass.urdf'),
    'problems as JSON': ('check', TEST / 'corpus' / 'same-everywhere.urdf', '--json'),
    'state': ('torque', RX90, *POSE), 'state as JSON': ('torque', RX90, *POSE, '--json'),
    'payload': ('torque', RX90, *POSE, '--payload-mass', 5, '--payload-com', 0, 0, 0.1),
    'recording': ('torque', RX90, '--trajectory', 'rx90.csv', '--json'),
    'plan': ('torque', RX90, '--trajectory', 'plan.yaml'),
    'tree': ('graph', RX90, '-o', 'tree.dot')}


def test_outputs_are_frozen(tmp_path: Path, monkeypatch: pytest.MonkeyPatch,
                            capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr('urdf2dyn_ros.commands.torque.motion_picture', lambda *of, **_: b'')
    Path('rx90.csv').write_bytes((ROOT / 'examples' / 'rx90.csv').read_bytes())
    Path('loops.urdf').write_text(mechanism('five_bar'))
    Path('plan.yaml').write_text(
        f'joint_names: {[f"joint{k}" for k in range(1, 7)]}\npoints:\n' + ''.join(
            f'- {{positions: {[0.2 * k * time for k in range(6)]}, time_from_start: {time}}}\n'
            for time in (0.0, 0.8, 2.0)))
    found: dict[str, Any] = {}
    for name, words in COMMANDS.items():
        assert main([*map(str, words)]) == 0
        out, errors = capsys.readouterr()
        lines = [line for line in (out + errors).splitlines() if str(ROOT) not in line]
        found[name] = json.loads(out) if '--json' in words else {'said': lines}
    found['tree'] = {'dot': Path('tree.dot').read_text().splitlines()}
    assert_frozen('commands', found)
