@name_main
disp('====');
for i = 1:@n
    printf('%d ', unicode2native(joint_names{i}, 'UTF-8'));
    disp('');
end
states = reshape(fscanf(stdin, '%f'), @width, []);
for k = 1:size(states, 2)
    state = states(:, k);
    @calls
end
