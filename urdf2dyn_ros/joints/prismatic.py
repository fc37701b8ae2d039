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
})
