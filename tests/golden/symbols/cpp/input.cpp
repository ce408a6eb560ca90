#include <vector>

#define SHOP_API __attribute__((visibility("default")))

SHOP_BEGIN_NAMESPACE

namespace shop {
namespace {
int hidden = 1;
}

/// What a customer wants.
template <typename T, int N = 3>
class SHOP_API Cart : public Base<T> {
  int n_ = 0;

public:
  Cart() = default;
  explicit Cart(int n) : n_(n) {}
  virtual ~Cart();

  /// The sum.
  double total(double tax) const noexcept;
  T& at(int i) { return items_[i]; }
  bool operator==(const Cart& other) const { return true; }
  operator bool() const { return n_ > 0; }
  static constexpr int limit = N;

protected:
  friend class Other;
  enum class Color : char { Red, Green };

private:
  std::vector<T> items_;
  struct Line {
    int n;
  };
};

template <> class Cart<void> {
};

using Numbers = std::vector<int>;
template <typename T> concept Small = sizeof(T) < 8;

}  // namespace shop

// Out of class.
double shop::Cart<int>::total(double tax) const noexcept {
  auto f = [](int x) { return x; };
  int local = 1;
  return 0;
}

namespace a::b {
template <typename F>
auto apply(F&& f) -> decltype(f()) {
  return f();
}
}  // namespace a::b

extern "C" int plain(void) { return 0; }

static const char* const names[] = {"a"};

SHOP_END_NAMESPACE

TEST(CartTest, AddsUp) {
  EXPECT_EQ(1, 1);
}
