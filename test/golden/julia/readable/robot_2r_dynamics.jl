# Inverse dynamics of 'robot_2r': tau = ID(q, qd, qdd), the efforts that give a motion.
#
# Recursive Newton-Euler, readable style, written by urdf2dyn_ros 0.1.0.
# SI: rad, m, kg, s, N, N m. Efforts are positive along the axis: what the actuator must
# supply. Inputs must be finite: products with what is always zero are omitted.
# Rigid links alone: no friction, no rotors, no springs, no contact.
# Gravity (0, -9.81, 0) m/s^2 in the root frame.
# Lengths of 0 and quarter turns of the URDF are folded in (`export --general`: nothing is).
# One call: 25 multiplications, 17 additions, 4 sines and cosines.
#
#     i  joint   type        moves  parent  q    effort  frame i: link's
#     1  joint1  continuous  link1  root    rad  N m     x y z
#     2  joint2  continuous  link2  1       rad  N m     x y z
#
# Notation, after Khalil and Dombre (v x w: cross product, R': transpose of R, p: parent of i):
#     frame i       on link i, origin on joint i, z along the joint's axis; the root frame is 0
#     Ai, Ri        constant rotation from joint i to frame p; rotation of joint i, by qi about z
#     pi            origin of joint i in frame p; bi: acceleration of frame p there, as ai
#     ci, si        cosine and sine of qi
#     wi, wdi       angular velocity and its derivative, in frame i; w0 = wd0 = 0
#     ai            acceleration of the origin minus gravity, in frame i; a0 = -g
#     Ui            Ui r = wdi x r + wi x (wi x r): acceleration of r relative to the origin
#     mi, hi, Ji    mass, first moments (mass times centre), inertia about the origin, in frame i
#     Fi, Ni        force and moment that accelerate link i by itself; Li = Ji wi
#     fi, ni        force and moment that joint i transmits; fpi, npi: the same in frame p
#     wji, .. nji   the same in the axes of joint i: before it turns, or turned back (fji, nji)
#     = (.., _, ..) entries of a formula that are known; _ is one that is not needed
# Self-test: julia robot_2r_dynamics.jl

module Robot2rDynamics

export joint_names, inverse_dynamics

const joint_names = String["joint1", "joint2"]

# ==== Parameters, as in the URDF: change a line, run again, and the efforts follow ===============
# Those without influence are omitted.

# the root
const g_y = -9.81                                 # gravity in the root frame [m/s^2]

# link 1 'link1', turned by joint 1 'joint1'
const m1 = 3.0                                    # mass [kg]
const com1_x = 1.0; const com1_y = 0.0            # centre of mass in the link [m]
const I1_zz = 15.6                                # inertia about the centre of mass [kg m^2]

# link 2 'link2', turned by joint 2 'joint2'
const m2 = 5.0                                    # mass [kg]
const com2_x = 1.0; const com2_y = 0.0            # centre of mass in the link [m]
const I2_zz = 10.0                                # inertia about the centre of mass [kg m^2]
const p2_x = 2.0                                  # origin of joint 2 in frame 1 [m]

# ==== What follows from them, in the frames of the equations =====================================
# First moments h = m c of centres c; inertia about the origin J = I + m (c.c 1 - c c')

const h1_x = m1 * com1_x
const h1_y = m1 * com1_y
const J1_zz = I1_zz + m1 * (com1_x * com1_x + com1_y * com1_y)

const h2_x = m2 * com2_x
const h2_y = m2 * com2_y
const J2_zz = I2_zz + m2 * (com2_x * com2_x + com2_y * com2_y)

"""
    inverse_dynamics(q, qd, qdd)

Return the efforts tau that a motion requires.
"""
function inverse_dynamics(q, qd, qdd)
    q1 = q[1]; q2 = q[2]
    qd1 = qd[1]; qd2 = qd[2]
    qdd1 = qdd[1]; qdd2 = qdd[2]

    # ==== Forward, root to tips: motion of each link, and what accelerates it ====================

    # ---- link 1 'link1', turned by joint 1 'joint1'
    # b1 = a0 + U0 p1 = (0, -g_y, 0)
    # R1: turn about z by q1
    c1 = cos(q1)
    s1 = sin(q1)
    # w1 = R1' w0 + qd1 z = (0, 0, qd1)
    # wd1 = R1' wd0 + qdd1 z + R1' w0 x qd1 z = (0, 0, qdd1)
    # a1 = R1' b1 = (a1_x, a1_y, 0)
    a1_x = -g_y * s1
    a1_y = -g_y * c1
    # ww1 = w1 w1'
    ww1_zz = qd1 * qd1
    # U1 = [wd1]x + [w1]x [w1]x, U1_xx = -ww1_zz, U1_xy = -qdd1, U1_yx = qdd1, U1_yy = -ww1_zz
    # N1 = J1 wd1 + w1 x L1 + h1 x a1 = (_, _, N1_z)
    N1_z = J1_zz * qdd1 - h1_y * a1_x + h1_x * a1_y

    # ---- link 2 'link2', turned by joint 2 'joint2'
    # b2 = a1 + U1 p2 = (b2_x, b2_y, 0)
    b2_x = a1_x - p2_x * ww1_zz
    b2_y = a1_y + p2_x * qdd1
    # R2: turn about z by q2
    c2 = cos(q2)
    s2 = sin(q2)
    # w2 = R2' w1 + qd2 z = (0, 0, w2_z)
    w2_z = qd1 + qd2
    # wd2 = R2' wd1 + qdd2 z + R2' w1 x qd2 z = (0, 0, wd2_z)
    wd2_z = qdd1 + qdd2
    # a2 = R2' b2 = (a2_x, a2_y, 0)
    a2_x = b2_x * c2 + b2_y * s2
    a2_y = b2_y * c2 - b2_x * s2
    # ww2 = w2 w2'
    ww2_zz = w2_z * w2_z
    # U2 = [wd2]x + [w2]x [w2]x, U2_xx = -ww2_zz, U2_xy = -wd2_z, U2_yx = wd2_z, U2_yy = -ww2_zz
    # F2 = m2 a2 + U2 h2 = (F2_x, F2_y, 0)
    F2_x = m2 * a2_x - h2_x * ww2_zz - h2_y * wd2_z
    F2_y = m2 * a2_y - h2_y * ww2_zz + h2_x * wd2_z
    # N2 = J2 wd2 + w2 x L2 + h2 x a2 = (_, _, N2_z)
    N2_z = J2_zz * wd2_z - h2_y * a2_x + h2_x * a2_y

    # ==== Backward, tips to root: force f and moment n that each joint transmits =================

    # ---- link 2 'link2', turned by joint 2 'joint2'
    # f2 = F2 = (F2_x, F2_y, 0)
    # n2 = N2 = (_, _, N2_z)
    # fj2 = R2 f2 = (_, fj2_y, 0)
    fj2_y = c2 * F2_y + s2 * F2_x
    # nj2 = R2 n2 = (_, _, N2_z)
    # fp2 = fj2 = (_, fj2_y, 0)
    # np2 = nj2 + p2 x fp2 = (_, _, np2_z)
    np2_z = N2_z + p2_x * fj2_y

    # ---- link 1 'link1', turned by joint 1 'joint1'
    # n1 = N1 + np2 = (_, _, n1_z)
    n1_z = N1_z + np2_z
    # nj1 = R1 n1 = (_, _, n1_z)

    T = float(promote_type(eltype(q), eltype(qd), eltype(qdd)))
    tau = zeros(T, 2)
    tau[1] = n1_z                         # 1 [N m]
    tau[2] = N2_z                         # 2 [N m]
    return tau
end
const reference_q = [
    Float64[0.35, 0.78],
    Float64[0.61, -0.86],
    Float64[-0.86, 0.36],
]
const reference_qd = [
    Float64[1.16, 0.17],
    Float64[-0.19, -1.0],
    Float64[-1.0, 1.16],
]
const reference_qdd = [
    Float64[1.03, -1.83],
    Float64[-1.99, 0.62],
    Float64[0.62, 1.0],
]
const expected_inverse_dynamics = [
    Float64[167.14198500435336, 25.713400885261393],
    Float64[43.2271944383838, 13.718067503237304],
    Float64[198.87942395510254, 76.67072730027688],
]

function differences(name, found, expected)
    return ["$name, $joint: $a instead of $b"
            for (joint, a, b) in zip(joint_names, found, expected)
            if !(abs(a - b) <= 1e-9 * max(1.0, abs(b)))]
end

function self_test()
    wrong = String[]
    for k in eachindex(reference_q)
        tau = inverse_dynamics(reference_q[k], reference_qd[k], reference_qdd[k])
        append!(wrong, differences("inverse_dynamics", tau, expected_inverse_dynamics[k]))
    end
    return wrong
end

function changed_parameters()
    changed = String[name for (name, value, exported) in [
        ("g_y", g_y, -9.81), ("m1", m1, 3.0), ("com1_x", com1_x, 1.0), ("com1_y", com1_y, 0.0),
        ("I1_zz", I1_zz, 15.6), ("m2", m2, 5.0), ("com2_x", com2_x, 1.0), ("com2_y", com2_y, 0.0),
        ("I2_zz", I2_zz, 10.0), ("p2_x", p2_x, 2.0)
    ] if value != exported]
    return changed
end

function show_results()
    found = inverse_dynamics(reference_q[1], reference_qd[1], reference_qdd[1])
    println("inverse_dynamics in the first reference state:")
    for (name, entry, unit) in zip(joint_names, found, ["N m", "N m"])
        println(rpad(name, 24), " ", round(entry, sigdigits=9), " ", unit)
    end
end

end

if abspath(PROGRAM_FILE) == @__FILE__
    Robot2rDynamics.show_results()
    changed = Robot2rDynamics.changed_parameters()
    wrong = isempty(changed) ? Robot2rDynamics.self_test() : String[]
    if isempty(changed)
        println(isempty(wrong) ? "agrees with the reference" : "differs from the reference")
    end
    for name in changed
        println("parameter ", name, " was changed: the reference values do not apply")
    end
    foreach(line -> println("    ", line), wrong)
    exit(isempty(wrong) ? 0 : 1)
end
