// SPDX-License-Identifier: Apache-2.0
// The pickle machine, reduced to building values.
#include "compiler/formats/pickle.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <optional>
#include <unordered_map>

namespace corten {
namespace {

constexpr std::size_t most_operations = std::size_t{1} << 20;
constexpr std::string_view ordered_dict = "collections.OrderedDict";

class Machine {
 public:
  Machine(std::span<const std::byte> bytes, std::span<const std::string_view> allowed, const Origin& origin)
      : bytes_(bytes), allowed_(allowed), origin_(origin) {}

  Result<Pickle> run() {
    for (std::size_t operations = 0; operations < most_operations; ++operations) {
      const auto opcode = take(1);
      if (!opcode) return fail("ends without a stop");
      const auto code = static_cast<char>((*opcode)[0]);
      if (code == '.') return finish();
      if (!step(code)) return fail(problem_.empty() ? fmt::format("has a damaged operation 0x{:02x}", static_cast<unsigned char>(code)) : problem_);
      if (pickle_.values.size() > most_pickle_values) return fail("has too many values");
    }
    return fail("has too many operations");
  }

 private:
  using Index = std::uint32_t;
  using Bytes = std::span<const std::byte>;

  Diagnostic fail(std::string_view what) const {
    return error(fmt::format("pickle {} (at byte {})", what, at_), origin_, "save the model again with torch.export.save");
  }

  Result<Pickle> finish() {
    if (stack_.size() != 1 || !marks_.empty()) return fail("stops with an unbalanced stack");
    pickle_.root = stack_.back();
    return std::move(pickle_);
  }

  bool step(char code) {
    switch (code) {
      case '\x80': return take(1).has_value();                // PROTO
      case '\x95': return take(8).has_value();                // FRAME
      case '}': return push({.kind = PickleKind::Dict});      // EMPTY_DICT
      case ']': return push({.kind = PickleKind::List});      // EMPTY_LIST
      case ')': return push({.kind = PickleKind::Tuple});     // EMPTY_TUPLE
      case '(': marks_.push_back(stack_.size()); return true;  // MARK
      case 't': return tuple_to_mark();                       // TUPLE
      case '\x85': return tuple_of(1);
      case '\x86': return tuple_of(2);
      case '\x87': return tuple_of(3);
      case 'N': return push({});                              // NONE
      case '\x88': return push({.kind = PickleKind::Bool, .integer = 1});
      case '\x89': return push({.kind = PickleKind::Bool, .integer = 0});
      default: return step_scalar(code);
    }
  }

  bool step_scalar(char code) {
    switch (code) {
      case 'K': return push_int(unsigned_of(take(1)));        // BININT1
      case 'M': return push_int(unsigned_of(take(2)));        // BININT2
      case 'J': return push_signed(take(4));                  // BININT
      case '\x8a': return push_long();                        // LONG1
      case 'G': return push_float();                          // BINFLOAT
      case 'X': return push_text(unsigned_of(take(4)));       // BINUNICODE
      case '\x8c': return push_text(unsigned_of(take(1)));    // SHORT_BINUNICODE
      default: return step_memory(code);
    }
  }

  bool step_memory(char code) {
    switch (code) {
      case 'q': return memoize(unsigned_of(take(1)));         // BINPUT
      case 'r': return memoize(unsigned_of(take(4)));         // LONG_BINPUT
      case '\x94': return memoize(memo_.size());              // MEMOIZE
      case 'h': return recall(unsigned_of(take(1)));          // BINGET
      case 'j': return recall(unsigned_of(take(4)));          // LONG_BINGET
      default: return step_object(code);
    }
  }

  bool step_object(char code) {
    switch (code) {
      case 'c': return global_from_lines();                   // GLOBAL
      case '\x93': return global_from_stack();                // STACK_GLOBAL
      case 'R': return reduce();                              // REDUCE
      case 'Q': return persistent();                          // BINPERSID
      case 'b': return build();                               // BUILD
      case 'a': return append_count(1, PickleKind::List);     // APPEND
      case 's': return append_count(2, PickleKind::Dict);     // SETITEM
      case 'e': return append_to_mark(PickleKind::List);      // APPENDS
      case 'u': return append_to_mark(PickleKind::Dict);      // SETITEMS
      default:
        problem_ = fmt::format("uses operation 0x{:02x}, which torch.save doesn't write", static_cast<unsigned char>(code));
        return false;
    }
  }

  std::optional<Bytes> take(std::uint64_t count) {
    if (count > bytes_.size() - at_) return std::nullopt;
    const auto taken = bytes_.subspan(at_, static_cast<std::size_t>(count));
    at_ += static_cast<std::size_t>(count);
    return taken;
  }

  static std::optional<std::uint64_t> unsigned_of(std::optional<Bytes> raw) {
    if (!raw) return std::nullopt;
    std::uint64_t value = 0;
    for (std::size_t i = raw->size(); i-- > 0;) value = value << 8 | std::to_integer<std::uint64_t>((*raw)[i]);
    return value;
  }

  // Top of the stack down to the innermost mark is all an operation may consume.
  std::size_t available() const { return stack_.size() - (marks_.empty() ? 0 : marks_.back()); }

  bool push(PickleValue value) {
    pickle_.values.push_back(std::move(value));
    stack_.push_back(static_cast<Index>(pickle_.values.size() - 1));
    return true;
  }

  std::optional<Index> pop() {
    if (available() == 0) return std::nullopt;
    const auto top = stack_.back();
    stack_.pop_back();
    return top;
  }

  bool push_int(std::optional<std::uint64_t> value) {
    return value && push({.kind = PickleKind::Int, .integer = static_cast<std::int64_t>(*value)});
  }

  bool push_signed(std::optional<Bytes> raw) {
    const auto value = unsigned_of(raw);
    if (!value) return false;
    const auto unused = 64 - 8 * static_cast<int>(raw->size());
    return push({.kind = PickleKind::Int, .integer = unused >= 64 ? 0 : static_cast<std::int64_t>(*value << unused) >> unused});
  }

  bool push_long() {
    const auto count = unsigned_of(take(1));
    return count && *count <= 8 && push_signed(take(*count));
  }

  bool push_float() {
    const auto raw = take(8);
    if (!raw) return false;
    std::uint64_t value = 0;
    for (const auto byte : *raw) value = value << 8 | std::to_integer<std::uint64_t>(byte);
    return push({.kind = PickleKind::Float, .real = std::bit_cast<double>(value)});
  }

  bool push_text(std::optional<std::uint64_t> count) {
    if (!count) return false;
    const auto raw = take(*count);
    return raw && push({.kind = PickleKind::String, .text = {reinterpret_cast<const char*>(raw->data()), raw->size()}});
  }

  bool memoize(std::optional<std::uint64_t> slot) {
    if (!slot || available() == 0) return false;
    memo_[*slot] = stack_.back();
    return true;
  }

  bool recall(std::optional<std::uint64_t> slot) {
    if (!slot) return false;
    const auto found = memo_.find(*slot);
    if (found == memo_.end()) return false;
    stack_.push_back(found->second);
    return true;
  }

  bool tuple_of(std::size_t count) {
    if (available() < count) return false;
    PickleValue tuple{.kind = PickleKind::Tuple};
    tuple.items.assign(stack_.end() - static_cast<std::ptrdiff_t>(count), stack_.end());
    stack_.resize(stack_.size() - count);
    return push(std::move(tuple));
  }

  bool tuple_to_mark() {
    if (marks_.empty()) return false;
    const auto count = available();
    marks_.pop_back();
    return tuple_of(count);
  }

  bool append_count(std::size_t count, PickleKind kind) {
    if (available() < count + 1) return false;
    const auto target = stack_[stack_.size() - count - 1];
    auto& value = pickle_.values[target];
    if (value.kind != kind) return false;
    value.items.insert(value.items.end(), stack_.end() - static_cast<std::ptrdiff_t>(count), stack_.end());
    stack_.resize(stack_.size() - count);
    return true;
  }

  bool append_to_mark(PickleKind kind) {
    if (marks_.empty()) return false;
    const auto count = available();
    marks_.pop_back();
    if (kind == PickleKind::Dict && count % 2 != 0) return false;
    return append_count(count, kind);
  }

  bool push_global(std::string name) {
    if (name != ordered_dict && std::find(allowed_.begin(), allowed_.end(), name) == allowed_.end()) {
      problem_ = fmt::format("names '{}', which is not among what Corten reads", name.substr(0, 200));
      return false;
    }
    return push({.kind = PickleKind::Global, .text = std::move(name)});
  }

  std::optional<std::string> line() {
    const auto rest = bytes_.subspan(at_);
    const auto end = std::find(rest.begin(), rest.end(), std::byte{'\n'});
    if (end == rest.end()) return std::nullopt;
    const auto raw = *take(static_cast<std::uint64_t>(end - rest.begin()));
    ++at_;
    return std::string(reinterpret_cast<const char*>(raw.data()), raw.size());
  }

  bool global_from_lines() {
    const auto module = line();
    const auto name = module ? line() : std::nullopt;
    return name && push_global(*module + "." + *name);
  }

  bool global_from_stack() {
    const auto name = pop();
    const auto module = name ? pop() : std::nullopt;
    if (!module) return false;
    const auto& values = pickle_.values;
    if (values[*module].kind != PickleKind::String || values[*name].kind != PickleKind::String) return false;
    return push_global(values[*module].text + "." + values[*name].text);
  }

  bool reduce() {
    const auto arguments = pop();
    const auto callee = arguments ? pop() : std::nullopt;
    if (!callee) return false;
    const auto& function = pickle_.values[*callee];
    const auto& tuple = pickle_.values[*arguments];
    if (function.kind != PickleKind::Global || tuple.kind != PickleKind::Tuple) return false;
    if (function.text == ordered_dict) return tuple.items.empty() && push({.kind = PickleKind::Dict});
    PickleValue call{.kind = PickleKind::Call, .text = function.text, .items = tuple.items};
    copied_items_ += call.items.size();
    return copied_items_ <= most_operations && push(std::move(call));
  }

  bool persistent() {
    const auto id = pop();
    return id && push({.kind = PickleKind::Persistent, .items = {*id}});
  }

  // An OrderedDict may carry attributes; they mean nothing here.
  bool build() { return pop() && available() > 0 && pickle_.values[stack_.back()].kind == PickleKind::Dict; }

  Bytes bytes_;
  std::span<const std::string_view> allowed_;
  const Origin& origin_;
  std::size_t at_ = 0;
  std::size_t copied_items_ = 0;
  Pickle pickle_;
  std::vector<Index> stack_;
  std::vector<std::size_t> marks_;
  std::unordered_map<std::uint64_t, Index> memo_;
  std::string problem_;
};

}  // namespace

Result<Pickle> parse_pickle(std::span<const std::byte> bytes, std::span<const std::string_view> allowed, const Origin& origin) {
  return Machine(bytes, allowed, origin).run();
}

}  // namespace corten
