// SPDX-License-Identifier: MIT
// Names that a language defines itself: a bare name that nothing in sight defines and that is one of
// these is outside of the tree, whatever else has the name.
#include "graph/graph_priv.h"

// builtins, without what begins with an underscore
static const char of_python[] =
    "ArithmeticError AssertionError AttributeError BaseException BaseExceptionGroup "
    "BlockingIOError BrokenPipeError BufferError BytesWarning ChildProcessError "
    "ConnectionAbortedError ConnectionError ConnectionRefusedError ConnectionResetError "
    "DeprecationWarning EOFError Ellipsis EncodingWarning EnvironmentError Exception "
    "ExceptionGroup False FileExistsError FileNotFoundError FloatingPointError FutureWarning "
    "GeneratorExit IOError ImportError ImportWarning IndentationError IndexError "
    "InterruptedError IsADirectoryError KeyError KeyboardInterrupt LookupError MemoryError "
    "ModuleNotFoundError NameError None NotADirectoryError NotImplemented NotImplementedError "
    "OSError OverflowError PendingDeprecationWarning PermissionError ProcessLookupError "
    "RecursionError ReferenceError ResourceWarning RuntimeError RuntimeWarning "
    "StopAsyncIteration StopIteration SyntaxError SyntaxWarning SystemError SystemExit "
    "TabError TimeoutError True TypeError UnboundLocalError UnicodeDecodeError "
    "UnicodeEncodeError UnicodeError UnicodeTranslateError UnicodeWarning UserWarning "
    "ValueError Warning ZeroDivisionError abs aiter all anext any ascii bin bool breakpoint "
    "bytearray bytes callable chr classmethod compile complex copyright credits delattr dict "
    "dir divmod enumerate eval exec exit filter float format frozenset getattr globals "
    "hasattr hash help hex id input int isinstance issubclass iter len license list locals "
    "map max memoryview min next object oct open ord pow print property quit range repr "
    "reversed round set setattr slice sorted staticmethod str sum super tuple type vars zip ";

// ECMAScript's global object
static const char of_js[] =
    "AggregateError Array ArrayBuffer Atomics BigInt BigInt64Array BigUint64Array Boolean "
    "DataView Date Error EvalError FinalizationRegistry Float32Array Float64Array Function "
    "Infinity Int16Array Int32Array Int8Array Intl Iterator JSON Map Math NaN Number Object "
    "Promise Proxy RangeError ReferenceError Reflect RegExp Set SharedArrayBuffer String "
    "Symbol SyntaxError TypeError URIError Uint16Array Uint32Array Uint8Array "
    "Uint8ClampedArray WeakMap WeakRef WeakSet arguments decodeURI decodeURIComponent "
    "encodeURI encodeURIComponent escape eval globalThis isFinite isNaN parseFloat parseInt "
    "undefined unescape ";

// std::prelude::rust_2021, primitive types and the macros that need no import
static const char of_rust[] =
    "AsMut AsRef Box Clone Copy Debug Default DoubleEndedIterator Drop Eq Err "
    "ExactSizeIterator Extend Fn FnMut FnOnce From FromIterator Hash Into IntoIterator "
    "Iterator None Ok Option Ord PartialEq PartialOrd Result Send Sized Some String Sync "
    "ToOwned ToString TryFrom TryInto Unpin Vec assert assert_eq assert_ne bool cfg char "
    "column compile_error concat dbg debug_assert debug_assert_eq debug_assert_ne drop env "
    "eprint eprintln f32 f64 file format format_args i128 i16 i32 i64 i8 include "
    "include_bytes include_str isize line matches module_path option_env panic print println "
    "str stringify thread_local todo u128 u16 u32 u64 u8 unimplemented unreachable usize vec "
    "write writeln ";

// java.lang
static const char of_java[] =
    "AbstractMethodError Appendable ArithmeticException ArrayIndexOutOfBoundsException "
    "ArrayStoreException AssertionError AutoCloseable Boolean Byte CharSequence Character "
    "Class ClassCastException ClassLoader ClassNotFoundException CloneNotSupportedException "
    "Cloneable Comparable Deprecated Double Enum Error Exception Float FunctionalInterface "
    "IllegalAccessException IllegalArgumentException IllegalMonitorStateException "
    "IllegalStateException IndexOutOfBoundsException InheritableThreadLocal "
    "InstantiationException Integer InternalError InterruptedException Iterable LinkageError "
    "Long Math Module NegativeArraySizeException NoClassDefFoundError NoSuchFieldException "
    "NoSuchMethodException NullPointerException Number NumberFormatException Object "
    "OutOfMemoryError Override Package Process ProcessBuilder Readable Record "
    "ReflectiveOperationException Runnable Runtime RuntimeException SafeVarargs "
    "SecurityException Short StackOverflowError StackTraceElement StrictMath String "
    "StringBuffer StringBuilder StringIndexOutOfBoundsException SuppressWarnings System "
    "Thread ThreadGroup ThreadLocal Throwable UnsupportedOperationException "
    "VirtualMachineError Void ";

// predeclared identifiers
static const char of_go[] =
    "any append bool byte cap clear close comparable complex complex128 complex64 copy delete "
    "error false float32 float64 imag int int16 int32 int64 int8 iota len make max min new "
    "nil panic print println real recover rune string true uint uint16 uint32 uint64 uint8 "
    "uintptr ";

// Lua's basic functions and libraries
static const char of_lua[] =
    "assert bit32 collectgarbage coroutine debug dofile error getfenv getmetatable io ipairs "
    "load loadfile loadstring math module next os package pairs pcall print rawequal rawget "
    "rawlen rawset require select setfenv setmetatable string table tonumber tostring type "
    "unpack utf8 xpcall ";

static const char *names_of(uint16_t lang)
{
    if (graph_is_js(lang))
        return of_js;
    switch (lang) {
    case KEN_LANG_PYTHON:
        return of_python;
    case KEN_LANG_RUST:
        return of_rust;
    case KEN_LANG_JAVA:
        return of_java;
    case KEN_LANG_GO:
        return of_go;
    case KEN_LANG_LUA:
        return of_lua;
    default:
        return "";
    }
}

bool graph_is_builtin(uint16_t lang, ken_str name)
{
    ken_str names = ken_str_c(names_of(lang)), one;
    while (ken_str_split_next(&names, ' ', &one))
        if (one.len && ken_str_eq(one, name))
            return true;
    return false;
}
