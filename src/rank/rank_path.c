// SPDX-License-Identifier: MIT
// Kinds of files, by their path. Patterns are tied to whole path parts and to the conventions of a
// language, which the caller knows: a bare "test_" anywhere would also hit the helpers of a test
// framework.
#include <string.h>

#include "rank/rank.h"

static bool is_word_of(const char *list, ken_str word)
{
    char key[40];
    if (!word.len || word.len + 3 > sizeof key)
        return false;
    key[0] = ' ';
    memcpy(key + 1, word.ptr, word.len);
    key[word.len + 1] = ' ';
    key[word.len + 2] = '\0';
    return strstr(list, key) != NULL;
}

static const char test_folders[] =
    " test tests spec specs testing testdata fixture fixtures mock mocks e2e regress "
    "regression testsuite unittest unittests unit_tests integration_tests test_data __mocks__ "
    "__fixtures__ ";
static const char example_folders[] =
    " example examples sample samples demo demos doc docs benchmark "
    "benchmarks bench benches tutorial tutorials ";
static const char compat_folders[] =
    " compat legacy _legacy deprecated v0 v1 v2 v3 shim shims polyfill "
    "polyfills vendor third_party _vendor generated gen ";
static const char internal_folders[] =
    " internal internals _internal _internals impl private detail ";
static const char platform_folders[] =
    " win32 windows win wasi js native jvm aix sunos os390 haiku cygwin qnx ibmi ";
static const char platform_parts[] =
    " win32 windows win wasm wasi android ios darwin macos aix sunos os390 haiku cygwin qnx ibmi ";

static ken_str lower_into(ken_str s, char *buf, size_t cap)
{
    size_t n = s.len < cap ? s.len : cap;
    for (size_t i = 0; i < n; i++)
        buf[i] = ken_lower(s.ptr[i]);
    return ken_str_n(buf, n);
}

static bool is_one_word(ken_str s)
{
    for (size_t i = 0; i < s.len; i++)
        if (!ken_is_word(s.ptr[i]))
            return false;
    return true;
}

// "iosMain", "wasm32", "android": `word`, and whatever follows begins a word of its own
// ("iostream").
static bool begins_with_word(ken_str folder, ken_str lower, const char *word)
{
    size_t n = strlen(word);
    return ken_str_starts(lower, ken_str_n(word, n)) &&
           !(folder.len > n && folder.ptr[n] >= 'a' && folder.ptr[n] <= 'z');
}

// What the tests of one folder work on, by the custom that Jest's tools share: "__testfixtures__".
static bool is_marked_for_tests(ken_str lower)
{
    return ken_str_starts(lower, KEN_STR("__test")) && ken_str_ends(lower, KEN_STR("__"));
}

// A project of tests, "Shop.Core.Tests", or a set of sources, "commonTest".
static bool is_test_set(ken_str folder)
{
    static const char *const ends[] = { "Test", "Tests" };
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++) {
        size_t n = strlen(ends[i]);
        if (folder.len <= n || !ken_str_ends(folder, ken_str_n(ends[i], n)))
            continue;
        char before = folder.ptr[folder.len - n - 1];
        if (before == '.' || (before >= 'a' && before <= 'z'))
            return true;
    }
    return false;
}

static uint32_t folder_bits(ken_str folder)
{
    uint32_t bits = 0;
    char buf[32];
    ken_str lower = lower_into(folder, buf, sizeof buf);
    if (is_word_of(test_folders, lower) || is_marked_for_tests(lower) || is_test_set(folder))
        bits |= KEN_PATH_TEST;
    if (is_word_of(example_folders, lower))
        bits |= KEN_PATH_EXAMPLE;
    if (is_word_of(compat_folders, lower))
        bits |= KEN_PATH_COMPAT;
    if (is_word_of(internal_folders, lower) ||
        (ken_str_starts(folder, KEN_STR("unstable")) && is_one_word(folder)) ||
        (folder.len > 1 && folder.ptr[0] == '_' && folder.ptr[1] >= 'a' && folder.ptr[1] <= 'z'))
        bits |= KEN_PATH_INTERNAL;
    if (is_word_of(platform_folders, lower) || ken_str_ends(lower, KEN_STR("bsd")))
        bits |= KEN_PATH_PLATFORM;
    static const char *const families[] = { "wasm", "android", "ios", "darwin", "macos" };
    for (size_t i = 0; i < sizeof families / sizeof *families; i++)
        if (begins_with_word(folder, lower, families[i]))
            bits |= KEN_PATH_PLATFORM;
    return bits;
}

// A file name with a part that names a platform ("linux-core.c" has none): the part is bounded by
// "_ - ." and only further parts and one extension follow.
static bool names_platform(ken_str base)
{
    char buf[128];
    ken_str rest = lower_into(base, buf, sizeof buf);
    size_t dot = ken_str_rfind_char(rest, '.');
    if (dot == SIZE_MAX)
        return false;
    rest = ken_str_sub(rest, 0, dot);
    while (rest.len) {
        size_t n = 0;
        while (n < rest.len && rest.ptr[n] != '_' && rest.ptr[n] != '-' && rest.ptr[n] != '.')
            n++;
        ken_str part = ken_str_sub(rest, 0, n);
        bool dot_follows = memchr(rest.ptr + n, '.', rest.len - n) != NULL;
        if (!dot_follows && (is_word_of(platform_parts, part) ||
                             (part.len > 3 && ken_str_ends(part, KEN_STR("bsd")))))
            return true;
        rest = ken_str_sub(rest, n + 1, rest.len);
    }
    return false;
}

static bool is_test_name(ken_str base, const char *test_names)
{
    return ken_str_fits(test_names, base) || ken_str_find(base, KEN_STR(".test.")) != SIZE_MAX ||
           ken_str_find(base, KEN_STR(".spec.")) != SIZE_MAX;
}

static bool is_generated_name(ken_str base)
{
    static const char *const marks[] = { ".generated.", ".pb.", ".min." };
    for (size_t i = 0; i < sizeof marks / sizeof *marks; i++)
        if (ken_str_find(base, ken_str_c(marks[i])) != SIZE_MAX)
            return true;
    return ken_str_ends(base, KEN_STR(".d.ts"));
}

uint32_t ken_rank_folders(ken_str folders)
{
    uint32_t bits = 0;
    ken_str rest = folders, part = { "", 0 };
    while (ken_str_split_next(&rest, '/', &part))
        bits |= folder_bits(part);
    return bits;
}

uint32_t ken_rank_name(ken_str base, const char *test_names, bool is_doc, bool is_data)
{
    uint32_t bits = (is_doc ? KEN_PATH_DOC : 0u) | (is_data ? KEN_PATH_DATA : 0u);
    if (is_test_name(base, test_names))
        bits |= KEN_PATH_TEST;
    if (is_generated_name(base))
        bits |= KEN_PATH_COMPAT;
    if (base.len > 1 && base.ptr[0] == '_' && base.ptr[1] >= 'a' && base.ptr[1] <= 'z')
        bits |= KEN_PATH_INTERNAL;
    if (names_platform(base))
        bits |= KEN_PATH_PLATFORM;
    return bits;
}

uint32_t ken_rank_path(ken_str path, const char *test_names, bool is_doc, bool is_data)
{
    size_t slash = ken_str_rfind_char(path, '/');
    if (slash == SIZE_MAX)
        return ken_rank_name(path, test_names, is_doc, is_data);
    return ken_rank_folders(ken_str_sub(path, 0, slash)) |
           ken_rank_name(ken_str_sub(path, slash + 1, path.len), test_names, is_doc, is_data);
}

// ---- what a question asks for by name ----------------------------------------------------------

// Words of a question; one that ends in '*' stands for all that begin so.
static const struct {
    const char *words;
    uint32_t bits;
} waivers[] = {
    { " tests tested testcase* spec specs fixture* mock* ", KEN_PATH_TEST },
    { " test testing ", KEN_WAIVED_HALF_TEST },
    { " example* demo demos doc docs docstring* document* bench* readme tutorial* sample samples ",
      KEN_PATH_EXAMPLE | KEN_PATH_DOC },
    { " legacy compat* deprecat* shim* polyfill* generat* v0 v1 v2 v3 ", KEN_PATH_COMPAT },
    { " internal internals private ", KEN_PATH_INTERNAL },
    { " win32 windows wasm wasi android ios darwin macos aix sunos haiku cygwin qnx freebsd openbsd "
      "netbsd jvm ",
      KEN_PATH_PLATFORM },
    { " config* setting* yaml yml json toml docker* make makefile* workflow* manifest* ",
      KEN_PATH_DATA },
};

static bool fits_any(const char *list, ken_str word)
{
    if (is_word_of(list, word))
        return true;
    for (const char *star = strchr(list, '*'); star; star = strchr(star + 1, '*')) {
        const char *from = star;
        while (from[-1] != ' ')
            from--;
        if (ken_str_starts(word, ken_str_n(from, (size_t)(star - from))))
            return true;
    }
    return false;
}

// The next word, cut at marks and at case: "FooTest" is two.
static bool next_word(ken_str *rest, ken_str *out)
{
    size_t at = 0, end;
    while (at < rest->len && !ken_is_alpha(rest->ptr[at]))
        at++;
    for (end = at; end < rest->len; end++) {
        char c = rest->ptr[end];
        if (!ken_is_alpha(c) && !ken_is_digit(c))
            break;
        if (end > at && ken_is_upper(c) && !ken_is_upper(rest->ptr[end - 1]))
            break;
    }
    *out = ken_str_sub(*rest, at, end);
    *rest = ken_str_sub(*rest, end, rest->len);
    return out->len > 0;
}

uint32_t ken_rank_waived(ken_str query)
{
    uint32_t bits = 0;
    char buf[32];
    ken_str rest = ken_str_sub(query, 0, 1000), word;
    while (next_word(&rest, &word)) {
        ken_str lower = lower_into(word, buf, sizeof buf);
        for (size_t i = 0; i < sizeof waivers / sizeof *waivers; i++)
            if (fits_any(waivers[i].words, lower))
                bits |= waivers[i].bits;
    }
    return bits;
}
