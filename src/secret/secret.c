// SPDX-License-Identifier: MIT
// Kinds, masking, and the quick test for texts without secrets.
#include "secret/secret.h"

#include "secret/secret_priv.h"

static const struct {
    const char *word, *title;
} kinds[KEN_SECRET_COUNT] = { [KEN_SECRET_NONE] = { "", "" },
#define X(name, word, title) [KEN_SECRET_##name] = { word, title },
                              KEN_SECRET_KINDS(X)
#undef X
};

const char *ken_secret_word(ken_secret_kind kind)
{
    return kind < KEN_SECRET_COUNT ? kinds[kind].word : "";
}

const char *ken_secret_title(ken_secret_kind kind)
{
    return kind < KEN_SECRET_COUNT ? kinds[kind].title : "";
}

void ken_secret__blank(secret_text *t, const char *from, const char *to)
{
    for (char *p = t->start + (from - t->start); p < to; p++)
        if (*p != '\n' && *p != '\r')
            *p = '*';
}

void ken_secret__tell(secret_text *t, const char *from, const char *to, ken_secret_kind kind)
{
    ken_secret_place place = { (size_t)(from - t->start), (size_t)(to - t->start), kind };
    t->n_places++;
    if (t->fn)
        t->fn(t->ctx, &place);
}

void ken_secret__hide(secret_text *t, const char *from, const char *to, ken_secret_kind kind)
{
    ken_secret__blank(t, from, to);
    ken_secret__tell(t, from, to, kind);
}

enum {
    SHORT_TEXT = 512
};

// Short texts (subjects, log lines) mostly hold no word that could be a secret; then the tables are
// not even made.
static bool is_worth_a_look(const char *text, size_t len)
{
    size_t n = 0;
    bool has_digit = false;
    for (size_t i = 0; i < len; i++) {
        n = ken_is_space(text[i]) ? 0 : n + 1;
        has_digit = n && (has_digit || ken_is_digit(text[i]));
        if (n >= 20 || (n >= 6 && has_digit))
            return true;
    }
    return false;
}

size_t ken_secret_mask_each(char *text, size_t len, ken_secret_fn fn, void *ctx)
{
    if (len < SHORT_TEXT && !is_worth_a_look(text, len))
        return 0;
    secret_text t = { .start = text, .end = text + len, .fn = fn, .ctx = ctx };
    ken_secret__scan_all(&t);
    return t.n_places;
}

size_t ken_secret_mask(char *text, size_t len)
{
    return ken_secret_mask_each(text, len, NULL, NULL);
}
