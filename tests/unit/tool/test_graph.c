// SPDX-License-Identifier: MIT
// The shapes of answers of the graph, made of hand-made findings: groups, words and sizes.
#include <stdio.h>
#include <string.h>

#include "ktest.h"
#include "tool/tool_graph_priv.h"

enum {
    MANY = 400,
    ANSWER_BYTES = 24900,
};

static ken_graph_node node(const char *name, const char *path, uint32_t line)
{
    return (ken_graph_node){
        .path = ken_str_c(path),
        .name = ken_str_c(name),
        .qualified = ken_str_c(name),
        .kind = KEN_SYMBOL_FUNCTION,
        .first_line = line,
        .last_line = line + 5,
        .complexity = 9,
    };
}

static const json_t *item(const json_t *o, const char *list, size_t i)
{
    return json_array_get(json_object_get(o, list), i);
}

static ken_str text(const json_t *o, const char *key)
{
    return ken_json_text(json_object_get(o, key));
}

static const char *listing(ken_tool_text_fn *to_text, const json_t *result)
{
    static char out[40000];
    ken_buf b = KEN_BUF_INIT(0);
    to_text(result, &(ken_paint){ .out = &b });
    snprintf(out, sizeof out, KEN_STR_FMT, KEN_STR_ARG(ken_buf_str(&b)));
    ken_buf_release(&b);
    return out;
}

// ---- usages ------------------------------------------------------------------------------------

static ken_usage use(uint32_t line, ken_ref_role role, const char *line_text)
{
    return (ken_usage){ .line = line,
                        .role = role,
                        .class = KEN_EDGE_IMPORTED,
                        .name = KEN_STR("parse"),
                        .within = KEN_STR("App.run"),
                        .text = ken_str_c(line_text) };
}

KEN_TEST(usages_stand_by_file_and_kind)
{
    ken_graph_node def = node("parse", "src/parse.c", 9), other = node("parse", "old/parse.c", 0);
    ken_usage in_app[] = { use(0, KEN_REF_IMPORT, "import parse"),
                           use(4, KEN_REF_CALL, "    parse(x);  "),
                           use(9, KEN_REF_CALL, "    p(x)") };
    in_app[2].name = KEN_STR("p");
    in_app[2].class = KEN_EDGE_INFERRED;
    in_app[2].evidence = KEN_STR("assigned function");
    ken_usage in_test[] = { use(2, KEN_REF_READ, "parse") };
    ken_usage lost[] = { use(7, KEN_REF_CALL, "x.parse()") };
    ken_usage_file files[] = {
        { .path = KEN_STR("src/app.c"), .usages = in_app, .n = 3 },
        { .path = KEN_STR("tests/app.c"), .usages = in_test, .n = 1, .is_test = true },
    };
    ken_usage_file unresolved = { .path = KEN_STR("src/z.c"), .usages = lost, .n = 1 };
    ken_usages u = {
        .defs = &def,
        .n_defs = 1,
        .others = &other,
        .n_others = 1,
        .files = files,
        .n_files = 2,
        .n_total = 4,
        .n_test_usages = 1,
        .n_unresolved = 3,
        .unresolved = &unresolved,
        .n_unresolved_files = 1,
    };
    u.n_by_role[KEN_REF_CALL] = 2;
    u.n_by_role[KEN_REF_IMPORT] = u.n_by_role[KEN_REF_READ] = 1;
    json_t *v = ken_tool__usages_json(
        &u, &(ken_tool__usages_shape){ .name = KEN_STR("parse"), .max_bytes = ANSWER_BYTES });
    kt_eq_text(text(v, "summary"),
               "4 usages of parse: 1 read, 2 calls, 1 import; 1 in tests; 3 more "
               "places use this name and could not be resolved");
    const json_t *app = item(v, "files", 0);
    kt_eq_text(text(app, "file_path"), "src/app.c");
    kt_eq_u(json_array_size(json_object_get(app, "calls")), 2);
    kt_eq_i(json_integer_value(json_object_get(item(app, "calls", 0), "line")), 5);
    kt_eq_text(text(item(app, "calls", 0), "text"), "parse(x);");
    kt_eq_text(text(item(app, "calls", 0), "in"), "App.run");
    kt_eq_text(text(item(app, "calls", 0), "resolution"), "imported");
    kt_null(json_object_get(item(app, "calls", 0), "as"));
    kt_eq_text(text(item(app, "calls", 1), "as"), "p");
    kt_eq_text(text(item(app, "calls", 1), "evidence"), "assigned function");
    kt_true(json_is_true(json_object_get(item(v, "files", 1), "is_test")));
    kt_eq_text(text(item(v, "other_definitions", 0), "at"), "old/parse.c:1");
    kt_has_str(text(v, "hint").ptr, "file_hint");
    const json_t *places = json_object_get(json_object_get(v, "unresolved"), "places");
    kt_eq_text(text(json_array_get(places, 0), "at"), "src/z.c:8");
    const char *list = listing(ken_tool__find_usages_text, v);
    kt_has_str(list, "src/parse.c:10-15 function parse\n");
    kt_has_str(list, "\n  10 in App.run [inferred: assigned function]: p(x)\n");
    kt_has_str(list, "unresolved: src/z.c:8 x.parse()\n");
    kt_true(strlen(list) < ken_json_dump_size(v));
    json_decref(v);
}

KEN_TEST(no_usage_says_what_could_not_be_resolved)
{
    ken_graph_node def = node("parse", "src/parse.c", 9);
    ken_usages u = { .defs = &def, .n_defs = 1, .n_unresolved = 3 };
    ken_tool__usages_shape shape = { .name = KEN_STR("parse"), .max_bytes = ANSWER_BYTES };
    json_t *v = ken_tool__usages_json(&u, &shape);
    kt_eq_text(text(v, "summary"),
               "0 usages of parse; 3 places use this name and could not be resolved");
    json_decref(v);
    u.n_unresolved = 0;
    u.n_by_role[KEN_REF_CALL] = 2; // of which none was asked for
    v = ken_tool__usages_json(&u, &shape);
    kt_eq_text(text(v, "summary"), "0 of 2 usages of parse; all of them: 2 calls");
    json_decref(v);
}

static size_t count_usages(const json_t *v)
{
    const json_t *files = json_object_get(v, "files");
    size_t n = 0;
    for (size_t f = 0; f < json_array_size(files); f++)
        n += json_array_size(json_object_get(json_array_get(files, f), "calls"));
    return n;
}

KEN_TEST(many_usages_are_cut_whole_and_go_on)
{
    static ken_usage uses[MANY];
    for (uint32_t i = 0; i < MANY; i++)
        uses[i] = use(i, KEN_REF_CALL, "    result = parse(first, second, third, fourth);");
    ken_usage_file files[2] = { { .path = KEN_STR("a.c"), .usages = uses, .n = MANY - 1 },
                                { .path = KEN_STR("b.c"), .usages = uses, .n = 1 } };
    ken_graph_node def = node("parse", "src/parse.c", 9);
    ken_usages u = { .defs = &def, .n_defs = 1, .files = files, .n_files = 2, .n_total = MANY };
    u.n_by_role[KEN_REF_CALL] = MANY;
    for (size_t max = 1500; max < 60000; max += 1777) {
        ken_tool__usages_shape shape = { .name = KEN_STR("parse"), .max_bytes = max };
        json_t *v = ken_tool__usages_json(&u, &shape);
        size_t n = count_usages(v);
        kt_true(ken_json_dump_size(v) <= max);
        kt_eq_u(json_is_true(json_object_get(v, "truncated")), n < MANY);
        if (n < MANY)
            kt_eq_u((uint64_t)json_integer_value(json_object_get(v, "next_offset")), n);
        kt_true(n == MANY || n * 130 + 1500 > max);
        json_decref(v);
    }
}

// ---- traces ------------------------------------------------------------------------------------

static ken_trace_step step(const char *name, int32_t parent, uint32_t depth)
{
    return (ken_trace_step){ .node = node(name, "src/a.c", 4),
                             .parent = parent,
                             .depth = depth,
                             .seen_at = -1,
                             .class = KEN_EDGE_SCOPED,
                             .role = KEN_REF_CALL,
                             .site_path = KEN_STR("src/b.c"),
                             .site_line = 6,
                             .n_sites = 1 };
}

KEN_TEST(a_trace_marks_cycles_and_says_what_is_missing)
{
    ken_trace_step steps[] = { step("main", -1, 0), step("load", 0, 1), step("load", 1, 2),
                               step("printf", 1, 2) };
    steps[0].n_unresolved = 2;
    steps[1].n_sites = 3;
    steps[1].n_cut = 4;
    steps[2].seen_at = 1;
    steps[2].is_cycle = true;
    steps[3].node = (ken_graph_node){ .id = { UINT32_MAX, 0 }, .name = KEN_STR("printf") };
    steps[3].class = KEN_EDGE_EXTERNAL;
    steps[0].n_cut = 6;
    ken_trace t = { .steps = steps, .n_steps = 4, .n_direct = 7 };
    ken_trace_opts o = { .entry = KEN_STR("main"), .to = KEN_STR("") };
    json_t *v = ken_tool__trace_json(&t, &o);
    kt_eq_text(text(v, "summary"),
               "main: 7 callees found (6 of them left out), 2 symbols down to depth 2, 1 cycle, "
               "4 further on left out; 2 calls in them could not be resolved");
    kt_eq_i(json_integer_value(json_object_get(v, "direct_total")), 7);
    kt_null(json_object_get(item(v, "steps", 0), "resolution"));
    kt_eq_text(text(item(v, "steps", 1), "call"), "src/b.c:7");
    kt_eq_text(text(item(v, "steps", 1), "resolution"), "scoped");
    kt_true(json_is_true(json_object_get(item(v, "steps", 2), "cycle")));
    kt_null(json_object_get(item(v, "steps", 3), "at"));
    kt_eq_str(
        listing(ken_tool__trace_execution_text, v),
        "main: 7 callees found (6 of them left out), 2 symbols down to depth 2, 1 cycle, 4 further "
        "on left out; 2 calls in them could not be resolved\n"
        "main src/a.c:5 (6 more) (2 unresolved)\n"
        "  load src/a.c:5 x3 (4 more)\n"
        "    load src/a.c:5 (cycle)\n"
        "    printf [external]\n");
    json_decref(v);
}

KEN_TEST(a_trace_of_a_type_says_that_it_is_one_of_its_methods)
{
    ken_trace_step steps[] = { step("Mailer", -1, 0), step("load", 0, 1) };
    steps[0].node.kind = KEN_SYMBOL_CLASS;
    ken_trace t = { .steps = steps, .n_steps = 2, .n_direct = 1 };
    ken_trace_opts o = { .entry = KEN_STR("Mailer"), .to = KEN_STR("") };
    json_t *v = ken_tool__trace_json(&t, &o);
    kt_eq_text(text(v, "summary"), "Mailer, a type, by all of its methods: 1 callee found");
    json_decref(v);
}

KEN_TEST(other_definitions_that_are_not_listed_are_counted)
{
    ken_graph_node others[10];
    for (uint32_t i = 0; i < 10; i++)
        others[i] = node("load", "src/b.c", i);
    others[0].path = KEN_STR("src/a.c"); // where the one that was chosen is
    ken_trace_step entry = step("load", -1, 0);
    ken_trace t = { .steps = &entry, .n_steps = 1, .others = others, .n_others = 10 };
    t.chosen = (ken_graph_chosen){ .n_others_total = 48, .is_most_used = true };
    ken_trace_opts o = { .entry = KEN_STR("load"), .to = KEN_STR("") };
    json_t *v = ken_tool__trace_json(&t, &o);
    kt_eq_u(json_array_size(json_object_get(v, "other_definitions")), 8);
    kt_eq_i(json_integer_value(json_object_get(v, "other_definitions_total")), 48);
    const char *all = listing(ken_tool__trace_execution_text, v);
    kt_has_str(all, "load src/b.c:8 and 40 more\n");
    kt_has_str(all, "this is the most used of 49 definitions of this name; choose one with "
                    "{file_hint}, such as 'src/b.c'");
    json_decref(v);
}

// Two uses in one line are one line of the list.
KEN_TEST(uses_in_one_line_are_told_once)
{
    ken_graph_node def = node("robj", "src/a.h", 1);
    ken_usage uses[] = { use(7, KEN_REF_TYPE, "int same(robj *a, robj *b)"),
                         use(7, KEN_REF_TYPE, "int same(robj *a, robj *b)"),
                         use(8, KEN_REF_TYPE, "robj *c;") };
    ken_usage_file file = { .path = KEN_STR("src/a.c"), .usages = uses, .n = 3 };
    ken_usages u = { .defs = &def, .n_defs = 1, .files = &file, .n_files = 1, .n_total = 3 };
    u.n_by_role[KEN_REF_TYPE] = 3;
    json_t *v = ken_tool__usages_json(
        &u, &(ken_tool__usages_shape){ .name = KEN_STR("robj"), .max_bytes = ANSWER_BYTES });
    const char *all = listing(ken_tool__find_usages_text, v);
    kt_has_str(all, "\n  8 type x2 in App.run: int same(robj *a, robj *b)\n  9 type in App.run: ");
    json_decref(v);
}

KEN_TEST(no_caller_and_no_path_are_said_in_words)
{
    ken_trace_step entry = step("parse", -1, 0);
    entry.n_unresolved = 3;
    ken_trace t = { .steps = &entry, .n_steps = 1 };
    ken_trace_opts o = { .entry = KEN_STR("parse"), .direction = KEN_TRACE_CALLERS };
    json_t *v = ken_tool__trace_json(&t, &o);
    kt_eq_text(text(v, "summary"),
               "parse: 0 callers found; 3 unresolved call sites use these names");
    json_decref(v);
    entry.n_unresolved = 0;
    v = ken_tool__trace_json(
        &t, &(ken_trace_opts){ .entry = KEN_STR("parse"), .to = KEN_STR("write") });
    kt_eq_text(text(v, "summary"), "parse: no path to write found");
    kt_true(json_is_false(json_object_get(v, "has_path")));
    json_decref(v);
}

// ---- sizes -------------------------------------------------------------------------------------

// Members that every answer ends with.
static void add_tail(json_t *v)
{
    json_t *project = json_object();
    ken_json_set_str(project, "root", KEN_STR("/home/somebody/projects/a-long-name/of-a-project"));
    ken_json_set(v, "project", project);
}

KEN_TEST(an_impact_stays_within_its_tokens)
{
    static ken_dependent deps[MANY];
    static ken_str paths[MANY];
    for (uint32_t i = 0; i < MANY; i++) {
        deps[i] = (ken_dependent){ .node = node("Reader.read_all_of_it",
                                                "src/some/folder/below/another/reader.c", i),
                                   .distance = 1 + i / 100,
                                   .site_line = UINT32_MAX,
                                   .class = KEN_EDGE_IMPORTED };
        paths[i] = deps[i].node.path;
    }
    ken_changed_def changed = { .node = node("read", "src/read.c", 1) };
    ken_str reason = KEN_STR("many files use it");
    ken_impact i = { .changed = &changed,
                     .n_changed = 1,
                     .n_changed_total = 1,
                     .n_places = 120,
                     .dependents = deps,
                     .n_dependents = 200,
                     .tests = deps,
                     .n_tests = MANY,
                     .n_tests_total = MANY,
                     .files = paths,
                     .n_files = MANY,
                     .n_files_total = 950,
                     .n_dependent_files = 900,
                     .n_unresolved = 2,
                     .max_depth = 3,
                     .risk = 0.8,
                     .risk_level = "high",
                     .reasons = &reason,
                     .n_reasons = 1 };
    i.n_by_distance[1] = 100;
    i.n_by_distance[2] = 250;
    const ken_tool__impact_shape shape = { 20, false, true };
    json_t *v = ken_tool__impact_json(&i, &shape);
    add_tail(v);
    ken_tool__fit_impact(v, 6000);
    kt_true(ken_json_dump_size(v) <= 6000);
    kt_eq_text(text(v, "summary"),
               "read: risk high; 120 usages; 350 dependents in 900 files (100 direct), 400 tests "
               "reach it within 3 steps; 2 unresolved places might depend on it");
    // What was cut is of all lists, and is said.
    kt_true(json_array_size(json_object_get(v, "dependents")) > 10);
    kt_true(json_array_size(json_object_get(v, "tests")) > 10);
    kt_true(json_array_size(json_object_get(v, "files")) > 10);
    kt_eq_i(json_integer_value(json_object_get(v, "tests_total")), MANY);
    kt_true(json_is_true(json_object_get(v, "truncated")));
    kt_has_str(text(v, "hint").ptr, "limit");
    kt_has_str(listing(ken_tool__query_impact_text, v),
               "- many files use it\ndependents (+n: n steps further away):\n  Reader");
    json_decref(v);
}

KEN_TEST(an_architecture_stays_within_its_tokens)
{
    static ken_module_node modules[MANY];
    static ken_module_edge edges[MANY];
    static ken_graph_node entries[MANY];
    static ken_key_symbol keys[MANY];
    static ken_route routes[MANY];
    for (uint32_t i = 0; i < MANY; i++) {
        modules[i] = (ken_module_node){ .path = KEN_STR("packages/server/src/modules/users"),
                                        .n_files = i,
                                        .n_lines = 1000,
                                        .layer = i % 5 };
        edges[i] = (ken_module_edge){ i, (i + 1) % MANY, 3 };
        entries[i] = node("main", "packages/server/src/main.ts", 10);
        keys[i] = (ken_key_symbol){ .node = node("User", "packages/server/src/user.ts", 3),
                                    .n_users = 7,
                                    .n_commits = 70 };
        routes[i] = (ken_route){ .method = KEN_STR("GET"),
                                 .path = KEN_STR("/users/:id"),
                                 .file = KEN_STR("packages/server/src/user.ts"),
                                 .framework = KEN_STR("express") };
    }
    ken_lang_count lang = { .language = KEN_STR("typescript"),
                            .n_files = 12000,
                            .n_lines = 900000 };
    ken_architecture a = { .langs = &lang,
                           .n_langs = 1,
                           .modules = modules,
                           .n_modules = MANY,
                           .n_modules_total = 1234,
                           .edges = edges,
                           .n_edges = MANY,
                           .entries = entries,
                           .n_entries = MANY,
                           .routes = routes,
                           .n_routes = MANY,
                           .n_routes_total = 999,
                           .types = keys,
                           .n_types = MANY,
                           .hotspots = keys,
                           .n_hotspots = MANY,
                           .n_cycles = 1 };
    json_t *v = ken_tool__architecture_json(&a);
    add_tail(v);
    ken_tool__fit_architecture(v, 8000);
    kt_true(ken_json_dump_size(v) <= 8000);
    static const char *const lists[] = { "modules", "dependencies", "entry_points",
                                         "routes",  "key_types",    "hot_spots" };
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++)
        kt_true(json_array_size(json_object_get(v, lists[i])) >= 5);
    kt_eq_text(text(v, "summary"), "12000 files of typescript; 1234 modules, 1 import cycle, 400 "
                                   "entry points, 999 routes");
    kt_true(strlen(listing(ken_tool__get_architecture_text, v)) < 8000);
    // Commits are those of the file, and told once for it.
    const char *spots = strstr(listing(ken_tool__get_architecture_text, v), "hot spots");
    kt_has_str(spots, "  packages/server/src/user.ts 70: User 4, User 4");
    kt_null(strstr(strstr(spots, "user.ts") + 1, "user.ts"));
    json_decref(v);
}

KEN_TEST(an_explanation_names_its_neighbours)
{
    ken_edge_note caller = { .node = node("run", "src/app.c", 3),
                             .class = KEN_EDGE_IMPORTED,
                             .role = KEN_REF_CALL,
                             .line = 8,
                             .n_sites = 2 };
    ken_edge_note type = { .node = node("Text", "src/text.h", 1),
                           .class = KEN_EDGE_EXACT,
                           .role = KEN_REF_TYPE,
                           .line = 9,
                           .n_sites = 1 };
    ken_explanation e = { .path = KEN_STR("src/parse.c"),
                          .language = KEN_STR("c"),
                          .first_line = 9,
                          .last_line = 14,
                          .code = KEN_STR("int parse(void)\n"),
                          .symbol = node("parse", "src/parse.c", 9),
                          .doc = KEN_STR("Reads."),
                          .callers = &caller,
                          .n_callers = 1,
                          .n_callers_total = 30,
                          .n_usages = 45,
                          .n_unresolved_usages = 2,
                          .types = &type,
                          .n_types = 1,
                          .n_unresolved = 1 };
    json_t *v = ken_tool__explanation_json(&e, &(ken_tool__reaching){ 0 });
    kt_eq_text(
        text(v, "summary"),
        "in function parse: 45 usages: 30 callers, 0 tests; 0 callees; 2 more places use its "
        "name and could not be resolved; 1 name in it could not be resolved");
    kt_eq_i(json_integer_value(json_object_get(v, "start_line")), 10);
    kt_eq_i(json_integer_value(json_object_get(item(v, "callers", 0), "line")), 9);
    kt_eq_i(json_integer_value(json_object_get(item(v, "callers", 0), "sites")), 2);
    kt_eq_text(text(item(v, "types", 0), "role"), "type");
    kt_has_str(listing(ken_tool__explain_code_text, v), "callers:\n  run src/app.c:4\n");
    json_decref(v);
    e.symbol = (ken_graph_node){ .name = KEN_STR("") };
    v = ken_tool__explanation_json(&e, &(ken_tool__reaching){ 0 });
    kt_true(json_is_null(json_object_get(v, "symbol")));
    kt_has_str(text(v, "summary").ptr, "outside of any definition");
    json_decref(v);
}
