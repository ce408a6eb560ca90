#!/usr/bin/env bash
# Builds carts.
set -euo pipefail
source ./lib.sh
. "$HOME/.profile"

readonly MAX_ITEMS=100
export PATH="$PATH:/opt"
count=0

# The sum.
total() {
  # inside
  local sum=1
  echo "$sum"
}

function draw {
  cat <<'END'
not() { a function; }
END
}

if [ -n "$CI" ]; then
  ci_only() { :; }
fi

@test "adds up" {
  run total
  [ "$status" -eq 0 ]
}

# About the next one.
@test "draws" {
  x=1
  run draw
}
