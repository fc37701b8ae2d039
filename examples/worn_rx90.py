"""
Play a motion on an RX-90 that is not as its URDF says, and record positions and efforts.

    python examples/worn_rx90.py [MOTION.csv] [RECORDING.csv]

Masses and inertias differ from urdf/rx90.urdf by up to 50 %, the joints have friction and rotors,
and the sensors have noise. docs/identification.md finds what differs from the recording alone.
"""

import re
import sys
from pathlib import Path

try:
    import numpy as np

    from urdf2dyn_ros import Friction, InverseDynamics, Loads, Rotor, Urdf2DynError
except ImportError as error:
    sys.exit(f"this example needs urdf2dyn_ros ({error}); in a clone of it: pip install '.[all]'")

ROOT = Path(__file__).parent.parent
URDF, MOTION = ROOT / 'urdf' / 'rx90.urdf', ROOT / 'examples' / 'rx90.csv'
ENCODER = 2 * np.pi / 2**17   # resolution of the positions [rad]
NOISE = 0.01                  # of the efforts, relative to their root mean square


def worn(text: str) -> str:
    """Return a description with other masses, and with inertias that are scaled alike."""
    factors = iter(1 + np.random.default_rng(1).uniform(-0.5, 0.5, text.count('<inertial>')))

    def scaled(inertial: re.Match[str]) -> str:
        factor = next(factors)
        return re.sub(r'(<mass value|\bi[xyz]{2})="([^"]*)"',
                      lambda each: f'{each[1]}="{factor * float(each[2])}"', inertial[0])

    return re.sub(r'<inertial>.*?</inertial>', scaled, text, flags=re.DOTALL)


def main() -> None:
    """Write the recording."""
    motion = Path(sys.argv[1]) if len(sys.argv) > 1 else MOTION
    recording = Path(sys.argv[2] if len(sys.argv) > 2 else 'worn_rx90.csv')
    table = np.genfromtxt(motion, delimiter=',', names=True)
    names = InverseDynamics(URDF).joint_names
    sizes = dict(zip(names, (1.0, 1.0, 0.7, 0.3, 0.3, 0.2)))   # the wrist has small drives
    robot = InverseDynamics(worn(URDF.read_text()), loads=Loads(terms={
        name: [Friction(viscous=8 * size, coulomb=6 * size), Rotor(5e-5 * size, gear_ratio=100)]
        for name, size in sizes.items()}))

    time = table['time']
    q, qd = (np.column_stack([table[f'{what}_{name}'] for name in names]) for what in ('q', 'qd'))
    tau = robot(q, qd, np.gradient(qd, time, axis=0))
    rms = np.sqrt(np.mean(tau**2, axis=0))
    tau += NOISE * rms * np.random.default_rng(len(time)).standard_normal(tau.shape)
    columns = ['time', *(f'q_{name}' for name in names), *(f'effort_{name}' for name in names)]
    np.savetxt(recording, np.column_stack([time, ENCODER * np.round(q / ENCODER), tau]), '%.6g',
               delimiter=',', header=','.join(columns), comments='')
    print(f'{recording}: {len(time)} samples of {len(names)} joints, {time[-1] - time[0]:.1f} s')


if __name__ == '__main__':
    try:
        main()
    except (Urdf2DynError, OSError, ValueError) as error:
        sys.exit(f'{error}; in a clone of the repository: '
                 'python examples/worn_rx90.py [MOTION.csv] [RECORDING.csv]')
