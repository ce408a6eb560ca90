// SPDX-License-Identifier: MIT
// Swift: targets of Package.swift, and folders where there is none.
#include "ktest.h"
#include "modules_tree.h"

KEN_TEST(modules_swift_targets_and_their_files)
{
    static const modules_file files[] = {
        { "Package.swift",
          "let package = Package(name: \"P\", products: [.library(name: \"Core\", targets: [\"Core\"])],\n"
          "  targets: [.target(name: \"Core\", dependencies: [.target(name: \"my-util\")],\n"
          "                    path: \"Source\", exclude: [\"a (b)\"]),\n"
          "            .target(name: \"my-util\"), .target(name: \"Out\", path: \"../../out\"),\n"
          "            .testTarget(name: \"CoreTests\", dependencies: [\"Core\"])])\n",
          "" },
        { "Source/A.swift", "", "" },
        { "Source/Net/B.swift", "", "" },
        { "Source/Net/data.json", "", "" },
        { "Sources/my-util/U.swift", "", "" },
        { "Tests/CoreTests/T.swift", "", "" },
    };
    modules_tree t;
    modules_open(&t, files, 6);
    modules_expect(&t, "Tests/CoreTests/T.swift", "Core", "Source/A.swift Source/Net/B.swift");
    modules_expect(&t, "Tests/CoreTests/T.swift", "Core.Session",
                   "Source/A.swift Source/Net/B.swift + Session");
    modules_expect(&t, "Source/A.swift", "my_util", "Sources/my-util/U.swift");
    modules_expect(&t, "Source/A.swift", "Foundation", "external");
    modules_expect(&t, "Source/A.swift", "Out", "external");
    modules_expect_around(&t, "Source/Net/B.swift", "Source/A.swift Source/Net/B.swift");
    modules_expect_around(&t, "Tests/CoreTests/T.swift", "Tests/CoreTests/T.swift");
    modules_close(&t);
}

KEN_TEST(modules_swift_without_a_package_folders_are_a_guess)
{
    static const modules_file files[] = {
        { "App/Main.swift", "", "" },
        { "App/Views/V.swift", "", "" },
        { "Kit/Sources/Kit/K.swift", "", "" },
        { "Kit/Sources/Kit/Deep/D.swift", "", "" },
        { "Root.swift", "", "" },
    };
    modules_tree t;
    modules_open(&t, files, 5);
    modules_expect_around(&t, "App/Views/V.swift", "guess App/Main.swift App/Views/V.swift");
    modules_expect(&t, "App/Main.swift", "Kit",
                   "guess Kit/Sources/Kit/Deep/D.swift Kit/Sources/Kit/K.swift");
    modules_expect_around(&t, "Kit/Sources/Kit/Deep/D.swift",
                          "guess Kit/Sources/Kit/Deep/D.swift Kit/Sources/Kit/K.swift");
    modules_expect_around(&t, "Root.swift", "Root.swift");
    modules_close(&t);
}

KEN_TEST(modules_swift_a_target_inside_a_target_and_broken_text)
{
    static const modules_file files[] = {
        { "Package.swift",
          ".target(.target(.target(name: \"A\", path: \"Sources\") .target(name: \"B\", path: \"Sources/B\"\n"
          ".target(name: \"\\",
          "" },
        { "Sources/a.swift", "", "" },
        { "Sources/B/b.swift", "", "" },
    };
    modules_tree t;
    modules_open(&t, files, 3);
    modules_expect(&t, "Sources/B/b.swift", "A", "Sources/a.swift");
    modules_expect(&t, "Sources/a.swift", "B", "Sources/B/b.swift");
    modules_expect(&t, "Sources/a.swift", ".", "external");
    modules_expect(&t, "Sources/a.swift", "../..", "external");
    modules_close(&t);
}
