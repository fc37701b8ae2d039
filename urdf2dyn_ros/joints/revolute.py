"""A joint that turns its body about z: revolute and continuous."""

from urdf2dyn_ros.joints.joint_type import JointType

REVOLUTE = JointType(turns=1, slides=0, unit='rad', effort_unit='N m', verb='turned', formulas={
    'w': "w{n} = R{n}' {wp} + qd{n} z",
    'wd': "wd{n} = R{n}' {wdp} + qdd{n} z + R{n}' {wp} x qd{n} z",
    'a': "a{n} = R{n}' {bp}",
    'fj': 'fj{n} = R{n} f{n}',
    'nj': 'nj{n} = R{n} n{n}',
    'vo': "v{n} = R{n}' {vp}",
    'Pj': 'Pj{n} = R{n} P{n}',
    'Lj': 'Lj{n} = R{n} L{n}',
    'along': 'n{n}_z',
    'momentum': 'L{n}_z',
    'change': '(w{n} x z) . L{n} + (v{n} x z) . P{n}',
})
