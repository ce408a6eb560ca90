// A small store, to see what its names say.
#include "store.h"

#include <memory>
#include <vector>

#define STORE_BEGIN namespace store { inline namespace v2 {

namespace store {

class Log;

template <typename K, typename V>
class Table : public Base<K>, private detail::Lockable {
 public:
  using Entry = std::pair<K, V>;
  enum Mode { kRead, kWrite = 2 };

  explicit Table(int size, Mode mode = kRead) : Base<K>(size), mode_(mode), size_(size) {}
  virtual ~Table() = default;

  V* find(const K& key) const;
  static Table make(int n) { return Table(n); }
  bool operator==(const Table& other) const { return size_ == other.size_; }

 private:
  Mode mode_;
  int size_;
  std::vector<Entry> entries_;
  std::unique_ptr<Log> log_;
};

template <>
class Table<int, int> {
 public:
  int count = 0;
};

template <typename K, typename V>
V* Table<K, V>::find(const K& key) const {
  for (const auto& entry : entries_)
    if (entry.first == key && this->mode_ != kWrite) return &entry.second;
  log_->write("missing");
  return nullptr;
}

Status Store::Open(const Options& options, Store** out) {
  auto* made = new Store(options);
  Status s = made->table.template get<int>(options.name);
  if (!s.ok() || detail::io::broken()) return Status::Corruption(options.name);
  std::lock_guard<std::mutex> guard(made->mutex);
  *out = static_cast<Store*>(made);
  auto later = [made](int n) { return made->grow(n); };
  try {
    later(kLimit);
  } catch (const Error& e) {
    e.print();
  }
  return s;
}

Store::Store(const Options& options) : options_(options), open_{true} {}

}  // namespace store

TEST(StoreTest, Opens) {
  store::Store* opened = nullptr;
  EXPECT_TRUE(store::Store::Open(store::Options(), &opened).ok());
}

class Shelf {
 public:
  Shelf& put(int n);
  Shelf& put(int n, const char* name, int m = 0);
  char* name(int n);
};

Shelf& Shelf::put(int n) { return *this; }
Shelf& Shelf::put(int n, const char* name, int m) { return put(n); }
Shelf* shelf_of(const Shelf& other, int n);
