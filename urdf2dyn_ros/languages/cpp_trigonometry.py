"""Sines and cosines of exported C++: those of C for its numbers, any scalar's own elsewhere."""

import re

from urdf2dyn_ros.languages.c_trigonometry import sines_and_cosines

_ANY_SCALAR = """
template <typename Scalar>
void sines_and_cosines(int n, const Scalar *angle, Scalar *sine, Scalar *cosine)
{
    using std::cos;
    using std::sin;
    for (int k = 0; k < n; k++) {
        sine[k] = sin(angle[k]);
        cosine[k] = cos(angle[k]);
    }
}"""

def sines_and_cosines_of_cpp(real: str, most: int) -> list[str]:
    """Return the definitions of the loop for any scalar and, with its own steps, for a type."""
    text = '\n'.join(sines_and_cosines(real, most)[1:])
    text = text.replace('static void', 'inline void').replace('restrict ', '__restrict ')
    text = re.sub(r'\b(fabs|sin|cos)f?\(', r'std::\1(', text)
    text = re.sub(r'\*\((const )?angles \*\)\((\w+) \+ k\)',
                  r'*reinterpret_cast<\1angles *>(\2 + k)', text)
    text = text.replace('(int)(sizeof(angles) / sizeof', 'int(sizeof(angles) / sizeof')
    return [*_ANY_SCALAR.splitlines(), *text.splitlines()]
