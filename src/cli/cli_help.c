// SPDX-License-Identifier: MIT
// The table of commands, and the help that is made from it.
#include "cli/cli_clients_priv.h"
#include "cli/cli_print_priv.h"

static const cli_command *const own_commands[] = {
#define X(name) &ken_cli__##name##_command,
    CLI_OWN_COMMANDS(X)
#undef X
};

static void insert_command(cli_commands *all, cli_command c)
{
    size_t at = all->n++;
    for (; at && all->items[at - 1].order > c.order; at--)
        all->items[at] = all->items[at - 1];
    all->items[at] = c;
}

cli_commands ken_cli__list_commands(ken_arena *arena)
{
    const size_t n_own = sizeof own_commands / sizeof *own_commands;
    size_t n = n_own;
    for (size_t i = 0; ken_tool_spec_at(i); i++)
        n += ken_tool_spec_at(i)->command != NULL;
    cli_commands all = { KEN_ARENA_ARRAY(arena, cli_command, n), 0 };
    for (size_t i = 0; ken_tool_spec_at(i); i++)
        if (ken_tool_spec_at(i)->command)
            insert_command(&all, ken_cli__make_command(ken_tool_spec_at(i), arena));
    for (size_t i = 0; i < n_own; i++)
        all.items[all.n++] = *own_commands[i];
    return all;
}

// ---- groups: commands of two words -------------------------------------------------------------

static const struct {
    const char *name, *summary, *fallback; // fallback: what the word alone stands for
} groups[] = {
    { "task", "keep what is to be done: tasks, their status, branches and commits", "list" },
    { "checkpoint", "keep where work stood, to go on from there later", "list" },
    { "rules", "what a change must obey: ask before it, check after it", NULL },
    { "config", "show settings and where each came from, or change them", "show" },
    { "jobs", "what the server does on its own: indexing, vectors, downloads", "list" },
    { "token", "access tokens of the server: make, list or revoke them", "list" },
    { "repo", "remote repositories: clone, sync, list or remove them", "list" },
    { "projects", "list the known projects, or forget one", "list" },
};

static size_t find_group(const char *word)
{
    size_t i = 0;
    while (i < sizeof groups / sizeof *groups && strcmp(groups[i].name, word) != 0)
        i++;
    return i;
}

static bool is_group(size_t i)
{
    return i < sizeof groups / sizeof *groups;
}

bool ken_cli__is_group(const char *word)
{
    return is_group(find_group(word));
}

const char *ken_cli__group_name(size_t i)
{
    return is_group(i) ? groups[i].name : NULL;
}

const char *ken_cli__group_summary(size_t i)
{
    return groups[i].summary;
}

// "task new" of "task": "new"; NULL of another group's command.
static const char *name_in_group(const cli_command *c, const char *group)
{
    size_t len = strlen(group);
    return !strncmp(c->name, group, len) && c->name[len] == ' ' ? c->name + len + 1 : NULL;
}

static const cli_command *find_in_group(const cli_commands *all, const char *group,
                                        const char *word)
{
    for (size_t i = 0; word && i < all->n; i++) {
        const char *name = name_in_group(&all->items[i], group);
        if (name && !strcmp(name, word))
            return &all->items[i];
    }
    return NULL;
}

const cli_command *ken_cli__find_command(const cli_commands *all, const char *first,
                                         const char *second, size_t *out_used)
{
    size_t g = find_group(first);
    *out_used = 1;
    for (size_t i = 0; !is_group(g) && i < all->n; i++)
        if (!strcmp(all->items[i].name, first))
            return &all->items[i];
    if (!is_group(g))
        return NULL;
    if (!second)
        return find_in_group(all, first, groups[g].fallback);
    *out_used = 2;
    return find_in_group(all, first, second);
}

// "list, new, show, set, delete"
static void print_group_names(const cli_commands *all, const char *group)
{
    bool is_first = true;
    for (size_t i = 0; i < all->n; i++) {
        const char *name = name_in_group(&all->items[i], group);
        if (!name)
            continue;
        ken_cli__print("%s%s", is_first ? "" : ", ", name);
        is_first = false;
    }
}

bool ken_cli__print_group_help(const cli *x, const char *word)
{
    size_t g = find_group(word);
    if (!is_group(g))
        return false;
    ken_cli__print("usage: ken %s ACTION [OPTIONS]\n\n%c%s.\n\nactions:\n", groups[g].name,
                   groups[g].summary[0] - 32, groups[g].summary + 1);
    for (size_t i = 0; i < x->commands.n; i++) {
        const cli_command *c = &x->commands.items[i];
        const char *name = name_in_group(c, groups[g].name);
        if (!name)
            continue;
        ken_cli__print("  ");
        ken_cli__paint(x, KEN_STYLE_LINE, "%-11s", name);
        ken_cli__print("%s\n", c->summary);
    }
    ken_cli__print("\nken %s ACTION --help says more.\n", groups[g].name);
    return true;
}

static void print_opts(const cli *x, cli_table table)
{
    for (size_t i = 0; i < table.n_opts; i++) {
        const cli_opt *o = &table.opts[i];
        char left[80];
        snprintf(left, sizeof left, "%s%c%s --%s%s%s%s", o->letter ? "-" : " ",
                 o->letter ? o->letter : ' ', o->letter ? "," : " ", o->name,
                 o->type == CLI_MAYBE ? " [" : (o->value ? " " : ""), o->value ? o->value : "",
                 o->type == CLI_MAYBE ? "]" : "");
        ken_cli__print("  ");
        ken_cli__paint(x, KEN_STYLE_LINE, "%-26s", left);
        ken_cli__print("  %s\n", o->text);
    }
}

void ken_cli__print_help(const cli *x)
{
    ken_cli__print(
        "ken finds things in code: it indexes a folder once and answers in milliseconds.\n\n");
    ken_cli__print("usage: ken COMMAND [OPTIONS]\n\ncommands:\n");
    for (size_t i = 0; i < x->commands.n; i++) {
        if (strchr(x->commands.items[i].name, ' '))
            continue;
        ken_cli__print("  ");
        ken_cli__paint(x, KEN_STYLE_LINE, "%-11s", x->commands.items[i].name);
        ken_cli__print("%s\n", x->commands.items[i].summary);
    }
    for (size_t i = 0; i < sizeof groups / sizeof *groups; i++) {
        ken_cli__print("  ");
        ken_cli__paint(x, KEN_STYLE_LINE, "%-11s", groups[i].name);
        ken_cli__print("%s (", groups[i].summary);
        print_group_names(&x->commands, groups[i].name);
        ken_cli__print(")\n");
    }
    ken_cli__print("\noptions of every command:\n");
    print_opts(x, ken_cli__global_table());
    ken_cli__print(
        "\nA path may stand wherever a project is expected. ken COMMAND --help says more.\n"
        "Exit codes: 0 ok, 1 failed, 2 usage, 130 interrupted.\n");
}

void ken_cli__print_command_help(const cli *x, const cli_command *c)
{
    ken_cli__print("usage: ken %s%s%s [OPTIONS]\n\n%c%s.\n", c->name, c->usage[0] ? " " : "",
                   c->usage, c->summary[0] - 32, c->summary + 1);
    if (c->details)
        ken_cli__print("\n%s\n", c->details);
    if (c->n_opts) {
        ken_cli__print("\noptions:\n");
        print_opts(x, (cli_table){ c->opts, c->n_opts });
    }
    ken_cli__print("\noptions of every command:\n");
    print_opts(x, ken_cli__global_table());
}

static ken_status run_help(cli *x, ken_err *err)
{
    const char *const *words = x->args.words;
    size_t n_used = 0;
    if (!x->args.n_words) {
        ken_cli__print_help(x);
        return KEN_OK;
    }
    const char *second = x->args.n_words > 1 ? words[1] : NULL;
    if (!second && ken_cli__print_group_help(x, words[0]))
        return KEN_OK;
    const cli_command *c = ken_cli__find_command(&x->commands, words[0], second, &n_used);
    if (!c)
        return KEN_FAIL(err, KEN_EINVAL, "unknown command '%.60s%s%.60s'; ken --help lists all",
                        words[0], second ? " " : "", second ? second : "");
    ken_cli__print_command_help(x, c);
    return KEN_OK;
}

const cli_command ken_cli__help_command = { "help", "[COMMAND]", "show help", NULL, NULL, 0,   0, 2,
                                            false,  false,       run_help,    NULL, 0,    NULL };
