// SPDX-License-Identifier: MIT
// token_count.h -- how many tokens a language model counts in a text.
//
// An estimate: within 5 % of the tokenizers of OpenAI's models (o200k_base, cl100k_base) for texts
// of 500 tokens and more, code or prose (figures and exceptions: models/README.md). Tokenizers of
// other makers cut finer or coarser by a factor that is much the same for all code.
//
// Ownership: none. Threads: any. Errors: none; any bytes have a count, broken UTF-8 too.
#ifndef KEN_TOKEN_TOKEN_COUNT_H
#define KEN_TOKEN_TOKEN_COUNT_H

#include <stdint.h>

#include "base/str.h"

uint32_t ken_count_tokens(ken_str text);

#endif
