// SPDX-License-Identifier: MIT
// What manifests depend on, and the pieces of their formats.
#include "base/buf.h"
#include "ktest.h"
#include "manifest/manifest.h"
#include "manifest/manifest_text.h"

// "flask -pytest": dependencies, those for development with a dash.
static void depends(const char *path, const char *text, const char *expected)
{
    ken_arena arena;
    ken_buf out = KEN_BUF_INIT(0);
    ken_manifest m = { .kind = KEN_MANIFEST_NONE };
    ken_arena_init(&arena, 0);
    ken_manifest_read(&m, ken_str_c(path), ken_str_c(text), &arena);
    for (size_t i = 0; i < m.deps.len; i++)
        ken_buf_printf(&out, "%s%s" KEN_STR_FMT, i ? " " : "", m.deps.ptr[i].is_dev ? "-" : "",
                       KEN_STR_ARG(m.deps.ptr[i].name));
    kt_eq_text(ken_buf_str(&out), expected);
    ken_buf_release(&out);
    ken_manifest_release(&m);
    ken_arena_release(&arena);
}

KEN_TEST(dependencies_of_each_format)
{
    depends("package.json",
            "\xef\xbb\xbf{ // people write this\n \"dependencies\": {\"react\": \"1\",},\n"
            " \"devDependencies\": {\"vite\": \"1\"} }",
            "react -vite");
    depends("pyproject.toml",
            "[project]\nname = \"x\"\ndependencies = [ # what runs\n  \"Flask[async]>=2\", # not "
            "\"this\"\n  'sql_alchemy',\n]\nversion = \"1\"\n"
            "[tool.poetry.dependencies]\npython = \"^3\"\n"
            "[tool.poetry.group.dev.dependencies]\npytest = \"*\"\n",
            "flask sql-alchemy python -pytest");
    depends("Cargo.toml",
            "[dependencies]\nserde.workspace = true\naxum = { version = \"1\" } # web\n"
            "[dev-dependencies]\ninsta = \"1\"\n[dependencies.tokio]\nversion = \"1\"\n"
            "features = [\n  \"full\", ]\n[workspace.dependencies]\nrand = \"1\"\n",
            "serde axum -insta tokio");
    depends("go.mod",
            "module x\nrequire a/one v1\nrequire (\n\tb/two v2\n\tc/three v3 // indirect\n)\n",
            "a/one b/two -c/three");
    depends("setup.cfg",
            "[metadata]\nname = x\n[options]\ninstall_requires =\n    aiohttp>=3\n    attrs\n"
            "packages = find:\n    no\n",
            "aiohttp attrs");
    depends("web/A.csproj",
            "<Project Sdk=\"Microsoft.NET.Sdk.Web\"><ItemGroup>\n"
            "<PackageReference Version=\"1\" Include=\"Dapper\" />\n"
            "<ProjectReference Include=\"..\\\\B\\\\B.csproj\" /></ItemGroup></Project>",
            "Microsoft.NET.Sdk.Web Dapper");
    depends("requirements-dev.txt", "black==1\n# no\n", "-black");
    depends("README.md", "flask\n", "");
}

KEN_TEST(a_list_of_toml_goes_to_its_bracket)
{
    ken_manifest_toml t = { .rest = KEN_STR("[a]\nx = [\n  \"]\", # ]\n  [1]\n]\ny = \"z\"\n"
                                            "w = [ open\n") };
    kt_true(ken_manifest_toml_next(&t));
    kt_true(ken_str_eq(t.key, KEN_STR("x")));
    kt_true(ken_str_ends(t.value, KEN_STR("[1]\n]")));
    kt_true(ken_manifest_toml_next(&t));
    kt_true(ken_str_eq(ken_manifest_toml_string(t.value), KEN_STR("z")));
    kt_true(ken_manifest_toml_next(&t));
    kt_true(ken_str_eq(t.value, KEN_STR("[ open")));
    kt_false(ken_manifest_toml_next(&t));
}
