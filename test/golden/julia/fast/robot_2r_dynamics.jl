# Inverse dynamics of 'robot_2r': tau = ID(q, qd, qdd), the efforts that give a motion.
#
# Recursive Newton-Euler, fast style, written by urdf2dyn_ros 0.1.0.
# SI: rad, m, kg, s, N, N m. Efforts are positive along the axis: what the actuator must
# supply. Inputs must be finite: products with what is always zero are omitted.
# Rigid links alone: no friction, no rotors, no springs, no contact.
# Gravity (0, -9.81, 0) m/s^2 in the root frame.
# One call: 17 multiplications, 10 additions, 4 sines and cosines.
#
#     i  joint   type        moves  parent  q    effort  frame i: link's
#     1  joint1  continuous  link1  root    rad  N m     x y z
#     2  joint2  continuous  link2  1       rad  N m     x y z
# Self-test: julia robot_2r_dynamics.jl

module Robot2rDynamics

export joint_names, inverse_dynamics

const joint_names = String["joint1", "joint2"]

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
    changed = String[]
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
