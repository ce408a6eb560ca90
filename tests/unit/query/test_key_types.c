// SPDX-License-Identifier: MIT
// The types that most of the code uses are those that the files mean, and not names that they happen to contain.
#include "unit/query/calls_lab.h"

enum {
    N_USERS = 30 // more than are asked
};

KEN_TEST(a_common_word_is_no_key_type)
{
    start("box.h", "struct parcel { int weight; };\n");
    lab_write(&l, "rare.h", "struct seldom { int weight; };\n");
    // A view of that name, and a local variable of it nearly everywhere.
    lab_write(&l, "relations.sql", "CREATE VIEW items AS SELECT 1;\n");
    for (int i = 0; i < N_USERS; i++) {
        char path[32], text[256];
        snprintf(path, sizeof path, "use%02d.c", i);
        snprintf(text, sizeof text,
                 "#include \"box.h\"\nint f%d(struct parcel *p)\n{\n    int items = p->weight;\n"
                 "    return items;\n}\n",
                 i);
        lab_write(&l, path, text);
    }
    lab_write(&l, "a.c", "#include \"rare.h\"\nint a(struct seldom *p) { return p->weight; }\n");
    lab_write(&l, "b.c", "#include \"rare.h\"\nint b(struct seldom *p) { return p->weight; }\n");
    lab_write(&l, "c.c", "int seldom;\nint c(void) { return seldom; }\n");
    go();
    ken_architecture x;
    kt_ok_err(ken_get_architecture(snap, KEN_ARCH_FULL, KEN_STR(""), NULL, &l.arena, &x, &l.err),
              &l.err);
    kt_eq_u(x.n_types, 2);
    kt_eq_text(x.types[0].node.name, "parcel");
    kt_eq_u(x.types[0].n_users, N_USERS);
    kt_eq_text(x.types[1].node.name, "seldom");
    kt_eq_u(x.types[1].n_users, 2); // the third file means its own variable
    end();
}
