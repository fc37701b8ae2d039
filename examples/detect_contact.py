"""
Find a push on the tool in a recording, from measured efforts and without accelerations.

    python examples/detect_contact.py

The recording has no contact. The efforts of a push of 30 N at the last link, which lasts from 2.0
to 2.3 s, are added to the measured ones. The observer receives positions, velocities and efforts
only.
"""

import sys
from pathlib import Path

try:
    import numpy as np

    from urdf2dyn_ros import (
        Contact,
        ContactDetector,
        InverseDynamics,
        Loads,
        MomentumObserver,
        Urdf2DynError,
    )
except ImportError as error:
    sys.exit(f"this example needs urdf2dyn_ros ({error}); in a clone of it: pip install '.[all]'")

HERE = Path(__file__).parent
URDF = HERE.parent / 'urdf' / 'rx90.urdf'
PUSH = (0.0, 0.0, -30.0, 0.0, 0.0, 0.0)   # force [N] and moment [N m], axes of link6
BEGIN, END = 2.0, 2.3   # [s]


def recording() -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Return time (N,), q, qd and effort (N, n) of rx90.csv."""
    table = np.genfromtxt(HERE / 'rx90.csv', delimiter=',', names=True)
    names = table.dtype.names or ()
    q, qd, effort = (np.stack([table[name] for name in names if name.startswith(what)], 1)
                     for what in ('q_', 'qd_', 'effort_'))
    return table['time'], q, qd, effort


def with_push(time: np.ndarray, q: np.ndarray, effort: np.ndarray) -> np.ndarray:
    """Return the efforts (N, n) that a robot would measure that is pushed."""
    pushed = InverseDynamics(URDF, loads=Loads(external=('link6',)))
    by_push = np.subtract(pushed.gravity(q, PUSH), pushed.gravity(q, np.zeros(6)))   # - J'F
    during = (time >= BEGIN) & (time < END)
    return effort + np.where(during[:, None], by_push, 0.0)


def contacts() -> list[Contact]:
    """Return the contacts that the observer detects."""
    time, q, qd, effort = recording()
    measured = with_push(time, q, effort)
    dynamics = InverseDynamics(URDF)
    observer = MomentumObserver(dynamics, gain=(100.0,))
    detector = ContactDetector(dynamics.joint_names, thresholds=(5.0,))
    found: list[Contact] = []
    for stamp, *sample in zip((time * 1e9).astype(int).tolist(), q, qd, measured):
        external = observer.update(stamp, *sample)
        if external is not None:
            found += detector.update(stamp, external)
    return found


def main() -> None:
    """Print the contacts."""
    for contact in contacts():
        print(f'{contact.joint}: contact from {contact.begin * 1e-9:.2f} to '
              f'{contact.end * 1e-9:.2f} s, peak {contact.peak:.1f} N m')


if __name__ == '__main__':
    try:
        main()
    except (Urdf2DynError, OSError, ValueError) as error:
        sys.exit(f'{error}; in a clone of the repository: '
                 'python examples/detect_contact.py')
