// SPDX-License-Identifier: Apache-2.0
// Errors as values: a diagnostic that says where, and a result that holds a value or diagnostics.
#pragma once
#include <string>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

namespace corten {

/// Where a node or constant came from, in the words of the user's own program. Empty fields are unknown.
struct Origin {
  std::string file;    // model file as the user named it: "mobile.pt2"
  std::string node;    // node or tensor name in that file: "linear_3"
  std::string target;  // operator as the framework spells it: "aten.linear.default"
  std::string module;  // module path: "classifier.1"
  std::string source;  // Python source: "net.py:57 in forward: return self.classifier(x)"
  std::string module_type = {};  // class of the module: "torch.nn.modules.linear.Linear"
  friend bool operator==(const Origin&, const Origin&) = default;
};

enum class Severity { Error, Warning };

/// One finding. `message` is lower case without a final stop and says what was found and what was expected.
struct Diagnostic {
  std::string message;
  Origin origin = {};
  std::string help = {};
  Severity severity = Severity::Error;
};

using Diagnostics = std::vector<Diagnostic>;

/// A collection stops growing here: more errors than this help nobody.
inline constexpr std::size_t max_diagnostics = 20;

inline Diagnostic error(std::string message, Origin origin = {}, std::string help = {}) {
  return {std::move(message), std::move(origin), std::move(help), Severity::Error};
}

/// A value or at least one diagnostic.
template <class T>
class [[nodiscard]] Result {
 public:
  Result(T value) : state_(std::move(value)) {}
  Result(Diagnostic diagnostic) : state_(Diagnostics{std::move(diagnostic)}) {}
  Result(Diagnostics diagnostics) : state_(std::move(diagnostics)) {}

  bool ok() const { return state_.index() == 0; }
  explicit operator bool() const { return ok(); }
  T& value() { return std::get<0>(state_); }
  const T& value() const { return std::get<0>(state_); }
  T& operator*() { return value(); }
  const T& operator*() const { return value(); }
  T* operator->() { return &value(); }
  const T* operator->() const { return &value(); }
  const Diagnostics& diagnostics() const { return std::get<1>(state_); }

 private:
  std::variant<T, Diagnostics> state_;
};

/// Success without a value, or at least one diagnostic.
template <>
class [[nodiscard]] Result<void> {
 public:
  Result() = default;
  Result(Diagnostic diagnostic) : diagnostics_{std::move(diagnostic)} {}
  Result(Diagnostics diagnostics) : diagnostics_(std::move(diagnostics)) {}

  bool ok() const { return diagnostics_.empty(); }
  explicit operator bool() const { return ok(); }
  const Diagnostics& diagnostics() const { return diagnostics_; }

 private:
  Diagnostics diagnostics_;
};

using Status = Result<void>;

}  // namespace corten

#define CORTEN_CONCAT_(a, b) a##b
#define CORTEN_CONCAT(a, b) CORTEN_CONCAT_(a, b)
/// Declares `declaration` from the value of `expression`, or returns its diagnostics from the enclosing function.
#define CORTEN_TRY(declaration, ...)                                                        \
  auto CORTEN_CONCAT(result_, __LINE__) = (__VA_ARGS__);                                    \
  if (!CORTEN_CONCAT(result_, __LINE__).ok()) return CORTEN_CONCAT(result_, __LINE__).diagnostics(); \
  declaration = std::move(*CORTEN_CONCAT(result_, __LINE__))
/// Returns the diagnostics of a failed `Status` from the enclosing function.
#define CORTEN_CHECK(...)                                   \
  do {                                                      \
    if (auto status_ = (__VA_ARGS__); !status_.ok()) return status_.diagnostics(); \
  } while (false)
