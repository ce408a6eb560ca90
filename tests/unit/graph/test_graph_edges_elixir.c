// SPDX-License-Identifier: MIT
// Elixir: modules by whole names and aliases, functions of the module around and of imports.
#include "graph_lab.h"
#include "ktest.h"

static const graph_lab_file files[] = {
    { "lib/cart.ex", "defmodule Shop.Cart do\n"
                     "  use Shop.Web\n"
                     "  import Shop.Money\n"
                     "  alias Shop.{Price, Store}\n"
                     "  alias Shop.Item, as: Thing\n"
                     "  def total(cart, tax) do\n"
                     "    cart |> Price.sum(tax) |> cents()\n"
                     "    Enum.map(cart, &cost/1)\n"
                     "    Thing.name(%Thing{})\n"
                     "    cost = 1\n"
                     "    cost + __MODULE__.total(cost, 1)\n"
                     "    Price.hidden()\n"
                     "    link(secret(1))\n"
                     "    cart.store.open(1)\n"
                     "    Line.show()\n"
                     "    Web.show()\n"
                     "    unknown(1)\n"
                     "  end\n"
                     "  def total(cart), do: total(cart, Store.open(cart))\n"
                     "  defp cost(item), do: :gen_tcp.open(item)\n"
                     "  defmodule Line do\n"
                     "    def show, do: cost(1)\n"
                     "  end\n"
                     "end\n" },
    { "lib/deep.ex", "defmodule Deep do\n"
                     "  alias Other.Price\n"
                     "  def run, do: Price.sum(1, 2)\n"
                     "  def go, do: Shop.Cart.Line.show()\n"
                     "  def dot, do: Shop.Store.Disk.write()\n"
                     "  import Shop.Links, only: [link: 1]\n"
                     "  def one, do: link(other_link(1))\n"
                     "end\n" },
    { "lib/item.ex", "defmodule Shop.Item do\n"
                     "  defstruct name: nil\n"
                     "  def name(x), do: x.name\n"
                     "end\n" },
    { "lib/links.ex", "defmodule Shop.Links do\n"
                      "  def link(x), do: x\n"
                      "  def other_link(x), do: x\n"
                      "end\n" },
    { "lib/money.ex", "defmodule Shop.Money do\n"
                      "  def cents(x), do: x\n"
                      "  defp secret(x), do: x\n"
                      "end\n" },
    { "lib/price.ex", "defmodule Shop.Price do\n"
                      "  @type t :: integer()\n"
                      "  @spec sum(t(), t()) :: t()\n"
                      "  def sum(a, b), do: a + b\n"
                      "  defp hidden, do: integer()\n"
                      "  def integer, do: 1\n"
                      "end\n" },
    { "lib/store.ex", "defmodule Shop.Store do\n"
                      "  def open(x), do: x\n"
                      "  defmodule Disk do\n"
                      "    def write, do: 1\n"
                      "  end\n"
                      "end\n" },
    { "lib/unknown.ex", "defmodule Unknown do\n"
                        "  def unknown(x), do: x\n"
                        "end\n" },
    { "lib/web.ex", "defmodule Shop.Web do\n"
                    "  defmacro __using__(_) do\n"
                    "    quote do\n"
                    "      import Shop.Links\n"
                    "    end\n"
                    "  end\n"
                    "  def show, do: 1\n"
                    "end\n" },
    { "test/a_test.exs", "defmodule Fake do\n"
                         "  def run, do: 1\n"
                         "end\n"
                         "defmodule ATest do\n"
                         "  test \"a\", do: Fake.run()\n"
                         "  describe \"b\" do\n"
                         "    test \"c\", do: helper()\n"
                         "    defp helper, do: 1\n"
                         "  end\n"
                         "end\n" },
    { "test/b_test.exs", "defmodule Fake do\n"
                         "  def run, do: 2\n"
                         "end\n" },
    { "test/c_test.exs", "defmodule CTest do\n"
                         "  test \"c\", do: Fake.run()\n"
                         "end\n" },
};

KEN_TEST(elixir_aliases_lead_to_modules_and_their_functions)
{
    EXPECT("lib/cart.ex:7 Price", "lib/price.ex:1 Shop.Price imported");
    EXPECT("lib/cart.ex:7 sum", "lib/price.ex:3 sum imported");
    EXPECT("lib/cart.ex:9 name", "lib/item.ex:3 name imported");
    EXPECT("lib/cart.ex:9 Thing", "lib/item.ex:1 Shop.Item imported");
    EXPECT("lib/cart.ex:19 open", "lib/store.ex:2 open imported");
}

KEN_TEST(elixir_modules_inside_others_have_the_names_of_both)
{
    EXPECT("lib/deep.ex:4 show", "lib/cart.ex:22 show imported");
    EXPECT("lib/deep.ex:5 write", "lib/store.ex:4 write imported");
    EXPECT("lib/cart.ex:15 show", "lib/cart.ex:22 show scoped");
}

KEN_TEST(elixir_bare_calls_are_of_the_module_around_or_of_imports)
{
    EXPECT("lib/cart.ex:7 cents", "lib/money.ex:2 cents imported");
    EXPECT("lib/cart.ex:8 cost", "lib/cart.ex:20 cost scoped");
    EXPECT("lib/cart.ex:11 total", "lib/cart.ex:6 total scoped");
    EXPECT("lib/cart.ex:13 link", "lib/links.ex:2 link inferred");
}

KEN_TEST(elixir_functions_among_tests_are_of_the_module_around)
{
    EXPECT("test/a_test.exs:7 helper", "test/a_test.exs:8 helper scoped");
}

KEN_TEST(elixir_an_import_of_some_brings_no_others)
{
    EXPECT("lib/deep.ex:6 link", "lib/links.ex:2 link imported");
    EXPECT("lib/deep.ex:7 link", "lib/links.ex:2 link imported");
    EXPECT("lib/deep.ex:7 other_link", "unresolved");
}

KEN_TEST(elixir_what_is_private_or_of_the_module_outside_is_not_seen)
{
    EXPECT("lib/cart.ex:12 hidden", "unresolved");
    EXPECT("lib/cart.ex:13 secret", "unresolved");
    EXPECT("lib/cart.ex:22 cost", "unresolved");
}

KEN_TEST(elixir_a_name_alone_makes_no_edge)
{
    EXPECT("lib/cart.ex:10 cost", "no reference"); // a variable
    EXPECT("lib/cart.ex:14 open", "unresolved");
    EXPECT("lib/cart.ex:16 show", "external"); // there is no module Web
    EXPECT("lib/cart.ex:17 unknown", "unresolved");
    EXPECT("lib/cart.ex:20 open", "external");
    EXPECT("lib/deep.ex:3 sum", "external"); // the Price of another
}

KEN_TEST(elixir_heads_and_built_in_types_are_no_calls)
{
    EXPECT("lib/cart.ex:6 total", "no reference");
    EXPECT("lib/cart.ex:19 total", "lib/cart.ex:6 total scoped");
    EXPECT("lib/price.ex:3 sum", "no reference");
    EXPECT("lib/price.ex:2 integer", "no reference");
    EXPECT("lib/price.ex:3 t", "lib/price.ex:2 t scoped");
}

KEN_TEST(elixir_of_modules_with_one_name_that_of_the_file_is_meant)
{
    EXPECT("test/a_test.exs:5 run", "test/a_test.exs:2 run scoped");
    EXPECT("test/c_test.exs:2 run", "unresolved");
}
