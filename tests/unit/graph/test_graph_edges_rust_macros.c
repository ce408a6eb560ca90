// SPDX-License-Identifier: MIT
// Rust: where a macro is in sight by its name alone, and what it runs itself.
#include "graph_lab.h"
#include "ktest.h"

static const graph_lab_file files[] = {
    { "Cargo.toml", "[package]\nname = \"shop\"\nedition = \"2021\"\n" },
    { "src/flags/help.rs", "fn below() { write!(1); err_message!(\"z\"); }\n" },
    { "src/flags/mod.rs", "macro_rules! write { ($e:expr) => { std::write!($e).unwrap() } }\n"
                          "mod help;\n"
                          "fn here() { write!(1); }\n" },
    { "src/main.rs", "#[macro_use]\n"
                     "mod messages;\n"
                     "mod flags;\n"
                     "mod plain;\n"
                     "fn main() {\n"
                     "    err_message!(\"x\");\n"
                     "    write!(\"y\");\n"
                     "    rare!();\n"
                     "}\n" },
    { "src/messages.rs", "macro_rules! err_message {\n"
                         "    ($($tt:tt)*) => {\n"
                         "        crate::messages::set_errored();\n"
                         "        message!($($tt)*);\n"
                         "        $crate::messages::set_errored();\n"
                         "    }\n"
                         "}\n"
                         "macro_rules! message { ($($tt:tt)*) => { local($($tt)*) } }\n"
                         "pub fn set_errored() {}\n"
                         "fn local(x: &str) {}\n" },
    { "src/plain.rs", "macro_rules! rare { () => { 1 } }\n"
                      "fn far() { write!(1); }\n" },
};

KEN_TEST(rust_macros_run_what_stands_in_them)
{
    static const char *const edges[][2] = {
        { "src/messages.rs:3 set_errored", "src/messages.rs:9 set_errored imported" },
        { "src/messages.rs:4 message", "src/messages.rs:8 message scoped" },
        { "src/messages.rs:5 set_errored", "src/messages.rs:9 set_errored imported" },
        { "src/messages.rs:8 local", "src/messages.rs:10 local scoped" },
    };
    CHECK(edges);
}

static const graph_lab_file words[] = {
    { "Cargo.toml", "[package]\nname = \"shop\"\nedition = \"2021\"\n" },
    { "src/lib.rs", "macro_rules! feature { () => { 1 } }\n"
                    "macro_rules! writer {\n"
                    "    ($e:expr) => {\n"
                    "        #[cfg(feature = \"fs\")]\n"
                    "        let mut writer = $e;\n"
                    "        writer.flush();\n"
                    "        run(writer);\n"
                    "        let types: u8 = 1;\n"
                    "        run(types);\n"
                    "        extract!(feature);\n"
                    "    }\n"
                    "}\n"
                    "fn types() {}\n"
                    "fn run(x: u8) {}\n"
                    "macro_rules! extract { ($which:ident) => { $which!() } }\n"
                    "macro_rules! each { ($($e:expr)*) => { $( extract!($e); run($e); )* } }\n" },
};

// What is declared there, attributes, and names that stand for themselves are no macros and no functions.
KEN_TEST(rust_words_of_a_macro_are_not_macros)
{
    static const char *const edges[][2] = {
        { "src/lib.rs:7 run", "src/lib.rs:14 run scoped" },
        { "src/lib.rs:9 types", "no reference" },
        { "src/lib.rs:10 extract", "src/lib.rs:15 extract scoped" },
        { "src/lib.rs:16 extract", "src/lib.rs:15 extract scoped" },
        { "src/lib.rs:16 run", "src/lib.rs:14 run scoped" },
        { "src/lib.rs:10 feature", "external" },
        { "src/lib.rs:4 feature", "no reference" },
    };
    graph_lab_check(words, sizeof words / sizeof *words, edges, sizeof edges / sizeof *edges);
}

KEN_TEST(rust_macros_are_in_sight_below_and_where_macro_use_says)
{
    static const char *const edges[][2] = {
        { "src/main.rs:6 err_message", "src/messages.rs:1 err_message scoped" },
        { "src/flags/help.rs:1 err_message", "src/messages.rs:1 err_message scoped" },
        { "src/flags/mod.rs:3 write", "src/flags/mod.rs:1 write scoped" },
        { "src/flags/help.rs:1 write", "src/flags/mod.rs:1 write scoped" },
        // Without the attribute it stays where it is: this is the one of the standard library.
        { "src/main.rs:7 write", "external" },
        { "src/plain.rs:2 write", "external" },
        // A name that std does not have came from somewhere in the crate.
        { "src/main.rs:8 rare", "src/plain.rs:1 rare scoped" },
    };
    CHECK(edges);
}

static const graph_lab_file nested[] = {
    { "Cargo.toml", "[package]\nname = \"shop\"\nedition = \"2021\"\n" },
    { "src/fast.rs", "pub struct Metrics {}\nimpl Metrics { pub fn count(&self) {} }\n" },
    { "src/main.rs", "mod fast;\nmod one;\nuse one::Metrics;\n"
                     "fn run(m: &Metrics) { m.count(); }\n" },
    { "src/one.rs", "cfg_not_net! {\n"
                    "    pub struct Metrics {}\n"
                    "    impl Metrics { pub fn count(&self) {} }\n"
                    "}\n"
                    "cfg_net! {\n"
                    "    cfg_rt! {\n"
                    "        pub use crate::fast::Metrics;\n"
                    "        fn inner() { outer(); }\n"
                    "    }\n"
                    "    fn outer() {}\n"
                    "}\n"
                    "cfg_none! {}\n" },
};

// Items, at any depth; of what one side has and the other imports, either may be meant.
KEN_TEST(rust_macros_in_macros_hold_items)
{
    static const char *const edges[][2] = {
        { "src/main.rs:4 count", "src/one.rs:3 count inferred, src/fast.rs:2 count inferred" },
        { "src/one.rs:7 Metrics", "src/fast.rs:1 Metrics imported" },
        { "src/one.rs:8 outer", "src/one.rs:10 outer scoped" },
    };
    graph_lab_check(nested, sizeof nested / sizeof *nested, edges, sizeof edges / sizeof *edges);
}

static const graph_lab_file outside[] = {
    { "Cargo.toml", "[package]\nname = \"shop\"\nedition = \"2021\"\n" },
    { "src/main.rs", "mod maps;\n"
                     "use std::collections::HashMap;\n"
                     "mod inner {\n"
                     "    use crate::maps::HashMap;\n"
                     "    fn run(m: &HashMap) { m.count(); HashMap::make(); }\n"
                     "}\n"
                     "fn a() { use std::mem::swap; swap(); }\n"
                     "fn b() { use crate::maps::swap as swap; swap(); }\n" },
    { "src/maps.rs", "pub struct HashMap {}\n"
                     "impl HashMap { pub fn count(&self) {} pub fn make() {} }\n"
                     "pub fn swap() {}\n" },
};

KEN_TEST(rust_what_is_imported_from_outside_hides_no_other_import)
{
    static const char *const edges[][2] = {
        { "src/main.rs:5 count", "src/maps.rs:2 count imported" },
        { "src/main.rs:5 make", "src/maps.rs:2 make imported" },
        { "src/main.rs:8 swap#2", "src/maps.rs:3 swap imported" },
    };
    graph_lab_check(outside, sizeof outside / sizeof *outside, edges, sizeof edges / sizeof *edges);
}
