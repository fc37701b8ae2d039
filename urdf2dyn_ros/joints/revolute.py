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
    'dfq': 'fq{n} = mc{n} (a{n} x z) + U{n} z x hc{n} + (w{n} x z) x Pc{n} + z x f{n}',
    'dnq': 'nq{n} = hc{n} x (a{n} x z) + Jc{n} U{n} z + Kc{n} (w{n} x z) + z x n{n}',
    'dfv': 'fv{n} = (W{n} x z) x hc{n} + z x Pc{n}',
    'dnv': 'nv{n} = Jc{n} (W{n} x z) + Kc{n} z',
    'dfa': 'fa{n} = z x hc{n}',
    'dna': 'na{n} = Jc{n} z',
    'dg': "g{n} = Kc{n}' z",
    'drow': 'derivatives of tau{n}: nq{n}_z, nv{n}_z, na{n}_z',
    'dothers': 'q{n}_tau = g{n} . (w{n} x z) + na{n} . U{n} z + fa{n} . (a{n} x z), '
               'qd{n}_tau = g{n}_z + na{n} . (W{n} x z)',
})
