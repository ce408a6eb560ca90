// SPDX-License-Identifier: MIT
// Rust: crates of Cargo.toml, the tree of modules, paths with a rest.
#include "ktest.h"
#include "modules_tree.h"

static void expect_within(modules_tree *t, const char *from, const char *within, const char *module,
                          const char *want)
{
    modules_check(t,
                  &(ken_module_ask){ .file = modules_find(t, from),
                                     .module = ken_str_c(module),
                                     .within = ken_str_c(within) },
                  want);
}

#define CARGO(name) "[package]\nname = \"" name "\"\nedition = \"2021\"\n"

KEN_TEST(modules_rust_the_tree_of_modules)
{
    static const modules_file files[] = {
        { "Cargo.toml", CARGO("app-core"), "" },
        { "src/lib.rs", "", "" },
        { "src/net.rs", "", "" },
        { "src/net/tcp.rs", "", "" },
        { "src/io/mod.rs", "", "" },
        { "src/io/read.rs", "", "" },
        { "src/main.rs", "", "" },
        { "src/bin/tool/main.rs", "", "" },
        { "src/bin/tool/args.rs", "", "" },
        { "tests/it.rs", "", "" },
        { "tests/common/mod.rs", "", "" },
    };
    modules_tree t;
    modules_open(&t, files, 11);
    modules_expect(&t, "src/io/read.rs", "crate::net::tcp", "src/net/tcp.rs");
    modules_expect(&t, "src/io/read.rs", "crate::net::tcp::Stream::new",
                   "src/net/tcp.rs + Stream::new");
    modules_expect(&t, "src/io/read.rs", "crate", "src/lib.rs");
    modules_expect(&t, "src/io/read.rs", "super", "src/io/mod.rs");
    modules_expect(&t, "src/io/read.rs", "super::super::net", "src/net.rs");
    modules_expect(&t, "src/io/read.rs", "super::super::super::net", "unknown");
    modules_expect(&t, "src/net/tcp.rs", "super::Listener", "src/net.rs + Listener");
    modules_expect(&t, "src/net.rs", "self::tcp::Stream", "src/net/tcp.rs + Stream");
    modules_expect(&t, "src/net.rs", "tcp::Stream", "src/net/tcp.rs + Stream");
    modules_expect(&t, "src/net.rs", "inline::Thing", "src/net.rs + inline::Thing");
    modules_expect(&t, "src/net.rs", "std::io", "external");
    modules_expect(&t, "src/net.rs", "r#tcp::Stream", "src/net/tcp.rs + Stream");
    modules_expect(&t, "src/main.rs", "app_core::io", "src/io/mod.rs");
    modules_expect(&t, "src/bin/tool/args.rs", "crate::args", "src/bin/tool/args.rs");
    modules_expect(&t, "tests/it.rs", "app_core::net::tcp", "src/net/tcp.rs");
    modules_expect(&t, "tests/it.rs", "common", "tests/common/mod.rs");
    expect_within(&t, "src/net.rs", "tests", "super::Listener", "src/net.rs + Listener");
    expect_within(&t, "src/net.rs", "a::b", "super::Thing", "src/net.rs + a::Thing");
    expect_within(&t, "src/net.rs", "a::b", "self::Thing", "src/net.rs + a::b::Thing");
    expect_within(&t, "src/net.rs", "tests", "super::super::io", "src/io/mod.rs");
    modules_check(&t,
                  &(ken_module_ask){ .file = modules_find(&t, "src/main.rs"),
                                     .module = KEN_STR("app_core::net"),
                                     .name = KEN_STR("tcp") },
                  "src/net/tcp.rs");
    modules_close(&t);
}

// `mod support { pub mod signal; }` in tests/it.rs
KEN_TEST(modules_rust_files_below_an_inline_module)
{
    static const modules_file files[] = {
        { "Cargo.toml", CARGO("p"), "" },
        { "src/lib.rs", "", "" },
        { "tests/it.rs", "", "" },
        { "tests/support/signal.rs", "", "" },
    };
    modules_tree t;
    modules_open(&t, files, 4);
    modules_expect(&t, "tests/it.rs", "support::signal::send", "tests/support/signal.rs + send");
    modules_expect(&t, "tests/it.rs", "support::other::x", "tests/it.rs + support::other::x");
    expect_within(&t, "tests/it.rs", "support", "self::signal", "tests/support/signal.rs");
    modules_close(&t);
}

KEN_TEST(modules_rust_path_attributes)
{
    static const modules_file files[] = {
        { "Cargo.toml", CARGO("p"), "" },
        { "src/lib.rs",
          "#[cfg(unix)]\n#[path = \"sys/unix.rs\"]\npub mod imp;\n"
          "#[path=\"x.rs\"] #[allow(dead_code)] mod other;\n#[path = \"../../out.rs\"] mod out;\n",
          "" },
        { "src/sys/unix.rs", "", "" },
        { "src/x.rs", "", "" },
    };
    modules_tree t;
    modules_open(&t, files, 4);
    modules_expect(&t, "src/x.rs", "crate::imp::Handle", "src/sys/unix.rs + Handle");
    modules_expect(&t, "src/x.rs", "crate::other", "src/x.rs");
    modules_expect(&t, "src/x.rs", "crate::out", "src/lib.rs + out");
    modules_expect(&t, "src/x.rs", "crate::Handle", "src/lib.rs + Handle");
    modules_close(&t);
}

KEN_TEST(modules_rust_roots_that_are_no_library)
{
    static const modules_file files[] = {
        { "bin/Cargo.toml", CARGO("bin"), "" },
        { "bin/src/main.rs", "", "" },
        { "bin/src/args.rs", "", "" },
        { "said/Cargo.toml", CARGO("said") "[[bin]]\nname = \"x\"\npath = \"cmd/x.rs\"\n", "" },
        { "said/cmd/x.rs", "", "" },
        { "said/cmd/deep/y.rs", "", "" },
        { "said/tests/a.rs", "", "" },
        { "said/tests/common/mod.rs", "", "" },
    };
    modules_tree t;
    modules_open(&t, files, 8);
    modules_expect(&t, "bin/src/args.rs", "crate::X", "bin/src/main.rs + X");
    modules_expect(&t, "said/cmd/deep/y.rs", "crate::X", "said/cmd/x.rs + X");
    modules_expect(&t, "said/tests/common/mod.rs", "crate::X", "unknown"); // of every test
    modules_close(&t);
}

KEN_TEST(modules_rust_crates_of_a_workspace)
{
    static const modules_file files[] = {
        { "Cargo.toml",
          "[workspace]\nmembers = [\n  \"a\",\n]\n[workspace.dependencies]\n"
          "my-util = { path = \"util\" } # shared\n",
          "" },
        { "a/Cargo.toml",
          CARGO("a") "[dependencies]\nmy-util.workspace = true\nserde = \"1\"\n"
                     "short = { package = \"very-long\", path = '../long' }\n"
                     "[target.'cfg(unix)'.dependencies.unixish]\npath = \"../unix\"\n"
                     "[dev-dependencies]\noutside = { path = \"../../outside\" }\n",
          "" },
        { "a/src/lib.rs", "", "" },
        { "util/Cargo.toml", CARGO("my-util") "[lib]\npath = \"lib/root.rs\"\n", "" },
        { "util/lib/root.rs", "", "" },
        { "util/lib/part.rs", "", "" },
        { "long/Cargo.toml", CARGO("very-long"), "" },
        { "long/src/lib.rs", "", "" },
        { "unix/Cargo.toml", CARGO("unixish") "[lib]\nname = \"ux\"\n", "" },
        { "unix/src/lib.rs", "", "" },
        { "apart/Cargo.toml", CARGO("apart"), "" },
        { "apart/src/lib.rs", "", "" },
    };
    modules_tree t;
    modules_open(&t, files, 12);
    modules_expect(&t, "a/src/lib.rs", "my_util::part", "util/lib/part.rs");
    modules_expect(&t, "util/lib/part.rs", "crate::part", "util/lib/part.rs");
    modules_expect(&t, "util/lib/part.rs", "super::X", "util/lib/root.rs + X");
    modules_expect(&t, "a/src/lib.rs", "short::X", "long/src/lib.rs + X");
    modules_expect(&t, "a/src/lib.rs", "unixish::X", "unix/src/lib.rs + X");
    modules_expect(&t, "a/src/lib.rs", "serde::Serialize", "external");
    modules_expect(&t, "a/src/lib.rs", "outside::X", "external");
    modules_expect(&t, "a/src/lib.rs", "::serde::Serialize", "external");
    modules_expect(&t, "a/src/lib.rs", "::gone::X", "unknown");
    modules_expect(&t, "a/src/lib.rs", "apart::X", "a/src/lib.rs + apart::X"); // no dependency
    modules_close(&t);
}

KEN_TEST(modules_rust_the_edition_of_2015_begins_at_the_root)
{
    static const modules_file files[] = {
        { "Cargo.toml", "[package]\nname = \"old\"\n", "" },
        { "src/lib.rs", "", "" },
        { "src/a.rs", "", "" },
        { "src/b/mod.rs", "", "" },
    };
    modules_tree t;
    modules_open(&t, files, 4);
    modules_expect(&t, "src/b/mod.rs", "a::X", "src/a.rs + X");
    modules_close(&t);
}

KEN_TEST(modules_rust_without_or_with_broken_manifests)
{
    static const modules_file files[] = {
        { "x/lib.rs", "", "" },
        { "x/a/mod.rs", "", "" },
        { "y/Cargo.toml", "[[[]]\n[package\nname == \n= =\n[dependencies]\n.=\na.={", "" },
        { "y/src/lib.rs", "", "" },
        { "z/Cargo.toml",
          CARGO("z") "[lib]\npath = \"../../../lib.rs\"\n[dependencies]\nz = { path = \".\" }\n"
                     "q = { path = \"../q\" }\n",
          "" },
        { "z/src/lib.rs", "#[path = \"lib.rs\"] mod me; #[path", "" },
        { "q/Cargo.toml", CARGO("z") "[dependencies]\nz = { path = \"../z\" }\n", "" },
        { "q/src/lib.rs", "", "" },
        { "lonely.rs", "", "" },
    };
    modules_tree t;
    modules_open(&t, files, 9);
    modules_expect(&t, "x/a/mod.rs", "crate::a::X", "x/a/mod.rs + X");
    modules_expect(&t, "y/src/lib.rs", "crate::X", "y/src/lib.rs + X");
    modules_expect(&t, "z/src/lib.rs", "z::X", "z/src/lib.rs + X");
    modules_expect(&t, "z/src/lib.rs", "q::X", "q/src/lib.rs + X");
    modules_expect(&t, "q/src/lib.rs", "z::X", "q/src/lib.rs + X");
    modules_expect(&t, "z/src/lib.rs", "self::me::me::me::X", "z/src/lib.rs + X");
    modules_expect(&t, "lonely.rs", "crate::X", "unknown");
    modules_expect(&t, "lonely.rs", "super::X", "unknown");
    modules_expect(&t, "lonely.rs", "::", "unknown");
    modules_expect(&t, "lonely.rs", "self", "lonely.rs");
    modules_close(&t);
}
