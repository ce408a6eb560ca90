import Foundation
import Shop

public protocol Priced {
    var price: Money { get }
    func total(of count: Int) -> Money
}

extension Priced {
    func total(of count: Int) -> Money { return price.times(count) }
}

public class Order: Entity, Priced {
    private let store: Store
    var items: [Item] = []
    var price: Money { items.first?.price ?? Money.zero }
    static let shared = Order(store: Store())

    init(store: Store) {
        self.store = store
        super.init()
    }

    func find<T: Item>(_ name: String, handler: ((Item) -> Void)? = nil) throws -> Item? {
        guard let first = items.first else { return nil }
        first.touch(by: name)
        for item in items { item.fits(name) }
        if let row = store.row(at: 1) { row.open() }
        let made = Item(name: name)
        made.name = "x"
        store.load { result in result.map { $0.name } }
        switch made.kind {
        case .big: add(made)
        case .small(let size): size.grow()
        default: break
        }
        try store.open()
        let other: Shop.Row = store.rows[0]
        other.open()
        let kind: Kind = .big
        return made as? Special
    }
}

enum Kind { case small(Int), big }

extension Order {
    func add(_ item: Item) { items.append(item) }
    enum Side { case left }
}
