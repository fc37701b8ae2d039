"""
Forward dynamics of 'robot_2r': qdd = FD(q, qd, tau), the accelerations that efforts cause.

Recursive Newton-Euler, readable style, written by urdf2dyn_ros 0.1.0.
SI: rad, m, kg, s, N, N m. Efforts are positive along the axis: what the actuator must
supply. Inputs must be finite: products with what is always zero are omitted.
Rigid links alone: no friction, no rotors, no springs, no contact.
Gravity (0, -9.81, 0) m/s^2 in the root frame.
Lengths of 0 and quarter turns of the URDF are folded in (`export --general`: nothing is).
One call: 35 multiplications, 29 additions, 2 divisions, 4 sines and cosines.

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
    biasi         effort of joint i where all accelerations are zero
    mci, hci, Sci mass, first and second moments of link i with all that it carries
    Mij           entry of the mass matrix: effort of joint i where joint j accelerates by 1
    rij, di, lij  the rest of Mij as the joints behind i move freely; rii; rij / di, idi: 1 / di
    ei            effort that is left for joint i as the joints behind it move freely
    = (.., _, ..) entries of a formula that are known; _ is one that is not needed
Self-test: python3 robot_2r_dynamics.py
"""
from math import cos, sin
# from numpy import cos, sin   # instead of it, where numbers are arrays of samples
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
# Second moments, the integral of r r' over the mass: S = trace(J)/2 1 - J
h1_x, h1_y = m1 * com1_x, m1 * com1_y
J1_xx = I1_xx + m1 * (com1_y * com1_y + com1_z * com1_z)
J1_yy = I1_yy + m1 * (com1_x * com1_x + com1_z * com1_z)
J1_zz = I1_zz + m1 * (com1_x * com1_x + com1_y * com1_y)
kt12 = 0.5 * (J1_zz + J1_xx + J1_yy)
S1_xx, S1_yy = kt12 - J1_xx, kt12 - J1_yy

h2_x, h2_y = m2 * com2_x, m2 * com2_y
J2_xx = I2_xx + m2 * (com2_y * com2_y + com2_z * com2_z)
J2_xy = I2_xy - m2 * com2_x * com2_y
J2_yy = I2_yy + m2 * (com2_x * com2_x + com2_z * com2_z)
J2_zz = I2_zz + m2 * (com2_x * com2_x + com2_y * com2_y)
kt15 = 0.5 * (J2_zz + J2_xx + J2_yy)
S2_xx, S2_yy = kt15 - J2_xx, kt15 - J2_yy


def forward_dynamics(q, qd, tau):
    """
    Return the accelerations qdd that efforts cause, the inverse of inverse_dynamics.

    q [rad or m], qd [rad/s or m/s], tau [N m or N], by JOINT_NAMES; accelerations [rad/s^2 or
        m/s^2].
    """
    (q1, q2), (qd1, qd2), (tau1, tau2) = q, qd, tau

    # ==== Forward, root to tips: motion of each link, and what accelerates it ====================
    # ---- link 1 'link1', turned by joint 1 'joint1'
    # b1 = a0 + U0 p1 = (0, -g_y, 0)
    c1, s1 = cos(q1), sin(q1)             # R1: turn about z by q1
    # w1 = R1' w0 + qd1 z = (0, 0, qd1)
    # wd1 = R1' wd0 + qdd1 z + R1' w0 x qd1 z = (0, 0, 0)
    a1_x, a1_y = -g_y * s1, -g_y * c1     # a1 = R1' b1 = (a1_x, a1_y, 0)
    ww1_zz = qd1 * qd1                    # ww1 = w1 w1'
    # U1 = [wd1]x + [w1]x [w1]x, U1_xx = -ww1_zz, U1_yy = -ww1_zz
    N1_z = h1_x * a1_y - h1_y * a1_x      # N1 = J1 wd1 + w1 x L1 + h1 x a1 = (_, _, N1_z)

    # ---- link 2 'link2', turned by joint 2 'joint2'
    b2_x = a1_x - p2_x * ww1_zz           # b2 = a1 + U1 p2 = (b2_x, a1_y, 0)
    c2, s2 = cos(q2), sin(q2)             # R2: turn about z by q2
    w2_z = qd1 + qd2                      # w2 = R2' w1 + qd2 z = (0, 0, w2_z)
    # wd2 = R2' wd1 + qdd2 z + R2' w1 x qd2 z = (0, 0, 0)
    a2_x, a2_y = b2_x * c2 + a1_y * s2, a1_y * c2 - b2_x * s2  # a2 = R2' b2 = (a2_x, a2_y, 0)
    ww2_zz = w2_z * w2_z                  # ww2 = w2 w2'
    # U2 = [wd2]x + [w2]x [w2]x, U2_xx = -ww2_zz, U2_yy = -ww2_zz
    F2_x = m2 * a2_x - h2_x * ww2_zz      # F2 = m2 a2 + U2 h2 = (F2_x, F2_y, 0)
    F2_y = m2 * a2_y - h2_y * ww2_zz
    N2_z = h2_x * a2_y - h2_y * a2_x      # N2 = J2 wd2 + w2 x L2 + h2 x a2 = (_, _, N2_z)

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

    # ==== Tips to root: moments of the mass of each link with what it carries ====================
    # ---- link 1 'link1', turned by joint 1 'joint1'
    # mc1, hc1, Sc1: m1, h1, S1 and those of what link 1 carries, in frame 1
    t37 = c2 * (c2 * (S2_yy - S2_xx) - s2 * 2.0 * J2_xy) - S2_yy
    n2_z_2, fj2_y_2 = S2_xx + S2_yy, h2_x * c2 - h2_y * s2
    t40 = p2_x * fj2_y_2
    Sc1_xx = S1_xx - t37 + p2_x * m2 * p2_x + t40 + t40
    Sc1_yy = S1_yy + t37 + n2_z_2

    # ==== Columns: force and moment that a unit acceleration of one joint requires ===============
    # ---- joint 1 'joint1' accelerates by 1 rad/s^2
    n1_z_1 = Sc1_xx + Sc1_yy              # n1: moment of Sc1, and hc1 x a1 = (_, _, n1_z_1)

    # ---- joint 2 'joint2' accelerates by 1 rad/s^2
    np2_z_2 = n2_z_2 + t40                # np2 = nj2 + p2 x fp2 = (_, _, np2_z_2)

    # ==== Factors of the mass matrix, M = L' D L, tips to root ===================================
    # ---- joint 2 'joint2': r2_j = M2_j, d2 = r2_2, l2_j = r2_j / d2
    id2 = 1.0 / n2_z_2
    l2_1 = np2_z_2 * id2

    # ---- joint 1 'joint1': r1_j = M1_j - l2_1 r2_j, d1 = r1_1, l1_j = r1_j / d1
    d1 = n1_z_1 - np2_z_2 * l2_1
    id1 = 1.0 / d1

    # ==== Accelerations: L' D L qdd = tau - bias =================================================
    # ---- tips to root: ei = taui - biasi - sum of lk_i ek over the joints k behind
    e2 = tau2 - N2_z
    e1 = tau1 - n1_z - l2_1 * e2

    # ---- root to tips: qddi = ei / di - sum of li_j qddj over the joints j before
    qdd1 = id1 * e1
    qdd2 = id2 * e2 - l2_1 * qdd1

    return [qdd1,                         # 1 [rad/s^2]
            qdd2]                         # 2 [rad/s^2]

# ==== A state to evaluate, in rad, m and s: fill it in and run this file =========================
gv_position_joint1, gv_velocity_joint1, gv_effort_joint1 = 0.35, 1.16, 1.79  # rad
gv_position_joint2, gv_velocity_joint2, gv_effort_joint2 = 0.78, 0.17, 8.52  # rad
array_of_variables = [[gv_position_joint1, gv_velocity_joint1, gv_effort_joint1],
                      [gv_position_joint2, gv_velocity_joint2, gv_effort_joint2]]
# States, and the results expected with the parameters as they were exported
reference_q = [[0.35, 0.78], [0.61, -0.86], [-0.86, 0.36]]
reference_qd = [[1.16, 0.17], [-0.19, -1.0], [-1.0, 1.16]]
reference_tau = [[1.79, 8.52], [7.28, -7.84], [-7.84, 1.94]]
expected_forward_dynamics = [[-2.9440903298078833, 2.8813533486198564],
                             [-2.1301555448572427, -0.6160871361347022],
                             [-1.985621971686461, 0.24930236967253327]]


def differences(function, found, expected):
    """Return what to say about entries that are not what is expected."""
    return [f'{function}, {ascii(name)}: {a!r} instead of {b!r}'
            for name, a, b in zip(JOINT_NAMES, found, expected)
            if not abs(a - b) <= 1e-9 * max(1.0, abs(b))]


if __name__ == '__main__':
    q, qd, tau = ([row[k] for row in array_of_variables] for k in range(3))
    for name, entry, unit in zip(JOINT_NAMES, forward_dynamics(q, qd, tau), ['rad/s^2',
                                 'rad/s^2']):
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
        qdd = forward_dynamics(reference_q[k], reference_qd[k], reference_tau[k])
        wrong += differences('forward_dynamics', qdd, expected_forward_dynamics[k])
    print('differs from the reference:' if wrong else 'agrees with the reference', *wrong,
          sep='\n    ')
    raise SystemExit(1 if wrong else 0)
