// SPDX-License-Identifier: MIT
// C#: namespaces, usings, partial types, extension methods.
#include "graph_lab.h"
#include "ktest.h"

static const graph_lab_file files[] = {
    { "App.cs", "using Shop.Data;\n"
                "using Wr = Shop.Text.Writer;\n"
                "using static Shop.Text.Money;\n"
                "namespace Shop.Orders;\n"
                "public partial class Order : Entity {\n"
                "    public Customer Customer { get; set; }\n"
                "    private Store _store;\n"
                "    public Order(Store store) : base() {\n"
                "        _store = store;\n"
                "        Order next = new Order(store);\n"
                "        Customer other = Customer.Pick();\n"
                "        _store.Open(1);\n"
                "        _store?.Rows[0].Touch();\n"
                "        foreach (var row in _store.Rows) row.Touch();\n"
                "        Save();\n"
                "        Wr.Flush();\n"
                "        Round(2);\n"
                "        Audit();\n"
                "        store.Twice(2);\n"
                "        var made = new Customer { Name = \"x\" };\n"
                "        Console.WriteLine(made.Name);\n"
                "        unknown.Open(1);\n"
                "        var Row = 1; Use(Row);\n"
                "        store[0].Touch();\n"
                "    }\n"
                "    [Checked] void Use(int x) { Name = null; base.Save(); }\n"
                "    string Name;\n"
                "}\n" },
    { "Data.cs",
      "namespace Shop.Data {\n"
      "    public class Entity { public void Save() { } }\n"
      "    public class Customer { public string Name; public static Customer Pick() "
      "=> null; }\n"
      "    public class Row { public void Touch() { } }\n"
      "    public class Store {\n"
      "        public List<Row> Rows;\n"
      "        public void Open(int times) { }\n"
      "        public void Open(int times, string name) { }\n"
      "        public Row this[int at] => null;\n"
      "    }\n"
      "    public static class StoreExtensions {\n"
      "        public static void Twice(this Store store, int times) { store.Open(times); "
      "}\n"
      "    }\n"
      "    public class CheckedAttribute { }\n"
      "}\n" },
    { "Order.Part.cs",
      "namespace Shop.Orders { public partial class Order { void Audit() { } } }\n" },
    { "Other.cs", "namespace Else {\n"
                  "    public class Customer { public string Name; }\n"
                  "    public class Store { public void Open(int x) { } }\n"
                  "}\n" },
    { "Text.cs", "namespace Shop.Text {\n"
                 "    public class Writer { public static void Flush() { } }\n"
                 "    public static class Money { public static int Round(int x) => x; }\n"
                 "    class Console { }\n"
                 "}\n" },
};

KEN_TEST(csharp_names_of_imported_namespaces_are_found)
{
    EXPECT("App.cs:5 Entity", "Data.cs:2 Entity imported");
    EXPECT("App.cs:8 Store", "Data.cs:5 Store imported");
    EXPECT("App.cs:16 Wr", "Text.cs:2 Writer imported");
    EXPECT("App.cs:16 Flush", "Text.cs:2 Flush imported");
    EXPECT("App.cs:17 Round", "Text.cs:3 Round imported");
}

KEN_TEST(csharp_a_type_is_meant_where_a_type_stands_though_a_property_has_its_name)
{
    EXPECT("App.cs:6 Customer", "Data.cs:3 Customer imported");
    EXPECT("App.cs:11 Customer", "Data.cs:3 Customer imported");
    EXPECT("App.cs:11 Pick", "Data.cs:3 Pick imported");
    EXPECT("App.cs:10 Order", "App.cs:5 Order scoped");
}

KEN_TEST(csharp_members_follow_the_type_of_the_receiver)
{
    EXPECT("App.cs:9 _store", "App.cs:7 _store scoped");
    EXPECT("App.cs:12 Open", "Data.cs:7 Open imported"); // by the number of arguments
    EXPECT("App.cs:13 Touch", "Data.cs:4 Touch scoped");
    EXPECT("App.cs:14 Touch", "Data.cs:4 Touch scoped");
    EXPECT("App.cs:24 Touch", "Data.cs:4 Touch imported");
    EXPECT("App.cs:21 Name", "Data.cs:3 Name imported");
}

KEN_TEST(csharp_members_of_bases_and_parts_are_seen_without_a_prefix)
{
    EXPECT("App.cs:15 Save", "Data.cs:2 Save imported");
    EXPECT("App.cs:26 Save", "Data.cs:2 Save scoped");
    EXPECT("App.cs:18 Audit", "Order.Part.cs:1 Audit imported");
    EXPECT("App.cs:26 Name", "App.cs:27 Name scoped");
}

KEN_TEST(csharp_extension_methods_are_members_of_what_they_extend)
{
    EXPECT("App.cs:19 Twice", "Data.cs:12 Twice imported");
}

KEN_TEST(csharp_a_name_in_an_initializer_is_a_member_of_what_is_made)
{
    EXPECT("App.cs:20 Name", "Data.cs:3 Name imported");
}

KEN_TEST(csharp_an_attribute_may_leave_out_its_last_word)
{
    EXPECT("App.cs:26 Checked", "Data.cs:14 CheckedAttribute imported");
}

KEN_TEST(csharp_the_name_alone_makes_no_edge)
{
    EXPECT("App.cs:22 Open", "unresolved");
    EXPECT("App.cs:21 Console", "external");
    EXPECT("App.cs:21 WriteLine", "external");
    EXPECT("App.cs:23 Row", "no reference");
}

static const graph_lab_file generic[] = {
    { "a.cs", "namespace Shop;\n"
              "class Result { public bool Ok() { return true; } }\n"
              "class Result<T> { public bool Ok() { return true; } }\n"
              "class App { bool Run(Result r) { return r.Ok(); } }\n" },
};

KEN_TEST(csharp_types_that_differ_in_their_parameters_are_two)
{
    static const char *const edges[][2] = {
        { "a.cs:4 Ok", "a.cs:2 Ok scoped" },
    };
    graph_lab_check(generic, 1, edges, 1);
}
