"""
Inverse dynamics of 'robot_2r': tau = ID(q, qd, qdd), the efforts that give a motion.

Recursive Newton-Euler, fast style, written by urdf2dyn_ros 0.1.0.
SI: rad, m, kg, s, N, N m. Efforts are positive along the axis: what the actuator must
supply. Inputs must be finite: products with what is always zero are omitted.
Rigid links alone: no friction, no rotors, no springs, no contact.
Gravity (0, -9.81, 0) m/s^2 in the root frame.
One call: 17 multiplications, 10 additions, 4 sines and cosines.

    i  joint   type        moves  parent  q    effort  frame i: link's
    1  joint1  continuous  link1  root    rad  N m     x y z
    2  joint2  continuous  link2  1       rad  N m     x y z
Self-test: python3 robot_2r_jax.py
"""
JOINT_NAMES = ('joint1', 'joint2')
EFFORT_UNITS = ('N m', 'N m')

from jax.numpy import cos, sin   # noqa: E402, F811
from jax.numpy import asarray, broadcast_arrays, moveaxis, stack, zeros   # noqa: E402


def entries(x):
    """Return the entries of (..., n), each (...)."""
    return moveaxis(asarray(x), -1, 0)


def vector(q, entries):
    """Return entries as (..., n), for as many states as there are."""
    q = asarray(q)
    *entries, _ = broadcast_arrays(*entries, zeros(q.shape[:-1]))
    return stack(entries, -1) if entries else q


def matrix(q, rows):
    """Return rows of entries as (..., n, m)."""
    whole = vector(q, [entry for row in rows for entry in row])
    return whole.reshape(*whole.shape[:-1], len(rows), len(rows[0]) if rows else 0)


def inverse_dynamics(q, qd, qdd):
    """
    Return the efforts tau that a motion requires.

    q [rad or m], qd [rad/s or m/s], qdd [rad/s^2 or m/s^2], by JOINT_NAMES; efforts [N m or N].
    """
    (q1, q2), (qd1, qd2), (qdd1, qdd2) = entries(q), entries(qd), entries(qdd)

    # ==== Forward, root to tips: motion of each link, and what accelerates it ====================
    # ---- link 1 'link1', turned by joint 1 'joint1'
    c1 = cos(q1)

    # ---- link 2 'link2', turned by joint 2 'joint2'
    c2 = cos(q2)
    s2 = sin(q2)
    w2_z = qd1 + qd2
    wd2_z = qdd1 + qdd2
    N2_z = (15.0 * wd2_z + 5.0 * ((9.81 * c1 + 2.0 * qdd1) * c2 - (9.81 * sin(q1)
            - 2.0 * qd1 * qd1) * s2))

    # ==== Backward, tips to root: force f and moment n that each joint transmits =================
    # ---- link 1 'link1', turned by joint 1 'joint1'
    n1_z = 38.6 * qdd1 + 127.53 * c1 + N2_z + 2.0 * (c2 * 5.0 * wd2_z - s2 * 5.0 * w2_z * w2_z)

    return vector(q, [n1_z,               # 1 [N m]
                      N2_z])              # 2 [N m]

# ==== A state to evaluate, in rad, m and s: fill it in and run this file =========================
gv_position_joint1, gv_velocity_joint1, gv_acceleration_joint1 = 0.35, 1.16, 1.03  # rad
gv_position_joint2, gv_velocity_joint2, gv_acceleration_joint2 = 0.78, 0.17, -1.83  # rad
array_of_variables = [[gv_position_joint1, gv_velocity_joint1, gv_acceleration_joint1],
                      [gv_position_joint2, gv_velocity_joint2, gv_acceleration_joint2]]
# States, and the results expected with the parameters as they were exported
reference_q = [[0.35, 0.78], [0.61, -0.86], [-0.86, 0.36]]
reference_qd = [[1.16, 0.17], [-0.19, -1.0], [-1.0, 1.16]]
reference_qdd = [[1.03, -1.83], [-1.99, 0.62], [0.62, 1.0]]
expected_inverse_dynamics = [[167.14198500435336, 25.713400885261393],
                             [43.2271944383838, 13.718067503237304],
                             [198.87942395510254, 76.67072730027688]]


def differences(function, found, expected):
    """Return what to say about entries that are not what is expected."""
    return [f'{function}, {ascii(name)}: {a!r} instead of {b!r}'
            for name, a, b in zip(JOINT_NAMES, found, expected)
            if not abs(a - b) <= 1e-9 * max(1.0, abs(b))]


if __name__ == '__main__':
    from jax import config
    config.update('jax_enable_x64', True)
    q, qd, qdd = ([row[k] for row in array_of_variables] for k in range(3))
    for name, entry, unit in zip(JOINT_NAMES, inverse_dynamics(q, qd, qdd).tolist(), EFFORT_UNITS):
        print(f'{ascii(name)[1:-1]:24} {entry: .9g} {unit}')
    wrong = []
    for k in range(len(reference_q)):
        tau = inverse_dynamics(reference_q[k], reference_qd[k], reference_qdd[k])
        wrong += differences('inverse_dynamics', tau.tolist(), expected_inverse_dynamics[k])
    print('differs from the reference:' if wrong else 'agrees with the reference', *wrong,
          sep='\n    ')
    raise SystemExit(1 if wrong else 0)
