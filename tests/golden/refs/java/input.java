package com.example.store;

import static com.example.util.Checks.notNull;
import static com.example.util.Words.*;

import com.example.db.Conn;
import com.example.db.Conn.Mode;
import java.util.*;

@Service("store")
public class Store<T extends Codec & Closeable> extends Base<T> implements Reader, Iterable<User> {
    private static final int LIMIT = 10, OTHER = LIMIT;
    private final Map<String, User> users = new HashMap<>();
    Conn conn;
    T codec;

    public Store(Conn conn, T codec) {
        super(conn);
        this.conn = notNull(conn);
        this.codec = codec;
    }

    @Override
    public User get(String id, int... flags) throws NotFound {
        User user = users.get(id);
        var other = find(id);
        other.touch().name.length();
        codec.encode(user);
        for (User each : users.values()) {
            each.name = id;
            LIMIT++;
        }
        for (var pair : pairs(id)) pair.show();
        try (Conn c = Conn.open(Mode.READ)) {
            c.ping();
        } catch (IOError | Closed e) {
            e.report();
        }
        if (user instanceof Admin admin && admin.isRoot()) return (Admin) user;
        Runnable r = () -> user.touch();
        list.forEach(u -> u.touch());
        list.map(User::getName).sort(Store::new);
        this.get(id, 1);
        super.close();
        User[] made = new User[LIMIT];
        made[0].touch();
        return user == null ? other : user;
    }

    private User find(String id) {
        return new User(id) {
            @Override
            void touch() {
                find(name);
            }
        };
    }

    static class Inner {
        int depth;

        void dig() {
            depth++;
            LIMIT.toString();
            switch (depth) {
                case LIMIT -> dig();
                default -> Mode.of("x");
            }
        }
    }

    enum Shape implements Named {
        CIRCLE(1), SQUARE(2) { int area() { return size; } };

        final int size;

        Shape(int size) { this.size = size; }
    }

    interface Named extends Comparable<Named> {
        String NAME = "x";

        default String name() { return NAME; }
    }

    record Point(Size x, Size y) {
        Point { x.check(); }
    }

    @interface Mark { int value() default LIMIT; }
}
