// SPDX-License-Identifier: MIT
// Permalinks: the remote of a git work tree, when it is hosted where commits can be looked at.
#include "base/fs.h"
#include "base/path.h"
#include "base/url.h"
#include "tool/tool_priv.h"

enum {
    GIT_FILE_MAX = 1 << 20
};

typedef struct link_kind {
    const char *word;     // in the setting
    const char *marks[3]; // a host's name that holds one of them is of this kind
    const char *blob, *line, *to;
} link_kind;

// Addresses as each product's web pages make them.
static const link_kind kinds[] = {
    { "github", { "github" }, "/blob/", "#L", "-L" },
    { "gitlab", { "gitlab" }, "/-/blob/", "#L", "-" },
    { "bitbucket", { "bitbucket" }, "/src/", "#lines-", ":" },
    { "gitea", { "gitea", "forgejo", "codeberg" }, "/src/commit/", "#L", "-L" },
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

// A remote with web pages beside it: not one of a path, nor of a protocol of git's own helpers.
static bool parse_remote(ken_str url, ken_url *out)
{
    static const char *const protocols[] = { "https", "http", "ssh", "git" };
    bool is_known = false;
    if (!ken_url_parse(url, out))
        return false;
    for (size_t i = 0; i < sizeof protocols / sizeof *protocols; i++)
        is_known = is_known || ken_str_eq_c(out->protocol, protocols[i]);
    return is_known && out->host.len && ken_url_repository(out->path).len;
}

// ---- what its pages are ------------------------------------------------------------------------

static const link_kind *kind_of_word(ken_str word)
{
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (ken_str_eq_c(word, kinds[i].word))
            return &kinds[i];
    return NULL;
}

static const link_kind *kind_of_name(ken_str host)
{
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        for (const char *const *mark = kinds[i].marks;
             mark < kinds[i].marks + sizeof kinds[i].marks / sizeof *kinds[i].marks && *mark;
             mark++)
            if (ken_str_find(host, ken_str_c(*mark)) != SIZE_MAX)
                return &kinds[i];
    return NULL;
}

// What the setting says of the host; NULL: nothing that is known.
static const link_kind *kind_as_set(const ken_config *settings, ken_str host)
{
    const ken_str *list = NULL;
    size_t n = ken_config_list(settings, KEN_CFG_REPO_HOSTS, &list);
    for (size_t i = 0; i < n; i++) {
        ken_str rest = list[i], name;
        if (ken_str_split_next(&rest, '=', &name) && ken_str_eq_fold(ken_str_trim(name), host))
            return kind_of_word(ken_str_trim(rest));
    }
    return NULL;
}

// Bitbucket Data Center has its clones at /scm/PROJECT/repo, or by ssh at a host of that name, and its pages
// elsewhere: /projects/PROJECT/repos/repo, or /users/NAME for "~NAME".
static void set_data_center(ken_arena *arena, const ken_url *u, ken_str site, ken_tool__link *link)
{
    ken_str path = ken_url_repository(u->path), scm = KEN_STR("scm/");
    bool is_web = u->protocol.ptr[0] == 'h', is_scm = is_web && ken_str_starts(path, scm);
    if (is_scm)
        path = ken_str_sub(path, scm.len, path.len);
    size_t slash = ken_str_find_char(path, '/');
    if ((is_web && !is_scm) || slash == SIZE_MAX || !slash || slash + 1 == path.len ||
        ken_str_find_char(ken_str_sub(path, slash + 1, path.len), '/') != SIZE_MAX)
        return;
    bool is_user = path.ptr[0] == '~';
    link->base = ken_arena_printf(arena, KEN_STR_FMT "/%s/" KEN_STR_FMT "/repos/" KEN_STR_FMT,
                                  KEN_STR_ARG(site), is_user ? "users" : "projects",
                                  KEN_STR_ARG(ken_str_sub(path, is_user, slash)),
                                  KEN_STR_ARG(ken_str_sub(path, slash + 1, path.len)));
    link->blob = KEN_STR("/browse/");
    link->commit = KEN_STR("?at=");
    link->line = KEN_STR("#");
    link->to = KEN_STR("-");
}

// The port of https is that of the pages too; that of ssh is not.
static ken_str site_of(ken_arena *arena, const ken_url *u)
{
    bool is_http = ken_str_eq_c(u->protocol, "http");
    bool has_port = u->port.len && (is_http || ken_str_eq_c(u->protocol, "https"));
    return ken_arena_printf(arena, "%s://" KEN_STR_FMT "%s" KEN_STR_FMT, is_http ? "http" : "https",
                            KEN_STR_ARG(u->host), has_port ? ":" : "",
                            KEN_STR_ARG(has_port ? u->port : KEN_STR("")));
}

static ken_tool__link link_of(const ken_config *settings, ken_arena *arena, ken_str root)
{
    ken_tool__link link = { .base = { NULL, 0 } };
    ken_str config;
    ken_url u;
    if (!read_git_config(arena, root, &config) || !parse_remote(find_remote(config), &u))
        return link;
    ken_str site = site_of(arena, &u);
    const link_kind *kind = kind_as_set(settings, u.host);
    if (!kind)
        kind = kind_of_name(u.host);
    if (!kind)
        return link;
    if (strcmp(kind->word, "bitbucket") == 0 && !ken_str_eq_c(u.host, "bitbucket.org")) {
        set_data_center(arena, &u, site, &link);
        return link;
    }
    link.base = ken_arena_printf(arena, KEN_STR_FMT "/" KEN_STR_FMT, KEN_STR_ARG(site),
                                 KEN_STR_ARG(ken_url_repository(u.path)));
    link.blob = ken_str_c(kind->blob);
    link.line = ken_str_c(kind->line);
    link.to = ken_str_c(kind->to);
    return link;
}

ken_tool__link ken_tool__find_link(const ken_config *settings, ken_arena *arena,
                                   const ken_project_info *project)
{
    ken_tool__link link = link_of(settings, arena, project->root);
    link.roots = ken_app_roots(project, arena);
    link.more = KEN_ARENA_ARRAY(arena, ken_tool__link, link.roots.n + 1);
    for (size_t i = 0; i < link.roots.n; i++) {
        link.more[i] = link_of(settings, arena, link.roots.more[i].path);
        link.more[i].head = ken_app_read_head(link.roots.more[i].path, arena);
    }
    return link;
}

// That of the file's root, and the path in it.
static const ken_tool__link *own_link(const ken_tool__link *link, ken_str *path)
{
    const ken_root *root = ken_roots_find(&link->roots, *path, path);
    return root ? &link->more[root - link->roots.more] : link;
}

ken_str ken_tool__commit_of(const ken_tool__link *link, ken_str commit, ken_str path)
{
    const ken_tool__link *own = own_link(link, &path);
    return own == link || !commit.len ? commit : own->head;
}

// The commit or branch that HEAD of the work tree names. A second work tree has one of its own.
static bool read_head(ken_arena *arena, ken_str root, ken_str *out)
{
    return read_text(arena, ken_path_join(arena, git_folder(arena, root), KEN_STR("HEAD")), out);
}

bool ken_tool_find_remote(ken_arena *arena, ken_str root, ken_str *out_path, ken_str *out_branch)
{
    ken_str config, head;
    ken_url u;
    if (!read_git_config(arena, root, &config) || !parse_remote(find_remote(config), &u))
        return false;
    *out_path = ken_url_repository(u.path);
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
    link = own_link(link, &path);
    if (!link->base.len || !commit.len)
        return NULL;
    ken_buf b = KEN_BUF_INIT(16 * 1024);
    ken_buf_put_str(&b, link->base);
    ken_buf_put_str(&b, link->blob);
    if (!link->commit.len) {
        ken_buf_put_str(&b, commit);
        ken_buf_putc(&b, '/');
    }
    put_path(&b, path);
    if (link->commit.len) {
        ken_buf_put_str(&b, link->commit);
        ken_buf_put_str(&b, commit);
    }
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
