// SPDX-License-Identifier: MIT
// Names that other programs' files have: second names of our keys, and what nothing here uses.
#include "base/utf8.h"
#include "config/config_names_priv.h"
#include "config/config_priv.h"

enum {
    VALUE_SHOWN_MAX = 80
};

static const config_other_name others[] = {
#define X(name, id, form) { name, KEN_CFG_##id, CONFIG_FORM_##form },
    KEN_CONFIG_OTHER_NAMES(X)
#undef X
};

enum {
    NOTE_SHOWN = 0,
    NOTE_SECRET = 1
};

static const config_unused_name unused[] = {
#define X(name, env, shown, text) { name, env, NOTE_##shown, text },
    KEN_CONFIG_UNUSED_NAMES(X)
#undef X
};

enum {
    N_OTHERS = sizeof others / sizeof *others,
    N_UNUSED = sizeof unused / sizeof *unused
};
_Static_assert(N_OTHERS + N_UNUSED <= CONFIG_NAMES_MAX - KEN_CFG_COUNT, "room for all names");

const config_other_name *ken_config__find_other(ken_str name)
{
    for (size_t i = 0; i < N_OTHERS; i++)
        if (ken_str_eq_c(name, others[i].name))
            return &others[i];
    return NULL;
}

const config_unused_name *ken_config__find_unused(ken_str name)
{
    for (size_t i = 0; i < N_UNUSED; i++)
        if (ken_str_eq_c(name, unused[i].name))
            return &unused[i];
    return NULL;
}

size_t ken_config__list_names(const char **out)
{
    size_t n = 0;
    for (size_t i = 0; i < KEN_CFG_COUNT; i++)
        out[n++] = ken_config__rows[i].name;
    for (size_t i = 0; i < N_OTHERS; i++)
        out[n++] = others[i].name;
    for (size_t i = 0; i < N_UNUSED; i++)
        out[n++] = unused[i].name;
    return n;
}

void ken_config__convert(ken_arena *a, config_form form, ken_str *items, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        ken_str s = ken_str_trim(items[i]);
        switch (form) {
        case CONFIG_FORM_KIB:
            items[i] = ken_arena_printf(a, KEN_STR_FMT "KiB", KEN_STR_ARG(s));
            break;
        case CONFIG_FORM_MIB:
            items[i] = ken_arena_printf(a, KEN_STR_FMT "MiB", KEN_STR_ARG(s));
            break;
        case CONFIG_FORM_GLOB:
            items[i] = ken_arena_printf(a, "*%s" KEN_STR_FMT,
                                        ken_str_starts(s, KEN_STR(".")) ? "" : ".", KEN_STR_ARG(s));
            break;
        case CONFIG_FORM_SAME:
        default:
            break;
        }
    }
}

// ---- what has no effect ----

static void add_note(ken_config *c, const char *name, ken_str value, ken_str where,
                     const char *text)
{
    ken_config_note note = { ken_str_c(name), value, where, ken_str_c(text) };
    ken_vec_push(&c->notes, note);
}

static ken_str shown_value(ken_config *c, bool is_secret, const ken_str *items, size_t n)
{
    if (is_secret)
        return KEN_STR("(set)");
    ken_str s = KEN_STR("");
    for (size_t i = 0; i < n && s.len < VALUE_SHOWN_MAX; i++)
        s = ken_arena_printf(&c->arena, KEN_STR_FMT "%s" KEN_STR_FMT, KEN_STR_ARG(s), i ? "," : "",
                             KEN_STR_ARG(ken_utf8_clip(items[i], VALUE_SHOWN_MAX)));
    return s;
}

void ken_config__note_unused(ken_config *c, const config_unused_name *name, const ken_str *items,
                             size_t n, ken_str where)
{
    add_note(c, name->name, shown_value(c, name->is_secret, items, n), where, name->text);
}

void ken_config__note_unset(ken_config *c, const char *key, ken_str variable, ken_str where)
{
    ken_str text = ken_arena_printf(
        &c->arena, "the environment variable '" KEN_STR_FMT "' is not set", KEN_STR_ARG(variable));
    add_note(c, key, KEN_STR("(empty)"), where, text.ptr);
}

static void note_environment(ken_config *c)
{
    for (size_t i = 0; i < N_UNUSED; i++) {
        ken_str names = ken_str_c(unused[i].env), name;
        while (ken_str_split_next(&names, ',', &name)) {
            const char *own = ken_arena_dup(&c->arena, name).ptr, *value = ken_config_env(own);
            if (!value)
                continue;
            ken_str text = ken_str_c(value);
            add_note(c, own, shown_value(c, unused[i].is_secret, &text, 1),
                     ken_arena_printf(&c->arena, "environment %s", own), unused[i].text);
        }
    }
}

// Keys of ours that the provider has no use for: whoever set a model wants it, and gets the built-in one.
static void note_provider(ken_config *c)
{
    static const struct {
        ken_config_key key;
        const char *providers; // that use it
        const char *text;
    } uses[] = {
        { KEN_CFG_EMBED_MODEL, "onnx|ollama|openai|tei",
          "embedding.provider has no choice of models; set it to onnx, ollama, openai or tei" },
        { KEN_CFG_EMBED_DIMS, "ollama|openai|tei",
          "the models of embedding.provider have dimensions of their own" },
        { KEN_CFG_EMBED_URL, "ollama|openai|tei", "embedding.provider needs no server" },
        { KEN_CFG_EMBED_DEVICE, "onnx", "embedding.provider runs on no device of its own choice" },
    };
    ken_str provider = c->values[KEN_CFG_EMBED_PROVIDER].text;
    for (size_t i = 0; i < sizeof uses / sizeof *uses; i++) {
        const config_value *v = &c->values[uses[i].key];
        ken_str words = ken_str_c(uses[i].providers), word;
        bool is_used = v->source == KEN_CONFIG_DEFAULT;
        while (ken_str_split_next(&words, '|', &word))
            is_used = is_used || ken_str_eq(word, provider);
        if (!is_used)
            add_note(c, ken_config__rows[uses[i].key].name, shown_value(c, false, &v->text, 1),
                     v->where, uses[i].text);
    }
}

void ken_config__add_notes(ken_config *c)
{
    note_environment(c);
    note_provider(c);
}

size_t ken_config_notes(const ken_config *c, const ken_config_note **out)
{
    *out = c->notes.ptr;
    return c->notes.len;
}
