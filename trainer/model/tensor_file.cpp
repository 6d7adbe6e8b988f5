// SPDX-License-Identifier: GPL-3.0-or-later
#include "trainer/model/tensor_file.h"

#include <array>
#include <cstring>
#include <optional>
#include <utility>

namespace rentune::trainer {
namespace {

constexpr std::array<std::pair<hf::Dtype, at::ScalarType>, 10> dtypes{{
    {hf::Dtype::F32, at::kFloat},
    {hf::Dtype::BF16, at::kBFloat16},
    {hf::Dtype::F16, at::kHalf},
    {hf::Dtype::F64, at::kDouble},
    {hf::Dtype::I64, at::kLong},
    {hf::Dtype::I32, at::kInt},
    {hf::Dtype::I16, at::kShort},
    {hf::Dtype::I8, at::kChar},
    {hf::Dtype::U8, at::kByte},
    {hf::Dtype::Bool, at::kBool},
}};

} // namespace

Result<at::Tensor> toTensor(const hf::TensorEntry &entry, std::span<const std::byte> bytes,
                            const std::string &file)
{
    for (const auto &[dtype, scalar] : dtypes) {
        if (dtype != entry.dtype)
            continue;
        at::Tensor tensor = at::empty(entry.shape, scalar);
        if (!bytes.empty())
            std::memcpy(tensor.data_ptr(), bytes.data(), bytes.size());
        return tensor;
    }
    return Error{ErrorCode::SafetensorsFormat,
                 "tensor " + entry.name + " has dtype " + std::string(hf::dtypeName(entry.dtype)) +
                     ", which can't be computed with; convert it to F32 or BF16",
                 file};
}

hf::TensorView toView(std::string name, const at::Tensor &tensor)
{
    hf::TensorView view;
    view.name = std::move(name);
    view.shape = tensor.sizes().vec();
    view.bytes = {static_cast<const std::byte *>(tensor.data_ptr()), tensor.nbytes()};
    for (const auto &[dtype, scalar] : dtypes)
        if (scalar == tensor.scalar_type())
            view.dtype = dtype;
    return view;
}

} // namespace rentune::trainer
