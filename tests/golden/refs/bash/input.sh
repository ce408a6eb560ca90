#!/usr/bin/env bash
source "$(dirname "$0")/lib.sh"
. ./vars.sh

OUT=${OUT:-/tmp}
readonly NAMES=(a b)

log() {
  local level=$1 text
  text="$2"
  printf '%s %s\n' "$level" "$text" >>"$OUT/log"
}

build() {
  local target
  for target in "${NAMES[@]}"; do
    if compile "$target" && [ -n "$OUT" ]; then
      log info "built $target: $(describe "$target")"
    fi
  done
  LAST=$target
}

case $1 in
  all) build "$@" ;;
  *) usage; exit 1 ;;
esac
