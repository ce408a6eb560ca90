// SPDX-License-Identifier: MIT
// The checked door to the checkpoints of a backend. The rules for users are checked by the service; here
// are only the limits of the database.
#include <string.h>

#include "store/checkpoints.h"
#include "store/store_priv.h"

enum {
    SUMMARY_MAX_BYTES = 4096,
    TEXT_MAX_BYTES = 1024 * 1024, // of each other text
    TAG_MAX_BYTES = 256,
};

static const char *find_wrong_text(const ken_checkpoint_row *row)
{
    const struct {
        const char *name;
        ken_str text;
    } texts[] = {
        { "git_branch", row->git_branch },   { "git_commit", row->git_commit },
        { "git_dirty", row->git_dirty },     { "context", row->context },
        { "description", row->description },
    };
    if (!row->summary.len || row->summary.len > SUMMARY_MAX_BYTES)
        return "summary";
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        if (texts[i].text.len > TEXT_MAX_BYTES)
            return texts[i].name;
    for (size_t i = 0; i < row->n_tags; i++)
        if (!row->tags[i].len || row->tags[i].len > TAG_MAX_BYTES ||
            (i && ken_str_cmp(row->tags[i - 1], row->tags[i]) >= 0))
            return "tags";
    return row->n_tags > KEN_CHECKPOINT_TAGS ? "tags" : NULL;
}

static const char *find_wrong(const ken_checkpoint_row *row)
{
    if (row->id < 0)
        return "id";
    if (row->created_at_ms < 0 || row->updated_at_ms < row->created_at_ms)
        return "updated_at_ms";
    return row->token_count > INT32_MAX ? "token_count" : find_wrong_text(row);
}

ken_status ken_store_put_checkpoint(ken_store *s, ken_checkpoint_row *row, ken_err *err)
{
    ken_status st = ken_store__check_write(s, err);
    if (st)
        return st;
    const char *wrong = find_wrong(row);
    if (wrong) // nothing was touched: the transaction goes on without it
        return KEN_FAIL(err, KEN_EINVAL, "'%s' of a checkpoint", wrong);
    return ken_store__wrote_durably(
        s, ken_store__backend(s)->ops->put_checkpoint(ken_store__backend(s), row, err));
}
