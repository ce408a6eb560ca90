// SPDX-License-Identifier: MIT
// C: includes, prototypes, structs behind typedefs and in headers that only declare them.
#include "graph_lab.h"
#include "ktest.h"

static const graph_lab_file files[] = {
    { "away.c", "struct node { int value; };\n"
                "static int helper(void) { return 2; }\n"
                "int far_away(void) { return helper(); }\n" },
    { "list.c", "#include \"list.h\"\n"
                "struct list { struct node *first; int len; };\n"
                "static int helper(const list *l) { return l->len; }\n"
                "int list_len(const list *l) { return helper(l); }\n"
                "int list_mode(list *l) { l->first->value = LIST_MAX; return LIST_FULL; }\n"
                "int list_free(list *l) { return 0; }\n" },
    { "list.h", "#ifndef LIST_H\n"
                "#define LIST_H\n"
                "#define LIST_MAX 10\n"
                "typedef struct list list;\n"
                "struct node { struct node *next; int value; };\n"
                "enum list_mode { LIST_EMPTY, LIST_FULL };\n"
                "int list_len(const list *l);\n"
                "extern int list_count;\n"
                "int list_free(list *l) MUST_USE;\n"
                "#endif\n" },
    { "main.c", "#include <string.h>\n"
                "#include \"list.h\"\n"
                "int list_count;\n"
                "int main(void) {\n"
                "  struct node n = { .value = 1 };\n"
                "  int len = 3;\n"
                "  list_count = n.next->value + len;\n"
                "  memset(&n, 0, sizeof n);\n"
                "  far_away();\n"
                "  return list_len(0) + list_free(0);\n"
                "}\n" },
};

KEN_TEST(c_a_call_leads_through_the_prototype_to_the_definition)
{
    EXPECT("main.c:10 list_len", "list.c:4 list_len imported");
}

KEN_TEST(c_a_macro_behind_a_prototype_does_not_hide_it)
{
    EXPECT("main.c:10 list_free", "list.c:6 list_free imported");
}

KEN_TEST(c_a_static_function_is_that_of_its_file)
{
    EXPECT("list.c:4 helper", "list.c:3 helper scoped");
    EXPECT("away.c:3 helper", "away.c:2 helper scoped");
}

KEN_TEST(c_fields_are_those_of_the_type)
{
    EXPECT("list.c:3 len", "list.c:2 len scoped");
    EXPECT("list.c:5 value", "list.h:5 value imported");
    EXPECT("main.c:5 value", "list.h:5 value imported");
    EXPECT("main.c:7 next", "list.h:5 next imported");
    EXPECT("main.c:7 value", "list.h:5 value imported");
}

KEN_TEST(c_macros_and_enumerators_come_with_the_header)
{
    EXPECT("list.c:5 LIST_MAX", "list.h:3 LIST_MAX imported");
    EXPECT("list.c:5 LIST_FULL", "list.h:6 LIST_FULL imported");
}

KEN_TEST(c_an_extern_variable_is_its_definition)
{
    EXPECT("main.c:7 list_count", "main.c:3 list_count scoped");
}

KEN_TEST(c_locals_are_no_references)
{
    EXPECT("main.c:7 len", "no reference");
}

KEN_TEST(c_what_no_header_declares_is_not_guessed)
{
    EXPECT("main.c:8 memset", "external");
    EXPECT("main.c:9 far_away", "external");
}
