//! Carts.
const std = @import("std");
pub const max: usize = 100;
var count: u32 = 0;

/// What a customer wants.
pub const Cart = struct {
    /// Its owner.
    owner: []const u8,
    items: std.ArrayList(Item) = undefined,

    const default = "x";

    /// The sum.
    pub fn total(self: *const Cart, tax: f64) !f64 {
        // inside
        const local = 1;
        return local;
    }

    pub const Line = struct { n: u32 };
};

pub const Color = enum(u8) {
    red,
    green = 2,

    pub fn next(c: Color) Color {
        return c;
    }
};

const Value = union(enum) {
    int: i64,
    text: []const u8,
};

pub const Error = error{ Empty, Full };

pub fn List(comptime T: type) type {
    return struct {
        head: ?*T,

        pub fn push(self: *@This(), v: T) void {
            _ = v;
        }
    };
}

export fn add(a: i32, b: i32) i32 {
    return a + b;
}

test "adds" {
    try std.testing.expect(true);
}

test Cart {
    const x = 1;
}
