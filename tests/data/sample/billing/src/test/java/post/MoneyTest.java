package post;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import org.junit.jupiter.api.Test;

class MoneyTest {
    @Test
    void addsAmountsOfOneCurrency() {
        assertEquals("3.50 EUR", new Money(150, "EUR").plus(new Money(200, "EUR")).toString());
    }

    @Test
    void refusesToMixCurrencies() {
        assertThrows(IllegalArgumentException.class,
            () -> new Money(1, "EUR").plus(new Money(1, "USD")));
    }
}
