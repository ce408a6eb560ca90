// SPDX-License-Identifier: MIT
// Habits of trees that are written here, with exact counts, and the same trees with too little
// support.
#include "base/utf8.h"
#include "unit/survey/survey_lab.h"

// ---- modules -----------------------------------------------------------------------------------

static void put_layers(unsigned n)
{
    put_many("src/base/b%u.py", 0, 4, "def base%u():\n    return 1\n");
    put_many("src/mid/m%u.py", 0, n,
             "from src.base.b1 import base1\n\n\ndef mid%u():\n    return base1()\n");
    put_many("src/top/t%u.py", 0, n,
             "from src.base.b2 import base2\nfrom src.mid.m1 import mid1\n\n\n"
             "def top%u():\n    return mid1()\n");
    put("src/__init__.py", "VERSION = 1\n");
    put("src/base/__init__.py", "A = 1\n");
    put("src/mid/__init__.py", "A = 2\n");
    put("src/top/__init__.py", "A = 3\n");
}

KEN_TEST(folders_that_import_one_way_only_are_layers)
{
    begin();
    put_layers(9);
    look();
    const ken_finding *f =
        says("layers", 27, 27,
             "Layers, lowest first: `src/base`, `src/mid`, `src/top`. A folder MUST NOT import one "
             "that stands after it.");
    kt_eq_text(f->evidence, "all 27 imports between them lead down, none leads up");
    kt_eq_u(f->check.kind, KEN_CHECK_LAYERS);
    kt_eq_u(f->check.layers.n, 3);
    kt_eq_text(f->check.layers.items[0], "src/base/**");
    kt_null(find("src-base-imports")); // said by the layers
    end();
}

KEN_TEST(three_imports_make_no_layer)
{
    begin();
    put_layers(3);
    look();
    kt_null(find("layers"));
    end();
}

KEN_TEST(one_import_back_makes_no_rule)
{
    begin();
    put_layers(9);
    put_many("src/base/c%u.py", 0, 7,
             "from src.top.t1 import top1\n\n\ndef c%u():\n    return top1()\n");
    look();
    kt_null(find("layers"));
    // Base and top are not ordered any more; the other pairs are.
    const ken_finding *f = says("src-base-imports", 7, 7, "`src/base` MUST NOT import `src/mid`.");
    kt_eq_text(f->evidence, "0 of its 7 imports lead there; 9 lead the other way (from src/mid 9)");
    kt_eq_u(f->check.kind, KEN_CHECK_FORBID_IMPORT);
    kt_eq_text(f->check.in.items[0], "src/base/**");
    kt_eq_text(f->check.to.items[0], "src/mid/**");
    end();
}

// Of one import nothing follows: chance may have kept it out of the middle.
KEN_TEST(what_imports_little_is_kept_apart_by_nobody)
{
    begin();
    put_layers(9);
    put("src/base/b9.py", "from src.top.t1 import top1\n\n\ndef b9():\n    return top1()\n");
    look();
    kt_null(find("layers"));
    kt_null(find("src-base-imports"));
    end();
}

KEN_TEST(an_import_back_from_a_test_counts_as_well)
{
    begin();
    put_layers(9);
    put("src/base/test_b.py", "from src.mid.m1 import mid1\n\n\ndef test_b():\n    mid1()\n");
    look();
    kt_null(find("layers"));
    end();
}

KEN_TEST(a_package_that_one_folder_alone_imports)
{
    begin();
    put_many("src/db/d%u.js", 0, 10,
             "import pg from 'pg';\n\nexport function d%u() { return pg; }\n");
    put_many("src/web/w%u.js", 0, 12, "export function w%u() { return 1; }\n");
    put_many("src/util/u%u.js", 0, 12, "export function u%u() { return 1; }\n");
    look();
    const ken_finding *f =
        says("only-src-db-imports-pg", 10, 10, "Code outside of `src/db` MUST NOT import `pg`.");
    kt_eq_text(f->evidence, "all 10 files that import it are there, with 29 % of such files");
    kt_eq_text(f->check.except.items[0], "src/db/**");
    end();
}

// Folders of frameworks are called so; as a pattern it would mean other folders.
KEN_TEST(a_folder_in_brackets_is_itself_in_globs)
{
    begin();
    put_many("src/[db]/d%u.js", 0, 10,
             "import pg from 'pg';\n\nexport function d%u() { return pg; }\n");
    put_many("src/web/w%u.js", 0, 12, "export function w%u() { return 1; }\n");
    put_many("src/util/u%u.js", 0, 12, "export function u%u() { return 1; }\n");
    look();
    const ken_finding *f =
        says("only-src-db-imports-pg", 10, 10, "Code outside of `src/[db]` MUST NOT import `pg`.");
    kt_eq_text(f->check.except.items[0], "src/\\[db\\]/**");
    end();
}

// ---- names -------------------------------------------------------------------------------------

KEN_TEST(names_of_files_need_names_that_tell_styles_apart)
{
    begin();
    put_many("src/user-item%u.js", 0, 18, "export function loadItem%u() { return 1; }\n");
    put("src/one.js", "export function one() { return 1; }\n");
    put("src/badName.js", "export function bad_name() { return 1; }\n");
    look();
    const ken_finding *f =
        says("files-javascript", 19, 20, "JavaScript files SHOULD be named in kebab-case.");
    kt_eq_text(f->evidence, "19 of 20 files; 18 of them have a name that only kebab-case fits");
    kt_eq_u(f->n_exceptions, 1);
    kt_eq_text(f->exceptions[0].path, "src/badName.js");
    kt_true(f->check.is_of_files);
    kt_eq_u(f->check.except.n, 1);
    kt_eq_text(f->check.except.items[0], "src/badName.js");
    end();
    begin();
    put_many("src/item%u.js", 0, 20, "export function load%u() { return 1; }\n");
    look();
    kt_null(find("files-javascript")); // any style would do
    end();
}

KEN_TEST(code_of_others_has_no_say)
{
    begin();
    put_many("src/user_item%u.js", 0, 10, "export function loadItem%u() { return 1; }\n");
    put_many("deps/userItem%u.js", 0, 10, "export function loadItem%u() { return 1; }\n");
    look();
    const ken_finding *f =
        says("files-javascript", 10, 10, "JavaScript files MUST be named in snake_case.");
    kt_eq_u(f->check.except.n, 1);
    kt_eq_text(f->check.except.items[0], "deps/**");
    kt_eq_u(found.n_code, 10);
    kt_eq_u(found.n_aside, 0); // not even looked into
    end();
    begin(); // nor has it where a check has exceptions of its own
    put_many("src/controllers/User%uController.js", 0, 40, "export function a%u() { return 1; }\n");
    put("deps/controllers/other.js", "export function b() { console.log(1); }\n");
    look();
    f = find("files-in-controllers");
    kt_not_null(f);
    kt_eq_u(f->check.except.n, 5);
    kt_eq_text(f->check.except.items[4], "deps/**");
    end();
}

KEN_TEST(files_of_a_folder_that_end_alike)
{
    begin();
    put_many("app/controllers/user%uController.php", 0, 9,
             "<?php\n\nclass User%uController\n{\n}\n");
    put("app/controllers/Base.php", "<?php\n\nclass Base\n{\n}\n");
    look();
    const ken_finding *f = says("files-in-controllers", 9, 10,
                                "Names of files in folders called `controllers` SHOULD end in "
                                "`Controller.php`.");
    kt_eq_text(f->check.pattern, "Controller$");
    kt_eq_u(f->check.except.n, 5);
    kt_eq_text(f->check.except.items[4], "app/controllers/Base.php");
    end();
}

// ---- tests -------------------------------------------------------------------------------------

KEN_TEST(where_tests_stand_and_how_they_are_called)
{
    begin();
    put("pkg/a.py", "def a():\n    return 1\n");
    put_many("tests/test_a%u.py", 0, 9, "import pytest\n\n\ndef test_a%u():\n    assert pytest\n");
    put("tests/b_test.py", "def test_b():\n    assert True\n");
    put("tests/helpers.py", "def help():\n    return 1\n");
    look();
    says("test-files-python", 9, 10, "Python test files SHOULD be named `test_*.py`.");
    const ken_finding *f =
        says("place-of-tests-python", 10, 10, "Python test files MUST stand under `tests/**`.");
    kt_eq_u(f->check.kind, KEN_CHECK_PLACEMENT);
    kt_eq_text(f->check.under, "tests/**");
    says("tests-use-pytest-python", 9, 10, "Python test files SHOULD import `pytest`.");
    end();
}

KEN_TEST(tests_beside_what_they_test)
{
    begin();
    put_many("src/part%u.ts", 0, 8, "export function part%u() { return 1; }\n");
    put_many("src/part%u.test.ts", 0, 8,
             "import { part%u } from './part';\n\ntest('x', () => part%u());\n");
    look();
    says("place-of-tests-typescript", 8, 8,
         "TypeScript test files MUST stand beside the file that they test.");
    end();
}

KEN_TEST(names_of_tests_have_the_extensions_that_there_are)
{
    begin();
    put_many("test/a%u.test.mjs", 0, 8, "import test from 'node:test';\ntest('a', () => {});\n");
    put_many("ui/b%u.test.ts", 0, 6, "test('b', () => {});\n");
    put_many("ui/c%u.test.tsx", 0, 6, "test('c', () => {});\n");
    look();
    says("test-files-javascript", 8, 8, "JavaScript test files MUST be named `*.test.mjs`.");
    says("test-files-typescript", 12, 12, "TypeScript test files MUST be named `*.test.{ts,tsx}`.");
    end();
}

KEN_TEST(three_tests_say_nothing)
{
    begin();
    put("a.py", "def a():\n    return 1\n");
    put_many("tests/test_a%u.py", 0, 3, "def test_a%u():\n    assert True\n");
    look();
    kt_null(find("test-files-python"));
    kt_null(find("place-of-tests-python"));
    end();
}

// ---- handlers ----------------------------------------------------------------------------------

static void put_routes(unsigned from, unsigned to, const char *through)
{
    for (unsigned i = from; i < to; i++) {
        char name[64], text[1024];
        snprintf(name, sizeof name, "routes/r%u.js", i);
        snprintf(text, sizeof text,
                 "const express = require('express');\n"
                 "const router = express.Router();\n\n"
                 "router.get('/things/%u', %sasync (req, res) => {\n"
                 "  const data = await load(req.params.id);\n"
                 "  // res.send('never')\n"
                 "  res.status(200).json({ ok: true, data });\n"
                 "});\n\nmodule.exports = router;\n",
                 i, through);
        put(name, text);
    }
}

KEN_TEST(what_routes_of_express_pass_through_and_answer)
{
    begin();
    put("package.json", "{\"dependencies\": {\"express\": \"4\"}}");
    put_routes(0, 11, "requireAuth, validate(schema), ");
    put_routes(11, 12, "");
    look();
    const ken_finding *f =
        says("api-requireauth", 11, 12,
             "Endpoints (express route handlers) SHOULD pass through `requireAuth`.");
    kt_eq_text(f->evidence, "11 of 12 handlers outside of tests and examples; not GET …/things/11");
    kt_eq_u(f->n_exceptions, 1);
    kt_eq_text(f->exceptions[0].path, "routes/r11.js");
    kt_eq_u(f->examples[0].first_line, 3);
    kt_eq_u(f->examples[0].last_line, 7);
    kt_eq_u(f->check.except.n, 1); // what is there is no violation
    kt_eq_text(f->check.except.items[0], "routes/r11.js");
    says("api-validate", 11, 12,
         "Endpoints (express route handlers) SHOULD pass through `validate`.");
    says("api-first-load", 12, 12,
         "Endpoints (express route handlers) MUST begin with a call of `load`.");
    says("api-answers", 12, 12,
         "Endpoints (express route handlers) MUST answer with `res.json({ data, ok, … })`.");
    kt_eq_text(found.response_format, "res.json({ data, ok, … })");
    kt_eq_u(found.n_middleware, 3);
    end();
}

// What one line does for all of them is nothing that a new handler must do; another router is no step.
KEN_TEST(what_an_application_does_for_all_routes)
{
    begin();
    put("package.json", "{\"dependencies\": {\"express\": \"4\"}}");
    put("auth.js", "exports.requireAuth = (req, res, next) => next();\n");
    put_many("routes/r%u.js", 0, 8,
             "const express = require('express');\nconst { requireAuth } = require('../auth');\n"
             "const router = express.Router();\n"
             "router.get('/a%u', requireAuth, (req, res) => { res.send('x'); });\n"
             "module.exports = router;\n");
    char text[2048] = "const express = require('express');\nconst app = express();\n"
                      "app.use(express.json());\n";
    for (unsigned i = 0; i < 8; i++)
        snprintf(text + strlen(text), sizeof text - strlen(text),
                 "const router%u = require('./routes/r%u');\napp.use('/api', router%u);\n", i, i,
                 i);
    put("app.js", text);
    look();
    says("api-requireauth", 8, 8,
         "Endpoints (express route handlers) MUST pass through `requireAuth`.");
    kt_null(find("api-express-json"));
    for (size_t i = 0; i < found.n_findings; i++)
        kt_true(ken_str_find(found.findings[i].rule, KEN_STR("router")) == SIZE_MAX);
    end();
}

// What a compiler wrote is no code of its own; wiring and data call nobody.
KEN_TEST(what_is_compiled_does_not_count)
{
    begin();
    put("package.json", "{\"dependencies\": {\"express\": \"4\"}}");
    put_many("src/f%u/f%u.service.ts", 0, 5,
             "import { Rec%u } from './f%u.entity';\nexport const load%u = () => new Rec%u();\n");
    put_many("src/f%u/f%u.entity.ts", 0, 5, "export class Rec%u { id = 1; }\n");
    put_many("dist/f%u/f%u.service.js", 0, 5,
             "\"use strict\";\nObject.defineProperty(exports, \"__esModule\", { value: true });\n"
             "const e = require('./f%u.entity');\nexports.load%u = () => new e.Rec%u();\n");
    put_many("dist/f%u/f%u.entity.js", 0, 5,
             "\"use strict\";\nObject.defineProperty(exports, \"__esModule\", { value: true });\n"
             "exports.Rec%u = class { };\n");
    look();
    for (size_t i = 0; i < found.n_findings; i++)
        kt_true(ken_str_find(found.findings[i].rule, KEN_STR(".js")) == SIZE_MAX);
    kt_null(find("calls-from-service-ts-to-entity-ts"));
    kt_eq_u(found.n_code, 10);
    end();
}

// A constructor is given the outermost type; what is imported to be built on is no gateway; names
// that a generator dates are no role.
KEN_TEST(what_says_nothing_about_php_and_generics)
{
    begin();
    put("composer.json", "{\"require\": {\"laravel/framework\": \"10\"}}");
    put("app/Base.php", "<?php\nnamespace App;\nclass Base {}\n");
    put_many("app/Thing%uController.php", 0, 8,
             "<?php\nnamespace App;\nuse App\\Base;\nclass Thing%uController extends Base {\n"
             "  function show() { return 1; }\n}\n");
    put_many("app/Other%u.php", 0, 30, "<?php\nnamespace App;\nclass Other%u {}\n");
    put_many("database/2014_10_12_00000%u_make_%u_table.php", 0, 6,
             "<?php\nuse Illuminate\\Database\\Schema;\nclass Make%u { function up() {} }\n");
    put_many("ts/src/User%uEntity.ts", 0, 5, "export class User%uEntity { id = 1; }\n");
    put("ts/src/Repository.ts", "export class Repository<T> { all: T[] = []; }\n");
    put_many("ts/src/User%uService.ts", 0, 5,
             "import { User%uEntity } from './User%uEntity';\n"
             "import { Repository } from './Repository';\n"
             "export class User%uService {\n"
             "  constructor(private readonly all: Repository<User%uEntity>) {}\n}\n");
    look();
    kt_null(find("constructors-of-service"));
    for (size_t i = 0; i < found.n_findings; i++) {
        kt_true(ken_str_find(found.findings[i].rule, KEN_STR("_table.php")) == SIZE_MAX);
        kt_true(ken_str_find(found.findings[i].rule, KEN_STR("PHP files")) == SIZE_MAX);
        kt_true(ken_str_find(found.findings[i].rule, KEN_STR("MAY import `app/Base")) == SIZE_MAX);
    }
    end();
}

// What reads need not pass through what writes do.
KEN_TEST(what_only_routes_that_write_pass_through)
{
    begin();
    put("package.json", "{\"dependencies\": {\"express\": \"4\"}}");
    put("lib/auth.js", "exports.required = (req, res, next) => next();\n");
    put_many("routes/r%u.js", 0, 6,
             "const express = require('express');\nconst auth = require('../lib/auth');\n"
             "const router = express.Router();\n\n"
             "router.get('/a%u', (req, res) => { res.send('x'); });\n"
             "router.post('/a%u', auth.required, (req, res) => { res.send('x'); });\n"
             "router.delete('/a%u', auth.required, (req, res) => { res.send('x'); });\n"
             "module.exports = router;\n");
    put("routes/login.js",
        "const express = require('express');\nconst router = express.Router();\n"
        "router.post('/login', (req, res) => { res.send('x'); });\nmodule.exports = router;\n");
    look();
    const ken_finding *f =
        says("api-auth-required-on-writes", 12, 13,
             "Endpoints (express route handlers, POST, PUT, PATCH and DELETE) SHOULD "
             "pass through `auth.required`.");
    kt_eq_text(f->evidence, "12 of 13 handlers outside of tests and examples; not POST …/login");
    kt_eq_u(f->check.methods.n, 4);
    kt_eq_text(f->check.methods.items[0], "POST");
    kt_eq_text(f->check.except.items[0], "routes/login.js");
    end();
}

KEN_TEST(handlers_that_hand_errors_on_and_call_services)
{
    begin();
    put("package.json", "{\"dependencies\": {\"express\": \"4\"}}");
    put_many("src/f%u/f%u.service.ts", 0, 5, "export const load%u = async () => 1;\n");
    put_many("src/f%u/f%u.controller.ts", 0, 5,
             "import { Router } from 'express';\nimport { load%u } from './f%u.service';\n"
             "const router = Router();\n"
             "router.get('/f%u', async (req, res, next) => {\n"
             "  try {\n    res.json(await load%u());\n  } catch (error) {\n    next(error);\n  }\n"
             "});\nexport default router;\n");
    look();
    says(
        "api-errors-next", 5, 5,
        "Endpoints (express route handlers) MUST catch errors and hand them to their last parameter, "
        "`next`.");
    says("api-work-in-service-ts", 5, 5,
         "Endpoints (express route handlers) MUST do their work in files called `*.service.ts`.");
    const ken_finding *f = says("calls-from-controller-ts-to-service-ts", 5, 5,
                                "`*.controller.ts` files call `*.service.ts` files; those MUST NOT "
                                "import `*.controller.ts`.");
    kt_eq_u(f->check.kind, KEN_CHECK_FORBID_IMPORT);
    kt_eq_text(f->check.in.items[0], "**/*.service.ts");
    says("beside-controller-ts-service-ts", 5, 5,
         "A file `X.controller.ts` MUST have its `X.service.ts` beside it, in the folder of the "
         "feature.");
    end();
}

// A file that opens brackets without an end is gone through once, not once for each of them.
KEN_TEST(uses_of_a_router_that_never_end)
{
    enum {
        LINES = 50000
    };
    ken_buf text = KEN_BUF_INIT(1 << 20);
    begin();
    put("package.json", "{\"dependencies\": {\"express\": \"4\"}}");
    put_routes(0, 40, "requireAuth, ");
    ken_buf_printf(&text,
                   "const express = require('express');\nconst router = express.Router();\n");
    for (int i = 0; i < LINES; i++)
        ken_buf_printf(&text, "router.use(\n");
    for (int i = 0; i < 3; i++)
        ken_buf_printf(&text, "router.get('/x%d', load);\n", i);
    char *endless = ken_buf_steal(&text);
    put("routes/endless.js", endless);
    ken_free(endless);
    look();
    says("api-requireauth", 40, 43,
         "Endpoints (express route handlers) SHOULD pass through `requireAuth`.");
    end();
}

KEN_TEST(two_of_twelve_routes_without_it_are_too_many)
{
    begin();
    put("package.json", "{\"dependencies\": {\"express\": \"4\"}}");
    put_routes(0, 10, "requireAuth, ");
    put_routes(10, 12, "");
    look();
    kt_null(find("api-requireauth"));
    end();
    begin(); // nor do three
    put("package.json", "{\"dependencies\": {\"express\": \"4\"}}");
    put_routes(0, 3, "requireAuth, ");
    look();
    kt_null(find("api-requireauth"));
    end();
}

KEN_TEST(decorators_of_flask)
{
    begin();
    put("requirements.txt", "flask\n");
    put_many("api/r%u.py", 0, 9,
             "from flask import Flask, jsonify\n\napp = Flask(__name__)\n\n\n"
             "@app.route('/r%u')\n@login_required\ndef r%u():\n"
             "    '''Says: render_template()'''\n"
             "    return jsonify(ok=True)\n");
    look();
    says("api-login-required", 9, 9,
         "Endpoints (flask route handlers) MUST pass through `login_required`.");
    says("api-answers", 9, 9, "Endpoints (flask route handlers) MUST answer with `jsonify(…)`.");
    end();
}

KEN_TEST(dependencies_of_fastapi)
{
    begin();
    put("requirements.txt", "fastapi\n");
    put_many("api/r%u.py", 0, 9,
             "from fastapi import APIRouter, Depends\n\nrouter = APIRouter()\n\n\n"
             "@router.get('/r%u')\nasync def r%u(user=Depends(current_user)):\n"
             "    return {'ok': True}\n");
    look();
    says("api-current-user", 9, 9,
         "Endpoints (fastapi route handlers) MUST pass through `current_user`.");
    end();
}

// S3-25: what there is to copy is told whatever its habits.
KEN_TEST(endpoints_of_fastapi_and_spring_are_described)
{
    begin();
    put("requirements.txt", "fastapi\n");
    put("api/r.py", "from fastapi import APIRouter\n\nrouter = APIRouter()\n\n\n"
                    "@router.get('/a')\ndef a():\n    return {}\n\n\n"
                    "@router.post('/b')\ndef b():\n    return {}\n");
    put("web/pom.xml", "<project><dependencies><dependency><artifactId>spring-web</artifactId>"
                       "</dependency></dependencies></project>\n");
    put("web/AController.java",
        "import org.springframework.web.bind.annotation.*;\n\n@RestController\n"
        "public class AController {\n  @GetMapping(\"/a\")\n  public String a() {\n    return \"\";\n"
        "  }\n\n  @GetMapping(\"/b\")\n  public String b() {\n    return \"\";\n  }\n}\n");
    look();
    const ken_finding *f =
        says("endpoints-fastapi", 2, 2, "Endpoints are route handlers of fastapi, in `api/**`.");
    kt_true(f->is_fact && f->n_examples);
    kt_eq_text(f->evidence,
               "2 handlers outside of tests and examples; routes by method: GET 1, POST 1");
    says("endpoints-spring", 2, 2, "Endpoints are route handlers of spring, in `web/**`.");
    end();
}

// What the type of a parameter carries is asked for by name.
KEN_TEST(types_that_carry_dependencies)
{
    begin();
    put("requirements.txt", "fastapi\n");
    put("app/__init__.py", "A = 1\n");
    put("app/deps.py", "from typing import Annotated\nfrom fastapi import Depends\n\n\n"
                       "def get_db():\n    return 1\n\n\n"
                       "SessionDep = Annotated[int, Depends(get_db)]\n");
    put_many("app/r%u.py", 0, 6,
             "from fastapi import APIRouter\nfrom app.deps import SessionDep\n\n"
             "router = APIRouter()\n\n\n"
             "@router.get('/r%u')\ndef r%u(session: SessionDep):\n    return session\n");
    look();
    const ken_finding *f = says("api-takes-sessiondep", 6, 6,
                                "Endpoints that need `get_db` MUST take a parameter of type "
                                "`SessionDep` (`app/deps.py`) and not ask for the function "
                                "themselves.");
    kt_eq_u(f->check.kind, KEN_CHECK_FORBID_SYMBOL);
    kt_eq_text(f->check.names.items[0], "app/deps.py:get_db");
    end();
    begin();
    put_many("src/A%uRepository.java", 0, 5, "package a;\n\npublic interface A%uRepository {\n}\n");
    put_many("src/A%uController.java", 0, 5,
             "package a;\n\nclass A%uController {\n"
             "  private final A%uRepository all;\n\n"
             "  A%uController(A%uRepository all) {\n    this.all = all;\n  }\n}\n");
    put("src/HomeController.java", "package a;\n\nclass HomeController {\n}\n");
    look();
    says("constructors-of-controller", 5, 5,
         "Types named `*Controller` MUST get their `*Repository` through the constructor.");
    end();
}

// Who asks for the function itself is against the type; who needs neither is no case.
KEN_TEST(types_that_stand_for_a_function_where_it_is_needed)
{
    begin();
    put("requirements.txt", "fastapi\n");
    put("app/__init__.py", "A = 1\n");
    put("app/deps.py", "from typing import Annotated\nfrom fastapi import Depends\n\n\n"
                       "def get_user():\n    return 1\n\n\n"
                       "CurrentUser = Annotated[int, Depends(get_user)]\n");
    put_many("app/r%u.py", 0, 9,
             "from fastapi import APIRouter\nfrom app.deps import CurrentUser\n\n"
             "router = APIRouter()\n\n\n"
             "@router.get('/r%u')\ndef r%u(user: CurrentUser):\n    return user\n\n\n"
             "@router.get('/open%u')\ndef open%u():\n    return 1\n");
    put("app/old.py", "from fastapi import APIRouter, Depends\nfrom app.deps import get_user\n\n"
                      "router = APIRouter()\n\n\n"
                      "@router.get('/old')\ndef old(user: int = Depends(get_user)):\n"
                      "    return user\n");
    look();
    const ken_finding *f = says("api-takes-currentuser", 9, 10,
                                "Endpoints that need `get_user` SHOULD take a parameter of type "
                                "`CurrentUser` (`app/deps.py`) and not ask for the function "
                                "themselves.");
    kt_eq_u(f->check.except.n, 2); // where it is defined, and the one that asks
    end();
}

// A model that a route's decorator names; where the signature says what is given none is needed.
KEN_TEST(what_decorators_of_routes_say)
{
    begin();
    put("requirements.txt", "fastapi\n");
    put("app/__init__.py", "A = 1\n");
    put("app/models.py", "class Item:\n    pass\n\n\nclass Message:\n    pass\n");
    put_many("app/r%u.py", 0, 8,
             "from typing import Any\nfrom fastapi import APIRouter\n"
             "from app.models import Item, Message\n\nrouter = APIRouter()\n\n\n"
             "@router.get(\n    '/r%u',\n    response_model=list[Item],\n)\n"
             "def r%u() -> Any:\n    return 1\n\n\n"
             "@router.delete('/r%u', status_code=204)\n"
             "def gone%u() -> Message:\n    return Message()\n");
    look();
    const ken_finding *f = says("api-option-response-model", 8, 8,
                                "Endpoints (fastapi route handlers) MUST say in the decorator of "
                                "their route `response_model`.");
    kt_true(ken_str_find(f->evidence, KEN_STR("whose signature does not say")) != SIZE_MAX);
    kt_null(find("api-option-status-code"));
    end();
}

// A filter that controllers name is a habit; one that a base runs for all of them needs no word.
KEN_TEST(what_controllers_of_rails_pass_through)
{
    begin();
    put("Gemfile", "gem 'rails'\n");
    put("config/routes.rb", "Rails.application.routes.draw do\n"
                            "  resources :a0s, only: [:index, :show]\n"
                            "  resources :a1s, only: [:index, :show]\n"
                            "  resources :a2s, only: [:index, :show]\nend\n");
    put("app/controllers/application_controller.rb",
        "class ApplicationController < ActionController::Base\n"
        "  before_action :count_visits\n\n"
        "  def require_user\n    1\n  end\n\n"
        "  def count_visits\n    2\n  end\nend\n");
    put_many("app/controllers/a%us_controller.rb", 0, 3,
             "class A%usController < ApplicationController\n"
             "  before_action :require_user\n"
             "  before_action :find_it, only: %i[show]\n\n"
             "  def index\n    render\n  end\n\n"
             "  def show\n    render\n  end\n\n"
             "  private\n\n  def find_it\n    3\n  end\nend\n");
    look();
    says("api-require-user", 6, 6,
         "Endpoints (rails route handlers) MUST pass through `require_user`.");
    kt_null(find("api-count-visits"));
    kt_null(find("api-find-it"));
    end();
}

// A parameter of a generic type is given to no constructor.
KEN_TEST(types_of_generic_parameters_are_no_dependencies)
{
    begin();
    put_many("src/a%u.ts", 0, 6,
             "export interface A%uExpression {\n  a: string;\n}\n\n"
             "export interface A%uHandler<T extends A%uExpression> {\n  b: T;\n}\n");
    look();
    kt_null(find("constructors-of-handler"));
    end();
}

// ---- helpers -----------------------------------------------------------------------------------

KEN_TEST(helpers_that_stand_for_a_raw_call)
{
    begin();
    put("src/http.js", "export function apiFetch(path) {\n  return fetch('/api' + path);\n}\n");
    put_many("src/use%u.js", 0, 9,
             "import { apiFetch } from './http.js';\n\n"
             "export function use%u() { return apiFetch('/a'); }\n");
    put("src/old.js", "export function old() { return fetch('/old'); }\n");
    look();
    const ken_finding *f = says("apifetch-not-fetch", 9, 10,
                                "Code SHOULD call `apiFetch` of `src/http.js` in the place of "
                                "`fetch`.");
    kt_eq_text(f->evidence, "9 files outside of tests call it; besides its own, 1 call `fetch`");
    kt_eq_u(f->check.kind, KEN_CHECK_FORBID_SYMBOL);
    kt_eq_text(f->check.names.items[0], "fetch");
    kt_eq_u(f->check.except.n, 2);
    end();
    begin(); // as many make the raw call: nothing was chosen
    put("src/http.js", "export function apiFetch(path) {\n  return fetch('/api' + path);\n}\n");
    put_many("src/use%u.js", 0, 5,
             "import { apiFetch } from './http.js';\n\n"
             "export function use%u() { return apiFetch('/a'); }\n");
    put_many("src/raw%u.js", 0, 5, "export function raw%u() { return fetch('/old'); }\n");
    look();
    kt_null(find("apifetch-not-fetch"));
    end();
}

KEN_TEST(one_of_two_modules_with_one_name)
{
    begin();
    put("src/lib/axios.ts", "import axios from 'axios';\n\nexport const api = axios.create({});\n");
    put_many("src/call%u.ts", 0, 6,
             "import { api } from './lib/axios';\n\nexport const call%u = () => api.get('/a');\n");
    look();
    const ken_finding *f = says("src-lib-axios-ts-not-axios", 6, 6,
                                "Code MUST import `src/lib/axios.ts`, not `axios`.");
    kt_eq_text(f->check.except.items[0], "src/lib/axios.ts");
    end();
}

KEN_TEST(what_only_files_of_one_role_import)
{
    begin();
    put("src/db.ts", "export const db = 1;\n");
    put_many("src/f%u/f%u.service.ts", 0, 4,
             "import { db } from '../db';\n\nexport const f%u = () => db;\n");
    put_many("src/f%u/f%u.model.ts", 0, 8, "export interface M%u { a: string }\n");
    put_many("src/f%u/f%u.controller.ts", 0, 8, "export const c%u = () => 1;\n");
    look();
    const ken_finding *f = says("only-service-ts-imports-src-db-ts", 4, 4,
                                "Only `*.service.ts` files MAY import `src/db.ts`; other code MUST "
                                "go through them.");
    kt_eq_text(f->check.except.items[0], "**/*.service.ts");
    kt_eq_text(f->check.to.items[0], "src/db.ts");
    end();
}

KEN_TEST(types_of_a_kind_that_extend_one_base)
{
    begin();
    put("src/base.py", "class BaseJob:\n    pass\n");
    put_many("src/j%u.py", 0, 6,
             "from src.base import BaseJob\n\n\nclass Send%uJob(BaseJob):\n    pass\n");
    put("src/__init__.py", "A = 1\n");
    look();
    says("base-of-job", 6, 6, "Types named `*Job` MUST extend `BaseJob`.");
    end();
}

// ---- components --------------------------------------------------------------------------------

KEN_TEST(components_of_react)
{
    begin();
    put("package.json", "{\"dependencies\": {\"react\": \"18\"}}");
    for (unsigned i = 0; i < 9; i++) {
        char name[64], text[512];
        snprintf(name, sizeof name, "src/components/Card%c.tsx", 'A' + (int)i);
        snprintf(text, sizeof text,
                 "interface Card%cProps { title: string }\n\n"
                 "export function Card%c({ title }: Card%cProps) {\n  return <b>{title}</b>;\n}\n",
                 'A' + (int)i, 'A' + (int)i, 'A' + (int)i);
        put(name, text);
    }
    look();
    sides_are(".", "-");
    says("one-component-a-file", 9, 9, "A file MUST export one component.");
    says("files-called-after-components", 9, 9, "A component's file MUST be called after it.");
    says("types-of-props", 9, 9,
         "A component's props MUST have a type whose name ends in `Props`, in the same file.");
    end();
}

// S3-27
KEN_TEST(components_of_vue)
{
    begin();
    put("package.json", "{\"dependencies\": {\"vue\": \"3\"}}");
    put_many("src/components/Card%u.vue", 0, 9,
             "<template><b>{{ title }}</b></template>\n\n<script setup lang=\"ts\">\n"
             "defineProps<{ title: string }>()\n</script>\n");
    look();
    says("vue-setup", 9, 9, "Vue components MUST use `<script setup>`.");
    says("vue-props", 9, 9,
         "Props of Vue components MUST be declared by a type (`defineProps<…>()`).");
    const ken_finding *f =
        says("components-vue", 9, 9, "Components are Vue files, in `src/components`.");
    kt_true(f->is_fact && f->n_examples && !f->examples[0].is_whole);
    kt_eq_u(f->examples[0].last_line, 4);
    end();
}

// ---- inside of files ---------------------------------------------------------------------------

KEN_TEST(errors_of_the_project_are_a_rule_and_those_of_the_language_are_not)
{
    begin();
    put("src/errors.py", "class AppError(Exception):\n    pass\n");
    put_many("src/a%u.py", 0, 9, "def a%u():\n    raise AppError('no')\n");
    look();
    const ken_finding *f =
        says("raised-errors-python", 9, 9, "Errors in Python MUST be raised as `AppError`.");
    kt_eq_text(f->evidence, "9 of 9 places in 10 files looked at");
    end();
    begin();
    put_many("src/a%u.py", 0, 9, "def a%u():\n    raise ValueError('no')\n");
    look();
    f = find("raised-errors-python");
    kt_not_null(f);
    kt_true(f->is_fact);
    end();
}

KEN_TEST(exports_apart_from_the_definition_count)
{
    begin();
    put("package.json", "{\"dependencies\": {\"react\": \"18\"}}");
    for (int i = 0; i < 6; i++) {
        char name[64], text[256];
        snprintf(name, sizeof name, "src/Box%c.tsx", 'A' + i);
        snprintf(text, sizeof text, "function Box%c() {\n  return <b>x</b>;\n}\n\nexport %s;\n",
                 'A' + i, i % 2 ? "default BoxX" : "{ BoxX }");
        for (char *x = strstr(text, "BoxX"); x; x = NULL)
            x[3] = (char)('A' + i);
        put(name, text);
    }
    look();
    says("one-component-a-file", 6, 6, "A file MUST export one component.");
    end();
}

// They have a dozen functions and a class of one style: no evidence of how people here write.
KEN_TEST(wrappers_of_build_tools_are_nobody_s_code)
{
    static const char script[] = "#!/bin/sh\nset_java_home() {\n  echo 1\n}\nset_java_home\n";
    begin();
    put_many("src/main/java/org/acme/A%uJob.java", 0, 5,
             "package org.acme;\n\npublic class A%uJob {\n}\n");
    look();
    size_t n_findings = found.n_findings;
    end();
    begin();
    put_many("src/main/java/org/acme/A%uJob.java", 0, 5,
             "package org.acme;\n\npublic class A%uJob {\n}\n");
    put("mvnw", script);
    put("part/gradlew", script);
    put(".mvn/wrapper/MavenWrapperDownloader.java", "public class MavenWrapperDownloader {\n}\n");
    look();
    kt_eq_u(found.n_code, 5);
    kt_eq_u(found.n_aside, 3);
    kt_eq_u(found.n_findings, n_findings);
    end();
}

// A folder of the package's name says nothing.
KEN_TEST(what_the_tree_is_about_is_never_aside)
{
    begin();
    put_many("src/main/java/org/samples/A%uJob.java", 0, 5,
             "package org.samples;\n\npublic class A%uJob {\n}\n");
    put("samples/other.py", "def other():\n    return 1\n");
    put_many("tools/t%u.py", 0, 3, "def t%u():\n    return 1\n");
    look();
    kt_eq_u(found.n_code, 8);
    kt_eq_u(found.n_aside, 1);
    end();
}

KEN_TEST(rules_are_few_and_the_most_telling_come_first)
{
    begin();
    put_layers(9);
    put_routes(0, 30, "one, two, three, four, five, six, seven, eight, nine, ten, eleven, ");
    look();
    size_t n = 0;
    for (size_t i = 0; i < found.n_findings; i++) {
        n += !found.findings[i].is_fact;
        kt_true(!i || found.findings[i].value <= found.findings[i - 1].value);
    }
    kt_eq_u(n, KEN_SURVEY_RULES);
    end();
}

// ---- the whole ---------------------------------------------------------------------------------

KEN_TEST(an_empty_tree_has_no_habits)
{
    begin();
    put("README.md", "# Nothing\n");
    look();
    sides_are("-", "-");
    kt_eq_u(found.n_findings, 0);
    end();
}

KEN_TEST(the_same_tree_gives_the_same_survey)
{
    begin();
    put_layers(9);
    put_routes(0, 9, "requireAuth, ");
    look();
    ken_survey first = found, again;
    kt_ok_err(ken_survey_run(snap, &(ken_survey_opts){ .cancel = NULL }, &l.arena, &again, &l.err),
              &l.err);
    kt_eq_u(again.n_findings, first.n_findings);
    for (size_t i = 0; i < first.n_findings; i++) {
        kt_true(ken_str_eq(first.findings[i].id, again.findings[i].id));
        kt_true(ken_str_eq(first.findings[i].rule, again.findings[i].rule));
        kt_true(ken_str_eq(first.findings[i].evidence, again.findings[i].evidence));
    }
    end();
}

KEN_TEST(a_survey_can_be_cancelled)
{
    begin();
    put_layers(9);
    lab_run(&l);
    snap = lab_open(&l);
    ken_cancel cancel = { .deadline_ns = 0 };
    ken_cancel_set(&cancel);
    kt_status(
        ken_survey_run(snap, &(ken_survey_opts){ .cancel = &cancel }, &l.arena, &found, &l.err),
        KEN_ECANCELLED);
    end();
}

// ---- what one would not keep --------------------------------------------------------------------

// What stands in functions that are written where a router is told to use them is no step.
KEN_TEST(what_stands_in_a_step_is_no_step)
{
    begin();
    put("go.mod", "module x\n\nrequire github.com/gin-gonic/gin v1.9.1\n");
    put("conf/conf.go", "package conf\n\ntype Conf struct {\n\tOrigin string\n}\n");
    put("api/api.go", "package api\n\nimport \"github.com/gin-gonic/gin\"\n\n"
                      "func Check(c *gin.Context) {}\nfunc Origin(s string) gin.HandlerFunc "
                      "{\n\treturn nil\n}\n");
    put_many("router/r%u.go", 0, 6,
             "package router\n\nimport (\n\t\"github.com/gin-gonic/gin\"\n\t\"x/api\"\n"
             "\t\"x/conf\"\n)\n\n"
             "func Add%u(r *gin.Engine, c *conf.Conf) {\n"
             "\tg := r.Group(\"/a%u\")\n"
             "\tg.Use(api.Check, func(ctx *gin.Context) {\n"
             "\t\tctx.Abort()\n\t})\n"
             "\tg.GET(\"/x\", func(ctx *gin.Context) { ctx.Next() })\n}\n");
    look();
    says("api-api-check", 6, 6, "Endpoints (gin route handlers) MUST pass through `api.Check`.");
    kt_null(find("api-ctx-abort"));
    end();
}

// A chain that passes most of the code by is chosen, not found.
KEN_TEST(layers_are_most_of_the_code)
{
    begin();
    put_layers(9);
    put_many("src/other/o%u.py", 0, 26, "def other%u():\n    return 1\n");
    look();
    kt_null(find("layers"));
    end();
}

// Layers beside others in one folder are an order by chance.
KEN_TEST(layers_are_of_different_subsystems)
{
    begin();
    put_many("src/base/b%u.py", 0, 4, "def base%u():\n    return 1\n");
    put_many("src/parts/mid/m%u.py", 0, 9,
             "from src.base.b1 import base1\n\n\ndef mid%u():\n    return base1()\n");
    put_many("src/parts/top/t%u.py", 0, 9,
             "from src.base.b2 import base2\nfrom src.parts.mid.m1 import mid1\n\n\n"
             "def top%u():\n    return mid1()\n");
    const char *const packages[] = { "src", "src/base", "src/parts", "src/parts/mid",
                                     "src/parts/top" };
    for (size_t i = 0; i < 5; i++)
        put(ken_arena_printf(&l.arena, "%s/__init__.py", packages[i]).ptr, "A = 1\n");
    look();
    kt_null(find("layers"));
    end();
}

// Names share a word when the letters are of one: `useLoading` stands for no `useLayoutEffect`.
KEN_TEST(helpers_share_a_word_not_letters)
{
    begin();
    put("package.json", "{\"dependencies\": {\"react\": \"18\"}}");
    put("src/useLoading.ts", "import { useLayoutEffect, useParams } from 'react';\n"
                             "export function useLoading() {\n  useLayoutEffect(() => 1);\n}\n"
                             "export function usePathParam() {\n  return useParams();\n}\n");
    put_many("src/c%u.ts", 0, 9,
             "import { useLoading, usePathParam } from './useLoading';\n"
             "export function c%u() {\n  useLoading();\n  return usePathParam();\n}\n");
    look();
    kt_null(find("useloading-not-uselayouteffect"));
    kt_true(find("usepathparam-not-useparams"));
    end();
}

// Where most files that import the one package import the other, too, nobody chose between them.
KEN_TEST(packages_of_one_name_that_go_together_are_no_choice)
{
    begin();
    put("package.json", "{\"dependencies\": {\"@a/core\": \"1\", \"@b/core\": \"1\"}}");
    put_many("src/a%u.ts", 0, 40, "import { x } from '@a/core';\nexport const a%u = x;\n");
    put_many("src/b%u.ts", 0, 4,
             "import { x } from '@a/core';\nimport { y } from '@b/core';\n"
             "export const b%u = x + y;\n");
    look();
    kt_null(find("a-core-not-b-core"));
    end();
    begin();
    put("package.json", "{\"dependencies\": {\"@a/core\": \"1\", \"@b/core\": \"1\"}}");
    put_many("src/a%u.ts", 0, 40, "import { x } from '@a/core';\nexport const a%u = x;\n");
    put_many("src/b%u.ts", 0, 4, "import { y } from '@b/core';\nexport const b%u = y;\n");
    look();
    kt_true(find("a-core-not-b-core"));
    end();
}

// Many modules are asked whether one role alone imports them: for one of them chance does it.
KEN_TEST(chance_among_many_modules_makes_no_gateway)
{
    begin();
    put("package.json", "{\"dependencies\": {\"react\": \"18\"}}");
    for (unsigned i = 0; i < 30; i++) {
        char path[64], text[600], rest[64];
        snprintf(path, sizeof path, i < 9 ? "src/a%uDialog.ts" : "src/b%u.ts", i);
        snprintf(rest, sizeof rest, "export const a%u = 1;\n", i);
        text[0] = '\0';
        for (unsigned k = 0; k < 12; k++)
            snprintf(text + strlen(text), sizeof text - strlen(text), "import 'm%u';\n",
                     (i * 7 + k) % 25);
        if (i < 6)
            snprintf(text + strlen(text), sizeof text - strlen(text), "import 'number-field';\n");
        snprintf(text + strlen(text), sizeof text - strlen(text), "%s", rest);
        put(path, text);
    }
    look();
    kt_null(find("only-dialog-ts-imports-number-field"));
    end();
}

// Files with numbers are a sequence; where nearly half of all files are anyway is no home.
KEN_TEST(what_is_numbered_or_everywhere_has_no_home)
{
    begin();
    put_many("lib/db/changes/000%u_user_kind.rb", 0, 6, "A%u = 1\n");
    put_many("lib/other/x%u.rb", 0, 20, "X%u = 1\n");
    put_many("app/a/b%u_gate.rb", 0, 9, "B%u = 1\n");
    put_many("app/c/d%u_gate.rb", 0, 9, "D%u = 1\n");
    put_many("app/c/e%u.rb", 0, 5, "E%u = 1\n");
    look();
    kt_null(find("home-of-kind-rb"));
    kt_null(find("home-of-gate-rb"));
    end();
}

KEN_TEST(a_narrow_folder_is_a_home)
{
    begin();
    put_many("app/a/b%u_gate.rb", 0, 9, "B%u = 1\n");
    put_many("lib/other/x%u.rb", 0, 20, "X%u = 1\n");
    look();
    says("home-of-gate-rb", 9, 9, "Files called `*_gate.rb` MUST stand under `app/a`.");
    end();
}

// Two frameworks of tests, two customs: neither is the rule.
KEN_TEST(test_files_with_two_customs_have_no_rule)
{
    begin();
    put_many("test/Core.Tests/A%uTests.cs", 0, 12, "class A%uTests {}\n");
    put_many("test/Core.Specs/B%uSpecs.cs", 0, 8, "class B%uSpecs {}\n");
    put_many("src/Core/C%u.cs", 0, 8, "class C%u {}\n");
    look();
    kt_null(find("test-files-c"));
    end();
}

// Several roles that call into one are one rule.
KEN_TEST(roles_that_call_one_are_said_together)
{
    begin();
    put("package.json", "{}");
    put_many("src/a%u.service.ts", 0, 5, "export function s%u() { return 1; }\n");
    put_many("src/a%u.dialog.ts", 0, 5,
             "import { s%u } from './a%u.service';\nexport function d%u() { return s%u(); }\n");
    put_many("src/a%u.page.ts", 0, 5,
             "import { s%u } from './a%u.service';\nexport function p%u() { return s%u(); }\n");
    look();
    says("calls-from-dialog-ts-to-service-ts", 10, 10,
         "`*.dialog.ts`, `*.page.ts` files call `*.service.ts` files; those MUST NOT import "
         "`*.dialog.ts`, `*.page.ts`.");
    end();
}
