// SPDX-License-Identifier: MIT
#include "rulebook/rulebook_config.h"

#include "base/fs.h"
#include "base/path.h"
#include "rulebook/rulebook_priv.h"

enum {
    CONFIG_FILE_MAX = 256 << 10,
    WEIGHTS_MAX = 200,
    CHUNK_TOKENS = 300, // what the index keeps to by itself; said for readers of the file
    OVERLAP_TOKENS = 50,
};

#define WEIGHT_MAX  1000.0
#define CONFIG_FILE ".rag/config.json"

static const char *const extensions[] = { ".js",  ".jsx",  ".mjs", ".cjs",  ".ts", ".tsx",
                                          ".py",  ".go",   ".rs",  ".java", ".rb", ".php",
                                          ".yml", ".yaml", ".md",  ".json" };
static const char *const excluded[] = { "node_modules", ".git",     "dist",   "build",
                                        "__pycache__",  ".venv",    "venv",   ".next",
                                        ".rag",         "coverage", ".turbo", ".cache" };

static ken_str file_path(ken_str root, ken_arena *arena)
{
    return ken_path_join(arena, root, KEN_STR(CONFIG_FILE));
}

ken_str ken_rulebook_collections_path(ken_str root, ken_arena *arena)
{
    return ken_path_join(arena, root, KEN_STR(".rag/collections"));
}

// ---- reading -----------------------------------------------------------------------------------

// The parser of requests counts bytes; people are told lines.
static ken_status parse(ken_str text, ken_str path, json_t **out, ken_err *err)
{
    json_error_t at = { 0 };
    ken_err why = { 0 };
    if (ken_json_parse(text, out, &why)) {
        json_decref(json_loadb(text.ptr ? text.ptr : "", text.len, 0, &at));
        return KEN_FAIL(err, KEN_EINVAL, "%s:%d:%d: %s", path.ptr, at.line > 0 ? at.line : 1,
                        at.column > 0 ? at.column : 1, why.msg);
    }
    if (json_is_object(*out))
        return KEN_OK;
    json_decref(*out);
    return KEN_FAIL(err, KEN_EINVAL, "%s:1:1: must hold an object", path.ptr);
}

// KEN_ENOTFOUND without a message when there is no file.
static ken_status load_file(ken_str root, ken_arena *arena, json_t **out, ken_err *err)
{
    ken_buf text = KEN_BUF_INIT(CONFIG_FILE_MAX + 2);
    ken_err why = { 0 };
    int root_fd = -1;
    ken_status st = ken_fs_open_dir(root.ptr, &root_fd, &why);
    if (!st)
        st = ken_fs_read_under(root_fd, KEN_STR(CONFIG_FILE), CONFIG_FILE_MAX, &text, NULL, &why);
    ken_fs_close(root_fd);
    if (!st) {
        st = parse(ken_buf_str(&text), file_path(root, arena), out, err);
    } else if (st != KEN_ENOTFOUND) {
        (void)KEN_FAIL(err, st, "%s", why.msg);
    }
    ken_buf_release(&text);
    return st;
}

// A member by its name as S3 has it, or as Python would.
static const json_t *member(const json_t *file, const char *camel, const char *snake)
{
    const json_t *v = json_object_get(file, camel);
    return v ? v : json_object_get(file, snake);
}

static void read_text(const json_t *file, const char *camel, const char *snake, ken_arena *arena,
                      ken_str *out)
{
    ken_str text = ken_json_text(member(file, camel, snake));
    if (text.len)
        *out = ken_arena_dup(arena, text);
}

static ken_status read_count(const json_t *config, const char *key, uint32_t *out, ken_err *err)
{
    const json_t *v = json_object_get(config, key);
    if (!v)
        return KEN_OK;
    json_int_t n = json_integer_value(v);
    if (!json_is_integer(v) || n < 1 || n > KEN_RULEBOOK_RESULTS_MAX)
        return KEN_FAIL(err, KEN_EINVAL, "%s: must be a whole number from 1 to %d", key,
                        KEN_RULEBOOK_RESULTS_MAX);
    *out = (uint32_t)n;
    return KEN_OK;
}

static ken_status read_weights(json_t *config, ken_arena *arena, ken_rulebook_config *out,
                               ken_err *err)
{
    json_t *weights = json_object_get(config, "weights"), *value;
    const char *part;
    if (!weights)
        return KEN_OK;
    if (!json_is_object(weights) || json_object_size(weights) > WEIGHTS_MAX)
        return KEN_FAIL(err, KEN_EINVAL, "weights: must be an object of at most %d numbers",
                        WEIGHTS_MAX);
    ken_rules_weight *list = KEN_ARENA_ARRAY(arena, ken_rules_weight, WEIGHTS_MAX);
    size_t n = 0;
    json_object_foreach(weights, part, value)
    {
        double w = json_number_value(value);
        if (!json_is_number(value) || !*part || !(w >= 0 && w <= WEIGHT_MAX))
            return KEN_FAIL(err, KEN_EINVAL, "weights.%.60s: must be a number from 0 to 1000",
                            part);
        list[n++] = (ken_rules_weight){ ken_arena_dup(arena, ken_str_c(part)), w };
    }
    out->weights = list;
    out->n_weights = n;
    return KEN_OK;
}

static void set_defaults(ken_arena *arena, ken_rulebook_config *out)
{
    *out = (ken_rulebook_config){ .default_results = KEN_RULEBOOK_RESULTS,
                                  .max_results = KEN_RULEBOOK_RESULTS_MAX,
                                  .n_weights = ken_rules_n_default_weights };
    out->weights = ken_arena_copy(arena, ken_rules_default_weights, ken_rules_n_default_weights,
                                  sizeof *out->weights);
}

ken_status ken_rulebook_read_config(ken_str root, ken_arena *arena, ken_rulebook_config *out,
                                    ken_err *err)
{
    json_t *file = NULL;
    ken_err why = { 0 };
    set_defaults(arena, out);
    out->has_folder = ken_fs_exists(ken_path_join(arena, root, KEN_STR(".rag")).ptr);
    ken_status st = load_file(root, arena, &file, err);
    if (st)
        return st == KEN_ENOTFOUND ? KEN_OK : st;
    ken_rulebook_config read = *out;
    json_t *config = json_object_get(file, "config");
    read.has_file = true;
    read_text(file, "frontendPath", "frontend_path", arena, &read.frontend_path);
    read_text(file, "backendPath", "backend_path", arena, &read.backend_path);
    read_text(file, "lastIndexedAt", "last_indexed_at", arena, &read.last_indexed_at);
    config = json_is_object(config) ? config : file;
    st = read_count(config, "default_results", &read.default_results, &why);
    if (!st)
        st = read_count(config, "max_results", &read.max_results, &why);
    if (!st)
        st = read_weights(config, arena, &read, &why);
    json_decref(file);
    out->has_file = true;
    if (st)
        return KEN_FAIL(err, st, "'%s': %s", file_path(root, arena).ptr, why.msg);
    *out = read;
    return KEN_OK;
}

// ---- writing -----------------------------------------------------------------------------------

static json_t *words_json(const char *const *words, size_t n)
{
    json_t *a = json_array();
    for (size_t i = 0; i < n; i++)
        ken_json_append(a, ken_json_str(ken_str_c(words[i])));
    return a;
}

static json_t *default_file(ken_str root, ken_arena *arena)
{
    json_t *file = json_object(), *config = json_object(), *weights = json_object();
    ken_json_set_str(file, "projectRoot", root);
    ken_json_set(file, "frontendPath", NULL);
    ken_json_set(file, "backendPath", NULL);
    ken_json_set_str(file, "chromaDbPath", ken_rulebook_collections_path(root, arena));
    ken_json_set(file, "lastIndexedAt", NULL);
    ken_json_set(config, "include_extensions",
                 words_json(extensions, sizeof extensions / sizeof *extensions));
    ken_json_set(config, "exclude_dirs", words_json(excluded, sizeof excluded / sizeof *excluded));
    ken_json_set_u64(config, "chunk_size", CHUNK_TOKENS);
    ken_json_set_u64(config, "chunk_overlap", OVERLAP_TOKENS);
    ken_json_set_u64(config, "default_results", KEN_RULEBOOK_RESULTS);
    ken_json_set_u64(config, "max_results", KEN_RULEBOOK_RESULTS_MAX);
    for (size_t i = 0; i < ken_rules_n_default_weights; i++)
        ken_json_set_real(weights, ken_rules_default_weights[i].part.ptr,
                          ken_rules_default_weights[i].weight);
    ken_json_set(config, "weights", weights);
    ken_json_set(file, "config", config);
    return file;
}

static int put_chunk(const char *text, size_t len, void *ctx)
{
    ken_buf_put(ctx, text, len);
    return 0;
}

// In lines, for people edit it.
static ken_status write_file(ken_str root, const json_t *file, ken_err *err)
{
    int root_fd = -1;
    ken_buf text = KEN_BUF_INIT(CONFIG_FILE_MAX);
    (void)json_dump_callback(file, put_chunk, &text, JSON_INDENT(2) | JSON_REAL_PRECISION(6));
    ken_buf_putc(&text, '\n');
    ken_status st = ken_fs_open_dir(root.ptr, &root_fd, err);
    if (!st && text.is_over)
        st = KEN_FAIL(err, KEN_ELIMIT, "'%s' would be too large", CONFIG_FILE);
    if (!st)
        st = ken_fs_write_under(root_fd, KEN_STR(CONFIG_FILE), ken_buf_str(&text), err);
    ken_fs_close(root_fd);
    ken_buf_release(&text);
    return st;
}

ken_status ken_rulebook_write_config(ken_str root, const json_t *changes, ken_err *err)
{
    ken_arena scratch;
    ken_arena_init(&scratch, 4096);
    json_t *file = NULL;
    ken_str folder = ken_path_join(&scratch, root, KEN_STR(".rag"));
    ken_fs_info info;
    ken_status st = ken_fs_stat(KEN_FS_CWD, folder.ptr, &info, NULL);
    if (st || info.kind != KEN_FS_DIR)
        st = KEN_FAIL(err, KEN_ENOTFOUND, "'%s' is not there; run rag_setup first", folder.ptr);
    if (!st)
        st = load_file(root, &scratch, &file, err);
    if (st == KEN_ENOTFOUND && info.kind == KEN_FS_DIR) {
        file = default_file(root, &scratch);
        st = KEN_OK;
    }
    if (!st) {
        (void)json_object_update(file, (json_t *)(uintptr_t)changes); // not changed
        st = write_file(root, file, err);
    }
    json_decref(file);
    ken_arena_release(&scratch);
    return st;
}
