// SPDX-License-Identifier: MIT
// Findings as ARCHITECTURE.yml and as documents of patterns. The same findings give the same bytes;
// items stand apart by an empty line, so that a person's change of one does not meet a new count in
// the next.
#include "base/alloc.h"
#include "base/path.h"
#include "base/vec.h"
#include "rulebook/rulebook_setup_priv.h"
#include "rules/rules.h"

enum {
    TEXT_MAX = 1 << 20,
    EXCERPT_LINES = 24,
    ERROR_CASES = 8 // fewer than these do not stop anybody
};

#define HEAD_YAML     "# ken: "
#define HEAD_MARKDOWN "<!-- ken: "

// ---- YAML --------------------------------------------------------------------------------------

// Beyond control characters, what YAML does not take as it is: U+2028 and U+2029 end a line for it,
// and with that a comment; the others it refuses.
static const struct {
    const char *bytes, *escape;
} odd[] = {
    { "\xe2\x80\xa8", "\\u2028" }, { "\xe2\x80\xa9", "\\u2029" }, { "\xef\xbb\xbf", "\\ufeff" },
    { "\xef\xbf\xbe", "\\ufffe" }, { "\xef\xbf\xbf", "\\uffff" },
};

// Writes the first character of `rest` as an escape when it needs one; its bytes, else 0.
static size_t put_odd(ken_buf *out, ken_str rest)
{
    unsigned char c = (unsigned char)rest.ptr[0];
    unsigned char d = rest.len > 1 ? (unsigned char)rest.ptr[1] : 0;
    if (c < 0x20 || c == 0x7f) {
        ken_buf_printf(out, "\\x%02x", c);
        return 1;
    }
    if (c == 0xc2 && d >= 0x80 && d <= 0x9f) {
        ken_buf_printf(out, "\\x%02x", d);
        return 2;
    }
    for (size_t i = 0; i < sizeof odd / sizeof *odd; i++)
        if (ken_str_starts(rest, ken_str_c(odd[i].bytes))) {
            ken_buf_puts(out, odd[i].escape);
            return 3;
        }
    return 0;
}

void ken_rulebook__setup_put_yaml(ken_buf *out, ken_str text)
{
    ken_buf_putc(out, '"');
    for (size_t i = 0; i < text.len;) {
        size_t n = put_odd(out, ken_str_sub(text, i, text.len));
        i += n;
        if (n)
            continue;
        if (text.ptr[i] == '"' || text.ptr[i] == '\\')
            ken_buf_putc(out, '\\');
        ken_buf_putc(out, text.ptr[i++]);
    }
    ken_buf_putc(out, '"');
}

static void put_text(ken_buf *out, const char *key, ken_str text)
{
    if (!text.len)
        return;
    ken_buf_printf(out, "%s", key);
    ken_rulebook__setup_put_yaml(out, text);
    ken_buf_putc(out, '\n');
}

static void put_list(ken_buf *out, const char *key, const ken_str_list *l)
{
    if (!l->n)
        return;
    ken_buf_printf(out, "%s[", key);
    for (size_t i = 0; i < l->n; i++) {
        ken_buf_puts(out, i ? ", " : "");
        ken_rulebook__setup_put_yaml(out, l->items[i]);
    }
    ken_buf_puts(out, "]\n");
}

#define KEY "        "

static void put_max(ken_buf *out, const ken_rule_check *c)
{
    static const char *const words[] = { "", "file_lines", "function_lines", "parameters",
                                         "complexity" };
    ken_buf_printf(out, KEY "what: %s\n" KEY "value: %u\n", words[c->measure], c->value);
    put_list(out, KEY "in: ", &c->in);
}

static void put_naming(ken_buf *out, const ken_rule_check *c)
{
    ken_buf_printf(out, KEY "kind: %s\n",
                   c->is_of_files ? "file" : ken_symbol_kind_word(c->symbol));
    put_list(out, KEY "in: ", &c->in);
    put_text(out, KEY "pattern: ", c->pattern);
}

static void put_check(ken_buf *out, const ken_rule_check *c)
{
    if (c->kind == KEN_CHECK_NONE)
        return;
    ken_buf_puts(out, "    check:\n");
    if (c->kind == KEN_CHECK_LAYERS) {
        put_list(out, "      layers: ", &c->layers);
        return;
    }
    ken_buf_printf(out, "      %s:\n", ken_rule_check_word(c->kind));
    switch (c->kind) {
    case KEN_CHECK_FORBID_IMPORT:
        put_list(out, KEY "from: ", &c->in);
        put_list(out, KEY "to: ", &c->to);
        break;
    case KEN_CHECK_REQUIRE_CALL:
        ken_buf_printf(out, KEY "of: %s\n", c->is_of_handlers ? "handlers" : "functions");
        put_list(out, KEY "in: ", &c->in);
        put_list(out, KEY "methods: ", &c->methods);
        put_list(out, KEY "call: ", &c->names);
        break;
    case KEN_CHECK_NAMING:
        put_naming(out, c);
        break;
    case KEN_CHECK_PLACEMENT:
        put_list(out, KEY "files: ", &c->in);
        put_text(out, KEY "under: ", c->under);
        break;
    case KEN_CHECK_MAX:
        put_max(out, c);
        break;
    case KEN_CHECK_FORBID_SYMBOL:
        put_list(out, KEY "name: ", &c->names);
        put_list(out, KEY "in: ", &c->in);
        break;
    case KEN_CHECK_NONE:
    case KEN_CHECK_LAYERS:
    case KEN_CHECK_COUNT:
        break;
    }
    put_list(out, KEY "except: ", &c->except);
}

static const char *severity_of(const ken_finding *f)
{
    return f->n_for == f->n_all && f->n_all >= ERROR_CASES ? "error" : "warning";
}

static void put_constraint(ken_buf *out, const ken_finding *f)
{
    ken_buf_printf(out, "\n  - id: " KEN_STR_FMT "\n", KEN_STR_ARG(f->id));
    put_text(out, "    rule: ", f->rule);
    ken_buf_printf(out, "    severity: %s\n", severity_of(f));
    put_text(out, "    evidence: ", f->evidence);
    if (f->n_examples)
        put_text(out, "    example: ", f->examples[0].path);
    put_check(out, &f->check);
}

static void put_parts(ken_buf *out, const ken_survey *v)
{
    for (size_t i = 0; i < v->n_parts; i++) {
        const ken_survey_part *p = &v->parts[i];
        const char *side = !p->is_backend    ? "Front end"
                           : !p->is_frontend ? "Back end"
                                             : "Both ends";
        ken_buf_printf(out, "# %s: ", side);
        ken_rulebook__setup_put_yaml(out, p->path);
        ken_buf_puts(out, " (");
        ken_rulebook__setup_put_yaml(out, p->stack);
        ken_buf_puts(out, ", says ");
        ken_rulebook__setup_put_yaml(out, p->manifest);
        ken_buf_puts(out, ")\n");
    }
}

static ken_str architecture_of(const ken_survey *v, ken_arena *arena)
{
    ken_buf b = KEN_BUF_INIT(TEXT_MAX);
    ken_buf_puts(&b,
                 "# Rules that this code base keeps, each with the counts that say so. They were "
                 "read from the code:\n"
                 "# edit them freely, add to them, take out what was chance. What you change "
                 "stays when they are read again.\n"
                 "# The first change most of what is written without knowing them. Exceptions that "
                 "are there are excepted.\n");
    ken_buf_printf(&b,
                   "# Counted: %u files of code. Left out of the counts: %u of tests, examples "
                   "and documentation; folders of others' code are not looked into.\n",
                   v->n_code, v->n_aside);
    put_parts(&b, v);
    ken_buf_puts(&b, "version: 1\n");
    size_t n = 0;
    for (size_t i = 0; i < v->n_findings; i++) {
        if (v->findings[i].is_fact)
            continue;
        ken_buf_puts(&b, n++ ? "" : "constraints:\n");
        put_constraint(&b, &v->findings[i]);
    }
    if (!n)
        ken_buf_puts(&b, "constraints: []\n");
    ken_str out = ken_arena_dup(arena, ken_buf_str(&b));
    ken_buf_release(&b);
    return out;
}

// ---- Markdown ----------------------------------------------------------------------------------

typedef struct writing {
    ken_snapshot *s;
    ken_arena *arena;
    ken_buf *out;
    KEN_VEC(ken_survey_place) shown; // as excerpts of this document
} writing;

static void put_place(ken_buf *out, const ken_survey_place *p)
{
    ken_buf_printf(out, "`" KEN_STR_FMT, KEN_STR_ARG(p->path));
    if (!p->is_whole && p->last_line > p->first_line)
        ken_buf_printf(out, ":%u-%u", p->first_line + 1, p->last_line + 1);
    else if (!p->is_whole)
        ken_buf_printf(out, ":%u", p->first_line + 1);
    ken_buf_putc(out, '`');
}

static void put_places(ken_buf *out, const char *what, const ken_survey_place *places, uint32_t n)
{
    if (!n)
        return;
    ken_buf_printf(out, "%s ", what);
    for (uint32_t i = 0; i < n; i++) {
        ken_buf_puts(out, i ? ", " : "");
        put_place(out, &places[i]);
    }
    ken_buf_puts(out, ".\n\n");
}

// Lines of a file as they are on the disk, secrets masked; empty when they cannot be had.
static ken_str excerpt_of(writing *w, const ken_survey_place *p, bool *out_is_cut)
{
    ken_file_view view;
    if (ken_view_file(w->s, p->path, w->arena, &view, NULL))
        return KEN_STR("");
    uint32_t first = p->is_whole ? 0 : p->first_line,
             last = p->is_whole ? UINT32_MAX : p->last_line;
    *out_is_cut = last - first >= EXCERPT_LINES;
    last = *out_is_cut ? first + EXCERPT_LINES - 1 : last;
    ken_str rest = view.text, line, out = KEN_STR("");
    for (uint32_t n = 0; n <= last && ken_str_line_next(&rest, &line); n++) {
        if (n == first)
            out = line;
        if (n >= first)
            out.len = (size_t)(line.ptr + line.len - out.ptr);
    }
    return out;
}

// Longer than any run of backticks inside.
static size_t fence_for(ken_str text)
{
    size_t longest = 2, run = 0;
    for (size_t i = 0; i < text.len; i++) {
        run = text.ptr[i] == '`' ? run + 1 : 0;
        longest = run > longest ? run : longest;
    }
    return longest + 1;
}

static void put_fence(ken_buf *out, size_t n)
{
    for (size_t i = 0; i < n; i++)
        ken_buf_putc(out, '`');
}

static void put_excerpt(writing *w, const ken_survey_place *p)
{
    bool is_cut = false;
    ken_str text = excerpt_of(w, p, &is_cut);
    if (!text.len)
        return;
    size_t fence = fence_for(text);
    put_places(w->out, "As in", p, 1);
    put_fence(w->out, fence);
    ken_buf_printf(w->out, KEN_STR_FMT "\n" KEN_STR_FMT "\n%s", KEN_STR_ARG(ken_path_ext(p->path)),
                   KEN_STR_ARG(text), is_cut ? "…\n" : "");
    put_fence(w->out, fence);
    ken_buf_puts(w->out, "\n\n");
}

static bool is_shown(const writing *w, const ken_survey_place *p)
{
    for (size_t i = 0; i < w->shown.len; i++)
        if (ken_str_eq(w->shown.ptr[i].path, p->path) &&
            w->shown.ptr[i].first_line == p->first_line)
            return true;
    return false;
}

// The first example whose lines say something and were not shown yet; a file as such is worth it
// once, of tests.
static uint32_t example_to_show(const writing *w, const ken_finding *f)
{
    for (uint32_t i = 0; i < f->n_examples; i++) {
        const ken_survey_place *p = &f->examples[i];
        bool is_worth = !p->is_whole || (f->topic == KEN_SURVEY_TESTS && !w->shown.len);
        if (is_worth && !is_shown(w, p))
            return i;
    }
    return UINT32_MAX;
}

static void put_finding(writing *w, const ken_finding *f)
{
    ken_buf_printf(w->out,
                   "## " KEN_STR_FMT "\n\n" KEN_STR_FMT "\n\nEvidence: " KEN_STR_FMT ".\n\n",
                   KEN_STR_ARG(f->id), KEN_STR_ARG(f->rule), KEN_STR_ARG(f->evidence));
    uint32_t shown = example_to_show(w, f);
    if (shown != UINT32_MAX) {
        put_excerpt(w, &f->examples[shown]);
        ken_vec_push(&w->shown, f->examples[shown]);
    }
    put_places(w->out, "Examples:", f->examples, f->n_examples);
    put_places(w->out, "Exceptions:", f->exceptions, f->n_exceptions);
}

// Names are said in ARCHITECTURE.yml; there is nothing to show of them.
static bool has_document(ken_survey_topic t)
{
    return t != KEN_SURVEY_NAMING;
}

static ken_str pattern_of(ken_snapshot *s, const ken_survey *v, ken_survey_topic t,
                          ken_arena *arena)
{
    ken_buf b = KEN_BUF_INIT(TEXT_MAX);
    writing w = { .s = s, .arena = arena, .out = &b };
    ken_buf_printf(
        &b,
        "<!-- How it is done here, read from the code; counts say how regular it is. -->\n"
        "# %s\n\n",
        ken_survey_topic_title(t));
    size_t n = 0;
    for (size_t i = 0; i < v->n_findings; i++)
        if (v->findings[i].topic == t) {
            put_finding(&w, &v->findings[i]);
            n++;
        }
    while (b.len > 1 && b.ptr[b.len - 1] == '\n' && b.ptr[b.len - 2] == '\n')
        b.len--;
    ken_str out = n ? ken_arena_dup(arena, ken_buf_str(&b)) : KEN_STR("");
    ken_vec_release(&w.shown);
    ken_buf_release(&b);
    return out;
}

// ---- all of them -------------------------------------------------------------------------------

void ken_rulebook__setup_write_all(ken_snapshot *s, const ken_survey *survey, ken_str architecture,
                                   ken_str at, ken_arena *arena, setup_document **out,
                                   size_t *out_n)
{
    setup_document *docs = KEN_ARENA_ARRAY(arena, setup_document, KEN_SURVEY_TOPIC_COUNT + 1);
    size_t n = 0;
    ken_str from = at.len ? at : KEN_STR("the files as they were");
    docs[n++] = (setup_document){
        .path = architecture,
        .head = ken_arena_printf(arena, HEAD_YAML "read from " KEN_STR_FMT "\n", KEN_STR_ARG(from)),
        .body = architecture_of(survey, arena),
    };
    ken_str head =
        ken_arena_printf(arena, HEAD_MARKDOWN "read from " KEN_STR_FMT " -->\n", KEN_STR_ARG(from));
    for (ken_survey_topic t = KEN_SURVEY_NONE + 1; t < KEN_SURVEY_TOPIC_COUNT; t++) {
        ken_str body = has_document(t) ? pattern_of(s, survey, t, arena) : KEN_STR("");
        ken_str path = ken_arena_printf(arena, "docs/patterns/%s.md", ken_survey_topic_file(t));
        if (body.len)
            docs[n++] = (setup_document){ .path = path, .head = head, .body = body };
    }
    *out = docs;
    *out_n = n;
}

ken_str ken_rulebook__setup_body_of(ken_str text)
{
    ken_str rest = text, line;
    if (ken_str_line_next(&rest, &line) &&
        (ken_str_starts(line, KEN_STR(HEAD_YAML)) || ken_str_starts(line, KEN_STR(HEAD_MARKDOWN))))
        return rest.len ? rest : KEN_STR("");
    return text;
}
