! Compares robot_2r_dynamics with reference values.
program robot_2r_self_test
    use robot_2r_dynamics
    implicit none
    integer, parameter :: states = 3
    real(dp) :: reference_q(joints, states)
    data reference_q(:, 1) / 0.35_dp, 0.78_dp /
    data reference_q(:, 2) / 0.61_dp, -0.86_dp /
    data reference_q(:, 3) / -0.86_dp, 0.36_dp /

    real(dp) :: reference_qd(joints, states)
    data reference_qd(:, 1) / 1.16_dp, 0.17_dp /
    data reference_qd(:, 2) / -0.19_dp, -1.0_dp /
    data reference_qd(:, 3) / -1.0_dp, 1.16_dp /

    real(dp) :: reference_qdd(joints, states)
    data reference_qdd(:, 1) / 1.03_dp, -1.83_dp /
    data reference_qdd(:, 2) / -1.99_dp, 0.62_dp /
    data reference_qdd(:, 3) / 0.62_dp, 1.0_dp /

    real(dp) :: expected_inverse_dynamics(joints, states)
    data expected_inverse_dynamics(:, 1) / 167.14198500435336_dp, 25.713400885261393_dp /
    data expected_inverse_dynamics(:, 2) / 43.2271944383838_dp, 13.718067503237304_dp /
    data expected_inverse_dynamics(:, 3) / 198.87942395510254_dp, 76.67072730027688_dp /


    integer :: k, wrong

    wrong = 0
    block
        real(dp) :: tau(joints)
        call inverse_dynamics(reference_q(:, 1), reference_qd(:, 1), reference_qdd(:, 1), tau)
        print '(a)', 'inverse_dynamics in the first reference state:'
        call show(joint_names, tau, ['N m     ', 'N m     '])
    end block
    block
        real(dp), parameter :: exported(*) = [ &
            -9.81_dp, 3.0_dp, 1.0_dp, 0.0_dp, 15.6_dp, 5.0_dp, 1.0_dp, 0.0_dp, 10.0_dp, 2.0_dp]
        logical :: changed(size(exported))

        changed = abs(parameter_values - exported) > 0.0_dp
        do k = 1, size(exported)
            if (changed(k)) print '(3a)', 'parameter ', trim(parameter_names(k)), &
                ' was changed: the reference values do not apply'
        end do
        if (any(changed)) stop
    end block
    do k = 1, states
        block
            real(dp) :: tau(joints)
            call inverse_dynamics(reference_q(:, k), reference_qd(:, k), reference_qdd(:, k), &
                                  tau)
            call compare('inverse_dynamics', joint_names, tau, expected_inverse_dynamics(:, k))
        end block
    end do
    if (wrong > 0) then
        print '(a)', 'differs from the reference'
        stop 1
    end if
    print '(a)', 'agrees with the reference'

contains

    subroutine compare(title, names, found, expected)
        character(len=*), intent(in) :: title, names(:)
        real(dp), intent(in) :: found(:), expected(:)
        integer :: i

        do i = 1, size(found)
            if (.not. abs(found(i) - expected(i)) <= 1e-9_dp * max(1.0_dp, abs(expected(i)))) then
                print '(4a, es24.16e3, a, es24.16e3)', title, ', ', trim(names(i)), ':', &
                    found(i), ' instead of ', expected(i)
                wrong = wrong + 1
            end if
        end do
    end subroutine compare

    subroutine show(names, entries, units)
        character(len=*), intent(in) :: names(:), units(:)
        real(dp), intent(in) :: entries(:)
        integer :: i

        do i = 1, size(entries)
            print '(2a, g0.9, 2a)', names(i), ' ', entries(i), ' ', trim(units(i))
        end do
    end subroutine show
end program robot_2r_self_test
