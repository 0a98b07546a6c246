#include "generator/reserved_words.h"

#include <algorithm>
#include <array>

namespace generator {
namespace {

// clang-format off
constexpr std::array kKeywords = std::to_array<std::string_view>({
    "alignas", "alignof", "and", "and_eq", "asm", "auto", "bitand", "bitor", "bool", "break", "case", "catch",
    "char", "char16_t", "char32_t", "char8_t", "class", "co_await", "co_return", "co_yield", "compl", "concept",
    "const", "const_cast", "consteval", "constexpr", "constinit", "continue", "decltype", "default", "delete", "do",
    "double", "dynamic_cast", "else", "enum", "explicit", "export", "extern", "false", "final", "float", "for",
    "friend", "goto", "if", "import", "inline", "int", "long", "module", "mutable", "namespace", "new", "noexcept",
    "not", "not_eq", "nullptr", "operator", "or", "or_eq", "override", "private", "protected", "public", "register",
    "reinterpret_cast", "requires", "return", "short", "signed", "sizeof", "static", "static_assert", "static_cast",
    "struct", "switch", "template", "this", "thread_local", "throw", "true", "try", "typedef", "typeid", "typename",
    "union", "unsigned", "using", "virtual", "void", "volatile", "wchar_t", "while", "xor", "xor_eq"});

// Every word of glibc 2.36's headers and torch/torch.h that makes `namespace WORD {}` an error after them. Left out:
// words with capitals or underscores, which no project has by chance, and the likes of sinf32x and stat64.
constexpr std::array kLibrary = std::to_array<std::string_view>({
    "a64l", "abort", "abs", "accept", "accept4", "access", "acct", "acos", "acosf", "acosh", "acoshf", "acoshl",
    "acosl", "adjtime", "alarm", "alloca", "alphasort", "arc4random", "asctime", "asin", "asinf", "asinh", "asinhf",
    "asinhl", "asinl", "asprintf", "atan", "atan2", "atan2f", "atan2l", "atanf", "atanh", "atanhf", "atanhl",
    "atanl", "atexit", "atof", "atoi", "atol", "atoll", "basename", "bcmp", "bcopy", "bind", "bindtextdomain",
    "brk", "bsearch", "btowc", "bzero", "calloc", "canonicalize", "canonicalizef", "canonicalizel", "cbrt", "cbrtf",
    "cbrtl", "ceil", "ceilf", "ceill", "chdir", "chmod", "chown", "chroot", "clearenv", "clearerr", "clock",
    "clone", "close", "closedir", "closefrom", "cmsghdr", "confstr", "connect", "copysign", "copysignf",
    "copysignl", "cos", "cosf", "cosh", "coshf", "coshl", "cosl", "creat", "crypt", "ctermid", "ctime", "cuserid",
    "daddl", "daemon", "daylight", "dcgettext", "dcngettext", "ddivl", "dfmal", "dgettext", "difftime", "dirent",
    "dirfd", "div", "dladdr", "dladdr1", "dlclose", "dlerror", "dlinfo", "dlmopen", "dlopen", "dlsym", "dlvsym",
    "dmull", "dngettext", "dprintf", "drand48", "drem", "dremf", "dreml", "dsqrtl", "dsubl", "dup", "dup2", "dup3",
    "duplocale", "dysize", "eaccess", "ecvt", "endusershell", "environ", "erand48", "erf", "erfc", "erfcf", "erfcl",
    "erff", "erfl", "errno", "euidaccess", "execl", "execle", "execlp", "execv", "execve", "execveat", "execvp",
    "execvpe", "exit", "exp", "exp10", "exp10f", "exp10l", "exp2", "exp2f", "exp2l", "expf", "expl", "expm1",
    "expm1f", "expm1l", "fabs", "fabsf", "fabsl", "faccessat", "fadd", "faddl", "fallocate", "fchdir", "fchmod",
    "fchmodat", "fchown", "fchownat", "fclose", "fcloseall", "fcntl", "fcvt", "fdatasync", "fdim", "fdimf", "fdiml",
    "fdiv", "fdivl", "fdopen", "fdopendir", "feclearexcept", "fedisableexcept", "feenableexcept", "fegetenv",
    "fegetexcept", "fegetexceptflag", "fegetmode", "fegetround", "feholdexcept", "feof", "feraiseexcept", "ferror",
    "fesetenv", "fesetexcept", "fesetexceptflag", "fesetmode", "fesetround", "fetestexcept", "fetestexceptflag",
    "feupdateenv", "fexecve", "fflush", "ffma", "ffmal", "ffs", "ffsl", "ffsll", "fgetc", "fgetpos", "fgets",
    "fgetwc", "fgetws", "fileno", "finite", "finitef", "finitel", "flock", "flockfile", "floor", "floorf", "floorl",
    "fma", "fmaf", "fmal", "fmax", "fmaxf", "fmaximum", "fmaximumf", "fmaximuml", "fmaxl", "fmaxmag", "fmaxmagf",
    "fmaxmagl", "fmemopen", "fmin", "fminf", "fminimum", "fminimumf", "fminimuml", "fminl", "fminmag", "fminmagf",
    "fminmagl", "fmod", "fmodf", "fmodl", "fmul", "fmull", "fopen", "fopencookie", "fork", "fpathconf",
    "fpclassify", "fprintf", "fputc", "fputs", "fputwc", "fputws", "fread", "free", "freelocale", "freopen",
    "frexp", "frexpf", "frexpl", "fromfp", "fromfpf", "fromfpl", "fromfpx", "fromfpxf", "fromfpxl", "fscanf",
    "fseek", "fseeko", "fsetpos", "fsqrt", "fsqrtl", "fstat", "fstatat", "fsub", "fsubl", "fsync", "ftell",
    "ftello", "ftruncate", "ftrylockfile", "funlockfile", "futimens", "futimes", "futimesat", "fwide", "fwprintf",
    "fwrite", "fwscanf", "gamma", "gammaf", "gammal", "gcvt", "getc", "getchar", "getcpu", "getcwd", "getdate",
    "getdelim", "getdirentries", "getdomainname", "getdtablesize", "getegid", "getentropy", "getenv", "geteuid",
    "getgid", "getgroups", "gethostid", "gethostname", "getitimer", "getline", "getloadavg", "getlogin", "getopt",
    "getpagesize", "getpass", "getpayload", "getpayloadf", "getpayloadl", "getpeername", "getpgid", "getpgrp",
    "getpid", "getppid", "getpriority", "getpt", "getresgid", "getresuid", "getrlimit", "getrusage", "getsid",
    "getsockname", "getsockopt", "getsubopt", "gettext", "gettid", "gettimeofday", "getuid", "getumask",
    "getusershell", "getw", "getwc", "getwchar", "getwd", "gmtime", "grantpt", "gsignal", "hypot", "hypotf",
    "hypotl", "ilogb", "ilogbf", "ilogbl", "imaxabs", "imaxdiv", "index", "initstate", "iovec", "isalnum",
    "isalpha", "isascii", "isatty", "isblank", "iscanonical", "iscntrl", "isctype", "isdigit", "iseqsig",
    "isfdtype", "isfinite", "isgraph", "isgreater", "isgreaterequal", "isinf", "isinff", "isinfl", "isless",
    "islessequal", "islessgreater", "islower", "isnan", "isnanf", "isnanl", "isnormal", "isprint", "ispunct",
    "issignaling", "isspace", "isunordered", "isupper", "iswalnum", "iswalpha", "iswblank", "iswcntrl", "iswctype",
    "iswdigit", "iswgraph", "iswlower", "iswprint", "iswpunct", "iswspace", "iswupper", "iswxdigit", "isxdigit",
    "iszero", "itimerspec", "itimerval", "j0", "j0f", "j0l", "j1", "j1f", "j1l", "jn", "jnf", "jnl", "jrand48",
    "kill", "killpg", "l64a", "labs", "lchmod", "lchown", "lcong48", "lconv", "ldexp", "ldexpf", "ldexpl", "ldiv",
    "lerp", "lgamma", "lgammaf", "lgammal", "linger", "link", "linkat", "linux", "listen", "llabs", "lldiv",
    "llogb", "llogbf", "llogbl", "llrint", "llrintf", "llrintl", "llround", "llroundf", "llroundl", "localeconv",
    "localtime", "lockf", "log", "log10", "log10f", "log10l", "log1p", "log1pf", "log1pl", "log2", "log2f", "log2l",
    "logb", "logbf", "logbl", "logf", "logl", "longjmp", "lrand48", "lrint", "lrintf", "lrintl", "lround",
    "lroundf", "lroundl", "lseek", "lstat", "lutimes", "madvise", "malloc", "mblen", "mbrlen", "mbrtowc", "mbsinit",
    "mbsnrtowcs", "mbsrtowcs", "mbstowcs", "mbtowc", "memccpy", "memchr", "memcmp", "memcpy", "memfrob", "memmem",
    "memmove", "mempcpy", "memrchr", "memset", "mincore", "mkdir", "mkdirat", "mkdtemp", "mkfifo", "mkfifoat",
    "mknod", "mknodat", "mkostemp", "mkostemps", "mkstemp", "mkstemps", "mktemp", "mktime", "mlock", "mlock2",
    "mlockall", "mmap", "mmsghdr", "modf", "modff", "modfl", "mprotect", "mrand48", "mremap", "msghdr", "msync",
    "munlock", "munlockall", "munmap", "nan", "nanf", "nanl", "nanosleep", "nearbyint", "nearbyintf", "nearbyintl",
    "newlocale", "nextafter", "nextafterf", "nextafterl", "nextdown", "nextdownf", "nextdownl", "nexttoward",
    "nexttowardf", "nexttowardl", "nextup", "nextupf", "nextupl", "ngettext", "nice", "nrand48", "obstack", "open",
    "openat", "opendir", "optarg", "opterr", "optind", "optopt", "osockaddr", "pathconf", "pause", "pclose",
    "perror", "pipe", "pipe2", "poll", "pollfd", "popen", "pow", "powf", "powl", "ppoll", "pread", "printf",
    "prlimit", "profil", "pselect", "psiginfo", "psignal", "ptsname", "putc", "putchar", "putenv", "puts", "putw",
    "putwc", "putwchar", "pwrite", "qecvt", "qfcvt", "qgcvt", "qsort", "raise", "rand", "random", "rawmemchr",
    "read", "readahead", "readdir", "readlink", "readlinkat", "realloc", "reallocarray", "realpath", "recv",
    "recvfrom", "recvmmsg", "recvmsg", "remainder", "remainderf", "remainderl", "remove", "remquo", "remquof",
    "remquol", "rename", "renameat", "renameat2", "revoke", "rewind", "rewinddir", "rindex", "rint", "rintf",
    "rintl", "rlimit", "rmdir", "round", "roundeven", "roundevenf", "roundevenl", "roundf", "roundl", "rpmatch",
    "rusage", "sbrk", "scalb", "scalbf", "scalbl", "scalbln", "scalblnf", "scalblnl", "scalbn", "scalbnf",
    "scalbnl", "scandir", "scandirat", "scanf", "seed48", "seekdir", "select", "send", "sendmmsg", "sendmsg",
    "sendto", "setbuf", "setbuffer", "setdomainname", "setegid", "setenv", "seteuid", "setgid", "sethostid",
    "sethostname", "setitimer", "setjmp", "setlinebuf", "setlocale", "setlogin", "setns", "setpayload",
    "setpayloadf", "setpayloadl", "setpayloadsig", "setpayloadsigf", "setpayloadsigl", "setpgid", "setpgrp",
    "setpriority", "setregid", "setresgid", "setresuid", "setreuid", "setrlimit", "setsid", "setsockopt",
    "setstate", "settimeofday", "setuid", "setusershell", "setvbuf", "shutdown", "sigaction", "sigaddset",
    "sigaltstack", "sigandset", "sigblock", "sigcontext", "sigdelset", "sigemptyset", "sigevent", "sigfillset",
    "siggetmask", "sighold", "sigignore", "siginterrupt", "sigisemptyset", "sigismember", "siglongjmp", "signal",
    "signbit", "signgam", "significand", "significandf", "significandl", "sigorset", "sigpause", "sigpending",
    "sigprocmask", "sigqueue", "sigrelse", "sigreturn", "sigset", "sigsetmask", "sigstack", "sigsuspend",
    "sigtimedwait", "sigval", "sigwait", "sigwaitinfo", "sin", "sincos", "sincosf", "sincosl", "sinf", "sinh",
    "sinhf", "sinhl", "sinl", "sleep", "snprintf", "sockaddr", "sockatmark", "socket", "socketpair", "splice",
    "sprintf", "sqrt", "sqrtf", "sqrtl", "srand", "srand48", "srandom", "sscanf", "ssignal", "stat", "statx",
    "stderr", "stdin", "stdout", "stpcpy", "stpncpy", "strcasecmp", "strcasestr", "strcat", "strchr", "strchrnul",
    "strcmp", "strcoll", "strcpy", "strcspn", "strdup", "strerror", "strfromd", "strfromf", "strfroml", "strfry",
    "strftime", "strlen", "strncasecmp", "strncat", "strncmp", "strncpy", "strndup", "strnlen", "strpbrk",
    "strptime", "strrchr", "strsep", "strsignal", "strspn", "strstr", "strtod", "strtof", "strtoimax", "strtok",
    "strtol", "strtold", "strtoll", "strtoq", "strtoul", "strtoull", "strtoumax", "strtouq", "strverscmp",
    "strxfrm", "swab", "swprintf", "swscanf", "symlink", "symlinkat", "sync", "syncfs", "syscall", "sysconf",
    "system", "tan", "tanf", "tanh", "tanhf", "tanhl", "tanl", "tcgetpgrp", "tcsetpgrp", "tee", "telldir",
    "tempnam", "textdomain", "tgamma", "tgammaf", "tgammal", "tgkill", "time", "timegm", "timelocal", "timespec",
    "timeval", "timex", "timezone", "tm", "tmpfile", "tmpnam", "toascii", "tolower", "totalorder", "totalorderf",
    "totalorderl", "totalordermag", "totalordermagf", "totalordermagl", "toupper", "towctrans", "towlower",
    "towupper", "trunc", "truncate", "truncf", "truncl", "ttyname", "ttyslot", "tzname", "tzset", "ualarm", "ucred",
    "ufromfp", "ufromfpf", "ufromfpl", "ufromfpx", "ufromfpxf", "ufromfpxl", "uint", "ulong", "umask", "ungetc",
    "ungetwc", "unix", "unlink", "unlinkat", "unlockpt", "unsetenv", "unshare", "uselocale", "ushort", "usleep",
    "utimensat", "utimes", "valloc", "vasprintf", "vdprintf", "versionsort", "vfork", "vfprintf", "vfscanf",
    "vfwprintf", "vfwscanf", "vhangup", "vmsplice", "vprintf", "vscanf", "vsnprintf", "vsprintf", "vsscanf",
    "vswprintf", "vswscanf", "vwprintf", "vwscanf", "wait", "wait3", "wait4", "waitid", "waitpid", "wcpcpy",
    "wcpncpy", "wcrtomb", "wcscasecmp", "wcscat", "wcschr", "wcschrnul", "wcscmp", "wcscoll", "wcscpy", "wcscspn",
    "wcsdup", "wcsftime", "wcslen", "wcsncasecmp", "wcsncat", "wcsncmp", "wcsncpy", "wcsnlen", "wcsnrtombs",
    "wcspbrk", "wcsrchr", "wcsrtombs", "wcsspn", "wcsstr", "wcstod", "wcstof", "wcstoimax", "wcstok", "wcstol",
    "wcstold", "wcstoll", "wcstombs", "wcstoq", "wcstoul", "wcstoull", "wcstoumax", "wcstouq", "wcswcs", "wcswidth",
    "wcsxfrm", "wctob", "wctomb", "wctrans", "wctype", "wcwidth", "wmemchr", "wmemcmp", "wmemcpy", "wmemmove",
    "wmempcpy", "wmemset", "wprintf", "write", "wscanf", "y0", "y0f", "y0l", "y1", "y1f", "y1l", "yn", "ynf", "ynl"});

// C++'s main too.
constexpr std::array kProject = std::to_array<std::string_view>({
    "all", "at", "base", "build", "c10", "caffe2", "clean", "cloud", "config", "data", "edit_cache", "generators",
    "help", "install", "main", "nn", "none", "package", "rebuild_cache", "runs", "scaffold", "src", "std", "task",
    "test", "tests", "torch", "uninstall"});
// clang-format on

}  // namespace

std::span<const std::string_view> reserved_words(Reserved kind) {
  switch (kind) {
    case Reserved::kKeyword:
      return kKeywords;
    case Reserved::kLibrary:
      return kLibrary;
    case Reserved::kProject:
      return kProject;
    case Reserved::kNo:
      break;
  }
  return {};
}

Reserved reserved(std::string_view word) {
  for (const Reserved kind : {Reserved::kKeyword, Reserved::kLibrary, Reserved::kProject}) {
    const std::span<const std::string_view> words = reserved_words(kind);
    if (std::binary_search(words.begin(), words.end(), word)) return kind;
  }
  return Reserved::kNo;
}

}  // namespace generator
