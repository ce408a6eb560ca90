// SPDX-License-Identifier: MIT
// attr.h -- compiler attributes behind names; the only extensions this tree uses.
#ifndef KEN_BASE_ATTR_H
#define KEN_BASE_ATTR_H

#define KEN_MUST_USE                __attribute__((warn_unused_result))
#define KEN_PRINTF(fmt_at, args_at) __attribute__((format(printf, fmt_at, args_at)))
#define KEN_NORETURN                __attribute__((noreturn))
#define KEN_COLD                    __attribute__((cold))
#define KEN_CONSTRUCTOR             __attribute__((constructor))
// Asks for the memory at `p` to be near soon; never faults.
#define KEN_PREFETCH(p) __builtin_prefetch(p)

#endif
