// SPDX-License-Identifier: MIT
// Names, visibility and languages, read from text alone, without a tree.
#include <string.h>

#include "symbol/symbol_priv.h"

// `operator int() const` converts to a type and is called like it; `operator()` is a whole name.
static ken_str without_parameters(const ken_rules *rules, ken_str name)
{
    bool is_cast = rules->names_operators && ken_str_starts(name, KEN_STR("operator ")) &&
                   name.len > 9 && ken_is_word(name.ptr[9]);
    return is_cast ? ken_str_trim(ken_str_sub(name, 0, ken_str_find_char(name, '('))) : name;
}

ken_str ken_symbol__clean_name(const ken_rules *rules, ken_str name)
{
    name = without_parameters(rules, ken_str_trim(name));
    while (name.len && memchr("\"'`", name.ptr[0], 3)) {
        name = ken_str_sub(name, 1, name.len);
        if (name.len && memchr("\"'`", name.ptr[name.len - 1], 3))
            name.len--;
    }
    for (size_t i = 0; i < rules->name_trim.len; i++) {
        char c = rules->name_trim.ptr[i];
        while (name.len && name.ptr[0] == c)
            name = ken_str_sub(name, 1, name.len);
        while (name.len && name.ptr[name.len - 1] == c)
            name.len--;
    }
    name = ken_str_trim(ken_str_sub(name, 0, ken_str_find_char(name, '\n')));
    return name.len > 200 ? ken_str_sub(name, 0, 200) : name;
}

static ken_visibility visibility_of_word(ken_str w)
{
    static const struct {
        const char *word;
        ken_visibility v;
    } words[] = { { "public", KEN_VISIBILITY_PUBLIC },
                  { "pub", KEN_VISIBILITY_PUBLIC },
                  { "export", KEN_VISIBILITY_PUBLIC },
                  { "open", KEN_VISIBILITY_PUBLIC },
                  { "private", KEN_VISIBILITY_PRIVATE },
                  { "fileprivate", KEN_VISIBILITY_PRIVATE },
                  { "protected", KEN_VISIBILITY_PROTECTED },
                  { "internal", KEN_VISIBILITY_INTERNAL },
                  { "defp", KEN_VISIBILITY_PRIVATE },
                  { "defmacrop", KEN_VISIBILITY_PRIVATE },
                  { "local", KEN_VISIBILITY_PRIVATE },
                  { "typep", KEN_VISIBILITY_PRIVATE },
                  { "defguardp", KEN_VISIBILITY_PRIVATE },
                  { "private_class_method", KEN_VISIBILITY_PRIVATE },
                  { "private_constant", KEN_VISIBILITY_PRIVATE },
                  { "public_class_method", KEN_VISIBILITY_PUBLIC } };
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (ken_str_eq_c(w, words[i].word))
            return words[i].v;
    return KEN_VISIBILITY_UNKNOWN;
}

ken_visibility ken_symbol__visibility_by_words(ken_str head, ken_visibility otherwise)
{
    for (size_t i = 0; i < head.len;) {
        size_t from = i;
        while (i < head.len && ken_is_word(head.ptr[i]))
            i++;
        if (i == from) {
            i++;
            continue;
        }
        ken_visibility v = visibility_of_word(ken_str_sub(head, from, i));
        if (v && ken_str_starts(ken_str_sub(head, i, head.len), KEN_STR("(set)")))
            continue; // Swift: of the setter only
        if (v && i < head.len && head.ptr[i] == '(' && v == KEN_VISIBILITY_PUBLIC)
            return KEN_VISIBILITY_INTERNAL; // pub(crate)
        if (v)
            return v;
    }
    return otherwise;
}

ken_visibility ken_symbol__visibility(const ken_rules *rules, ken_str head, ken_str name,
                                      ken_visibility members)
{
    ken_visibility otherwise = members ? members : rules->default_visibility;
    switch (rules->visibility) {
    case KEN_VISIBLE_WORDS:
        if (name.len && (name.ptr[0] == '#'))
            return KEN_VISIBILITY_PRIVATE;
        return ken_symbol__visibility_by_words(head.len > 200 ? ken_str_sub(head, 0, 200) : head,
                                               otherwise);
    case KEN_VISIBLE_UNDERSCORE:
        return name.len && name.ptr[0] == '_' && !ken_str_starts(name, KEN_STR("__"))
                   ? KEN_VISIBILITY_PRIVATE
                   : KEN_VISIBILITY_PUBLIC;
    case KEN_VISIBLE_CAPITAL:
        return name.len && ken_is_upper(name.ptr[0]) ? KEN_VISIBILITY_PUBLIC
                                                     : KEN_VISIBILITY_INTERNAL;
    case KEN_VISIBLE_STATIC:
        return ken_str_find(head, KEN_STR("static ")) != SIZE_MAX ? KEN_VISIBILITY_PRIVATE
                                                                  : KEN_VISIBILITY_PUBLIC;
    case KEN_VISIBLE_NONE:
        break;
    }
    return otherwise;
}

// The value of an attribute in an opening tag, without its quotes.
static ken_str attribute_of(ken_str tag, const char *name)
{
    size_t at = ken_str_find(tag, ken_str_c(name));
    if (at == SIZE_MAX)
        return KEN_STR("");
    ken_str value = ken_str_sub(tag, at + strlen(name), tag.len);
    if (!value.len || !memchr("\"'", value.ptr[0], 2))
        return ken_str_sub(value, 0, ken_str_find_char(value, '>'));
    char quote = value.ptr[0];
    value = ken_str_sub(value, 1, value.len);
    return ken_str_sub(value, 0, ken_str_find_char(value, quote));
}

// code.
ken_lang_id ken_symbol__injected_lang(ken_str opening_tag, ken_lang_id otherwise)
{
    ken_lang_id lang = ken_lang_by_name(attribute_of(opening_tag, "lang="));
    if (lang != KEN_LANG_COUNT)
        return lang;
    ken_str type = attribute_of(opening_tag, "type=");
    static const char *const plain[] = { "javascript", "ecmascript", "module", "babel", "css" };
    for (size_t i = 0; i < sizeof plain / sizeof *plain; i++)
        if (!type.len || ken_str_find(type, ken_str_c(plain[i])) != SIZE_MAX)
            return otherwise;
    bool is_json = ken_str_find(type, KEN_STR("json")) != SIZE_MAX;
    return is_json ? ken_lang_by_name(KEN_STR("json")) : KEN_LANG_COUNT;
}
