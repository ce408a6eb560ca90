package post;

import java.time.LocalDate;
import java.util.ArrayList;
import java.util.List;

/** Writes invoices for customers who pay by the month. */
public class InvoiceService {
    private static final double TAX_RATE = 19.0;

    private final List<Invoice> issued = new ArrayList<>();

    public record Line(String parcel, Money price) {}

    public record Invoice(int number, LocalDate date, List<Line> lines, Money total) {}

    /** Adds up the lines, puts tax on top and gives the invoice the next number. */
    public Invoice issue(List<Line> lines, LocalDate date) {
        if (lines.isEmpty()) {
            throw new IllegalArgumentException("an invoice needs a line");
        }
        Money net = lines.get(0).price();
        for (Line line : lines.subList(1, lines.size())) {
            net = net.plus(line.price());
        }
        Invoice invoice = new Invoice(issued.size() + 1, date, List.copyOf(lines), addTax(net));
        issued.add(invoice);
        return invoice;
    }

    private Money addTax(Money net) {
        return net.plus(net.percent(TAX_RATE));
    }

    /** Invoices that were issued before the given day. */
    public List<Invoice> findOverdue(LocalDate day) {
        return issued.stream().filter(invoice -> invoice.date().isBefore(day)).toList();
    }
}
