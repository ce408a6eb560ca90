// SPDX-License-Identifier: MIT
// What a question wants, by rules: a table of phrases, the first that fits decides. Nothing is
// learnt here and nothing is ranked; a question that no phrase fits wants places that have to do
// with its words.
//
// A phrase is a row of words: "a|b" one of them, "*" one to GAP_MAX words that are kept (of the
// last element: up to the end or the next preposition), "~" none to SKIP_MAX words that are not,
// "^" the beginning.
#include "query/query_intent.h"

enum {
    WORDS_MAX = 64,
    GAP_MAX = 8,
    SKIP_MAX = 5,
    GAPS = 2,
};

const char *ken_intent_word(ken_intent_kind k)
{
    static const char *const words[] = { "",
#define X(name, word) word,
                                         KEN_INTENT_TABLE(X)
#undef X
    };
    return k < KEN_INTENT_COUNT ? words[k] : "";
}

ken_intent_kind ken_intent_parse(ken_str word)
{
    for (int k = KEN_INTENT_NONE + 1; k < KEN_INTENT_COUNT; k++)
        if (ken_str_eq_c(word, ken_intent_word((ken_intent_kind)k)))
            return (ken_intent_kind)k;
    return KEN_INTENT_NONE;
}

typedef struct phrase {
    ken_intent_kind kind;
    const char *words;
} phrase;

#define SIMILAR    KEN_INTENT_FIND_SIMILAR
#define USAGE      KEN_INTENT_FIND_USAGE
#define TRACE      KEN_INTENT_TRACE_FLOW
#define DEFINITION KEN_INTENT_FIND_DEFINITION
#define WHOLE      KEN_INTENT_ARCHITECTURAL
#define EXPLAIN    KEN_INTENT_EXPLAIN_FUNCTION
#define WHOLES     "project|codebase|repo|repository|application|app|system|program|library"
#define PARTS      "modules|components|layers|packages|services|subsystems|parts|pieces"
#define KINDS \
    "class|function|method|struct|interface|enum|type|trait|macro|constant|module|variable"

static const phrase phrases[] = {
    { SIMILAR, "similar|analogous|akin to *" },
    { SIMILAR, "similar|duplicate|duplicated|copied|repeated code|logic|implementation|"
               "implementations|function|functions|method|methods|classes|snippets" },
    { SIMILAR, "code|function|functions|something|anything|methods|classes|more|others like *" },
    { SIMILAR, "duplicates|clones|copies|variants of *" },
    { SIMILAR, "resembles|resembling|resemble *" },
    { SIMILAR, "looks|look like *" },
    // What a function calls, before what calls it.
    { TRACE, "what|which ~ does|do * call|invoke|trigger|execute|run" },
    { TRACE, "callees of *" },
    { USAGE, "impact|effect|effects|consequences ~ of|when|if ~ "
             "change|changes|changing|removing|renaming|deleting *" },
    { USAGE, "affected|break|breaks|impacted ~ if|when|by ~ "
             "change|changes|changing|remove|removing|rename|renaming|delete|deleting|modify *" },
    { USAGE, "who|what|which|where ~ calls|invokes|uses|references|imports|consumes|instantiates|"
             "overrides|extends|inherits *" },
    { USAGE, "who|which ~ call|use|invoke|reference|import|consume|instantiate|override *" },
    { USAGE, "where|when is|are|was|were|gets * "
             "used|called|referenced|invoked|imported|instantiated|consumed|overridden|mentioned" },
    { USAGE, "is|are * used|called|referenced anywhere|somewhere" },
    { USAGE, "where|when do|does|did ~ use|call|reference|invoke|import|instantiate *" },
    { USAGE, "what is|are * used|called by" },
    { USAGE, "usage|usages|uses|users|callers|caller|consumers|references|occurrences|dependents|"
             "subclasses|implementors|implementers|overrides of|to|for *" },
    { USAGE, "call sites|site of|for *" },
    { USAGE, "depends|depend|relies|rely on|upon *" },
    { TRACE, "trace|follow *" },
    { TRACE, "call|execution|control|data|request flow|path|chain|graph|tree|sequence|stack" },
    { TRACE, "flow|flows of|from|through|for *" },
    { TRACE, "path|route|way|steps from * to *" },
    { TRACE, "how ~ from * to *" },
    { TRACE, "what happens|occurs ~ when|if|after|before|on|during *" },
    { TRACE, "how does|do|can * reach|reaches *" },
    { TRACE, "how does|do|is|are * propagate|propagated|travel|flow|passed" },
    { TRACE, "step by step" },
    { TRACE, "sequence|order|series of calls|events|steps|execution" },
    { TRACE, "lifecycle|life of *" },
    { DEFINITION, "where|where's is|are|was * defined|declared|implemented|located|definition" },
    { DEFINITION, "where|where's * defined|declared|implemented" },
    { DEFINITION, "which|what file|files|module|package|class|header ~ "
                  "defines|define|declares|contains|implements|has|holds *" },
    { DEFINITION, "what|who defines|declares *" },
    { DEFINITION, "definition|declaration|location|signature of|for *" },
    { DEFINITION, "find|locate|show|open|get ~ " KINDS "|definition|declaration *" },
    { DEFINITION, "go|jump to *" },
    { DEFINITION, "^ locate|goto *" },
    { WHOLE, "architecture|architectural|overview|high-level|entrypoints" },
    { WHOLE, "high level" },
    { WHOLE, "big picture" },
    { WHOLE, "structure|organisation|organization|layout|design|map ~ of ~ code|" WHOLES },
    { WHOLE, "code|directory|folder|module|" WHOLES " structure|layout|organisation|organization" },
    { WHOLE, "how is|are ~ code|" WHOLES " ~ "
             "organized|organised|structured|laid|built|designed|divided|split" },
    { WHOLE, "main|major|core|key|principal|important|top-level " PARTS "|abstractions" },
    { WHOLE, "entry points|point" },
    { WHOLE, "how do|does|are ~ " PARTS " *" },
    { WHOLE, "dependency|dependencies graph|between ~" },
    { WHOLE, "tech|technology stack" },
    { WHOLE, "what does|is|do ~ " WHOLES " ~" },
    { WHOLE, "how does|do * subsystem|pipeline|engine|framework|layer|service|" WHOLES " work" },
    { WHOLE, "what " PARTS " ~ are" },
    { EXPLAIN, "explain|describe|understand|clarify|summarize|summarise *" },
    { EXPLAIN,
      "what does|do|did * do|mean|return|returns|contain|represent|handle|compute|accept" },
    { EXPLAIN, "how does|do|did|is|are|was|can * work|works|implemented|function|behave|handled" },
    { EXPLAIN, "why does|do|is|are|did|was|would|has *" },
    { EXPLAIN, "what is|are * for|doing" },
    { EXPLAIN,
      "purpose|meaning|role|responsibility|idea|behavior|behaviour|semantics of|behind *" },
    { EXPLAIN, "walk|take me|us through *" },
    { EXPLAIN, "tell|teach me|us about|how *" },
    { EXPLAIN, "^ how does|do|is|are *" },
};

// ---- words of the question ---------------------------------------------------------------------

typedef struct word {
    ken_str text; // without the marks around it
    bool is_name; // written as code is
} word;

typedef struct words {
    word items[WORDS_MAX];
    size_t n;
} words;

typedef struct gap {
    size_t from, to; // words of the question
} gap;

static bool is_mark(char c)
{
    return memchr("?!.,;:'\"`()[]{}<>", c, 18) != NULL;
}

// "parse_config", "HttpServer", "a::b", "Parser.parse", "src/a.c"; not "HTTP", "e.g." or "Parser".
static bool looks_like_code(ken_str t)
{
    bool has_lower = false, has_inner_upper = false, has_joint = false;
    for (size_t i = 0; i < t.len; i++) {
        char c = t.ptr[i];
        bool is_inner = i && i + 1 < t.len;
        has_lower = has_lower || (c >= 'a' && c <= 'z');
        has_inner_upper = has_inner_upper || (i && ken_is_upper(c));
        has_joint = has_joint || c == '_' || (is_inner && memchr(".:#/>", c, 5) != NULL);
    }
    return has_joint || (has_lower && has_inner_upper);
}

static void cut_words(ken_str s, words *out)
{
    out->n = 0;
    size_t at = 0;
    while (at < s.len && out->n < WORDS_MAX) {
        while (at < s.len && ken_is_space(s.ptr[at]))
            at++;
        size_t from = at;
        while (at < s.len && !ken_is_space(s.ptr[at]))
            at++;
        ken_str all = ken_str_sub(s, from, at), t = all;
        while (t.len && is_mark(t.ptr[0]))
            t = ken_str_sub(t, 1, t.len);
        while (t.len && is_mark(t.ptr[t.len - 1]))
            t = ken_str_sub(t, 0, t.len - 1);
        bool is_marked =
            ken_str_find(all, KEN_STR("()")) != SIZE_MAX || (all.len && all.ptr[0] == '`' && t.len);
        if (t.len)
            out->items[out->n++] = (word){ t, is_marked || looks_like_code(t) };
    }
}

static bool is_one_of(const char *list, size_t len, ken_str text)
{
    ken_str rest = ken_str_n(list, len), one;
    while (ken_str_split_next(&rest, '|', &one))
        if (ken_str_eq_fold(one, text))
            return true;
    return false;
}

static bool is_filler(ken_str text)
{
    static const char fillers[] =
        "the|a|an|this|that|these|all|any|our|your|my|its|every|each|of|me|us|"
        "named|called|to|from|code|execution|flow|places|calls|call|" KINDS;
    return is_one_of(fillers, sizeof fillers - 1, text);
}

static bool ends_gap(ken_str text)
{
    static const char preps[] =
        "in|inside|within|across|from|when|while|and|or|with|by|at|on|before|"
        "after|through|into|to|is|are";
    return is_one_of(preps, sizeof preps - 1, text);
}

// ---- phrases -----------------------------------------------------------------------------------

typedef struct match {
    const words *w;
    gap gaps[GAPS];
    size_t n_gaps;
} match;

static bool fits(match *m, const char *p, size_t at);

// The last element: to the end, or to a preposition.
static bool fits_tail(match *m, size_t at)
{
    size_t to = at;
    while (to < m->w->n && (to == at || !ends_gap(m->w->items[to].text)))
        to++;
    if (to == at)
        return false;
    if (m->n_gaps < GAPS)
        m->gaps[m->n_gaps++] = (gap){ at, to };
    return true;
}

static bool fits_gap(match *m, const char *p, size_t at)
{
    size_t slot = m->n_gaps;
    if (!*p)
        return fits_tail(m, at);
    for (size_t to = at + 1; to <= m->w->n && to - at <= GAP_MAX; to++) {
        m->n_gaps = slot;
        if (slot < GAPS)
            m->gaps[m->n_gaps++] = (gap){ at, to };
        if (fits(m, p, to))
            return true;
    }
    m->n_gaps = slot;
    return false;
}

// Whether the rest of a phrase, `p`, fits from word `at` on. As deep as a phrase has elements.
static bool fits(match *m, const char *p, size_t at)
{
    while (*p == ' ')
        p++;
    if (!*p)
        return true;
    size_t n = strcspn(p, " ");
    if (*p == '*')
        return fits_gap(m, p + n, at);
    if (*p == '~') {
        for (size_t skip = 0; skip <= SKIP_MAX && at + skip <= m->w->n; skip++)
            if (fits(m, p + n, at + skip))
                return true;
        return false;
    }
    return at < m->w->n && is_one_of(p, n, m->w->items[at].text) && fits(m, p + n, at + 1);
}

static bool find_phrase(match *m, const char *p)
{
    bool is_anchored = *p == '^';
    p += is_anchored;
    for (size_t at = 0; at < m->w->n && (!at || !is_anchored); at++) {
        m->n_gaps = 0;
        if (fits(m, p, at))
            return true;
    }
    return false;
}

// ---- what it is about --------------------------------------------------------------------------

// The name in words [from, to): what is written as code is, else the only word that says anything.
static ken_str name_in(const words *w, size_t from, size_t to)
{
    ken_str only = { "", 0 };
    size_t n = 0;
    for (size_t i = from; i < to; i++) {
        if (w->items[i].is_name)
            return w->items[i].text;
        if (is_filler(w->items[i].text))
            continue;
        only = w->items[i].text;
        n++;
    }
    return n == 1 ? only : KEN_STR("");
}

static ken_str first_code(const words *w)
{
    for (size_t i = 0; i < w->n; i++)
        if (w->items[i].is_name)
            return w->items[i].text;
    return KEN_STR("");
}

// "RetryPolicy", "struct retry": a name by itself asks for its definition, and so does "where is
// newRouter".
static bool is_bare_name(const words *w)
{
    if (w->n == 1)
        return w->items[0].is_name;
    if (w->n == 2 &&
        is_one_of(KINDS "|def|fn|func", sizeof KINDS "|def|fn|func" - 1, w->items[0].text))
        return true;
    return w->n == 3 && w->items[2].is_name &&
           ken_str_eq_fold(w->items[0].text, KEN_STR("where")) &&
           is_one_of("is|are", 6, w->items[1].text);
}

static void take_names(const match *m, ken_intent *out)
{
    const words *w = m->w;
    if (m->n_gaps > 0)
        out->subject = name_in(w, m->gaps[0].from, m->gaps[0].to);
    if (m->n_gaps > 1)
        out->to = name_in(w, m->gaps[1].from, m->gaps[1].to);
    if (!out->subject.len)
        out->subject = first_code(w);
    if (ken_str_eq(out->subject, out->to))
        out->to = KEN_STR("");
}

void ken_query_intent(ken_str question, ken_intent *out)
{
    words w;
    cut_words(question, &w);
    match m = { .w = &w };
    *out = (ken_intent){ .subject = KEN_STR(""), .to = KEN_STR("") };
    if (is_bare_name(&w)) {
        *out = (ken_intent){ DEFINITION, 1U << DEFINITION, w.items[w.n - 1].text, KEN_STR("") };
        return;
    }
    for (size_t i = 0; i < sizeof phrases / sizeof *phrases; i++) {
        if (out->all >> phrases[i].kind & 1 || !find_phrase(&m, phrases[i].words))
            continue;
        out->all |= 1U << phrases[i].kind;
        if (out->kind)
            continue;
        out->kind = phrases[i].kind;
        take_names(&m, out);
    }
    if (!out->kind)
        out->subject = first_code(&w);
}
