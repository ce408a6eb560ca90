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
    EXPECT("main.c:9 far_away", "unresolved"); // linked without a prototype perhaps
}

static const graph_lab_file forward_files[] = {
    { "dict.c", "static int next_of(int i);\n"
                "struct step;\n"
                "int walk(struct step *s) { return next_of(s->n); }\n"
                "static int next_of(int i) { return i + 1; }\n"
                "struct step { int n; };\n"
                "static int never(int i);\n"
                "int other(int i) { return never(i); }\n" },
};

// One thing, at its definition; what is not defined here is what is declared.
KEN_TEST(c_a_declaration_above_the_definition_is_no_second_target)
{
    static const char *const wanted[][2] = {
        { "dict.c:3 next_of", "dict.c:4 next_of scoped" },
        { "dict.c:3 n", "dict.c:5 n scoped" },
        { "dict.c:7 never", "dict.c:6 never scoped" },
    };
    graph_lab_check(forward_files, 1, wanted, sizeof wanted / sizeof *wanted);
}

// ---- prototypes behind macros ------------------------------------------------------------------

static const graph_lab_file attributed[] = {
    { "log.c", "#include \"log.h\"\n"
               "void printflike(1, 2) log_debug(const char *format, ...) { }\n"
               "__dead void log_fatal(const char *format, ...) { }\n"
               "void log_warn(int level, const char *format, ...) { }\n"
               "int log_level(log_state *s) { return 1; }\n"
               "int log_close(void) { return log_flags; }\n"
               "char *log_line(log_state *s) { return 0; }\n" },
    { "log.h", "#define printflike(a, b) __attribute__((format(printf, a, b)))\n"
               "#define DEFINE_LIST(name, type) struct name { struct type *first; }\n"
               "void printflike(1, 2) log_debug(const char *, ...);\n"
               "__dead void printflike(1, 2) log_fatal(const char *, ...);\n"
               "extern __printf(2, 3) void log_warn(int level, const char *format, ...);\n"
               "LOG_API int (log_level)(log_state *s);\n"
               "char *RETURNS_OWNED(s) log_line(log_state *s);\n"
               "typedef u_int (*log_width)(void *, u_int);\n"
               "#define LOG_MAX(a, b) ((a) > (b) ? (a) : (b))\n"
               "#define log_alloc(...) log_hooked(__VA_ARGS__)\n"
               "enum { LOG_ON = 1 } log_flags;\n"
               "int log_close(void);\n" },
    { "main.c", "#include <stdio.h>\n"
                "#include \"log.h\"\n"
                "u_int width;\n"
                "int old(a, b) int a; int b; { return a + b; }\n"
                "int main(void) {\n"
                "  log_debug(\"a\");\n"
                "  log_fatal(\"b\");\n"
                "  log_warn(1, \"c\");\n"
                "  log_level(0);\n"
                "  log_line(0);\n"
                "  if (1) log_close();\n"
                "  return LOG_MAX(LOG_ON, old(1, 2));\n"
                "}\n"
                "void *p(void) { return log_alloc(3); }\n" },
};

KEN_TEST(c_an_attribute_between_type_and_name_hides_neither_this_nor_the_next_prototype)
{
    const char *const edges[][2] = {
        { "main.c:6 log_debug", "log.c:2 log_debug imported" },
        { "main.c:7 log_fatal", "log.c:3 log_fatal imported" },
        { "main.c:8 log_warn", "log.c:4 log_warn imported" },
        { "main.c:9 log_level", "log.c:5 log_level imported" },
        { "main.c:10 log_line", "log.c:7 log_line imported" },
        { "main.c:11 log_close", "log.c:6 log_close imported" },
        { "main.c:12 LOG_MAX", "log.h:9 LOG_MAX imported" },
        { "main.c:12 LOG_ON", "log.h:11 LOG_ON imported" },
        { "main.c:12 old", "main.c:4 old scoped" },
        { "main.c:14 log_alloc", "log.h:10 log_alloc imported" },
    };
    graph_lab_check(attributed, 3, edges, sizeof edges / sizeof *edges);
}

KEN_TEST(c_the_result_of_a_function_type_is_not_its_name)
{
    const char *const edges[][2] = { { "main.c:3 u_int", "external" } };
    graph_lab_check(attributed, 3, edges, 1);
}

// ---- opaque structs ----------------------------------------------------------------------------

static const graph_lab_file opaque[] = {
    { "lamp.c", "#include \"lamp.h\"\n"
                "struct lamp { int watts; struct lamp *next; };\n"
                "int lamp_on(struct lamp *l) { return l->watts; }\n" },
    { "lamp.h", "#ifndef LAMP_H\n"
                "#define LAMP_H\n"
                "struct lamp;\n"
                "int lamp_on(struct lamp *l);\n"
                "#endif\n" },
    { "main.c", "#include \"lamp.h\"\n"
                "int main(void) {\n"
                "  struct lamp *l = 0;\n"
                "  LAMPS_EACH(l, next) lamp_on(l);\n"
                "  return lamp_on(l);\n"
                "}\n" },
    { "other.c", "struct lamp { int volts; };\n"
                 "int volts(struct lamp *l) { return l->volts; }\n" },
};

KEN_TEST(c_a_struct_that_a_header_only_declares_is_that_of_the_file_behind_it)
{
    const char *const edges[][2] = {
        { "main.c:3 lamp", "lamp.c:2 lamp imported" },
        { "lamp.h:4 lamp", "lamp.c:2 lamp imported" },
        { "lamp.c:3 lamp", "lamp.c:2 lamp scoped" },
        { "other.c:2 lamp", "other.c:1 lamp scoped" },
    };
    graph_lab_check(opaque, 4, edges, sizeof edges / sizeof *edges);
}

KEN_TEST(c_a_field_that_a_macro_is_given_is_not_outside)
{
    const char *const edges[][2] = { { "main.c:4 next", "unresolved" } };
    graph_lab_check(opaque, 4, edges, 1);
}

// ---- macros behind attributed functions --------------------------------------------------------

static const graph_lab_file hooked[] = {
    { "drivers/lamp.c", "#include \"../include/pool.h\"\n"
                        "int probe(void) { return pool_get(30) != pool_get_array(3, 4); }\n" },
    { "include/pool.h", "#define hooks(x) ({ x; })\n"
                        "void *pool_raw(DECL_PARAMS(size, b), flags_t flags)\n"
                        "        __assume_pool_alignment __alloc_size(1);\n"
                        "static __always_inline __alloc_size(1) void *pool_get_raw(size_t size)\n"
                        "{\n"
                        "  return pool_raw(size, 0);\n"
                        "}\n"
                        "#define pool_get(...) hooks(pool_get_raw(__VA_ARGS__))\n"
                        "static inline __alloc_size(1, 2) void *array_raw(size_t n, size_t size)\n"
                        "{\n"
                        "  return pool_get_raw(n * size);\n"
                        "}\n"
                        "#define pool_get_array(...) hooks(array_raw(__VA_ARGS__))\n" },
    { "lib/unpack.c", "#define pool_get(size) malloc(size)\n"
                      "int unpack(void) { return pool_get(3) != 0; }\n" },
};

KEN_TEST(c_a_macro_behind_attributed_functions_is_that_of_its_header)
{
    const char *const edges[][2] = {
        { "drivers/lamp.c:2 pool_get", "include/pool.h:8 pool_get imported" },
        { "drivers/lamp.c:2 pool_get_array", "include/pool.h:13 pool_get_array imported" },
        { "include/pool.h:11 pool_get_raw", "include/pool.h:4 pool_get_raw scoped" },
        { "lib/unpack.c:2 pool_get", "lib/unpack.c:1 pool_get scoped" },
    };
    graph_lab_check(hooked, 3, edges, sizeof edges / sizeof *edges);
}

KEN_TEST(c_directives_in_initialisers_hide_nothing)
{
    static const graph_lab_file lists[] = {
        { "a.c", "static int one(void) { return 1; }\n"
                 "static const struct entry list[] = {\n"
                 "#include \"a.inc\"\n"
                 "  { one, 1 },\n"
                 "#define PAIR(f) { f, 2 },\n"
                 "  PAIR(one)\n"
                 "#undef PAIR\n"
                 "#ifdef MORE\n"
                 "  { one, 3 },\n"
                 "#endif\n"
                 "};\n"
                 "static int two(void) { return one(); }\n"
                 "int main(void) { return two(); }\n" },
    };
    static const char *const edges[][2] = {
        { "a.c:4 one", "a.c:1 one scoped" },
        { "a.c:12 one", "a.c:1 one scoped" },
        { "a.c:13 two", "a.c:12 two scoped" },
    };
    graph_lab_check(lists, 1, edges, sizeof edges / sizeof *edges);
}
