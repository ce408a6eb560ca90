// SPDX-License-Identifier: MIT
// A generated file and the one that is there. Three texts tell what a person did: the one written
// last (.rag/generated/last), the one on the disk, and the new one. git merges them, line by line.
#include "base/fs.h"
#include "base/path.h"
#include "proc/proc_git.h"
#include "rulebook/rulebook_setup_priv.h"
#include "rules/rules.h"
#include "secret/secret.h"

enum {
    GIT_MS = 20000,
    CONFLICTS_MAX = 127 // more are an error of git's
};

#define LAST      "last/"
#define NEW       "new/"
#define GENERATED ".rag/generated/"
#define WORK      GENERATED "merge"

typedef struct placing {
    int root_fd;
    ken_str root;
    const setup_document *doc;
    ken_arena *arena;
    ken_setup_file *out;
    ken_str there, last; // bodies; ptr NULL = absent
    ken_str head;        // of the file that is there
} placing;

static ken_str generated(placing *p, const char *which)
{
    return ken_arena_printf(p->arena, GENERATED "%s" KEN_STR_FMT, which, KEN_STR_ARG(p->doc->path));
}

// ptr NULL when it is absent or no plain file.
static ken_str read_text(placing *p, ken_str path)
{
    ken_buf b = KEN_BUF_INIT(SETUP_FILE_MAX + 1);
    ken_str out = { NULL, 0 };
    if (!ken_fs_read_under(p->root_fd, path, SETUP_FILE_MAX, &b, NULL, NULL))
        out = ken_arena_dup(p->arena, ken_buf_str(&b));
    ken_buf_release(&b);
    return out;
}

static ken_status done(placing *p, ken_setup_action action, const char *note)
{
    p->out->action = action;
    p->out->note = ken_str_c(note);
    return KEN_OK;
}

static ken_status remember(placing *p, ken_err *err)
{
    if (p->last.ptr && ken_str_eq(p->last, p->doc->body))
        return KEN_OK;
    return ken_fs_write_under(p->root_fd, generated(p, LAST), p->doc->body, err);
}

static ken_status write_file(placing *p, ken_str head, ken_str body, ken_err *err)
{
    ken_str text =
        ken_arena_printf(p->arena, KEN_STR_FMT KEN_STR_FMT, KEN_STR_ARG(head), KEN_STR_ARG(body));
    ken_status st = ken_fs_write_under(p->root_fd, p->doc->path, text, err);
    return st ? st : remember(p, err);
}

// The file stays; the new text goes where nothing reads it as a rule.
static ken_status put_beside(placing *p, const char *why, ken_err *err)
{
    ken_str path = generated(p, NEW);
    ken_status st = ken_fs_write_under(p->root_fd, path, p->doc->body, err);
    p->out->action = KEN_SETUP_BESIDE;
    p->out->note = ken_arena_printf(
        p->arena, "%s; the file stays as it is, the new text is in '" KEN_STR_FMT "'", why,
        KEN_STR_ARG(path));
    return st;
}

// ---- git ---------------------------------------------------------------------------------------

// The three texts are plain files; no repository is looked for.
static ken_status run_git(placing *p, const char *const *argv, ken_proc_result *r, ken_err *err)
{
    ken_str cwd = ken_path_join(p->arena, p->root, KEN_STR(WORK));
    ken_proc_opts o = { .argv = argv,
                        .cwd = cwd.ptr,
                        .timeout_ms = GIT_MS,
                        .max_out_bytes = (size_t)4 * SETUP_FILE_MAX };
    return ken_git_run_alone(&o, r, err);
}

static ken_status put_work(placing *p, const char *name, ken_str text, ken_err *err)
{
    ken_str path = ken_arena_printf(p->arena, WORK "/%s", name);
    return ken_fs_write_under(p->root_fd, path, text, err);
}

static void clear_work(placing *p)
{
    static const char *const names[] = { "yours", "last", "new", "merged" };
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        ken_str path =
            ken_arena_printf(p->arena, KEN_STR_FMT "/" WORK "/%s", KEN_STR_ARG(p->root), names[i]);
        if (ken_fs_remove(path.ptr, NULL))
            continue; // it is in a folder of our own, and harmless
    }
}

// How many conflicts there are, and with `is_yours` the text in which they were settled.
static ken_status merge_once(placing *p, bool is_yours, int *out_conflicts, ken_str *out,
                             ken_err *err)
{
    const char *const plain[] = { "merge-file", "-p", "-q", "yours", "last", "new", NULL };
    const char *const ours[] = { "merge-file", "-p", "-q", "--ours", "yours", "last", "new", NULL };
    ken_proc_result r;
    ken_status st = run_git(p, is_yours ? ours : plain, &r, err);
    if (st)
        return st;
    *out_conflicts = r.exit_code;
    *out = ken_arena_dup(p->arena, ken_buf_str(&r.out));
    if (r.exit_code < 0 || r.exit_code > CONFLICTS_MAX) {
        ken_str why = ken_proc_complaint(&r);
        st = KEN_FAIL(err, KEN_EIO, "git merge-file failed: " KEN_STR_FMT, KEN_STR_ARG(why));
    }
    ken_proc_result_release(&r);
    return st;
}

// What changed in the file, as a unified diff without git's own head; whole lines of it.
static void find_diff(placing *p, ken_str merged)
{
    const char *const argv[] = { "diff", "--no-index", "-U1", "yours", "merged", NULL };
    ken_proc_result r;
    if (put_work(p, "merged", merged, NULL) || run_git(p, argv, &r, NULL))
        return;
    ken_secret_mask(r.out.ptr, r.out.len);
    ken_str all = ken_buf_str(&r.out);
    size_t at = ken_str_find(all, KEN_STR("\n@@"));
    ken_str hunks = at == SIZE_MAX ? KEN_STR("") : ken_str_sub(all, at + 1, all.len);
    bool is_cut = hunks.len > SETUP_DIFF_MAX;
    if (is_cut) {
        hunks.len = SETUP_DIFF_MAX;
        hunks.len = ken_str_rfind_char(hunks, '\n') + 1;
    }
    p->out->diff =
        ken_arena_printf(p->arena, KEN_STR_FMT "%s", KEN_STR_ARG(hunks), is_cut ? "…\n" : "");
    ken_proc_result_release(&r);
}

static bool is_yaml(ken_str path)
{
    return ken_str_ends(path, KEN_STR(".yml")) || ken_str_ends(path, KEN_STR(".yaml"));
}

static bool can_be_read(placing *p, ken_str text)
{
    ken_rules_doc doc;
    return !is_yaml(p->doc->path) || !ken_rules_parse(p->doc->path, text, p->arena, &doc, NULL);
}

static ken_status merge_texts(placing *p, ken_str *out, ken_err *err)
{
    int n = 0, settled = 0;
    ken_status st = put_work(p, "yours", p->there, err);
    if (!st)
        st = put_work(p, "last", p->last, err);
    if (!st)
        st = put_work(p, "new", p->doc->body, err);
    if (!st)
        st = merge_once(p, false, &n, out, err);
    if (!st && n)
        st = merge_once(p, true, &settled, out, err);
    p->out->n_conflicts = (uint32_t)n;
    return st;
}

static ken_status merge(placing *p, ken_err *err)
{
    ken_str merged;
    ken_err why = { 0 };
    ken_status st = merge_texts(p, &merged, &why);
    if (!st && !can_be_read(p, merged))
        st = KEN_FAIL(&why, KEN_EINVAL, "merged with your changes it would not be valid YAML");
    if (!st && !ken_str_eq(merged, p->there))
        find_diff(p, merged);
    clear_work(p);
    if (st)
        return put_beside(p, ken_arena_strdup(p->arena, why.msg), err);
    if (ken_str_eq(merged, p->there)) {
        st = remember(p, err);
        return st ? st : done(p, KEN_SETUP_UNCHANGED, "all that is new was changed by you");
    }
    p->out->action = KEN_SETUP_MERGED;
    if (p->out->n_conflicts)
        p->out->note = ken_arena_printf(p->arena, "your lines won in %u place%s",
                                        p->out->n_conflicts, p->out->n_conflicts > 1 ? "s" : "");
    return write_file(p, p->head.len ? p->doc->head : KEN_STR(""), merged, err);
}

// ---- one file ----------------------------------------------------------------------------------

// It is as it was written last: the new text takes its place.
static ken_status replace(placing *p, ken_err *err)
{
    if (!put_work(p, "yours", p->there, NULL))
        find_diff(p, p->doc->body);
    clear_work(p);
    ken_status st = write_file(p, p->head.len ? p->doc->head : KEN_STR(""), p->doc->body, err);
    return st ? st : done(p, KEN_SETUP_WRITTEN, "");
}

static ken_status meet(placing *p, bool is_forced, ken_err *err)
{
    if (ken_str_eq(p->there, p->doc->body)) {
        ken_status st = remember(p, err);
        return st ? st : done(p, KEN_SETUP_UNCHANGED, "");
    }
    if (!is_forced)
        return done(p, KEN_SETUP_KEPT, "it was there; force merges what is new into it");
    if (!p->last.ptr)
        return put_beside(p, "it was not written by a setup of this work tree", err);
    if (ken_str_eq(p->last, p->doc->body))
        return done(p, KEN_SETUP_UNCHANGED, "nothing is new; your changes stay");
    return ken_str_eq(p->last, p->there) ? replace(p, err) : merge(p, err);
}

ken_status ken_rulebook__setup_place(int root_fd, ken_str root, const setup_document *d,
                                     bool is_forced, ken_arena *arena, ken_setup_file *out,
                                     ken_err *err)
{
    placing p = { .root_fd = root_fd, .root = root, .doc = d, .arena = arena, .out = out };
    *out = (ken_setup_file){ .path = d->path };
    ken_fs_info info;
    bool is_there = !ken_fs_stat(root_fd, ken_arena_dup(arena, d->path).ptr, &info, NULL);
    ken_str text = is_there ? read_text(&p, d->path) : (ken_str){ NULL, 0 };
    if (is_there && !text.ptr)
        return done(&p, KEN_SETUP_KEPT, "it is not a plain file of at most 1 MiB");
    p.last = read_text(&p, generated(&p, LAST));
    if (!is_there) {
        ken_status st = write_file(&p, d->head, d->body, err);
        return st ? st : done(&p, KEN_SETUP_WRITTEN, "");
    }
    p.there = ken_rulebook__setup_body_of(text);
    p.head = ken_str_sub(text, 0, text.len - p.there.len);
    return meet(&p, is_forced, err);
}
