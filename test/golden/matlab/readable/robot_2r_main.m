% A state to evaluate: fill it in and run this file.
%
% Inverse dynamics of 'robot_2r': tau = ID(q, qd, qdd), the efforts that give a motion.
%
% Recursive Newton-Euler, readable style, written by urdf2dyn_ros 0.1.0.
% SI: rad, m, kg, s, N, N m. Efforts are positive along the axis: what the actuator must
% supply. Inputs must be finite: products with what is always zero are omitted.
% Rigid links alone: no friction, no rotors, no springs, no contact.
% Gravity (0, -9.81, 0) m/s^2 in the root frame.
% Lengths of 0 and quarter turns of the URDF are folded in (`export --general`: nothing is).
% One call: 25 multiplications, 17 additions, 4 sines and cosines.
%
%     i  joint   type        moves  parent  q    effort  frame i: link's
%     1  joint1  continuous  link1  root    rad  N m     x y z
%     2  joint2  continuous  link2  1       rad  N m     x y z
%
% Notation, after Khalil and Dombre (v x w: cross product, R': transpose of R, p: parent of i):
%     frame i       on link i, origin on joint i, z along the joint's axis; the root frame is 0
%     Ai, Ri        constant rotation from joint i to frame p; rotation of joint i, by qi about z
%     pi            origin of joint i in frame p; bi: acceleration of frame p there, as ai
%     ci, si        cosine and sine of qi
%     wi, wdi       angular velocity and its derivative, in frame i; w0 = wd0 = 0
%     ai            acceleration of the origin minus gravity, in frame i; a0 = -g
%     Ui            Ui r = wdi x r + wi x (wi x r): acceleration of r relative to the origin
%     mi, hi, Ji    mass, first moments (mass times centre), inertia about the origin, in frame i
%     Fi, Ni        force and moment that accelerate link i by itself; Li = Ji wi
%     fi, ni        force and moment that joint i transmits; fpi, npi: the same in frame p
%     wji, .. nji   the same in the axes of joint i: before it turns, or turned back (fji, nji)
%     = (.., _, ..) entries of a formula that are known; _ is one that is not needed
% Self-test: octave robot_2r_main.m, or robot_2r_main in MATLAB

joint_names = {
    'joint1'
    'joint2'
};
gv_position_joint1 = 0.35;                                  % [rad]
gv_velocity_joint1 = 1.16;                                  % [rad/s]
gv_acceleration_joint1 = 1.03;                              % [rad/s^2]
gv_position_joint2 = 0.78;                                  % [rad]
gv_velocity_joint2 = 0.17;                                  % [rad/s]
gv_acceleration_joint2 = -1.83;                             % [rad/s^2]

q = [gv_position_joint1; gv_position_joint2];
qd = [gv_velocity_joint1; gv_velocity_joint2];
qdd = [gv_acceleration_joint1; gv_acceleration_joint2];
disp('robot_2r_inverse_dynamics')
tau = robot_2r_inverse_dynamics(q, qd, qdd);
units = {'N m', 'N m'};
for i = 1:numel(tau)
    fprintf('%-24s %.9g %s\n', joint_names{i}, tau(i), units{i});
end

reference_q = [
    0.35, 0.78;
    0.61, -0.86;
    -0.86, 0.36;
];
reference_qd = [
    1.16, 0.17;
    -0.19, -1.0;
    -1.0, 1.16;
];
reference_qdd = [
    1.03, -1.83;
    -1.99, 0.62;
    0.62, 1.0;
];
expected_inverse_dynamics = [
    167.14198500435336, 25.713400885261393;
    43.2271944383838, 13.718067503237304;
    198.87942395510254, 76.67072730027688;
];

wrong = 0; states = size(reference_q, 1);
parameters = {'g_y', 'm1', 'com1_x', 'com1_y', 'I1_zz', 'm2', 'com2_x', 'com2_y', 'I2_zz', ...
              'p2_x'};
exported = [-9.81, 3.0, 1.0, 0.0, 15.6, 5.0, 1.0, 0.0, 10.0, 2.0];
for i = find(robot_2r_inverse_dynamics() ~= exported)
    fprintf(['parameter %s of inverse_dynamics was changed: ' ...
             'the reference values do not apply\n'], parameters{i});
    states = 0;
end
for k = 1:states
    tau = robot_2r_inverse_dynamics(reference_q(k, :).', reference_qd(k, :).', ...
        reference_qdd(k, :).');
    found = tau; expected = expected_inverse_dynamics(k, :).';
    for i = find(~(abs(found - expected) <= 1e-9 * max(1, abs(expected)))).'
        fprintf('inverse_dynamics, %s: %.17g instead of %.17g\n', ...
                joint_names{i}, found(i), expected(i));
        wrong = wrong + 1;
    end
end
if wrong > 0
    error('differs from the reference');
elseif states > 0
    disp('agrees with the reference');
end
