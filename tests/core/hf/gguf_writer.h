// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/hf/gguf_file.h"

#include <cstring>
#include <random>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace rentune::test {

/// Composes a GGUF version 3 file in memory. Setting a key or tensor again replaces it.
class GgufWriter
{
public:
    void text(const std::string &key, const std::string &value) { set(key, number32(8) + string(value)); }
    void integer(const std::string &key, int64_t value) { set(key, number32(11) + raw(value)); }
    void number(const std::string &key, float value) { set(key, number32(6) + raw(value)); }
    void texts(const std::string &key, const std::vector<std::string> &values)
    {
        std::string bytes = number32(9) + number32(8) + raw(uint64_t{values.size()});
        for (const std::string &value : values)
            bytes += string(value);
        set(key, bytes);
    }
    void integers(const std::string &key, const std::vector<int32_t> &values)
    {
        std::string bytes = number32(9) + number32(5) + raw(uint64_t{values.size()});
        for (const int32_t value : values)
            bytes += raw(value);
        set(key, bytes);
    }

    /// `shape` has the slowest dimension first. Floats are small numbers, scales of blocks are halves near 1.
    void randomTensor(const std::string &name, hf::GgmlType type, const std::vector<int64_t> &shape)
    {
        int64_t values = 1;
        for (const int64_t size : shape)
            values *= size;
        const hf::GgmlBlock block = hf::blockOf(type);
        std::string packed;
        for (int64_t i = 0; i < values / block.values; ++i)
            packed += randomBlock(type, static_cast<size_t>(block.bytes));
        m_tensors.push_back({name, type, shape, packed});
    }
    void replace(const std::string &name, const std::string &packed) { find(name).packed = packed; }
    const std::string &packed(const std::string &name) { return find(name).packed; }

    std::string bytes() const
    {
        constexpr size_t alignment = 32;
        std::string head =
            "GGUF" + number32(3) + raw(uint64_t{m_tensors.size()}) + raw(uint64_t{m_values.size()});
        for (const auto &[key, value] : m_values)
            head += string(key) + value;
        std::string data;
        for (const Tensor &tensor : m_tensors) {
            head += string(tensor.name) + number32(static_cast<uint32_t>(tensor.shape.size()));
            for (size_t d = tensor.shape.size(); d > 0; --d)
                head += raw(tensor.shape[d - 1]);
            head += number32(static_cast<uint32_t>(tensor.type)) + raw(uint64_t{data.size()});
            data += tensor.packed;
            data.resize((data.size() + alignment - 1) / alignment * alignment);
        }
        head.resize((head.size() + alignment - 1) / alignment * alignment);
        return head + data;
    }

private:
    struct Tensor
    {
        std::string name;
        hf::GgmlType type;
        std::vector<int64_t> shape;
        std::string packed;
    };

    template <typename T>
    static std::string raw(T value)
    {
        std::string bytes(sizeof value, '\0');
        std::memcpy(bytes.data(), &value, sizeof value);
        return bytes;
    }
    static std::string number32(uint32_t value) { return raw(value); }
    static std::string string(const std::string &value) { return raw(uint64_t{value.size()}) + value; }

    void set(const std::string &key, const std::string &value)
    {
        for (auto &[known, old] : m_values) {
            if (known == key) {
                old = value;
                return;
            }
        }
        m_values.emplace_back(key, value);
    }
    Tensor &find(const std::string &name)
    {
        for (Tensor &tensor : m_tensors) {
            if (tensor.name == name)
                return tensor;
        }
        throw std::out_of_range(name);
    }
    std::string randomBlock(hf::GgmlType type, size_t size)
    {
        const auto half = [&] { return raw(static_cast<uint16_t>(0x3000 | (m_random() & 0x8fff))); };
        if (type == hf::GgmlType::F32)
            return raw(std::uniform_real_distribution<float>(-2, 2)(m_random));
        if (type == hf::GgmlType::BF16)
            return raw(static_cast<uint16_t>(0x3f00 | (m_random() & 0x80ff)));
        std::string block = half();
        if (type == hf::GgmlType::Q4_1)
            block += half();
        while (block.size() < size)
            block += static_cast<char>(m_random());
        return block;
    }

    std::vector<std::pair<std::string, std::string>> m_values;
    std::vector<Tensor> m_tensors;
    std::mt19937 m_random{7};
};

} // namespace rentune::test
