// SPDX-License-Identifier: MIT
// Lua: modules that are tables, their functions, self.
#include "graph_lab.h"
#include "ktest.h"

static const graph_lab_file files[] = {
    { "app/cart.lua", "local db = require(\"app.db\")\n"
                      "local M = {}\n"
                      "local function helper(x) return x end\n"
                      "function M.new(owner)\n"
                      "  local self = setmetatable({}, M)\n"
                      "  self.owner = owner\n"
                      "  return self\n"
                      "end\n"
                      "function M:add(item)\n"
                      "  self:changed(item)\n"
                      "  helper(item)\n"
                      "  db.open(\"x\")\n"
                      "  db.missing()\n"
                      "  local open = item\n"
                      "  open(1)\n"
                      "  item:show()\n"
                      "  print(self.owner)\n"
                      "end\n"
                      "function M:changed(item) end\n"
                      "M.add(nil)\n"
                      "return M\n" },
    { "app/db.lua", "local M = {}\n"
                    "function M.open(name) end\n"
                    "local function show() end\n"
                    "return M\n" },
    { "app/main.lua", "local Cart = require(\"app.cart\")\n"
                      "local Other = require(\"vendor.other\")\n"
                      "local cart = Cart.new(\"me\")\n"
                      "require(\"app.db\").open(\"y\")\n"
                      "Other.open()\n"
                      "open()\n"
                      "helper()\n" },
};

KEN_TEST(lua_modules_are_the_tables_that_they_return)
{
    static const char *const edges[][2] = {
        { "app/main.lua:3 new", "app/cart.lua:4 new imported" },
        { "app/main.lua:4 open", "app/db.lua:2 open imported" },
        { "app/cart.lua:12 open", "app/db.lua:2 open imported" },
    };
    CHECK(edges);
}

KEN_TEST(lua_self_is_the_table_of_the_function)
{
    static const char *const edges[][2] = {
        { "app/cart.lua:10 changed", "app/cart.lua:19 changed exact" },
        { "app/cart.lua:17 owner", "app/cart.lua:6 owner exact" },
    };
    CHECK(edges);
}

KEN_TEST(lua_functions_of_a_table_are_called_through_it)
{
    static const char *const edges[][2] = {
        { "app/cart.lua:20 add", "app/cart.lua:9 add scoped" },
        { "app/cart.lua:11 helper", "app/cart.lua:3 helper scoped" },
    };
    CHECK(edges);
}

KEN_TEST(lua_locals_hide_what_has_their_name)
{
    static const char *const edges[][2] = {
        { "app/cart.lua:15 open", "no reference" },
        { "app/cart.lua:16 show", "external" },
    };
    CHECK(edges);
}

KEN_TEST(lua_a_name_alone_leads_nowhere)
{
    static const char *const edges[][2] = {
        { "app/main.lua:6 open", "external" },   { "app/main.lua:7 helper", "external" },
        { "app/main.lua:5 open", "external" },   { "app/cart.lua:13 missing", "external" },
        { "app/cart.lua:17 print", "external" },
    };
    CHECK(edges);
}
