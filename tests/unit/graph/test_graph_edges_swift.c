// SPDX-License-Identifier: MIT
// Swift: targets, extensions, protocols with defaults, implicit self.
#include "graph_lab.h"
#include "ktest.h"

static const graph_lab_file files[] = {
    { "Package.swift", "import PackageDescription\n"
                       "let package = Package(name: \"x\", targets: [.target(name: \"Shop\"), "
                       ".target(name: \"Else\")])\n" },
    { "Sources/Else/Else.swift", "class Store { func open() {} }\n"
                                 "class Item { func touch() {} }\n" },
    { "Sources/Shop/Data.swift",
      "class Entity { func save() {} }\n"
      "class Item { var name = \"\"; func touch() {} }\n"
      "class Store { var rows: [Item] = []; func row() -> Item? { return "
      "nil } }\n"
      "protocol Priced { func price() }\n"
      "extension Priced { func total() {} }\n"
      "extension Store { func close() {} }\n"
      "enum Kind { case small(Int), big }\n" },
    { "Sources/Shop/Order.swift", "class Order: Entity, Priced {\n"
                                  "  let store: Store\n"
                                  "  init(store: Store) { self.store = store }\n"
                                  "  func run(items: [Item], by name: String) {\n"
                                  "    store.row()?.touch()\n"
                                  "    store.close()\n"
                                  "    for item in items { item.touch() }\n"
                                  "    if let row = store.row() { row.touch() }\n"
                                  "    store.rows[0].touch()\n"
                                  "    let made = Item()\n"
                                  "    made.name = name\n"
                                  "    save(); total(); later()\n"
                                  "    unknown.touch()\n"
                                  "    let kind = Kind.big\n"
                                  "    let store = 1; print(store)\n"
                                  "    items.map { $0.touch() }\n"
                                  "  }\n"
                                  "}\n"
                                  "extension Order { func later() { store.close() } }\n" },
};

KEN_TEST(swift_files_of_a_target_see_each_other)
{
    EXPECT("Sources/Shop/Order.swift:1 Entity", "Sources/Shop/Data.swift:1 Entity scoped");
    EXPECT("Sources/Shop/Order.swift:2 Store", "Sources/Shop/Data.swift:3 Store scoped");
    EXPECT("Sources/Shop/Order.swift:10 Item", "Sources/Shop/Data.swift:2 Item scoped");
}

KEN_TEST(swift_members_follow_types_through_optionals_loops_and_subscripts)
{
    EXPECT("Sources/Shop/Order.swift:5 touch", "Sources/Shop/Data.swift:2 touch scoped");
    EXPECT("Sources/Shop/Order.swift:7 touch", "Sources/Shop/Data.swift:2 touch scoped");
    EXPECT("Sources/Shop/Order.swift:8 touch", "Sources/Shop/Data.swift:2 touch scoped");
    EXPECT("Sources/Shop/Order.swift:9 touch", "Sources/Shop/Data.swift:2 touch scoped");
    EXPECT("Sources/Shop/Order.swift:11 name", "Sources/Shop/Data.swift:2 name scoped");
}

KEN_TEST(swift_extensions_are_part_of_their_type)
{
    EXPECT("Sources/Shop/Order.swift:6 close", "Sources/Shop/Data.swift:6 close scoped");
    EXPECT("Sources/Shop/Order.swift:12 later", "Sources/Shop/Order.swift:19 later scoped");
    EXPECT("Sources/Shop/Order.swift:19 store", "Sources/Shop/Order.swift:2 store scoped");
    EXPECT("Sources/Shop/Order.swift:19 Order", "Sources/Shop/Order.swift:1 Order scoped");
}

KEN_TEST(swift_bases_and_defaults_of_protocols_are_seen_without_self)
{
    EXPECT("Sources/Shop/Order.swift:12 save", "Sources/Shop/Data.swift:1 save imported");
    EXPECT("Sources/Shop/Order.swift:12 total", "Sources/Shop/Data.swift:5 total imported");
    EXPECT("Sources/Shop/Order.swift:3 store", "Sources/Shop/Order.swift:2 store exact");
}

KEN_TEST(swift_cases_are_members_of_their_enum)
{
    EXPECT("Sources/Shop/Order.swift:14 big", "Sources/Shop/Data.swift:7 big scoped");
}

KEN_TEST(swift_the_name_alone_makes_no_edge)
{
    EXPECT("Sources/Shop/Order.swift:13 touch", "unresolved");
    EXPECT("Sources/Shop/Order.swift:15 store", "no reference");
    EXPECT("Sources/Shop/Order.swift:16 touch", "unresolved");
}
