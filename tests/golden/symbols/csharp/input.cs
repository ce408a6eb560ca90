// Licence.
using System;
using System.Collections.Generic;
using Json = Newtonsoft.Json;

namespace Shop.Carts;

/// <summary>What a customer wants.</summary>
[Serializable]
public sealed class Cart<T> : Base, IDisposable where T : Item
{
    private readonly List<T> _items = new();
    public const int Max = 100;
    int plain;

    public event EventHandler Changed;

    /// <summary>Its owner.</summary>
    public string Owner { get; set; } = "";
    public int Count => _items.Count;

    public Cart(int size)
    {
    }

    ~Cart() { }

    // The sum.
    public static double Total(double tax)
    {
        // inside
        int local = 1;
        double Inner(double x)
        {
            return x;
        }
        return Inner(1);
    }

    public T this[int i] => _items[i];

    public static Cart<T> operator +(Cart<T> a, Cart<T> b) => a;

    protected internal virtual void Dispose() => throw new Exception();

    private class Line
    {
    }
}

public interface IDraw
{
    void Draw();
}

public enum Color { Red, Green = 2 }
public record Point(int X, int Y);
public struct Pair { public int A; }
public delegate void Handler(object sender);
