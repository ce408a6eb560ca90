// SPDX-License-Identifier: MIT
#include "base/err.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

ken_status ken_err_set(ken_err *err, ken_status st, const char *where, const char *fmt, ...)
{
    if (!err)
        return st;
    va_list ap;
    va_start(ap, fmt);
    err->status = st;
    err->where = where;
    vsnprintf(err->msg, sizeof err->msg, fmt, ap);
    va_end(ap);
    return st;
}

ken_status ken_err_wrap(ken_err *err, const char *fmt, ...)
{
    if (!err)
        return KEN_EINTERNAL;
    char old[sizeof err->msg];
    memcpy(old, err->msg, sizeof old);
    va_list ap;
    va_start(ap, fmt);
    int n = vsnprintf(err->msg, sizeof err->msg, fmt, ap);
    va_end(ap);
    if (n >= 0 && (size_t)n + 2 < sizeof err->msg)
        snprintf(err->msg + n, sizeof err->msg - (size_t)n, ": %.*s",
                 (int)(sizeof err->msg - (size_t)n - 3), old);
    return err->status;
}

static ken_status status_of_errno(int e)
{
    switch (e) {
    case ENOENT:
    case ENOTDIR:
    case ESTALE:
        return KEN_ENOTFOUND;
    case EACCES:
    case EPERM:
    case EROFS:
        return KEN_EPERM;
    case ENOMEM:
    case EMFILE: // the system has no more of something: the next try may work
    case ENFILE:
        return KEN_ENOMEM;
    case ENOSPC:
    case EDQUOT:
    case EFBIG:
        return KEN_ENOSPC;
    case EEXIST:
        return KEN_EEXIST;
    case EAGAIN:
    case EBUSY:
        return KEN_EBUSY;
    case ELOOP:
    case ENAMETOOLONG:
    case ENXIO: // a socket, or a device that is not there
    case ENODEV:
    case EINVAL:
        return KEN_EINVAL;
    default:
        return KEN_EIO;
    }
}

ken_status ken_err_set_errno(ken_err *err, int sys_errno, const char *where, const char *fmt, ...)
{
    ken_status st = status_of_errno(sys_errno);
    if (!err)
        return st;
    va_list ap;
    va_start(ap, fmt);
    err->status = st;
    err->where = where;
    int n = vsnprintf(err->msg, sizeof err->msg, fmt, ap);
    va_end(ap);
    if (n < 0 || (size_t)n + 2 >= sizeof err->msg)
        return st;
    char text[128];
    const char *t = strerror_r(sys_errno, text, sizeof text);
    snprintf(err->msg + n, sizeof err->msg - (size_t)n, ": %s", t);
    return st;
}
