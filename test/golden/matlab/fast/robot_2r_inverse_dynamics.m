function tau = robot_2r_inverse_dynamics(q, qd, qdd)
% ROBOT_2R_INVERSE_DYNAMICS Return the efforts tau that a motion requires.
%
% q, qd, qdd: columns (n x 1) of one state.
%
% Inverse dynamics of 'robot_2r': tau = ID(q, qd, qdd), the efforts that give a motion.
%
% Recursive Newton-Euler, fast style, written by urdf2dyn_ros 0.1.0.
% SI: rad, m, kg, s, N, N m. Efforts are positive along the axis: what the actuator must
% supply. Inputs must be finite: products with what is always zero are omitted.
% Rigid links alone: no friction, no rotors, no springs, no contact.
% Gravity (0, -9.81, 0) m/s^2 in the root frame.
% One call: 17 multiplications, 10 additions, 4 sines and cosines.
%
%     i  joint   type        moves  parent  q    effort  frame i: link's
%     1  joint1  continuous  link1  root    rad  N m     x y z
%     2  joint2  continuous  link2  1       rad  N m     x y z
% Self-test: octave robot_2r_main.m, or robot_2r_main in MATLAB
    q1 = q(1); q2 = q(2);
    qd1 = qd(1); qd2 = qd(2);
    qdd1 = qdd(1); qdd2 = qdd(2);

    % ==== Forward, root to tips: motion of each link, and what accelerates it ====================

    % ---- link 1 'link1', turned by joint 1 'joint1'
    c1 = cos(q1);

    % ---- link 2 'link2', turned by joint 2 'joint2'
    c2 = cos(q2);
    s2 = sin(q2);
    w2_z = qd1 + qd2;
    wd2_z = qdd1 + qdd2;
    N2_z = 15.0 * wd2_z + 5.0 * ((9.81 * c1 + 2.0 * qdd1) * c2 - (9.81 * sin(q1) ...
            - 2.0 * qd1 * qd1) * s2);

    % ==== Backward, tips to root: force f and moment n that each joint transmits =================

    % ---- link 1 'link1', turned by joint 1 'joint1'
    n1_z = 38.6 * qdd1 + 127.53 * c1 + N2_z + 2.0 * (c2 * 5.0 * wd2_z - s2 * 5.0 * w2_z * w2_z);

    tau = zeros(2, 1);
    tau(1) = n1_z;                        % 1 [N m]
    tau(2) = N2_z;                        % 2 [N m]
end
