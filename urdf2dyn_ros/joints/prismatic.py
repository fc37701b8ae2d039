"""A joint that moves its body along z."""

from urdf2dyn_ros.joints.joint_type import JointType

PRISMATIC = JointType(turns=0, slides=1, unit='m', effort_unit='N', verb='moved', formulas={
    'w': 'w{n} = {wp}',
    'wd': 'wd{n} = {wdp}',
    'a': 'a{n} = {bp} + U{n} q{n} z + 2 w{n} x qd{n} z + qdd{n} z',
    'fj': 'fj{n} = f{n}',
    'nj': 'nj{n} = n{n} + q{n} z x f{n}',
    'vo': 'v{n} = {vp} + w{n} x q{n} z + qd{n} z',
    'Pj': 'Pj{n} = P{n}',
    'Lj': 'Lj{n} = L{n} + q{n} z x P{n}',
    'T': 'T{n} = {T}{A}',
    'r': 'r{n} = r{p} + {T}(p{n} + {A}q{n} z)',
    'v': 'v{n} = v{p} + {T}(w{p} x (p{n} + {A}q{n} z) + {A}qd{n} z)',
    'along': 'f{n}_z',
    'momentum': 'P{n}_z',
    'change': '(w{n} x z) . P{n}',
    'dfq': 'fq{n} = mc{n} U{n} z',
    'dnq': 'nq{n} = hc{n} x U{n} z + z x f{n}',
    'dfv': 'fv{n} = mc{n} (W{n} x z)',
    'dnv': 'nv{n} = hc{n} x (W{n} x z)',
    'dfa': 'fa{n} = mc{n} z',
    'dna': 'na{n} = hc{n} x z',
    'dg': 'g{n} = Pc{n} x z',
    'drow': 'derivatives of tau{n}: fq{n}_z, fv{n}_z, fa{n}_z',
    'dothers': 'q{n}_tau = fa{n} . U{n} z, qd{n}_tau = fa{n} . (W{n} x z)',
})
