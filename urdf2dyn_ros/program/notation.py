"""Names and formulas of what the sweeps compute, in the notation of Khalil and Dombre."""

import re
from collections.abc import Collection

from urdf2dyn_ros.algebra.frames import turn_in_words
from urdf2dyn_ros.functions import FUNCTIONS
from urdf2dyn_ros.functions.fields import Fields, Tree
from urdf2dyn_ros.functions.symbol import BACKWARD, Symbol, matrix, tensor, vector
from urdf2dyn_ros.loads import TERMS

APPLIED = 'Loads on the links, in their frames'
FORWARD = 'Forward, root to tips: motion of each link, and what accelerates it'
IN_ROOT = 'In the root frame: where each frame is, and how it moves'

SYMBOLS = {
    'It': Symbol(APPLIED, ('mt{n}', *vector('ht'), *tensor('Jt')),
                 'mt{n}, ht{n}, Jt{n}: mass, first moments, inertia of link {n} with its payload'),
    'fe': Symbol(APPLIED, vector('fe'), 'fe{n}: force of the environment'),
    'ne': Symbol(APPLIED, vector('ne'), 'ne{n}: its moment about the origin of frame {n}'),
    'q': Symbol(FORWARD, ('q{n}', 'qd{n}', 'qdd{n}'), 'q{n} = {multiplier}q{driver}{offset}',
                'follows'),
    'b': Symbol(FORWARD, vector('b'), 'b{n} = a{p} + U{p} p{n}'),
    'A': Symbol(FORWARD, (), lambda at: f'A{at.n}: {turn_in_words(at.body.parent_R_joint)}',
                'rotated'),
    'wj': Symbol(FORWARD, vector('wj'), "wj{n} = A{n}' w{p}", 'rotated'),
    'wdj': Symbol(FORWARD, vector('wdj'), "wdj{n} = A{n}' wd{p}", 'rotated'),
    'bj': Symbol(FORWARD, vector('bj'), "bj{n} = A{n}' b{n}", 'rotated'),
    'R': Symbol(FORWARD, ('c{n}', 's{n}'), 'R{n}: turn about z by q{n}'),
    'w': Symbol(FORWARD, vector('w')),
    'wd': Symbol(FORWARD, vector('wd')),
    'a': Symbol(FORWARD, vector('a')),
    'ww': Symbol(FORWARD, tuple('ww{n}_' + x for x in ('xx', 'yy', 'zz', 'xy', 'xz', 'yz')),
                 "ww{n} = w{n} w{n}'"),
    'U': Symbol(FORWARD, matrix('U'), 'U{n} = [wd{n}]x + [w{n}]x [w{n}]x'),
    'F': Symbol(FORWARD, vector('F'), 'F{n} = {m} a{n} + U{n} h{t}{n}'),
    'L': Symbol(FORWARD, vector('L'), 'L{n} = J{t}{n} w{n}'),
    'N': Symbol(FORWARD, vector('N'), 'N{n} = J{t}{n} wd{n} + w{n} x L{n} + h{t}{n} x a{n}'),
    'f': Symbol(BACKWARD, vector('f'), 'f{n} = {F}'),
    'n': Symbol(BACKWARD, vector('n'), 'n{n} = {N}'),
    'fj': Symbol(BACKWARD, vector('fj')),
    'nj': Symbol(BACKWARD, vector('nj')),
    'fp': Symbol(BACKWARD, vector('fp'), 'fp{n} = {A}fj{n}'),
    'np': Symbol(BACKWARD, vector('np'), 'np{n} = {A}{nj}{n} + p{n} x fp{n}'),
    **{name: Symbol(BACKWARD, (name + '{n}',)) for name in TERMS},
    'nr': Symbol(BACKWARD, vector('nr'), 'nr{n} = nj{n} + Ic{n} (qdd{n} z + {wp} x qd{n} z)',
                 'on_parent'),
    'tau': Symbol(BACKWARD, ('tau{n}',), '{tau}'),
    'T': Symbol(IN_ROOT, matrix('T'), 'T{n} = {T}{A}R{n}'),
    'r': Symbol(IN_ROOT, vector('r'), 'r{n} = r{p} + {T}p{n}'),
    'v': Symbol(IN_ROOT, vector('v'), 'v{n} = v{p} + {T}(w{p} x p{n})'),
    'acc': Symbol(IN_ROOT, vector('acc'), 'acc{n} = T{n} a{n} + g'),
    'wr': Symbol(IN_ROOT, vector('wr'), 'wr{n} = wr{p} + T{n} qd{n} z', 'turning'),
    'at': Symbol(IN_ROOT, (), 'what is shared by the points fixed to link {n}, and by f{n}, n{n}'),
    **{symbol: known for function in FUNCTIONS.values()
       for symbol, known in function.SYMBOLS.items()},
}
"""Quantities that functions note, by their symbols."""


def formula(tree: Tree, i: int, symbol: str, sources: Collection[str] | None = None) -> str:
    """Return what a quantity of body i is, as a textbook writes it; empty if it is another one."""
    at, known = Fields(tree, i, sources), SYMBOLS[symbol]
    if known.where and not getattr(at, known.where):
        return ''
    # behind a letter that says in which sweep: m of velocities, u of unit accelerations, y of
    # unit parameters
    of_joint = at.joint.formulas.get(re.sub('^[muy]', '', symbol))
    text = at.terms[symbol].formula() if symbol in at.terms else of_joint or known.formula
    text = (text.format_map(at) if isinstance(text, str) else text(at)).rstrip()
    text = text.replace('=  - ', '= -')
    return text + ' 1' if text.endswith('=') else text
