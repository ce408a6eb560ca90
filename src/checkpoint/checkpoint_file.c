// SPDX-License-Identifier: MIT
// Files of the index as checkpoints. Nothing of them is stored: id and tags follow from the path,
// the text is what is on disk, so indexing again never makes a second one.
#include "base/path.h"
#include "checkpoint/checkpoint_priv.h"
#include "json/json.h"
#include "token/token_count.h"

enum {
    PATH_JSON_BYTES = 1 << 20,
    BYTES_PER_TOKEN = 4, // of a file that is not read
};

static ken_str extension_of(ken_str path)
{
    size_t slash = ken_str_rfind_char(path, '/');
    ken_str name = slash == SIZE_MAX ? path : ken_str_sub(path, slash + 1, path.len);
    size_t dot = ken_str_rfind_char(name, '.');
    return dot == SIZE_MAX || !dot || dot + 1 == name.len ? KEN_STR("")
                                                          : ken_str_sub(name, dot, name.len);
}

static bool has_tag(ken_str path, ken_str tag)
{
    return ken_str_eq(tag, KEN_STR("indexed")) || ken_str_eq(tag, KEN_STR("repository")) ||
           (tag.ptr[0] == '.' && ken_str_eq(tag, extension_of(path)));
}

bool ken_checkpoint__file_passes(ken_str path, const ken_checkpoint_filter *f)
{
    bool has_any = !f->n_any;
    for (size_t i = 0; i < f->n_all; i++)
        if (!has_tag(path, f->all[i]))
            return false;
    for (size_t i = 0; i < f->n_none; i++)
        if (has_tag(path, f->none[i]))
            return false;
    for (size_t i = 0; i < f->n_any && !has_any; i++)
        has_any = has_tag(path, f->any[i]);
    return has_any;
}

static ken_uuid id_of(ken_str path)
{
    ken_buf b = KEN_BUF_INIT(1 << 20);
    ken_buf_puts(&b, "checkpoint::");
    ken_buf_put_str(&b, path);
    ken_uuid id = ken_uuid_of(ken_buf_str(&b));
    ken_buf_release(&b);
    return id;
}

// ".md" comes before "indexed" in byte order.
static const ken_str *tags_of(ken_str path, ken_arena *arena, size_t *out_n)
{
    ken_str *tags = KEN_ARENA_ARRAY(arena, ken_str, 3), extension = extension_of(path);
    size_t n = 0;
    if (extension.len)
        tags[n++] = extension;
    tags[n++] = KEN_STR("indexed");
    tags[n++] = KEN_STR("repository");
    *out_n = n;
    return tags;
}

ken_checkpoint ken_checkpoint__of_file(const ken_file_row *file, ken_arena *arena)
{
    ken_buf context = KEN_BUF_INIT(PATH_JSON_BYTES);
    ken_buf_puts(&context, "{\"indexed_file\":");
    ken_json_put_quoted(&context, file->path);
    ken_buf_putc(&context, '}');
    ken_checkpoint c = {
        .id = id_of(file->path),
        .summary = ken_arena_printf(arena, "Indexed file: " KEN_STR_FMT, KEN_STR_ARG(file->path)),
        .context = ken_arena_dup(arena, ken_buf_str(&context)),
        .git_dirty = KEN_STR("[]"),
        .path = ken_arena_dup(arena, file->path),
        .token_count = (file->stamp.size + BYTES_PER_TOKEN - 1) / BYTES_PER_TOKEN,
        .created_at_ms = file->changed_at_ms,
        .updated_at_ms = file->changed_at_ms,
    };
    c.tags = tags_of(c.path, arena, &c.n_tags);
    ken_buf_release(&context);
    return c;
}

void ken_checkpoint__files_release(checkpoint_files *f)
{
    if (f->generation)
        ken_map_release(&f->numbers);
    *f = (checkpoint_files){ 0 };
}

static ken_str key_of(const ken_uuid *id)
{
    return ken_str_n((const char *)id->bytes, sizeof id->bytes);
}

const ken_file_row *ken_checkpoint__find_file(checkpoint_files *f, ken_snapshot *snap, ken_uuid id)
{
    const ken_file_row *files = NULL;
    size_t n = ken_snapshot_list_files(snap, &files);
    uint64_t generation = ken_snapshot_generation(snap);
    if (f->generation != generation) {
        ken_checkpoint__files_release(f);
        f->generation = generation;
        ken_map_init(&f->numbers);
        for (size_t i = 0; i < n; i++) {
            ken_uuid known = id_of(files[i].path);
            ken_map_put(&f->numbers, key_of(&known), i, NULL);
        }
    }
    const uint64_t *number = f->generation ? ken_map_find(&f->numbers, key_of(&id)) : NULL;
    return number ? &files[*number] : NULL;
}

ken_status ken_checkpoint__load_file(ken_snapshot *snap, const ken_file_row *file, ken_arena *arena,
                                     ken_checkpoint *out, ken_err *err)
{
    ken_checkpoint c = ken_checkpoint__of_file(file, arena);
    ken_file_view view;
    ken_status st = ken_view_file(snap, c.path, arena, &view, err);
    if (st)
        return st;
    c.description = view.text;
    c.token_count = ken_count_tokens(view.text);
    *out = c;
    return KEN_OK;
}
