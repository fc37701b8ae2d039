program driver
    use @name_dynamics
    implicit none
    real(dp) :: state(@width)
    integer :: i, j, status
    print '(a)', '===='
    do i = 1, joints
        print '(*(i0, 1x))', (ichar(joint_names(i)(j:j)), j = 1, len_trim(joint_names(i)))
    end do
    do
        read (*, *, iostat=status) state
        if (status /= 0) exit
    @calls
    end do
end program driver
