// SPDX-License-Identifier: MIT
// Search over several projects through the tools: which of them, what each says, what one that fails leaves.
#include <fcntl.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/fs.h"
#include "tool_lab.h"

static const json_t *list(const json_t *v, const char *key)
{
    return json_object_get(v, key);
}

// "apples bananas": the projects of the results, in order.
static ken_str projects_of(const json_t *v)
{
    static char out[2000];
    size_t at = 0;
    const json_t *results = list(v, "results");
    out[0] = '\0';
    for (size_t i = 0; i < json_array_size(results); i++)
        at += (size_t)snprintf(out + at, sizeof out - at, "%s" KEN_STR_FMT, i ? " " : "",
                               KEN_STR_ARG(text(json_array_get(results, i), "project")));
    return ken_str_n(out, at);
}

// The reason that is told of a project.
static ken_str reason_of(const json_t *v, const char *key, const char *project)
{
    const json_t *told = list(v, key);
    for (size_t i = 0; i < json_array_size(told); i++)
        if (ken_str_eq_c(text(json_array_get(told, i), "project"), project))
            return text(json_array_get(told, i), "reason");
    kt_fail("%s has no '%s'", key, project);
}

static long long number(const json_t *v, const char *key)
{
    return json_integer_value(json_object_get(v, key));
}

// A project of that name with one file that defines `what`.
static void make(lab *l, const char *name, const char *what)
{
    char rel[200], body[400], args[4400];
    snprintf(rel, sizeof rel, "%s/src/%s.c", name, what);
    snprintf(body, sizeof body,
             "// Counts the %s of a basket.\nint %s(int a)\n{\n    return a + 1;\n}\n", what, what);
    ktest_write(rel, body);
    snprintf(args, sizeof args, "{\"path\":\"%s\"}", ktest_path(name));
    json_decref(call(l, "index_repository", args));
}

KEN_TEST(a_list_and_all_are_ranked_together)
{
    lab l;
    lab_open(&l, "");
    make(&l, "red", "apples");
    make(&l, "yellow", "bananas");
    make(&l, "blue", "plums");
    json_t *v = call(&l, "search_code", "{\"query\":\"count bananas\",\"project\":\"*\"}");
    kt_true(ken_str_starts(projects_of(v), KEN_STR("yellow")));
    kt_eq_i(number(v, "projects_searched"), 3);
    kt_null(list(v, "projects_left_out"));
    kt_true(json_number_value(list(v, "confidence")) > 0);
    json_decref(v);
    v = call(&l, "search_code", "{\"query\":\"basket\",\"project\":\"red, blue,red\"}");
    kt_eq_i(number(v, "projects_searched"), 2);
    kt_eq_u(json_array_size(list(v, "results")), 2);
    json_decref(v);
    // The limit holds over all, and pages neither repeat nor lose.
    v = call(&l, "search_code", "{\"query\":\"basket\",\"project\":\"*\",\"limit\":2}");
    kt_eq_u(json_array_size(list(v, "results")), 2);
    kt_eq_i(number(v, "next_offset"), 2);
    kt_eq_i(number(v, "total"), 3);
    ken_str two = projects_of(v);
    char seen[100];
    snprintf(seen, sizeof seen, KEN_STR_FMT, KEN_STR_ARG(two));
    json_decref(v);
    v = call(&l, "search_code",
             "{\"query\":\"basket\",\"project\":\"*\",\"limit\":2,\"offset\":2}");
    kt_eq_u(json_array_size(list(v, "results")), 1);
    ken_str last = projects_of(v);
    kt_null(strstr(seen, last.ptr));
    json_decref(v);
    v = call(&l, "search", "{\"query\":\"basket\",\"projectId\":\"red,yellow\"}");
    kt_eq_u(json_array_size(list(v, "results")), 2);
    kt_true(text(json_array_get(list(v, "results"), 0), "project").len > 0);
    kt_true(number(json_array_get(list(v, "results"), 0), "total_chunks") > 0);
    json_decref(v);
    v = call(&l, "search_code", "{\"query\":\"pl\",\"project\":\"*\",\"search_type\":\"symbol\"}");
    kt_eq_text(projects_of(v), "blue");
    json_decref(v);
    v = call(&l, "search_code",
             "{\"query\":\"return a\",\"project\":\"*\",\"search_type\":\"text\"}");
    kt_eq_u(json_array_size(list(v, "results")), 3);
    json_decref(v);
    lab_close(&l);
}

KEN_TEST(scores_of_several_projects_are_those_of_one)
{
    lab l;
    lab_open(&l, "");
    make(&l, "red", "apples");
    make(&l, "yellow", "bananas");
    // Alone, every word of a project of one file is as rare as can be; together only its own are.
    json_t *v = call(&l, "search_code", "{\"query\":\"apples basket\",\"project\":\"red,yellow\"}");
    const json_t *results = list(v, "results");
    kt_eq_u(json_array_size(results), 2);
    kt_eq_text(text(json_array_get(results, 0), "project"), "red");
    double first = json_number_value(list(json_array_get(results, 0), "score")),
           second = json_number_value(list(json_array_get(results, 1), "score"));
    kt_true(first > 2 * second);
    json_decref(v);
    lab_close(&l);
}

KEN_TEST(what_cannot_answer_is_told_and_the_others_answer)
{
    lab l;
    lab_open(&l, "");
    make(&l, "red", "apples");
    make(&l, "yellow", "bananas");
    make(&l, "blue", "plums");
    make(&l, "gone", "figs");
    kt_eq_i(rename(ktest_path("gone"), ktest_path("elsewhere")), 0);
    json_decref(call(&l, "archive_project", "{\"project\":\"blue\"}"));
    json_t *v = call(&l, "search_code",
                     "{\"query\":\"basket\",\"project\":\"red,blue,nosuch,gone,yellow\"}");
    kt_eq_i(number(v, "projects_searched"), 2);
    kt_eq_u(json_array_size(list(v, "results")), 2);
    kt_true(ken_str_find(reason_of(v, "projects_left_out", "blue"), KEN_STR("archived")) !=
            SIZE_MAX);
    kt_true(ken_str_find(reason_of(v, "projects_left_out", "nosuch"), KEN_STR("no project")) !=
            SIZE_MAX);
    kt_true(ken_str_find(reason_of(v, "projects_left_out", "gone"), KEN_STR("gone")) != SIZE_MAX);
    json_decref(v);
    // Of all, nobody asked for what is archived.
    v = call(&l, "search_code", "{\"query\":\"basket\",\"project\":\"*\"}");
    kt_eq_u(json_array_size(list(v, "projects_left_out")), 1);
    json_decref(v);
    fails(&l, "search_code", "{\"query\":\"basket\",\"project\":\"nosuch,nowhere\"}", KEN_ENOTFOUND,
          "nosuch");
    fails(&l, "search_code", "{\"query\":\"basket\",\"project\":\"red,,yellow\"}", KEN_EINVAL,
          "commas");
    fails(&l, "search_code", "{\"query\":\"basket\",\"project\":\"red,*\"}", KEN_EINVAL, "alone");
    fails(&l, "search_code", "{\"query\":\"basket\",\"project\":\"red,yellow\",\"at\":\"HEAD\"}",
          KEN_EINVAL, "at");
    fails(&l, "search_code",
          "{\"query\":\"basket\",\"project\":\"red,yellow\",\"directory\":\"/src\"}", KEN_EINVAL,
          "directory");
    fails(&l, "search_code",
          "{\"query\":\"src/apples.c:2\",\"project\":\"red,yellow\",\"search_type\":\"similar\"}",
          KEN_EINVAL, "one project");
    lab_close(&l);
}

static int damage(const char *path, const struct stat *st, int type, struct FTW *at)
{
    (void)at;
    size_t n = strlen(path);
    if (type != FTW_F || n < 3 || strcmp(path + n - 3, ".db") != 0)
        return 0;
    int fd = open(path, O_WRONLY | O_CLOEXEC);
    for (off_t page = 4096; page < st->st_size; page += 4096) // all but the first
        kt_eq_i(pwrite(fd, "damaged damaged damaged", 23, page + 100), 23);
    close(fd);
    return 0;
}

KEN_TEST(a_damaged_index_costs_its_own_results_alone)
{
    lab l;
    char dir[4200], other[4200];
    lab_open(&l, "");
    make(&l, "red", "apples");
    snprintf(dir, sizeof dir, "%s", ktest_path("data/x/indexes"));
    snprintf(other, sizeof other, "%s", ktest_path("data/x/kept"));
    lab_close(&l);
    kt_eq_i(nftw(dir, damage, 20, FTW_PHYS), 0);
    lab_open(&l, "");
    make(&l, "yellow", "bananas");
    json_t *v = call(&l, "search_code", "{\"query\":\"basket\",\"project\":\"*\"}");
    kt_eq_text(projects_of(v), "yellow");
    kt_true(ken_str_find(reason_of(v, "projects_left_out", "red"), KEN_STR("damaged")) != SIZE_MAX);
    json_decref(v);
    v = call(&l, "search_code", "{\"query\":\"basket\",\"project\":\"yellow\"}");
    kt_eq_u(json_array_size(list(v, "results")), 1);
    json_decref(v);
    lab_close(&l);
}

KEN_TEST(a_bound_endpoint_answers_for_its_own_project)
{
    lab l;
    lab_open(&l, "");
    make(&l, "red", "apples");
    make(&l, "yellow", "bananas");
    l.ctx.project = KEN_STR("red");
    fails(&l, "search_code", "{\"query\":\"basket\",\"project\":\"*\"}", KEN_EPERM, "one project");
    fails(&l, "search_code", "{\"query\":\"basket\",\"project\":\"yellow,nosuch\"}", KEN_EPERM,
          "only");
    json_t *v = call(&l, "search_code", "{\"query\":\"basket\",\"project\":\"red,yellow\"}");
    kt_eq_text(projects_of(v), "red");
    kt_true(ken_str_find(reason_of(v, "projects_left_out", "yellow"), KEN_STR("only")) != SIZE_MAX);
    json_decref(v);
    lab_close(&l);
}

KEN_TEST(what_changed_since_is_found_and_told)
{
    lab l;
    lab_open(&l, "");
    make(&l, "red", "apples");
    make(&l, "yellow", "bananas");
    ktest_write("red/src/new.c",
                "// Weighs the cherries.\nint cherries(int a)\n{\n    return a;\n}\n");
    json_t *v = call(&l, "search_code", "{\"query\":\"cherries\",\"project\":\"*\",\"limit\":1}");
    kt_eq_text(projects_of(v), "red");
    json_decref(v);
    l.ctx.is_read_only = true; // then nothing is brought up to date
    ktest_write("yellow/src/new.c",
                "// Weighs the medlars.\nint medlars(int a)\n{\n    return a;\n}\n");
    v = call(&l, "search_code", "{\"query\":\"bananas\",\"project\":\"*\",\"limit\":1}");
    kt_eq_text(projects_of(v), "yellow");
    kt_true(ken_str_find(reason_of(v, "projects_incomplete", "yellow"), KEN_STR("changed file")) !=
            SIZE_MAX);
    json_decref(v);
    lab_close(&l);
}

KEN_TEST(a_name_with_a_comma_is_one_project)
{
    lab l;
    lab_open(&l, "");
    make(&l, "red", "apples");
    make(&l, "red,yellow", "bananas");
    make(&l, "yellow", "plums");
    json_t *v = call(&l, "search_code", "{\"query\":\"basket\",\"project\":\"red,yellow\"}");
    kt_eq_u(json_array_size(list(v, "results")), 1);
    kt_eq_text(text(list(v, "project"), "name"), "red,yellow");
    json_decref(v);
    lab_close(&l);
}
