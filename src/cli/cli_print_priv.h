// SPDX-License-Identifier: MIT
// cli_print_priv.h -- answers on stdout: text, colours, tables, JSON; and talk on stderr.
//
// What is painted is that of base/paint.h. All output goes through stdio's buffer of stdout; the end of
// the run checks that it was written.
#ifndef KEN_CLI_CLI_PRINT_PRIV_H
#define KEN_CLI_CLI_PRINT_PRIV_H

#include <stdio.h>

#include <jansson.h>

#include "base/figure.h"
#include "base/paint.h"
#include "base/table.h"
#include "cli/cli_priv.h"

bool ken_cli__wants_color(FILE *f, bool is_off);
void ken_cli__print(const char *fmt, ...) KEN_PRINTF(1, 2);
// Text from files: control characters are made harmless.
void ken_cli__print_text(ken_str text);
// The same to stderr, where line breaks stay.
void ken_cli__complain(ken_str text);
void ken_cli__paint(const cli *x, ken_style style, const char *fmt, ...) KEN_PRINTF(3, 4);
void ken_cli__paint_text(const cli *x, ken_style style, ken_str text);
// A note on stderr, "ken: …"; not with --json.
void ken_cli__note(const cli *x, const char *fmt, ...) KEN_PRINTF(2, 3);
// "ken: warning: …" on stderr, always: what the answer lacks.
void ken_cli__warn(const char *fmt, ...) KEN_PRINTF(1, 2);
// Asks on stderr; KEN_ECANCELLED unless the answer begins with y.
ken_status ken_cli__confirm(const char *question, ken_err *err) KEN_MUST_USE;
// Prints and frees `json`.
void ken_cli__print_json(json_t *json);
void ken_cli__print_json_line(json_t *json); // the same in one line
// Calls a tool (see tool.h), without a limit on its answer, which is the caller's to json_decref;
// takes `args`. `project` is the only one that the call may touch, NULL = any.
ken_status ken_cli__call_tool(cli *x, const char *tool, const ken_project_info *project,
                              json_t *args, json_t **out, ken_err *err) KEN_MUST_USE;
// The same, printed as it comes.
ken_status ken_cli__print_tool(cli *x, const char *tool, const ken_project_info *project,
                               json_t *args, ken_err *err) KEN_MUST_USE;
void ken_cli__json_set_project(json_t *object, const ken_project_info *p); // "project": {...}
void ken_cli__json_set_uuid(json_t *object, const char *key, ken_uuid id);
void ken_cli__print_table(const cli *x, const ken_table *t);

// ---- progress: cli_progress.c ----
typedef struct cli_progress {
    int64_t started_ns, last_ns, stage_ns;
    const char *stage;
    uint64_t stage_done; // files done when the stage began
    bool is_terminal, is_quiet, is_drawn;
} cli_progress;

void ken_cli__progress_init(cli_progress *p, const cli *x);
void ken_cli__progress_show(void *ctx, const ken_index_progress *now); // ken_index_progress_fn
// As above for what counts otherwise; `part` from 0 to 1.
void ken_cli__progress_show_part(cli_progress *p, const char *message, double part);
void ken_cli__progress_end(cli_progress *p);

#endif
