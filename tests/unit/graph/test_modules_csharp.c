// SPDX-License-Identifier: MIT
// C#: namespaces by declaration, seen through the references of projects.
#include "ktest.h"
#include "modules_tree.h"

KEN_TEST(modules_csharp_namespaces_are_the_files_that_declare_them)
{
    static const modules_file files[] = {
        { "Src/Acme.csproj", "<Project/>", "" },
        { "Src/Program.cs", "", "Acme" },
        { "Src/Json/Reader.cs", "", "Acme.Json" },
        { "Src/Other/Writer.cs", "", "Acme.Json" },
        { "Src/Globals.cs", "", "" },
    };
    modules_tree t;
    modules_open(&t, files, 5);
    modules_expect(&t, "Src/Program.cs", "Acme.Json", "Src/Json/Reader.cs Src/Other/Writer.cs");
    modules_expect(&t, "Src/Program.cs", "global::Acme.Json.Reader<T>",
                   "Src/Json/Reader.cs Src/Other/Writer.cs + Reader");
    modules_expect(&t, "Src/Program.cs", "System.Linq", "external");
    modules_expect(&t, "Src/Globals.cs", "Gone", "external");
    modules_expect_around(&t, "Src/Json/Reader.cs",
                          "Src/Json/Reader.cs Src/Other/Writer.cs Src/Program.cs Src/Globals.cs");
    modules_close(&t);
}

KEN_TEST(modules_csharp_projects_see_what_they_refer_to)
{
    static const modules_file files[] = {
        { "App/App.csproj",
          "<Project><ItemGroup>\n<ProjectReference Include=\"..\\Mid\\Mid.csproj\" />\n"
          "<ProjectReference Include=\"..\\..\\Out\\Out.csproj;;\"></ItemGroup></Project>",
          "" },
        { "App/Main.cs", "", "App" },
        { "Mid/Mid.csproj", "<ProjectReference Include=\"../Low/Low.csproj\"/>", "" },
        { "Mid/M.cs", "", "Shared" },
        { "Low/Low.csproj", "<ProjectReference Include=\"../Mid/Mid.csproj\"/>", "" }, // a circle
        { "Low/L.cs", "", "Shared" },
        { "Demo/Demo.csproj", "", "" },
        { "Demo/D.cs", "", "Shared" },
        { "Demo/Only.cs", "", "OnlyDemo" },
    };
    modules_tree t;
    modules_open(&t, files, 9);
    modules_expect(&t, "App/Main.cs", "Shared", "Low/L.cs Mid/M.cs");
    modules_expect(&t, "Low/L.cs", "Shared", "Low/L.cs Mid/M.cs");
    modules_expect(&t, "Demo/Only.cs", "Shared", "Demo/D.cs");
    modules_expect(&t, "App/Main.cs", "OnlyDemo", "Demo/Only.cs"); // said in some other way
    modules_expect_around(&t, "Demo/D.cs", "Demo/D.cs");
    modules_close(&t);
}

KEN_TEST(modules_csharp_broken_projects_are_passed_over)
{
    static const modules_file files[] = {
        { "a/a.csproj", "<ProjectReference <ProjectReference Include= <ProjectReference Include=\"",
          "" },
        { "a/b.csproj", "<ProjectReference Include=\"../../../x.csproj\">", "" },
        { "a/A.cs", "", "A" },
        { "b/b.csproj", "", "" },
        { "b/B.cs", "", "A" },
    };
    modules_tree t;
    modules_open(&t, files, 5);
    modules_expect(&t, "a/A.cs", "A", "a/A.cs");
    modules_expect(&t, "a/A.cs", "A.", "a/A.cs");
    modules_expect(&t, "a/A.cs", "<", "external");
    modules_expect(&t, "a/A.cs", "...", "external");
    modules_close(&t);
}
