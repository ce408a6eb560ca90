// SPDX-License-Identifier: MIT
// What a controller of Rails runs before its actions.
#include "base/buf.h"
#include "ktest.h"
#include "route/route_filters.h"

// "login -track find(show)": names, a dash before what is skipped, for which of two actions.
static void filters(const char *body, const char *expected)
{
    static const char *const actions[] = { "index", "show" };
    ken_arena arena;
    ken_buf out = KEN_BUF_INIT(0);
    ken_route_filter *all;
    ken_arena_init(&arena, 0);
    size_t n = ken_route_filters(ken_str_c(body), &arena, &all);
    for (size_t i = 0; i < n; i++) {
        ken_buf_printf(&out, "%s%s" KEN_STR_FMT, i ? " " : "", all[i].is_skip ? "-" : "",
                       KEN_STR_ARG(all[i].name));
        for (size_t k = 0; k < 2; k++)
            if (ken_route_filter_holds(&all[i], ken_str_c(actions[k])))
                ken_buf_printf(&out, " %s", actions[k]);
    }
    kt_eq_text(ken_buf_str(&out), expected);
    ken_buf_release(&out);
    ken_arena_release(&arena);
}

KEN_TEST(filters_of_a_controller)
{
    filters("before_action :a\n", "a index show");
    filters("  before_action :a, :b,\n    only: [:index]\n", "a index b index");
    filters("before_action :a, :only => :show # no\n", "a show");
    filters("prepend_before_action :a, except: %i[index show]\n", "a");
    filters("skip_before_action(:a, only: %w[index])\n", "-a index");
    filters("before_action :a, unless: :b?\nbefore_action { x }\nbefore_actions :c\n", "");
    filters("before_action", "");
    filters("before_action :a, only: [", "a");
    filters("before_action :valid!, only: []\n", "valid!");
}
