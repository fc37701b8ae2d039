"""
Inverse dynamics of 'robot_2r': tau = ID(q, qd, qdd), the efforts that give a motion.

Recursive Newton-Euler, readable style, written by urdf2dyn_ros 0.1.0.
SI: rad, m, kg, s, N, N m. Efforts are positive along the axis: what the actuator must
supply. Inputs must be finite: products with what is always zero are omitted.
Rigid links alone: no friction, no rotors, no springs, no contact.
Gravity (0, -9.81, 0) m/s^2 in the root frame.
Lengths of 0 and quarter turns of the URDF are folded in (`export --general`: nothing is).
One call: 25 multiplications, 17 additions, 4 sines and cosines.

    i  joint   type        moves  parent  q    effort  frame i: link's
    1  joint1  continuous  link1  root    rad  N m     x y z
    2  joint2  continuous  link2  1       rad  N m     x y z

Notation, after Khalil and Dombre (v x w: cross product, R': transpose of R, p: parent of i):
    frame i       on link i, origin on joint i, z along the joint's axis; the root frame is 0
    Ai, Ri        constant rotation from joint i to frame p; rotation of joint i, by qi about z
    pi            origin of joint i in frame p; bi: acceleration of frame p there, as ai
    ci, si        cosine and sine of qi
    wi, wdi       angular velocity and its derivative, in frame i; w0 = wd0 = 0
    ai            acceleration of the origin minus gravity, in frame i; a0 = -g
    Ui            Ui r = wdi x r + wi x (wi x r): acceleration of r relative to the origin
    mi, hi, Ji    mass, first moments (mass times centre), inertia about the origin, in frame i
    Fi, Ni        force and moment that accelerate link i by itself; Li = Ji wi
    fi, ni        force and moment that joint i transmits; fpi, npi: the same in frame p
    wji, .. nji   the same in the axes of joint i: before it turns, or turned back (fji, nji)
    = (.., _, ..) entries of a formula that are known; _ is one that is not needed
Self-test: python3 robot_2r_casadi.py
"""
JOINT_NAMES = ('joint1', 'joint2')
EFFORT_UNITS = ('N m', 'N m')

# ==== Parameters, as in the URDF: change a line, run again, and the efforts follow ===============
# the root
g_y = -9.81                                       # gravity in the root frame [m/s^2]

# link 1 'link1', turned by joint 1 'joint1'
m1 = 3.0                                          # mass [kg]
com1_x, com1_y, com1_z = 1.0, 0.0, 0.0            # centre of mass in the link [m]
I1_xx, I1_yy, I1_zz = 1.2, 15.6, 15.6             # inertia about the centre of mass [kg m^2]
I1_xy, I1_xz, I1_yz = 0.0, 0.0, 0.0               # its products, entries of the tensor [kg m^2]

# link 2 'link2', turned by joint 2 'joint2'
m2 = 5.0                                          # mass [kg]
com2_x, com2_y, com2_z = 1.0, 0.0, 0.0            # centre of mass in the link [m]
I2_xx, I2_yy, I2_zz = 2.0, 10.0, 10.0             # inertia about the centre of mass [kg m^2]
I2_xy, I2_xz, I2_yz = 0.0, 0.0, 0.0               # its products, entries of the tensor [kg m^2]
p2_x = 2.0                                        # origin of joint 2 in frame 1 [m]

# ==== What follows from them, in the frames of the equations =====================================
# First moments h = m c of centres c; inertia about the origin J = I + m (c.c 1 - c c')
h1_x, h1_y, h1_z = m1 * com1_x, m1 * com1_y, m1 * com1_z
J1_xz = I1_xz - m1 * com1_x * com1_z
J1_yz = I1_yz - m1 * com1_y * com1_z
J1_zz = I1_zz + m1 * (com1_x * com1_x + com1_y * com1_y)

h2_x, h2_y, h2_z = m2 * com2_x, m2 * com2_y, m2 * com2_z
J2_xz = I2_xz - m2 * com2_x * com2_z
J2_yz = I2_yz - m2 * com2_y * com2_z
J2_zz = I2_zz + m2 * (com2_x * com2_x + com2_y * com2_y)

from casadi import cos, sin   # noqa: E402, F811
from casadi import blockcat, vertcat, vertsplit   # noqa: E402


def entries(x):
    """Return the entries of a column (n, 1), or of a list."""
    return vertsplit(x)


def vector(q, entries):
    """Return a column."""
    return vertcat(*entries)


def matrix(q, rows):
    """Return a matrix."""
    return blockcat(rows)


def inverse_dynamics(q, qd, qdd):
    """
    Return the efforts tau that a motion requires.

    q [rad or m], qd [rad/s or m/s], qdd [rad/s^2 or m/s^2], by JOINT_NAMES; efforts [N m or N].
    """
    (q1, q2), (qd1, qd2), (qdd1, qdd2) = entries(q), entries(qd), entries(qdd)

    # ==== Forward, root to tips: motion of each link, and what accelerates it ====================
    # ---- link 1 'link1', turned by joint 1 'joint1'
    # b1 = a0 + U0 p1 = (0, -g_y, 0)
    c1, s1 = cos(q1), sin(q1)             # R1: turn about z by q1
    # w1 = R1' w0 + qd1 z = (0, 0, qd1)
    # wd1 = R1' wd0 + qdd1 z + R1' w0 x qd1 z = (0, 0, qdd1)
    a1_x, a1_y = -g_y * s1, -g_y * c1     # a1 = R1' b1 = (a1_x, a1_y, 0)
    ww1_zz = qd1 * qd1                    # ww1 = w1 w1'
    # U1 = [wd1]x + [w1]x [w1]x, U1_xx = -ww1_zz, U1_xy = -qdd1, U1_yx = qdd1, U1_yy = -ww1_zz
    # N1 = J1 wd1 + w1 x L1 + h1 x a1 = (_, _, N1_z)
    N1_z = J1_zz * qdd1 - h1_y * a1_x + h1_x * a1_y

    # ---- link 2 'link2', turned by joint 2 'joint2'
    b2_x, b2_y = a1_x - p2_x * ww1_zz, a1_y + p2_x * qdd1  # b2 = a1 + U1 p2 = (b2_x, b2_y, 0)
    c2, s2 = cos(q2), sin(q2)             # R2: turn about z by q2
    w2_z = qd1 + qd2                      # w2 = R2' w1 + qd2 z = (0, 0, w2_z)
    wd2_z = qdd1 + qdd2                   # wd2 = R2' wd1 + qdd2 z + R2' w1 x qd2 z = (0, 0, wd2_z)
    a2_x, a2_y = b2_x * c2 + b2_y * s2, b2_y * c2 - b2_x * s2  # a2 = R2' b2 = (a2_x, a2_y, 0)
    ww2_zz = w2_z * w2_z                  # ww2 = w2 w2'
    # U2 = [wd2]x + [w2]x [w2]x, U2_xx = -ww2_zz, U2_xy = -wd2_z, U2_yx = wd2_z, U2_yy = -ww2_zz
    F2_x = m2 * a2_x - h2_x * ww2_zz - h2_y * wd2_z  # F2 = m2 a2 + U2 h2 = (F2_x, F2_y, 0)
    F2_y = m2 * a2_y - h2_y * ww2_zz + h2_x * wd2_z
    # N2 = J2 wd2 + w2 x L2 + h2 x a2 = (_, _, N2_z)
    N2_z = J2_zz * wd2_z - h2_y * a2_x + h2_x * a2_y

    # ==== Backward, tips to root: force f and moment n that each joint transmits =================
    # ---- link 2 'link2', turned by joint 2 'joint2'
    # f2 = F2 = (F2_x, F2_y, 0)
    # n2 = N2 = (_, _, N2_z)
    fj2_y = c2 * F2_y + s2 * F2_x         # fj2 = R2 f2 = (_, fj2_y, 0)
    # nj2 = R2 n2 = (_, _, N2_z)
    # fp2 = fj2 = (_, fj2_y, 0)
    np2_z = N2_z + p2_x * fj2_y           # np2 = nj2 + p2 x fp2 = (_, _, np2_z)

    # ---- link 1 'link1', turned by joint 1 'joint1'
    n1_z = N1_z + np2_z                   # n1 = N1 + np2 = (_, _, n1_z)
    # nj1 = R1 n1 = (_, _, n1_z)

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
    q, qd, qdd = ([row[k] for row in array_of_variables] for k in range(3))
    for name, entry, unit in zip(JOINT_NAMES, inverse_dynamics(q, qd, qdd).full().ravel().tolist(),
                                 EFFORT_UNITS):
        print(f'{ascii(name)[1:-1]:24} {entry: .9g} {unit}')
    exported = {'g_y': -9.81, 'm1': 3.0, 'com1_x': 1.0, 'com1_y': 0.0, 'com1_z': 0.0, 'I1_xx': 1.2,
                'I1_yy': 15.6, 'I1_zz': 15.6, 'I1_xy': 0.0, 'I1_xz': 0.0, 'I1_yz': 0.0, 'm2': 5.0,
                'com2_x': 1.0, 'com2_y': 0.0, 'com2_z': 0.0, 'I2_xx': 2.0, 'I2_yy': 10.0,
                'I2_zz': 10.0, 'I2_xy': 0.0, 'I2_xz': 0.0, 'I2_yz': 0.0, 'p2_x': 2.0}
    changed = [name for name in exported if globals()[name] != exported[name]]
    for name in changed:
        print(f'parameter {name} was changed: the reference values do not apply')
    if changed:
        raise SystemExit
    wrong = []
    for k in range(len(reference_q)):
        tau = inverse_dynamics(reference_q[k], reference_qd[k], reference_qdd[k])
        wrong += differences('inverse_dynamics', tau.full().ravel().tolist(),
                             expected_inverse_dynamics[k])
    print('differs from the reference:' if wrong else 'agrees with the reference', *wrong,
          sep='\n    ')
    raise SystemExit(1 if wrong else 0)
