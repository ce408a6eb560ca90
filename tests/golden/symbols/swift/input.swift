import Foundation
@testable import Shop

/// What a customer wants.
@available(iOS 13, *)
public final class Cart<T: Item>: Base, Codable {
    public static let max = 100
    private(set) var items: [T] = []
    private var owner: String?

    /// The sum.
    var total: Double {
        get { return 1 }
    }

    public init(owner: String) {
        self.owner = owner
    }

    deinit {}

    // Adds.
    @discardableResult
    open func add(_ item: T, times n: Int = 1) throws -> Self {
        // inside
        let local = 1
        func helper() {}
        return self
    }

    #if canImport(UIKit)
    func draw() {}
    #else
    func paint() {}
    #endif

    subscript(i: Int) -> T { items[i] }

    struct Line {
        let n: Int
    }
}

extension Cart: Equatable {
    fileprivate func helper() {}
}

public protocol Draw: AnyObject {
    associatedtype Output
    var sides: Int { get }
    func draw() -> Output
    init(sides: Int)
}

enum Color: String {
    case red, green
    case rgb(r: Int)

    func next() -> Color { .red }
}

actor Store {
    func put() async {}
}

typealias Handler = (String) -> Void
let version = "1.0"

func helper<T>(x: T) -> T { x }
