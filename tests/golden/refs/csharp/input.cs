using System;
using System.Collections.Generic;
using Shop.Data;
using Json = Shop.Text.JsonWriter;
using static Shop.Helpers.Money;

namespace Shop.Orders
{
    [Table("/orders"), Serializable]
    public partial class Order : Entity, IPriced<Order>
    {
        private readonly Store _store;
        private List<Item> _items = new List<Item>();
        private static readonly Dictionary<string, Item> known = new();
        public event Changed OnChanged;
        public Customer Customer { get; set; }
        public decimal Total => Sum(_items);
        public Item this[int index] => _items[index];

        public Order(Store store) : base(store)
        {
            _store = store;
            this.Customer = store.Load<Customer>(id: 1) as Customer;
        }

        public T Find<T>(Func<Item, bool> test, params string[] names) where T : Entity
        {
            foreach (var item in _items)
            {
                if (item.Fits(names) && test(item))
                    return (T)item.Owner;
            }
            var first = _items[0];
            first?.Owner?.Touch();
            var made = new Item { Name = "x", Count = Limit };
            made.Name = Customer.Format.Short(made);
            known["a"].Count++;
            if (made is Special s)
                s.Grow();
            Convert(x => x.Fits, (a, b) => a + b);
            using (var tx = _store.Begin())
                tx.Commit();
            var quoted = from q in _items where q.Fits(null) select q.Owner;
            var kind = made.Kind switch { Kind.Big => Kind.Small, _ => Kind.Big };
            try { Json.Write(made); } catch (StoreException e) { Log.Write(e.Message, nameof(made)); }
            return default(T);
            int Convert(Func<Item, object> f, object g) => Round(f.GetHashCode());
        }

        public async Task SaveAsync() { (await _store.OpenAsync()).Write(this); }

        private class Line { public Order Parent; void Up() { Parent.Total.ToString(); Sum(null); } }
    }

    public enum Kind { Small = 1, Big = Small + 1 }

    public static class ItemExtensions
    {
        public static Item Double(this Item item, int times = 2) { return item.Copy(times); }
    }

    public delegate void Changed(Order sender);
#if SLOW && !FAST
    interface ISlow : IPriced<Order> { Item Get(int at); }
#endif
}
