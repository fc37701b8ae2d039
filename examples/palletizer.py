"""
A palletizer whose chains close: its passive joints, the efforts of its motors, and C code.

    python examples/palletizer.py
"""

import sys
from pathlib import Path

try:
    import numpy as np

    from urdf2dyn_ros import InverseDynamics, Urdf2DynError, export_model, read_urdf
except ImportError as error:
    sys.exit(f"this example needs urdf2dyn_ros ({error}); in a clone of it: pip install '.[all]'")

URDF = Path(__file__).parent.parent / 'urdf' / 'palletizer.urdf'


def main() -> None:
    """Print what the passive joints follow, and the largest efforts of a pick."""
    model = read_urdf(URDF)
    dynamics = InverseDynamics(model)
    print(f'motors: {", ".join(dynamics.joint_names)}')
    for joint in model.joints:
        if joint.name in dynamics.passive_names and joint.mimic is not None:
            terms = [f'{mimic.multiplier:+g} {mimic.joint}'
                     for mimic in (joint.mimic, *joint.also)]
            print(f'    {joint.name} = {" ".join(terms)}')

    # a pick of half a second, and what its motors must supply: power is the change of energy
    t = np.linspace(0.0, 1.0, 501)[:, None]
    s, sd, sdd = (10 * t**3 - 15 * t**4 + 6 * t**5, 30 * t**2 - 60 * t**3 + 30 * t**4,
                  60 * t - 180 * t**2 + 120 * t**3)
    way, duration = np.array([1.2, 0.4, 0.0, 0.3]), 0.5
    q, qd, qdd = s * way, sd * way / duration, sdd * way / duration**2
    tau = dynamics(q, qd, qdd)
    for name, largest in dynamics.named(np.abs(tau).max(axis=0)).items():
        print(f'{name}: at most {largest:.1f} N m')
    energy = dynamics.energy(q, qd).sum(axis=1)
    power, step = (tau * qd).sum(axis=1), duration / (len(t) - 1)
    work = step * float(power.sum() - 0.5 * (power[0] + power[-1]))
    print(f'work {work:.3f} J, energy {energy[-1] - energy[0]:.3f} J')
    print(f'{len(dynamics.base_parameters.names)} base parameters, {dynamics.operations}')
    print(f'C: {", ".join(export_model(model, "c"))}')


if __name__ == '__main__':
    try:
        main()
    except (Urdf2DynError, OSError, ValueError) as error:
        sys.exit(f'{error}; in a clone of the repository: '
                 'python examples/palletizer.py')
