"""
Inverse dynamics of 'robot_2r': tau = ID(q, qd, qdd), the efforts that give a motion.

Recursive Newton-Euler, readable style, written by urdf2dyn_ros 0.1.0.
SI: rad, m, kg, s, N, N m. Efforts are positive along the axis: what the actuator must
supply. Inputs must be finite: products with what is always zero are omitted.
Rigid links with friction, rotors and springs at joints; no contact.
Gravity (0, -9.81, 0) m/s^2 in the root frame.
Lengths of 0 and quarter turns of the URDF are folded in (`export --general`: nothing is).
One call: 33 multiplications, 25 additions, 4 sines and cosines, 2 hyperbolic tangents and
    exponentials.

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
    Ti, wri       rotation to the root frame, and wi there; ri, vi, acci: motion of the origin there
    = (.., _, ..) entries of a formula that are known; _ is one that is not needed
Self-test: python3 robot_2r_dynamics.py
"""
from math import cos, exp, sin, tanh
# from numpy import cos, exp, sin, tanh   # instead of it, where numbers are arrays of samples
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
Fv1 = 2.0                                         # viscous friction [N m s/rad]
Fc1 = 1.5                                         # Coulomb friction [N m]
iw1 = 100.0                                       # 1 over the width of its sign [s/rad]
Fs1 = 0.5                                         # what sticking takes more than sliding [N m]
# 1 over the Stribeck velocity squared [s^2/rad^2]
iv1 = 400.0
Fo1 = 0.1                                         # offset of friction [N m]
Im1 = 0.0001                                      # rotor's inertia [kg m^2]
N1 = 50.0                                         # gear ratio [rad/rad]

# link 2 'link2', turned by joint 2 'joint2'
m2 = 5.0                                          # mass [kg]
com2_x, com2_y, com2_z = 1.0, 0.0, 0.0            # centre of mass in the link [m]
I2_xx, I2_yy, I2_zz = 2.0, 10.0, 10.0             # inertia about the centre of mass [kg m^2]
I2_xy, I2_xz, I2_yz = 0.0, 0.0, 0.0               # its products, entries of the tensor [kg m^2]
p2_x = 2.0                                        # origin of joint 2 in frame 1 [m]
Ia2 = 0.2                                         # reflected inertia known as such [N m s^2/rad]
ks2 = 30.0                                        # stiffness of the spring [N m/rad]
qs2 = 0.4                                         # where it is slack [rad]

# ==== What follows from them, in the frames of the equations =====================================
# First moments h = m c of centres c; inertia about the origin J = I + m (c.c 1 - c c')
h1_x, h1_y, h1_z = m1 * com1_x, m1 * com1_y, m1 * com1_z
J1_xz = I1_xz - m1 * com1_x * com1_z
J1_yz = I1_yz - m1 * com1_y * com1_z
J1_zz = I1_zz + m1 * (com1_x * com1_x + com1_y * com1_y)
Ic1 = Im1 * N1
Ir1 = N1 * Ic1

h2_x, h2_y, h2_z = m2 * com2_x, m2 * com2_y, m2 * com2_z
J2_xz = I2_xz - m2 * com2_x * com2_z
J2_yz = I2_yz - m2 * com2_y * com2_z
J2_zz = I2_zz + m2 * (com2_x * com2_x + com2_y * com2_y)


def inverse_dynamics(q, qd, qdd, in_root_frame=False):
    """
    Return the efforts tau that a motion requires.

    q [rad or m], qd [rad/s or m/s], qdd [rad/s^2 or m/s^2], by JOINT_NAMES; efforts [N m or N].
    in_root_frame: return what dynamic_model returns.
    """
    (q1, q2), (qd1, qd2), (qdd1, qdd2) = q, qd, qdd

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
    rotor2 = Ia2 * qdd2                   # rotor2 = Ia2 qdd2
    spring2 = -ks2 * (qs2 - q2)           # spring2 = ks2 (q2 - qs2)
    tau2 = N2_z + rotor2 + spring2        # tau2 = n2_z + rotor2 + spring2
    # fp2 = fj2 = (_, fj2_y, 0)
    np2_z = N2_z + p2_x * fj2_y           # np2 = nj2 + p2 x fp2 = (_, _, np2_z)

    # ---- link 1 'link1', turned by joint 1 'joint1'
    n1_z = N1_z + np2_z                   # n1 = N1 + np2 = (_, _, n1_z)
    # nj1 = R1 n1 = (_, _, n1_z)
    # friction1 = Fv1 qd1 + (Fc1 + Fs1 exp(-iv1 qd1^2)) tanh(iw1 qd1) + Fo1
    friction1 = Fo1 + Fv1 * qd1 + tanh(iw1 * qd1) * (Fc1 + Fs1 * exp(-iv1 * ww1_zz))
    rotor1 = Ir1 * qdd1                   # rotor1 = Ir1 qdd1 + Ic1 wd0_z
    tau1 = n1_z + friction1 + rotor1      # tau1 = n1_z + friction1 + rotor1

    tau = [tau1,                          # 1 [N m]
           tau2]                          # 2 [N m]
    if not in_root_frame:
        return tau

    # ==== What the efforts do not need: the other entries of these vectors =======================
    F1_x = m1 * a1_x - h1_x * ww1_zz - h1_y * qdd1  # F1 = m1 a1 + U1 h1 = (F1_x, F1_y, 0)
    F1_y = m1 * a1_y - h1_y * ww1_zz + h1_x * qdd1
    L1_x, L1_y = J1_xz * qd1, J1_yz * qd1  # L1 = J1 w1 = (L1_x, L1_y, _)
    N1_x = J1_xz * qdd1 - qd1 * L1_y - h1_z * a1_y  # N1 = J1 wd1 + w1 x L1 + h1 x a1
    N1_y = J1_yz * qdd1 + qd1 * L1_x + h1_z * a1_x
    L2_x, L2_y = J2_xz * w2_z, J2_yz * w2_z  # L2 = J2 w2 = (L2_x, L2_y, _)
    N2_x = J2_xz * wd2_z - w2_z * L2_y - h2_z * a2_y  # N2 = J2 wd2 + w2 x L2 + h2 x a2
    N2_y = J2_yz * wd2_z + w2_z * L2_x + h2_z * a2_x
    fj2_x = c2 * F2_x - s2 * F2_y         # fj2 = R2 f2 = (fj2_x, fj2_y, 0)
    # nj2 = R2 n2 = (nj2_x, nj2_y, N2_z)
    nj2_x, nj2_y = c2 * N2_x - s2 * N2_y, c2 * N2_y + s2 * N2_x
    f1_x, f1_y = F1_x + fj2_x, F1_y + fj2_y  # f1 = F1 + fp2 = (f1_x, f1_y, 0)
    n1_x, n1_y = N1_x + nj2_x, N1_y + nj2_y  # n1 = N1 + np2
    fj1_x, fj1_y = c1 * f1_x - s1 * f1_y, c1 * f1_y + s1 * f1_x  # fj1 = R1 f1 = (fj1_x, fj1_y, 0)
    # nj1 = R1 n1 = (nj1_x, nj1_y, n1_z)
    nj1_x, nj1_y = c1 * n1_x - s1 * n1_y, c1 * n1_y + s1 * n1_x

    # ==== In the root frame: where each frame is, and how it moves ===============================
    # ---- link 1 'link1', turned by joint 1 'joint1'
    # T1 = R1, T1_xx = c1, T1_xy = -s1, T1_yx = s1, T1_yy = c1
    # r1 = r0 + p1 = (0, 0, 0)
    # v1 = v0 + (w0 x p1) = (0, 0, 0)
    acc1_x = c1 * a1_x - s1 * a1_y        # acc1 = T1 a1 + g = (acc1_x, acc1_y, 0)
    acc1_y = g_y + s1 * a1_x + c1 * a1_y

    # ---- link 2 'link2', turned by joint 2 'joint2'
    # T2 = T1 R2, T2_yx = -T2_xy, T2_yy = T2_xx
    T2_xx, T2_xy = c1 * c2 - s1 * s2, -(c1 * s2 + s1 * c2)
    r2_x, r2_y = p2_x * c1, p2_x * s1     # r2 = r1 + T1 p2 = (r2_x, r2_y, 0)
    t69 = p2_x * qd1                      # v2 = v1 + T1 (w1 x p2) = (v2_x, v2_y, 0)
    v2_x, v2_y = -s1 * t69, c1 * t69
    acc2_x = a2_x * T2_xx + a2_y * T2_xy  # acc2 = T2 a2 + g = (acc2_x, acc2_y, 0)
    acc2_y = g_y - a2_x * T2_xy + a2_y * T2_xx

    kinds = 'position_', 'velocity_', 'acceleration_', 'orientation_', 'angular_velocity_'
    values = {kind + name: [*vector] for names, *vectors in (
        (('base',), [0.0, 0.0, 0.0], [0.0, 0.0, 0.0], [0.0, 0.0, 0.0],
         [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]], [0.0, 0.0, 0.0]),
        (('joint1', 'link1'), [0.0, 0.0, 0.0], [0.0, 0.0, 0.0], [acc1_x, acc1_y, 0.0],
         [[c1, -s1, 0.0], [s1, c1, 0.0], [0.0, 0.0, 1.0]], [0.0, 0.0, qd1]),
        (('joint2', 'link2'), [r2_x, r2_y, 0.0], [v2_x, v2_y, 0.0], [acc2_x, acc2_y, 0.0],
         [[T2_xx, T2_xy, 0.0], [-T2_xy, T2_xx, 0.0], [0.0, 0.0, 1.0]], [0.0, 0.0, w2_z]),
    ) for name in names for kind, vector in zip(kinds, vectors)}
    values |= {'forces_joint1': [fj1_x, fj1_y, 0.0], 'torques_joint1': [nj1_x, nj1_y, n1_z],
               'forces_joint2': [F2_x * T2_xx + F2_y * T2_xy, F2_y * T2_xx - F2_x * T2_xy, 0.0],
               'torques_joint2': [N2_x * T2_xx + N2_y * T2_xy, N2_y * T2_xx - N2_x * T2_xy, N2_z]}
    return values


def dynamic_model(array_of_variables):
    """
    Return vectors in the root frame: a dictionary by kind and name.

    array_of_variables: a row [position, velocity, acceleration] for each of JOINT_NAMES.
    position_, velocity_, acceleration_ [m, m/s, m/s^2]: origin of every joint and link;
    orientation_, angular_velocity_ [-, rad/s]: its axes as columns (3 x 3), and how they rotate;
    forces_, torques_ [N, N m]: what a joint transmits to its link, about the joint's origin.
    """
    q, qd, qdd = ([row[k] for row in array_of_variables] for k in range(3))
    return inverse_dynamics(q, qd, qdd, True)

# ==== A state to evaluate, in rad, m and s: fill it in and run this file =========================
gv_position_joint1, gv_velocity_joint1, gv_acceleration_joint1 = 0.35, 1.16, 1.03  # rad
gv_position_joint2, gv_velocity_joint2, gv_acceleration_joint2 = 0.78, 0.17, -1.83  # rad
array_of_variables = [[gv_position_joint1, gv_velocity_joint1, gv_acceleration_joint1],
                      [gv_position_joint2, gv_velocity_joint2, gv_acceleration_joint2]]
# States, and the results expected with the parameters as they were exported
expected_wrenches = [[-21.179604547, 75.354245018, 0.0, 0.0, 0.0, 167.141985],
                     [-16.327990555, 44.405793205, 0.0, 0.0, 0.0, 25.713400885]]
reference_q = [[0.35, 0.78], [0.61, -0.86], [-0.86, 0.36]]
reference_qd = [[1.16, 0.17], [-0.19, -1.0], [-1.0, 1.16]]
reference_qdd = [[1.03, -1.83], [-1.99, 0.62], [0.62, 1.0]]
expected_inverse_dynamics = [[171.31948500435334, 36.74740088526139],
                             [40.949694170616404, -23.957932496762695],
                             [195.63442395510253, 75.67072730027688]]


def differences(function, found, expected):
    """Return what to say about entries that are not what is expected."""
    return [f'{function}, {ascii(name)}: {a!r} instead of {b!r}'
            for name, a, b in zip(JOINT_NAMES, found, expected)
            if not abs(a - b) <= 1e-9 * max(1.0, abs(b))]


if __name__ == '__main__':
    q, qd, qdd = ([row[k] for row in array_of_variables] for k in range(3))
    for name, entry, unit in zip(JOINT_NAMES, inverse_dynamics(q, qd, qdd), EFFORT_UNITS):
        print(f'{ascii(name)[1:-1]:24} {entry: .9g} {unit}')
    exported = {'g_y': -9.81, 'm1': 3.0, 'com1_x': 1.0, 'com1_y': 0.0, 'com1_z': 0.0, 'I1_xx': 1.2,
                'I1_yy': 15.6, 'I1_zz': 15.6, 'I1_xy': 0.0, 'I1_xz': 0.0, 'I1_yz': 0.0, 'Fv1': 2.0,
                'Fc1': 1.5, 'iw1': 100.0, 'Fs1': 0.5, 'iv1': 400.0, 'Fo1': 0.1, 'Im1': 0.0001,
                'N1': 50.0, 'm2': 5.0, 'com2_x': 1.0, 'com2_y': 0.0, 'com2_z': 0.0, 'I2_xx': 2.0,
                'I2_yy': 10.0, 'I2_zz': 10.0, 'I2_xy': 0.0, 'I2_xz': 0.0, 'I2_yz': 0.0,
                'p2_x': 2.0, 'Ia2': 0.2, 'ks2': 30.0, 'qs2': 0.4}
    changed = [name for name in exported if globals()[name] != exported[name]]
    for name in changed:
        print(f'parameter {name} was changed: the reference values do not apply')
    if changed:
        raise SystemExit
    wrong = []
    for k in range(len(reference_q)):
        tau = inverse_dynamics(reference_q[k], reference_qd[k], reference_qdd[k])
        wrong += differences('inverse_dynamics', tau, expected_inverse_dynamics[k])
    values = inverse_dynamics(reference_q[0], reference_qd[0], reference_qdd[0], True)
    found = [values[f'forces_{name}'] + values[f'torques_{name}'] for name in JOINT_NAMES]
    for entries, expected in zip(zip(*found), zip(*expected_wrenches)):
        wrong += differences('dynamic_model', entries, expected)
    print('differs from the reference:' if wrong else 'agrees with the reference', *wrong,
          sep='\n    ')
    raise SystemExit(1 if wrong else 0)
