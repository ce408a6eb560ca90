// SPDX-License-Identifier: MIT
// What the server did, over time, and how large indexes were.
#include "web_lab.h"

static json_t *history(const char *query)
{
    const char *answer = lab_get(lab_fmt("/api/v1/history%s", query));
    json_t *v = NULL;
    kt_has_str(answer, "HTTP/1.1 200");
    kt_ok_err(ken_json_parse(ken_str_c(strstr(answer, "\r\n\r\n") + 4), &v, &lab.err), &lab.err);
    return v;
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

static json_t *await_sizes(const char *headers)
{
    for (int i = 0; i < 50; i++) {
        const char *answer = lab_ask(lab_fmt("GET /api/v1/history HTTP/1.1%s", headers), NULL);
        json_t *v = NULL;
        kt_ok_err(ken_json_parse(ken_str_c(strstr(answer, "\r\n\r\n") + 4), &v, &lab.err),
                  &lab.err);
        const json_t *of = json_array_get(json_object_get(v, "projects"), 0);
        if (json_array_size(json_object_get(of, "generations")))
            return v;
        json_decref(v);
        usleep(100000);
    }
    kt_fail("no sizes of %s", "projects");
    return NULL;
}

KEN_TEST(sizes_of_indexes_are_known_by_generation)
{
    ken_access_token t;
    ken_str secret;
    ken_project_info p;
    lab_start();
    index_project("one");
    index_project("two");
    lab_stop();
    lab_start(); // it looks at what there is when it begins
    json_t *v = await_sizes("");
    kt_eq_u(json_array_size(json_object_get(v, "projects")), 2);
    const json_t *one = json_array_get(json_object_get(v, "projects"), 0);
    const json_t *size = json_array_get(json_object_get(one, "generations"), 0);
    kt_eq_i(number(size, "files"), 1);
    kt_true(number(size, "generation") >= 1 && number(size, "bytes") > 10);
    json_decref(v);
    kt_ok_err(ken_app_find_project(lab.app, KEN_STR("two"), KEN_STR(""), &lab.arena, &p, &lab.err),
              &lab.err);
    const ken_app_token_opts wish = {
        .name = KEN_STR("b"), .scopes = KEN_SCOPE_F_READ, .is_bound = true, .project = p.id
    };
    kt_ok_err(ken_app_add_token(lab.app, &wish, &lab.arena, &t, &secret, &lab.err), &lab.err);
    char headers[256];
    snprintf(headers, sizeof headers, "\nAuthorization: Bearer " KEN_STR_FMT, KEN_STR_ARG(secret));
    v = await_sizes(headers);
    kt_eq_u(json_array_size(json_object_get(v, "projects")), 1);
    kt_eq_text(ken_json_text(json_object_get(last(v, "projects"), "name")), "two");
    json_decref(v);
    lab_stop();
}
