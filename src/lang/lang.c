// SPDX-License-Identifier: MIT
#include "lang/lang.h"

#include <pthread.h>
#include <string.h>

#include "base/map.h"
#include "base/path.h"
#include "lang/lang_grammar.h"
#include "lang/lang_priv.h"

static const ken_language rows[] = {
#define X(id, its_name, driver, ...) { .name = its_name, __VA_ARGS__ },
    KEN_LANG_TABLE(X)
#undef X
};

static struct {
    pthread_once_t once;
    ken_map by_ext, by_name, by_shebang; // lower-case text -> language id
} index_of = { .once = PTHREAD_ONCE_INIT };

static void add_words(ken_map *m, const char *words, uint64_t id)
{
    ken_str rest = words ? ken_str_c(words) : KEN_STR(""), word;
    while (ken_str_split_next(&rest, ' ', &word))
        if (word.len)
            *ken_map_put(m, word, id, NULL) = id;
}

static void build_index(void)
{
    ken_map_init(&index_of.by_ext);
    ken_map_init(&index_of.by_name);
    ken_map_init(&index_of.by_shebang);
    for (unsigned id = 0; id < KEN_LANG_COUNT; id++) {
        add_words(&index_of.by_ext, rows[id].extensions, id);
        add_words(&index_of.by_name, rows[id].file_names, id);
        add_words(&index_of.by_shebang, rows[id].interpreters, id);
    }
}

const ken_language *ken_lang_at(uint16_t lang)
{
    return lang < KEN_LANG_COUNT ? &rows[lang] : &rows[KEN_LANG_UNKNOWN];
}

static bool lookup_folded(const ken_map *m, ken_str text, ken_lang_id *out)
{
    char lower[64];
    if (!text.len || text.len > sizeof lower)
        return false;
    for (size_t i = 0; i < text.len; i++)
        lower[i] = ken_lower(text.ptr[i]);
    const uint64_t *v = ken_map_find(m, ken_str_n(lower, text.len));
    if (v)
        *out = (ken_lang_id)*v;
    return v != NULL;
}

static bool by_path(ken_str path, ken_lang_id *out)
{
    pthread_once(&index_of.once, build_index);
    ken_str base = ken_path_base(path);
    const uint64_t *v = ken_map_find(&index_of.by_name, base);
    if (v) {
        *out = (ken_lang_id)*v;
        return true;
    }
    if (lookup_folded(&index_of.by_ext, ken_path_ext(base), out))
        return true;
    // "Dockerfile.dev", "Makefile.am"
    size_t dot = ken_str_find_char(base, '.');
    v = dot != SIZE_MAX && dot ? ken_map_find(&index_of.by_name, ken_str_sub(base, 0, dot)) : NULL;
    if (v)
        *out = (ken_lang_id)*v;
    return v != NULL;
}

// "#!/usr/bin/env -S python3.11 -u" -> python
static bool by_shebang(ken_str head, ken_lang_id *out)
{
    ken_str line;
    if (!ken_str_starts(head, KEN_STR("#!")) || !ken_str_line_next(&head, &line))
        return false;
    ken_str rest = ken_str_sub(line, 2, line.len), word;
    while (ken_str_split_next(&rest, ' ', &word)) {
        ken_str name = ken_path_base(ken_str_trim(word));
        if (!name.len || name.ptr[0] == '-' || ken_str_eq(name, KEN_STR("env")))
            continue;
        while (name.len && (ken_is_digit(name.ptr[name.len - 1]) || name.ptr[name.len - 1] == '.'))
            name.len--;
        return lookup_folded(&index_of.by_shebang, name, out);
    }
    return false;
}

static bool begins_like_cpp(ken_str line)
{
    static const char *const heads[] = {
        "namespace ",        "template<",   "template <", "class ",     "public:",
        "private:",          "protected:",  "using ",     "constexpr ", "friend ",
        "inline namespace ", "enum class ", "virtual "
    };
    for (size_t i = 0; i < sizeof heads / sizeof *heads; i++)
        if (ken_str_starts(line, ken_str_c(heads[i])))
            return true;
    return ken_str_find(line, KEN_STR("std::")) != SIZE_MAX ||
           ken_str_find(line, KEN_STR("nullptr")) != SIZE_MAX ||
           ken_str_find(line, KEN_STR("static_cast<")) != SIZE_MAX;
}

// A line without its comments; *in_comment says whether one is open at its end.
static ken_str code_of(ken_str line, bool *in_comment)
{
    if (*in_comment) {
        size_t end = ken_str_find(line, KEN_STR("*/"));
        if (end == SIZE_MAX)
            return KEN_STR("");
        *in_comment = false;
        line = ken_str_sub(line, end + 2, line.len);
    }
    size_t slashes = ken_str_find(line, KEN_STR("//")), open = ken_str_find(line, KEN_STR("/*"));
    if (slashes < open)
        return ken_str_trim(ken_str_sub(line, 0, slashes));
    if (open == SIZE_MAX)
        return ken_str_trim(line);
    ken_str tail = ken_str_sub(line, open, line.len);
    *in_comment = ken_str_find(tail, KEN_STR("*/")) == SIZE_MAX;
    return ken_str_trim(ken_str_sub(line, 0, open));
}

// What a .h file is: its code says what C never does, or what only Objective-C does. Parts that C
// compilers do not see (#ifdef __cplusplus) do not count.
static ken_lang_id header_lang(ken_str head)
{
    ken_str line;
    bool in_comment = false, is_hidden = false;
    while (ken_str_line_next(&head, &line)) {
        ken_str code = code_of(line, &in_comment);
        bool is_directive = code.len && code.ptr[0] == '#';
        if (is_directive && ken_str_find(code, KEN_STR("__cplusplus")) != SIZE_MAX)
            is_hidden = !ken_str_starts(code, KEN_STR("#ifndef"));
        else if (is_directive &&
                 (ken_str_starts(code, KEN_STR("#el")) || ken_str_starts(code, KEN_STR("#endif"))))
            is_hidden = false;
        else if (!is_hidden && (ken_str_starts(code, KEN_STR("@interface ")) ||
                                ken_str_starts(code, KEN_STR("@protocol "))))
            return KEN_LANG_OTHER_CODE;
        else if (!is_hidden && !is_directive && begins_like_cpp(code))
            return KEN_LANG_CPP;
    }
    return KEN_LANG_C;
}

// What a file is shows early, but headers may open with long comments.
enum {
    HEAD_BYTES = 65536
};

ken_lang_id ken_lang_of(ken_str path, ken_str text)
{
    ken_str head = ken_str_sub(text, 0, HEAD_BYTES);
    ken_lang_id lang = KEN_LANG_UNKNOWN;
    if (!by_path(path, &lang))
        by_shebang(head, &lang);
    bool is_header = lang == KEN_LANG_C && ken_str_eq(ken_path_ext(path), KEN_STR("h"));
    return is_header ? header_lang(head) : lang;
}

bool ken_lang_is_code_path(ken_str path)
{
    ken_lang_id lang;
    return by_path(path, &lang) && rows[lang].role == KEN_LANG_ROLE_CODE;
}

const char *ken_lang_name(ken_lang_id lang)
{
    return ken_lang_at((uint16_t)lang)->name;
}

static bool is_alias(const char *aliases, ken_str name)
{
    ken_str rest = aliases ? ken_str_c(aliases) : KEN_STR(""), word;
    while (ken_str_split_next(&rest, ' ', &word))
        if (word.len && ken_str_eq_fold(name, word))
            return true;
    return false;
}

ken_lang_id ken_lang_by_name(ken_str name)
{
    for (unsigned id = 0; id < KEN_LANG_COUNT; id++)
        if (ken_str_eq_fold(name, ken_str_c(rows[id].name)) || is_alias(rows[id].aliases, name))
            return (ken_lang_id)id;
    return KEN_LANG_COUNT;
}

ken_lang_role ken_lang_role_of(ken_lang_id lang)
{
    return ken_lang_at((uint16_t)lang)->role;
}

static const TSLanguage *find_grammar(const char *name)
{
    for (size_t i = 0; name && i < ken_grammar_count; i++)
        if (strcmp(ken_grammar_table[i].name, name) == 0)
            return ken_grammar_table[i].fn();
    return NULL;
}

static struct {
    pthread_once_t once;
    const TSLanguage *grammar;
} ruby = { .once = PTHREAD_ONCE_INIT };

static void guard_ruby(void)
{
    const TSLanguage *grammar = find_grammar("ruby");
    ruby.grammar = grammar ? ken_treesitter_guard_ruby(grammar) : NULL;
}

const TSLanguage *ken_lang_grammar(ken_lang_id lang)
{
    if (lang != KEN_LANG_RUBY)
        return find_grammar(ken_lang_at((uint16_t)lang)->grammar);
    pthread_once(&ruby.once, guard_ruby);
    return ruby.grammar;
}

bool ken_lang_misses_grammar(ken_lang_id lang)
{
    return ken_lang_at((uint16_t)lang)->grammar && !ken_lang_grammar(lang);
}
