// SPDX-License-Identifier: MIT
// Which files came, changed, moved and went, by generation. Kept as one value: a line
// "<generation> <ms> <letter> <path>" for each event, of a renamed file "<old>//<new>", oldest first, bounded, so that
// a run writes a few pages at most. The first generation adds all its files and has no events.
#include <inttypes.h>

#include "index/index_priv.h"

enum {
    EVENTS_MAX = 1000,
    BYTES_MAX = 64 * 1024,
};

static const char letters[] = { 0, 'A', 'M', 'D', 'R' };
static const char *const words[] = { "", "added", "modified", "deleted", "renamed" };

const char *ken_file_event_word(ken_file_event_kind k)
{
    return (unsigned)k < sizeof words / sizeof *words ? words[k] : "";
}

void ken_index__note_event(index_events *c, ken_file_event_kind kind, ken_str path)
{
    if (c->is_first)
        return;
    ken_buf_printf(&c->lines, "%" PRIu64 " %" PRId64 " %c " KEN_STR_FMT "\n", c->generation,
                   c->at_ms, letters[kind], KEN_STR_ARG(path));
}

void ken_index__note_rename(index_events *c, ken_str old_path, ken_str path)
{
    if (c->is_first)
        return;
    ken_buf_printf(&c->lines, "%" PRIu64 " %" PRId64 " %c " KEN_STR_FMT "//" KEN_STR_FMT "\n",
                   c->generation, c->at_ms, letters[KEN_FILE_RENAMED], KEN_STR_ARG(old_path),
                   KEN_STR_ARG(path));
}

// The newest lines that may be kept.
static ken_str newest(ken_str text)
{
    size_t from = text.len, n = 0;
    while (from && n < EVENTS_MAX) {
        size_t break_at = ken_str_rfind_char(ken_str_n(text.ptr, from - 1), '\n');
        size_t start = break_at == SIZE_MAX ? 0 : break_at + 1;
        if (text.len - start > BYTES_MAX)
            break;
        from = start;
        n++;
    }
    return ken_str_sub(text, from, text.len);
}

ken_status ken_index__put_events(ken_store *store, index_events *c, ken_arena *arena, ken_err *err)
{
    ken_str before = KEN_STR("");
    if (!c->lines.len)
        return KEN_OK;
    ken_status st = ken_store_load_value(store, KEN_STR(KEN_INDEX_EVENTS), arena, &before, err);
    if (st && st != KEN_ENOTFOUND)
        return st;
    ken_str all = ken_arena_printf(arena, KEN_STR_FMT KEN_STR_FMT, KEN_STR_ARG(before),
                                   KEN_STR_ARG(ken_buf_str(&c->lines)));
    return ken_store_put_value(store, KEN_STR(KEN_INDEX_EVENTS), newest(all), err);
}

static bool parse_line(ken_str line, ken_file_event *out)
{
    ken_str number, ms, letter;
    uint64_t at = 0;
    if (!ken_str_split_next(&line, ' ', &number) || !ken_str_split_next(&line, ' ', &ms) ||
        !ken_str_split_next(&line, ' ', &letter) || letter.len != 1 || !line.len ||
        !ken_str_parse_u64(number, &out->generation) || !ken_str_parse_u64(ms, &at) ||
        at > INT64_MAX)
        return false;
    out->at_ms = (int64_t)at;
    out->path = line;
    out->kind = KEN_FILE_NONE;
    for (unsigned k = 1; k < sizeof letters; k++)
        if (letters[k] == letter.ptr[0])
            out->kind = (ken_file_event_kind)k;
    size_t between = out->kind == KEN_FILE_RENAMED ? ken_str_find(line, KEN_STR("//")) : SIZE_MAX;
    out->old_path = KEN_STR("");
    if (between != SIZE_MAX) {
        out->old_path = ken_str_sub(line, 0, between);
        out->path = ken_str_sub(line, between + 2, line.len);
    }
    return out->kind != KEN_FILE_NONE;
}

ken_status ken_index_load_events(ken_store *store, ken_arena *arena, ken_file_event **out,
                                 size_t *out_n, ken_err *err)
{
    ken_str text = KEN_STR(""), line;
    ken_status st = ken_store_load_value(store, KEN_STR(KEN_INDEX_EVENTS), arena, &text, err);
    if (st && st != KEN_ENOTFOUND)
        return st;
    ken_file_event *list = KEN_ARENA_ARRAY(arena, ken_file_event, EVENTS_MAX);
    size_t n = 0;
    while (n < EVENTS_MAX && ken_str_line_next(&text, &line))
        n += parse_line(line, &list[n]);
    *out = list;
    *out_n = n;
    return KEN_OK;
}
