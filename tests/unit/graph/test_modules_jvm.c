// SPDX-License-Identifier: MIT
// Java, Kotlin and Scala: packages by declaration, classes by file.
#include "ktest.h"
#include "modules_tree.h"

KEN_TEST(modules_jvm_folders_that_follow_packages)
{
    static const modules_file files[] = {
        { "core/src/main/java/com/acme/Main.java", "", "com.acme" },
        { "core/src/main/java/com/acme/io/Reader.java", "", "com.acme.io" },
        { "core/src/main/java/com/acme/io/Writer.java", "", "com.acme.io" },
        { "core/src/main/java/com/acme/io/notes.txt", "", "" },
        { "core/src/test/java/com/acme/io/ReaderTest.java", "", "com.acme.io" },
        { "web/src/main/kotlin/com/acme/web/App.kt", "", "com.acme.web" },
        { "web/src/main/kotlin/org/com/acme/io/Far.kt", "", "org.com.acme.io" },
    };
    const char *main = files[0].path;
    modules_tree t;
    modules_open(&t, files, 7);
    modules_expect(&t, main, "com.acme.io.Reader",
                   "core/src/main/java/com/acme/io/Reader.java + Reader");
    modules_expect(&t, main, "com.acme.io.Reader.Mode.FAST",
                   "core/src/main/java/com/acme/io/Reader.java + Reader.Mode.FAST");
    modules_expect(&t, main, "com.acme.io.*",
                   "core/src/main/java/com/acme/io/Reader.java "
                   "core/src/main/java/com/acme/io/Writer.java "
                   "core/src/test/java/com/acme/io/ReaderTest.java");
    modules_expect(&t, main, "com.acme.web.App",
                   "web/src/main/kotlin/com/acme/web/App.kt + App"); // across languages
    modules_expect(&t, main, "com.acme.web.run", "web/src/main/kotlin/com/acme/web/App.kt + run");
    modules_expect(&t, main, "com.acme.gen.Made", "unknown");
    modules_expect(&t, main, "java.util.List", "external");
    modules_expect(&t, main, "io.Reader", "external");
    modules_expect_around(&t, "core/src/main/java/com/acme/io/Writer.java",
                          "core/src/main/java/com/acme/io/Reader.java "
                          "core/src/main/java/com/acme/io/Writer.java "
                          "core/src/test/java/com/acme/io/ReaderTest.java");
    modules_check(&t,
                  &(ken_module_ask){ .file = modules_find(&t, main),
                                     .module = KEN_STR("com.acme.io"),
                                     .name = KEN_STR("Writer") },
                  "core/src/main/java/com/acme/io/Writer.java + Writer");
    modules_close(&t);
}

KEN_TEST(modules_jvm_packages_that_folders_do_not_show)
{
    static const modules_file files[] = {
        { "src/App.kt", "", "com.acme" },
        { "src/net/Http.kt", "", "com.acme.net" },
        { "src/net/Tcp.kt", "", "com.acme.net" },
        { "src/util.kt", "", "com.acme.util" },
    };
    modules_tree t;
    modules_open(&t, files, 4);
    modules_expect(&t, "src/App.kt", "com.acme.net.Http", "src/net/Http.kt + Http");
    modules_expect(&t, "src/App.kt", "com.acme.net.open", "src/net/Http.kt src/net/Tcp.kt + open");
    modules_expect(&t, "src/App.kt", "com.acme.util.*", "src/util.kt");
    modules_expect(&t, "src/App.kt", "com.other.X", "external");
    modules_expect_around(&t, "src/net/Tcp.kt", "src/net/Http.kt src/net/Tcp.kt");
    modules_close(&t);
}

// Some files of a tree that else follows its packages, and `package cats` above `package data`.
KEN_TEST(modules_jvm_a_class_is_found_where_it_belongs)
{
    static const modules_file files[] = {
        { "core/cats/data/EitherT.scala", "", "cats" },   { "core/cats/Eval.scala", "", "cats" },
        { "jvm/io/net/Socket.kt", "", "io.net" },         { "js/io/net/Socket.kt", "", "io.net" },
        { "old/io/net/Socket.java", "", "older.io.net" },
    };
    modules_tree t;
    modules_open(&t, files, 5);
    modules_expect(&t, "core/cats/Eval.scala", "cats.data.EitherT.pure",
                   "core/cats/data/EitherT.scala + EitherT.pure");
    modules_expect(&t, "core/cats/Eval.scala", "io.net.Socket",
                   "js/io/net/Socket.kt jvm/io/net/Socket.kt + Socket");
    modules_close(&t);
}

KEN_TEST(modules_jvm_without_declarations_folders_are_a_guess)
{
    static const modules_file files[] = {
        { "src/com/acme/A.java", "", "" },
        { "src/com/acme/sub/B.java", "", "" },
    };
    modules_tree t;
    modules_open(&t, files, 2);
    modules_expect(&t, "src/com/acme/A.java", "com.acme.sub.B",
                   "guess src/com/acme/sub/B.java + B");
    modules_expect(&t, "src/com/acme/A.java", "sub.B", "external");
    modules_expect_around(&t, "src/com/acme/A.java", "src/com/acme/A.java");
    modules_close(&t);
}

KEN_TEST(modules_jvm_scala_imports_begin_in_any_package_around)
{
    static const modules_file files[] = {
        { "core/a/b/Use.scala", "", "a.b" },
        { "core/a/b/data/D.scala", "", "a.b.data" },
        { "core/a/util/U.scala", "", "a.util" },
        { "core/data/Top.scala", "", "data" },
    };
    modules_tree t;
    modules_open(&t, files, 4);
    modules_expect(&t, "core/a/b/Use.scala", "data.D", "core/a/b/data/D.scala + D");
    modules_expect(&t, "core/a/b/Use.scala", "util.U", "core/a/util/U.scala + U");
    modules_expect(&t, "core/a/b/Use.scala", "_root_.data.Top", "core/data/Top.scala + Top");
    modules_expect(&t, "core/a/b/Use.scala", "data._", "core/a/b/data/D.scala");
    modules_close(&t);
}

KEN_TEST(modules_jvm_odd_texts)
{
    static const modules_file files[] = { { "A.java", "", "..." }, { "b/B.java", "", "b" } };
    modules_tree t;
    modules_open(&t, files, 2);
    modules_expect(&t, "A.java", ".", "unknown");
    modules_expect(&t, "A.java", ".*", "external");
    modules_expect(&t, "A.java", "/../etc", "external");
    modules_expect(&t, "A.java", "b.", "b/B.java");
    modules_expect_around(&t, "A.java", "A.java");
    modules_close(&t);
}
