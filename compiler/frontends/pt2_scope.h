// SPDX-License-Identifier: Apache-2.0
// What the names of an exported graph stand for, and the arguments that use them.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <variant>
#include <vector>

#include "compiler/formats/json.h"
#include "compiler/frontends/source_graph.h"
#include "corten/result.h"

namespace corten::pt2 {

/// A folded integer, float or truth value; monostate when it depends on data.
using Scalar = std::variant<std::monostate, std::int64_t, double, bool>;

/// Result of a scalar operator such as "_operator.mul" or "torch.sym_max"; monostate when unknown or undefined.
Scalar fold(std::string_view target, const std::vector<Scalar>& operands);

/// What a name stands for: a tensor of the source graph, a scalar, or None (monostate).
using Binding = std::variant<std::monostate, SourceRef, Scalar>;
using Scope = std::unordered_map<std::string, Binding>;

/// For messages: text of a file, cut to a bearable length.
std::string shown(std::string_view text);

/// The name inside {"name": …}.
std::optional<std::string> name_of(const Json& tensor);

/// An argument with its names resolved; nothing for what only says where and how memory lies (device, layout, memory format).
/// Errors: undefined names, data-dependent scalars, kinds that Corten has no use for.
Result<std::optional<SourceArgument>> resolve_argument(const Json& argument, const Scope& scope, const Origin& origin);

/// The scalar operand an argument is, where it is one.
std::optional<Scalar> scalar_operand(const Json& argument, const Scope& scope);

}  // namespace corten::pt2
