! Inverse dynamics of 'robot_2r': tau = ID(q, qd, qdd), the efforts that give a motion.
!
! Recursive Newton-Euler, fast style, written by urdf2dyn_ros 0.1.0.
! SI: rad, m, kg, s, N, N m. Efforts are positive along the axis: what the actuator must
! supply. Inputs must be finite: products with what is always zero are omitted.
! Rigid links alone: no friction, no rotors, no springs, no contact.
! Gravity (0, -9.81, 0) m/s^2 in the root frame.
! One call: 17 multiplications, 10 additions, 4 sines and cosines.
!
!     i  joint   type        moves  parent  q    effort  frame i: link's
!     1  joint1  continuous  link1  root    rad  N m     x y z
!     2  joint2  continuous  link2  1       rad  N m     x y z
! Capital and small letters are the same here: the comments have N2_z for N_2_z.
!
! Self-test: gfortran -O2 robot_2r_dynamics.f90 robot_2r_self_test.f90 -o self_test && ./self_test
module robot_2r_dynamics
implicit none
private
public :: inverse_dynamics

integer, parameter, public :: dp = kind(1.0d0)
integer, parameter, public :: joints = 2
! UTF-8, in the order of all vectors, with blanks behind the shorter ones
character(len=*), parameter, public :: joint_names(joints) = [character(len=6) :: &
    'joint1', 'joint2']

contains

! Returns the efforts tau that a motion requires.
pure subroutine inverse_dynamics(q, qd, qdd, tau)
    real(dp), intent(in) :: q(joints), qd(joints), qdd(joints)
    real(dp), intent(out) :: tau(joints)
    real(dp) :: q1, q2, qd1, qd2, qdd1, qdd2, c1, c2, s2, w2_z, wd2_z, N_2_z, n1_z

    q1 = q(1); q2 = q(2)
    qd1 = qd(1); qd2 = qd(2)
    qdd1 = qdd(1); qdd2 = qdd(2)

    ! ==== Forward, root to tips: motion of each link, and what accelerates it ====================

    ! ---- link 1 'link1', turned by joint 1 'joint1'
    c1 = cos(q1)

    ! ---- link 2 'link2', turned by joint 2 'joint2'
    c2 = cos(q2)
    s2 = sin(q2)
    w2_z = qd1 + qd2
    wd2_z = qdd1 + qdd2
    N_2_z = 15.0_dp * wd2_z + 5.0_dp * ((9.81_dp * c1 + 2.0_dp * qdd1) * c2 - (9.81_dp * sin(q1) &
            - 2.0_dp * qd1 * qd1) * s2)

    ! ==== Backward, tips to root: force f and moment n that each joint transmits =================

    ! ---- link 1 'link1', turned by joint 1 'joint1'
    n1_z = 38.6_dp * qdd1 + 127.53_dp * c1 + N_2_z + 2.0_dp * (c2 * 5.0_dp * wd2_z &
            - s2 * 5.0_dp * w2_z * w2_z)

    tau(1) = n1_z                         ! 1 [N m]
    tau(2) = N_2_z                        ! 2 [N m]
end subroutine inverse_dynamics

end module robot_2r_dynamics
