// SPDX-License-Identifier: MIT
// lang_priv.h -- rows of the language table, for this folder only.
#ifndef KEN_LANG_LANG_PRIV_H
#define KEN_LANG_LANG_PRIV_H

#include "lang/lang.h"

typedef struct ken_lang_row {
    const char *name, *grammar, *table, *extensions, *file_names, *shebangs; // words by ' '
    ken_lang_role role;
} ken_lang_row;

const ken_lang_row *ken_lang__row(ken_lang_id lang);

#endif
