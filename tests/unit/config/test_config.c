// SPDX-License-Identifier: MIT
#include <stdlib.h>

#include "base/buf.h"
#include "config/config.h"
#include "ktest.h"

// A sandbox whose settings and data folders are empty; returns its path.
static const char *fresh(void)
{
    const char *dir = ktest_dir();
    setenv("HOME", dir, 1);
    setenv("XDG_CONFIG_HOME", ktest_path("cfg"), 1);
    setenv("XDG_DATA_HOME", ktest_path("data"), 1);
    for (int i = 0; i < KEN_CFG_COUNT; i++) {
        ken_str names = ken_str_c(ken_config_key_env((ken_config_key)i)), name;
        while (ken_str_split_next(&names, ',', &name)) {
            ken_buf b = KEN_BUF_INIT(100);
            ken_buf_put_str(&b, name);
            unsetenv(b.ptr);
            ken_buf_release(&b);
        }
    }
    static const char *const of_others[] = { "DATABASE_URL", "DATABASE_REPLICA_URL",
                                             "DB_POOL_SIZE", "DB_MAX_OVERFLOW",
                                             "DB_PASSWORD",  "GITHUB_WEBHOOK_SECRET" };
    for (size_t i = 0; i < sizeof of_others / sizeof *of_others; i++)
        unsetenv(of_others[i]);
    return dir;
}

static ken_config *load(const char *project)
{
    ken_config *c = NULL;
    ken_err err = { 0 };
    kt_ok_err(ken_config_load(&(ken_config_load_opts){ .project_root = project }, &c, &err), &err);
    return c;
}

static ken_err load_error(const char *project)
{
    ken_config *c = NULL;
    ken_err err = { 0 };
    if (!ken_config_load(&(ken_config_load_opts){ .project_root = project }, &c, &err))
        kt_fail("loaded");
    kt_null(c);
    return err;
}

static void user_error(const char *yaml, const char *part)
{
    fresh();
    ktest_write("cfg/ken/config.yaml", yaml);
    ken_err err = load_error(NULL);
    kt_has_str(err.msg, part);
    kt_has_str(err.msg, "cfg/ken/config.yaml:");
}

KEN_TEST(defaults)
{
    fresh();
    ken_config *c = load(NULL);
    kt_eq_u(ken_config_u64(c, KEN_CFG_MAX_FILE_SIZE), 1024 * 1024);
    kt_eq_u(ken_config_u64(c, KEN_CFG_SEARCH_LIMIT), 10);
    kt_eq_u(ken_config_u64(c, KEN_CFG_MEMORY_LIMIT), 512ull << 20);
    kt_true(ken_config_bool(c, KEN_CFG_AUTO_INDEX));
    kt_false(ken_config_bool(c, KEN_CFG_SECRETS));
    kt_eq_text(ken_config_str(c, KEN_CFG_LOG_LEVEL), "warn");
    const ken_str *items;
    kt_eq_u(ken_config_list(c, KEN_CFG_INCLUDE, &items), 0);
    kt_eq_u(ken_config_list(c, KEN_CFG_TOOLSETS, &items), 5);
    kt_eq_text(items[1], "index");
    kt_eq_text(items[2], "tasks");
    kt_eq_text(items[3], "checkpoints");
    kt_eq_text(items[4], "rules");
    kt_eq_text(ken_config_where(c, KEN_CFG_JOBS), "default");
    kt_eq_text(ken_config_data_dir(c), ktest_path("data/ken"));
    ken_config_free(c);
}

KEN_TEST(later_layers_win)
{
    fresh();
    ktest_write("cfg/ken/config.yaml", "search:\n  limit: 11\n  context_lines: 1\n"
                                       "indexing:\n  exclude: [a, b]\n  max_file_size: 2MiB\n");
    ktest_write("repo/.ken.yaml", "search:\n  limit: 12\nindexing:\n  exclude:\n    - '*.gen'\n");
    setenv("KEN_MAX_FILE_SIZE", "512KiB", 1);
    ken_config_flag flags[] = { { "indexing.include", "*.c", NULL },
                                { "indexing.include", "*.{h,x}", NULL },
                                { "search.limit", "7", "-k" } };
    ken_config *c = NULL, *again = NULL;
    ken_err err = { 0 };
    kt_ok_err(ken_config_load(&(ken_config_load_opts){ NULL, flags, 2 }, &c, &err), &err);
    kt_eq_u(ken_config_u64(c, KEN_CFG_SEARCH_LIMIT), 11);
    kt_ok_err(ken_config_load_project(c, ktest_path("repo"), &again, &err), &err);
    ken_config_free(c);
    kt_eq_u(ken_config_u64(again, KEN_CFG_SEARCH_LIMIT), 12);
    kt_eq_u(ken_config_u64(again, KEN_CFG_CONTEXT_LINES), 1);
    kt_eq_u(ken_config_u64(again, KEN_CFG_MAX_FILE_SIZE), 512 * 1024);
    const ken_str *items;
    kt_eq_u(ken_config_list(again, KEN_CFG_EXCLUDE, &items), 1);
    kt_eq_text(items[0], "*.gen");
    kt_eq_u(ken_config_list(again, KEN_CFG_INCLUDE, &items), 2);
    kt_eq_text(items[1], "*.{h,x}");
    kt_eq_text(ken_config_where(again, KEN_CFG_MAX_FILE_SIZE), "environment KEN_MAX_FILE_SIZE");
    kt_eq_text(ken_config_where(again, KEN_CFG_INCLUDE), "command line");
    ken_str where = ken_config_where(again, KEN_CFG_SEARCH_LIMIT);
    kt_true(ken_str_ends(where, KEN_STR("repo/.ken.yaml:2")));
    kt_eq_i(ken_config_source_of(again, KEN_CFG_SEARCH_LIMIT), KEN_CONFIG_PROJECT_FILE);
    ken_config_free(again);
    kt_ok_err(ken_config_load(&(ken_config_load_opts){ ktest_path("repo"), flags, 3 }, &c, &err),
              &err);
    kt_eq_u(ken_config_u64(c, KEN_CFG_SEARCH_LIMIT), 7);
    ken_config_free(c);
}

KEN_TEST(lists_in_the_environment_keep_braces)
{
    fresh();
    setenv("KEN_EXCLUDE", " *.{a,b} , x/** ,, ", 1);
    ken_config *c = load(NULL);
    const ken_str *items;
    kt_eq_u(ken_config_list(c, KEN_CFG_EXCLUDE, &items), 2);
    kt_eq_text(items[0], "*.{a,b}");
    kt_eq_text(items[1], "x/**");
    ken_config_free(c);
}

KEN_TEST(unknown_keys_name_the_nearest)
{
    user_error("indexing:\n  max_file_sze: 1\n",
               "2:3: unknown key 'indexing.max_file_sze', did you mean 'max_file_size'?");
    user_error("serch:\n  limit: 1\n", "1:1: unknown section 'serch', did you mean 'search'?");
    user_error("search:\n  frobnicate: 1\n", "unknown key 'search.frobnicate'; ken config show");
}

KEN_TEST(wrong_values_name_the_rule)
{
    user_error("search:\n  limit: 51\n",
               "2:10: 'search.limit' must be a whole number from 1 to 50, not '51'");
    user_error("search:\n  limit: ten\n", "not 'ten'");
    user_error("search:\n  limit: -1\n", "not '-1'");
    user_error("search:\n  limit:\n", "'search.limit' must be");
    user_error("search:\n  limit: [1, 2]\n", "takes one value, not a list");
    user_error("search:\n  limit: {a: 1}\n", "takes a value, not a mapping");
    user_error("search:\n  auto_index: maybe\n", "must be true or false, not 'maybe'");
    user_error("indexing:\n  max_file_size: 11MiB\n", "must be a size from 1 to 10485760 bytes");
    user_error("indexing:\n  max_file_size: 5 apples\n", "not '5 apples'");
    user_error("log:\n  level: loud\n",
               "must be one of none, error, warn, info, debug, not 'loud'");
    user_error("indexing:\n  exclude: [[a]]\n", "an element of a list must be a text");
    user_error("search:\n  limit: 1\n  limit: 2\n", "3:3: 'search.limit' stands twice");
    user_error("search: 5\n", "section 'search' must hold");
    user_error("- a\n", "must hold sections");
    user_error("a: &x 1\n", "unknown section");
    user_error("search: {limit: 1}\n---\nsearch: {limit: 2}\n", "one YAML document");
    user_error("search:\n  limit: 'x\n", "not valid YAML");
    user_error("search:\n\tlimit: 1\n", "2:1: not valid YAML");
    user_error("indexing:\n  include: &a [x]\n  exclude: *a\n", "3:12: aliases are not supported");
}

KEN_TEST(variables_are_expanded_in_the_users_file_only)
{
    fresh();
    setenv("WHERE", "/srv/x", 1);
    unsetenv("NOWHERE");
    ktest_write("cfg/ken/config.yaml", "data:\n  dir: ${WHERE}/${NOWHERE:-y}\n"
                                       "indexing:\n  exclude: ['$${A}', 'a$b']\n");
    ken_config *c = load(NULL);
    kt_eq_text(ken_config_data_dir(c), "/srv/x/y");
    const ken_str *items;
    kt_eq_u(ken_config_list(c, KEN_CFG_EXCLUDE, &items), 2);
    kt_eq_text(items[0], "${A}");
    kt_eq_text(items[1], "a$b");
    ken_config_free(c);
    user_error("data:\n  dir: ${NOWHERE}\n", "environment variable 'NOWHERE' is not set");
    user_error("data:\n  dir: ${no where}\n", "needs a variable name");
    user_error("data:\n  dir: ${WHERE\n", "needs a variable name");
    ktest_write("cfg/ken/config.yaml", "");
    ktest_write("repo/.ken.yaml", "indexing:\n  exclude: ['${HOME}']\n");
    ken_err err = load_error(ktest_path("repo"));
    kt_has_str(err.msg, "expanded in your own config.yaml only");
}

KEN_TEST(a_project_may_not_reach_beyond_itself)
{
    static const char *const owned[] = { "data:\n  dir: /tmp/x\n", "log:\n  level: debug\n",
                                         "indexing:\n  secrets: true\n",
                                         "mcp:\n  read_only: false\n" };
    for (size_t i = 0; i < sizeof owned / sizeof *owned; i++) {
        fresh();
        ktest_write("repo/.ken.yaml", owned[i]);
        ken_err err = load_error(ktest_path("repo"));
        kt_has_str(err.msg, "may not be set by a project");
    }
}

KEN_TEST(large_and_deep_files_are_refused)
{
    fresh();
    ken_buf b = KEN_BUF_INIT(1 << 20);
    for (int i = 0; i < 70000; i++)
        ken_buf_putc(&b, '#');
    ktest_write("repo/.ken.yaml", b.ptr);
    ken_err err = load_error(ktest_path("repo"));
    kt_has_str(err.msg, "over the limit");
    ken_buf_clear(&b);
    for (int i = 0; i < 60000; i++)
        ken_buf_putc(&b, '[');
    ktest_write("repo/.ken.yaml", b.ptr);
    err = load_error(ktest_path("repo"));
    kt_eq_i(err.status, KEN_EINVAL);
    ken_buf_release(&b);
}

KEN_TEST(empty_files_are_fine)
{
    static const char *const texts[] = { "", "# only\n", "---\n", "indexing:\n", "~\n" };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        fresh();
        ktest_write("cfg/ken/config.yaml", texts[i]);
        ken_config_free(load(NULL));
    }
}

KEN_TEST(environment_errors_name_the_variable)
{
    fresh();
    setenv("KEN_JOBS", "many", 1);
    ken_err err = load_error(NULL);
    kt_has_str(err.msg, "environment KEN_JOBS: 'indexing.jobs' must be a whole number");
}

KEN_TEST(shared_variables_of_other_programs_are_passed_over)
{
    fresh();
    setenv("LOG_LEVEL", "chatty", 1);
    ken_config *c = load(NULL);
    kt_eq_text(ken_config_str(c, KEN_CFG_LOG_LEVEL), "warn");
    ken_config_free(c);
    setenv("LOG_LEVEL", "INFO", 1);
    c = load(NULL);
    kt_eq_text(ken_config_str(c, KEN_CFG_LOG_LEVEL), "info");
    ken_config_free(c);
    setenv("KEN_LOG_LEVEL", "error", 1);
    c = load(NULL);
    kt_eq_text(ken_config_str(c, KEN_CFG_LOG_LEVEL), "error");
    ken_config_free(c);
}

KEN_TEST(unknown_flags_are_errors)
{
    fresh();
    ken_config_flag f = { "search.limt", "1", NULL };
    ken_config *c = NULL;
    ken_err err = { 0 };
    kt_status(ken_config_load(&(ken_config_load_opts){ NULL, &f, 1 }, &c, &err), KEN_EINVAL);
    kt_has_str(err.msg, "did you mean 'search.limit'?");
    f = (ken_config_flag){ "search.limit", "0", "-k" };
    kt_status(ken_config_load(&(ken_config_load_opts){ NULL, &f, 1 }, &c, &err), KEN_EINVAL);
    kt_has_str(err.msg, "-k: 'search.limit' must be");
}

KEN_TEST(data_dir_follows_xdg)
{
    fresh();
    setenv("XDG_DATA_HOME", "relative", 1);
    ken_config *c = load(NULL);
    kt_eq_text(ken_config_data_dir(c), ktest_path(".local/share/ken"));
    ken_config_free(c);
    setenv("KEN_DATA_DIR", "~/d/../e", 1);
    c = load(NULL);
    kt_eq_text(ken_config_data_dir(c), ktest_path("e"));
    ken_config_free(c);
    unsetenv("KEN_DATA_DIR");
    ktest_write("cfg/ken/config.yaml", "data:\n  dir: a/b\n");
    ken_err err = load_error(NULL);
    kt_has_str(err.msg, "must be an absolute path");
}

KEN_TEST(values_are_shown_as_text)
{
    fresh();
    setenv("KEN_EXCLUDE", "a,b", 1);
    ken_config *c = load(NULL);
    ken_arena a;
    ken_arena_init(&a, 0);
    kt_eq_text(ken_config_format(c, KEN_CFG_EXCLUDE, &a), "a,b");
    kt_eq_text(ken_config_format(c, KEN_CFG_MAX_FILE_SIZE, &a), "1MiB");
    kt_eq_text(ken_config_format(c, KEN_CFG_AUTO_INDEX, &a), "true");
    kt_eq_text(ken_config_format(c, KEN_CFG_DATA_DIR, &a), ktest_path("data/ken"));
    ken_arena_release(&a);
    ken_config_free(c);
}

KEN_TEST(a_secret_is_not_shown)
{
    ken_arena a;
    ken_arena_init(&a, 0);
    fresh();
    ken_config *c = load(NULL);
    kt_eq_text(ken_config_format(c, KEN_CFG_EMBED_API_KEY, &a), "");
    ken_config_free(c);
    setenv("OPENAI_API_KEY", "sk-very-secret", 1);
    c = load(NULL);
    kt_eq_text(ken_config_str(c, KEN_CFG_EMBED_API_KEY), "sk-very-secret");
    kt_eq_text(ken_config_format(c, KEN_CFG_EMBED_API_KEY, &a), "(set)");
    ken_config_free(c);
    ken_arena_release(&a);
}

KEN_TEST(a_project_cannot_choose_where_code_is_sent)
{
    static const char *const lines[] = { "embedding:\n  provider: openai\n",
                                         "embedding:\n  url: http://example.com\n",
                                         "embedding:\n  onnx_runtime: /tmp/x.so\n" };
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
        const char *dir = fresh();
        ktest_write(".ken.yaml", lines[i]);
        ken_err err = load_error(dir);
        kt_has_str(err.msg, "embedding.");
    }
}

// ---- files and environments of other programs ----

// As the seed that has it prints it.
static const char seed_yaml[] =
    "# config.yaml\n"
    "repository:\n"
    "  url: \"https://github.com/username/repo.git\"\n"
    "  local_path: \"./repos/repo\"\n"
    "  branch: \"main\"\n"
    "  sync_interval_minutes: 15\n"
    "  \n"
    "database:\n"
    "  host: \"localhost\"\n"
    "  port: 5432\n"
    "  database: \"codebase_mcp\"\n"
    "  user: \"mcp_user\"\n"
    "  password: \"${DB_PASSWORD}\"\n"
    "\n"
    "embedding:\n"
    "  model: \"sentence-transformers/all-MiniLM-L6-v2\"\n"
    "  dimension: 384\n"
    "  batch_size: 32\n"
    "  device: \"cuda\"  # or \"cpu\"\n"
    "\n"
    "indexing:\n"
    "  max_file_size_kb: 1024\n"
    "  supported_extensions: [\".py\", \".js\", \".ts\", \".java\", \".go\", \".rs\"]\n"
    "  chunk_size_lines: 50\n"
    "  chunk_overlap_lines: 10\n"
    "\n"
    "cache:\n"
    "  memory_size_mb: 100\n"
    "  disk_path: \"~/.cache/mcp-codebase\"\n"
    "\n"
    "webhooks:\n"
    "  enabled: true\n"
    "  secret: \"${GITHUB_WEBHOOK_SECRET}\"\n"
    "  port: 8080\n";

static const ken_config_note *find_note(const ken_config *c, const char *name)
{
    const ken_config_note *notes;
    size_t n = ken_config_notes(c, &notes);
    for (size_t i = 0; i < n; i++)
        if (ken_str_eq_c(notes[i].name, name))
            return &notes[i];
    return NULL;
}

KEN_TEST(the_seeds_file_loads_as_it_is_printed)
{
    fresh();
    ktest_write("cfg/ken/config.yaml", seed_yaml);
    ken_config *c = load(NULL);
    kt_eq_text(ken_config_str(c, KEN_CFG_EMBED_MODEL), "sentence-transformers/all-MiniLM-L6-v2");
    kt_eq_u(ken_config_u64(c, KEN_CFG_EMBED_DIMS), 384);
    kt_eq_u(ken_config_u64(c, KEN_CFG_EMBED_BATCH_SIZE), 32);
    kt_eq_text(ken_config_str(c, KEN_CFG_EMBED_DEVICE), "cuda");
    kt_eq_u(ken_config_u64(c, KEN_CFG_MAX_FILE_SIZE), 1024 * 1024);
    kt_eq_u(ken_config_u64(c, KEN_CFG_CACHE_SIZE), 100 << 20);
    kt_eq_text(ken_config_str(c, KEN_CFG_REPO_URL), "https://github.com/username/repo.git");
    kt_eq_text(ken_config_str(c, KEN_CFG_REPO_BRANCH), "main");
    kt_eq_u(ken_config_u64(c, KEN_CFG_SYNC_INTERVAL), 15);
    const ken_str *globs;
    kt_eq_u(ken_config_list(c, KEN_CFG_INCLUDE, &globs), 6);
    kt_eq_text(globs[0], "*.py");
    kt_eq_text(globs[5], "*.rs");
    ken_config_free(c);
}

// Every key of the file either has its value in a key of ours, or is told with its reason.
KEN_TEST(what_has_no_effect_is_told)
{
    static const char *const told[] = {
        "repository.local_path", "embedding.model",  "embedding.dims", "embedding.device",
        "cache.disk_path",       "webhooks.enabled", "webhooks.port",
    };
    fresh();
    setenv("DB_PASSWORD", "hunter2", 1);
    ktest_write("cfg/ken/config.yaml", seed_yaml);
    ken_config *c = load(NULL);
    for (size_t i = 0; i < sizeof told / sizeof *told; i++) {
        const ken_config_note *note = find_note(c, told[i]);
        if (!note)
            kt_fail("'%s' is not told", told[i]);
        kt_true(note->text.len > 20);
        kt_true(ken_str_find(note->where, KEN_STR("config.yaml:")) != SIZE_MAX);
    }
    kt_null(find_note(c, "database.password"));
    kt_eq_text(ken_config_str(c, KEN_CFG_DATABASE_HOST), "localhost");
    kt_eq_u(ken_config_u64(c, KEN_CFG_DATABASE_PORT), 5432);
    kt_eq_text(ken_config_str(c, KEN_CFG_DATABASE_NAME), "codebase_mcp");
    kt_eq_text(ken_config_str(c, KEN_CFG_DATABASE_USER), "mcp_user");
    kt_eq_text(ken_config_str(c, KEN_CFG_DATABASE_PASSWORD), "hunter2");
    kt_eq_text(find_note(c, "repository.local_path")->value, "./repos/repo");
    kt_null(find_note(c, "repository.url"));
    kt_null(find_note(c, "embedding.batch_size"));
    ken_config_free(c);
    setenv("KEN_EMBEDDING_PROVIDER", "onnx", 1);
    c = load(NULL);
    kt_null(find_note(c, "embedding.model"));
    kt_null(find_note(c, "embedding.device"));
    ken_config_free(c);
}

// The secret of a webhook is of no use to a search: an unset variable stops nobody, and is told.
KEN_TEST(a_secret_whose_variable_is_not_set_is_not_given)
{
    fresh();
    ktest_write("cfg/ken/config.yaml", seed_yaml);
    ken_config *c = load(NULL);
    kt_eq_text(ken_config_str(c, KEN_CFG_WEBHOOK_SECRET), "");
    kt_has_str(find_note(c, "webhooks.secret")->text.ptr, "'GITHUB_WEBHOOK_SECRET' is not set");
    ken_config_free(c);
    setenv("GITHUB_WEBHOOK_SECRET", "s3cret", 1);
    c = load(NULL);
    kt_eq_text(ken_config_str(c, KEN_CFG_WEBHOOK_SECRET), "s3cret");
    kt_null(find_note(c, "webhooks.secret"));
    ken_config_free(c);
    unsetenv("GITHUB_WEBHOOK_SECRET");
}

KEN_TEST(settings_of_the_server_have_a_form)
{
    user_error("server:\n  host: localhost\n", "'localhost', which is not an IP address");
    user_error("server:\n  host: 10.0.0.0/8\n", "which is not an IP address");
    user_error("server:\n  trusted_proxies: [10.0.0.1, 10.0.0.0/33]\n", "has '10.0.0.0/33'");
    user_error("server:\n  allowed_hosts: ['https://ken.example.com']\n", "which is not a host");
    user_error("repository:\n  hosts: [git.example.com]\n",
               "'repository.hosts' has 'git.example.com', which is not HOST=KIND");
    user_error("repository:\n  hosts: [git.example.com=svn]\n", "KIND is github");
    user_error("repository:\n  hosts: ['=gitlab']\n", "has '=gitlab'");
    user_error("repository:\n  hosts: ['a b=gitlab']\n", "has 'a b=gitlab'");
    user_error("repository:\n  url: https://u:pass@example.com/x.git\n",
               "'https://******@example.com/x.git', which is not a URL without");
    user_error("server:\n  allowed_hosts: ['ken:70000']\n", "which is not a host");
    user_error("server:\n  allowed_origins: ['*']\n", "which is not an origin");
    user_error("server:\n  allowed_origins: ['https://a.example/x']\n", "which is not an origin");
    user_error("server:\n  port: 65536\n", "a whole number from 0 to 65535");
    user_error("jobs:\n  max_running: 65\n", "a whole number from 0 to 64");
    fresh();
    ktest_write("cfg/ken/config.yaml",
                "server:\n  host: '::'\n  trusted_proxies: [10.0.0.0/8, '::1']\n"
                "  allowed_hosts: [ken.example.com, 'ken:7420', '[fd00::1]:7420']\n"
                "  allowed_origins: ['https://app.example.com', 'http://localhost:3000']\n");
    ken_config *c = load(NULL);
    const ken_str *items;
    kt_eq_u(ken_config_list(c, KEN_CFG_SERVER_ALLOWED_HOSTS, &items), 3);
    kt_eq_u(ken_config_u64(c, KEN_CFG_SERVER_PORT), 7420);
    kt_eq_u(ken_config_u64(c, KEN_CFG_SERVER_BODY), 16 << 20);
    ken_config_free(c);
    ktest_write(".ken.yaml", "server:\n  host: 0.0.0.0\n");
    kt_has_str(load_error(ktest_dir()).msg, "'server.host' may not be set by a project");
}

KEN_TEST(the_seeds_environment_counts_or_is_told)
{
    static const char *const env[][2] = {
        { "DATABASE_URL", "postgresql+asyncpg://user:pass@localhost:5432/codebase_mcp" },
        { "DB_POOL_SIZE", "20" },
        { "DB_MAX_OVERFLOW", "10" },
        { "OLLAMA_BASE_URL", "http://localhost:11434" },
        { "OLLAMA_EMBEDDING_MODEL", "nomic-embed-text" },
        { "EMBEDDING_BATCH_SIZE", "50" },
        { "LOG_LEVEL", "INFO" },
        { "LOG_FORMAT", "json" },
    };
    fresh();
    for (size_t i = 0; i < sizeof env / sizeof *env; i++)
        setenv(env[i][0], env[i][1], 1);
    ken_config *c = load(NULL);
    kt_eq_text(ken_config_str(c, KEN_CFG_LOG_LEVEL), "info");
    kt_eq_text(ken_config_str(c, KEN_CFG_LOG_FORMAT), "json");
    kt_eq_u(ken_config_u64(c, KEN_CFG_EMBED_BATCH_SIZE), 50);
    kt_eq_text(ken_config_str(c, KEN_CFG_DATABASE_URL), env[0][1]);
    kt_eq_u(ken_config_u64(c, KEN_CFG_DATABASE_POOL), 20);
    kt_eq_u(ken_config_u64(c, KEN_CFG_DATABASE_OVERFLOW), 10);
    kt_not_null(find_note(c, "embedding.model")); // the provider is the built-in model
    ken_config_free(c);
    setenv("KEN_EMBEDDING_PROVIDER", "ollama", 1);
    c = load(NULL);
    kt_null(find_note(c, "embedding.model"));
    kt_null(find_note(c, "embedding.url"));
    ken_config_free(c);
    for (size_t i = 0; i < sizeof env / sizeof *env; i++)
        unsetenv(env[i][0]);
    unsetenv("KEN_EMBEDDING_PROVIDER");
}

KEN_TEST(second_names_keep_the_rules_of_the_first)
{
    user_error("indexing:\n  max_file_size: 1MiB\n  max_file_size_kb: 1024\n",
               "'indexing.max_file_size' stands twice");
    user_error("indexing:\n  max_file_size_kb: 20000\n", "'indexing.max_file_size' must be a size");
    user_error("embedding:\n  dimension: many\n", "'embedding.dims' must be a whole number");
    user_error("embedding:\n  device: tpu\n", "'embedding.device' must be one of cpu, cuda, auto");
    user_error("webhooks:\n  prot: 1\n", "did you mean 'port'?");
    user_error("webhook:\n  port: 1\n", "did you mean 'webhooks'?");
    user_error("database:\n  url: mysql://me:secret@host/db\n", "which is not a URL such as");
    user_error("database:\n  host: {a: b}\n", "'database.host' takes a value, not a mapping");
    fresh();
    ktest_write("cfg/ken/config.yaml", "");
    ktest_write("repo/.ken.yaml", "database:\n  host: x\n");
    kt_has_str(load_error(ktest_path("repo")).msg, "'database.host' may not be set by a project");
    ktest_write("repo/.ken.yaml", "indexing:\n  supported_extensions: [py, .c]\n");
    ken_config *c = load(ktest_path("repo"));
    const ken_str *globs;
    kt_eq_u(ken_config_list(c, KEN_CFG_INCLUDE, &globs), 2);
    kt_eq_text(globs[0], "*.py");
    kt_eq_text(globs[1], "*.c");
    ken_config_free(c);
}

KEN_TEST(sizes)
{
    static const struct {
        const char *text;
        uint64_t bytes; // 0 = refused
    } cases[] = {
        { "1", 1 },
        { "1b", 1 },
        { "2k", 2048 },
        { "2KiB", 2048 },
        { "2KB", 2000 },
        { "1.5MiB", 1572864 },
        { "10 MB", 10000000 },
        { "1g", 1u << 30 },
        { "", 0 },
        { "k", 0 },
        { ".5k", 0 },
        { "1.2.3k", 0 },
        { "-1", 0 },
        { "1x", 0 },
        { "99999999999999999999", 0 },
        { "99999999999999G", 0 },
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        uint64_t n = 0;
        bool is_ok = ken_config_parse_size(ken_str_c(cases[i].text), &n);
        kt_eq_i(is_ok, cases[i].bytes != 0);
        if (is_ok)
            kt_eq_u(n, cases[i].bytes);
    }
}

KEN_TEST(near_names)
{
    static const char *const names[] = { "search", "status", "stats", "index" };
    kt_eq_str(ken_config_nearest(KEN_STR("serach"), names, 4), "search");
    kt_eq_str(ken_config_nearest(KEN_STR("Stat"), names, 4), "stats");
    kt_eq_str(ken_config_nearest(KEN_STR("idnex"), names, 4), "index");
    kt_null(ken_config_nearest(KEN_STR("zebra"), names, 4));
    static const char *const commands[] = { "mcp", "arch", "def", "help" };
    kt_null(ken_config_nearest(KEN_STR("man"), commands, 4));
    kt_null(ken_config_nearest(KEN_STR("watch"), commands, 4));
    kt_null(ken_config_nearest(KEN_STR("ls"), commands, 4));
    kt_eq_str(ken_config_nearest(KEN_STR("hlep"), commands, 4), "help");
    kt_eq_str(ken_config_nearest(KEN_STR("dfe"), commands, 4), "def");
    kt_null(ken_config_nearest(KEN_STR(""), names, 4));
}
