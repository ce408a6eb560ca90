// SPDX-License-Identifier: MIT
#include "base/net.h"
#include "ktest.h"

static bool has(const char *network, const char *address)
{
    ken_net n;
    kt_true(ken_net_parse(ken_str_c(network), &n));
    return ken_net_has(&n, ken_str_c(address));
}

KEN_TEST(networks_hold_their_addresses)
{
    kt_true(has("10.0.0.0/8", "10.200.3.4"));
    kt_false(has("10.0.0.0/8", "11.0.0.1"));
    kt_true(has("192.168.4.0/22", "192.168.7.255"));
    kt_false(has("192.168.4.0/22", "192.168.8.0"));
    kt_true(has("192.168.1.1", "192.168.1.1"));
    kt_false(has("192.168.1.1", "192.168.1.2"));
    kt_true(has("0.0.0.0/0", "8.8.8.8"));
    kt_false(has("0.0.0.0/0", "2001:db8::1"));
    kt_true(has("::/0", "2001:db8::1"));
    kt_true(has("fd00::/8", "[fd12::1]"));
    kt_false(has("fd00::/8", "fe80::1"));
    kt_true(has("10.0.0.0/8", "::ffff:10.1.2.3")); // the same address, as a socket of IPv6 tells it
}

KEN_TEST(what_is_no_address)
{
    static const char *const bad[] = { "",         "localhost", "10.0.0",    "10.0.0.0/33",
                                       "::1/129",  "10.0.0.0/", "1.2.3.4/x", "[::1",
                                       "::1]",     "1.2.3.4 ",  "/8",        "1.2.3.4/8/8",
                                       "01.2.3.4", "1.2.3.4/-1" };
    ken_net n;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        if (ken_net_parse(ken_str_c(bad[i]), &n))
            kt_fail("'%s' was taken", bad[i]);
    kt_false(ken_net_parse(KEN_STR("1.2.3.4\0"), &n));
    kt_false(has("0.0.0.0/0", "1.2.3.4/32")); // an address alone
}

KEN_TEST(loopback)
{
    kt_true(ken_net_is_loopback(KEN_STR("127.0.0.1")));
    kt_true(ken_net_is_loopback(KEN_STR("127.9.9.9")));
    kt_true(ken_net_is_loopback(KEN_STR("::1")));
    kt_false(ken_net_is_loopback(KEN_STR("0.0.0.0")));
    kt_false(ken_net_is_loopback(KEN_STR("::")));
    kt_false(ken_net_is_loopback(KEN_STR("localhost")));
}
