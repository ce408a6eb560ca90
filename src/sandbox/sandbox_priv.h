// SPDX-License-Identifier: MIT
// sandbox_priv.h -- what the files of this folder share.
#ifndef KEN_SANDBOX_SANDBOX_PRIV_H
#define KEN_SANDBOX_SANDBOX_PRIV_H

#include "sandbox/sandbox.h"

// EPERM for the system calls of sandbox_calls.c. *out_is_on: false where the kernel or the
// processor has no filter of ours.
ken_status ken_sandbox__deny_calls(bool *out_is_on, ken_err *err) KEN_MUST_USE;

#endif
