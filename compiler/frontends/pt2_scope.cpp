// SPDX-License-Identifier: Apache-2.0
// Resolution of serialized arguments.
#include "compiler/frontends/pt2_scope.h"

#include <fmt/format.h>

#include "compiler/formats/torch_storage.h"

namespace corten::pt2 {
namespace {

constexpr std::size_t most_shown_bytes = 200;
constexpr std::int64_t strided_layout = 7;

using Resolved = std::optional<SourceArgument>;

class Resolver {
 public:
  Resolver(const Scope& scope, const Origin& origin) : scope_(scope), origin_(origin) {}

  Result<Resolved> run(const Json& argument) {
    const auto kind_and_value = json::union_case(argument);
    if (!kind_and_value) return error("found a damaged argument", origin_);
    const auto [kind, value] = *kind_and_value;
    if (kind == "as_none") return Resolved(std::monostate());
    if (kind == "as_device" || kind == "as_memory_format") return Resolved();
    if (kind == "as_layout") return layout(*value);
    if (kind == "as_scalar_type") return scalar_type(*value);
    if (kind.starts_with("as_sym_")) return symbolic(kind, *value);
    if (kind.find("tensor") != std::string_view::npos) return tensors(kind, *value);
    return literal(kind, *value);
  }

 private:
  Diagnostic damaged(std::string_view kind) const { return error(fmt::format("found a damaged {} argument", kind), origin_); }
  Diagnostic unsupported(std::string_view kind) const {
    return error(fmt::format("found an argument of kind '{}', which Corten doesn't support", shown(kind)), origin_);
  }

  Result<Resolved> layout(const Json& value) const {
    if (json::integer(&value) == strided_layout) return Resolved();
    return error("found a sparse layout, expected dense tensors", origin_);
  }

  Result<Resolved> scalar_type(const Json& value) const {
    const auto code = json::integer(&value);
    const auto* scalar = code ? torch_scalar(*code) : nullptr;
    if (!scalar) return damaged("scalar type");
    if (!scalar->element) return error(fmt::format("found scalar type {}, which Corten doesn't support", scalar->name), origin_);
    return Resolved(*scalar->element);
  }

  Result<Resolved> literal(std::string_view kind, const Json& value) const {
    if (kind == "as_int") return scalar<std::int64_t>(kind, json::integer(&value));
    if (kind == "as_float") return scalar<double>(kind, json::real(&value));
    if (kind == "as_bool") return scalar<bool>(kind, json::boolean(&value));
    if (kind == "as_string") return scalar<std::string>(kind, json::text(&value));
    if (kind == "as_ints") return list<std::int64_t>(kind, value, json::integer);
    if (kind == "as_floats") return list<double>(kind, value, json::real);
    if (kind == "as_bools") return list<bool>(kind, value, json::boolean);
    return unsupported(kind);
  }

  template <class T>
  Result<Resolved> scalar(std::string_view kind, std::optional<T> value) const {
    if (!value) return damaged(kind);
    return Resolved(std::move(*value));
  }

  template <class T>
  Result<Resolved> list(std::string_view kind, const Json& value, std::optional<T> (*read)(const Json*)) const {
    if (!value.IsArray()) return damaged(kind);
    std::vector<T> result;
    result.reserve(value.Size());
    for (const auto& element : value.GetArray()) {
      const auto one = read(&element);
      if (!one) return damaged(kind);
      result.push_back(*one);
    }
    return Resolved(std::move(result));
  }

  Result<SourceRef> reference(const Json& tensor) const {
    const auto name = name_of(tensor);
    if (!name) return damaged("tensor");
    const auto found = scope_.find(*name);
    if (found == scope_.end()) return error(fmt::format("reads '{}', which nothing before it defines", shown(*name)), origin_);
    if (std::holds_alternative<std::monostate>(found->second)) return SourceRef{};
    if (const auto* value = std::get_if<SourceRef>(&found->second)) return *value;
    return error(fmt::format("reads '{}' as a tensor, but it is a number", shown(*name)), origin_);
  }

  Result<SourceRef> optional_reference(const Json& tensor) const {
    const auto kind_and_value = json::union_case(tensor);
    if (!kind_and_value) return damaged("optional tensor");
    if (kind_and_value->kind == "as_none") return SourceRef{};
    if (kind_and_value->kind != "as_tensor") return damaged("optional tensor");
    return reference(*kind_and_value->value);
  }

  static Resolved single(SourceRef value) {
    return value.name.empty() ? Resolved(std::monostate()) : Resolved(std::move(value));
  }

  Result<Resolved> tensors(std::string_view kind, const Json& value) const {
    if (kind == "as_tensor" || kind == "as_optional_tensor") {
      CORTEN_TRY(auto one, kind == "as_tensor" ? reference(value) : optional_reference(value));
      return single(std::move(one));
    }
    const bool optional = kind == "as_optional_tensors";
    if (kind != "as_tensors" && !optional) return unsupported(kind);
    if (!value.IsArray()) return damaged(kind);
    std::vector<SourceRef> result;
    result.reserve(value.Size());
    for (const auto& element : value.GetArray()) {
      CORTEN_TRY(auto one, optional ? optional_reference(element) : reference(element));
      result.push_back(std::move(one));
    }
    return Resolved(std::move(result));
  }

  Result<Scalar> symbol(const Json& value) const {
    const auto kind_and_value = json::union_case(value);
    if (!kind_and_value) return damaged("symbolic");
    const auto& [kind, content] = *kind_and_value;
    if (kind == "as_name") return named_scalar(*content);
    if (const auto truth = json::boolean(content); truth && kind == "as_bool") return Scalar(*truth);
    if (const auto integer = json::integer(content); integer && kind == "as_int") return Scalar(*integer);
    if (const auto real = json::real(content); real && kind == "as_float") return Scalar(*real);
    return damaged("symbolic");
  }

  Result<Scalar> named_scalar(const Json& content) const {
    const auto name = json::text(&content);
    if (!name) return damaged("symbolic");
    const auto found = scope_.find(*name);
    const auto* scalar = found == scope_.end() ? nullptr : std::get_if<Scalar>(&found->second);
    if (!scalar) return error(fmt::format("reads '{}', which nothing before it defines", shown(*name)), origin_);
    if (std::holds_alternative<std::monostate>(*scalar))
      return error(fmt::format("depends on number '{}', which is known only when the model runs", shown(*name)), origin_,
                   "export the model with fixed shapes");
    return *scalar;
  }

  Result<Resolved> symbolic(std::string_view kind, const Json& value) const {
    if (kind == "as_sym_ints") return symbolic_list<std::int64_t>(value);
    if (kind == "as_sym_floats") return symbolic_list<double>(value);
    if (kind == "as_sym_bools") return symbolic_list<bool>(value);
    CORTEN_TRY(const auto scalar, symbol(value));
    return std::visit(
        [](auto known) -> Resolved { return SourceArgument(known); }, scalar);
  }

  template <class T>
  Result<Resolved> symbolic_list(const Json& value) const {
    if (!value.IsArray()) return damaged("symbolic");
    std::vector<T> result;
    for (const auto& element : value.GetArray()) {
      CORTEN_TRY(const auto scalar, symbol(element));
      const auto* known = std::get_if<T>(&scalar);
      if (!known) return damaged("symbolic");
      result.push_back(*known);
    }
    return Resolved(std::move(result));
  }

  const Scope& scope_;
  const Origin& origin_;
};

}  // namespace

std::string shown(std::string_view text) { return std::string(text.substr(0, most_shown_bytes)); }

std::optional<std::string> name_of(const Json& tensor) { return json::text(json::field(tensor, "name")); }

Result<std::optional<SourceArgument>> resolve_argument(const Json& argument, const Scope& scope, const Origin& origin) {
  return Resolver(scope, origin).run(argument);
}

std::optional<Scalar> scalar_operand(const Json& argument, const Scope& scope) {
  const auto kind_and_value = json::union_case(argument);
  if (!kind_and_value || kind_and_value->kind.find("tensor") != std::string_view::npos) return std::nullopt;
  const auto resolved = resolve_argument(argument, scope, {});
  if (!resolved || !*resolved) return std::nullopt;
  if (const auto* integer = std::get_if<std::int64_t>(&**resolved)) return Scalar(*integer);
  if (const auto* real = std::get_if<double>(&**resolved)) return Scalar(*real);
  if (const auto* truth = std::get_if<bool>(&**resolved)) return Scalar(*truth);
  return std::nullopt;
}

}  // namespace corten::pt2
