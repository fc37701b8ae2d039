"""
Distribute the weight of the standing humanoid over the corners of its two feet.

    python examples/standing.py [PICTURE.png]

The humanoid has six joints between the world and its pelvis: at rest their efforts are the wrench
that the ground has to supply. Wrenches on the feet are arguments of `gravity`, so that the same
function returns how each of them changes the efforts. Forces at the corners, sums of the edges of
friction pyramids with factors that are not negative, must make these six efforts zero:
`scipy.optimize.nnls`, with a small weight on the size of the factors. What remains are the efforts
of the legs. The picture has the forces while she sways, and when she stands on one foot.
"""

import sys
from pathlib import Path

try:
    import numpy as np

    from urdf2dyn_ros import InverseDynamics, Loads, Urdf2DynError
except ImportError as error:
    sys.exit(f"this example needs urdf2dyn_ros ({error}); in a clone of it: pip install '.[all]'")

try:
    from matplotlib.figure import Figure
    from scipy.optimize import nnls
except ImportError as error:
    sys.exit(f'this example needs matplotlib and scipy ({error}): pip install matplotlib scipy')

URDF = Path(__file__).parent.parent / 'urdf' / 'humanoid_3p33r.urdf'
FEET, FRICTION, SMALL = ('foot_L', 'foot_R'), 0.7, 1e-3
CORNERS = np.array([[x, -0.0644, z] for x in (-0.053, 0.159) for z in (-0.04, 0.04)])
"""Corners of a sole in the frame of the foot [m]: x forward, y up, z right."""

EDGES = np.array([[FRICTION * x, 1.0, FRICTION * z]
                  for x, z in ((1, 0), (-1, 0), (0, 1), (0, -1))])
WRENCHES = np.array([np.concatenate([edge, np.cross(corner, edge)])
                     for corner in CORNERS for edge in EDGES])
"""Force [N] and moment [N m] about the origin of the foot for each factor (16, 6)."""

try:
    dynamics = InverseDynamics(URDF, gravity=(0.0, -9.81, 0.0), loads=Loads(external=FEET))
except Urdf2DynError as error:
    sys.exit(f'{error}; run this example in a clone of the repository')
NAMES = dynamics.joint_names


def swayed(angle: float) -> np.ndarray:
    """Return a posture with flat feet and arms forward, legs to the left by so many [rad]."""
    q = np.zeros(len(NAMES))
    for side in 'LR':
        q[NAMES.index(f'rHJX_{side}')], q[NAMES.index(f'rAJX_{side}')] = -angle, angle
        q[NAMES.index(f'rSJZ_{side}')] = 1.4
    return q


def distributed(q: np.ndarray, feet: tuple[str, ...] = FEET) -> tuple[np.ndarray, np.ndarray]:
    """Return forces at the corners of each foot (2, 4, 3) [N], and the efforts (n,) [N m or N]."""
    # those without contact, and the change of the efforts by each factor
    free = dynamics.gravity(q, np.zeros(12))
    on = [k for k, foot in enumerate(FEET) if foot in feet]
    each = np.zeros((16 * len(on), 12))
    for row, k in enumerate(on):
        each[16 * row:16 * row + 16, 6 * k:6 * k + 6] = WRENCHES
    change = dynamics.gravity(np.tile(q, (len(each), 1)), each) - free
    weighted = np.concatenate([change[:, :6].T, SMALL * np.eye(len(each))])
    factors, _ = nnls(weighted, np.concatenate([-free[:6], np.zeros(len(each))]))
    forces = np.zeros((2, 4, 3))
    forces[on] = np.einsum('kce,ei->kci', factors.reshape(-1, 4, 4), EDGES)
    return forces, free + factors @ change


def soles(q: np.ndarray) -> np.ndarray:
    """Return the corners of both feet in the root frame (2, 4, 3) [m]."""
    poses = [dynamics.forward_kinematics(q, link=foot) for foot in FEET]
    return np.array([p + CORNERS @ R.T for R, p in poses])


def pressed(forces: np.ndarray, corners: np.ndarray) -> np.ndarray:
    """Return the centre of pressure in the root frame (3,) [m]."""
    normal = forces[..., 1]
    return (normal[..., None] * corners).sum((0, 1)) / normal.sum()


def draw(cases: dict[str, tuple[np.ndarray, np.ndarray]], path: Path) -> None:
    """Draw the soles from above, with discs as large as the normal forces."""
    figure = Figure(figsize=(9, 3.4), layout='constrained')
    panels = figure.subplots(1, len(cases), sharey=True)
    for panel, (title, (q, forces)) in zip(panels, cases.items()):
        corners = soles(q)
        centre = corners[..., 2].mean()   # of the feet, which stand still
        for foot, force, colour in zip(corners, forces, ('#0072B2', '#E69F00')):
            outline = foot[[0, 1, 3, 2, 0]]
            panel.plot(outline[:, 2] - centre, outline[:, 0], color='.5')
            panel.scatter(foot[:, 2] - centre, foot[:, 0], 3.0 * force[:, 1], colour, alpha=0.6)
            panel.text(foot[:, 2].mean() - centre, 0.2, f'{force[:, 1].sum():.0f} N', ha='center')
        place = pressed(forces, corners)
        panel.plot(place[2] - centre, place[0], 'k+', ms=14, mew=2, label='centre of pressure')
        panel.set(aspect='equal', title=title, xlabel='to the right [m]', ylim=(-0.14, 0.25),
                  xlim=(-0.2, 0.2))
    panels[0].legend(loc='lower left', fontsize=8, framealpha=1)
    panels[0].set_ylabel('forward [m]')
    figure.savefig(path, dpi=100)


def main() -> None:
    """Print forces and the largest efforts, and draw."""
    path = Path(sys.argv[1] if len(sys.argv) > 1 else 'standing.png')
    cases = {}
    for title, angle, feet in (('upright', 0.0, FEET), ('swayed to the left', 0.06, FEET),
                               ('on the left foot', 0.11, FEET[:1])):
        q = swayed(angle)
        forces, efforts = distributed(q, feet)
        if np.abs(efforts[:6]).max() > 0.1:
            print(f'{title}: she falls; the ground lacks {np.abs(efforts[:6]).max():.1f} N or N m')
            continue
        left, right = forces[..., 1].sum(1)
        most = 6 + int(np.abs(efforts[6:]).argmax())
        print(f'{title}: {left:.1f} N on the left foot, {right:.1f} N on the right one; the '
              f'largest effort is {efforts[most]:.1f} N m at {NAMES[most]}')
        cases[title] = q, forces
    draw(cases, path)
    print(path)


if __name__ == '__main__':
    try:
        main()
    except (Urdf2DynError, OSError, ValueError) as error:
        sys.exit(f'{error}; in a clone of the repository: '
                 'python examples/standing.py [PICTURE.png]')
