// SPDX-License-Identifier: MIT
// Dependency injection: a call on what is asked for leads to what the container binds to it, with
// the place that says so, and back. One small project for each framework.
#include "unit/query/calls_lab.h"

// "Repo.save; SqlRepo.save (bound to SqlRepo at a.java:3)": what an entry calls, in order.
static void calls(const char *entry, const char *expected)
{
    ken_trace t;
    ken_trace_opts o = { .entry = ken_str_c(entry), .max_depth = 1 };
    ken_buf text = KEN_BUF_INIT(0);
    kt_ok_err(ken_trace_execution(snap, &o, NULL, &l.arena, &t, &l.err), &l.err);
    for (size_t i = 1; i < t.n_steps; i++) {
        ken_buf_printf(&text, "%s" KEN_STR_FMT, i > 1 ? "; " : "",
                       KEN_STR_ARG(t.steps[i].node.qualified));
        if (t.steps[i].class == KEN_EDGE_INFERRED)
            ken_buf_printf(&text, " (" KEN_STR_FMT ")", KEN_STR_ARG(t.steps[i].evidence));
    }
    kt_eq_text(ken_buf_str(&text), expected);
    ken_buf_release(&text);
}

// "Orders.place (bound to SqlRepo at a.java:3)": who uses a method, by file.
static void users(const char *symbol, const char *expected)
{
    ken_usages u;
    ken_usages_opts o = { .name = ken_str_c(symbol) };
    ken_buf text = KEN_BUF_INIT(0);
    kt_ok_err(ken_find_usages(snap, &o, NULL, &l.arena, &u, &l.err), &l.err);
    for (size_t f = 0; f < u.n_files; f++)
        for (size_t i = 0; i < u.files[f].n; i++)
            ken_buf_printf(&text, "%s" KEN_STR_FMT " (" KEN_STR_FMT ")", f + i ? "; " : "",
                           KEN_STR_ARG(u.files[f].usages[i].within),
                           KEN_STR_ARG(u.files[f].usages[i].evidence));
    kt_eq_text(ken_buf_str(&text), expected);
    ken_buf_release(&text);
}

static const char repo_java[] = "package app;\n"
                                "public interface Repo {\n"
                                "    void save(String x);\n"
                                "}\n";
static const char sql_java[] = "package app;\n"
                               "import org.springframework.stereotype.Repository;\n"
                               "@Repository\n"
                               "public class SqlRepo implements Repo {\n"
                               "    @Override\n"
                               "    public void save(String x) { }\n"
                               "}\n";
static const char orders_java[] = "package app;\n"
                                  "import org.springframework.stereotype.Service;\n"
                                  "@Service\n"
                                  "public class Orders {\n"
                                  "    private final Repo repo;\n"
                                  "    public Orders(Repo repo) { this.repo = repo; }\n"
                                  "    void place() { repo.save(\"a\"); }\n"
                                  "}\n";

static void start_spring(void)
{
    start("app/Repo.java", repo_java);
    lab_write(&l, "app/SqlRepo.java", sql_java);
    lab_write(&l, "app/Orders.java", orders_java);
    lab_write(&l, "app/OldRepo.java",
              "package app;\n"
              "public class OldRepo implements Repo {\n"
              "    public void save(String x) { }\n"
              "}\n");
}

KEN_TEST(a_component_is_bound_to_what_it_implements)
{
    start_spring();
    go();
    calls("Orders.place", "Repo.save; SqlRepo.save (bound to SqlRepo at app/SqlRepo.java:3)");
    users("SqlRepo.save", "Orders.place (bound to SqlRepo at app/SqlRepo.java:3)");
    users("OldRepo.save", "Orders.place (names the method that this one overrides, "
                          "bound to SqlRepo at app/SqlRepo.java:3)");
    end();
}

KEN_TEST(without_a_framework_all_that_override_it_may_run)
{
    start("app/Repo.java", repo_java);
    lab_write(&l, "app/Impl.java",
              "package app;\n"
              "import org.example.Repository;\n"
              "@Repository\n"
              "class SqlRepo implements Repo { public void save(String x) { } }\n"
              "class OldRepo implements Repo { public void save(String x) { } }\n");
    lab_write(&l, "app/Orders.java",
              "package app;\n"
              "class Orders {\n"
              "    Repo repo;\n"
              "    void place() { repo.save(\"a\"); }\n"
              "}\n");
    go();
    calls("Orders.place", "Repo.save; SqlRepo.save (overrides the method that is named); "
                          "OldRepo.save (overrides the method that is named)");
    users("OldRepo.save", "Orders.place (names the method that this one overrides)");
    end();
}

KEN_TEST(primary_is_meant_unless_a_qualifier_says_another)
{
    start_spring();
    lab_write(&l, "app/MemRepo.java",
              "package app;\n"
              "import org.springframework.context.annotation.Primary;\n"
              "import org.springframework.stereotype.Component;\n"
              "@Primary\n"
              "@Component(\"mem\")\n"
              "public class MemRepo implements Repo {\n"
              "    public void save(String x) { }\n"
              "}\n");
    lab_write(&l, "app/Bills.java",
              "package app;\n"
              "import org.springframework.beans.factory.annotation.*;\n"
              "public class Bills {\n"
              "    private final Repo first;\n"
              "    private final Repo other;\n"
              "    @Autowired @Qualifier(\"mem\") private Repo third;\n"
              "    public Bills(@Qualifier(\"sqlRepo\") Repo first, Repo other) {\n"
              "        this.first = first;\n"
              "        this.other = other;\n"
              "    }\n"
              "    void one() { first.save(\"b\"); }\n"
              "    void two() { other.save(\"c\"); }\n"
              "    void three() { this.third.save(\"d\"); }\n"
              "}\n");
    go();
    calls("Bills.one", "Repo.save; SqlRepo.save (bound to SqlRepo at app/SqlRepo.java:3)");
    calls("Bills.two", "Repo.save; MemRepo.save (bound to MemRepo at app/MemRepo.java:5)");
    calls("Bills.three", "Repo.save; MemRepo.save (bound to MemRepo at app/MemRepo.java:5)");
    calls("Orders.place", "Repo.save; MemRepo.save (bound to MemRepo at app/MemRepo.java:5)");
    end();
}

KEN_TEST(a_bean_is_what_its_method_makes)
{
    start("app/Config.java",
          "package app;\n"
          "import org.springframework.context.annotation.Bean;\n"
          "interface Clock { long now(); }\n"
          "class WallClock implements Clock { public long now() { return 1; } }\n"
          "class StopClock implements Clock { public long now() { return 2; } }\n"
          "class Config {\n"
          "    @Bean\n"
          "    public Clock clock() { return new WallClock(); }\n"
          "}\n"
          "class Timer {\n"
          "    private final Clock clock;\n"
          "    Timer(Clock clock) { this.clock = clock; }\n"
          "    long read() { return clock.now(); }\n"
          "}\n");
    go();
    calls("Timer.read", "Clock.now; WallClock.now (bound to WallClock at app/Config.java:7)");
    users("WallClock.now", "Timer.read (bound to WallClock at app/Config.java:7)");
    end();
}

static const char services_cs[] =
    "namespace App;\n"
    "public interface IMail { void Send(); }\n"
    "public class SmtpMail : IMail { public void Send() { } }\n"
    "public class FakeMail : IMail { public void Send() { } }\n"
    "public interface IClock { long Now(); }\n"
    "public class WallClock : IClock { public WallClock(ILog l) { } public long Now() => 1; }\n"
    "public class SlowClock : IClock { public long Now() => 2; }\n"
    "public interface ILog { void Note(); }\n"
    "public class FileLog : ILog { public void Note() { } }\n"
    "public class NoLog : ILog { public void Note() { } }\n"
    "public class Signup\n"
    "{\n"
    "    private readonly IMail _mail;\n"
    "    private readonly IClock _clock;\n"
    "    private readonly ILog _log;\n"
    "    public Signup(IMail mail, IClock clock, [FromKeyedServices(\"quiet\")] ILog log)\n"
    "    {\n"
    "        _mail = mail; _clock = clock; _log = log;\n"
    "    }\n"
    "    public void Run() { _mail.Send(); }\n"
    "    public long At() { return _clock.Now(); }\n"
    "    public void Tell() { _log.Note(); }\n"
    "}\n";

KEN_TEST(services_are_added_by_type_by_factory_and_by_key)
{
    start("Services.cs", services_cs);
    lab_write(&l, "Startup.cs",
              "using Microsoft.Extensions.DependencyInjection;\n"
              "namespace App;\n"
              "public static class Startup\n"
              "{\n"
              "    public static void Configure(IServiceCollection services)\n"
              "    {\n"
              "        services.AddScoped<IMail, SmtpMail>()\n"
              "            .AddSingleton<IClock>(sp => new WallClock(sp.GetService<ILog>()));\n"
              "        services.AddSingleton(typeof(ILog), typeof(FileLog));\n"
              "        services.AddKeyedSingleton<ILog, NoLog>(\"quiet\");\n"
              "    }\n"
              "}\n");
    go();
    calls("Signup.Run", "App.IMail.Send; App.SmtpMail.Send (bound to SmtpMail at Startup.cs:7)");
    calls("Signup.At", "App.IClock.Now; App.WallClock.Now (bound to WallClock at Startup.cs:8)");
    calls("Signup.Tell", "App.ILog.Note; App.NoLog.Note (bound to NoLog at Startup.cs:10)");
    users("SmtpMail.Send", "App.Signup.Run (bound to SmtpMail at Startup.cs:7)");
    users("FileLog.Note", "App.Signup.Tell (names the method that this one overrides, "
                          "bound to NoLog at Startup.cs:10)");
    end();
}

KEN_TEST(nest_provides_classes_under_types_and_tokens)
{
    start("repo.ts", "export abstract class Repo { abstract save(x: string): void; }\n"
                     "export class SqlRepo extends Repo { save(x: string) {} }\n"
                     "export class MemRepo extends Repo { save(x: string) {} }\n"
                     "export class OldRepo extends Repo { save(x: string) {} }\n");
    lab_write(&l, "app.module.ts",
              "import { Module, Inject, Injectable } from '@nestjs/common';\n"
              "import { Repo, SqlRepo, MemRepo, OldRepo } from './repo';\n"
              "export const COLD = Symbol('cold');\n"
              "@Injectable()\n"
              "export class Orders {\n"
              "  constructor(\n"
              "    @Inject('HOT') private readonly hot: Repo,\n"
              "    private readonly repo: Repo,\n"
              "    @Inject(COLD) private readonly cold: Repo,\n"
              "  ) {}\n"
              "  place() { this.repo.save('a'); }\n"
              "  note() { this.hot.save('b'); }\n"
              "  keep() { this.cold.save('c'); }\n"
              "}\n"
              "@Module({\n"
              "  providers: [\n"
              "    Orders,\n"
              "    { provide: Repo, useClass: SqlRepo },\n"
              "    { provide: 'HOT', useExisting: MemRepo },\n"
              "    { provide: COLD, useFactory: () => new OldRepo(), inject: [MemRepo] },\n"
              "  ],\n"
              "})\n"
              "export class AppModule {}\n");
    go();
    calls("Orders.place", "Repo.save; SqlRepo.save (bound to SqlRepo at app.module.ts:18)");
    calls("Orders.note", "Repo.save; MemRepo.save (bound to MemRepo at app.module.ts:19)");
    calls("Orders.keep", "Repo.save; OldRepo.save (bound to OldRepo at app.module.ts:20)");
    users("SqlRepo.save", "Orders.place (bound to SqlRepo at app.module.ts:18); "
                          "Orders.note (names the method that this one overrides, bound to "
                          "MemRepo at app.module.ts:19); "
                          "Orders.keep (names the method that this one overrides, bound to "
                          "OldRepo at app.module.ts:20)");
    end();
}

KEN_TEST(guice_binds_and_dagger_too)
{
    start("app/M.java", "package app;\n"
                        "import com.google.inject.*;\n"
                        "interface Pay { void charge(); }\n"
                        "class CardPay implements Pay { public void charge() { } }\n"
                        "class CashPay implements Pay { public void charge() { } }\n"
                        "interface Log { void note(); }\n"
                        "class FileLog implements Log { public void note() { } }\n"
                        "class NoLog implements Log { public void note() { } }\n"
                        "abstract class M extends AbstractModule {\n"
                        "    protected void configure() {\n"
                        "        bind(Pay.class).to(CardPay.class).in(Singleton.class);\n"
                        "        bind(Pay.class).annotatedWith(Names.named(\"cash\"))\n"
                        "            .to(CashPay.class);\n"
                        "    }\n"
                        "    @Binds abstract Log log(FileLog it);\n"
                        "}\n"
                        "class Shop {\n"
                        "    private final Pay pay;\n"
                        "    private final Pay till;\n"
                        "    private final Log log;\n"
                        "    @Inject Shop(Pay pay, @Named(\"cash\") Pay till, Log log) { }\n"
                        "    void buy() { pay.charge(); }\n"
                        "    void swap() { till.charge(); }\n"
                        "    void tell() { log.note(); }\n"
                        "}\n");
    go();
    calls("Shop.buy", "Pay.charge; CardPay.charge (bound to CardPay at app/M.java:11)");
    calls("Shop.swap", "Pay.charge; CashPay.charge (bound to CashPay at app/M.java:12)");
    calls("Shop.tell", "Log.note; FileLog.note (bound to FileLog at app/M.java:15)");
    end();
}

KEN_TEST(laravel_binds_classes_and_closures)
{
    start("app/Mail.php", "<?php\n"
                          "namespace App;\n"
                          "interface Mail { public function send(); }\n"
                          "class SmtpMail implements Mail { public function send() {} }\n"
                          "class FakeMail implements Mail { public function send() {} }\n"
                          "interface Clock { public function now(); }\n"
                          "class WallClock implements Clock { public function now() {} }\n"
                          "class SlowClock implements Clock { public function now() {} }\n");
    lab_write(&l, "app/Providers/AppServiceProvider.php",
              "<?php\n"
              "namespace App\\Providers;\n"
              "use App\\{Mail, SmtpMail, Clock, WallClock};\n"
              "use Illuminate\\Support\\ServiceProvider;\n"
              "class AppServiceProvider extends ServiceProvider {\n"
              "    public function register() {\n"
              "        $this->app->bind(Mail::class, SmtpMail::class);\n"
              "        $this->app->singleton(Clock::class, function ($app) {\n"
              "            return new WallClock();\n"
              "        });\n"
              "    }\n"
              "}\n");
    lab_write(&l, "app/Signup.php",
              "<?php\n"
              "namespace App;\n"
              "class Signup {\n"
              "    public function __construct(private Mail $mail, private Clock $clock) {}\n"
              "    public function store() { $this->mail->send(); }\n"
              "    public function at() { return $this->clock->now(); }\n"
              "}\n");
    go();
    calls("Signup.store", "App.Mail.send; App.SmtpMail.send (bound to SmtpMail at "
                          "app/Providers/AppServiceProvider.php:7)");
    calls("Signup.at", "App.Clock.now; App.WallClock.now (bound to WallClock at "
                       "app/Providers/AppServiceProvider.php:8)");
    end();
}

KEN_TEST(fastapi_depends_on_what_its_function_makes)
{
    start("repo.py", "from typing import Protocol\n"
                     "class Repo(Protocol):\n"
                     "    def load(self): ...\n"
                     "class SqlRepo(Repo):\n"
                     "    def load(self):\n"
                     "        return 1\n"
                     "class MemRepo(Repo):\n"
                     "    def load(self):\n"
                     "        return 2\n"
                     "def get_repo() -> Repo:\n"
                     "    return SqlRepo()\n");
    lab_write(&l, "main.py",
              "from fastapi import Depends, FastAPI\n"
              "from repo import Repo, get_repo\n"
              "app = FastAPI()\n"
              "@app.get('/x')\n"
              "def show(repo: Repo = Depends(get_repo)):\n"
              "    return repo.load()\n");
    go();
    calls("show", "get_repo (handed on as a value); Repo.load; "
                  "SqlRepo.load (bound to SqlRepo at main.py:5)");
    users("SqlRepo.load", "show (bound to SqlRepo at main.py:5)");
    end();
}

KEN_TEST(koin_says_both_ways)
{
    start("Parts.kt", "package app\n"
                      "interface Mail {\n"
                      "    fun send()\n"
                      "}\n"
                      "class SmtpMail : Mail {\n"
                      "    override fun send() {\n"
                      "    }\n"
                      "}\n"
                      "class FakeMail : Mail {\n"
                      "    override fun send() {\n"
                      "    }\n"
                      "}\n"
                      "interface Clock {\n"
                      "    fun now()\n"
                      "}\n"
                      "class WallClock : Clock {\n"
                      "    override fun now() {\n"
                      "    }\n"
                      "}\n"
                      "class SlowClock : Clock {\n"
                      "    override fun now() {\n"
                      "    }\n"
                      "}\n");
    lab_write(&l, "App.kt",
              "package app\n"
              "import org.koin.dsl.module\n"
              "val parts = module {\n"
              "    single<Mail> { SmtpMail() }\n"
              "    factory { WallClock() } bind Clock::class\n"
              "}\n"
              "class Signup(private val mail: Mail, private val clock: Clock) {\n"
              "    fun run() {\n"
              "        mail.send()\n"
              "    }\n"
              "    fun at() {\n"
              "        clock.now()\n"
              "    }\n"
              "}\n");
    go();
    calls("Signup.run", "Mail.send; SmtpMail.send (bound to SmtpMail at App.kt:4)");
    calls("Signup.at", "Clock.now; WallClock.now (bound to WallClock at App.kt:5)");
    end();
}

KEN_TEST(what_tests_bind_or_call_is_not_chosen)
{
    start_spring();
    lab_write(&l, "app/src/test/java/OrdersTest.java",
              "package app;\n"
              "import org.springframework.stereotype.Component;\n"
              "@Component\n"
              "class TestRepo implements Repo { public void save(String x) { } }\n"
              "class OrdersTest {\n"
              "    Repo repo;\n"
              "    void tries() { repo.save(\"t\"); }\n"
              "}\n");
    go();
    calls("Orders.place", "Repo.save; SqlRepo.save (bound to SqlRepo at app/SqlRepo.java:3)");
    calls("OrdersTest.tries", "Repo.save; OldRepo.save (overrides the method that is named); "
                              "SqlRepo.save (overrides the method that is named); "
                              "TestRepo.save (overrides the method that is named)");
    end();
}

KEN_TEST(explanations_and_impact_follow_what_is_bound)
{
    start_spring();
    go();
    ken_explanation x;
    kt_ok_err(ken_explain(snap, KEN_STR("app/Orders.java"), 6, 6, NULL, &l.arena, &x, &l.err),
              &l.err);
    kt_eq_u(x.n_callees, 2);
    kt_eq_text(x.callees[1].node.qualified, "SqlRepo.save");
    kt_eq_text(x.callees[1].evidence, "bound to SqlRepo at app/SqlRepo.java:3");
    ken_impact m;
    ken_impact_opts o = { .symbol = KEN_STR("SqlRepo.save"), .num_similar = UINT32_MAX };
    kt_ok_err(ken_query_impact(snap, &o, NULL, &l.arena, &m, &l.err), &l.err);
    kt_eq_u(m.n_dependents, 1);
    kt_eq_text(m.dependents[0].node.qualified, "Orders.place");
    end();
}

KEN_TEST(a_project_brings_its_own_container)
{
    start_spring();
    lab_write(&l, ".ken/frameworks/own.yaml",
              "name: own\nlanguages: [java]\nmodules: [org.own]\n"
              "bindings:\n  - names: [use]\n");
    lab_write(&l, "app/Wiring.java",
              "package app;\n"
              "import org.own.Wire;\n"
              "class Wiring {\n"
              "    void go() { Wire.use(Repo.class, OldRepo.class); }\n"
              "}\n");
    go();
    users("OldRepo.save", "Orders.place (bound to OldRepo at app/Wiring.java:4)");
    end();
}

KEN_TEST(text_that_ends_too_early_ends_the_search_too)
{
    start_spring();
    lab_write(&l, "app/Broken.java",
              "package app;\n"
              "import com.google.inject.*;\n"
              "class Broken { void f() { bind(Repo.class).to(OldRepo.class, \"a");
    go();
    calls("Orders.place", "Repo.save; OldRepo.save (bound to OldRepo at app/Broken.java:3); "
                          "SqlRepo.save (bound to SqlRepo at app/SqlRepo.java:3)");
    end();
}

KEN_TEST(the_reason_of_an_edge_outlives_what_was_held_of_the_files)
{
    start("app/Repo.java", repo_java);
    lab_write(&l, "app/SqlRepo.java", sql_java);
    lab_write(&l, "app/Orders.java", orders_java);
    go();
    ken_trace t;
    ken_trace_opts o = { .entry = KEN_STR("Orders.place"), .max_depth = 1 };
    kt_ok_err(ken_trace_execution(snap, &o, NULL, &l.arena, &t, &l.err), &l.err);
    ken_buf later = KEN_BUF_INIT(0);
    ken_buf_printf(&later, "// changed\n%s", orders_java);
    lab_write(&l, "app/Orders.java", later.ptr);
    users("SqlRepo.save", "Orders.place (bound to SqlRepo at app/SqlRepo.java:3)");
    kt_eq_text(t.steps[2].evidence, "bound to SqlRepo at app/SqlRepo.java:3");
    ken_buf_release(&later);
    end();
}
