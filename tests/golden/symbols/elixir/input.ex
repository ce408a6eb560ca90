defmodule Shop.Cart do
  @moduledoc """
  What a customer wants.
  """
  use GenServer
  alias Shop.Tax
  import Enum, only: [map: 2]

  @max 100
  @type t :: %__MODULE__{}
  @typep price(a) :: a

  defstruct items: [], owner: nil

  @doc """
  The sum.
  """
  @spec total(t, float) :: float
  def total(cart, tax \\ 0)

  def total(%{items: []}, _tax), do: 0

  def total(cart, tax) when tax > 0 do
    # inside
    local = 1
    Enum.map(cart.items, fn i -> i end)
    local
  end

  defp secret(x), do: x

  def a <~> b, do: a

  defmacro check(expr) do
    quote do: unquote(expr)
  end

  defguard is_small(x) when x < 10

  @impl true
  def init(state), do: {:ok, state}

  defmodule Line do
    defexception [:message]
  end
end

defprotocol Draw do
  @doc "Draws."
  def draw(shape)
end

defimpl Draw, for: Shop.Cart do
  def draw(cart), do: cart
end

test "adds" do
  assert 1 == 1
end
