{-# LANGUAGE OverloadedStrings #-}
-- | Carts.
module Shop.Cart
  ( Cart (..)
  , total
  ) where

import qualified Data.Map as M
import Data.List (sort)

-- | What a customer wants.
data Cart a
  = Cart { owner :: String, items, spare :: [a] }
  | Empty
  deriving (Show, Eq)

newtype Name = Name { unName :: String }

type Price = Double

-- | Can be drawn.
class Draw f where
  type Output f
  draw :: f -> Output f
  draw = undefined
  sides :: f -> Int

instance Draw (Cart a) where
  type Output (Cart a) = ()
  draw _ = ()

instance Show Name where
  show (Name n) = n

-- | The sum.
total :: Num a => Cart a -> a
total Empty = 0
total (Cart _ xs _) = go xs
  where
    go [] = 0
    -- inside
    go (y:ys) = y + go ys

infixl 6 <+>
(<+>) :: Int -> Int -> Int
a <+> b = a + b

limit, other :: Int
limit = 100

pattern Zero :: Int
pattern Zero = 0

main :: IO ()
main = do
  let local = 1
  print local
