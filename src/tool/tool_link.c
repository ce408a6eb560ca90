// SPDX-License-Identifier: MIT
// Permalinks: the remote of a git work tree, when it is hosted where commits can be looked at.
#include "base/fs.h"
#include "base/path.h"
#include "tool/tool_priv.h"

enum {
    GIT_FILE_MAX = 1 << 20
};

typedef struct link_host {
    const char *mark; // the host's name holds this
    const char *blob, *line, *to;
} link_host;

// Addresses as each product's web pages make them.
static const link_host hosts[] = {
    { "github", "/blob/", "#L", "-L" },       { "gitlab", "/-/blob/", "#L", "-" },
    { "bitbucket", "/src/", "#lines-", ":" }, { "codeberg", "/src/commit/", "#L", "-L" },
    { "gitea", "/src/commit/", "#L", "-L" },
};

static bool read_text(ken_arena *arena, ken_str path, ken_str *out)
{
    ken_buf b = KEN_BUF_INIT(GIT_FILE_MAX);
    ken_str z = ken_arena_dup(arena, path);
    bool is_read = !ken_fs_read_own(z.ptr, GIT_FILE_MAX, &b, NULL);
    if (is_read)
        *out = ken_arena_dup(arena, ken_buf_str(&b));
    ken_buf_release(&b);
    return is_read;
}

// The folder that `text` names, from `base` when it is relative.
static ken_str named_folder(ken_arena *arena, ken_str base, ken_str text)
{
    ken_str dir = ken_str_trim(text);
    return ken_str_starts(dir, KEN_STR("/")) ? dir : ken_path_join(arena, base, dir);
}

// ".git" may be a folder, or a file that names one: of a second work tree, or a submodule.
static ken_str git_folder(ken_arena *arena, ken_str root)
{
    ken_str git = ken_path_join(arena, root, KEN_STR(".git")), text;
    bool is_link = read_text(arena, git, &text) && ken_str_starts(text, KEN_STR("gitdir:"));
    return is_link ? named_folder(arena, root, ken_str_sub(text, 7, text.len)) : git;
}

// The text of the repository's config file. That of a second work tree is in its "commondir".
static bool read_git_config(ken_arena *arena, ken_str root, ken_str *out)
{
    ken_str dir = git_folder(arena, root), text;
    if (read_text(arena, ken_path_join(arena, dir, KEN_STR("config")), out))
        return true;
    if (!read_text(arena, ken_path_join(arena, dir, KEN_STR("commondir")), &text))
        return false;
    ken_str common = named_folder(arena, dir, text);
    return read_text(arena, ken_path_join(arena, common, KEN_STR("config")), out);
}

// url of [remote "origin"], else of the first remote.
static ken_str find_remote(ken_str config)
{
    ken_str line, found = { NULL, 0 };
    bool is_remote = false, is_origin = false;
    while (ken_str_line_next(&config, &line)) {
        line = ken_str_trim(line);
        if (ken_str_starts(line, KEN_STR("["))) {
            is_remote = ken_str_starts(line, KEN_STR("[remote "));
            is_origin = ken_str_eq(line, KEN_STR("[remote \"origin\"]"));
            continue;
        }
        size_t eq = ken_str_find_char(line, '=');
        if (!is_remote || eq == SIZE_MAX ||
            !ken_str_eq_fold(ken_str_trim(ken_str_sub(line, 0, eq)), KEN_STR("url")))
            continue;
        ken_str url = ken_str_trim(ken_str_sub(line, eq + 1, line.len));
        if (is_origin)
            return url;
        if (!found.ptr)
            found = url;
    }
    return found;
}

// "git@host:owner/repo.git", "ssh://git@host:22/owner/repo",
// "https://user:word@host/owner/repo.git"
static bool split_remote(ken_str url, ken_str *host, ken_str *path)
{
    size_t scheme = ken_str_find(url, KEN_STR("://"));
    ken_str rest = scheme == SIZE_MAX ? url : ken_str_sub(url, scheme + 3, url.len);
    if (scheme != SIZE_MAX && !ken_str_starts(url, KEN_STR("https://")) &&
        !ken_str_starts(url, KEN_STR("http://")) && !ken_str_starts(url, KEN_STR("ssh://")) &&
        !ken_str_starts(url, KEN_STR("git://")))
        return false;
    size_t cut = ken_str_find_char(rest, scheme == SIZE_MAX ? ':' : '/');
    if (cut == SIZE_MAX || cut == 0 || cut + 1 >= rest.len)
        return false;
    ken_str h = ken_str_sub(rest, 0, cut);
    ken_str p = ken_str_sub(rest, cut + 1, rest.len);
    size_t at = ken_str_rfind_char(h, '@');
    if (at != SIZE_MAX)
        h = ken_str_sub(h, at + 1, h.len);
    size_t port = ken_str_find_char(h, ':');
    if (port != SIZE_MAX)
        h = ken_str_sub(h, 0, port);
    if (ken_str_ends(p, KEN_STR("/")))
        p = ken_str_sub(p, 0, p.len - 1);
    if (ken_str_ends(p, KEN_STR(".git")))
        p = ken_str_sub(p, 0, p.len - 4);
    *host = h;
    *path = p;
    return h.len && p.len && ken_str_find_char(h, '/') == SIZE_MAX;
}

ken_tool__link ken_tool__find_link(ken_arena *arena, ken_str root)
{
    ken_tool__link link = { .base = { NULL, 0 } };
    ken_str config, host, path;
    if (!read_git_config(arena, root, &config))
        return link;
    if (!split_remote(find_remote(config), &host, &path))
        return link;
    for (size_t i = 0; i < sizeof hosts / sizeof *hosts; i++) {
        if (ken_str_find(host, ken_str_c(hosts[i].mark)) == SIZE_MAX)
            continue;
        link.base = ken_arena_printf(arena, "https://" KEN_STR_FMT "/" KEN_STR_FMT,
                                     KEN_STR_ARG(host), KEN_STR_ARG(path));
        link.blob = ken_str_c(hosts[i].blob);
        link.line = ken_str_c(hosts[i].line);
        link.to = ken_str_c(hosts[i].to);
        break;
    }
    return link;
}

// The commit or branch that HEAD of the work tree names. A second work tree has one of its own.
static bool read_head(ken_arena *arena, ken_str root, ken_str *out)
{
    return read_text(arena, ken_path_join(arena, git_folder(arena, root), KEN_STR("HEAD")), out);
}

bool ken_tool_find_remote(ken_arena *arena, ken_str root, ken_str *out_path, ken_str *out_branch)
{
    ken_str config, host, head;
    if (!read_git_config(arena, root, &config) ||
        !split_remote(find_remote(config), &host, out_path))
        return false;
    bool has_head = read_head(arena, root, &head);
    *out_branch = has_head && ken_str_starts(head, KEN_STR("ref: refs/heads/"))
                      ? ken_str_trim(ken_str_sub(head, 16, head.len))
                      : KEN_STR("");
    return true;
}

static void put_path(ken_buf *out, ken_str path)
{
    for (size_t i = 0; i < path.len; i++) {
        char c = path.ptr[i];
        if (ken_is_word(c) || strchr("/-.~", c))
            ken_buf_putc(out, c);
        else
            ken_buf_printf(out, "%%%02X", (unsigned char)c);
    }
}

json_t *ken_tool__url(const ken_tool__link *link, ken_str commit, ken_str path, uint32_t first_line,
                      uint32_t last_line)
{
    if (!link->base.len || !commit.len)
        return NULL;
    ken_buf b = KEN_BUF_INIT(16 * 1024);
    ken_buf_put_str(&b, link->base);
    ken_buf_put_str(&b, link->blob);
    ken_buf_put_str(&b, commit);
    ken_buf_putc(&b, '/');
    put_path(&b, path);
    ken_buf_put_str(&b, link->line);
    ken_buf_printf(&b, "%u", first_line + 1);
    if (last_line > first_line) {
        ken_buf_put_str(&b, link->to);
        ken_buf_printf(&b, "%u", last_line + 1);
    }
    json_t *url = b.is_over ? NULL : ken_json_str(ken_buf_str(&b));
    ken_buf_release(&b);
    return url;
}
