// SPDX-License-Identifier: MIT
// The context of a question about the sample project.
#include "context/context.h"
#include "token/token_count.h"
#include "unit/query/sample_lab.h"

static ken_context_answer build_with(const char *question, ken_context_opts o)
{
    ken_context_answer a;
    l.err = (ken_err){ 0 };
    kt_ok_err(ken_build_context(snap, ken_str_c(question), &o, NULL, &l.arena, &a, &l.err), &l.err);
    kt_eq_u(a.context.n_tokens, ken_count_tokens(a.context.text));
    kt_true(a.context.n_tokens <= (o.max_tokens ? o.max_tokens : KEN_CONTEXT_TOKENS));
    return a;
}

static ken_context_answer build(const char *question)
{
    return build_with(question, (ken_context_opts){ .max_tokens = 8000 });
}

// The part that holds this line of code, NULL when there is none.
static const ken_context_part *part_with(const ken_context_answer *a, const char *code)
{
    const ken_context_part *found = NULL;
    for (size_t i = 0; i < a->context.n_parts; i++) {
        if (ken_str_find(a->context.parts[i].text, ken_str_c(code)) == SIZE_MAX)
            continue;
        if (found)
            kt_fail("'%s' is there twice", code);
        found = &a->context.parts[i];
    }
    return found;
}

static void has_code(const ken_context_answer *a, const char *code, ken_context_kind why)
{
    const ken_context_part *p = part_with(a, code);
    if (!p)
        kt_fail("'%s' is not in:\n%s", code, a->context.text.ptr);
    if (!(p->kinds >> why & 1))
        kt_fail("'%s' is not there as %s in:\n%s", code, ken_context_kind_word(why),
                a->context.text.ptr);
}

KEN_TEST(a_definition_comes_with_what_it_calls_who_calls_it_and_its_imports)
{
    sample_start();
    ken_context_answer a = build("where is Mailer.reschedule defined");
    has_code(&a, "def reschedule(self, message: Message", KEN_CONTEXT_DEFINITION);
    has_code(&a, "def should_give_up(self, attempt: int)", KEN_CONTEXT_CALLEE);
    has_code(&a, "def run_once(self, now: float)", KEN_CONTEXT_CALLER);
    has_code(&a, "from .mail_queue import MailQueue, Message", KEN_CONTEXT_IMPORT);
    kt_null(part_with(&a, "import smtplib")); // it uses nothing of that
    kt_eq_text(a.context.parts[0].path, "worker/mailer.py");
    sample_end();
}

static const char licence[] = "# Copyright of nobody in particular.\n"
                              "# Permission is granted to anybody for anything.\n"
                              "\n"
                              "import os\n"
                              "import gzip\n"
                              "from wire import (\n"
                              "    Frame,\n"
                              "    Socket,\n"
                              ")\n"
                              "\n";

static void write_client(void)
{
    ken_buf text = KEN_BUF_INIT(1 << 16);
    ken_buf_puts(&text, licence);
    ken_buf_puts(&text, "class Client:\n"
                        "    max_hops: int\n"
                        "\n"
                        "    def ask(self, url):\n"
                        "        return self.forward(Frame(url))\n"
                        "\n"
                        "    def forward(self, frame):\n"
                        "        if frame.hops > self.max_hops:\n"
                        "            raise TooManyHops(frame)\n"
                        "        return frame\n");
    lab_write_n(&l, "src/client.py", text.ptr, text.len);
    ken_buf_release(&text);
    text = KEN_BUF_INIT(1 << 16);
    ken_buf_puts(&text, licence);
    ken_buf_puts(&text, "HOPS = 'argument of an ask per client, maximum'\n");
    lab_write_n(&l, "src/settings.py", text.ptr, text.len);
    ken_buf_release(&text);
    lab_write(&l, "src/arguments.py",
              "# Arguments of a client, per ask.\n"
              "def add_argument_per_ask(client, argument):\n    client.argument = argument\n");
    lab_write(&l, "src/other.py", "class Page:\n    def ask(self):\n        return 1\n");
    lab_run(&l);
    snap = lab_open(&l);
}

// What the question says by name, then what that calls, before anything that only looks like it.
KEN_TEST(what_the_question_names_comes_first)
{
    lab_start(&l);
    write_client();
    ken_context_answer a =
        build_with("add a per-ask max_hops argument to Client.ask",
                   (ken_context_opts){ .max_tokens = 8000, .is_priority_order = true });
    has_code(&a, "def ask(self, url):", KEN_CONTEXT_DEFINITION);
    has_code(&a, "def forward(self, frame):", KEN_CONTEXT_CALLEE);
    has_code(&a, "max_hops: int", KEN_CONTEXT_DEFINITION);
    kt_eq_text(a.context.parts[0].path, "src/client.py");
    kt_null(part_with(&a, "class Page"));
    ken_context_answer small = build_with("add a per-ask max_hops argument to `Client.ask`",
                                          (ken_context_opts){ .max_tokens = 200 });
    has_code(&small, "def ask(self, url):", KEN_CONTEXT_DEFINITION);
    sample_end();
}

KEN_TEST(heads_of_files_fill_no_context)
{
    lab_start(&l);
    write_client();
    ken_context_answer a = build("maximum argument of an ask");
    kt_not_null(part_with(&a, "HOPS = "));
    kt_null(part_with(&a, "Permission is granted"));
    kt_null(part_with(&a, "import gzip"));
    ken_context_answer b = build("where is Client.ask defined");
    has_code(&b, "    Frame,\n", KEN_CONTEXT_IMPORT);
    kt_null(part_with(&b, "import gzip"));
    kt_null(part_with(&b, "Permission is granted"));
    sample_end();
}

KEN_TEST(lines_are_those_on_the_disk_now)
{
    sample_start();
    lab_write(&l, "worker/retry_policy.py",
              "class RetryPolicy:\n"
              "    def delay_for(self, attempt):\n"
              "        return 42 * attempt\n\n"
              "    def should_give_up(self, attempt: int) -> bool:\n"
              "        return attempt > 77\n");
    ken_context_answer a = build("where is Mailer.reschedule defined");
    kt_not_null(part_with(&a, "return attempt > 77"));
    kt_null(part_with(&a, "random.uniform(0.5, 1.0)"));
    sample_end();
}

KEN_TEST(documents_are_there_and_after_code)
{
    sample_start();
    ken_context_answer a =
        build_with("how are retries spread with jitter",
                   (ken_context_opts){ .max_tokens = 8000, .is_priority_order = true });
    has_code(&a, "random.uniform(0.5, 1.0)", KEN_CONTEXT_DEFINITION);
    uint32_t doc = 0, definition = UINT32_MAX;
    for (uint32_t i = 0; i < a.context.n_parts; i++) {
        if (a.context.parts[i].kinds == 1u << KEN_CONTEXT_DOC)
            doc = i;
        if (definition == UINT32_MAX && a.context.parts[i].kinds >> KEN_CONTEXT_DEFINITION & 1)
            definition = i;
    }
    kt_true(definition < doc);
    sample_end();
}

KEN_TEST(a_small_budget_holds_the_definition)
{
    sample_start();
    ken_context_answer a =
        build_with("where is Mailer.reschedule defined", (ken_context_opts){ .max_tokens = 200 });
    has_code(&a, "def reschedule(self, message: Message", KEN_CONTEXT_DEFINITION);
    kt_true(a.context.n_left_out > 0);
    sample_end();
}

KEN_TEST(what_was_sent_is_not_sent_again)
{
    sample_start();
    ken_context_answer one = build("where is Mailer.reschedule defined");
    ken_context_answer two = build_with("where is Mailer.reschedule defined",
                                        (ken_context_opts){ .seen = one.context.seen });
    kt_true(two.context.n_tokens < one.context.n_tokens / 2);
    kt_has_str(two.context.text.ptr, "[unchanged, sent above]");
    kt_null(part_with(&two, "def reschedule(self, message: Message"));
    sample_end();
}

KEN_TEST(filters_of_the_search_hold_for_finds)
{
    sample_start();
    ken_search_opts filters = { .directory = KEN_STR("server") };
    ken_context_answer a =
        build_with("retry", (ken_context_opts){ .max_tokens = 4000, .search = &filters });
    for (size_t i = 0; i < a.context.n_parts; i++)
        kt_true(ken_str_starts(a.context.parts[i].path, KEN_STR("server/")));
    sample_end();
}

KEN_TEST(a_bad_request_names_its_field)
{
    sample_start();
    static const struct {
        ken_context_opts opts;
        const char *field;
    } bad[] = {
        { { .max_tokens = 199 }, "max_tokens: " },
        { { .max_tokens = 200001 }, "max_tokens: " },
        { { .seen = { "zzz", 3 } }, "seen: " },
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        ken_context_answer a;
        l.err = (ken_err){ 0 };
        kt_eq_i(
            ken_build_context(snap, KEN_STR("mailer"), &bad[i].opts, NULL, &l.arena, &a, &l.err),
            KEN_EINVAL);
        kt_has_str(l.err.msg, bad[i].field);
    }
    sample_end();
}
