{-# LANGUAGE LambdaCase #-}
-- | Carts.
module Shop.Cart
  ( Cart (..)
  , total, (<+>), Draw (draw)
  , module Shop.Price
  ) where

import qualified Data.Map as M
import Data.List (sort, (\\), Foo (..), Bar (A, b))
import Shop.Price hiding (hidden, (<+>))
import Shop.Item as I (Item, name)

data Cart a
  = Cart { owner :: String, items, spare :: [a] }
  | Empty
  deriving (Show, Eq)

newtype Name = Name { unName :: M.Map a Int }
type Table a = M.Map a Item

class Draw f where
  draw :: f -> Int
  draw = undefined

instance Draw (Cart a) where
  draw c = owner' c
    where owner' = M.size . items

-- | The sum.
total :: forall a. (Num a, Draw b) => Cart a -> Maybe a
total Empty = 0
total c@(Cart _ xs _) | null xs, Just q <- look xs = go q
  | otherwise = M.foldr (+) later xs
  where
    go :: a -> a
    go [] = 0
    go (y:ys) = y + go ys `plus` helper
    later = helper
    helper = 3
    (p, r) = span xs
    a <+> b = p

update x = x { owner = "a", I.name = [] }
look Cart { owner = o } = let z = o; w y = z in z <+> M.unionWith w

main = do
  let local = 1
  v <- getLine
  Just w <- pure v
  print local v w

pick = \x -> \case { Just n | n > x -> n; _ -> x }
pairs = [ x * y | x <- xs, let y = x, even x ]
section = (`M.lookup` 3) (3 <+>)

infixl 6 <+>
(<+>) :: Int -> Int -> Int
x <+> y = plus x y

limit, other :: Int
limit = other
