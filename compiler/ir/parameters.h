// SPDX-License-Identifier: Apache-2.0
// Typed operator parameters that can be printed, parsed and compared without string keys in the program.
#pragma once
#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace corten {

/// Writes one field of a parameter struct in the text form: "stride [1, 1]".
class FieldWriter {
 public:
  void field(std::string_view name, std::int64_t value);
  void field(std::string_view name, std::int32_t value) { field(name, std::int64_t{value}); }
  void field(std::string_view name, bool value);
  void field(std::string_view name, float value);
  void field(std::string_view name, double value);
  void field(std::string_view name, const std::vector<std::int64_t>& value);
  template <std::size_t N>
  void field(std::string_view name, const std::array<std::int64_t, N>& value) {
    field(name, std::vector<std::int64_t>(value.begin(), value.end()));
  }
  const std::string& text() const { return text_; }

 private:
  void append(std::string_view name, const std::string& value);
  std::string text_;
};

/// Fields as the text form has them: names and the words behind them.
class FieldReader {
 public:
  explicit FieldReader(std::vector<std::pair<std::string, std::string>> fields) : fields_(std::move(fields)) {}
  void field(std::string_view name, std::int64_t& value);
  void field(std::string_view name, std::int32_t& value);
  void field(std::string_view name, bool& value);
  void field(std::string_view name, float& value);
  void field(std::string_view name, double& value);
  void field(std::string_view name, std::vector<std::int64_t>& value);
  template <std::size_t N>
  void field(std::string_view name, std::array<std::int64_t, N>& value) {
    std::vector<std::int64_t> items(value.begin(), value.end());
    field(name, items);
    if (items.size() != N) return fail(name, "has another count of items");
    for (std::size_t i = 0; i < N; ++i) value[i] = items[i];
  }
  /// What went wrong, or empty: a value of the wrong kind, or a field nobody asked for.
  std::string problem() const;

 private:
  std::string* take(std::string_view name);
  void fail(std::string_view name, std::string_view what);
  std::vector<std::pair<std::string, std::string>> fields_;
  std::string problem_;
};

/// The typed parameter struct of a node, immutable and shared.
class Parameters {
 public:
  virtual ~Parameters() = default;
  virtual std::string print() const = 0;  // "" when the struct has no fields
};

template <class P>
class ParametersOf final : public Parameters {
 public:
  explicit ParametersOf(P value) : value_(std::move(value)) {}
  const P& value() const { return value_; }
  std::string print() const override {
    FieldWriter writer;
    auto copy = value_;
    copy.fields([&](std::string_view name, auto& field) { writer.field(name, field); });
    return writer.text();
  }

 private:
  P value_;
};

using ParametersPtr = std::shared_ptr<const Parameters>;

/// For operators that have none.
struct NoParameters {
  template <class F>
  void fields(F&&) {}
};

template <class P>
ParametersPtr parameters(P value) {
  return std::make_shared<ParametersOf<P>>(std::move(value));
}

}  // namespace corten
