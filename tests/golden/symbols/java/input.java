/* Licence. */
package shop.cart;

import java.util.List;
import static java.lang.Math.*;

/**
 * What a customer wants.
 */
@Entity
@Table(name = "carts")
public final class Cart<T extends Item> extends Base implements Comparable<Cart> {
    public static final int MAX = 100;
    private List<T> items, spare;

    /** Makes one. */
    public Cart(List<T> items) {
        this.items = items;
    }

    @Override
    public int compareTo(Cart other) {
        // inside
        int local = 1;
        Runnable r = new Runnable() {
            @Override
            public void run() {
            }
        };
        return 0;
    }

    protected abstract double total(double tax) throws Exception;

    static class Line {
        int n;
    }

    enum Color {
        RED, GREEN;

        Color next() {
            return RED;
        }
    }

    private final Function<A, B> map = a -> {
        work(a);
        return null;
    };
}

interface Draw {
    int SIDES = 3;

    void draw();

    default void twice() {
        draw();
    }
}

record Point(int x, int y) {
    Point {
        check(x);
    }
}

@interface Marker {
    String value() default "";
}
