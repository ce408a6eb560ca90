// SPDX-License-Identifier: MIT
// Rust: modules and use trees, impl blocks, traits, what macros are given.
#include "graph_lab.h"
#include "ktest.h"

static const graph_lab_file files[] = {
    { "Cargo.toml", "[package]\nname = \"shop\"\nedition = \"2021\"\n" },
    { "src/db/conn.rs", "use super::Row;\n"
                        "pub struct Conn { pub rows: Vec<Row>, pub len: usize }\n"
                        "impl Conn {\n"
                        "    pub fn open(path: &str) -> crate::Result<Self> { todo!() }\n"
                        "    pub fn first(&self) -> Option<&Row> { self.rows.first() }\n"
                        "    pub fn len(&self) -> usize { self.len }\n"
                        "}\n" },
    { "src/db/mod.rs", "mod conn;\n"
                       "pub use self::conn::Conn as Connection;\n"
                       "pub struct Row(pub Cell, u8);\n"
                       "pub struct Cell { pub text: String }\n"
                       "impl Cell { pub fn show(&self) {} }\n" },
    { "src/held.rs", "use crate::more::Extra;\n"
                     "use std::sync::{Arc, Mutex};\n"
                     "pub struct Tx; pub struct Rx;\n"
                     "impl Tx { pub fn new() -> Tx { Tx } pub fn send(&self) {} }\n"
                     "impl Rx { pub fn recv(&self) {} pub fn send(&self) {} }\n"
                     "fn pair() -> (Tx, Rx) { todo!() }\n"
                     "fn parts() { let (tx, mut rx) = pair();\n"
                     "    tx.send();\n"
                     "    rx.send(); }\n"
                     "fn held() { let a = Arc::new(Tx::new());\n"
                     "    a.send();\n"
                     "    let b = Arc::clone(&a); b.send();\n"
                     "    let m = Arc::new(Mutex::new(Rx {}));\n"
                     "    m.lock().unwrap().recv();\n"
                     "    a.extra();\n"
                     "    a.hidden(); }\n" },
    { "src/lib.rs", "pub mod db; mod held; mod more; mod words;\n"
                    "mod shapes;\n"
                    "use crate::db::{self, Connection, Row};\n"
                    "use shapes::{Shape::*, *};\n"
                    "pub struct Error;\n"
                    "pub type Result<T> = std::result::Result<T, Error>;\n"
                    "macro_rules! twice { ($e:expr) => { $e } }\n"
                    "fn run(conn: &Connection, s: Shape) -> Result<()> {\n"
                    "    let c = Connection::open(\"x\")?;\n"
                    "    c.first().unwrap().0.show();\n"
                    "    for row in c.rows.iter() { row.0.text.len(); }\n"
                    "    println!(\"{}\", conn.len());\n"
                    "    assert_eq!(conn.rows[0].0.text, twice!(conn.len));\n"
                    "    match s {\n"
                    "        Circle(cell) => cell.show(),\n"
                    "        Rect { size: Size { w }, .. } => drop(w),\n"
                    "        show => drop(show),\n"
                    "    }\n"
                    "    unknown().show();\n"
                    "    db::Cell { text: String::new() }.show();\n"
                    "    helper(conn);\n"
                    "    Ok(())\n"
                    "}\n"
                    "fn describe<T: Area>(t: T, all: Vec<Box<dyn Area>>) {\n"
                    "    t.area();\n"
                    "    all[0].double();\n"
                    "}\n"
                    "#[cfg(test)]\n"
                    "mod tests {\n"
                    "    use super::*;\n"
                    "    fn helper() {}\n"
                    "    fn works() { helper(); run(a, b); super::describe(a, b); }\n"
                    "}\n" },
    { "src/more.rs", "pub trait Extra { fn extra(&self) {} }\n"
                     "impl<T> Extra for T {}\n"
                     "pub trait Hidden { fn hidden(&self) {} }\n"
                     "impl<T> Hidden for T {}\n" },
    { "src/other.rs", "pub fn run() {}\npub fn helper(x: u8) {}\n"
                      "pub struct Cell;\nimpl Cell { pub fn show(&self) {} }\n" },
    { "src/shapes.rs", "use crate::db::Cell;\n"
                       "pub struct Size { pub w: u32 }\n"
                       "pub enum Shape { Circle(Cell), Rect { size: Size } }\n"
                       "pub trait Area {\n"
                       "    fn area(&self) -> u32;\n"
                       "    fn double(&self) -> u32 { self.area() }\n"
                       "}\n"
                       "impl Area for Shape {\n"
                       "    fn area(&self) -> u32 { Self::none(); self.double() }\n"
                       "}\n"
                       "impl Shape { fn none() {} }\n" },
    { "src/words.rs", "pub fn format(x: u8) -> u8 { x }\n"
                      "pub fn join(x: u8) -> u8 { x }\n"
                      "macro_rules! join { ($($e:expr),*) => { 0 } }\n"
                      "macro_rules! lone { () => { 0 } }\n"
                      "fn said() -> u8 {\n"
                      "    format!(\"{}\", format(1));\n"
                      "    join!(join(2), 3);\n"
                      "    assert!(join!(1) == 0, format!(\"{}\", lone!()));\n"
                      "    crate::words::join(4);\n"
                      "    lone(5)\n"
                      "}\n" },
};

KEN_TEST(rust_paths_lead_through_modules_and_reexports)
{
    static const char *const edges[][2] = {
        { "src/lib.rs:3 Row", "src/db/mod.rs:3 Row imported" },
        { "src/lib.rs:8 Connection", "src/db/conn.rs:2 Conn imported" },
        { "src/db/conn.rs:1 Row", "src/db/mod.rs:3 Row imported" },
        { "src/db/conn.rs:4 Result", "src/lib.rs:6 Result imported" },
        { "src/lib.rs:20 Cell", "src/db/mod.rs:4 Cell imported" },
        { "src/lib.rs:32 describe", "src/lib.rs:24 describe imported" },
    };
    CHECK(edges);
}

KEN_TEST(rust_members_belong_to_the_type_of_their_impl)
{
    static const char *const edges[][2] = {
        { "src/lib.rs:9 open", "src/db/conn.rs:4 open imported" },
        { "src/lib.rs:10 first", "src/db/conn.rs:5 first exact" },
        { "src/lib.rs:10 show", "src/db/mod.rs:5 show imported" },
        { "src/lib.rs:11 text", "src/db/mod.rs:4 text imported" },
        { "src/lib.rs:20 show", "src/db/mod.rs:5 show imported" },
        { "src/shapes.rs:9 none", "src/shapes.rs:11 none exact" },
        { "src/shapes.rs:9 double", "src/shapes.rs:6 double exact" },
    };
    CHECK(edges);
}

KEN_TEST(rust_fields_and_methods_may_have_one_name)
{
    static const char *const edges[][2] = {
        { "src/db/conn.rs:6 len", "src/db/conn.rs:2 len exact" },
        { "src/lib.rs:12 len", "src/db/conn.rs:6 len imported" },
        { "src/lib.rs:13 len", "src/db/conn.rs:2 len imported" },
    };
    CHECK(edges);
}

KEN_TEST(rust_macros_are_given_expressions)
{
    static const char *const edges[][2] = {
        { "src/lib.rs:13 text", "src/db/mod.rs:4 text imported" },
        { "src/lib.rs:13 twice", "src/lib.rs:7 twice scoped" },
        { "src/lib.rs:12 println", "external" },
    };
    CHECK(edges);
}

KEN_TEST(rust_macros_have_names_of_their_own)
{
    static const char *const edges[][2] = {
        { "src/words.rs:6 format", "external" },
        { "src/words.rs:6 format#2", "src/words.rs:1 format scoped" },
        { "src/words.rs:7 join", "src/words.rs:3 join scoped" },
        { "src/words.rs:7 join#2", "src/words.rs:2 join scoped" },
        { "src/words.rs:8 join", "src/words.rs:3 join scoped" },
        { "src/words.rs:8 format", "external" },
        { "src/words.rs:8 lone", "src/words.rs:4 lone scoped" },
        { "src/words.rs:9 join", "src/words.rs:2 join imported" },
        { "src/words.rs:10 lone", "external" },
    };
    CHECK(edges);
}

KEN_TEST(rust_patterns_know_the_types_they_name)
{
    static const char *const edges[][2] = {
        { "src/lib.rs:15 Circle", "src/shapes.rs:3 Circle imported" },
        { "src/lib.rs:15 show", "src/db/mod.rs:5 show imported" },
        { "src/lib.rs:16 size", "src/shapes.rs:3 size imported" },
        { "src/lib.rs:16 w", "src/shapes.rs:2 w imported" },
        { "src/lib.rs:17 show", "no reference" },
    };
    CHECK(edges);
}

KEN_TEST(rust_bounds_and_trait_objects_have_the_methods_of_traits)
{
    static const char *const edges[][2] = {
        { "src/lib.rs:25 area", "src/shapes.rs:5 area imported" },
        { "src/lib.rs:26 double", "src/shapes.rs:6 double imported" },
        { "src/shapes.rs:6 area", "src/shapes.rs:5 area exact" },
    };
    CHECK(edges);
}

KEN_TEST(rust_a_name_alone_leads_nowhere)
{
    static const char *const edges[][2] = {
        { "src/lib.rs:19 show", "unresolved" },
        { "src/lib.rs:21 helper", "unresolved" }, // of another module, and of `tests`
        { "src/lib.rs:32 helper", "src/lib.rs:31 helper scoped" },
        { "src/lib.rs:32 run", "src/lib.rs:8 run scoped" },
    };
    CHECK(edges);
}

KEN_TEST(rust_parts_of_a_tuple_are_told_apart)
{
    static const char *const edges[][2] = {
        { "src/held.rs:8 send", "src/held.rs:4 send scoped" },
        { "src/held.rs:9 send", "src/held.rs:5 send scoped" },
    };
    CHECK(edges);
}

KEN_TEST(rust_what_an_arc_is_given_answers_for_it)
{
    static const char *const edges[][2] = {
        { "src/held.rs:11 send", "src/held.rs:4 send scoped" },
        { "src/held.rs:12 send", "src/held.rs:4 send scoped" },
        { "src/held.rs:14 recv", "src/held.rs:5 recv scoped" },
    };
    CHECK(edges);
}

KEN_TEST(rust_any_value_has_the_methods_of_traits_in_scope)
{
    static const char *const edges[][2] = {
        { "src/held.rs:15 extra", "src/more.rs:1 extra imported" },
        { "src/held.rs:16 hidden", "unresolved" }, // nobody imports that trait here
    };
    CHECK(edges);
}

// A type that others' traits are for may have any of their methods; those that the tree gives it are known.
KEN_TEST(rust_objects_with_foreign_traits_have_the_methods_of_traits_in_scope)
{
    static const graph_lab_file traits[] = {
        { "src/lib.rs", "pub trait ReadExt {\n"
                        "    fn read_all(&mut self) -> usize { 0 }\n"
                        "}\n"
                        "pub struct Simple;\n"
                        "impl tokio::io::AsyncRead for Simple {}\n"
                        "impl<R: tokio::io::AsyncRead> ReadExt for R {}\n" },
        { "src/use.rs", "use crate::{ReadExt, Simple};\n"
                        "pub fn run(mut s: Simple) {\n"
                        "    s.read_all();\n"
                        "    s.poll_read();\n"
                        "}\n" },
        { "Cargo.toml", "[package]\nname = \"a\"\n" },
    };
    static const char *const edges[][2] = {
        { "src/use.rs:3 read_all", "src/lib.rs:2 read_all imported" },
        { "src/use.rs:4 poll_read", "external" },
    };
    graph_lab_check(traits, 3, edges, sizeof edges / sizeof *edges);
}
