// SPDX-License-Identifier: MIT
// Rails' routes as config/routes.rb says them: words that are seven, blocks around, odd text.
#include "base/buf.h"
#include "ktest.h"
#include "route/route_rails.h"

// "GET /a AController.b" a line.
static void draws(const char *body, const char *expected)
{
    ken_arena arena;
    ken_arena_init(&arena, 0);
    ken_str text = ken_arena_printf(&arena, "Rails.application.routes.draw do\n%send\n", body);
    ken_rails_route *routes;
    ken_buf out = KEN_BUF_INIT(0);
    size_t n = ken_rails_routes(text, &arena, &routes);
    for (size_t i = 0; i < n; i++)
        ken_buf_printf(&out, KEN_STR_FMT " " KEN_STR_FMT "%s" KEN_STR_FMT "\n",
                       KEN_STR_ARG(routes[i].method), KEN_STR_ARG(routes[i].path),
                       routes[i].handler.len ? " " : "", KEN_STR_ARG(routes[i].handler));
    kt_eq_text(ken_buf_str(&out), expected);
    ken_buf_release(&out);
    ken_arena_release(&arena);
}

KEN_TEST(resources_are_seven_and_a_resource_six)
{
    draws("  resources :articles\n", "GET /articles ArticlesController.index\n"
                                     "GET /articles/new ArticlesController.new\n"
                                     "POST /articles ArticlesController.create\n"
                                     "GET /articles/:id ArticlesController.show\n"
                                     "GET /articles/:id/edit ArticlesController.edit\n"
                                     "PATCH /articles/:id ArticlesController.update\n"
                                     "DELETE /articles/:id ArticlesController.destroy\n");
    draws("  resource :profile, except: %i[new edit destroy]\n",
          "POST /profile ProfilesController.create\n"
          "GET /profile ProfilesController.show\n"
          "PATCH /profile ProfilesController.update\n");
    draws("  resources :photos, :books, only: :index\n", "GET /photos PhotosController.index\n"
                                                         "GET /books BooksController.index\n");
    draws("  resources :keys, only: [:show,\n    :create], path: 'api-keys', controller: "
          "'tokens'\n",
          "POST /api-keys TokensController.create\n"
          "GET /api-keys/:id TokensController.show\n");
}

KEN_TEST(blocks_nest_paths_and_modules)
{
    draws("  resources :articles, only: [] do\n"
          "    member do\n"
          "      get :preview\n"
          "      post 'publish'\n"
          "    end\n"
          "    collection { get :search }\n"
          "    get :draft, on: :member\n"
          "    resources :comments, only: %w[index]\n"
          "  end\n"
          "  get 'after', to: 'pages#after'\n",
          "GET /articles/:id/preview ArticlesController.preview\n"
          "POST /articles/:id/publish ArticlesController.publish\n"
          "GET /articles/search ArticlesController.search\n"
          "GET /articles/:id/draft ArticlesController.draft\n"
          "GET /articles/:article_id/comments CommentsController.index\n"
          "GET /after PagesController.after\n");
    draws("  namespace :admin do\n"
          "    root to: 'home#index'\n"
          "    resources :users, only: :show\n"
          "    namespace :v2, path: 'two' do\n"
          "      resources :tags, only: :index\n"
          "    end\n"
          "  end\n"
          "  scope '/api', module: 'api' do\n"
          "    post '/login' => 'sessions#create'\n"
          "  end\n",
          "GET /admin Admin::HomeController.index\n"
          "GET /admin/users/:id Admin::UsersController.show\n"
          "GET /admin/two/tags Admin::V2::TagsController.index\n"
          "POST /api/login Api::SessionsController.create\n");
    draws("  resources :tags, module: 'api/v2', only: :index\n",
          "GET /tags Api::V2::TagsController.index\n");
}

KEN_TEST(what_means_nothing_here_is_looked_through)
{
    draws("  # resources :old\n"
          "  devise_for :users\n"
          "  if Rails.env.development?\n"
          "    get '/dev', to: 'dev#index'\n"
          "  end\n"
          "  constraints(subdomain: 'api') do |c|\n"
          "    root 'api#index' # get '/no'\n"
          "  end\n"
          "  match '/any', to: 'pages#any', via: [:get, :post]\n"
          "  mount Sidekiq::Web => '/sidekiq'\n",
          "GET /dev DevController.index\n"
          "GET / ApiController.index\n"
          "ANY /any PagesController.any\n");
}

KEN_TEST(text_that_is_cut_short_ends)
{
    draws("  resources :a, only: [:index\n", "GET /a AController.index\n");
    draws("  end\n  end\n  }\n  get 'x\n", "GET /x\n");
    ken_arena arena;
    ken_rails_route *routes;
    ken_arena_init(&arena, 0);
    kt_eq_u(ken_rails_routes(KEN_STR("get '/x', to: 'a#b'\n"), &arena, &routes), 0);
    kt_eq_u(ken_rails_routes(KEN_STR("routes.draw do get"), &arena, &routes), 0);
    kt_eq_u(ken_rails_routes(KEN_STR("routes.draw do\nresources :a do |"), &arena, &routes), 7);
    ken_arena_release(&arena);
}

static void put_often(ken_buf *out, const char *text, int n)
{
    while (n-- > 0)
        ken_buf_puts(out, text);
}

// A list of 100,000 names, and a path of 400 KB before 5,000 others: neither takes seconds or
// gigabytes.
KEN_TEST(long_statements_and_long_paths_are_cut)
{
    ken_arena arena;
    ken_rails_route *routes;
    ken_buf text = KEN_BUF_INIT(0);
    ken_arena_init(&arena, 0);
    ken_buf_puts(&text, "routes.draw do\nresources ");
    put_often(&text, ":a, ", 100000);
    ken_buf_puts(&text, "only: :index\nscope '/");
    put_often(&text, "long", 100000);
    ken_buf_puts(&text, "' do\n");
    put_often(&text, "get :a\n", 6000);
    size_t n = ken_rails_routes(ken_buf_str(&text), &arena, &routes);
    kt_eq_u(n, KEN_RAILS_ROUTES_MAX);
    kt_eq_text(routes[0].path, "/a");
    kt_eq_text(routes[n - 1].path, "/a");
    kt_true(arena.used_bytes < 8 << 20);
    ken_buf_release(&text);
    ken_arena_release(&arena);
}
