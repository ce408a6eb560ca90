// SPDX-License-Identifier: MIT
#include "cli/cli.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/fs.h"
#include "cli/cli_print_priv.h"
#include "json/json.h"
#include "obs/log.h"
#include "obs/trace.h"
#include "proc/proc.h"

// The one global of the program: signal handlers take no argument.
static ken_cancel interrupt;

static void on_interrupt(int number)
{
    // A second signal ends the program at once.
    signal(number, SIG_DFL);
    ken_cancel_set(&interrupt);
}

// What a parent left to us must not change what we do. Ignored, SIGCHLD would have the system reap our
// children before we learn how they ended; blocked, no signal would reach us. SIGHUP stays ignored
// (nohup), and SIGINT too (a shell's job in the background).
static void setup_signals(void)
{
    struct sigaction act = { .sa_handler = on_interrupt }, old;
    sigset_t none;
    sigemptyset(&none);
    signal(SIGCHLD, SIG_DFL);
    if (sigaction(SIGINT, NULL, &old) || old.sa_handler != SIG_IGN)
        sigaction(SIGINT, &act, NULL);
    sigaction(SIGTERM, &act, NULL);
    // A reader that went away is an error of the write, and a quiet one (see finish_output).
    signal(SIGPIPE, SIG_IGN);
    signal(SIGXFSZ, SIG_IGN); // and so is a file that may not grow any more
    sigprocmask(SIG_SETMASK, &none, NULL);
}

enum {
    STACK_WANTED = 8 << 20,
    STACK_LEAST = 256 << 10
};

// The main stack grows up to the limit of now, so a low one is raised as far as we may.
static bool has_stack(void)
{
    struct rlimit limit;
    if (getrlimit(RLIMIT_STACK, &limit) || limit.rlim_cur == RLIM_INFINITY ||
        limit.rlim_cur >= STACK_WANTED)
        return true;
    rlim_t most = limit.rlim_max == RLIM_INFINITY ? STACK_WANTED : limit.rlim_max;
    limit.rlim_cur = most < STACK_WANTED ? most : STACK_WANTED;
    if (!setrlimit(RLIMIT_STACK, &limit) && limit.rlim_cur >= STACK_LEAST)
        return true;
    fprintf(stderr, "ken: the stack may have %llu KiB only; at least %d are needed (ulimit -s)\n",
            (unsigned long long)limit.rlim_cur / 1024, STACK_LEAST / 1024);
    return false;
}

// Each open index and each connection takes some; nothing of ours calls select(), which the low limit is for.
static void raise_descriptors(void)
{
    struct rlimit limit;
    if (getrlimit(RLIMIT_NOFILE, &limit) || limit.rlim_cur >= limit.rlim_max)
        return;
    limit.rlim_cur = limit.rlim_max;
    (void)setrlimit(RLIMIT_NOFILE, &limit);
}

// ---- options that every command takes ----

static const cli_opt global_opts[] = {
    { "project", 'p', CLI_VALUE, "P", "the project: its id, name or path; search: a,b or *", NULL },
    { "json", 0, CLI_FLAG, NULL, "print JSON", NULL },
    { "no-color", 0, CLI_FLAG, NULL, "no colours (as with NO_COLOR set)", NULL },
    { "verbose", 'v', CLI_FLAG, NULL, "say more on stderr; twice for still more", NULL },
    { "help", 'h', CLI_FLAG, NULL, "show help", NULL },
};

static const cli_opt top_opts[] = {
    { "version", 'V', CLI_FLAG, NULL, "show the version", NULL },
};

cli_table ken_cli__global_table(void)
{
    return (cli_table){ global_opts, sizeof global_opts / sizeof *global_opts };
}

// ---- settings ----

static size_t count_verbose(const cli_args *a)
{
    size_t n = 0;
    for (size_t i = 0; i < a->n_given; i++)
        n += a->given[i].opt->letter == 'v';
    return n;
}

enum {
    FLAGS_MAX = 4096
};

// Options that stand for a setting, so that they win over every file.
static const struct {
    const char *option, *key, *shown;
} setting_opts[] = {
    { "include", "indexing.include", "--include" },
    { "exclude", "indexing.exclude", "--exclude" },
    { "max-file-size", "indexing.max_file_size", "--max-file-size" },
    { "jobs", "indexing.jobs", "--jobs" },
    { "memory-limit", "indexing.memory_limit", "--memory-limit" },
    { "toolsets", "mcp.toolsets", "--toolsets" },
    { "read-only", "mcp.read_only", "--read-only" },
    { "format", "mcp.format", "--format" },
    { "host", "server.host", "--host" },
    { "port", "server.port", "--port" },
    { "require-token", "server.require_token", "--require-token" },
    { "tls-cert", "server.tls_cert", "--tls-cert" },
    { "tls-key", "server.tls_key", "--tls-key" },
    { "sandbox", "security.sandbox", "--sandbox" },
    { "watch", "watch.enabled", "--watch" },
    { "max-running", "jobs.max_running", "--max-running" },
};

// The settings that one given option stands for; "--toolsets a,b" is two.
static size_t flags_of(cli *x, const cli_given *g, ken_config_flag *out, size_t max)
{
    size_t n = 0;
    for (size_t k = 0; k < sizeof setting_opts / sizeof *setting_opts; k++) {
        ken_str rest = ken_str_c(g->value ? g->value : "true"), item;
        if (strcmp(g->opt->name, setting_opts[k].option) != 0)
            continue;
        char sep = strcmp(g->opt->name, "toolsets") != 0 ? '\0' : ',';
        while (n < max && ken_str_split_next(&rest, sep, &item))
            out[n++] = (ken_config_flag){ setting_opts[k].key, ken_arena_dup(&x->arena, item).ptr,
                                          setting_opts[k].shown };
    }
    return n;
}

static ken_status load_config(cli *x, ken_err *err)
{
    const cli_args *a = &x->args;
    ken_config_flag *flags = KEN_ARENA_ARRAY(&x->arena, ken_config_flag, FLAGS_MAX);
    size_t n = 0, n_verbose = count_verbose(a);
    for (size_t i = 0; i < a->n_given && n + 1 < FLAGS_MAX; i++)
        n += flags_of(x, &a->given[i], flags + n, FLAGS_MAX - 1 - n);
    if (n_verbose)
        flags[n++] =
            (ken_config_flag){ "log.level", n_verbose > 1 ? "debug" : "info", "--verbose" };
    return ken_config_load(&(ken_config_load_opts){ NULL, flags, n }, &x->config, err);
}

// A log that cannot be written is no reason not to answer.
static void open_log_file(const cli *x)
{
    ken_str path = ken_config_log_file(x->config);
    ken_err e = { 0 };
    if (path.len && ken_log_open_file(path.ptr, ken_config_u64(x->config, KEN_CFG_LOG_MAX_SIZE),
                                      (unsigned)ken_config_u64(x->config, KEN_CFG_LOG_KEEP), &e))
        KEN_LOG_WARNING("cli", "log.file: %s; messages go to stderr", e.msg);
}

// One that stays, and whose log a service manager reads.
static bool is_service(const cli_command *c)
{
    return c && (!strcmp(c->name, "serve") || !strcmp(c->name, "worker"));
}

static ken_status setup_logs(cli *x, ken_err *err)
{
    ken_log_level level = KEN_LOG_WARN;
    ken_status st = ken_log_level_parse(ken_config_str(x->config, KEN_CFG_LOG_LEVEL), &level, err);
    if (st)
        return st;
    ken_str form = ken_config_str(x->config, KEN_CFG_LOG_FORMAT);
    bool has_file = ken_config_log_file(x->config).len > 0;
    bool is_journal = !has_file && ken_log_is_journal();
    bool is_for_machines =
        is_service(x->command) && (has_file || (!is_journal && !isatty(STDERR_FILENO)));
    ken_log_setup(level,
                  ken_str_eq_c(form, "json") || (ken_str_eq_c(form, "auto") && is_for_machines));
    ken_log_use_journal(is_journal);
    open_log_file(x);
    const char *trace = ken_config_env("KEN_TRACE");
    st = trace ? ken_trace_setup(ken_str_c(trace), err) : KEN_OK;
    return st ? ken_err_wrap(err, "environment KEN_TRACE") : KEN_OK;
}

// ---- one run ----

static void print_error(const cli *x, ken_status st, const ken_err *err)
{
    const char *msg = err->msg[0] ? err->msg : ken_status_text(st);
    if (x->is_json) {
        json_t *e = json_object(), *top = json_object();
        ken_json_set_str(e, "code", ken_str_c(ken_status_name(st)));
        ken_json_set_str(e, "message", ken_str_c(msg));
        ken_json_set(top, "error", e);
        ken_cli__print_json(top);
        return;
    }
    bool has_color = ken_cli__wants_color(stderr, !x->has_color);
    fprintf(stderr, "%sken: ", has_color ? "\033[31m" : "");
    ken_cli__complain(ken_str_c(msg));
    fprintf(stderr, "%s\n", has_color ? "\033[0m" : "");
    if (x->is_verbose && err->where)
        fprintf(stderr, "ken: raised at %s\n", err->where);
    if (st == KEN_EINVAL && x->command && x->is_usage_error)
        fprintf(stderr, "ken: see: ken %s --help\n", x->command->name);
}

// A write in the middle of the answer may have failed, and errno is long gone.
static bool is_reader_gone(void)
{
    struct pollfd p = { .fd = STDOUT_FILENO };
    return poll(&p, 1, 0) == 1 && (p.revents & (POLLERR | POLLHUP));
}

// What was not written, and whether it matters: a closed pipe is the reader's choice.
static int finish_output(int code)
{
    errno = 0;
    bool has_failed = fflush(stdout) != 0 || ferror(stdout);
    if (!has_failed || errno == EPIPE || is_reader_gone())
        return code;
    fprintf(stderr, "ken: writing the answer: %s\n", errno ? strerror(errno) : "failed");
    return code ? code : 1;
}

static ken_status check_words(cli *x, ken_err *err)
{
    const cli_command *c = x->command;
    x->is_usage_error = true;
    if (x->args.n_words < c->min_words)
        return KEN_FAIL(err, KEN_EINVAL, "'ken %s' needs more arguments: ken %s %s", c->name,
                        c->name, c->usage);
    if (x->args.n_words > c->max_words)
        return KEN_FAIL(err, KEN_EINVAL, "'ken %s' does not take '%.60s': ken %s %s", c->name,
                        x->args.words[c->max_words], c->name, c->usage);
    if (c->words && x->args.n_words && !ken_cli__is_word_of(c->words, ken_str_c(x->args.words[0])))
        return ken_cli__fail_word(ken_arena_printf(&x->arena, "ken %s", c->name).ptr, c->words,
                                  x->args.words[0], &x->arena, err);
    x->is_usage_error = false;
    return KEN_OK;
}

static bool is_question(const cli *x)
{
    return x->app && x->command->is_question;
}

// A question has a quota; what is shown of one that was stopped is said to be a part.
static ken_status run_measured(cli *x, ken_err *err)
{
    if (!is_question(x))
        return x->command->run(x, err);
    ken_quota quota;
    char text[KEN_QUOTA_TEXT];
    ken_quota_limits limits = ken_app_question_limits(x->app);
    ken_quota_begin(&quota, &limits, x->cancel);
    ken_status st = x->command->run(x, err);
    st = ken_quota_verdict(st, err);
    ken_quota_text(&quota, text, sizeof text);
    if (!st && text[0])
        ken_cli__note(x, "%s", text);
    ken_quota_end(&quota);
    return st;
}

static ken_status run_command(cli *x, ken_err *err)
{
    ken_status st = check_words(x, err);
    // What mends settings works when they cannot be loaded.
    bool needs_config = x->command->run != ken_cli__config_edit_command.run;
    if (!st && needs_config)
        st = load_config(x, err);
    if (!st && needs_config)
        st = setup_logs(x, err);
    if (!st && x->command->needs_app)
        st = ken_app_open(x->config, &x->app, err);
    if (!st)
        st = run_measured(x, err);
    if (x->app && !x->exit_code) // a command that failed by itself has said why
        st = ken_app_end_answer(x->app, st, err);
    ken_app_close(x->app);
    ken_config_free(x->config);
    return st;
}

static ken_status fail_unknown_command(cli *x, const char *word, const char *second, ken_err *err)
{
    const char *names[96];
    size_t n = 0;
    bool is_in_group = second && ken_cli__is_group(word);
    for (size_t i = 0; i < x->commands.n && n < sizeof names / sizeof *names; i++)
        names[n++] = x->commands.items[i].name;
    ken_str typed =
        is_in_group ? ken_arena_printf(&x->arena, "%.60s %.60s", word, second) : ken_str_c(word);
    const char *near = ken_config_nearest(typed, names, n);
    if (near)
        return KEN_FAIL(err, KEN_EINVAL,
                        "unknown command '" KEN_STR_FMT "', did you mean 'ken %s'?",
                        KEN_STR_ARG(ken_str_sub(typed, 0, 120)), near);
    return KEN_FAIL(err, KEN_EINVAL, "unknown command '" KEN_STR_FMT "'; ken --help lists all",
                    KEN_STR_ARG(ken_str_sub(typed, 0, 120)));
}

// ---- which command ----

// True when --json stands among the options, so that errors of parsing are JSON too.
static bool asks_json(int argc, char **argv)
{
    for (int i = 1; i < argc && strcmp(argv[i], "--") != 0; i++)
        if (!strcmp(argv[i], "--json"))
            return true;
    return false;
}

// Parses the options before and after the command's words together.
static ken_status parse_for(cli *x, int argc, char **argv, const int at[2], ken_err *err)
{
    int n = 0;
    char **rest = KEN_ARENA_ARRAY(&x->arena, char *, (size_t)argc);
    for (int i = 1; i < argc; i++)
        if (i != at[0] && i != at[1])
            rest[n++] = argv[i];
    cli_table own = { x->command->opts, x->command->n_opts };
    return ken_cli__args_parse(n, rest, own, ken_cli__global_table(), false, &x->arena, &x->args,
                               NULL, err);
}

// The action of a group of commands: the first argument after `at`, options of every command passed over;
// argc when there is none.
static int next_word(int argc, char **argv, int at)
{
    static const char *const flags[] = { "--json", "--no-color", "--verbose", "-v" };
    for (int i = at + 1; i < argc; i++) {
        bool is_flag = !strncmp(argv[i], "--project=", 10);
        for (size_t k = 0; k < sizeof flags / sizeof *flags; k++)
            is_flag = is_flag || !strcmp(argv[i], flags[k]);
        if (!strcmp(argv[i], "-p") || !strcmp(argv[i], "--project"))
            i++;
        else if (!is_flag)
            return argv[i][0] == '-' ? argc : i;
    }
    return argc;
}

static bool has_help(int argc, char **argv)
{
    for (int i = 1; i < argc; i++)
        if (!strcmp(argv[i], "--help") || !strcmp(argv[i], "-h"))
            return true;
    return false;
}

static ken_status choose_and_run(cli *x, int argc, char **argv, ken_err *err)
{
    cli_table top = { top_opts, sizeof top_opts / sizeof *top_opts };
    int used = 0;
    x->is_usage_error = true;
    ken_status st = ken_cli__args_parse(argc - 1, argv + 1, top, ken_cli__global_table(), true,
                                        &x->arena, &x->args, &used, err);
    if (st)
        return st;
    int at = 1 + used;
    bool wants_version = ken_cli__args_has(&x->args, "version");
    if (at >= argc && !wants_version) {
        ken_cli__print_help(x);
        x->exit_code = ken_cli__args_has(&x->args, "help") ? 0 : 2;
        return KEN_OK;
    }
    int words[2] = { at, next_word(argc, argv, at) };
    size_t n_used = 1;
    const char *first = wants_version ? "version" : argv[at],
               *second = words[1] < argc ? argv[words[1]] : NULL;
    x->command = ken_cli__find_command(&x->commands, first, second, &n_used);
    if (n_used == 1)
        words[1] = at;
    bool wants_group = !second && ken_cli__is_group(first) && (!x->command || has_help(argc, argv));
    if (wants_group && ken_cli__print_group_help(x, first)) {
        x->exit_code = has_help(argc, argv) ? 0 : 2;
        return KEN_OK;
    }
    if (!x->command)
        return fail_unknown_command(x, first, second, err);
    st = wants_version ? KEN_OK : parse_for(x, argc, argv, words, err);
    if (st)
        return st;
    x->is_json = !wants_version && ken_cli__args_has(&x->args, "json");
    x->is_verbose = count_verbose(&x->args) > 0;
    x->has_color = ken_cli__wants_color(stdout, ken_cli__args_has(&x->args, "no-color"));
    if (!wants_version && ken_cli__args_has(&x->args, "help")) {
        ken_cli__print_command_help(x, x->command);
        return KEN_OK;
    }
    return run_command(x, err);
}

int ken_cli_main(int argc, char **argv)
{
    if (!ken_fs_hold_standard())
        return 1; // there is nowhere to say why
    ken_proc_start();
    ken_err err = { 0 };
    cli x = { .cancel = &interrupt, .is_json = asks_json(argc, argv) };
    raise_descriptors();
    if (!has_stack())
        return 1;
    setup_signals();
    ken_arena_init(&x.arena, 0);
    x.commands = ken_cli__list_commands(&x.arena);
    ken_status st = choose_and_run(&x, argc, argv, &err);
    if (st)
        print_error(&x, st, &err);
    int code = finish_output(st ? ken_status_exit_code(st) : x.exit_code);
    ken_arena_release(&x.arena);
    return code;
}
