"""
Inverse dynamics of 'robot_2r': tau, wrench = ID(q, qd, qdd, base_motion, external, payload),
    the efforts that give a motion.

Recursive Newton-Euler, readable style, written by urdf2dyn_ros 0.1.0.
SI: rad, m, kg, s, N, N m. Efforts are positive along the axis: what the actuator must
supply. Inputs must be finite: products with what is always zero are omitted.
Rigid links with rotors at joints, external wrenches and a payload; no friction, no springs.
The root moves as base_motion says. Gravity is part of it: a0 is what an accelerometer at the
    origin of the root measures.
external: force and moment on a link by the environment, about its origin, in its axes.
    Entries 1 to 6: link 'link2'.
payload: a body that is fixed to link 'link2'.
Lengths of 0 and quarter turns of the URDF are folded in (`export --general`: nothing is).
One call: 166 multiplications, 153 additions, 4 sines and cosines.

    i  joint   type        moves  parent  q    effort  frame i: link's
    1  joint1  continuous  link1  root    rad  N m     x y z
    2  joint2  continuous  link2  1       rad  N m     x y z

Notation, after Khalil and Dombre (v x w: cross product, R': transpose of R, p: parent of i):
    frame i       on link i, origin on joint i, z along the joint's axis; the root frame is 0
    Ai, Ri        constant rotation from joint i to frame p; rotation of joint i, by qi about z
    pi            origin of joint i in frame p; bi: acceleration of frame p there, as ai
    ci, si        cosine and sine of qi
    wi, wdi       angular velocity and its derivative, in frame i; w0, wd0 are inputs
    ai            acceleration of the origin minus gravity, in frame i; a0 is an input
    Ui            Ui r = wdi x r + wi x (wi x r): acceleration of r relative to the origin
    mi, hi, Ji    mass, first moments (mass times centre), inertia about the origin, in frame i
    Fi, Ni        force and moment that accelerate link i by itself; Li = Ji wi
    fi, ni        force and moment that joint i transmits; fpi, npi: the same in frame p
    wji, .. nji   the same in the axes of joint i: before it turns, or turned back (fji, nji)
    = (.., _, ..) entries of a formula that are known; _ is one that is not needed
Self-test: python3 robot_2r_dynamics.py
"""
from math import cos, sin
# from numpy import cos, sin   # instead of it, where numbers are arrays of samples
JOINT_NAMES = ('joint1', 'joint2')
EFFORT_UNITS = ('N m', 'N m')

# ==== Parameters, as in the URDF: change a line, run again, and the efforts follow ===============
# link 1 'link1', turned by joint 1 'joint1'
m1 = 3.0                                          # mass [kg]
com1_x, com1_y, com1_z = 1.0, 0.0, 0.0            # centre of mass in the link [m]
I1_xx, I1_yy, I1_zz = 1.2, 15.6, 15.6             # inertia about the centre of mass [kg m^2]
I1_xy, I1_xz, I1_yz = 0.0, 0.0, 0.0               # its products, entries of the tensor [kg m^2]
Im1 = 0.0001                                      # rotor's inertia [kg m^2]
N1 = 50.0                                         # gear ratio [rad/rad]

# link 2 'link2', turned by joint 2 'joint2'
m2 = 5.0                                          # mass [kg]
com2_x, com2_y, com2_z = 1.0, 0.0, 0.0            # centre of mass in the link [m]
I2_xx, I2_yy, I2_zz = 2.0, 10.0, 10.0             # inertia about the centre of mass [kg m^2]
I2_xy, I2_xz, I2_yz = 0.0, 0.0, 0.0               # its products, entries of the tensor [kg m^2]
p2_x = 2.0                                        # origin of joint 2 in frame 1 [m]

# ==== What follows from them, in the frames of the equations =====================================
# First moments h = m c of centres c; inertia about the origin J = I + m (c.c 1 - c c')
h1_x, h1_y, h1_z = m1 * com1_x, m1 * com1_y, m1 * com1_z
J1_xx = I1_xx + m1 * (com1_y * com1_y + com1_z * com1_z)
J1_xy = I1_xy - m1 * com1_x * com1_y
J1_xz = I1_xz - m1 * com1_x * com1_z
J1_yy = I1_yy + m1 * (com1_x * com1_x + com1_z * com1_z)
J1_yz = I1_yz - m1 * com1_y * com1_z
J1_zz = I1_zz + m1 * (com1_x * com1_x + com1_y * com1_y)
Ic1 = Im1 * N1
Ir1 = N1 * Ic1

h2_x, h2_y, h2_z = m2 * com2_x, m2 * com2_y, m2 * com2_z
J2_xx = I2_xx + m2 * (com2_y * com2_y + com2_z * com2_z)
J2_xy = I2_xy - m2 * com2_x * com2_y
J2_xz = I2_xz - m2 * com2_x * com2_z
J2_yy = I2_yy + m2 * (com2_x * com2_x + com2_z * com2_z)
J2_yz = I2_yz - m2 * com2_y * com2_z
J2_zz = I2_zz + m2 * (com2_x * com2_x + com2_y * com2_y)


def inverse_dynamics(q, qd, qdd, base_motion, external, payload):
    """
    Return the efforts tau that a motion requires.

    q [rad or m], qd [rad/s or m/s], qdd [rad/s^2 or m/s^2], by JOINT_NAMES; efforts [N m or N].
    base_motion, 9 entries: of the root, in its frame: angular velocity [rad/s], angular
        acceleration [rad/s^2], acceleration of the origin minus gravity [m/s^2].
    external, 6 entries: for each link that the heading names, force [N] and moment [N m] on it by
        the environment, about its origin, in its axes.
    payload, 10 entries: mass [kg], centre of mass [m] in the link, inertia about it [kg m^2]: xx,
        xy, xz, yy, yz, zz.
    wrench, 6 entries: force [N] and moment [N m] that the world must apply at the origin of the
        root, in its frame.
    Results: tau, wrench.
    """
    q1, q2 = q
    qd1, qd2 = qd
    qdd1, qdd2 = qdd
    w0_x, w0_y, w0_z, wd0_x, wd0_y, wd0_z, a0_x, a0_y, a0_z = base_motion
    Fe1_x, Fe1_y, Fe1_z, Ne1_x, Ne1_y, Ne1_z = external
    mp, cp_x, cp_y, cp_z, Ip_xx, Ip_xy, Ip_xz, Ip_yy, Ip_yz, Ip_zz = payload

    # ==== Loads on the links, in their frames ====================================================
    # ---- link 2 'link2', turned by joint 2 'joint2'
    # mt2, ht2, Jt2: mass, first moments, inertia of link 2 with its payload
    t21, t22, t23 = cp_x * cp_x, cp_y * cp_y, cp_z * cp_z
    mt2, ht2_x = m2 + mp, h2_x + mp * cp_x
    ht2_y, ht2_z = h2_y + mp * cp_y, h2_z + mp * cp_z
    Jt2_xx = J2_xx + Ip_xx + mp * (t22 + t23)
    Jt2_xy = J2_xy + Ip_xy - mp * cp_x * cp_y
    Jt2_xz = J2_xz + Ip_xz - mp * cp_x * cp_z
    Jt2_yy = J2_yy + Ip_yy + mp * (t21 + t23)
    Jt2_yz = J2_yz + Ip_yz - mp * cp_y * cp_z
    Jt2_zz = J2_zz + Ip_zz + mp * (t21 + t22)

    # ==== Forward, root to tips: motion of each link, and what accelerates it ====================
    # ---- link 1 'link1', turned by joint 1 'joint1'
    # b1 = a0 + U0 p1 = (a0_x, a0_y, a0_z)
    c1, s1 = cos(q1), sin(q1)             # R1: turn about z by q1
    w1_x, w1_y = w0_x * c1 + w0_y * s1, w0_y * c1 - w0_x * s1  # w1 = R1' w0 + qd1 z
    w1_z = qd1 + w0_z
    wd1_x = wd0_x * c1 + wd0_y * s1 + qd1 * w1_y  # wd1 = R1' wd0 + qdd1 z + R1' w0 x qd1 z
    wd1_y = wd0_y * c1 - wd0_x * s1 - qd1 * w1_x
    wd1_z = qdd1 + wd0_z
    a1_x, a1_y = a0_x * c1 + a0_y * s1, a0_y * c1 - a0_x * s1  # a1 = R1' b1 = (a1_x, a1_y, a0_z)
    ww1_xx, ww1_yy = w1_x * w1_x, w1_y * w1_y  # ww1 = w1 w1'
    ww1_zz, ww1_xy = w1_z * w1_z, w1_x * w1_y
    ww1_xz, ww1_yz = w1_x * w1_z, w1_y * w1_z
    U1_xx, U1_xy = -(ww1_yy + ww1_zz), ww1_xy - wd1_z  # U1 = [wd1]x + [w1]x [w1]x
    U1_xz, U1_yx = wd1_y + ww1_xz, wd1_z + ww1_xy
    U1_yy, U1_yz = -(ww1_xx + ww1_zz), ww1_yz - wd1_x
    U1_zx, U1_zy = ww1_xz - wd1_y, wd1_x + ww1_yz
    U1_zz = -(ww1_xx + ww1_yy)
    F1_x = m1 * a1_x + h1_x * U1_xx + h1_y * U1_xy + h1_z * U1_xz  # F1 = m1 a1 + U1 h1
    F1_y = m1 * a1_y + h1_x * U1_yx + h1_y * U1_yy + h1_z * U1_yz
    F1_z = m1 * a0_z + h1_x * U1_zx + h1_y * U1_zy + h1_z * U1_zz
    L1_x = J1_xx * w1_x + J1_xy * w1_y + J1_xz * w1_z  # L1 = J1 w1
    L1_y = J1_xy * w1_x + J1_yy * w1_y + J1_yz * w1_z
    L1_z = J1_xz * w1_x + J1_yz * w1_y + J1_zz * w1_z
    # N1 = J1 wd1 + w1 x L1 + h1 x a1
    N1_x = (J1_xx * wd1_x + J1_xy * wd1_y + J1_xz * wd1_z + w1_y * L1_z - w1_z * L1_y + h1_y * a0_z
            - h1_z * a1_y)
    N1_y = (J1_xy * wd1_x + J1_yy * wd1_y + J1_yz * wd1_z + w1_z * L1_x - w1_x * L1_z + h1_z * a1_x
            - h1_x * a0_z)
    N1_z = (J1_xz * wd1_x + J1_yz * wd1_y + J1_zz * wd1_z + w1_x * L1_y - w1_y * L1_x + h1_x * a1_y
            - h1_y * a1_x)

    # ---- link 2 'link2', turned by joint 2 'joint2'
    b2_x, b2_y = a1_x + p2_x * U1_xx, a1_y + p2_x * U1_yx  # b2 = a1 + U1 p2
    b2_z = a0_z + p2_x * U1_zx
    c2, s2 = cos(q2), sin(q2)             # R2: turn about z by q2
    w2_x, w2_y = w1_x * c2 + w1_y * s2, w1_y * c2 - w1_x * s2  # w2 = R2' w1 + qd2 z
    w2_z = qd2 + w1_z
    wd2_x = wd1_x * c2 + wd1_y * s2 + qd2 * w2_y  # wd2 = R2' wd1 + qdd2 z + R2' w1 x qd2 z
    wd2_y = wd1_y * c2 - wd1_x * s2 - qd2 * w2_x
    wd2_z = qdd2 + wd1_z
    a2_x, a2_y = b2_x * c2 + b2_y * s2, b2_y * c2 - b2_x * s2  # a2 = R2' b2 = (a2_x, a2_y, b2_z)
    ww2_xx, ww2_yy = w2_x * w2_x, w2_y * w2_y  # ww2 = w2 w2'
    ww2_zz, ww2_xy = w2_z * w2_z, w2_x * w2_y
    ww2_xz, ww2_yz = w2_x * w2_z, w2_y * w2_z
    U2_xx, U2_xy = -(ww2_yy + ww2_zz), ww2_xy - wd2_z  # U2 = [wd2]x + [w2]x [w2]x
    U2_xz, U2_yx = wd2_y + ww2_xz, wd2_z + ww2_xy
    U2_yy, U2_yz = -(ww2_xx + ww2_zz), ww2_yz - wd2_x
    U2_zx, U2_zy = ww2_xz - wd2_y, wd2_x + ww2_yz
    U2_zz = -(ww2_xx + ww2_yy)
    F2_x = mt2 * a2_x + ht2_x * U2_xx + ht2_y * U2_xy + ht2_z * U2_xz  # F2 = mt2 a2 + U2 ht2
    F2_y = mt2 * a2_y + ht2_x * U2_yx + ht2_y * U2_yy + ht2_z * U2_yz
    F2_z = mt2 * b2_z + ht2_x * U2_zx + ht2_y * U2_zy + ht2_z * U2_zz
    L2_x = Jt2_xx * w2_x + Jt2_xy * w2_y + Jt2_xz * w2_z  # L2 = Jt2 w2
    L2_y = Jt2_xy * w2_x + Jt2_yy * w2_y + Jt2_yz * w2_z
    L2_z = Jt2_xz * w2_x + Jt2_yz * w2_y + Jt2_zz * w2_z
    # N2 = Jt2 wd2 + w2 x L2 + ht2 x a2
    N2_x = (Jt2_xx * wd2_x + Jt2_xy * wd2_y + Jt2_xz * wd2_z + w2_y * L2_z - w2_z * L2_y
            + ht2_y * b2_z - ht2_z * a2_y)
    N2_y = (Jt2_xy * wd2_x + Jt2_yy * wd2_y + Jt2_yz * wd2_z + w2_z * L2_x - w2_x * L2_z
            + ht2_z * a2_x - ht2_x * b2_z)
    N2_z = (Jt2_xz * wd2_x + Jt2_yz * wd2_y + Jt2_zz * wd2_z + w2_x * L2_y - w2_y * L2_x
            + ht2_x * a2_y - ht2_y * a2_x)

    # ==== Backward, tips to root: force f and moment n that each joint transmits =================
    # ---- link 2 'link2', turned by joint 2 'joint2'
    f2_x, f2_y, f2_z = F2_x - Fe1_x, F2_y - Fe1_y, F2_z - Fe1_z  # f2 = F2 - fe2
    n2_x, n2_y, n2_z = N2_x - Ne1_x, N2_y - Ne1_y, N2_z - Ne1_z  # n2 = N2 - ne2
    # fj2 = R2 f2 = (fj2_x, fj2_y, f2_z)
    fj2_x, fj2_y = c2 * f2_x - s2 * f2_y, c2 * f2_y + s2 * f2_x
    # nj2 = R2 n2 = (nj2_x, nj2_y, n2_z)
    nj2_x, nj2_y = c2 * n2_x - s2 * n2_y, c2 * n2_y + s2 * n2_x
    # fp2 = fj2 = (fj2_x, fj2_y, f2_z)
    # np2 = nj2 + p2 x fp2 = (nj2_x, np2_y, np2_z)
    np2_y, np2_z = nj2_y - p2_x * f2_z, n2_z + p2_x * fj2_y

    # ---- link 1 'link1', turned by joint 1 'joint1'
    f1_x, f1_y, f1_z = F1_x + fj2_x, F1_y + fj2_y, F1_z + f2_z  # f1 = F1 + fp2
    n1_x, n1_y, n1_z = N1_x + nj2_x, N1_y + np2_y, N1_z + np2_z  # n1 = N1 + np2
    # fj1 = R1 f1 = (fj1_x, fj1_y, f1_z)
    fj1_x, fj1_y = c1 * f1_x - s1 * f1_y, c1 * f1_y + s1 * f1_x
    # nj1 = R1 n1 = (nj1_x, nj1_y, n1_z)
    nj1_x, nj1_y = c1 * n1_x - s1 * n1_y, c1 * n1_y + s1 * n1_x
    t127 = Ic1 * qd1                      # nr1 = nj1 + Ic1 (qdd1 z + w0 x qd1 z)
    nr1_x, nr1_y = nj1_x + w0_y * t127, nj1_y - w0_x * t127
    nr1_z = n1_z + Ic1 * qdd1
    rotor1 = Ir1 * qdd1 + Ic1 * wd0_z     # rotor1 = Ir1 qdd1 + Ic1 wd0_z
    tau1 = n1_z + rotor1                  # tau1 = n1_z + rotor1
    # fp1 = fj1 = (fj1_x, fj1_y, f1_z)
    # np1 = nr1 + p1 x fp1 = (nr1_x, nr1_y, nr1_z)

    # ---- the root
    # f0 = fp1 = (fj1_x, fj1_y, f1_z)
    # n0 = np1 = (nr1_x, nr1_y, nr1_z)

    tau = [tau1,                          # 1 [N m]
           n2_z]                          # 2 [N m]
    wrench = [fj1_x,                      # force x [N]
              fj1_y,                      # force y [N]
              f1_z,                       # force z [N]
              nr1_x,                      # moment x [N m]
              nr1_y,                      # moment y [N m]
              nr1_z]                      # moment z [N m]
    return tau, wrench

# ==== A state to evaluate, in rad, m and s: fill it in and run this file =========================
gv_position_joint1, gv_velocity_joint1, gv_acceleration_joint1 = 0.35, 1.16, 1.03  # rad
gv_position_joint2, gv_velocity_joint2, gv_acceleration_joint2 = 0.78, 0.17, -1.83  # rad
array_of_variables = [[gv_position_joint1, gv_velocity_joint1, gv_acceleration_joint1],
                      [gv_position_joint2, gv_velocity_joint2, gv_acceleration_joint2]]

# of the root, in its frame: angular velocity [rad/s], angular acceleration [rad/s^2], acceleration
#     of the origin minus gravity [m/s^2]
base_motion = [0.97, 1.01, -1.23, -0.7, 1.41, 0.33, -1.49, 0.05, 1.48]

# for each link that the heading names, force [N] and moment [N m] on it by the environment, about
#     its origin, in its axes
external = [7.57, -3.54, -6.66, 5.26, 5.3, -6.62]

# mass [kg], centre of mass [m] in the link, inertia about it [kg m^2]: xx, xy, xz, yy, yz, zz
payload = [0.5, 0.02, -0.03, 0.05, 0.004, 0.001, -0.0005, 0.005, 0.0008, 0.003]
# States, and the results expected with the parameters as they were exported
reference_q = [[0.35, 0.78], [0.61, -0.86], [-0.86, 0.36]]
reference_qd = [[1.16, 0.17], [-0.19, -1.0], [-1.0, 1.16]]
reference_qdd = [[1.03, -1.83], [-1.99, 0.62], [0.62, 1.0]]
reference_base_motion = [[0.97, 1.01, -1.23, -0.7, 1.41, 0.33, -1.49, 0.05, 1.48],
                         [0.64, -1.5, 0.61, 0.99, -1.43, 0.2, 1.27, -1.26, -0.22],
                         [-1.5, 0.99, 0.19, -1.23, 1.46, -0.71, -0.51, 1.39, -1.34]]
reference_external = [[7.57, -3.54, -6.66, 5.26, 5.3, -6.62],
                      [-5.5, -2.99, 7.99, -3.66, -4.95, 7.78],
                      [-2.99, 7.53, -7.04, 1.85, 4.57, -7.94]]
reference_payload = [[0.5, 0.02, -0.03, 0.05, 0.004, 0.001, -0.0005, 0.005, 0.0008, 0.003],
                     [0.5, 0.02, -0.03, 0.05, 0.004, 0.001, -0.0005, 0.005, 0.0008, 0.003],
                     [0.5, 0.02, -0.03, 0.05, 0.004, 0.001, -0.0005, 0.005, 0.0008, 0.003]]
expected_inverse_dynamics = [[95.83802789356537, 16.6701367809926],
                             [-157.43965724467193, -75.4642185611884],
                             [64.18463711925529, 33.24805916569302]]
expected_inverse_dynamics_wrench = [
    [-30.05308213324798, 18.098833947086995, 19.795565793208816, 28.351960939090578,
     -43.50558648434235, 95.58402789356536],
    [-17.157412147150637, -54.87369800244862, 10.21563733829326, 33.052531755433954,
     -39.206213512043696, -156.95310724467194],
    [-4.492046238108221, 23.461484956062865, 31.07886323287054, -87.51316835058948,
     -69.18251017915078, 64.03628711925529],
]
WRENCH_NAMES = ['force x', 'force y', 'force z', 'moment x', 'moment y', 'moment z']


def differences(function, names, found, expected):
    """Return what to say about entries that are not what is expected."""
    return [f'{function}, {ascii(name)}: {a!r} instead of {b!r}'
            for name, a, b in zip(names, found, expected)
            if not abs(a - b) <= 1e-9 * max(1.0, abs(b))]


if __name__ == '__main__':
    q, qd, qdd = ([row[k] for row in array_of_variables] for k in range(3))
    tau, wrench = inverse_dynamics(q, qd, qdd, base_motion, external, payload)
    for name, entry, unit in zip(JOINT_NAMES, tau, EFFORT_UNITS):
        print(f'{ascii(name)[1:-1]:24} {entry: .9g} {unit}')
    for name, entry, unit in zip(WRENCH_NAMES, wrench, ['N', 'N', 'N', 'N m', 'N m', 'N m']):
        print(f'{ascii(name)[1:-1]:24} {entry: .9g} {unit}')
    exported = {'m1': 3.0, 'com1_x': 1.0, 'com1_y': 0.0, 'com1_z': 0.0, 'I1_xx': 1.2,
                'I1_yy': 15.6, 'I1_zz': 15.6, 'I1_xy': 0.0, 'I1_xz': 0.0, 'I1_yz': 0.0,
                'Im1': 0.0001, 'N1': 50.0, 'm2': 5.0, 'com2_x': 1.0, 'com2_y': 0.0, 'com2_z': 0.0,
                'I2_xx': 2.0, 'I2_yy': 10.0, 'I2_zz': 10.0, 'I2_xy': 0.0, 'I2_xz': 0.0,
                'I2_yz': 0.0, 'p2_x': 2.0}
    changed = [name for name in exported if globals()[name] != exported[name]]
    for name in changed:
        print(f'parameter {name} was changed: the reference values do not apply')
    if changed:
        raise SystemExit
    wrong = []
    for k in range(len(reference_q)):
        tau, wrench = inverse_dynamics(reference_q[k], reference_qd[k], reference_qdd[k],
                                       reference_base_motion[k], reference_external[k],
                                       reference_payload[k])
        wrong += differences('inverse_dynamics', JOINT_NAMES, tau, expected_inverse_dynamics[k])
        wrong += differences('inverse_dynamics', WRENCH_NAMES, wrench,
                             expected_inverse_dynamics_wrench[k])
    print('differs from the reference:' if wrong else 'agrees with the reference', *wrong,
          sep='\n    ')
    raise SystemExit(1 if wrong else 0)
