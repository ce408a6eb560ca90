// SPDX-License-Identifier: MIT
// Zig: files are what @import gives; types are constants.
#include "graph_lab.h"
#include "ktest.h"

static const graph_lab_file files[] = {
    { "src/db.zig", "pub const Conn = struct {\n"
                    "    pub fn open(self: *Conn, n: u8) !void {}\n"
                    "};\n"
                    "pub const Row = struct {\n"
                    "    pub fn show(self: Row) void {}\n"
                    "};\n"
                    "pub fn connect() *Conn {}\n" },
    { "src/main.zig", "const std = @import(\"std\");\n"
                      "const db = @import(\"db.zig\");\n"
                      "const Row = @import(\"db.zig\").Row;\n"
                      "const Cart = struct {\n"
                      "    size: usize,\n"
                      "    conn: *db.Conn,\n"
                      "    const Self = @This();\n"
                      "    fn add(self: *Self, row: Row) !void {\n"
                      "        try self.conn.open(1);\n"
                      "        row.show();\n"
                      "        self.size += 1;\n"
                      "        self.changed();\n"
                      "        helper();\n"
                      "    }\n"
                      "    fn changed(self: *Self) void {\n"
                      "        _ = self;\n"
                      "    }\n"
                      "};\n"
                      "fn helper() void {\n"
                      "    const cart = Cart{ .size = 1 };\n"
                      "    cart.changed();\n"
                      "    const conn = db.connect();\n"
                      "    conn.open(2);\n"
                      "    std.open();\n"
                      "    unknown.show();\n"
                      "    const open = 1;\n"
                      "    use(open);\n"
                      "}\n" },
    { "src/other.zig", "pub fn use(n: u8) void {}\n" },
};

KEN_TEST(zig_imports_give_files_and_what_is_in_them)
{
    static const char *const edges[][2] = {
        { "src/main.zig:3 Row", "src/db.zig:4 Row imported" },
        { "src/main.zig:8 Row", "src/main.zig:3 Row scoped" },
        { "src/main.zig:6 Conn", "src/db.zig:1 Conn imported" },
        { "src/main.zig:22 connect", "src/db.zig:7 connect imported" },
    };
    CHECK(edges);
}

KEN_TEST(zig_receivers_have_the_types_that_are_declared_or_given)
{
    static const char *const edges[][2] = {
        { "src/main.zig:9 open", "src/db.zig:2 open imported" },
        { "src/main.zig:10 show", "src/db.zig:5 show imported" },
        { "src/main.zig:21 changed", "src/main.zig:15 changed scoped" },
        { "src/main.zig:23 open", "src/db.zig:2 open imported" },
    };
    CHECK(edges);
}

KEN_TEST(zig_this_is_the_struct_around)
{
    static const char *const edges[][2] = {
        { "src/main.zig:12 changed", "src/main.zig:15 changed exact" },
        { "src/main.zig:11 size", "src/main.zig:5 size exact" },
    };
    CHECK(edges);
}

KEN_TEST(zig_functions_of_the_file_are_seen_in_its_structs)
{
    static const char *const edges[][2] = {
        { "src/main.zig:13 helper", "src/main.zig:19 helper scoped" },
    };
    CHECK(edges);
}

KEN_TEST(zig_a_name_alone_leads_nowhere)
{
    static const char *const edges[][2] = {
        { "src/main.zig:24 open", "external" },
        { "src/main.zig:25 show", "unresolved" },
        { "src/main.zig:27 open", "no reference" },
        { "src/main.zig:27 use", "external" },
    };
    CHECK(edges);
}
