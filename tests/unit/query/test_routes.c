// SPDX-License-Identifier: MIT
// Routes with what stands before their paths: routers that are mounted, in this file or another,
// groups, prefixes of types, and methods that are said in odd places.
#include "unit/query/calls_lab.h"

// "GET /a handler" a line, of all routes and events of the tree.
static void says(const char *expected)
{
    ken_route *routes;
    size_t n;
    ken_buf text = KEN_BUF_INIT(0);
    go();
    kt_ok_err(ken_find_routes(snap, KEN_STR(""), NULL, &l.arena, &routes, &n, &l.err), &l.err);
    for (size_t i = 0; i < n; i++) {
        ken_buf_printf(&text, KEN_STR_FMT " " KEN_STR_FMT "%s" KEN_STR_FMT "\n",
                       KEN_STR_ARG(routes[i].method), KEN_STR_ARG(routes[i].path),
                       routes[i].handler.len ? " " : "", KEN_STR_ARG(routes[i].handler));
        kt_eq_u(routes[i].is_partial, ken_str_starts(routes[i].path, KEN_STR("…")));
    }
    kt_eq_text(ken_buf_str(&text), expected);
    ken_buf_release(&text);
    end();
}

KEN_TEST(g13_routes_of_express)
{
    lab_start(&l);
    lab_write(&l, "app.js",
              "const express = require('express');\n"
              "const users = require('./users');\n"
              "const { things } = require('./things');\n"
              "const config = require('./config');\n"
              "const app = express();\n"
              "app.use(express.json());\n"
              "app.use('/api', users);\n"
              "app.use('/v1/things', things);\n"
              "app.use(config.prefix, require('./dyn'));\n"
              "app.use('/static', express.static('public'));\n"
              "app.route('/b').get(list).post(make);\n"
              "app.route('/c')\n"
              "  .all(check)\n"
              "  .put((req, res) => { res.send('x'); });\n"
              "app.get('/top', list);\n"
              "function list(req, res) {}\n"
              "function make(req, res) {}\n"
              "function check(req, res, next) {}\n");
    lab_write(&l, "dyn.js",
              "const router = require('express').Router();\n"
              "router.get('/dyn', (req, res) => {});\n"
              "module.exports = router;\n");
    lab_write(&l, "nested.js",
              "const router = require('express').Router({ mergeParams: true });\n"
              "router.get('/', (req, res) => {});\n"
              "module.exports = router;\n");
    lab_write(&l, "orphan.js",
              "const router = require('express').Router();\n"
              "router.get('/orphan', (req, res) => {});\n"
              "module.exports = router;\n");
    lab_write(&l, "things.js",
              "const express = require('express');\n"
              "const things = express.Router();\n"
              "things.post('/', (req, res) => {});\n"
              "module.exports = { things };\n");
    lab_write(&l, "users.js",
              "const router = require('express').Router();\n"
              "const nested = require('./nested');\n"
              "router.get('/users/:id', (req, res) => {});\n"
              "router.use('/users/:id/posts', nested);\n"
              "module.exports = router;\n");
    says("GET /b list\n"
         "POST /b make\n"
         "ALL /c check\n"
         "PUT /c\n"
         "GET /top list\n"
         "GET …/dyn\n"
         "GET /api/users/:id/posts/\n"
         "GET …/orphan\n"
         "POST /v1/things/\n"
         "GET /api/users/:id\n");
}

KEN_TEST(g13_routes_of_jscall)
{
    lab_start(&l);
    lab_write(&l, "app.js",
              "const express = require('express');\n"
              "const app = express();\n"
              "const api = express.Router();\n"
              "const addUsers = require('./users');\n"
              "addUsers(api);\n"
              "app.use('/api', api);\n");
    lab_write(&l, "users.js",
              "const express = require('express');\n"
              "function addUsers(router) {\n"
              "  router.get('/users', (req, res) => {});\n"
              "}\n"
              "module.exports = addUsers;\n");
    says("GET /api/users\n");
}

KEN_TEST(g13_routes_of_koa)
{
    lab_start(&l);
    lab_write(&l, "app.js",
              "const Koa = require('koa');\n"
              "const Router = require('@koa/router');\n"
              "const app = new Koa();\n"
              "const users = new Router({ prefix: '/users' });\n"
              "const api = new Router();\n"
              "users.get('/:id', (ctx) => {});\n"
              "api.use('/api', users.routes());\n"
              "app.use(api.routes());\n");
    says("GET /api/users/:id\n");
}

KEN_TEST(g13_routes_of_fastify)
{
    lab_start(&l);
    lab_write(&l, "app.js",
              "const fastify = require('fastify')();\n"
              "fastify.get('/top', async () => 1);\n"
              "fastify.register(require('./users'), { prefix: '/users' });\n"
              "fastify.route({ method: 'POST', url: '/r', handler: async () => 1 });\n");
    lab_write(&l, "users.js",
              "module.exports = async function (fastify, opts) {\n"
              "  fastify.get('/:id', async () => 1);\n"
              "};\n");
    says("GET /top\n"
         "GET /users/:id\n");
}

KEN_TEST(g13_routes_of_hono)
{
    lab_start(&l);
    lab_write(&l, "app.ts",
              "import { Hono } from 'hono';\n"
              "import books from './books';\n"
              "const app = new Hono().basePath('/v1');\n"
              "app.get('/top', (c) => c.text('x'));\n"
              "app.route('/books', books);\n"
              "app.on('PURGE', '/cache', (c) => c.text('x'));\n"
              "export default app;\n");
    lab_write(&l, "books.ts",
              "import { Hono } from 'hono';\n"
              "const books = new Hono();\n"
              "books.get('/:id', (c) => c.text('x'));\n"
              "export default books;\n");
    says("GET /v1/top\n"
         "PURGE /v1/cache\n"
         "GET /v1/books/:id\n");
}

KEN_TEST(g13_routes_of_nest)
{
    lab_start(&l);
    lab_write(&l, "cats.ts",
              "import { Controller, Get, Post, Delete, All } from '@nestjs/common';\n"
              "@Controller('cats')\n"
              "export class Cats {\n"
              "  @Get() all() {}\n"
              "  @Get(':id') one() {}\n"
              "  @Post('/make') make() {}\n"
              "}\n"
              "@Controller({ path: 'dogs', version: '1' })\n"
              "export class Dogs {\n"
              "  @Get(':id') one() {}\n"
              "  @Delete() drop() {}\n"
              "}\n"
              "@Controller()\n"
              "export class Root {\n"
              "  @Get('hello') hello() {}\n"
              "}\n");
    says("GET /cats all\n"
         "GET /cats/:id one\n"
         "POST /cats/make make\n"
         "GET /dogs/:id one\n"
         "DELETE /dogs drop\n"
         "GET /hello hello\n");
}

KEN_TEST(g13_routes_of_flask)
{
    lab_start(&l);
    lab_write(&l, "api.py",
              "from flask import Blueprint\n"
              "import settings\n"
              "bp = Blueprint('api', __name__, url_prefix=settings.API)\n"
              "\n"
              "@bp.route('/x')\n"
              "def x():\n"
              "    return ''\n");
    lab_write(&l, "app.py",
              "from flask import Flask, Blueprint\n"
              "from .shop import shop\n"
              "from .api import bp as api_bp\n"
              "\n"
              "app = Flask(__name__)\n"
              "users = Blueprint('users', __name__, url_prefix='/users')\n"
              "\n"
              "@app.route('/login', methods=['GET', 'POST'])\n"
              "def login():\n"
              "    return 'x'\n"
              "\n"
              "@app.route('/plain')\n"
              "def plain():\n"
              "    return 'x'\n"
              "\n"
              "@users.route('/<int:id>', methods=['DELETE'])\n"
              "def drop(id):\n"
              "    return ''\n"
              "\n"
              "@users.get('/all')\n"
              "def all_users():\n"
              "    return ''\n"
              "\n"
              "app.add_url_rule('/rule', view_func=plain, methods=['PUT'])\n"
              "app.register_blueprint(users)\n"
              "app.register_blueprint(shop, url_prefix='/shop')\n"
              "app.register_blueprint(api_bp)\n");
    lab_write(&l, "shop.py",
              "from flask import Blueprint\n"
              "shop = Blueprint('shop', __name__)\n"
              "\n"
              "@shop.post('/buy')\n"
              "def buy():\n"
              "    return ''\n");
    says("GET …/x x\n"
         "GET /login login\n"
         "POST /login login\n"
         "GET /plain plain\n"
         "DELETE /users/<int:id> drop\n"
         "GET /users/all all_users\n"
         "PUT /rule plain\n"
         "POST /shop/buy buy\n");
}

KEN_TEST(g13_routes_of_fastapi)
{
    lab_start(&l);
    lab_write(&l, "items.py",
              "from fastapi import APIRouter\n"
              "router = APIRouter(prefix=\"/items\")\n"
              "admin = APIRouter()\n"
              "\n"
              "@router.post(\"/\")\n"
              "def make():\n"
              "    return {}\n"
              "@admin.post(\"/drop\")\n"
              "def drop():\n"
              "    return {}\n");
    lab_write(&l, "main.py",
              "from fastapi import FastAPI, APIRouter\n"
              "from users import router as users_router\n"
              "import items\n"
              "from settings import settings\n"
              "app = FastAPI()\n"
              "api = APIRouter(prefix=\"/api\")\n"
              "api.include_router(users_router, prefix=\"/users\", tags=[\"users\"])\n"
              "api.include_router(items.router)\n"
              "app.include_router(api)\n"
              "app.include_router(items.admin, prefix=settings.PREFIX)\n"
              "\n"
              "@app.get(\"/health\")\n"
              "def health():\n"
              "    return {}\n"
              "\n"
              "@app.api_route(\"/both\", methods=[\"GET\", \"HEAD\"])\n"
              "def both():\n"
              "    return {}\n");
    lab_write(&l, "users.py",
              "from fastapi import APIRouter\n"
              "router = APIRouter()\n"
              "\n"
              "@router.get(\"/{id}\")\n"
              "def show(id: int):\n"
              "    return {}\n"
              "@router.get(\"\")\n"
              "def index():\n"
              "    return []\n");
    says("POST /api/items/ make\n"
         "POST …/drop drop\n"
         "GET /health health\n"
         "GET /both both\n"
         "HEAD /both both\n"
         "GET /api/users/{id} show\n"
         "GET /api/users index\n");
}

KEN_TEST(g13_routes_of_django)
{
    lab_start(&l);
    lab_write(&l, "proj/__init__.py", "");
    lab_write(&l, "proj/urls.py",
              "from django.urls import path, include, re_path\n"
              "from shop import views\n"
              "urlpatterns = [\n"
              "    path('admin/', views.admin),\n"
              "    path('shop/', include('shop.urls')),\n"
              "    path('api/', include([path('x/', views.x), path('y/', views.y)])),\n"
              "    re_path(r'^old/(?P<id>\\d+)/$', views.old),\n"
              "]\n");
    lab_write(&l, "shop/__init__.py", "");
    lab_write(&l, "shop/urls.py",
              "from django.urls import path\n"
              "from . import views\n"
              "urlpatterns = [ path('', views.index), path('<int:pk>/', views.detail) ]\n");
    lab_write(&l, "shop/views.py",
              "def admin(r): pass\n"
              "def x(r): pass\n"
              "def y(r): pass\n"
              "def old(r, id): pass\n"
              "def index(r): pass\n"
              "def detail(r, pk): pass\n");
    says("ANY /admin/ admin\n"
         "ANY /api/x/ x\n"
         "ANY /api/y/ y\n"
         "ANY ^old/(?P<id>\\d+)/$ old\n"
         "ANY /shop/ index\n"
         "ANY /shop/<int:pk>/ detail\n");
}

KEN_TEST(g13_routes_of_sio)
{
    lab_start(&l);
    lab_write(&l, "app.py",
              "import socketio\n"
              "sio = socketio.AsyncServer()\n"
              "\n"
              "@sio.event\n"
              "async def connect(sid, environ):\n"
              "    pass\n"
              "\n"
              "@sio.on('message')\n"
              "async def message(sid, data):\n"
              "    await sio.emit('reply', data, room=sid)\n"
              "\n"
              "@sio.on('chat', namespace='/chat')\n"
              "def chat(sid): pass\n"
              "\n"
              "class Chat(socketio.AsyncNamespace):\n"
              "    async def on_join(self, sid): pass\n");
    lab_write(&l, "flaskio.py",
              "from flask_socketio import SocketIO, emit\n"
              "socketio = SocketIO()\n"
              "@socketio.on('ping')\n"
              "def ping():\n"
              "    emit('pong', 1)\n");
    says("on message message\n"
         "emit reply\n"
         "on chat chat\n"
         "on connect connect\n"
         "on ping ping\n"
         "emit pong\n");
}

KEN_TEST(g13_routes_of_spring)
{
    lab_start(&l);
    lab_write(
        &l, "C.java",
        "package a;\n"
        "import org.springframework.web.bind.annotation.*;\n"
        "@RestController\n"
        "@RequestMapping(\"/owners\")\n"
        "class C {\n"
        "  @GetMapping(\"/{id}\") String show() { return \"\"; }\n"
        "  @PostMapping String make() { return \"\"; }\n"
        "  @RequestMapping(value = \"/both\", method = RequestMethod.PUT) String both() { return \"\"; }\n"
        "  @GetMapping(path = \"/named\") String named() { return \"\"; }\n"
        "  @GetMapping({\"/a\", \"/b\"}) String two() { return \"\"; }\n"
        "  @DeleteMapping(value = {\"/c\"}) String three() { return \"\"; }\n"
        "}\n");
    lab_write(&l, "D.java",
              "package a;\n"
              "import org.springframework.web.bind.annotation.*;\n"
              "@RestController\n"
              "@RequestMapping(path = \"/vets\", produces = \"x\")\n"
              "class D {\n"
              "  @GetMapping(\"/{id}\") String show() { return \"\"; }\n"
              "}\n"
              "@RestController\n"
              "@RequestMapping(D2.BASE)\n"
              "class D2 {\n"
              "  static final String BASE = \"/base\";\n"
              "  @GetMapping(\"/q\") String show() { return \"\"; }\n"
              "}\n");
    says("GET /owners/{id} show\n"
         "POST /owners make\n"
         "PUT /owners/both both\n"
         "GET /owners/named named\n"
         "GET /owners/a two\n"
         "GET /owners/b two\n"
         "DELETE /owners/c three\n"
         "GET /vets/{id} show\n"
         "GET /base/q show\n");
}

KEN_TEST(g13_routes_of_aspnet)
{
    lab_start(&l);
    lab_write(&l, "C.cs",
              "using Microsoft.AspNetCore.Mvc;\n"
              "namespace A;\n"
              "[ApiController]\n"
              "[Route(\"api/[controller]\")]\n"
              "public class UsersController : ControllerBase {\n"
              "  [HttpGet(\"{id}\")] public string Show(int id) { return \"\"; }\n"
              "  [HttpPost] public string Make() { return \"\"; }\n"
              "  [HttpGet, Route(\"named\")] public string Named() { return \"\"; }\n"
              "  [HttpGet(\"~/abs\")] public string Abs() { return \"\"; }\n"
              "}\n");
    lab_write(&l, "Program.cs",
              "using Microsoft.AspNetCore.Builder;\n"
              "var app = WebApplication.Create(args);\n"
              "app.MapGet(\"/top\", () => \"x\");\n"
              "var g = app.MapGroup(\"/todos\");\n"
              "g.MapGet(\"/\", () => \"x\");\n"
              "g.MapPost(\"/{id}\", Make);\n"
              "app.MapGroup(\"/chained\").MapGet(\"/z\", () => \"x\");\n");
    says("GET /api/Users/{id} Show\n"
         "POST /api/Users Make\n"
         "GET /api/Users/named Named\n"
         "GET /abs Abs\n"
         "GET /top\n"
         "GET /todos/\n"
         "POST /todos/{id}\n"
         "GET /chained/z\n");
}

KEN_TEST(g13_routes_of_chi)
{
    lab_start(&l);
    lab_write(&l, "main.go",
              "package main\n"
              "\n"
              "import \"github.com/go-chi/chi/v5\"\n"
              "\n"
              "func list(w http.ResponseWriter, r *http.Request) {}\n"
              "\n"
              "func main() {\n"
              "	r := chi.NewRouter()\n"
              "	r.Get(\"/top\", list)\n"
              "	r.Route(\"/admin\", func(r chi.Router) {\n"
              "		r.Get(\"/x\", list)\n"
              "		r.Route(\"/{id}\", func(r chi.Router) {\n"
              "			r.Put(\"/\", list)\n"
              "		})\n"
              "	})\n"
              "	r.Group(func(r chi.Router) {\n"
              "		r.Post(\"/y\", list)\n"
              "	})\n"
              "	r.Mount(\"/users\", usersRouter())\n"
              "	r.Method(\"GET\", \"/m\", nil)\n"
              "	r.With(auth).Get(\"/w\", list)\n"
              "}\n"
              "\n"
              "func usersRouter() http.Handler {\n"
              "	r := chi.NewRouter()\n"
              "	r.Get(\"/all\", list)\n"
              "	return r\n"
              "}\n");
    says("GET /top list\n"
         "GET /admin/x list\n"
         "PUT /admin/{id}/ list\n"
         "POST /y list\n"
         "GET /m\n"
         "GET /w list\n"
         "GET /users/all list\n");
}

KEN_TEST(g13_routes_of_gin)
{
    lab_start(&l);
    lab_write(&l, "main.go",
              "package main\n"
              "\n"
              "import \"github.com/gin-gonic/gin\"\n"
              "\n"
              "func list(c *gin.Context) {}\n"
              "\n"
              "func main() {\n"
              "	r := gin.Default()\n"
              "	r.GET(\"/top\", list)\n"
              "	api := r.Group(\"/api\")\n"
              "	{\n"
              "		api.GET(\"/x\", list)\n"
              "		v1 := api.Group(\"/v1\", auth())\n"
              "		v1.POST(\"/y\", list)\n"
              "		registerUsers(v1)\n"
              "		registerTags(api.Group(\"/tags\"))\n"
              "	}\n"
              "	r.Handle(\"PUT\", \"/h\", list)\n"
              "	r.Static(\"/assets\", \"./a\")\n"
              "}\n"
              "\n"
              "func registerUsers(g *gin.RouterGroup) {\n"
              "	g.DELETE(\"/users/:id\", list)\n"
              "}\n"
              "\n"
              "func registerTags(g *gin.RouterGroup) {\n"
              "	g.GET(\"/\", list)\n"
              "}\n");
    says("GET /top list\n"
         "GET /api/x list\n"
         "POST /api/v1/y list\n"
         "PUT /h list\n"
         "DELETE /api/v1/users/:id list\n"
         "GET /api/tags/ list\n");
}

KEN_TEST(g13_routes_of_echo)
{
    lab_start(&l);
    lab_write(&l, "main.go",
              "package main\n"
              "\n"
              "import \"github.com/labstack/echo/v4\"\n"
              "\n"
              "func list(c echo.Context) error { return nil }\n"
              "\n"
              "func main() {\n"
              "	e := echo.New()\n"
              "	e.GET(\"/top\", list)\n"
              "	g := e.Group(\"/admin\")\n"
              "	g.POST(\"/x\", list)\n"
              "}\n");
    says("GET /top list\n"
         "POST /admin/x list\n");
}

KEN_TEST(g13_routes_of_axum)
{
    lab_start(&l);
    lab_write(
        &l, "main.rs",
        "use axum::{routing::{get, post}, Router};\n"
        "async fn list() {}\n"
        "async fn make() {}\n"
        "fn users() -> Router { Router::new().route(\"/\", get(list).post(make)).route(\"/{id}\", get(list)) }\n"
        "fn main() {\n"
        "    let api = Router::new().route(\"/x\", post(make)).nest(\"/users\", users());\n"
        "    let app = Router::new().route(\"/top\", get(list)).nest(\"/api\", api).merge(health());\n"
        "}\n"
        "fn health() -> Router { Router::new().route(\"/health\", get(list)) }\n");
    says("GET /api/users/ list\n"
         "POST /api/users/ make\n"
         "GET /api/users/{id} list\n"
         "POST /api/x make\n"
         "GET /top list\n"
         "GET /health list\n");
}

KEN_TEST(g13_routes_of_laravel)
{
    lab_start(&l);
    lab_write(
        &l, "web.php",
        "<?php\n"
        "use Illuminate\\Support\\Facades\\Route;\n"
        "Route::get('/top', [UserController::class, 'top']);\n"
        "Route::get('noslash', [UserController::class, 'noslash']);\n"
        "Route::prefix('admin')->group(function () {\n"
        "    Route::get('/users', [UserController::class, 'index']);\n"
        "    Route::prefix('deep')->middleware('auth')->group(function () {\n"
        "        Route::post('x', [UserController::class, 'x']);\n"
        "    });\n"
        "});\n"
        "Route::group(['prefix' => 'old'], function () {\n"
        "    Route::put('/y', [UserController::class, 'y']);\n"
        "});\n"
        "Route::resource('photos', PhotoController::class);\n"
        "Route::apiResource('posts', PostController::class);\n"
        "Route::match(['get', 'post'], '/both', [UserController::class, 'both']);\n"
        "Route::controller(OrderController::class)->group(function () { Route::get('/orders/{id}', 'show'); });\n");
    says("GET /top\n"
         "GET /noslash\n"
         "GET /admin/users\n"
         "POST /admin/deep/x\n"
         "PUT /old/y\n"
         "ANY /photos\n"
         "GET /orders/{id}\n");
}

KEN_TEST(g13_routes_of_sinatra)
{
    lab_start(&l);
    lab_write(&l, "app.rb",
              "require 'sinatra'\n"
              "get '/hello' do\n"
              "  'x'\n"
              "end\n"
              "post '/make' do\n"
              "  'y'\n"
              "end\n");
    says("GET /hello\n"
         "POST /make\n");
}

// ---- several ways to a router, and what stands before all paths ---------------------------------

KEN_TEST(q_a_router_in_two_places_has_both_paths)
{
    lab_start(&l);
    lab_write(&l, "app.js",
              "const express = require('express');\n"
              "const users = require('./users');\n"
              "const app = express();\n"
              "app.use('/v1', users);\n"
              "app.use('/v2', check, users, express.static('public'));\n"
              "function check(req, res, next) { next(); }\n");
    lab_write(&l, "test/users.test.js",
              "const express = require('express');\n"
              "const users = require('../users');\n"
              "const app = express();\n"
              "app.use('/only/tests', users);\n");
    lab_write(&l, "users.js",
              "const router = require('express').Router();\n"
              "router.get('/users', (req, res) => {});\n"
              "module.exports = router;\n");
    says("GET /v1/users\n"
         "GET /v2/users\n");
}

KEN_TEST(q_several_routers_in_one_call)
{
    lab_start(&l);
    lab_write(&l, "app.ts",
              "import express, { Router } from 'express';\n"
              "const app = express();\n"
              "const a = Router();\n"
              "const b = Router();\n"
              "a.get('/a', (req, res) => {});\n"
              "b.get('/b', (req, res) => {});\n"
              "app.use('/api', a, b);\n");
    says("GET /api/a\n"
         "GET /api/b\n");
}

KEN_TEST(q_a_function_called_twice_has_both_paths)
{
    lab_start(&l);
    lab_write(&l, "main.go",
              "package main\n"
              "import \"github.com/gin-gonic/gin\"\n"
              "func register(g *gin.RouterGroup) { g.GET(\"/users\", list) }\n"
              "func list(c *gin.Context) {}\n"
              "func main() {\n"
              "\tr := gin.Default()\n"
              "\tregister(r.Group(\"/v1\"))\n"
              "\tv2 := r.Group(\"/v2\")\n"
              "\tregister(v2)\n"
              "}\n");
    says("GET /v1/users list\n"
         "GET /v2/users list\n");
}

KEN_TEST(q_routers_of_axum_that_are_merged_and_nested)
{
    lab_start(&l);
    lab_write(&l, "src/main.rs",
              "use axum::{routing::get, Router};\n"
              "async fn list() {}\n"
              "fn users() -> Router { Router::new().route(\"/users\", get(list)) }\n"
              "fn api() -> Router { Router::new().merge(users()).route(\"/x\", get(list)) }\n"
              "fn main() {\n"
              "    let app = Router::new().nest(\"/v1\", api()).nest(\"/v2\", api());\n"
              "}\n");
    says("GET /v1/users list\n"
         "GET /v2/users list\n"
         "GET /v1/x list\n"
         "GET /v2/x list\n");
}

KEN_TEST(q_prefix_of_a_nest_application)
{
    lab_start(&l);
    const char *cats = "import { Controller, Get } from '@nestjs/common';\n"
                       "@Controller('cats')\n"
                       "export class Cats {\n"
                       "  @Get(':id') one() {}\n"
                       "  @Get('health') health() {}\n"
                       "}\n";
    lab_write(&l, "a/cats.ts", cats);
    lab_write(&l, "a/main.ts",
              "import { NestFactory } from '@nestjs/core';\n"
              "import { Module } from './module';\n"
              "async function bootstrap() {\n"
              "  const app = await NestFactory.create(Module);\n"
              "  app.setGlobalPrefix('api', { exclude: ['cats/health'] });\n"
              "}\n");
    lab_write(&l, "a/module.ts",
              "import { Cats } from './cats';\nexport class Module { cats: Cats }\n");
    lab_write(&l, "b/cats.ts", cats);
    lab_write(&l, "b/main.ts",
              "import { NestFactory } from '@nestjs/core';\n"
              "import { Cats } from './cats';\n"
              "async function bootstrap() {\n"
              "  const app = await NestFactory.create(Cats);\n"
              "  app.setGlobalPrefix(process.env.PREFIX);\n"
              "}\n");
    lab_write(&l, "c/cats.ts", cats);
    says("GET /api/cats/:id one\n"
         "GET /cats/health health\n"
         "GET …/cats/:id one\n"
         "GET …/cats/health health\n"
         "GET /cats/:id one\n"
         "GET /cats/health health\n");
}

static void write_spring(const char *path)
{
    lab_write(&l, path,
              "package a;\n"
              "import org.springframework.web.bind.annotation.*;\n"
              "@RestController\n"
              "@RequestMapping({\"/owners\", \"/people\"})\n"
              "class C {\n"
              "  @GetMapping(\"/{id}\") String show() { return \"\"; }\n"
              "}\n");
}

KEN_TEST(q_settings_of_spring_by_module)
{
    lab_start(&l);
    write_spring("a/src/main/java/C.java");
    lab_write(&l, "a/src/main/resources/application.properties",
              "# of the module\nserver.servlet.contextPath = /a\nspring.mvc.servlet.path=/rest\n");
    lab_write(&l, "a/src/main/resources/application-prod.properties",
              "server.servlet.context-path=/prod\n");
    write_spring("b/src/main/java/C.java");
    lab_write(&l, "b/src/main/resources/application.yml",
              "server:\n  servlet:\n    context-path: /b\n---\n"
              "spring.config.activate.on-profile: dev\nserver.servlet.context-path: /dev\n");
    write_spring("c/src/main/java/C.java");
    lab_write(&l, "c/src/main/resources/application.yml", "server.servlet.context-path: ${BASE}\n");
    says("GET /a/rest/owners/{id} show\n"
         "GET /a/rest/people/{id} show\n"
         "GET /b/owners/{id} show\n"
         "GET /b/people/{id} show\n"
         "GET …/owners/{id} show\n"
         "GET …/people/{id} show\n");
}

KEN_TEST(q_settings_of_spring_hold_for_libraries)
{
    lab_start(&l);
    lab_write(&l, "app/src/main/resources/application.yaml",
              "server: { servlet: { context-path: /shop } }\n");
    lab_write(&l, "app/src/test/resources/application.yaml",
              "server: { servlet: { context-path: /tested } }\n");
    write_spring("web/src/main/java/C.java");
    says("GET /shop/owners/{id} show\n"
         "GET /shop/people/{id} show\n");
}

KEN_TEST(q_a_group_of_the_root_adds_nothing)
{
    lab_start(&l);
    lab_write(&l, "main.go",
              "package main\n"
              "import \"github.com/gin-gonic/gin\"\n"
              "func list(c *gin.Context) {}\n"
              "func main() {\n"
              "\tr := gin.Default()\n"
              "\tg := r.Group(\"/\")\n"
              "\tg.GET(\"/x\", list)\n"
              "}\n");
    says("GET /x list\n");
}
