const std = @import("std");
const db = @import("db.zig");
const Row = @import("db.zig").Row;

pub const Cart = struct {
    items: []const Row,
    db: *db.Conn,
    size: usize = 0,

    const Self = @This();

    pub fn init(conn: *db.Conn) !Cart {
        return Cart{ .items = &[_]Row{}, .db = conn };
    }

    pub fn add(self: *Self, row: Row) !void {
        const found = try self.db.query(row.name);
        self.size += found.count;
        if (found.first) |first| try first.show();
        for (self.items) |item| item.touch();
        const kind: Kind = .small;
        switch (kind) {
            .small => |n| log(n),
            else => return error.Missing,
        }
        try self.changed();
    }

    fn changed(self: *Self) !void {
        _ = self;
    }
};

const Kind = enum { small, large };

fn log(n: u8) void {
    std.debug.print("{d}", .{n});
}

test "adds" {
    var cart = try Cart.init(undefined);
    try cart.add(db.empty orelse unreachable);
}
