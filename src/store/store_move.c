// SPDX-License-Identifier: MIT
// Whether a catalog is whole.
#include "store/move.h"

ken_status ken_catalog_check_whole(ken_catalog *c, ken_err *err)
{
    ken_arena arena;
    ken_str state, word = KEN_STR(KEN_CATALOG_MOVE_UNFINISHED);
    ken_arena_init(&arena, 256);
    ken_status st = ken_catalog_load_value(c, KEN_STR(KEN_CATALOG_MOVE_STATE), &arena, &state, err);
    if (st == KEN_ENOTFOUND)
        st = KEN_OK;
    else if (!st && ken_str_starts(state, word))
        st = KEN_FAIL(err, KEN_EBUSY,
                      "an installation is being moved here and is not whole yet, from " KEN_STR_FMT
                      "; when nobody is at it: run the same 'ken migrate' again",
                      KEN_STR_ARG(ken_str_sub(state, word.len, state.len)));
    ken_arena_release(&arena);
    return st;
}
