// SPDX-License-Identifier: MIT
// Haskell's modules and Zig's imports.
#include "ktest.h"
#include "modules_tree.h"

KEN_TEST(modules_haskell_files_are_found_by_their_module)
{
    static const modules_file files[] = {
        { "src/Text/Pandoc.hs", "", "Text.Pandoc" },
        { "src/Text/Pandoc/Types.hs", "", "Text.Pandoc.Types" },
        { "app/Types.hs", "", "" },
        { "app/Main.hs", "", "Main" },
        { "other/src/Text/Pandoc/Types.hs", "", "Text.Pandoc.Types" },
        { "other/src/Lit.lhs", "", "Lit" },
    };
    modules_tree t;
    modules_open(&t, files, 6);
    modules_expect(&t, "src/Text/Pandoc.hs", "Text.Pandoc.Types", "src/Text/Pandoc/Types.hs");
    modules_expect(&t, "other/src/Lit.lhs", "Text.Pandoc.Types", "other/src/Text/Pandoc/Types.hs");
    modules_expect(&t, "app/Main.hs", "Text.Pandoc.Types", "unknown"); // equally near
    modules_expect(&t, "app/Main.hs", "Types", "guess app/Types.hs");
    modules_expect(&t, "app/Main.hs", "Lit", "other/src/Lit.lhs");
    modules_expect(&t, "app/Main.hs", "Data.Map", "external");
    modules_expect(&t, "app/Main.hs", "...", "external");
    modules_expect(&t, "app/Main.hs", "Pandoc.Types", "external"); // only the end of a name
    modules_close(&t);
}

KEN_TEST(modules_zig_paths_and_modules_of_the_build)
{
    static const modules_file files[] = {
        { "build.zig",
          "const clap_mod = b.addModule(\"clap\", .{\n  .root_source_file = b.path(\"clap.zig\"),\n});\n"
          "const util = b.createModule(.{ .root_source_file = .{ .path = \"src/util.zig\" } });\n"
          "const far = b.dependency(\"far\", .{}).module(\"far\");\n"
          "exe.root_module.addImport(\"util\", util);\nexe.root_module.addImport(\"far\", far);\n"
          "exe.root_module.addImport(\"out\", b.path(\"../../out.zig\"));\n",
          "" },
        { "clap.zig", "", "" },
        { "src/util.zig", "", "" },
        { "src/main.zig", "", "" },
        { "sub/build.zig", "b.addModule(\"clap\", .{ .root_source_file = b.path(\"own.zig\") });",
          "" },
        { "sub/own.zig", "", "" },
        { "sub/use.zig", "", "" },
    };
    modules_tree t;
    modules_open(&t, files, 7);
    modules_expect(&t, "src/main.zig", "util.zig", "src/util.zig");
    modules_expect(&t, "src/main.zig", "../clap.zig", "clap.zig");
    modules_expect(&t, "src/main.zig", "../../clap.zig", "unknown");
    modules_expect(&t, "src/main.zig", "clap", "clap.zig");
    modules_expect(&t, "src/main.zig", "util", "src/util.zig");
    modules_expect(&t, "src/main.zig", "far", "external");
    modules_expect(&t, "src/main.zig", "out", "external");
    modules_expect(&t, "src/main.zig", "std", "external");
    modules_expect(&t, "src/main.zig", "root", "unknown");
    modules_expect(&t, "sub/use.zig", "clap", "sub/own.zig");
    modules_close(&t);
}

KEN_TEST(modules_zig_broken_builds_are_passed_over)
{
    static const modules_file files[] = {
        { "build.zig", "addModule(addModule(\"x\" \"a.zig addImport(\"\",addImport(\"y\", \"", "" },
        { "a.zig", "", "" },
    };
    modules_tree t;
    modules_open(&t, files, 2);
    modules_expect(&t, "a.zig", "x", "external");
    modules_expect(&t, "a.zig", "y", "external");
    modules_expect(&t, "a.zig", ".zig", "unknown");
    modules_close(&t);
}
