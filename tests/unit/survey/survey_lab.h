// SPDX-License-Identifier: MIT
// survey_lab.h -- little trees, indexed and surveyed, and short ways to look at what was found.
#ifndef KEN_TESTS_SURVEY_LAB_H
#define KEN_TESTS_SURVEY_LAB_H

#include "survey/survey.h"
#include "unit/index/index_lab.h"

static index_lab l;
static ken_snapshot *snap;
static ken_survey found;

// A test may make several trees, one after the other.
static inline void begin(void)
{
    static unsigned n;
    char name[32];
    snprintf(name, sizeof name, "tree%u", n++);
    lab_start_named(&l, name);
    snap = NULL;
}

static inline void put(const char *path, const char *text)
{
    lab_write(&l, path, text);
}

// `text` with `number` for each "%u".
static inline void number_in(char *out, size_t cap, const char *text, unsigned number)
{
    size_t n = 0;
    for (const char *p = text; *p; p++) {
        bool is_slot = p[0] == '%' && p[1] == 'u';
        int k = is_slot ? snprintf(out + n, cap - n, "%u", number)
                        : snprintf(out + n, cap - n, "%c", *p);
        kt_true(k > 0 && (size_t)k < cap - n);
        n += (size_t)k;
        p += is_slot;
    }
}

// The same text in files of many numbers, from `from` to before `to`.
static inline void put_many(const char *path, unsigned from, unsigned to, const char *text)
{
    for (unsigned i = from; i < to; i++) {
        char name[256], body[4096];
        number_in(name, sizeof name, path, i);
        number_in(body, sizeof body, text, i);
        put(name, body);
    }
}

static inline void look_with(ken_survey_opts o)
{
    lab_run(&l);
    snap = lab_open(&l);
    kt_ok_err(ken_survey_run(snap, &o, &l.arena, &found, &l.err), &l.err);
}

static inline void look(void)
{
    look_with((ken_survey_opts){ .cancel = NULL });
}

static inline void end(void)
{
    lab_close(snap);
    lab_end(&l);
}

static inline const ken_finding *find(const char *id)
{
    for (size_t i = 0; i < found.n_findings; i++)
        if (ken_str_eq_c(found.findings[i].id, id))
            return &found.findings[i];
    return NULL;
}

// The finding must be there, with these counts and this sentence.
static inline const ken_finding *says(const char *id, uint32_t n_for, uint32_t n_all,
                                      const char *rule)
{
    const ken_finding *f = find(id);
    if (!f)
        kt_fail("no finding '%s'", id);
    kt_eq_text(f->rule, rule);
    kt_eq_u(f->n_for, n_for);
    kt_eq_u(f->n_all, n_all);
    return f;
}

// "-" for none.
static inline void sides_are(const char *frontend, const char *backend)
{
    kt_eq_text(found.frontend.ptr ? found.frontend : KEN_STR("-"), frontend);
    kt_eq_text(found.backend.ptr ? found.backend : KEN_STR("-"), backend);
}

#endif
