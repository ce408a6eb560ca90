// SPDX-License-Identifier: MIT
#include "base/net.h"

#include <arpa/inet.h>
#include <string.h>

enum {
    ALL_BITS = 128,
    V4_BITS = 32,
};

static bool parse_address(ken_str text, uint8_t out[16], bool *out_is_v4)
{
    char name[INET6_ADDRSTRLEN];
    if (text.len > 2 && text.ptr[0] == '[' && text.ptr[text.len - 1] == ']')
        text = ken_str_sub(text, 1, text.len - 1);
    if (!text.len || text.len >= sizeof name || memchr(text.ptr, '\0', text.len))
        return false;
    memcpy(name, text.ptr, text.len);
    name[text.len] = '\0';
    static const uint8_t mapped[12] = { [10] = 0xff, [11] = 0xff };
    *out_is_v4 = inet_pton(AF_INET, name, out + sizeof mapped) == 1;
    if (*out_is_v4)
        memcpy(out, mapped, sizeof mapped);
    return *out_is_v4 || inet_pton(AF_INET6, name, out) == 1;
}

bool ken_net_parse(ken_str text, ken_net *out)
{
    ken_net n = { .n_bits = ALL_BITS };
    bool is_v4 = false;
    size_t slash = ken_str_find_char(text, '/');
    if (!parse_address(ken_str_sub(text, 0, slash), n.bytes, &is_v4))
        return false;
    if (slash != SIZE_MAX) {
        uint64_t bits = 0, max = is_v4 ? V4_BITS : ALL_BITS;
        if (!ken_str_parse_u64(ken_str_sub(text, slash + 1, text.len), &bits) || bits > max)
            return false;
        n.n_bits = (unsigned)(ALL_BITS - max + bits);
    }
    *out = n;
    return true;
}

bool ken_net_has(const ken_net *n, ken_str address)
{
    uint8_t bytes[16];
    bool is_v4 = false;
    if (!parse_address(address, bytes, &is_v4))
        return false;
    size_t whole = n->n_bits / 8;
    unsigned rest = n->n_bits % 8;
    if (memcmp(bytes, n->bytes, whole) != 0)
        return false;
    return !rest || (bytes[whole] ^ n->bytes[whole]) >> (8 - rest) == 0;
}

bool ken_net_is_loopback(ken_str address)
{
    ken_net v4, v6;
    return ken_net_parse(KEN_STR("127.0.0.0/8"), &v4) && ken_net_parse(KEN_STR("::1"), &v6) &&
           (ken_net_has(&v4, address) || ken_net_has(&v6, address));
}
