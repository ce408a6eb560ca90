// SPDX-License-Identifier: MIT
// core.excludesFile and info/exclude, for walks. Of git's settings this reads what it needs: the
// key itself and plain includes (gitconfig(5), "CONFIGURATION FILE"); conditional includes are not
// followed.
#include "base/path.h"
#include "proc/proc.h"
#include "scan/scan_priv.h"

enum {
    CONFIG_MAX_BYTES = 1 << 20,
    CONFIG_MAX_DEPTH = 5,
    CONFIG_MAX_VALUE = 4096
};

typedef struct config_reader {
    ken_arena *arena;
    ken_str home;
    ken_str excludes_file; // ptr NULL = not set
    scan_excludes *out;    // gets the names of all files that are asked
} config_reader;

static void note_source(config_reader *r, ken_str path)
{
    if (path.len)
        ken_vec_push(&r->out->sources, ken_arena_dup(r->arena, path).ptr);
}

// "~/x" of `home`; a relative path is relative to `dir`.
static ken_str expand_path(const config_reader *r, ken_str dir, ken_str path)
{
    if (ken_str_starts(path, KEN_STR("~/")))
        return ken_path_join(r->arena, r->home, ken_str_sub(path, 2, path.len));
    return ken_path_join(r->arena, dir, path);
}

typedef struct config_value {
    char bytes[CONFIG_MAX_VALUE];
    size_t n, n_kept; // n_kept: up to the last byte that is not white space outside of quotes
    bool is_quoted, is_comment;
} config_value;

static void value_put(config_value *v, char c, bool is_literal)
{
    bool is_space = !is_literal && ken_is_space(c);
    if (v->n + 1 >= sizeof v->bytes || (is_space && !v->n))
        return;
    v->bytes[v->n++] = c;
    if (!is_space)
        v->n_kept = v->n;
}

static void value_take(config_value *v, char c)
{
    if (c == '"')
        v->is_quoted = !v->is_quoted;
    else if (!v->is_quoted && (c == '#' || c == ';'))
        v->is_comment = true;
    else
        value_put(v, c, v->is_quoted);
}

static char unescape(char c)
{
    return c == 'n' ? '\n' : c == 't' ? '\t' : c == 'b' ? '\b' : c;
}

// The value after '=': quotes, escapes, comments, and lines that go on after a backslash.
static ken_str take_value(ken_arena *a, ken_str *text)
{
    config_value v = { .n = 0 };
    size_t i = 0;
    for (; i < text->len && text->ptr[i] != '\n'; i++) {
        if (v.is_comment)
            continue;
        if (text->ptr[i] != '\\' || i + 1 == text->len)
            value_take(&v, text->ptr[i]);
        else if (text->ptr[++i] != '\n')
            value_put(&v, unescape(text->ptr[i]), true);
    }
    *text = ken_str_sub(*text, i + 1, text->len);
    return ken_arena_dup(a, ken_str_n(v.bytes, v.n_kept));
}

// Follows links, as people keep their settings behind some, but never waits on a pipe.
static bool read_settings(ken_arena *a, ken_str path, size_t max_bytes, ken_buf *out)
{
    ken_str real;
    return path.len && !ken_path_real(a, path, &real, NULL) &&
           !ken_fs_read(KEN_FS_CWD, real.ptr, max_bytes, out, NULL, NULL);
}

static void read_config(config_reader *r, ken_str path, int depth);

static void take_key(config_reader *r, ken_str section, ken_str key, ken_str value, ken_str file,
                     int depth)
{
    if (ken_str_eq_fold(section, KEN_STR("core")) &&
        ken_str_eq_fold(key, KEN_STR("excludesfile"))) {
        r->excludes_file = expand_path(r, KEN_STR(""), value);
        note_source(r, r->excludes_file);
    }
    if (!ken_str_eq_fold(key, KEN_STR("path")))
        return;
    if (ken_str_eq_fold(section, KEN_STR("include")))
        read_config(r, expand_path(r, ken_path_dir(file), value), depth + 1);
    if (ken_str_eq_fold(ken_str_sub(section, 0, strlen("includeif")), KEN_STR("includeif"))) {
        ken_str kept = r->excludes_file; // git may follow it: a source, and no setting for a walk
        read_config(r, expand_path(r, ken_path_dir(file), value), depth + 1);
        r->excludes_file = kept;
    }
}

static void parse_config(config_reader *r, ken_str text, ken_str file, int depth)
{
    ken_str section = KEN_STR("");
    while (text.len) {
        text = ken_str_trim(text);
        if (!text.len)
            return;
        if (text.ptr[0] == '[') {
            size_t end = ken_str_find_char(text, ']');
            if (end == SIZE_MAX)
                return;
            section = ken_str_trim(ken_str_sub(text, 1, end));
            text = ken_str_sub(text, end + 1, text.len);
            continue;
        }
        size_t n = 0;
        while (n < text.len && (ken_is_word(text.ptr[n]) || text.ptr[n] == '-'))
            n++;
        ken_str key = ken_str_sub(text, 0, n);
        text = ken_str_sub(text, n, text.len);
        while (text.len && (text.ptr[0] == ' ' || text.ptr[0] == '\t'))
            text = ken_str_sub(text, 1, text.len);
        bool has_value = key.len && text.len && text.ptr[0] == '=';
        if (has_value)
            text = ken_str_sub(text, 1, text.len);
        ken_str value = take_value(r->arena, &text); // to the end of the line in any case
        if (has_value)
            take_key(r, section, key, value, file, depth);
    }
}

static void read_config(config_reader *r, ken_str path, int depth)
{
    ken_buf b = KEN_BUF_INIT(CONFIG_MAX_BYTES);
    note_source(r, path);
    if (depth < CONFIG_MAX_DEPTH && read_settings(r->arena, path, CONFIG_MAX_BYTES, &b))
        parse_config(r, ken_buf_str(&b), path, depth);
    ken_buf_release(&b);
}

static ken_ignore *read_patterns(ken_arena *a, ken_str path)
{
    ken_ignore *ig = NULL;
    ken_buf b = KEN_BUF_INIT(SCAN_MAX_IGNORE);
    if (read_settings(a, path, SCAN_MAX_IGNORE, &b))
        ig = ken_ignore_parse(a, KEN_STR(""), ken_buf_str(&b));
    ken_buf_release(&b);
    return ig;
}

scan_excludes ken_scan__excludes(ken_arena *a, const char *home, const scan_git *git)
{
    const char *xdg = home ? NULL : ken_proc_env("XDG_CONFIG_HOME");
    if (!home)
        home = ken_proc_env("HOME");
    scan_excludes x = { 0 };
    config_reader r = { .arena = a, .home = ken_str_c(home ? home : ""), .out = &x };
    ken_str settings = xdg && *xdg     ? ken_str_c(xdg)
                       : home && *home ? ken_path_join(a, r.home, KEN_STR(".config"))
                                       : KEN_STR("");
    read_config(&r, KEN_STR("/etc/gitconfig"), 0);
    if (settings.len)
        read_config(&r, ken_path_join(a, settings, KEN_STR("git/config")), 0);
    if (r.home.len)
        read_config(&r, ken_path_join(a, r.home, KEN_STR(".gitconfig")), 0);
    if (git)
        read_config(&r, ken_path_join(a, git->common_dir, KEN_STR("config")), 0);
    if (!r.excludes_file.ptr && settings.len)
        r.excludes_file = ken_path_join(a, settings, KEN_STR("git/ignore"));
    if (git && r.excludes_file.len)
        r.excludes_file = ken_path_join(a, git->top, r.excludes_file);
    x.user = read_patterns(a, r.excludes_file);
    note_source(&r, r.excludes_file);
    if (git) {
        ken_str own = ken_path_join(a, git->common_dir, KEN_STR("info/exclude"));
        x.repository = read_patterns(a, own);
        note_source(&r, own);
        note_source(&r, ken_path_join(a, git->git_dir, KEN_STR("config.worktree")));
    }
    return x;
}

void ken_scan__excludes_release(scan_excludes *x)
{
    ken_vec_release(&x->sources);
}
