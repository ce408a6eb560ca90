// SPDX-License-Identifier: MIT
// Ruby: modules that are opened again, mixins, attributes, methods without parentheses.
#include "graph_lab.h"
#include "ktest.h"

static const graph_lab_file files[] = {
    { "lib/cart.rb", "module Shop\n"
                     "  LIMIT = 10\n"
                     "  class Cart < Base\n"
                     "    include Logs\n"
                     "    attr_reader :store\n"
                     "    def initialize(size)\n"
                     "      @store = Store.new(size)\n"
                     "    end\n"
                     "    def total\n"
                     "      store.open\n"
                     "      @store.open\n"
                     "      log LIMIT\n"
                     "      prices.show\n"
                     "      touch\n"
                     "      Tax.rate(size)\n"
                     "      other.open\n"
                     "      size = 1; size.to_s\n"
                     "      self.total\n"
                     "    end\n"
                     "    def prices\n"
                     "      Price.new(self)\n"
                     "    end\n"
                     "  end\n"
                     "end\n"
                     "Shop::Cart.new(1).total\n" },
    { "lib/else.rb", "module Else\n"
                     "  class Store; def open; end; end\n"
                     "  class Price; def show; end; end\n"
                     "end\n"
                     "size = 3\n" },
    { "lib/shop.rb", "module Shop\n"
                     "  class Base; def touch; end; end\n"
                     "  module Logs; def log(x); end; end\n"
                     "  class Store; def open; end; end\n"
                     "  class Price; def show; end; end\n"
                     "  class Tax; def self.rate(x); end; end\n"
                     "end\n" },
    { "spec/cart_spec.rb", "describe 'store' do\n"
                           "  it 'opens' do\n"
                           "    store.open\n"
                           "  end\n"
                           "end\n" },
};

KEN_TEST(ruby_constants_are_found_by_nesting_in_all_files_of_a_module)
{
    EXPECT("lib/cart.rb:3 Base", "lib/shop.rb:2 Base imported");
    EXPECT("lib/cart.rb:7 Store", "lib/shop.rb:4 Store imported");
    EXPECT("lib/cart.rb:12 LIMIT", "lib/cart.rb:2 LIMIT scoped");
    EXPECT("lib/cart.rb:25 Cart", "lib/cart.rb:3 Cart scoped");
}

KEN_TEST(ruby_new_makes_an_object_whose_members_are_known)
{
    EXPECT("lib/cart.rb:25 total", "lib/cart.rb:9 total scoped");
    EXPECT("lib/cart.rb:11 open", "lib/shop.rb:4 open imported");
    EXPECT("lib/cart.rb:15 rate", "lib/shop.rb:6 rate imported");
}

KEN_TEST(ruby_methods_without_parentheses_are_calls_of_what_they_give)
{
    EXPECT("lib/cart.rb:13 prices", "lib/cart.rb:20 prices scoped");
    EXPECT("lib/cart.rb:13 show", "lib/shop.rb:5 show imported");
}

KEN_TEST(ruby_an_attribute_is_what_its_variable_is)
{
    EXPECT("lib/cart.rb:10 store", "lib/cart.rb:5 store scoped");
    EXPECT("lib/cart.rb:10 open", "lib/shop.rb:4 open imported");
    EXPECT("lib/cart.rb:11 @store", "lib/cart.rb:7 @store exact");
}

KEN_TEST(ruby_mixins_and_bases_have_members)
{
    EXPECT("lib/cart.rb:12 log", "lib/shop.rb:3 log imported");
    EXPECT("lib/cart.rb:14 touch", "lib/shop.rb:2 touch imported");
    EXPECT("lib/cart.rb:18 total", "lib/cart.rb:9 total exact");
}

KEN_TEST(ruby_the_name_alone_makes_no_edge)
{
    EXPECT("lib/cart.rb:16 open", "unresolved");
    EXPECT("lib/cart.rb:17 size", "no reference");
    EXPECT("lib/cart.rb:15 size", "external"); // what another file calls so is its own
    EXPECT("spec/cart_spec.rb:3 store", "unresolved");
}

KEN_TEST(ruby_what_the_top_of_a_file_includes_is_seen_by_those_that_require_it)
{
    static const graph_lab_file included[] = {
        { "lib/jek.rb", "module Jek\n"
                        "  autoload :Utils, 'jek/utils'\n"
                        "end\n" },
        { "lib/jek/utils.rb", "module Jek\n"
                              "  module Utils\n"
                              "    def self.slugify(s)\n"
                              "      s\n"
                              "    end\n"
                              "  end\n"
                              "end\n" },
        { "test/helper.rb", "require_relative '../lib/jek'\n"
                            "include Jek\n"
                            "Utils.slugify('a')\n" },
        { "test/test_utils.rb", "require 'helper'\n"
                                "class TestUtils\n"
                                "  def test_slugs\n"
                                "    Utils.slugify('b')\n"
                                "  end\n"
                                "end\n" },
        { "test/alone.rb", "Utils.slugify('c')\n" },
    };
    static const char *const edges[][2] = {
        { "test/helper.rb:3 slugify", "lib/jek/utils.rb:3 slugify imported" },
        { "test/test_utils.rb:4 Utils", "lib/jek/utils.rb:2 Utils imported" },
        { "test/test_utils.rb:4 slugify", "lib/jek/utils.rb:3 slugify imported" },
        { "test/alone.rb:1 slugify", "unresolved" },
    };
    graph_lab_check(included, 5, edges, sizeof edges / sizeof *edges);
}

KEN_TEST(ruby_what_every_object_has_gives_the_object)
{
    static const graph_lab_file given[] = {
        { "a.rb", "class Shop < Gem::Place\n"
                  "  def open(at)\n"
                  "    at\n"
                  "  end\n"
                  "end\n"
                  "def made\n"
                  "  Shop.new.tap do |s|\n"
                  "    s.to_s\n"
                  "  end\n"
                  "end\n"
                  "made.open(1)\n"
                  "made.dup.freeze.open(2)\n"
                  "made.hash.open(3)\n" },
    };
    static const char *const edges[][2] = {
        { "a.rb:11 open", "a.rb:2 open scoped" },
        { "a.rb:12 open", "a.rb:2 open scoped" },
        { "a.rb:13 open", "unresolved" },
    };
    graph_lab_check(given, 1, edges, sizeof edges / sizeof *edges);
}

// A variable that holds an object with a method of its name: neither says what a call gives.
KEN_TEST(ruby_a_variable_beside_a_method_of_its_name_ends_no_run)
{
    static const graph_lab_file circle[] = {
        { "a.rb", "it 'unlocks' do\n"
                  "  lock = Class.new do\n"
                  "    def lock() raise Exception end\n"
                  "    def unlocked?() @unlocked end\n"
                  "  end.new\n"
                  "  lock.unlocked?.must_equal false\n"
                  "end\n" },
    };
    static const char *const edges[][2] = { { "a.rb:6 must_equal", "external" } };
    graph_lab_check(circle, 1, edges, sizeof edges / sizeof *edges);
}
