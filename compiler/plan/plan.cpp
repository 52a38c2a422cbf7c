// SPDX-License-Identifier: Apache-2.0
// Lifetimes, then first fit in several orders; the smallest arena wins.
#include "compiler/plan/plan.h"

#include <algorithm>
#include <functional>
#include <numeric>

#include "compiler/ops/operator.h"

namespace corten {
namespace {

std::int64_t aligned(std::int64_t bytes) { return (bytes + arena_alignment - 1) / arena_alignment * arena_alignment; }

class Planner {
 public:
  Planner(const Graph& graph, const std::vector<Layer>& layers, const PlanOptions& options)
      : graph_(graph), layers_(layers), options_(options), consumers_(graph.consumers()), end_(static_cast<int>(graph.nodes.size())) {
    plan_.buffer_of_value.assign(graph.values.size(), -1);
    plan_.scratch_of_node.assign(graph.nodes.size(), -1);
  }

  Plan run() {
    for (auto id : graph_.inputs) open(id, -1);
    for (int n = 0; n < end_; ++n) place_node(n);
    for (auto id : graph_.outputs) extend(id, end_);
    if (options_.keep_input)
      for (auto id : graph_.inputs) extend(id, end_);
    if (options_.keep_intermediates)
      for (auto& buffer : plan_.buffers) buffer.last = end_;
    plan_.lower_bound_bytes = lower_bound();
    choose_offsets();
    return std::move(plan_);
  }

 private:
  int& buffer_of(ValueId id) { return plan_.buffer_of_value[static_cast<std::size_t>(id)]; }

  int add(std::int64_t bytes, int first, int last) {
    plan_.buffers.push_back({aligned(bytes), first, last, 0});
    return static_cast<int>(plan_.buffers.size()) - 1;
  }

  void open(ValueId id, int step) {
    buffer_of(id) = add(static_cast<std::int64_t>(byte_size(graph_.type(id))), step, step);
    extend_to_readers(id);
  }

  void extend(ValueId id, int step) {
    if (const int b = buffer_of(id); b >= 0) plan_.buffers[static_cast<std::size_t>(b)].last = std::max(plan_.buffers[static_cast<std::size_t>(b)].last, step);
  }

  void extend_to_readers(ValueId id) {
    for (int reader : consumers_[static_cast<std::size_t>(id)]) extend(id, reader);
    if (graph_.is_output(id)) extend(id, end_);
  }

  void place_node(int n) {
    const auto& node = graph_.nodes[static_cast<std::size_t>(n)];
    for (auto output : node.outputs) {
      const auto from = shared_input(node, n);
      if (from == no_value) {
        open(output, n);
      } else {
        buffer_of(output) = buffer_of(from);
        extend(output, n);
        extend_to_readers(output);
      }
    }
    if (const auto bytes = layers_[static_cast<std::size_t>(n)].scratch_bytes; bytes > 0) plan_.scratch_of_node[static_cast<std::size_t>(n)] = add(bytes, n, n);
  }

  /// The input whose buffer the output takes over: the same bytes, or bytes nobody reads later.
  ValueId shared_input(const Node& node, int n) {
    const Call call(graph_, node);
    if (node.op->alias()) return buffer_of(node.inputs[0]) >= 0 ? node.inputs[0] : no_value;
    if (options_.keep_intermediates) return no_value;
    for (int i : node.op->in_place_inputs(call)) {
      const auto id = node.inputs[static_cast<std::size_t>(i)];
      const int b = id == no_value ? -1 : buffer_of(id);
      if (b < 0 || plan_.buffers[static_cast<std::size_t>(b)].last != n) continue;
      if (options_.keep_input && plan_.buffers[static_cast<std::size_t>(b)].first < 0) continue;
      if (byte_size(graph_.type(id)) == byte_size(call.output())) return id;
    }
    return no_value;
  }

  std::int64_t lower_bound() const {
    std::int64_t most = 0;
    for (int step = -1; step <= end_; ++step) {
      std::int64_t sum = 0;
      for (const auto& buffer : plan_.buffers)
        if (buffer.first <= step && step <= buffer.last) sum += buffer.bytes;
      most = std::max(most, sum);
    }
    return most;
  }

  // ---- offsets -------------------------------------------------------------------------------------------------------

  using Earlier = std::function<bool(const Buffer&, const Buffer&)>;

  void choose_offsets() {
    const Earlier orders[] = {
        [](const Buffer& a, const Buffer& b) { return a.bytes > b.bytes; },
        [](const Buffer& a, const Buffer& b) { return a.last - a.first > b.last - b.first; },
        [](const Buffer& a, const Buffer& b) { return a.bytes * (a.last - a.first + 1) > b.bytes * (b.last - b.first + 1); },
        [](const Buffer& a, const Buffer& b) { return a.first < b.first; },
        [](const Buffer& a, const Buffer& b) { return a.last > b.last; },
    };
    std::vector<Buffer> best;
    for (const auto& earlier : orders) {
      const auto bytes = place(earlier);
      if (!best.empty() && bytes >= plan_.arena_bytes) continue;
      plan_.arena_bytes = bytes;
      best = plan_.buffers;
      if (bytes == plan_.lower_bound_bytes) break;
    }
    plan_.buffers = std::move(best);
  }

  /// First fit at the lowest offset; returns the arena's size.
  std::int64_t place(const Earlier& earlier) {
    std::vector<std::size_t> order(plan_.buffers.size());
    std::iota(order.begin(), order.end(), 0);
    std::stable_sort(order.begin(), order.end(), [&](auto a, auto b) { return earlier(plan_.buffers[a], plan_.buffers[b]); });
    std::vector<std::size_t> placed;
    std::int64_t arena = 0;
    for (auto b : order) {
      auto& buffer = plan_.buffers[b];
      buffer.offset_bytes = lowest_free(buffer, placed);
      arena = std::max(arena, buffer.offset_bytes + buffer.bytes);
      placed.push_back(b);
    }
    return arena;
  }

  std::int64_t lowest_free(const Buffer& buffer, const std::vector<std::size_t>& placed) const {
    std::vector<std::pair<std::int64_t, std::int64_t>> taken;
    for (auto p : placed) {
      const auto& other = plan_.buffers[p];
      if (other.first <= buffer.last && buffer.first <= other.last) taken.emplace_back(other.offset_bytes, other.offset_bytes + other.bytes);
    }
    std::sort(taken.begin(), taken.end());
    std::int64_t offset = 0;
    for (const auto& [begin, end] : taken) {
      if (begin - offset >= buffer.bytes) break;
      offset = std::max(offset, end);
    }
    return offset;
  }

  const Graph& graph_;
  const std::vector<Layer>& layers_;
  const PlanOptions& options_;
  std::vector<std::vector<int>> consumers_;
  int end_;
  Plan plan_;
};

}  // namespace

Plan plan(const Graph& graph, const std::vector<Layer>& layers, const PlanOptions& options) { return Planner(graph, layers, options).run(); }

}  // namespace corten
