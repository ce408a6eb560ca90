// SPDX-License-Identifier: MIT
// What PHP's names and includes are: composer's rules, declared namespaces, paths.
#include "graph/graph_modules.h"
#include "ktest.h"
#include "modules_tree.h"

#define OPEN(t, files) modules_open((t), (files), sizeof(files) / sizeof *(files))

KEN_TEST(php_classes_are_where_composer_says)
{
    static const modules_file files[] = {
        { "composer.json",
          "{\"autoload\": {\"psr-4\": {\"App\\\\\": \"src/\", \"App\\\\Deep\\\\\": [\"deep\", "
          "\"more/\"]}, \"psr-0\": {\"Old_\": \"legacy\", \"Ns\\\\\": \"legacy\"}}, "
          "\"autoload-dev\": {\"psr-4\": {\"Tests\\\\\": \"tests\", \"\": \"rest\"}, "
          "\"files\": [\"src/all/set.php\", \"../x.php\", 3]}}",
          "" },
        { "src/User.php", "", "App" },
        { "src/Http/Kernel.php", "", "App\\Http" },
        { "src/Deep/Lost.php", "", "App\\Deep" },
        { "more/Thing.php", "", "App\\Deep" },
        { "legacy/Old/Name.php", "", "" },
        { "legacy/Ns/A/B_C.php", "", "Ns\\A" },
        { "legacy/Ns/A/D/E.php", "", "Ns\\A" },
        { "rest/Any/Where.php", "", "Any" },
        { "tests/UserTest.php", "", "Tests" },
        { "src/functions.php", "", "App\\fn" },
        { "src/more.php", "", "App\\fn" },
        { "src/all/Set.class.inc.php", "", "App\\all" },
        { "src/all/set.php", "", "App\\all" },
    };
    modules_tree t;
    OPEN(&t, files);
    modules_expect(&t, "tests/UserTest.php", "App\\User", "src/User.php + User");
    modules_expect(&t, "tests/UserTest.php", "\\App\\Http\\Kernel", "src/Http/Kernel.php + Kernel");
    modules_expect(&t, "tests/UserTest.php", "App\\Deep\\Thing", "more/Thing.php + Thing");
    modules_expect(&t, "tests/UserTest.php", "App\\Deep\\Lost", "src/Deep/Lost.php + Lost");
    modules_expect(&t, "src/User.php", "Tests\\UserTest", "tests/UserTest.php + UserTest");
    modules_expect(&t, "src/User.php", "Old_Name", "legacy/Old/Name.php + Old_Name");
    modules_expect(&t, "src/User.php", "Ns\\A\\D_E", "legacy/Ns/A/D/E.php + D_E");
    modules_expect(&t, "src/User.php", "Any\\Where", "rest/Any/Where.php + Where");
    modules_expect(&t, "src/User.php", "App\\Http", "src/Http/Kernel.php");
    modules_expect(&t, "src/User.php", "App\\fn\\help", "src/functions.php src/more.php + help");
    modules_expect(&t, "src/User.php", "App\\all\\help", "src/all/set.php + help");
    modules_expect(&t, "src/User.php", "App\\None\\X", "unknown");
    modules_expect(&t, "src/User.php", "Illuminate\\Support\\Str", "external");
    modules_expect(&t, "src/User.php", "Exception", "external");
    ken_module_ask ask = { .file = modules_find(&t, "src/User.php"),
                           .module = KEN_STR("App\\Http"),
                           .name = KEN_STR("Kernel") };
    modules_check(&t, &ask, "src/Http/Kernel.php + Kernel");
    modules_close(&t);
}

KEN_TEST(php_declared_namespaces_do_without_composer)
{
    static const modules_file files[] = {
        { "inc/class/User.class.php", "", "Shop\\Model" },
        { "inc/class/UserList.php", "", "Shop\\Model" },
        { "index.php", "", "" },
        { "inc/Plain.php", "", "" },
    };
    modules_tree t;
    OPEN(&t, files);
    modules_expect(&t, "index.php", "Shop\\Model\\User", "inc/class/User.class.php + User");
    modules_expect(&t, "index.php", "Shop\\Model\\Other",
                   "inc/class/User.class.php inc/class/UserList.php + Other");
    modules_expect(&t, "index.php", "Plain", "inc/Plain.php + Plain");
    modules_close(&t);
}

KEN_TEST(php_includes_put_paths_together)
{
    static const modules_file files[] = {
        { "index.php", "", "" },
        { "inc/a.php", "", "" },
        { "inc/sub/b.php", "", "" },
        { "inc/sub/c.php", "", "" },
    };
    modules_tree t;
    OPEN(&t, files);
    modules_expect(&t, "index.php", "inc/a.php", "inc/a.php");
    modules_expect(&t, "index.php", "'inc/a.php'", "inc/a.php");
    modules_expect(&t, "inc/sub/b.php", "__DIR__ . '/c.php'", "inc/sub/c.php");
    modules_expect(&t, "inc/sub/b.php", "__DIR__ . '/c.php", "inc/sub/c.php");
    modules_expect(&t, "inc/sub/b.php", "__DIR__.'/../a.php'", "inc/a.php");
    modules_expect(&t, "inc/sub/b.php", "dirname(__FILE__) . \"/c.php\"", "inc/sub/c.php");
    modules_expect(&t, "inc/sub/b.php", "(dirname(dirname(__FILE__)) . '/a.php')", "inc/a.php");
    modules_expect(&t, "inc/sub/b.php", "dirname(__DIR__, 2) . '/index.php'", "index.php");
    modules_expect(&t, "inc/sub/b.php", "inc/a.php", "guess inc/a.php");
    modules_expect(&t, "inc/sub/b.php", "ROOT . '/sub/c.php'", "guess inc/sub/c.php");
    modules_expect(&t, "inc/sub/b.php", "$dir . '/nothing.php'", "unknown");
    modules_expect(&t, "inc/sub/b.php", "\"$dir/c.php\"", "unknown");
    modules_expect(&t, "inc/sub/b.php", "$file", "unknown");
    modules_expect(&t, "inc/sub/b.php", "__DIR__ . '/../vendor/autoload.php'", "external");
    modules_expect(&t, "inc/sub/b.php", "__DIR__ . '/../../../x.php'", "unknown");
    modules_expect(&t, "inc/sub/b.php", "/etc/passwd.php", "unknown");
    modules_expect(&t, "inc/sub/b.php", "''", "unknown");
    modules_expect(&t, "inc/sub/b.php", "'", "unknown");
    modules_close(&t);
}

KEN_TEST(php_bad_manifests_do_no_harm)
{
    static const modules_file files[] = {
        { "composer.json",
          "{\"autoload\": {\"psr-4\": {\"A\\\\\": \"../../x\", \"B\\\\\": [3, {}], "
          "\"C\": null, \"D\\\\\": \"/etc\"}, \"psr-0\": []}, \"autoload-dev\": 7}",
          "" },
        { "b/composer.json", "{\"autoload\": {", "" },
        { "c/composer.json", "[]", "" },
        { "x.php", "", "" },
    };
    modules_tree t;
    OPEN(&t, files);
    modules_expect(&t, "x.php", "A\\passwd", "external");
    modules_expect(&t, "x.php", "D\\passwd", "external");
    modules_expect(&t, "x.php", "\\", "unknown");
    modules_expect(&t, "x.php", "\\\\\\A\\\\B\\", "external");
    modules_close(&t);
}
