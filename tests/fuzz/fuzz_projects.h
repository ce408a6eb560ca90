// SPDX-License-Identifier: MIT
// fuzz_projects.h -- a data folder with two projects, for targets that are servers of ken's own operations:
// "one", which clients may know, and another, whose mark must not reach a client that is bound to "one".
//
// Everything lies in one folder, and no other folder may become a project (projects.roots).
#ifndef KEN_FUZZ_PROJECTS_H
#define KEN_FUZZ_PROJECTS_H

#include <stdio.h>
#include <sys/stat.h>

#include "app/app.h"
#include "base/assert.h"
#include "config/config.h"
#include "fuzz_temp.h"
#include "json/json.h"
#include "tool/tool.h"

#define FUZZ_MARK "kestrelmark" // in the name, the path and each file of the other project

typedef struct fuzz_projects {
    char folder[64], one[96], other[96];
} fuzz_projects;

static inline void fuzz_write(const char *folder, const char *name, const char *text)
{
    char path[256];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *f = fopen(path, "we");
    KEN_ASSERT(f && fputs(text, f) >= 0 && !fclose(f));
}

static inline void fuzz_make_folder(const char *folder, const char *name)
{
    char path[256];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    KEN_ASSERT(!mkdir(path, 0700));
}

// Once a process.
static inline fuzz_projects *fuzz_projects_make(void)
{
    static fuzz_projects p;
    snprintf(p.folder, sizeof p.folder, "%s", fuzz_temp_make());
    snprintf(p.one, sizeof p.one, "%s/one", p.folder);
    snprintf(p.other, sizeof p.other, "%s/" FUZZ_MARK, p.folder);
    fuzz_make_folder(p.folder, "data");
    fuzz_make_folder(p.folder, "one");
    fuzz_make_folder(p.folder, "one/.git");
    fuzz_make_folder(p.folder, FUZZ_MARK);
    fuzz_write(p.one, ".git/config",
               "[remote \"origin\"]\n\turl = git@github.com:Owner/Repo.git\n");
    fuzz_write(p.one, ".git/HEAD", "ref: refs/heads/main\n");
    fuzz_write(p.one, "a.c", "int one(void) { return 1; }\nint two(void) { return one(); }\n");
    fuzz_write(p.one, "b.py", "import os\n\nclass Bird:\n    def fly(self):\n        pass\n");
    fuzz_write(p.other, "a.c", "int " FUZZ_MARK "(void) { return 2; }\nint one(void);\n");
    char data[96];
    snprintf(data, sizeof data, "%s/data", p.folder);
    KEN_ASSERT(!setenv("HOME", p.folder, 1) && !setenv("KEN_DATA_DIR", data, 1));
    KEN_ASSERT(!setenv("https_proxy", "http://127.0.0.1:1", 1)); // nothing leaves the machine
    unsetenv("NOTIFY_SOCKET");
    return &p;
}

// An app of these data, with the settings given.
static inline ken_app *fuzz_projects_open(const fuzz_projects *p, const ken_config_flag *flags,
                                          size_t n)
{
    ken_config_flag all[8] = { { "projects.roots", p->folder, "x" } };
    ken_config *config;
    ken_app *app;
    KEN_ASSERT(n + 1 < sizeof all / sizeof *all);
    for (size_t i = 0; i < n; i++)
        all[i + 1] = flags[i];
    KEN_ASSERT(!ken_config_load(&(ken_config_load_opts){ NULL, all, n + 1 }, &config, NULL));
    KEN_ASSERT(!ken_app_open(config, &app, NULL));
    return app;
}

// Of an input may have been removed: each begins with both, and their indexes.
static inline void fuzz_projects_check(const fuzz_projects *p, ken_app *app)
{
    const char *roots[] = { p->one, p->other };
    for (size_t i = 0; i < 2; i++) {
        ken_project_info found;
        ken_arena arena;
        ken_arena_init(&arena, 0);
        if (ken_app_find_project(app, ken_str_c(roots[i]), KEN_STR(""), &arena, &found, NULL)) {
            json_t *args = json_pack("{s:s}", "repo_path", roots[i]), *result;
            KEN_ASSERT(
                !ken_tool_call(app, "index_repository", args, &(ken_tool_ctx){ 0 }, &result, NULL));
            json_decref(args);
            json_decref(result);
        }
        ken_arena_release(&arena);
    }
}

#endif
