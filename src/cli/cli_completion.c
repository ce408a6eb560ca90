// SPDX-License-Identifier: MIT
// ken completion: the scripts of shells, and what they ask: which words may stand at the cursor.
//
// `ken completion words -- WORD...` prints a candidate a line, "value<TAB>text", for the last of the words,
// which may be empty; ":files" or ":folders" stands for paths, which shells complete themselves. All that
// is known of a command comes from its row (cli_help.c) or its specification (src/tool/specs).
#include "cli/cli_print_priv.h"
#include "embed_completion.h"

typedef struct typed {
    cli *x;
    cli_args args;              // only its tables
    const char *group;          // "task", when no action stands behind it
    const cli_command *command; // NULL: none yet
    const cli_opt *opt;         // whose value comes next
    bool has_ended;             // "--" was typed
    size_t n_words;             // of the command
    ken_str prefix;             // of each candidate: "--mode="
    ken_str current;            // what is typed of it, behind the prefix
} typed;

// ---- what stands before the cursor ---------------------------------------------------------------

static bool takes_value(const cli_opt *o)
{
    return o && (o->type == CLI_VALUE || o->type == CLI_LIST);
}

// The option of "--limit" or "-fk" that takes the next word as its value; NULL of one that has it.
static const cli_opt *open_option(const typed *t, const char *word)
{
    if (word[1] == '-') {
        const cli_opt *o = ken_cli__find_opt(&t->args, ken_str_c(word + 2));
        return takes_value(o) ? o : NULL;
    }
    for (const char *c = word + 1; *c; c++) {
        const cli_opt *o = ken_cli__find_letter(&t->args, *c);
        if (takes_value(o))
            return c[1] ? NULL : o;
    }
    return NULL;
}

static void set_command(typed *t, const char *first, const char *second)
{
    size_t n_used = 0;
    t->command = ken_cli__find_command(&t->x->commands, first, second, &n_used);
    if (t->command)
        t->args.tables[0] = (cli_table){ t->command->opts, t->command->n_opts };
}

static void add_word(typed *t, const char *word)
{
    if (t->command) {
        t->n_words++;
        if (t->command->run == ken_cli__help_command.run && ken_cli__is_group(word))
            t->group = word;
    } else if (t->group) {
        set_command(t, t->group, word);
    } else if (ken_cli__is_group(word)) {
        t->group = word;
    } else {
        set_command(t, word, NULL);
    }
}

// Shells that cut words at "=" give "--mode", "=", "hy".
static void read_typed(typed *t, const char *const *words, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        const char *w = words[i];
        if (t->opt && !strcmp(w, "="))
            continue;
        if (t->opt) {
            t->opt = NULL;
        } else if (t->has_ended || w[0] != '-' || !w[1]) {
            add_word(t, w);
        } else if (!strcmp(w, "--")) {
            t->has_ended = true;
        } else {
            t->opt = open_option(t, w);
        }
    }
}

// ---- candidates ------------------------------------------------------------------------------------

static void offer(const typed *t, ken_str word, const char *text)
{
    if (!ken_str_starts(word, t->current) || ken_str_find_char(word, '\n') != SIZE_MAX)
        return;
    ken_cli__print(KEN_STR_FMT KEN_STR_FMT "\t%s\n", KEN_STR_ARG(t->prefix), KEN_STR_ARG(word),
                   text);
}

static void offer_words(const typed *t, const char *words)
{
    ken_str rest = ken_str_c(words), one;
    while (ken_str_split_next(&rest, '|', &one))
        offer(t, one, "");
}

static void offer_projects(const typed *t)
{
    ken_project_info *projects = NULL;
    size_t n = 0;
    if (ken_app_list_projects(t->x->app, &t->x->arena, &projects, &n, NULL))
        return;
    for (size_t i = 0; i < n; i++)
        offer(t, projects[i].name, ken_arena_dup(&t->x->arena, projects[i].root).ptr);
}

static bool is_one_of(const char *list, const char *word)
{
    return ken_cli__is_word_of(list, ken_str_c(word));
}

// What an option or word takes is told by what help calls it.
static void offer_named(const typed *t, const char *name)
{
    if (is_one_of("P|PROJECT", name))
        offer_projects(t);
    if (is_one_of("DIR|P", name))
        ken_cli__print(":folders\n");
    else if (is_one_of("FILE|PATH|URI", name))
        ken_cli__print(":files\n");
}

static void offer_value(const typed *t, const cli_opt *o)
{
    if (o->words)
        offer_words(t, o->words);
    else
        offer_named(t, o->value);
}

static void offer_options(const typed *t)
{
    for (size_t i = 0; i < 2; i++)
        for (size_t k = 0; k < t->args.tables[i].n_opts; k++) {
            const cli_opt *o = &t->args.tables[i].opts[k];
            offer(t, ken_arena_printf(&t->x->arena, "--%s", o->name), o->text);
        }
}

// Commands of one word, and groups; or the actions of a group.
static void offer_commands(const typed *t)
{
    const cli_commands *all = &t->x->commands;
    for (size_t i = 0; i < all->n; i++) {
        const cli_command *c = &all->items[i];
        const char *action = strchr(c->name, ' ');
        size_t len = action ? (size_t)(action - c->name) : 0;
        ken_str group = ken_str_n(c->name, len);
        if (t->group && ken_str_eq_c(group, t->group))
            offer(t, ken_str_c(action + 1), c->summary);
        else if (!t->group && !action)
            offer(t, ken_str_c(c->name), c->summary);
    }
    for (size_t i = 0; !t->group && ken_cli__group_name(i); i++)
        offer(t, ken_str_c(ken_cli__group_name(i)), ken_cli__group_summary(i));
}

static void offer_word_of_spec(const typed *t)
{
    const ken_tool_command *c = t->command->spec->command;
    size_t at = t->n_words;
    if (c->n_words && c->words[0].kind == KEN_WORD_REST)
        at = c->n_words - 1; // a question may end in a place at any time
    for (; at < c->n_words; at++) {
        switch (c->words[at].kind) {
        case KEN_WORD_PLACE:
        case KEN_WORD_ROOT:
        case KEN_WORD_FOLDER:
            ken_cli__print(":folders\n");
            return;
        case KEN_WORD_FILE:
        case KEN_WORD_TARGET:
        case KEN_WORD_RANGE:
            ken_cli__print(":files\n");
            return;
        case KEN_WORD_REST:
        case KEN_WORD_TEXT:
        default:
            offer_named(t, c->words[at].name);
            if (!c->words[at].is_optional)
                return;
        }
    }
}

static void offer_word(const typed *t)
{
    if (t->command->spec)
        offer_word_of_spec(t);
    else if (t->command->run == ken_cli__help_command.run)
        offer_commands(t);
    else if (t->command->words && !t->n_words)
        offer_words(t, t->command->words);
    else if (t->n_words < t->command->max_words)
        ken_cli__print(":files\n");
}

static void answer(typed *t, const char *last)
{
    ken_str word = ken_str_c(last);
    size_t eq = ken_str_find_char(word, '=');
    t->current = t->opt && ken_str_eq_c(word, "=") ? KEN_STR("") : word;
    if (t->opt) {
        offer_value(t, t->opt);
    } else if (!t->has_ended && ken_str_starts(word, KEN_STR("--")) && eq != SIZE_MAX) {
        const cli_opt *o = ken_cli__find_opt(&t->args, ken_str_sub(word, 2, eq));
        t->prefix = ken_str_sub(word, 0, eq + 1);
        t->current = ken_str_sub(word, eq + 1, word.len);
        if (o && o->value)
            offer_value(t, o);
    } else if (!t->has_ended && last[0] == '-') {
        offer_options(t);
    } else if (!t->command) {
        offer_commands(t);
    } else {
        offer_word(t);
    }
}

static ken_status print_script(const char *shell, ken_err *err)
{
    for (size_t i = 0; i < ken_embed_completion_count; i++) {
        const ken_embed_file *f = &ken_embed_completion_table[i];
        if (!strcmp(strrchr(f->path, '.') + 1, shell)) {
            fwrite(f->data, 1, f->len, stdout);
            return KEN_OK;
        }
    }
    return KEN_FAIL(err, KEN_EINTERNAL, "no script for '%s'", shell);
}

static ken_status run_completion(cli *x, ken_err *err)
{
    const char *const *words = x->args.words;
    if (strcmp(words[0], "words") != 0)
        return print_script(words[0], err);
    typed t = { .x = x };
    t.args.tables[1] = ken_cli__global_table();
    size_t n = x->args.n_words - 1;
    if (n)
        read_typed(&t, words + 1, n - 1);
    answer(&t, n ? words[n] : "");
    return KEN_OK;
}

const cli_command ken_cli__completion_command = {
    "completion",
    "bash|zsh|fish",
    "print the script that completes words in a shell",
    "'./dev install' and 'cmake --install' put these scripts where shells look for them. By hand:\n\n"
    "  bash   source <(ken completion bash)             in ~/.bashrc\n"
    "  zsh    source <(ken completion zsh)              in ~/.zshrc, after compinit\n"
    "  fish   ken completion fish | source              in ~/.config/fish/config.fish\n\n"
    "They ask 'ken completion words -- WORD...' what may stand in place of the last word.",
    NULL,
    0,
    1,
    SIZE_MAX,
    true,
    false,
    run_completion,
    NULL,
    0,
    "bash|zsh|fish|words"
};
