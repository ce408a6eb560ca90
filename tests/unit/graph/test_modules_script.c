// SPDX-License-Identifier: MIT
// What Ruby, Lua, Elixir, shell scripts, style sheets and pages name.
#include "graph/graph_modules.h"
#include "ktest.h"
#include "modules_tree.h"

#define OPEN(t, files) modules_open((t), (files), sizeof(files) / sizeof *(files))

static void expect_constant(modules_tree *t, const char *from, const char *within, const char *name,
                            const char *want)
{
    ken_module_ask ask = { .file = modules_find(t, from),
                           .within = ken_str_c(within),
                           .name = ken_str_c(name) };
    modules_check(t, &ask, want);
}

KEN_TEST(ruby_requires_look_along_load_paths)
{
    static const modules_file files[] = {
        { "core/core.gemspec", "s.files = x\n  s.require_paths = %w[lib ext]\n", "" },
        { "core/lib/core.rb", "", "" },
        { "core/lib/core/json.rb", "", "" },
        { "core/lib/core/user.rb", "", "" },
        { "core/ext/native.rb", "", "" },
        { "core/spec/spec_helper.rb", "", "" },
        { "core/spec/deep/user_spec.rb", "", "" },
        { "web/web.gemspec", "", "" },
        { "web/lib/web.rb", "", "" },
        { "web/bin/run.rb", "", "" },
        { "tool/lib/tool/x.rb", "", "" },
    };
    modules_tree t;
    OPEN(&t, files);
    modules_expect(&t, "core/lib/core.rb", "core/user", "core/lib/core/user.rb");
    modules_expect(&t, "core/lib/core.rb", "core/user.rb", "core/lib/core/user.rb");
    modules_expect(&t, "core/lib/core/user.rb", "json", "external");
    modules_expect(&t, "core/lib/core/user.rb", "./json", "core/lib/core/json.rb");
    modules_expect(&t, "core/lib/core/user.rb", "../core", "core/lib/core.rb");
    modules_expect(&t, "core/lib/core.rb", "./none", "unknown");
    modules_expect(&t, "core/spec/deep/user_spec.rb", "spec_helper", "core/spec/spec_helper.rb");
    modules_expect(&t, "core/spec/deep/user_spec.rb", "core", "core/lib/core.rb");
    modules_expect(&t, "web/lib/web.rb", "core/user", "core/lib/core/user.rb");
    modules_expect(&t, "web/lib/web.rb", "native", "core/ext/native.rb");
    modules_expect(&t, "web/lib/web.rb", "tool/x", "guess tool/lib/tool/x.rb");
    modules_expect(&t, "core/lib/core/json.rb", "user", "guess core/lib/core/user.rb");
    modules_expect(&t, "web/bin/run.rb", "rack/request", "external");
    modules_expect(&t, "web/bin/run.rb", "/etc/x", "external");
    modules_expect(&t, "web/bin/run.rb", "../../../../x", "external");
    modules_close(&t);
}

KEN_TEST(ruby_constants_are_where_autoloading_looks)
{
    static const modules_file files[] = {
        { "app/models/user.rb", "", "" },
        { "app/models/concerns/named.rb", "", "" },
        { "app/services/billing/http_client.rb", "", "" },
        { "app/services/billing/user.rb", "", "" },
        { "lib/tools/sum.rb", "", "" },
        { "other/user_list.rb", "", "" },
    };
    modules_tree t;
    OPEN(&t, files);
    expect_constant(&t, "lib/tools/sum.rb", "", "User", "app/models/user.rb + User");
    expect_constant(&t, "lib/tools/sum.rb", "", "Named", "app/models/concerns/named.rb + Named");
    expect_constant(&t, "app/models/user.rb", "", "Billing::HTTPClient",
                    "app/services/billing/http_client.rb + Billing::HTTPClient");
    expect_constant(&t, "app/services/billing/http_client.rb", "Billing::HTTPClient", "User",
                    "app/services/billing/user.rb + Billing::User");
    expect_constant(&t, "app/models/user.rb", "", "Tools::Sum", "lib/tools/sum.rb + Tools::Sum");
    expect_constant(&t, "app/models/user.rb", "", "UserList", "unknown");
    expect_constant(&t, "app/models/user.rb", ":::", "X::", "unknown");
    expect_constant(&t, "app/models/user.rb", "", "small", "unknown");
    modules_close(&t);
}

KEN_TEST(lua_modules_are_paths_with_dots)
{
    static const modules_file files[] = {
        { "lua/plug/init.lua", "", "" }, { "lua/plug/view.lua", "", "" },
        { "tests/run.lua", "", "" },     { "tests/help.lua", "", "" },
        { "src/app/net.lua", "", "" },   { "deep/lua/far.lua", "", "" },
        { "deep/x/y.lua", "", "" },      { "tests/kit/mock/one.lua", "", "" },
    };
    modules_tree t;
    OPEN(&t, files);
    modules_expect(&t, "tests/run.lua", "plug", "lua/plug/init.lua");
    modules_expect(&t, "tests/run.lua", "plug.view", "lua/plug/view.lua");
    modules_expect(&t, "lua/plug/init.lua", "plug.view", "lua/plug/view.lua");
    modules_expect(&t, "tests/run.lua", "help", "tests/help.lua");
    modules_expect(&t, "tests/run.lua", "app.net", "src/app/net.lua");
    modules_expect(&t, "tests/run.lua", "./help", "tests/help.lua");
    modules_expect(&t, "tests/run.lua", "tests/help.lua", "tests/help.lua");
    modules_expect(&t, "tests/run.lua", "none.lua", "unknown");
    modules_expect(&t, "tests/run.lua", "far", "guess deep/lua/far.lua");
    modules_expect(&t, "tests/run.lua", "x.y", "guess deep/x/y.lua");
    modules_expect(&t, "tests/run.lua", "y", "external");
    modules_expect(&t, "tests/run.lua", "socket.http", "external");
    modules_expect(&t, "lua/plug/view.lua", "mock.one", "external");
    modules_expect(&t, "tests/run.lua", "mock.one", "guess tests/kit/mock/one.lua");
    modules_expect(&t, "tests/run.lua", "...", "external");
    modules_close(&t);
}

KEN_TEST(elixir_modules_follow_their_names)
{
    static const modules_file files[] = {
        { "lib/my_app.ex", "", "" },
        { "lib/my_app/http_server.ex",
          "defmodule MyApp.HTTPServer do\n defmodule Error do\n end\n defmodule Errors do\n", "" },
        { "lib/my_app_web/controllers/user_controller.ex", "", "" },
        { "test/support/conn_case.ex", "", "" },
        { "test/my_app/x_test.exs", "", "" },
        { "apps/other/lib/other/tool.ex", "", "" },
    };
    modules_tree t;
    OPEN(&t, files);
    const char *from = "test/my_app/x_test.exs";
    modules_expect(&t, from, "MyApp", "lib/my_app.ex + MyApp");
    modules_expect(&t, from, "MyApp.HTTPServer", "lib/my_app/http_server.ex + MyApp.HTTPServer");
    modules_expect(&t, from, "Elixir.MyApp", "lib/my_app.ex + MyApp");
    modules_expect(&t, from, "MyApp.HTTPServer.Error",
                   "lib/my_app/http_server.ex + MyApp.HTTPServer.Error");
    modules_expect(&t, from, "MyApp.HTTPServer.Err", "external");
    modules_expect(&t, from, "MyAppWeb.UserController",
                   "guess lib/my_app_web/controllers/user_controller.ex + MyAppWeb.UserController");
    modules_expect(&t, from, "ConnCase", "test/support/conn_case.ex + ConnCase");
    modules_expect(&t, from, "Other.Tool", "apps/other/lib/other/tool.ex + Other.Tool");
    modules_expect(&t, from, "GenServer", "external");
    modules_expect(&t, from, "Ecto.Schema", "external");
    modules_expect(&t, from, ":ets", "external");
    modules_expect(&t, from, "..", "external");
    modules_expect(&t, from, "A..B.", "external");
    modules_close(&t);
}

KEN_TEST(bash_sources_know_the_folder_of_the_script)
{
    static const modules_file files[] = {
        { "bin/run.sh", "", "" },  { "bin/lib.sh", "", "" },       { "lib/common.sh", "", "" },
        { "test/a.bats", "", "" }, { "test/helper.bash", "", "" },
    };
    modules_tree t;
    OPEN(&t, files);
    modules_expect(&t, "bin/run.sh", "./lib.sh", "bin/lib.sh");
    modules_expect(&t, "bin/run.sh", "lib.sh", "bin/lib.sh");
    modules_expect(&t, "bin/run.sh", "\"$(dirname \"$0\")/lib.sh\"", "bin/lib.sh");
    modules_expect(&t, "bin/run.sh", "\"$(dirname \"${BASH_SOURCE[0]}\")/../lib/common.sh\"",
                   "lib/common.sh");
    modules_expect(&t, "bin/run.sh", "${BASH_SOURCE%/*}/lib.sh", "bin/lib.sh");
    modules_expect(&t, "bin/run.sh", "$(cd \"$(dirname \"$0\")\" && pwd)/lib.sh", "bin/lib.sh");
    modules_expect(&t, "bin/run.sh", "${DIR}/lib.sh", "guess bin/lib.sh");
    modules_expect(&t, "bin/run.sh", "$ROOT/lib/common.sh", "guess lib/common.sh");
    modules_expect(&t, "bin/run.sh", "$ROOT/$LIB/common.sh", "guess lib/common.sh");
    modules_expect(&t, "bin/run.sh", "lib/common.sh --quiet", "guess lib/common.sh");
    modules_expect(&t, "test/a.bats", "helper", "test/helper.bash");
    modules_expect(&t, "bin/run.sh", "$(dirname $0)/none.sh", "unknown");
    modules_expect(&t, "bin/run.sh", "$file", "unknown");
    modules_expect(&t, "bin/run.sh", "$dir/$file.sh", "unknown");
    modules_expect(&t, "bin/run.sh", "/etc/profile", "external");
    modules_expect(&t, "bin/run.sh", "~/.bashrc", "external");
    modules_expect(&t, "bin/run.sh", "$(", "unknown");
    modules_expect(&t, "bin/run.sh", "\"", "unknown");
    modules_expect(&t, "bin/run.sh", "../../../x.sh", "unknown");
    modules_close(&t);
}

KEN_TEST(css_imports_know_partials)
{
    static const modules_file files[] = {
        { "css/main.scss", "", "" },         { "css/_colors.scss", "", "" },
        { "css/parts/_index.scss", "", "" }, { "css/base.css", "", "" },
        { "css/parts/a.scss", "", "" },
    };
    modules_tree t;
    OPEN(&t, files);
    modules_expect(&t, "css/main.scss", "colors", "css/_colors.scss");
    modules_expect(&t, "css/main.scss", "./colors.scss", "css/_colors.scss");
    modules_expect(&t, "css/main.scss", "parts", "css/parts/_index.scss");
    modules_expect(&t, "css/main.scss", "url('base.css') screen", "css/base.css");
    modules_expect(&t, "css/main.scss", "url(base.css?v=2)", "css/base.css");
    modules_expect(&t, "css/main.scss", "\"base\"", "css/base.css");
    modules_expect(&t, "css/parts/a.scss", "colors", "guess css/_colors.scss");
    modules_expect(&t, "css/main.scss", "/css/base.css", "guess css/base.css");
    modules_expect(&t, "css/main.scss", "sass:math", "external");
    modules_expect(&t, "css/main.scss", "https://x.y/z.css", "external");
    modules_expect(&t, "css/main.scss", "//x.y/z.css", "external");
    modules_expect(&t, "css/main.scss", "~bootstrap/x", "external");
    modules_expect(&t, "css/main.scss", "url(", "unknown");
    modules_expect(&t, "css/main.scss", "/", "external");
    modules_expect(&t, "css/main.scss", "./none", "unknown");
    modules_expect(&t, "css/main.scss", "tailwindcss", "external");
    modules_close(&t);
}

KEN_TEST(html_pages_load_scripts)
{
    static const modules_file files[] = {
        { "site/index.html", "", "" },     { "site/js/a.js", "", "" },
        { "site/static/js/b.js", "", "" }, { "app/templates/x.html", "", "" },
        { "app/static/app.css", "", "" },  { "site/js/c.ts", "", "" },
    };
    modules_tree t;
    OPEN(&t, files);
    modules_expect(&t, "site/index.html", "js/a.js?v=3", "site/js/a.js");
    modules_expect(&t, "site/index.html", "./js/a.js", "site/js/a.js");
    modules_expect(&t, "site/index.html", "./js/c", "site/js/c.ts");
    modules_expect(&t, "site/index.html", "/js/b.js", "guess site/static/js/b.js");
    modules_expect(&t, "app/templates/x.html", "{{ url_for('static', filename='app.css') }}",
                   "guess app/static/app.css");
    modules_expect(&t, "app/templates/x.html", "{% static \"app.css\" %}",
                   "guess app/static/app.css");
    modules_expect(&t, "app/templates/x.html", "{{ base }}/app.css", "guess app/static/app.css");
    modules_expect(&t, "site/index.html", "https://x.y/z.js", "external");
    modules_expect(&t, "site/index.html", "//x.y/z.js", "external");
    modules_expect(&t, "site/index.html", "/", "unknown");
    modules_expect(&t, "site/index.html", "{{", "unknown");
    modules_expect(&t, "site/index.html", "#top", "unknown");
    modules_expect(&t, "site/index.html", "../../x.js", "external");
    modules_close(&t);
}
