// SPDX-License-Identifier: MIT
#include "base/alloc.h"
#include "cli/cli_args_priv.h"
#include "ktest.h"

static const cli_opt own[] = {
    { "limit", 'k', CLI_VALUE, "N", "", NULL },
    { "mode", 'm', CLI_VALUE, "MODE", "", "auto|text" },
    { "glob", 'g', CLI_LIST, "GLOB", "", NULL },
    { "skipped", 0, CLI_MAYBE, "REASON", "", "binary|secret" },
    { "threshold", 0, CLI_VALUE, "X", "", NULL },
    { "force", 'f', CLI_FLAG, NULL, "", NULL },
};
static const cli_opt global[] = { { "json", 'j', CLI_FLAG, NULL, "", NULL } };

typedef struct parsed {
    ken_arena arena;
    cli_args args;
    ken_err err;
    int used;
} parsed;

static ken_status parse(parsed *p, bool stops_at_word, const char *line)
{
    char *argv[32];
    int argc = 0;
    *p = (parsed){ 0 };
    ken_arena_init(&p->arena, 0);
    ken_str rest = ken_str_c(line), word;
    while (*line && ken_str_split_next(&rest, ' ', &word))
        argv[argc++] = (char *)(uintptr_t)ken_arena_dup(&p->arena, word).ptr;
    return ken_cli__args_parse(argc, argv, (cli_table){ own, 6 }, (cli_table){ global, 1 },
                               stops_at_word, &p->arena, &p->args, &p->used, &p->err);
}

static void refuses(const char *line, const char *part)
{
    parsed p;
    kt_status(parse(&p, false, line), KEN_EINVAL);
    kt_has_str(p.err.msg, part);
    ken_arena_release(&p.arena);
}

KEN_TEST(values_in_every_form)
{
    static const char *const lines[] = { "q --limit 5", "--limit=5 q", "-k 5 q", "q -k5",
                                         "-k=5 q",      "-fk5 q",      "-fk 5 q" };
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
        parsed p;
        uint64_t n = 0;
        kt_ok_err(parse(&p, false, lines[i]), &p.err);
        kt_ok_err(ken_cli__args_u64(&p.args, "limit", 1, 50, 10, &n, &p.err), &p.err);
        kt_eq_u(n, 5);
        kt_eq_u(p.args.n_words, 1);
        kt_eq_str(p.args.words[0], "q");
        ken_arena_release(&p.arena);
    }
}

KEN_TEST(flags_lists_and_the_last_value)
{
    parsed p;
    const char **items;
    kt_ok_err(parse(&p, false, "-fj -g a --glob=b -k 1 --limit 2"), &p.err);
    kt_true(ken_cli__args_has(&p.args, "force"));
    kt_true(ken_cli__args_has(&p.args, "json"));
    kt_false(ken_cli__args_has(&p.args, "mode"));
    kt_null(ken_cli__args_get(&p.args, "mode"));
    kt_eq_str(ken_cli__args_get(&p.args, "limit"), "2");
    kt_eq_u(ken_cli__args_list(&p.args, "glob", &p.arena, &items), 2);
    kt_eq_str(items[0], "a");
    kt_eq_str(items[1], "b");
    ken_arena_release(&p.arena);
}

KEN_TEST(two_dashes_end_the_options)
{
    parsed p;
    kt_ok_err(parse(&p, false, "- -f -- --limit -x --"), &p.err);
    kt_eq_u(p.args.n_words, 4);
    kt_eq_str(p.args.words[0], "-");
    kt_eq_str(p.args.words[1], "--limit");
    kt_eq_str(p.args.words[3], "--");
    kt_true(ken_cli__args_has(&p.args, "force"));
    kt_false(ken_cli__args_has(&p.args, "limit"));
    ken_arena_release(&p.arena);
}

KEN_TEST(an_optional_value_is_taken_when_it_is_one)
{
    static const struct {
        const char *line, *value;
        size_t n_words;
    } cases[] = {
        { "--skipped", NULL, 0 },      { "--skipped binary", "binary", 0 },
        { "--skipped path", NULL, 1 }, { "--skipped=secret path", "secret", 1 },
        { "--skipped -f", NULL, 0 },
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        parsed p;
        kt_ok_err(parse(&p, false, cases[i].line), &p.err);
        kt_true(ken_cli__args_has(&p.args, "skipped"));
        kt_eq_str(ken_cli__args_get(&p.args, "skipped"), cases[i].value);
        kt_eq_u(p.args.n_words, cases[i].n_words);
        ken_arena_release(&p.arena);
    }
}

KEN_TEST(stops_at_the_command)
{
    parsed p;
    kt_ok_err(parse(&p, true, "-j -k 3 search --nonsense"), &p.err);
    kt_eq_i(p.used, 3);
    kt_eq_u(p.args.n_words, 0);
    ken_arena_release(&p.arena);
}

KEN_TEST(what_is_wrong_is_named)
{
    refuses("--limt 3", "unknown option '--limt', did you mean '--limit'?");
    refuses("--zzzzz", "unknown option '--zzzzz'");
    refuses("-x", "unknown option '-x'");
    refuses("--limit", "'--limit' needs a value: --limit N");
    refuses("-k", "'--limit' needs a value");
    refuses("--force=1", "'--force' takes no value");
    refuses("--mode txt", "'--mode' cannot be 'txt', did you mean 'text'?");
    refuses("--mode zebra", "it takes auto, text");
    refuses("--skipped=x", "'--skipped' cannot be 'x'");
}

KEN_TEST(numbers_have_ranges)
{
    static const char *const bad[] = { "-k 0", "-k 51", "-k -1", "-k 1.5", "-k x", "--limit=" };
    parsed p;
    uint64_t n = 7;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        kt_ok_err(parse(&p, false, bad[i]), &p.err);
        kt_status(ken_cli__args_u64(&p.args, "limit", 1, 50, 10, &n, &p.err), KEN_EINVAL);
        kt_has_str(p.err.msg, "'--limit' must be a whole number from 1 to 50");
        kt_eq_u(n, 7);
        ken_arena_release(&p.arena);
    }
}
