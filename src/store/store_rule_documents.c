// SPDX-License-Identifier: MIT
// The checked door to the documents of rules.
#include "store/rule_documents.h"
#include "store/store_priv.h"

static bool is_fine(const ken_rule_document_row *row)
{
    return row->path.len && row->path.len <= 4096 &&
           (row->kind == KEN_RULE_CONSTRAINT || row->kind == KEN_RULE_PATTERN) &&
           row->weight >= 0 && row->n_bytes <= INT64_MAX;
}

ken_status ken_store_replace_rule_documents(ken_store *s, const ken_rule_document_row *rows,
                                            size_t n, ken_err *err)
{
    ken_status st = ken_store__check_write(s, err);
    if (st)
        return st;
    for (size_t i = 0; i < n; i++)
        if (!is_fine(&rows[i]))
            return ken_store__wrote(s,
                                    KEN_FAIL(err, KEN_EINVAL, "document of rules '%.*s'",
                                             rows[i].path.len > 200 ? 200 : (int)rows[i].path.len,
                                             rows[i].path.ptr ? rows[i].path.ptr : ""));
    return ken_store__wrote(
        s, ken_store__backend(s)->ops->replace_rule_documents(ken_store__backend(s), rows, n, err));
}
