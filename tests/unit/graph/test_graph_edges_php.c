// SPDX-License-Identifier: MIT
// PHP: namespaces, use, traits, properties and what is typed.
#include "graph_lab.h"
#include "ktest.h"

static const graph_lab_file files[] = {
    { "Http.php",
      "<?php\n"
      "namespace App\\Http;\n"
      "use App\\Models\\User;\n"
      "use App\\Support\\{Str, Arr as A};\n"
      "use App\\Models;\n"
      "class Users extends Base {\n"
      "  use Logs;\n"
      "  const LIMIT = 1;\n"
      "  private ?Repo $repo;\n"
      "  public function __construct(private Models\\Post $post) { parent::__construct(); }\n"
      "  function show(User ...$all): User {\n"
      "    $this->repo->find(1)->save();\n"
      "    foreach ($all as $k => $one) { $one->save(); }\n"
      "    $made = new User; $made->save();\n"
      "    $this->log(self::LIMIT);\n"
      "    $this->post->publish();\n"
      "    A::first([]); Str::up('x');\n"
      "    helper(); \\App\\Models\\User::query();\n"
      "    $repo = 1; $unknown->save(); save();\n"
      "    throw new \\Exception('x');\n"
      "  }\n"
      "  function repo() { $this->repo(); return $this->repo; }\n"
      "}\n" },
    { "Models.php", "<?php\n"
                    "namespace App\\Models;\n"
                    "class User { function save() {} static function query() {} }\n"
                    "class Post { function publish() {} }\n" },
    { "Near.php", "<?php\n"
                  "namespace App\\Http;\n"
                  "class Base { function __construct() {} }\n"
                  "trait Logs { function log($x) {} }\n"
                  "class Repo { function find($id): \\App\\Models\\User { } }\n"
                  "class Exception {}\n" },
    { "Other.php", "<?php\n"
                   "namespace Else;\n"
                   "class User { function save() {} }\n"
                   "function save() {}\n" },
    { "Support.php", "<?php\n"
                     "namespace App\\Support;\n"
                     "class Str { static function up($x) {} }\n"
                     "class Arr { static function first($x) {} }\n" },
    { "helpers.php", "<?php\nfunction helper() {}\nclass Repo {}\n" },
};

KEN_TEST(php_names_are_those_of_use_and_of_the_namespace)
{
    EXPECT("Http.php:3 User", "Models.php:3 User imported");
    EXPECT("Http.php:17 A", "Support.php:4 Arr imported");
    EXPECT("Http.php:17 first", "Support.php:4 first imported");
    EXPECT("Http.php:17 up", "Support.php:3 up imported");
    EXPECT("Http.php:6 Base", "Near.php:3 Base scoped");
    EXPECT("Http.php:9 Repo", "Near.php:5 Repo scoped");
}

KEN_TEST(php_paths_are_of_imported_namespaces_or_whole)
{
    EXPECT("Http.php:10 Post", "Models.php:4 Post imported");
    EXPECT("Http.php:18 User", "Models.php:3 User imported");
    EXPECT("Http.php:18 query", "Models.php:3 query imported");
    EXPECT("Http.php:20 \\Exception", "external");
}

KEN_TEST(php_members_follow_declared_types)
{
    EXPECT("Http.php:12 find", "Near.php:5 find scoped");
    EXPECT("Http.php:12 save", "Models.php:3 save imported");
    EXPECT("Http.php:13 save", "Models.php:3 save imported");
    EXPECT("Http.php:14 save", "Models.php:3 save imported");
    EXPECT("Http.php:16 publish", "Models.php:4 publish imported");
    EXPECT("Http.php:10 __construct", "Near.php:3 __construct scoped");
}

KEN_TEST(php_traits_and_constants_are_members)
{
    EXPECT("Http.php:15 log", "Near.php:4 log imported");
    EXPECT("Http.php:15 LIMIT", "Http.php:8 LIMIT exact");
}

KEN_TEST(php_methods_and_properties_of_one_name_are_apart)
{
    EXPECT("Http.php:22 repo", "Http.php:22 repo exact");
    EXPECT("Http.php:12 repo", "Http.php:9 repo exact");
}

KEN_TEST(php_functions_without_a_namespace_are_seen_from_all)
{
    EXPECT("Http.php:18 helper", "helpers.php:2 helper scoped");
}

KEN_TEST(php_the_name_alone_makes_no_edge)
{
    EXPECT("Http.php:19 repo", "no reference");
    EXPECT("Http.php:19 $unknown", "no reference");
    EXPECT("Http.php:19 save", "unresolved");
}

KEN_TEST(php_variables_that_hold_each_other_end)
{
    static const graph_lab_file circle[] = {
        { "a.php", "<?php\n"
                   "class A { public $f; public $g;\n"
                   "  function run() { $this->f = $this->g; $this->g = $this->f;\n"
                   "    $x = ($this->f)(); return $x->go(); }\n"
                   "}\n" },
    };
    graph_lab lab;
    graph_lab_open(&lab, circle, 1);
    graph_lab_expect(&lab, "a.php:4 go", "external");
    graph_lab_close(&lab);
}
