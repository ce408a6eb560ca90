// SPDX-License-Identifier: MIT
// Further places of a result's file are where its words are, not where a chunk begins.
#include "unit/query/calls_lab.h"

// A file with a function about parcels, then one chunk that begins with something else.
static void write_post(void)
{
    ken_buf text = KEN_BUF_INIT(0);
    ken_buf_puts(&text, "int seal_parcel(int parcel)\n{\n");
    for (int i = 0; i < 60; i++)
        ken_buf_printf(&text, "    parcel = parcel * %d + parcel;\n", i);
    ken_buf_puts(&text, "    return parcel;\n}\n\n#define GUARD_OF_NOTHING 1\n"
                        "#define OTHER_NUMBER 2\n\n"
                        "// A parcel is weighed before its parcel label is printed.\n"
                        "int weigh_parcel(int parcel)\n{\n    return parcel;\n}\n");
    lab_start(&l);
    lab_write(&l, "post.c", ken_arena_dup(&l.arena, ken_buf_str(&text)).ptr);
    ken_buf_release(&text);
    go();
}

KEN_TEST(a_further_place_is_the_definition_that_fits)
{
    write_post();
    ken_search_result r;
    ken_search_opts o = { .limit = 5 };
    kt_ok_err(ken_search(snap, KEN_STR("parcel"), &o, NULL, &l.arena, &r, &l.err), &l.err);
    kt_eq_u(r.n_hits, 1);
    bool is_told = ken_str_eq_c(r.hits[0].symbol, "weigh_parcel");
    for (size_t i = 0; i < r.hits[0].n_places; i++) {
        const ken_place *p = &r.hits[0].places[i];
        kt_false(ken_str_eq_c(p->symbol, "GUARD_OF_NOTHING"));
        is_told = is_told || (ken_str_eq_c(p->symbol, "weigh_parcel") && p->first_line == 69);
    }
    kt_true(is_told);
    end();
}
