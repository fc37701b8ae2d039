@name_main
disp('====');
for i = 1:@n
    printf('%d ', unicode2native(joint_names{i}, 'UTF-8'));
    disp('');
end
states = reshape(fscanf(stdin, '%f'), @n, 3, []);
for k = 1:size(states, 3)
    q = states(:, 1, k); qd = states(:, 2, k); qdd = states(:, 3, k);
    @calls
end
