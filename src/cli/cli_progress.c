// SPDX-License-Identifier: MIT
// Progress on stderr: a bar on a terminal, now and then a plain line elsewhere; nothing for what is
// done within half a second.
#include <inttypes.h>
#include <unistd.h>

#include "base/clock.h"
#include "cli/cli_print_priv.h"

enum {
    QUIET_MS = 500,
    DRAW_MS = 100,  // on a terminal
    LINE_MS = 5000, // elsewhere
    BAR_COLUMNS = 24,
};

void ken_cli__progress_init(cli_progress *p, const cli *x)
{
    const char *term = ken_config_env("TERM");
    *p = (cli_progress){ .started_ns = ken_clock_mono_ns() };
    p->is_terminal = isatty(STDERR_FILENO) && term && strcmp(term, "dumb") != 0;
    p->is_quiet = x->is_json && !p->is_terminal;
}

// Parsing costs by the byte, so bytes tell best how much is done.
static double part_of(const ken_index_progress *now)
{
    double part = now->bytes_total ? (double)now->bytes_done / (double)now->bytes_total
                                   : (double)now->n_done / (double)now->n_total;
    return part > 1 ? 1 : part;
}

static void show_bar(double part)
{
    char bar[BAR_COLUMNS + 1];
    int filled = (int)(part * (double)BAR_COLUMNS);
    for (int i = 0; i < BAR_COLUMNS; i++)
        bar[i] = i < filled ? '=' : ' ';
    bar[BAR_COLUMNS] = '\0';
    fprintf(stderr, " [%s] %3.0f%%", bar, part * 100);
}

// Files a second, and the time that is left at the pace of this stage so far.
static void show_pace(const cli_progress *p, const ken_index_progress *now, int64_t at_ns)
{
    double s = (double)(at_ns - p->stage_ns) / 1e9;
    if (s < 0.3 || now->n_done <= p->stage_done)
        return;
    fprintf(stderr, "  %.0f files/s", (double)(now->n_done - p->stage_done) / s);
    double part = part_of(now);
    if (part > 0.01 && part < 1)
        fprintf(stderr, "  %.0f s left", s / part * (1 - part) + 0.5);
}

// Whether something should be shown now; sets the time of the last show.
static bool is_due(cli_progress *p, int64_t at_ns)
{
    int64_t pause_ms = p->is_terminal ? DRAW_MS : LINE_MS;
    int64_t quiet_ms = p->is_terminal ? QUIET_MS : LINE_MS;
    if (p->is_quiet || (at_ns - p->started_ns) / 1000000 < quiet_ms ||
        (p->last_ns && (at_ns - p->last_ns) / 1000000 < pause_ms))
        return false;
    p->last_ns = at_ns;
    fputs(p->is_terminal ? "\r\033[K" : "ken: ", stderr);
    p->is_drawn = true;
    return true;
}

void ken_cli__progress_show(void *ctx, const ken_index_progress *now)
{
    cli_progress *p = ctx;
    int64_t at = ken_clock_mono_ns();
    if (p->stage != now->stage) {
        p->stage = now->stage;
        p->stage_ns = at;
        p->stage_done = now->n_done;
    }
    if (!is_due(p, at))
        return;
    fputs(now->stage, stderr);
    if (now->n_total && p->is_terminal)
        show_bar(part_of(now));
    if (now->n_total)
        fprintf(stderr, "  %" PRIu64 "/%" PRIu64 " files", now->n_done, now->n_total);
    if (now->n_total)
        show_pace(p, now, at);
    fputs(p->is_terminal ? "" : "\n", stderr);
    fflush(stderr);
}

void ken_cli__progress_show_part(cli_progress *p, const char *message, double part)
{
    if (!is_due(p, ken_clock_mono_ns()))
        return;
    ken_cli__complain(ken_str_c(message ? message : "working"));
    if (p->is_terminal)
        show_bar(part);
    fputs(p->is_terminal ? "" : "\n", stderr);
    fflush(stderr);
}

void ken_cli__progress_end(cli_progress *p)
{
    if (p->is_drawn && p->is_terminal)
        fputs("\r\033[K", stderr);
    p->is_drawn = false;
}
