"""
Move a foot of the humanoid along a cubic path, and its knee where the foot leaves it free to go.

    python examples/track_cubic.py [MOTION.gif]

The leg has seven joints and the pose of the foot six coordinates. Damped least squares follow the
path, and a second task turns the knee outwards in the null space of the first. The motion is drawn
in a GIF, and the errors are printed, also those without the second task.

This is no solver of inverse kinematics: it begins at a posture on the path, follows small steps,
and knows neither limits nor collisions. Pink solves tasks with limits as quadratic programs,
TRAC-IK finds a posture for any pose, and EAIK has closed solutions for many arms.
"""

import sys
from pathlib import Path

try:
    import numpy as np

    from urdf2dyn_ros import InverseDynamics, Urdf2DynError
except ImportError as error:
    sys.exit(f"this example needs urdf2dyn_ros ({error}); in a clone of it: pip install '.[all]'")

try:
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure
    from PIL import Image
except ImportError as error:
    sys.exit(f'this example needs matplotlib and Pillow ({error}): pip install matplotlib')

URDF = Path(__file__).parent.parent / 'urdf' / 'humanoid_3p33r.urdf'
FOOT, LEG = 'foot_R', ('rHJX_R', 'rHJY_R', 'rHJZ_R', 'rKJZ_R', 'rAJX_R', 'rAJY_R', 'rAJZ_R')
DURATION, STEPS, FRAMES = 2.0, 200, 16   # [s]
GAIN, DAMPING = 20.0, 0.01   # [1/s]; of least squares, in [m] and [rad]
OUTWARDS, SLOWLY = -0.45, 3.0   # angle of rHJY_R [rad], and how fast it goes there [1/s]
START = {'rHJZ_R': 0.35, 'rKJZ_R': -0.8, 'rAJZ_R': 0.2}   # [rad]
VIA = np.array([[0.0, 0.0, 0.0], [0.02, 0.22, 0.02], [0.3, 0.2, 0.1], [0.3, 0.04, 0.06]])
"""Control points of the cubic, from the first place of the foot [m]: x forward, y up, z right."""

try:
    dynamics = InverseDynamics(URDF, gravity=(0.0, -9.81, 0.0))
except Urdf2DynError as error:
    sys.exit(f'{error}; run this example in a clone of the repository')
COLUMNS = [dynamics.joint_names.index(name) for name in LEG]


def cubic(time: float) -> tuple[np.ndarray, np.ndarray]:
    """Return place and velocity of a Bezier curve, whose parameter begins and ends at rest."""
    share = time / DURATION
    s, rate = share * share * (3.0 - 2.0 * share), 6.0 * share * (1.0 - share) / DURATION
    r = 1.0 - s
    place = np.array([r ** 3, 3.0 * s * r ** 2, 3.0 * s ** 2 * r, s ** 3]) @ VIA
    slope = 3.0 * np.array([-r ** 2, r ** 2 - 2.0 * s * r, 2.0 * s * r - s ** 2, s ** 2]) @ VIA
    return place, slope * rate


def rotation_between(R: np.ndarray, wanted: np.ndarray) -> np.ndarray:
    """Return the small rotation vector (3,) that leads from axes to the wanted ones."""
    return 0.5 * sum(np.cross(R[:, k], wanted[:, k]) for k in range(3))


def follow(second_task: bool) -> tuple[np.ndarray, np.ndarray]:
    """Return positions of all joints (N, n), and errors of the foot in [m] and [rad] (N, 2)."""
    q = np.zeros(len(dynamics.joint_names))
    for name, angle in START.items():
        q[dynamics.joint_names.index(name)] = angle
    first_R, first_p = dynamics.forward_kinematics(q, link=FOOT)
    motion, errors = [q.copy()], []
    for k in range(1, STEPS + 1):
        place, _ = cubic(DURATION * (k - 1) / STEPS)
        _, velocity = cubic(DURATION * (k - 0.5) / STEPS)
        R, p = dynamics.forward_kinematics(q, link=FOOT)
        J = dynamics.jacobian(q, link=FOOT)[:, COLUMNS]
        away = np.concatenate([first_p + place - p, rotation_between(R, first_R)])
        wanted = GAIN * away + np.concatenate([velocity, np.zeros(3)])
        damped = J.T @ np.linalg.inv(J @ J.T + DAMPING ** 2 * np.eye(6))
        qd = damped @ wanted
        if second_task:
            free = np.linalg.svd(J)[2][6:]   # what moves no coordinate of the foot
            inner = np.zeros(len(LEG))
            inner[1] = SLOWLY * (OUTWARDS - q[COLUMNS[1]])
            qd += free.T @ (free @ inner)
        q[COLUMNS] += DURATION / STEPS * qd
        motion.append(q.copy())
        R, p = dynamics.forward_kinematics(q, link=FOOT)
        place, _ = cubic(DURATION * k / STEPS)
        errors.append([np.linalg.norm(first_p + place - p),
                       np.linalg.norm(rotation_between(R, first_R))])
    return np.array(motion), np.array(errors)


def draw(motion: np.ndarray, path: Path) -> None:
    """Animate the legs from the side and from the front, with the path and the foot's way."""
    names = [(f'rHJX_{side}_massless', f'shank_{side}', f'foot_{side}') for side in 'LR']
    shown = motion[np.linspace(0, STEPS, FRAMES).astype(int)]
    points = {link: dynamics.forward_kinematics(shown, link=link)[1]
              for links in names for link in links}
    R, p = dynamics.forward_kinematics(shown, link=FOOT)
    points['toe'] = p + R @ np.array([0.15, -0.05, 0.0])
    curve = p[0] + np.array([cubic(t)[0] for t in np.linspace(0.0, DURATION, 50)])
    figure = Figure(figsize=(5.6, 3.6), dpi=70)
    canvas, panels = FigureCanvasAgg(figure), figure.subplots(1, 2, sharey=True)
    figure.subplots_adjust(0.12, 0.14, 0.98, 0.92, 0.05)
    lines = []
    for panel, axis, title in zip(panels, (0, 2), ('from the side', 'from the front')):
        panel.plot(curve[:, axis], curve[:, 1], '--', color='#009E73', label='path')
        lines += [panel.plot([], [], 'o-', lw=4, color=colour, animated=True)[0]
                  for colour in ('.75', '#0072B2')]
        lines.append(panel.plot([], [], color='#D55E00', label='foot', animated=True)[0])
        panel.set(aspect='equal', xlim=(-0.3, 0.5), ylim=(-0.9, 0.1), title=title,
                  xlabel=f'{"xyz"[axis]} [m]')
    panels[0].set_ylabel('y [m]')
    panels[0].legend(loc='lower left', fontsize=8)
    canvas.draw()
    paper, frames = canvas.copy_from_bbox(figure.bbox), []
    for k in range(FRAMES):
        canvas.restore_region(paper)
        for axis, (left, right, way) in ((0, lines[:3]), (2, lines[3:])):
            for line, links in ((left, names[0]), (right, (*names[1], 'toe'))):
                line.set_data([points[link][k, axis] for link in links],
                              [points[link][k, 1] for link in links])
            way.set_data(p[:k + 1, axis], p[:k + 1, 1])
        for line in lines:
            line.axes.draw_artist(line)
        frames.append(Image.fromarray(np.array(canvas.buffer_rgba())[:, :, :3]))
    frames[0].save(path, save_all=True, append_images=frames[1:], duration=120, loop=0)


def main() -> None:
    """Print the errors, and draw."""
    path = Path(sys.argv[1] if len(sys.argv) > 1 else 'track_cubic.gif')
    for text, second_task in (('path alone', False), ('with the second task', True)):
        motion, errors = follow(second_task)
        print(f'{text}: the foot is off by {1e3 * errors[:, 0].max():.3f} mm and '
              f'{1e3 * errors[:, 1].max():.3f} mrad at most; rHJY_R ends at '
              f'{motion[-1, COLUMNS[1]]:.3f} rad')
    draw(motion, path)
    print(path)


if __name__ == '__main__':
    try:
        main()
    except (Urdf2DynError, OSError, ValueError) as error:
        sys.exit(f'{error}; in a clone of the repository: '
                 'python examples/track_cubic.py [MOTION.gif]')
