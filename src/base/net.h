// SPDX-License-Identifier: MIT
// net.h -- addresses and networks as text; nothing here asks the system or the network.
#ifndef KEN_BASE_NET_H
#define KEN_BASE_NET_H

#include <stdbool.h>
#include <stdint.h>

#include "base/str.h"

// An address, or all that share its first bits. IPv4 is kept as ::ffff:a.b.c.d, so that both forms of
// one address are equal.
typedef struct ken_net {
    uint8_t bytes[16];
    unsigned n_bits; // of 128 that count
} ken_net;

// "10.0.0.0/8", "127.0.0.1", "fd00::/8", "[::1]". False for anything else, names too.
bool ken_net_parse(ken_str text, ken_net *out);
// Whether the address (one, without "/") is in it.
bool ken_net_has(const ken_net *n, ken_str address);
// Whether it can be reached from this machine only: 127.0.0.0/8 or ::1.
bool ken_net_is_loopback(ken_str address);

#endif
