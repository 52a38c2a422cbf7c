// SPDX-License-Identifier: Apache-2.0
// NAME_weights.cpp: the program's constants.
#include <algorithm>

#include "compiler/emit/emit.h"
#include "compiler/emit/writer.h"
#include "compiler/ir/number_text.h"

namespace corten {
namespace {

template <class T>
std::vector<std::string> words(const Tensor& tensor) {
  std::vector<std::string> result;
  for (auto value : tensor.as<T>()) result.push_back(value == std::numeric_limits<T>::lowest() && sizeof(T) == 4 && std::is_integral_v<T> ? "-2147483647 - 1" : number_text(value));
  return result;
}

std::vector<std::string> element_words(const Tensor& tensor) {
  switch (tensor.element) {
    case Element::F32: return words<float>(tensor);
    case Element::I8: return words<std::int8_t>(tensor);
    case Element::U8:
    case Element::Bool: return words<std::uint8_t>(tensor);
    case Element::I16: return words<std::int16_t>(tensor);
    case Element::I32: return words<std::int32_t>(tensor);
    case Element::I64: return words<std::int64_t>(tensor);
  }
  return {};
}

void write_array(const std::string& name, const Tensor& tensor, Writer& out) {
  out.open("alignas(16) extern const {} {}[{}] = {{", c_type(tensor.element), name, std::max<std::int64_t>(tensor.elements(), 1));
  constexpr std::size_t per_line = 24;
  const auto all = element_words(tensor);
  for (std::size_t i = 0; i < all.size(); i += per_line) {
    std::string text;
    for (std::size_t k = i; k < std::min(i + per_line, all.size()); ++k) text += (k > i ? ", " : "") + all[k];
    out.line("{},", text);
  }
  out.close("};");
}

}  // namespace

std::string emit_weights(const Program& program) {
  Writer out;
  out.line("// {} for {}: constants, laid out for the kernels that read them.", program.graph.name, program.core->name);
  out.line("#include <cstdint>");
  out.line();
  out.line("namespace {}::constants {{", program.graph.name);
  for (std::size_t n = 0; n < program.graph.nodes.size(); ++n)
    for (const auto& array : program.layers[n].arrays) write_array(array_name(program.graph.nodes[n], array), array.tensor, out);
  out.line("}}  // namespace {}::constants", program.graph.name);
  return out.text();
}

}  // namespace corten
