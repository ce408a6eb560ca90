// SPDX-License-Identifier: MIT
// catalog.h -- the catalog of these data (store/catalog.h), lent to what is above app.
//
// Threads: safe from any thread; what was taken is that thread's until it is given back.
#ifndef KEN_APP_CATALOG_H
#define KEN_APP_CATALOG_H

#include "app/app.h"
#include "store/catalog.h"

// "host:pid", as others are told who this is; borrowed.
const char *ken_app_process_name(void);
// What keeps the catalog, opened; NULL: a file.
ken_status ken_app_find_database(ken_app *app, ken_database **out, ken_err *err) KEN_MUST_USE;
// KEN_ENOTFOUND without a message when there is none yet and `may_create` is false. Then it may also be
// one that cannot be written to.
ken_status ken_app_take_catalog(ken_app *app, bool may_create, ken_catalog **out, ken_err *err)
    KEN_MUST_USE;
// One whose call has failed is closed instead (ken_catalog_close): what is wrong with it may stay.
void ken_app_give_catalog(ken_app *app, ken_catalog *c);
// Both around a call of `fn`. KEN_ENOTFOUND of it is no failure of the catalog.
typedef ken_status ken_app_catalog_fn(ken_catalog *c, void *ctx, ken_err *err);
ken_status ken_app_with_catalog(ken_app *app, bool may_create, ken_app_catalog_fn *fn, void *ctx,
                                ken_err *err) KEN_MUST_USE;

#endif
