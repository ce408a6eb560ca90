defmodule Shop.Cart do
  @moduledoc "Carts"
  use Shop.Web, :model
  import Shop.Money, only: [round: 1]
  alias Shop.{Price, Store.Disk}
  alias Shop.Item, as: Thing
  alias __MODULE__.Line
  require Logger

  @limit 10
  @type t :: %__MODULE__{items: list(Thing.t())}
  @callback price(t) :: integer()

  defstruct items: [], owner: nil

  @doc "Sums up"
  @spec total(t(), number()) :: Price.t()
  def total(cart, tax \\ default_tax())

  def total(%__MODULE__{items: [%Thing{} = first | rest]}, tax) when is_small(tax) do
    rest
    |> Enum.map(&cost/1)
    |> Enum.reduce(cost(first), &Price.add/2)
    |> round()
  end

  def total(%{items: []}, _), do: Price.zero()

  defp cost(item) do
    case Disk.fetch(item.id) do
      {:ok, price} when price > @limit -> Shop.Price.new(price)
      :error -> item.module.cost(item)
    end
  end

  defp default_tax, do: 0

  defguard is_small(x) when x < 10

  defmacro check(expr) do
    quote do: unquote(expr) || raise(Shop.Error, "no")
  end

  defmodule Line do
    def show(line), do: :io.format("~p #{inspect(line)}", [line.text])
  end

  def lines(cart), do: Enum.map(cart.items, &Line.show(&1)) ++ [__MODULE__.Line.show(nil)]
  def again(cart), do: __MODULE__.lines(cart)
end

defimpl String.Chars, for: Shop.Cart do
  def to_string(cart), do: Shop.Cart.total(cart, 0) |> show()
  defp show(x), do: x
end
