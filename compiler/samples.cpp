// SPDX-License-Identifier: Apache-2.0
// Layouts and element types of sample files.
#include "compiler/samples.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <random>

#include "compiler/formats/npy.h"
#include "compiler/interpret/interpret.h"
#include "compiler/ops/transpose.h"

namespace corten {
namespace {

std::vector<std::string> split(const std::string& list) {
  std::vector<std::string> items;
  std::size_t begin = 0;
  for (auto comma = list.find(','); comma != std::string::npos; comma = list.find(',', begin)) {
    items.push_back(list.substr(begin, comma - begin));
    begin = comma + 1;
  }
  items.push_back(list.substr(begin));
  return items;
}

Diagnostic file_error(const std::string& file, std::string message, std::string help = {}) { return error(std::move(message), {file, "", "", "", ""}, std::move(help)); }

Result<std::vector<std::byte>> read_bytes(const std::string& path) {
  std::ifstream file(path, std::ios::binary | std::ios::ate);
  if (!file) return file_error(path, "can't be read");
  std::vector<std::byte> bytes(static_cast<std::size_t>(file.tellg()));
  file.seekg(0);
  file.read(reinterpret_cast<char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
  return bytes;
}

Status write_bytes(const std::string& path, std::span<const std::byte> bytes) {
  std::ofstream file(path, std::ios::binary);
  file.write(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
  if (!file) return file_error(path, "can't be written");
  return {};
}

Shape framework_shape(const Shape& shape, const std::vector<int>& order) {
  if (order.empty()) return shape;
  Shape result(shape.size());
  for (std::size_t i = 0; i < order.size(); ++i) result[static_cast<std::size_t>(order[i])] = shape[i];
  return result;
}

Shape tail(const Shape& shape) { return shape.empty() ? shape : Shape(shape.begin() + 1, shape.end()); }

/// How the rest of an array's shape, behind the sample axis, stands for one input.
enum class Fit { None, Framework, Graph };
Fit fit(const Shape& rest, const Shape& graph_shape, const std::vector<int>& order) {
  const auto framework = framework_shape(graph_shape, order);
  const auto same = [&](const Shape& shape) { return rest == shape || (!shape.empty() && shape[0] == 1 && rest == tail(shape)); };
  if (same(framework)) return Fit::Framework;
  return same(graph_shape) ? Fit::Graph : Fit::None;
}

/// One sample as the graph takes it: layout, then element.
Result<Tensor> converted(Tensor sample, const Type& type, const std::vector<int>& order, bool transpose_it, const std::string& file) {
  if (transpose_it && !order.empty()) {
    sample.shape = framework_shape(type.shape, order);
    std::vector<std::int64_t> permutation(order.begin(), order.end());
    sample = transpose(sample, permutation);
  }
  sample.shape = type.shape;
  if (sample.element == type.element) return sample;
  if (sample.element == Element::F32 && type.quantization) return quantized(sample, type.element, *type.quantization);
  return file_error(file, fmt::format("elements are {}, expected {}", to_string(sample.element), to_string(type.element)));
}

Tensor slice(const Tensor& array, std::size_t index, std::size_t bytes) {
  Tensor sample;
  sample.element = array.element;
  sample.shape = tail(array.shape);
  sample.bytes.assign(array.bytes.begin() + static_cast<std::ptrdiff_t>(index * bytes), array.bytes.begin() + static_cast<std::ptrdiff_t>((index + 1) * bytes));
  return sample;
}

Result<std::vector<Tensor>> from_array(const Tensor& array, const Type& type, const std::vector<int>& order, const std::string& file) {
  auto source = array;
  auto fits = array.shape.empty() ? Fit::None : fit(tail(array.shape), type.shape, order);
  if (fits == Fit::None && (array.shape == framework_shape(type.shape, order) || array.shape == type.shape)) {
    fits = array.shape == framework_shape(type.shape, order) ? Fit::Framework : Fit::Graph;  // one sample without an axis that counts
    source.shape.insert(source.shape.begin(), 1);
  }
  if (fits == Fit::None)
    return file_error(file, fmt::format("array of shape {}, expected samples × {}", to_string(array.shape), to_string(framework_shape(type.shape, order))),
                      "the first axis counts samples, the others are the input's shape as in the model");
  std::vector<Tensor> samples;
  const auto count = static_cast<std::size_t>(source.shape[0]);
  for (std::size_t i = 0; i < count; ++i) {
    CORTEN_TRY(auto sample, converted(slice(source, i, source.bytes.size() / count), type, order, fits == Fit::Framework, file));
    samples.push_back(std::move(sample));
  }
  return samples;
}

Result<std::vector<Tensor>> from_raw(const std::vector<std::byte>& bytes, const Type& type, const std::string& file) {
  const auto each = byte_size(type);
  if (bytes.empty() || bytes.size() % each)
    return file_error(file, fmt::format("{} bytes are no whole number of inputs of {} bytes", bytes.size(), each));
  std::vector<Tensor> samples(bytes.size() / each, Tensor(type.element, type.shape));
  for (std::size_t i = 0; i < samples.size(); ++i) std::memcpy(samples[i].bytes.data(), bytes.data() + i * each, each);
  return samples;
}

Result<std::vector<Tensor>> read_input(const Graph& graph, std::size_t input, const std::string& file) {
  const auto& type = graph.type(graph.inputs[input]);
  CORTEN_TRY(const auto bytes, read_bytes(file));
  if (!file.ends_with(".npy")) return from_raw(bytes, type, file);
  CORTEN_TRY(const auto array, read_npy(bytes, file));
  return from_array(array, type, graph.input_orders[input], file);
}

using Columns = std::vector<std::vector<Tensor>>;  // [input][sample]

Result<Columns> read_archive(const Graph& graph, const std::string& file) {
  CORTEN_TRY(const auto bytes, read_bytes(file));
  CORTEN_TRY(const auto arrays, read_npz(bytes, file));
  Columns columns;
  for (std::size_t i = 0; i < graph.inputs.size(); ++i) {
    const auto& name = graph.value(graph.inputs[i]).name;
    const auto found = std::find_if(arrays.begin(), arrays.end(), [&](const auto& entry) { return entry.first == name; });
    if (found == arrays.end()) return file_error(file, fmt::format("no array is called {}", name), "name the arrays after the model's inputs");
    CORTEN_TRY(auto samples, from_array(found->second, graph.type(graph.inputs[i]), graph.input_orders[i], file));
    columns.push_back(std::move(samples));
  }
  return columns;
}

Result<Columns> read_columns(const Graph& graph, const std::string& files) {
  const auto names = split(files);
  if (names.size() == 1 && files.ends_with(".npz")) return read_archive(graph, files);
  if (names.size() != graph.inputs.size()) return error(fmt::format("{} input files were given, {} has {} inputs", names.size(), graph.name, graph.inputs.size()));
  Columns columns;
  for (std::size_t i = 0; i < names.size(); ++i) {
    CORTEN_TRY(auto samples, read_input(graph, i, names[i]));
    columns.push_back(std::move(samples));
  }
  return columns;
}

}  // namespace

Result<std::vector<Sample>> read_samples(const Graph& graph, const std::string& files) {
  std::vector<Sample> samples;
  if (std::filesystem::is_directory(files)) {
    std::vector<std::string> names;
    for (const auto& entry : std::filesystem::directory_iterator(files)) names.push_back(entry.path().string());
    std::sort(names.begin(), names.end());
    for (const auto& name : names) {
      CORTEN_TRY(auto more, read_samples(graph, name));
      samples.insert(samples.end(), std::make_move_iterator(more.begin()), std::make_move_iterator(more.end()));
    }
    if (samples.empty()) return file_error(files, "the folder holds no samples");
    return samples;
  }
  CORTEN_TRY(auto columns, read_columns(graph, files));
  for (std::size_t s = 0; !columns.empty() && s < columns[0].size(); ++s) {
    Sample sample;
    for (auto& column : columns) {
      if (column.size() != columns[0].size()) return file_error(files, "the inputs differ in their number of samples");
      sample.push_back(std::move(column[s]));
    }
    samples.push_back(std::move(sample));
  }
  return samples;
}

Status write_outputs(const Graph& graph, const std::vector<std::vector<Tensor>>& outputs, const std::string& files) {
  const auto names = split(files);
  if (names.size() != graph.outputs.size()) return error(fmt::format("{} output files were given, {} has {} outputs", names.size(), graph.name, graph.outputs.size()));
  for (std::size_t o = 0; o < names.size(); ++o) {
    const auto& type = graph.type(graph.outputs[o]);
    Tensor all;
    all.element = type.element;
    all.shape = type.shape;
    all.shape.insert(all.shape.begin(), static_cast<std::int64_t>(outputs.size()));
    for (const auto& inference : outputs) all.bytes.insert(all.bytes.end(), inference[o].bytes.begin(), inference[o].bytes.end());
    CORTEN_CHECK(write_bytes(names[o], names[o].ends_with(".npy") ? write_npy(all) : all.bytes));
  }
  return {};
}

std::vector<Sample> random_samples(const Graph& graph, std::size_t count, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::vector<Sample> samples(count);
  for (auto& sample : samples)
    for (auto id : graph.inputs) {
      Tensor tensor(graph.type(id).element, graph.type(id).shape);
      if (tensor.element == Element::F32)
        for (auto& value : tensor.as<float>()) value = static_cast<float>(static_cast<double>(random() >> 11) * 0x1p-52 - 1.0);
      else
        for (auto& byte : tensor.bytes) byte = static_cast<std::byte>(random() >> 56);
      sample.push_back(std::move(tensor));
    }
  return samples;
}

}  // namespace corten
