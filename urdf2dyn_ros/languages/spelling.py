"""Names that languages cannot have, and those of variables after joints."""

import re
from collections.abc import Sequence

from urdf2dyn_ros.program.program import JointRow

_ANY = """
EOF FILE INFINITY L_ctermid L_cuserid L_tmpnam NAN NULL P_tmpdir Row a64l abort abs alignas
aligned_alloc alignof alloca and and_eq arc4random arc4random_buf arc4random_uniform asm asprintf
at_quick_exit atexit atof atoi atol atoll auto bitand bitor blkcnt64_t blkcnt_t blksize_t bool
break bsearch caddr_t calloc canonicalize_file_name case catch char char16_t char32_t char8_t class
clearenv clearerr clock_t clockid_t co_await co_return co_yield comparison_fn_t compl concept const
const_cast consteval constexpr constinit continue cookie_close_function_t cookie_read_function_t
cookie_seek_function_t cookie_write_function_t ctermid cuserid daddl daddr_t ddivl decltype default
delete dev_t dfmal differs div div_t dmull do double double_t dprintf drand48 drand48_r dsqrtl
dsubl dynamic_cast ecvt ecvt_r else enum epsilon erand48 erand48_r exit explicit export extern fadd
faddl false fclose fcloseall fcvt fcvt_r fd_mask fdiv fdivl fdopen feof ferror fflush ffma ffmal
fgetc fgetpos fgets fileno float float_t flockfile fmemopen fmul fmull fopen fopencookie for
fpos64_t fpos_t fprintf fputc fputs fread free freopen friend fsblkcnt64_t fsblkcnt_t fscanf fseek
fseeko fsetpos fsfilcnt64_t fsfilcnt_t fsid_t fsqrt fsqrtl fsub fsubl ftell ftello ftrylockfile
funlockfile fwrite gcvt getc getchar getdelim getenv getline getloadavg getpt getsubopt getw gid_t
goto grantpt id_t if initstate initstate_r inline ino64_t ino_t int int16_t int32_t int64_t int8_t
iscanonical iseqsig issignaling iszero jrand48 jrand48_r key_t l64a labs lcong48 lcong48_r ldiv
ldiv_t lgamma_r lgammaf128_r lgammaf32_r lgammaf32x_r lgammaf64_r lgammaf64x_r lgammaf_r lgammal_r
llabs lldiv locale_t loff_t long lrand48 lrand48_r main malloc math_errhandling mblen mbstowcs
mbtowc mkdtemp mkostemp mkostemps mkstemp mkstemps mktemp mode_t mrand48 mrand48_r mutable
namespace new nlink_t noexcept not not_eq nrand48 nrand48_r nullptr obstack_printf obstack_vprintf
off64_t off_t on_exit open_memstream operator or or_eq pclose perror pid_t popen posix_memalign
posix_openpt printf private protected pselect pthread_attr_t pthread_key_t pthread_once_t
pthread_spinlock_t pthread_t ptrdiff_t ptsname ptsname_r public putc putchar putenv puts putw qecvt
qecvt_r qfcvt qfcvt_r qgcvt qsort qsort_r quad_t quick_exit rand rand_r random random_r realloc
reallocarray realpath register reinterpret_cast remove rename renameat renameat2 requires return
rewind rpmatch scanf secure_getenv seed48 seed48_r select setbuf setbuffer setenv setlinebuf
setstate setstate_r setvbuf short signed signgam sigset_t size_t sizeof snprintf sprintf srand
srand48 srand48_r srandom srandom_r sscanf ssize_t static static_assert std stderr stdin stdout
struct switch system template this thread_local throw times true try typedef typeid typename union
unsetenv unsigned using valloc virtual void volatile vprintf wchar_t while wrench_names xor xor_eq
y0 y1 yn ynl
"""
_MATHEMATICS = """
acos acosh asin asinh atan atan2 atanh canonicalize cbrt ceil copysign cos cosh drem erf erfc exp
exp10 exp2 expm1 fabs fdim finite floor fma fmax fmaximum fmaximum_mag fmaximum_mag_num
fmaximum_num fmaxmag fmin fminimum fminimum_mag fminimum_mag_num fminimum_num fminmag fmod frexp
fromfp fromfpx gamma getpayload hypot ilogb isinf isnan j0 j1 jn ldexp lgamma llogb llrint llround
log log10 log1p log2 logb lrint lround modf nan nearbyint nextafter nextdown nexttoward nextup pow
remainder remquo rint round roundeven scalb scalbln scalbn setpayload setpayloadsig significand sin
sincos sinh sqrt tan tanh tgamma trunc
"""
CPP = frozenset(_ANY.split()).union(
    name + precision for name in _MATHEMATICS.split() for precision in ('', 'f', 'l'))
"""Names that cannot be a C++ namespace: keywords, and global names of the headers."""


def variables(rows: Sequence[JointRow]) -> list[str]:
    """Return suffixes for gv_: the joint's name where it is made of letters, digits and _."""
    plain = [row.name if re.fullmatch(r'[A-Za-z0-9_]{1,47}', row.name) else '' for row in rows]
    taken = set(plain)
    result = []
    for row, name in zip(rows, plain):
        number_name = f'joint_{row.number}'
        while number_name in taken:
            number_name += '_'
        result.append(name or number_name)
    return result
