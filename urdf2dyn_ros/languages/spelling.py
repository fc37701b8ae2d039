"""Names that languages cannot have: reserved ones, and those that differ in capitals only."""

import re
from collections.abc import Iterable

_CPP = """
EOF FILE INFINITY L_ctermid L_cuserid L_tmpnam NAN NULL P_tmpdir Row a64l abort abs acos acosf
acosh acoshf acoshl acosl alignas aligned_alloc alignof alloca and and_eq arc4random arc4random_buf
arc4random_uniform asin asinf asinh asinhf asinhl asinl asm asprintf at_quick_exit atan atan2
atan2f atan2l atanf atanh atanhf atanhl atanl atexit atof atoi atol atoll auto bitand bitor
blkcnt64_t blkcnt_t blksize_t bool break bsearch caddr_t calloc canonicalize canonicalize_file_name
canonicalizef canonicalizel case catch cbrt cbrtf cbrtl ceil ceilf ceill char char16_t char32_t
char8_t class clearenv clearerr clock_t clockid_t co_await co_return co_yield comparison_fn_t compl
concept const const_cast consteval constexpr constinit continue cookie_close_function_t
cookie_read_function_t cookie_seek_function_t cookie_write_function_t copysign copysignf copysignl
cos cosf cosh coshf coshl cosl ctermid cuserid daddl daddr_t ddivl decltype default delete dev_t
dfmal differs div div_t dmull do double double_t dprintf drand48 drand48_r drem dremf dreml dsqrtl
dsubl dynamic_cast ecvt ecvt_r else enum epsilon erand48 erand48_r erf erfc erfcf erfcl erff erfl
exit exp exp10 exp10f exp10l exp2 exp2f exp2l expf expl explicit expm1 expm1f expm1l export extern
fabs fabsf fabsl fadd faddl false fclose fcloseall fcvt fcvt_r fd_mask fdim fdimf fdiml fdiv fdivl
fdopen feof ferror fflush ffma ffmal fgetc fgetpos fgets fileno finite finitef finitel float
float_t flockfile floor floorf floorl fma fmaf fmal fmax fmaxf fmaximum fmaximum_mag
fmaximum_mag_num fmaximum_mag_numf fmaximum_mag_numl fmaximum_magf fmaximum_magl fmaximum_num
fmaximum_numf fmaximum_numl fmaximumf fmaximuml fmaxl fmaxmag fmaxmagf fmaxmagl fmemopen fmin fminf
fminimum fminimum_mag fminimum_mag_num fminimum_mag_numf fminimum_mag_numl fminimum_magf
fminimum_magl fminimum_num fminimum_numf fminimum_numl fminimumf fminimuml fminl fminmag fminmagf
fminmagl fmod fmodf fmodl fmul fmull fopen fopencookie for fpos64_t fpos_t fprintf fputc fputs
fread free freopen frexp frexpf frexpl friend fromfp fromfpf fromfpl fromfpx fromfpxf fromfpxl
fsblkcnt64_t fsblkcnt_t fscanf fseek fseeko fsetpos fsfilcnt64_t fsfilcnt_t fsid_t fsqrt fsqrtl
fsub fsubl ftell ftello ftrylockfile funlockfile fwrite gamma gammaf gammal gcvt getc getchar
getdelim getenv getline getloadavg getpayload getpayloadf getpayloadl getpt getsubopt getw gid_t
goto grantpt hypot hypotf hypotl id_t if ilogb ilogbf ilogbl initstate initstate_r inline ino64_t
ino_t int int16_t int32_t int64_t int8_t iscanonical iseqsig isinf isinff isinfl isnan isnanf
isnanl issignaling iszero j0 j0f j0l j1 j1f j1l jn jnf jnl jrand48 jrand48_r key_t l64a labs
lcong48 lcong48_r ldexp ldexpf ldexpl ldiv ldiv_t lgamma lgamma_r lgammaf lgammaf128_r lgammaf32_r
lgammaf32x_r lgammaf64_r lgammaf64x_r lgammaf_r lgammal lgammal_r llabs lldiv llogb llogbf llogbl
llrint llrintf llrintl llround llroundf llroundl locale_t loff_t log log10 log10f log10l log1p
log1pf log1pl log2 log2f log2l logb logbf logbl logf logl long lrand48 lrand48_r lrint lrintf
lrintl lround lroundf lroundl main malloc math_errhandling mblen mbstowcs mbtowc mkdtemp mkostemp
mkostemps mkstemp mkstemps mktemp mode_t modf modff modfl mrand48 mrand48_r mutable namespace nan
nanf nanl nearbyint nearbyintf nearbyintl new nextafter nextafterf nextafterl nextdown nextdownf
nextdownl nexttoward nexttowardf nexttowardl nextup nextupf nextupl nlink_t noexcept not not_eq
nrand48 nrand48_r nullptr obstack_printf obstack_vprintf off64_t off_t on_exit open_memstream
operator or or_eq pclose perror pid_t popen posix_memalign posix_openpt pow powf powl printf
private protected pselect pthread_attr_t pthread_key_t pthread_once_t pthread_spinlock_t pthread_t
ptrdiff_t ptsname ptsname_r public putc putchar putenv puts putw qecvt qecvt_r qfcvt qfcvt_r qgcvt
qsort qsort_r quad_t quick_exit rand rand_r random random_r realloc reallocarray realpath register
reinterpret_cast remainder remainderf remainderl remove remquo remquof remquol rename renameat
renameat2 requires return rewind rint rintf rintl round roundeven roundevenf roundevenl roundf
roundl rpmatch scalb scalbf scalbl scalbln scalblnf scalblnl scalbn scalbnf scalbnl scanf
secure_getenv seed48 seed48_r select setbuf setbuffer setenv setlinebuf setpayload setpayloadf
setpayloadl setpayloadsig setpayloadsigf setpayloadsigl setstate setstate_r setvbuf short signed
signgam significand significandf significandl sigset_t sin sincos sincosf sincosl sinf sinh sinhf
sinhl sinl size_t sizeof snprintf sprintf sqrt sqrtf sqrtl srand srand48 srand48_r srandom
srandom_r sscanf ssize_t static static_assert std stderr stdin stdout struct switch system tan tanf
tanh tanhf tanhl tanl template tgamma tgammaf tgammal this thread_local throw times true trunc
truncf truncl try typedef typeid typename union unsetenv unsigned using valloc virtual void
volatile vprintf wchar_t while wrench_names xor xor_eq y0 y1 yn ynl
"""
CPP = frozenset(_CPP.split())
"""Names that cannot be a C++ namespace: keywords, and global names of the headers."""


def distinguished(names: Iterable[str], reserved: Iterable[str]) -> dict[str, str]:
    """
    Return a spelling of each name, such that no two differ in capitals only.

    Where two names begin with the same letters but for capitals, as f1_x and F2_y, all that begin
    with the capital have _ behind it: F_2_y. No spelling is a reserved name.

    """
    symbols = {name: re.split('[^A-Za-z]', name)[0] for name in names}
    used = {name.lower() for name in reserved}
    alike: dict[str, list[str]] = {}
    for symbol in sorted({*symbols.values()}, key=str.swapcase):   # small letters first
        alike.setdefault(symbol.lower(), []).append(symbol)
    spelling = {}
    for name, symbol in symbols.items():
        mark = '_' * alike[symbol.lower()].index(symbol)
        spelled = symbol + mark + name[len(symbol):]
        while spelled.lower() in used:
            spelled += '_'
        used.add(spelled.lower())
        spelling[name] = spelled
    return spelling
