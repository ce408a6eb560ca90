// SPDX-License-Identifier: MIT
#include "rulebook/rulebook_config.h"

#include "base/fs.h"
#include "base/path.h"
#include "rulebook/rulebook_priv.h"

enum {
    CONFIG_FILE_MAX = 256 << 10,
    WEIGHTS_MAX = 200,
    LIST_MAX = 200,
    WORD_MAX = 100, // bytes of an extension or a folder's name
    CHUNK_TOKENS = 300,
    CHUNK_TOKENS_MIN = 50,
    CHUNK_TOKENS_MAX = 2000,
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

static ken_status read_count(const json_t *config, const char *key, int least, int most,
                             uint32_t *out, ken_err *err)
{
    const json_t *v = json_object_get(config, key);
    if (!v)
        return KEN_OK;
    json_int_t n = json_integer_value(v);
    if (!json_is_integer(v) || n < least || n > most)
        return KEN_FAIL(err, KEN_EINVAL, "%s: must be a whole number from %d to %d", key, least,
                        most);
    *out = (uint32_t)n;
    return KEN_OK;
}

// Absent: `out` stays as it is.
static ken_status read_words(const json_t *config, const char *key, bool is_extension,
                             ken_arena *arena, ken_str_list *out, ken_err *err)
{
    const json_t *list = json_object_get(config, key);
    size_t n = json_array_size(list);
    if (!list)
        return KEN_OK;
    if (!json_is_array(list) || n > LIST_MAX)
        return KEN_FAIL(err, KEN_EINVAL, "%s: must be a list of at most %d texts", key, LIST_MAX);
    ken_str_list words = { KEN_ARENA_ARRAY(arena, ken_str, n + 1), n };
    for (size_t i = 0; i < n; i++) {
        ken_str word = ken_json_text(json_array_get(list, i));
        bool is_fine = word.len && word.len <= WORD_MAX && !memchr(word.ptr, '/', word.len) &&
                       (!is_extension || (word.len > 1 && word.ptr[0] == '.'));
        if (!is_fine)
            return KEN_FAIL(err, KEN_EINVAL, "%s[%zu]: must be %s", key, i,
                            is_extension ? "an extension with its dot, such as '.ts'"
                                         : "the name of a folder, without '/'");
        words.items[i] = ken_arena_dup(arena, word);
    }
    *out = words;
    return KEN_OK;
}

// The list as rag_setup writes it is nobody's choice.
static bool is_default(const ken_str_list *l)
{
    size_t n = sizeof extensions / sizeof *extensions;
    for (size_t i = 0; l->n == n && i < n; i++)
        if (!ken_str_eq_c(l->items[i], extensions[i]))
            return false;
    return l->n == n;
}

static ken_status read_codebase(const json_t *config, ken_arena *arena, ken_rulebook_config *out,
                                ken_err *err)
{
    ken_status st =
        read_words(config, "include_extensions", true, arena, &out->include_extensions, err);
    if (!st)
        st = read_words(config, "exclude_dirs", false, arena, &out->exclude_dirs, err);
    if (!st)
        st = read_count(config, "chunk_size", CHUNK_TOKENS_MIN, CHUNK_TOKENS_MAX, &out->chunk_size,
                        err);
    if (!st)
        st = read_count(config, "chunk_overlap", 0, CHUNK_TOKENS_MAX, &out->chunk_overlap, err);
    if (!st && out->chunk_overlap >= out->chunk_size)
        st = KEN_FAIL(err, KEN_EINVAL,
                      "chunk_overlap: must be below chunk_size, which is %u, got %u",
                      out->chunk_size, out->chunk_overlap);
    out->has_default_extensions = is_default(&out->include_extensions);
    return st;
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

static ken_str_list words_of(const char *const *words, size_t n, ken_arena *arena)
{
    ken_str_list out = { KEN_ARENA_ARRAY(arena, ken_str, n), n };
    for (size_t i = 0; i < n; i++)
        out.items[i] = ken_str_c(words[i]);
    return out;
}

static void set_defaults(ken_arena *arena, ken_rulebook_config *out)
{
    *out = (ken_rulebook_config){
        .default_results = KEN_RULEBOOK_RESULTS,
        .max_results = KEN_RULEBOOK_RESULTS_MAX,
        .n_weights = ken_rules_n_default_weights,
        .include_extensions = words_of(extensions, sizeof extensions / sizeof *extensions, arena),
        .exclude_dirs = words_of(excluded, sizeof excluded / sizeof *excluded, arena),
        .has_default_extensions = true,
        .chunk_size = CHUNK_TOKENS,
        .chunk_overlap = OVERLAP_TOKENS,
    };
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
    read.is_frontend_given = json_is_true(member(file, "frontendGiven", "frontend_given"));
    read.is_backend_given = json_is_true(member(file, "backendGiven", "backend_given"));
    read_text(file, "lastIndexedAt", "last_indexed_at", arena, &read.last_indexed_at);
    config = json_is_object(config) ? config : file;
    const int most = KEN_RULEBOOK_RESULTS_MAX;
    st = read_count(config, "default_results", 1, most, &read.default_results, &why);
    if (!st)
        st = read_count(config, "max_results", 1, most, &read.max_results, &why);
    if (!st)
        st = read_codebase(config, arena, &read, &why);
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
