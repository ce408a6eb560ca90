// SPDX-License-Identifier: MIT
// What the server did, over time, and how large indexes were.
#include "web_lab.h"

static json_t *answer_of(const char *path)
{
    const char *answer = lab_get(path);
    json_t *v = NULL;
    kt_has_str(answer, "HTTP/1.1 200");
    kt_ok_err(ken_json_parse(ken_str_c(strstr(answer, "\r\n\r\n") + 4), &v, &lab.err), &lab.err);
    return v;
}

static json_t *history(const char *query)
{
    return answer_of(lab_fmt("/api/v1/history%s", query));
}

static const json_t *last(const json_t *v, const char *list)
{
    const json_t *all = json_object_get(v, list);
    return json_array_get(all, json_array_size(all) - 1);
}

static long long number(const json_t *v, const char *key)
{
    return (long long)json_integer_value(json_object_get(v, key));
}

static void index_project(const char *name)
{
    char file[64];
    snprintf(file, sizeof file, "%s/a.c", name);
    ktest_write(file, "int one(void) { return 1; }\n");
    kt_has_str(lab_post("/api/v1/index_repository", LAB_JSON,
                        lab_fmt("{\"repo_path\":\"%s\"}", ktest_path(name))),
               "HTTP/1.1 200");
}

KEN_TEST(what_is_being_done_is_in_the_newest_sample)
{
    lab_start();
    index_project("one");
    kt_has_str(lab_get("/api/v1/search_code?query=one"), "HTTP/1.1 200");
    kt_has_str(lab_get("/api/v1/search_code"), "HTTP/1.1 400");
    json_t *v = history("");
    for (int i = 0; i < 50 && !number(last(v, "samples"), "errors"); i++) {
        json_decref(v); // a request is counted a moment after its answer
        usleep(20000);
        v = history("");
    }
    const json_t *s = last(v, "samples");
    kt_eq_i(number(s, "operations"), 3);
    kt_eq_i(number(s, "errors"), 1);
    kt_true(number(s, "requests") >= 3);
    kt_true(number(s, "memory_own_bytes") > 1000000);
    kt_true(number(s, "memory_resident_bytes") >= number(s, "memory_own_bytes"));
    double p50 = json_real_value(json_object_get(s, "p50_ms"));
    double p95 = json_real_value(json_object_get(s, "p95_ms"));
    kt_true(p50 > 0 && p95 >= p50 && p95 < 60000);
    kt_eq_i(number(v, "interval_seconds"), 10);
    json_decref(v);
    kt_has_str(lab_get("/api/v1/history?seconds=90000"), "HTTP/1.1 400");
    kt_has_str(lab_get("/api/v1/history?points=0"), "HTTP/1.1 400");
    lab_stop();
}

KEN_TEST(samples_are_taken_and_may_be_merged)
{
    lab_start();
    kt_has_str(lab_post("/api/v1/list_projects", LAB_JSON, "{}"), "HTTP/1.1 200");
    json_t *v = NULL;
    for (int i = 0; i < 150; i++) {
        v = history("");
        if (number(v, "total") > 1)
            break;
        json_decref(v);
        v = NULL;
        usleep(200000);
    }
    kt_not_null(v);
    const json_t *first = json_array_get(json_object_get(v, "samples"), 0);
    kt_eq_i(number(first, "operations"), 1); // and not again in the next
    kt_eq_i(number(last(v, "samples"), "operations"), 0);
    kt_null(json_object_get(last(v, "samples"), "p50_ms"));
    json_decref(v);
    v = history("?points=1");
    kt_eq_u(json_array_size(json_object_get(v, "samples")), 1);
    kt_true(number(v, "merged") >= 2);
    kt_eq_i(number(last(v, "samples"), "operations"), 1);
    json_decref(v);
    lab_stop();
}

KEN_TEST(sizes_of_an_index_are_kept_by_generation)
{
    ken_access_token t;
    ken_str secret;
    ken_project_info p;
    lab_start();
    index_project("one");
    index_project("two");
    ktest_write("one/b.py", "def two():\n    return 2\n");
    kt_has_str(lab_get("/api/v1/search_code?query=two&project=one"), "HTTP/1.1 200");
    lab_stop();
    lab_start(); // the server has seen none of them
    json_t *v = history("");
    kt_null(json_object_get(v, "generations"));
    json_decref(v);
    v = history("?project=one");
    kt_eq_text(ken_json_text(json_object_get(json_object_get(v, "project"), "name")), "one");
    kt_eq_u(json_array_size(json_object_get(v, "generations")), 2);
    const json_t *first = json_array_get(json_object_get(v, "generations"), 0);
    const json_t *now = last(v, "generations");
    kt_eq_i(number(first, "files"), 1);
    kt_eq_i(number(first, "bytes"), 28);
    kt_eq_i(number(now, "files"), 2);
    kt_eq_i(number(now, "bytes"), 28 + 24);
    kt_true(number(now, "generation") > number(first, "generation"));
    kt_true(number(now, "segment_bytes") > 0 && number(now, "store_bytes") > 4096);
    json_t *stats = answer_of("/api/v1/stats?project=one&format=json"); // the same measure
    kt_eq_i(number(stats, "segment_bytes"), number(now, "segment_bytes"));
    json_decref(stats);
    kt_eq_u(json_array_size(json_object_get(first, "languages")), 1);
    kt_eq_u(json_array_size(json_object_get(now, "languages")), 2);
    const json_t *python = json_array_get(json_object_get(now, "languages"), 0);
    kt_eq_text(ken_json_text(json_object_get(python, "language")), "python");
    kt_eq_i(number(python, "bytes"), 24);
    json_decref(v);
    kt_has_str(lab_get("/api/v1/history?project=three"), "HTTP/1.1 404");
    kt_ok_err(ken_app_find_project(lab.app, KEN_STR("two"), KEN_STR(""), &lab.arena, &p, &lab.err),
              &lab.err);
    const ken_app_token_opts wish = {
        .name = KEN_STR("b"), .scopes = KEN_SCOPE_F_READ, .is_bound = true, .project = p.id
    };
    kt_ok_err(ken_app_add_token(lab.app, &wish, &lab.arena, &t, &secret, &lab.err), &lab.err);
    const struct {
        const char *project, *answer;
    } of[] = { { "two", "HTTP/1.1 200" }, { "one", "HTTP/1.1 403" }, { "none", "HTTP/1.1 403" } };
    for (size_t i = 0; i < sizeof of / sizeof *of; i++)
        kt_has_str(lab_ask(lab_fmt("GET /api/v1/history?project=%s HTTP/1.1\n"
                                   "Authorization: Bearer " KEN_STR_FMT,
                                   of[i].project, KEN_STR_ARG(secret)),
                           NULL),
                   of[i].answer);
    lab_stop();
}
