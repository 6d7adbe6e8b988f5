// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/json.h"
#include "core/base/result.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace rentune::wire {

/// A YAML value with its line. Scalars keep their spelling: the reader of a key decides the type, so that a
/// region "no" or a version "1.10" stays text.
struct YamlNode
{
    enum class Kind
    {
        Null,
        Scalar,
        Sequence,
        Map
    };

    Kind kind = Kind::Null;
    int64_t line = 0;   ///< 1-based; 0 for a value that stands in no file
    std::string text{}; ///< of a scalar
    bool quoted = false;
    std::vector<YamlNode> items{};                           ///< of a sequence
    std::vector<std::pair<std::string, YamlNode>> entries{}; ///< of a map, in order; names are unique
    size_t size = 1;                                         ///< nodes of this subtree
};

/// Reads one YAML document. Aliases and merge keys ("<<") are expanded, up to 100,000 nodes in all; a map's
/// own keys win over merged ones. Errors (with file and line): job.syntax for broken YAML, tags, keys that
/// are not text and expansion past the limit; job.duplicate_key naming both lines.
Result<YamlNode> parseYaml(std::string_view text, const std::string &file);

/// The value as JSON, plain scalars resolved as in the YAML 1.2 core schema.
Json yamlToJson(const YamlNode &node);

} // namespace rentune::wire
