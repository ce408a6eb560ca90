// SPDX-License-Identifier: MIT
// Haskell: names of the module and of its imports, as far as lists of imports and exports say.
#include "graph_lab.h"
#include "ktest.h"

static const graph_lab_file files[] = {
    { "app/Main.hs", "module Main where\n"
                     "import Shop.Cart\n"
                     "import qualified Shop.Price as P\n"
                     "import Data.Text (Text)\n"
                     "import Prelude hiding (lookup)\n"
                     "main :: IO ()\n"
                     "main = do\n"
                     "  let cents = 1\n"
                     "  print (total (Cart 1 [cents]))\n"
                     "  print (P.cents 3, cost 1, secret 2)\n"
                     "  print (draw Empty `plus` P.hidden)\n"
                     "name :: Text\n"
                     "name = owner (Wrapped 1)\n"
                     "lookup key = key\n" },
    { "src/Other.hs", "module Other (local, T.Text (Other)) where\n"
                      "import Shop.Types as T\n"
                      "import qualified Shop.Cart\n"
                      "local :: Text -> Shop.Cart.Cart\n"
                      "local Other = Shop.Cart.total\n"
                      "  where total = cost\n"
                      "a <+> b = a\n"
                      "twice x = x <+> (x <+> local)\n"
                      "f = \\total -> total\n" },
    { "src/Shop/Cart.hs",
      "module Shop.Cart (Cart (..), Draw (draw), total, module Shop.Price) where\n"
      "import Shop.Price hiding (hidden)\n"
      "import Shop.Types (Text (..))\n"
      "data Cart = Cart { owner :: Int, items :: [Int] } | Empty\n"
      "newtype Wrapped = Wrapped Int\n"
      "class Draw a where\n"
      "  draw :: a -> Int\n"
      "  size :: a -> Int\n"
      "instance Draw Cart where\n"
      "  draw c = go (items c)\n"
      "    where\n"
      "      go [] = later\n"
      "      go (x:xs) = cost x\n"
      "      later = hidden + size c\n"
      "total :: Cart -> Int\n"
      "total (Cart o is) = sum o is\n"
      "total Empty = secret\n"
      "secret = text . Text\n"
      "sum o is = o { owner = is }\n"
      "plus a b = a\n" },
    { "src/Shop/Price.hs", "module Shop.Price where\n"
                           "cost x = cents x\n"
                           "cents x = x\n"
                           "hidden = 2\n" },
    { "src/Shop/Types.hs", "module Shop.Types (Text (..)) where\n"
                           "data Text = Text | Other\n" },
};

KEN_TEST(haskell_exports_decide_what_an_import_brings)
{
    EXPECT("app/Main.hs:9 total", "src/Shop/Cart.hs:15 total imported");
    EXPECT("app/Main.hs:9 Cart", "src/Shop/Cart.hs:4 Cart imported");   // Cart (..)
    EXPECT("app/Main.hs:10 cost", "src/Shop/Price.hs:2 cost imported"); // module Shop.Price
    EXPECT("app/Main.hs:11 draw", "src/Shop/Cart.hs:7 draw imported");
    EXPECT("app/Main.hs:11 Empty", "src/Shop/Cart.hs:4 Empty imported");
    EXPECT("app/Main.hs:13 owner", "src/Shop/Cart.hs:4 owner imported");
}

KEN_TEST(haskell_what_is_not_exported_or_hidden_is_not_seen)
{
    EXPECT("app/Main.hs:10 secret", "external");
    EXPECT("app/Main.hs:11 plus", "external");
    EXPECT("app/Main.hs:13 Wrapped", "external");
    EXPECT("src/Shop/Cart.hs:14 hidden", "external");
}

KEN_TEST(haskell_a_prefix_names_a_module_by_alias_or_in_full)
{
    EXPECT("app/Main.hs:10 cents", "src/Shop/Price.hs:3 cents imported");
    EXPECT("app/Main.hs:11 hidden", "src/Shop/Price.hs:4 hidden imported");
    EXPECT("src/Other.hs:5 total", "src/Shop/Cart.hs:15 total imported");
    EXPECT("src/Other.hs:4 Cart", "src/Shop/Cart.hs:4 Cart imported");
}

KEN_TEST(haskell_fields_constructors_and_methods_are_names_of_the_module)
{
    EXPECT("src/Shop/Cart.hs:10 items", "src/Shop/Cart.hs:4 items scoped");
    EXPECT("src/Shop/Cart.hs:14 size", "src/Shop/Cart.hs:8 size scoped");
    EXPECT("src/Shop/Cart.hs:19 owner", "src/Shop/Cart.hs:4 owner scoped");
    EXPECT("src/Shop/Cart.hs:9 Draw", "src/Shop/Cart.hs:6 Draw scoped");
    EXPECT("src/Shop/Cart.hs:16 sum", "src/Shop/Cart.hs:19 sum scoped");
}

KEN_TEST(haskell_where_is_known_before_it_is_written_and_hides)
{
    EXPECT("src/Shop/Cart.hs:10 go", "no reference");
    EXPECT("src/Shop/Cart.hs:12 later", "no reference");
    EXPECT("src/Shop/Cart.hs:13 cost", "src/Shop/Price.hs:2 cost imported");
    EXPECT("app/Main.hs:9 cents", "no reference");
    EXPECT("src/Other.hs:9 total", "no reference");
}

KEN_TEST(haskell_types_and_constructors_of_one_name_are_apart)
{
    EXPECT("app/Main.hs:12 Text", "external"); // Data.Text's
    EXPECT("src/Other.hs:4 Text", "src/Shop/Types.hs:2 Text imported");
    EXPECT("src/Shop/Cart.hs:18 Text", "src/Shop/Types.hs:2 Text imported");
    EXPECT("src/Other.hs:5 Other", "src/Shop/Types.hs:2 Other imported");
}

KEN_TEST(haskell_operators_are_names)
{
    EXPECT("src/Other.hs:8 <+>", "src/Other.hs:7 <+> scoped");
    EXPECT("src/Shop/Cart.hs:18 .", "external");
}
