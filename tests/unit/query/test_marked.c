// SPDX-License-Identifier: MIT
// Tests among the code: of Rust in a module of the file that they test, of C# in a file of any name.
#include "unit/query/calls_lab.h"

static ken_impact impact_of(const char *symbol)
{
    ken_impact i;
    ken_impact_opts o = { .symbol = ken_str_c(symbol) };
    kt_ok_err(ken_query_impact(snap, &o, NULL, &l.arena, &i, &l.err), &l.err);
    return i;
}

static void open_shop(void)
{
    start("Cargo.toml", "[package]\nname = \"shop\"\nedition = \"2021\"\n");
    lab_write(&l, "src/lib.rs",
              "pub fn price(n: u32) -> u32 { n * 2 }\n"
              "pub fn total(n: u32) -> u32 { price(n) + 1 }\n"
              "#[inline]\n"
              "pub fn twice(n: u32) -> u32 { price(n) }\n"
              "#[cfg(test)]\n"
              "mod tests {\n"
              "    use super::*;\n"
              "    fn sample() -> u32 { price(1) }\n"
              "    #[test]\n"
              "    fn doubles() { assert_eq!(price(2), 4); }\n"
              "    #[tokio::test]\n"
              "    async fn adds() { assert_eq!(total(sample()), 5); }\n"
              "}\n"
              "mod tools {\n"
              "    #[inline]\n"
              "    fn plain() -> u32 { super::price(3) }\n"
              "}\n");
}

KEN_TEST(tests_of_a_rust_module_reach_what_they_call)
{
    open_shop();
    go();
    ken_impact i = impact_of("price");
    kt_eq_u(i.n_tests_total, 2); // `sample` is what they share
    kt_eq_text(i.tests[0].node.qualified, "tests.doubles");
    kt_eq_text(i.tests[1].node.qualified, "tests.adds");
    kt_eq_u(i.tests[1].distance, 2);
    kt_eq_u(i.n_dependents, 3); // total, twice, tools.plain
    end();
}

KEN_TEST(usages_in_tests_of_a_module_are_counted_as_such)
{
    open_shop();
    go();
    ken_usages u;
    ken_usages_opts o = { .name = KEN_STR("price") };
    kt_ok_err(ken_find_usages(snap, &o, NULL, &l.arena, &u, &l.err), &l.err);
    kt_eq_u(u.n_total, 5);
    kt_eq_u(u.n_test_usages, 2);
    o.tests = KEN_TESTS_EXCLUDE;
    kt_ok_err(ken_find_usages(snap, &o, NULL, &l.arena, &u, &l.err), &l.err);
    kt_eq_u(u.n_total, 3);
    end();
}

KEN_TEST(what_has_no_test_is_not_said_to_be_unparsed)
{
    start("Cargo.toml", "[package]\nname = \"shop\"\nedition = \"2021\"\n");
    lab_write(&l, "src/lib.rs", "pub fn price() -> u32 { 2 }\npub fn total() -> u32 { price() }\n");
    go();
    ken_impact i = impact_of("price");
    kt_eq_u(i.n_tests_total, 0);
    kt_eq_text(ken_no_test_text(&i.test_files, 3, &l.arena), "no test reaches it in 3 steps");
    end();
}

KEN_TEST(a_marked_method_is_a_test_in_a_file_of_any_name)
{
    start("Checks.cs", "namespace Shop {\n"
                       "  public class Checks {\n"
                       "    [Fact]\n"
                       "    public void Doubles() { Help(); }\n"
                       "    void Help() { Prices.Price(2); }\n"
                       "  }\n"
                       "}\n");
    lab_write(&l, "Prices.cs",
              "namespace Shop {\n"
              "  public static class Prices {\n"
              "    public static int Price(int n) { return n * 2; }\n"
              "    public static int Total(int n) { return Price(n) + 1; }\n"
              "  }\n"
              "}\n");
    go();
    ken_impact i = impact_of("Prices.Price");
    kt_eq_u(i.n_tests_total, 1);
    kt_eq_text(i.tests[0].node.name, "Doubles");
    kt_eq_u(i.n_dependents, 1);
    end();
}

// Files come in order: of a function that thousands use, the tests are met last.
KEN_TEST(tests_of_what_thousands_use_are_counted)
{
    ken_buf text = KEN_BUF_INIT(0);
    start("base.c", "int hub(int n) { return n; }\n");
    ken_buf_puts(&text, "int hub(int n);\n");
    for (int i = 0; i < 4000; i++)
        ken_buf_printf(&text, "int use_%d(int n) { return hub(n) + %d; }\n", i, i);
    lab_write_n(&l, "many.c", ken_buf_str(&text).ptr, ken_buf_str(&text).len);
    lab_write(&l, "tests/test_hub.c", "int hub(int n);\nvoid test_hub(void) { hub(1); }\n");
    go();
    ken_impact i = impact_of("hub");
    kt_eq_u(i.n_by_distance[1], 4000);
    kt_eq_u(i.n_tests_total, 1);
    kt_false(i.is_at_least);
    ken_buf_release(&text);
    end();
}
