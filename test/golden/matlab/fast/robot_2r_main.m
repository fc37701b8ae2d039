% A state to evaluate: fill it in and run this file.
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
