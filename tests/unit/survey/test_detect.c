// SPDX-License-Identifier: MIT
// Front ends and back ends, one marker at a time.
#include "unit/survey/survey_lab.h"

static const char react[] = "{\"dependencies\": {\"react\": \"^18\"}}";
static const char express[] = "{\"dependencies\": {\"express\": \"^4\"}}";

// One manifest, with a file of code beside it.
static void manifest_gives(const char *path, const char *text, const char *frontend,
                           const char *backend)
{
    begin();
    put(path, text);
    put("main.py", "def main():\n    pass\n");
    look();
    sides_are(frontend, backend);
    end();
}

KEN_TEST(a_frontend_is_a_package_in_a_folder_that_says_so)
{
    static const char *const marks[] = { "react", "vue", "@angular/core", "svelte", "vite" };
    for (size_t i = 0; i < 5; i++) {
        char text[128];
        snprintf(text, sizeof text, "{\"devDependencies\": {\"%s\": \"1\"}}", marks[i]);
        manifest_gives("frontend/package.json", text, "frontend", "-");
        manifest_gives("client/package.json", text, "client", "-");
        manifest_gives("src/package.json", text, "src", "-");
    }
}

KEN_TEST(a_backend_is_a_package_in_a_folder_that_says_so)
{
    static const char *const marks[] = { "express", "fastify", "koa" };
    for (size_t i = 0; i < 3; i++) {
        char text[128];
        snprintf(text, sizeof text, "{\"dependencies\": {\"%s\": \"1\"}}", marks[i]);
        manifest_gives("backend/package.json", text, "-", "backend");
        manifest_gives("server/package.json", text, "-", "server");
        manifest_gives("api/package.json", text, "-", "api");
    }
    manifest_gives("backend/requirements.txt", "requests==2\n", "-", "backend");
    manifest_gives("api/go.mod", "module x\n\ngo 1.22\n", "-", "api");
}

KEN_TEST(services_of_other_languages)
{
    manifest_gives("pyproject.toml",
                   "[project]\nname = \"x\"\ndependencies = [\n  \"Flask>=2\",\n]\n", "-", ".");
    manifest_gives("svc/pyproject.toml",
                   "[tool.poetry.dependencies]\npython = \"^3\"\nfastapi = \"1\"\n", "-", "svc");
    manifest_gives("setup.py", "setup(name='x', install_requires=['Django>=4', 'psycopg2'])\n", "-",
                   ".");
    manifest_gives("setup.cfg", "[options]\ninstall_requires =\n    aiohttp>=3\n    attrs\n", "-",
                   ".");
    manifest_gives("Pipfile", "[packages]\nflask = \"*\"\n", "-", ".");
    manifest_gives("go.mod", "module x\n\nrequire (\n\tgithub.com/gin-gonic/gin v1.9.1\n)\n", "-",
                   ".");
    manifest_gives("svc/Cargo.toml", "[package]\nname = \"x\"\n\n[dependencies]\naxum = \"0.7\"\n",
                   "-", "svc");
    manifest_gives("svc/Cargo.toml", "[dependencies.actix-web]\nversion = \"4\"\n", "-", "svc");
    manifest_gives("pom.xml",
                   "<project><artifactId>me</artifactId><dependencies><dependency>"
                   "<groupId>org.springframework.boot</groupId>"
                   "<artifactId>spring-boot-starter-web</artifactId></dependency></dependencies>"
                   "</project>",
                   "-", ".");
    manifest_gives("app/build.gradle.kts",
                   "dependencies {\n    implementation(\"io.ktor:ktor-server-core:2.3\")\n}\n", "-",
                   "app");
    manifest_gives("app/build.gradle.kts",
                   "dependencies {\n    implementation(libs.ktor.server.cio)\n}\n", "-", "app");
    manifest_gives("Web/Web.csproj", "<Project Sdk=\"Microsoft.NET.Sdk.Web\">\n</Project>\n", "-",
                   "Web");
    manifest_gives("Gemfile", "source 'https://example.com'\ngem 'rails', '~> 7'\n", "-", ".");
    manifest_gives("composer.json", "{\"require\": {\"laravel/framework\": \"^11\"}}", "-", ".");
    manifest_gives("mix.exs", "defp deps do\n  [\n    {:phoenix, \"~> 1.7\"}\n  ]\nend\n", "-",
                   ".");
}

KEN_TEST(what_is_there_for_development_makes_no_service)
{
    manifest_gives("package.json", "{\"devDependencies\": {\"express\": \"4\"}}", "-", "-");
    manifest_gives("pyproject.toml",
                   "[project]\nname = \"flask\"\ndependencies = [\"werkzeug\"]\n\n"
                   "[project.optional-dependencies]\ntests = [\"django\"]\n",
                   "-", "-");
    manifest_gives("requirements-dev.txt", "flask\n", "-", "-");
    manifest_gives("go.mod", "module x\n\nrequire github.com/gin-gonic/gin v1 // indirect\n", "-",
                   "-");
    manifest_gives("Cargo.toml", "[dev-dependencies]\naxum = \"0.7\"\n", "-", "-");
    manifest_gives("Gemfile", "group :test do\n  gem 'rails'\nend\n", "-", "-");
    manifest_gives("Gemfile", "gem 'sinatra', path: '..'\n", "-", "-");
    manifest_gives("examples/shop/requirements.txt", "flask\n", "-", "-");
    manifest_gives("pom.xml", "<project><artifactId>spring-boot-x</artifactId></project>", "-",
                   "-");
}

KEN_TEST(broken_manifests_say_nothing)
{
    manifest_gives("frontend/package.json", "{\"dependencies\": {\"react\": ", "-", "-");
    manifest_gives("frontend/package.json", "[]", "-", "-");
    manifest_gives("frontend/package.json", "{\"dependencies\": [\"react\"]}", "-", "-");
    manifest_gives("pom.xml", "<project><dependency><artifactId>spring-boot", "-", "-");
    manifest_gives("pyproject.toml", "[project\ndependencies = [\"flask", "-", "-");
}

// Laravel's `app` answers requests; what draws is where it is drawn.
KEN_TEST(a_folder_called_app_is_no_front_end_by_its_name)
{
    begin();
    put("composer.json", "{\"require\": {\"laravel/framework\": \"^11\"}}");
    put("package.json", "{\"devDependencies\": {\"vue\": \"3\"}}");
    put("app/Http/Controllers/A.php", "<?php\nnamespace App\\Http\\Controllers;\nclass A {}\n");
    put("resources/js/components/A.vue", "<template><p/></template>\n");
    put("resources/js/pages/B.vue", "<template><p/></template>\n");
    look();
    sides_are("resources/js", ".");
    end();
    begin();
    put("package.json", "{\"dependencies\": {\"express\": \"4\", \"react\": \"18\"}}");
    put("app/App.tsx", "export const App = () => null;\n");
    put("server/main.ts", "export const main = 1;\n");
    look();
    sides_are("app", "server");
    end();
}

KEN_TEST(nothing_is_found_in_a_library)
{
    begin();
    put("package.json", "{\"name\": \"x\", \"dependencies\": {\"lodash\": \"4\"}}");
    put("src/x.js", "export function x() { return 1; }\n");
    look();
    sides_are("-", "-");
    kt_eq_u(found.n_parts, 0);
    end();
}

KEN_TEST(both_sides_in_folders_of_one_tree)
{
    begin();
    put("frontend/package.json", react);
    put("frontend/src/App.jsx", "export function App() { return null; }\n");
    put("backend/package.json", express);
    put("backend/server.js", "const app = require('express')();\n");
    look();
    sides_are("frontend", "backend");
    kt_eq_u(found.n_parts, 2);
    kt_eq_text(found.parts[0].path, "backend");
    kt_eq_text(found.parts[0].stack, "express");
    kt_eq_text(found.parts[1].manifest, "frontend/package.json");
    end();
}

KEN_TEST(both_sides_in_one_package_are_kept_apart_by_their_folders)
{
    begin();
    put("package.json", "{\"dependencies\": {\"express\": \"4\", \"react\": \"18\"}}");
    put("src/client/App.jsx", "export function App() { return null; }\n");
    put("src/server/index.js", "const app = require('express')();\n");
    look();
    sides_are("src/client", "src/server");
    kt_eq_u(found.n_parts, 1);
    kt_true(found.parts[0].is_frontend && found.parts[0].is_backend);
    end();
}

KEN_TEST(both_sides_in_one_folder)
{
    begin();
    put("package.json", "{\"dependencies\": {\"express\": \"4\", \"react\": \"18\"}}");
    put("App.jsx", "export function App() { return null; }\n");
    put("index.js", "const app = require('express')();\n");
    look();
    sides_are(".", ".");
    end();
}

KEN_TEST(a_tree_of_packages)
{
    begin();
    put("package.json", "{\"workspaces\": [\"apps/*\"], \"dependencies\": {\"express\": \"4\"}}");
    put("apps/web/package.json", "{\"dependencies\": {\"next\": \"14\"}}");
    put("apps/web/pages/index.tsx", "export default function Index() { return null; }\n");
    put("apps/api/package.json", "{\"dependencies\": {\"fastify\": \"4\"}}");
    put("apps/api/main.ts", "export const x = 1;\n");
    put("apps/docs/package.json",
        "{\"dependencies\": {\"react\": \"18\", \"@docusaurus/core\": \"3\"}}");
    put("apps/docs/index.tsx", "export default function Index() { return null; }\n");
    put("packages/ui/package.json", "{\"devDependencies\": {\"react\": \"18\"}}");
    put("packages/ui/Button.tsx", "export function Button() { return null; }\n");
    look();
    sides_are("apps/web", "apps/api");
    kt_eq_u(found.n_parts, 3); // the root has no code of its own
    kt_eq_text(found.parts[2].path, "packages/ui");
    end();
}

KEN_TEST(a_site_of_documentation_is_no_frontend)
{
    begin();
    put("website/package.json",
        "{\"dependencies\": {\"react\": \"18\", \"@docusaurus/core\": \"3\"}}");
    put("website/index.tsx", "export default function Index() { return null; }\n");
    look();
    sides_are("-", "-");
    end();
}

KEN_TEST(a_server_without_a_framework_is_found_by_its_routes)
{
    begin();
    put("go.mod", "module x\n\ngo 1.22\n");
    put("cmd/serve/main.go", "package main\n\nimport \"net/http\"\n\n"
                             "func list(w http.ResponseWriter, r *http.Request) {}\n\n"
                             "func main() {\n"
                             "\thttp.HandleFunc(\"/a\", list)\n"
                             "\thttp.HandleFunc(\"/b\", list)\n"
                             "\thttp.ListenAndServe(\":80\", nil)\n}\n");
    look();
    sides_are("-", ".");
    end();
}

KEN_TEST(folders_that_are_given_win)
{
    begin();
    put("frontend/package.json", react);
    put("web/x.js", "export const x = 1;\n");
    look_with((ken_survey_opts){ .frontend = KEN_STR("web"), .backend = KEN_STR("web") });
    sides_are("web", "web");
    end();
}
