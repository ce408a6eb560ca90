// SPDX-License-Identifier: MIT
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/fs.h"
#include "config/config_edit.h"
#include "ktest.h"

static const char *file(void)
{
    return ktest_path("config.yaml");
}

static ken_config_key key_of(const char *name)
{
    ken_config_key key = 0;
    ken_err err = { 0 };
    kt_ok_err(ken_config_find_key(name, &key, &err), &err);
    return key;
}

// `before`, after the setting was given `value` (NULL: taken away), is `after`.
static void becomes(const char *before, const char *name, const char *value, const char *after)
{
    ken_err err = { 0 };
    bool was_set = false;
    ken_buf text = KEN_BUF_INIT(0);
    ktest_write("config.yaml", before);
    if (value)
        kt_ok_err(
            ken_config_edit_set(file(), KEN_CONFIG_USER_FILE, key_of(name), ken_str_c(value), &err),
            &err);
    else
        kt_ok_err(ken_config_edit_unset(file(), KEN_CONFIG_USER_FILE, key_of(name), &was_set, &err),
                  &err);
    kt_true(value || was_set);
    kt_ok_err(ken_fs_read_own(file(), 65536, &text, &err), &err);
    kt_eq_text(ken_buf_str(&text), after);
    ken_buf_release(&text);
}

static void refuses(const char *before, ken_config_source source, const char *name,
                    const char *value, const char *part)
{
    ken_err err = { 0 };
    ken_buf text = KEN_BUF_INIT(0);
    ktest_write("config.yaml", before);
    kt_true(ken_config_edit_set(file(), source, key_of(name), ken_str_c(value), &err) != KEN_OK);
    kt_has_str(err.msg, part);
    kt_ok_err(ken_fs_read_own(file(), 65536, &text, &err), &err);
    kt_eq_text(ken_buf_str(&text), before);
    ken_buf_release(&text);
}

#define MINE                                   \
    "# mine\n"                                 \
    "indexing:   # what is indexed\n"          \
    "    jobs: 2     # the machine is small\n" \
    "    # names of ours\n"                    \
    "    exclude:\n"                           \
    "      - gen/**  # made\n"                 \
    "      - \"ärger/*\"\n"                   \
    "\n"                                       \
    "search: {limit: 5, context_lines: 3} # on one line\n"

KEN_TEST(a_value_is_replaced_where_it_stands)
{
    becomes("indexing:\n  jobs: 2 # few\n", "indexing.jobs", "4", "indexing:\n  jobs: 4 # few\n");
    becomes("search: {limit: 5, context_lines: 3} # x\n", "search.limit", "7",
            "search: {limit: 7, context_lines: 3} # x\n");
    becomes("log:\n  level: \"info\"\n# end", "log.level", "debug", "log:\n  level: debug\n# end");
    becomes("embedding:\n  model:\n", "embedding.model", "m:1", "embedding:\n  model: \"m:1\"\n");
    becomes("# ä ö\nindexing:\n  jobs: 2\n", "indexing.jobs", "3", "# ä ö\nindexing:\n  jobs: 3\n");
    becomes("\xef\xbb\xbfindexing:\n  jobs: 2\n", "indexing.jobs", "3",
            "\xef\xbb\xbfindexing:\n  jobs: 3\n");
    becomes("indexing:\r\n  jobs: 2\r\n", "indexing.jobs", "3", "indexing:\r\n  jobs: 3\r\n");
}

KEN_TEST(a_new_key_goes_to_its_section)
{
    becomes("indexing:\n   jobs: 2 # few\nsearch:\n  limit: 5\n", "indexing.max_file_size", "2MiB",
            "indexing:\n   jobs: 2 # few\n   max_file_size: 2MiB\nsearch:\n  limit: 5\n");
    becomes("indexing:\nsearch:\n  limit: 5\n", "indexing.jobs", "1",
            "indexing:\n  jobs: 1\nsearch:\n  limit: 5\n");
    becomes("search: {}\n", "search.limit", "5", "search: {limit: 5}\n");
    becomes("search: {limit: 5}\n", "search.context_lines", "0",
            "search: {limit: 5, context_lines: 0}\n");
    becomes("search:\n  limit: 5", "search.context_lines", "0",
            "search:\n  limit: 5\n  context_lines: 0\n");
}

KEN_TEST(a_new_section_goes_to_the_end)
{
    becomes("", "search.limit", "5", "search:\n  limit: 5\n");
    becomes("# nothing yet", "search.limit", "5", "# nothing yet\nsearch:\n  limit: 5\n");
    becomes("log:\n  level: info", "search.limit", "5",
            "log:\n  level: info\nsearch:\n  limit: 5\n");
    becomes("{log: {level: info}}\n", "search.limit", "5",
            "{log: {level: info}, search: {limit: 5}}\n");
}

KEN_TEST(lists_keep_their_form)
{
    becomes("indexing:\n  exclude:\n    - a\n    - b # two\n  jobs: 1\n", "indexing.exclude",
            "x,*.{c,h}", "indexing:\n  exclude:\n    - x\n    - \"*.{c,h}\" # two\n  jobs: 1\n");
    becomes("indexing:\n  exclude: [a, b]\n", "indexing.exclude", "x",
            "indexing:\n  exclude: [x]\n");
    becomes("", "indexing.exclude", "a b,\"q", "indexing:\n  exclude: [\"a b\", \"\\\"q\"]\n");
    becomes("indexing:\n  exclude:\n    - a\n", "indexing.exclude", "",
            "indexing:\n  exclude:\n    []\n");
}

KEN_TEST(a_key_is_taken_away)
{
    becomes("indexing:\n  jobs: 2 # few\n  max_file_size: 1MiB\n", "indexing.jobs", NULL,
            "indexing:\n  max_file_size: 1MiB\n");
    becomes("# a\nindexing:\n  jobs: 2\nlog:\n  level: info\n", "indexing.jobs", NULL,
            "# a\nlog:\n  level: info\n");
    becomes("indexing:\n  # why\n  jobs: 2\n", "indexing.jobs", NULL, "indexing:\n  # why\n");
    becomes("search: {limit: 5, context_lines: 3}\n", "search.limit", NULL,
            "search: {context_lines: 3}\n");
    becomes("search: {limit: 5, context_lines: 3}\n", "search.context_lines", NULL,
            "search: {limit: 5}\n");
    becomes("search: {limit: 5}\n", "search.limit", NULL, "search: {}\n");
    becomes("indexing:\n  exclude:\n    - a\n    - b\n  jobs: 1\n", "indexing.exclude", NULL,
            "indexing:\n  jobs: 1\n");
}

// Everything of a file with comments and forms of all kinds stays but for what was asked for.
KEN_TEST(nothing_else_is_touched)
{
    becomes(MINE, "indexing.jobs", "0",
            "# mine\nindexing:   # what is indexed\n    jobs: 0     # the machine is small\n"
            "    # names of ours\n    exclude:\n      - gen/**  # made\n      - \"ärger/*\"\n\n"
            "search: {limit: 5, context_lines: 3} # on one line\n");
    becomes(MINE, "indexing.max_file_size", "2MiB",
            "# mine\nindexing:   # what is indexed\n    jobs: 2     # the machine is small\n"
            "    # names of ours\n    exclude:\n      - gen/**  # made\n      - \"ärger/*\"\n"
            "    max_file_size: 2MiB\n\nsearch: {limit: 5, context_lines: 3} # on one line\n");
}

KEN_TEST(what_is_wrong_is_refused_and_nothing_written)
{
    refuses("", KEN_CONFIG_USER_FILE, "indexing.jobs", "many", "must be a whole number from 0");
    refuses("", KEN_CONFIG_USER_FILE, "log.level", "loud", "must be one of");
    refuses("", KEN_CONFIG_PROJECT_FILE, "indexing.jobs", "1", "may not be set by a project");
    refuses("indexing:\n  jbos: 1\n", KEN_CONFIG_USER_FILE, "log.level", "info",
            "did you mean 'jobs'?");
    refuses("---\nlog:\n  level: info\n...\n", KEN_CONFIG_USER_FILE, "search.limit", "5",
            "ken config edit");
}

KEN_TEST(a_link_is_followed_and_permissions_stay)
{
    ken_err err = { 0 };
    struct stat s;
    ktest_write("dotfiles/ken.yaml", "log:\n  level: info\n");
    kt_true(chmod(ktest_path("dotfiles/ken.yaml"), 0640) == 0);
    kt_true(symlink("dotfiles/ken.yaml", file()) == 0);
    kt_ok_err(ken_config_edit_set(file(), KEN_CONFIG_USER_FILE, key_of("log.level"),
                                  KEN_STR("debug"), &err),
              &err);
    kt_true(lstat(file(), &s) == 0);
    kt_true(S_ISLNK(s.st_mode));
    kt_true(stat(file(), &s) == 0);
    kt_eq_u(s.st_mode & 0777, 0640);
}

KEN_TEST(unknown_keys_name_the_nearest_key)
{
    ken_config_key key = 0;
    ken_err err = { 0 };
    kt_status(ken_config_find_key("indexing.job", &key, &err), KEN_EINVAL);
    kt_has_str(err.msg, "did you mean 'indexing.jobs'?");
}
