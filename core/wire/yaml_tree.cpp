// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/wire/yaml_tree.h"

#include "core/base/text.h"
#include "core/wire/scalar.h"

#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/exceptions.h>
#include <yaml-cpp/mark.h>
#include <yaml-cpp/parser.h>

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <sstream>
#include <unordered_map>

namespace rentune::wire {
namespace {

constexpr size_t maxNodes = 100'000;

int64_t lineOf(const YAML::Mark &mark)
{
    return mark.line + 1;
}

/// Leaves the parser from inside a callback; caught in parseYaml.
struct Refused
{
    ErrorCode code;
    std::string detail;
    int64_t line;
};

class TreeBuilder : public YAML::EventHandler
{
public:
    YamlNode take() { return std::move(m_root); }

    void OnDocumentStart(const YAML::Mark &) override {}
    void OnDocumentEnd() override {}

    void OnNull(const YAML::Mark &mark, YAML::anchor_t anchor) override
    {
        add({.line = lineOf(mark)}, anchor);
    }

    void OnAlias(const YAML::Mark &mark, YAML::anchor_t anchor) override
    {
        const auto found = m_anchors.find(anchor);
        if (found == m_anchors.end())
            throw Refused{ErrorCode::JobSyntax, "an alias stands inside the value it names", lineOf(mark)};
        count(found->second.size, lineOf(mark));
        place(found->second);
    }

    void OnScalar(const YAML::Mark &mark, const std::string &tag, YAML::anchor_t anchor,
                  const std::string &value) override
    {
        const bool quoted = tag == "!";
        if (!quoted)
            refuseTag(tag, mark);
        add({.kind = YamlNode::Kind::Scalar, .line = lineOf(mark), .text = value, .quoted = quoted}, anchor);
    }

    void OnSequenceStart(const YAML::Mark &mark, const std::string &tag, YAML::anchor_t anchor,
                         YAML::EmitterStyle::value) override
    {
        open(YamlNode::Kind::Sequence, mark, tag, anchor);
    }
    void OnSequenceEnd() override { close(); }

    void OnMapStart(const YAML::Mark &mark, const std::string &tag, YAML::anchor_t anchor,
                    YAML::EmitterStyle::value) override
    {
        open(YamlNode::Kind::Map, mark, tag, anchor);
    }
    void OnMapEnd() override
    {
        expandMerges(m_frames.back().node, m_frames.back().merges);
        close();
    }

private:
    struct Frame
    {
        YamlNode node;
        YAML::anchor_t anchor = 0;
        std::optional<std::string> key{};                 ///< read, its value not yet
        std::unordered_map<std::string, int64_t> lines{}; ///< of the map's keys
        std::vector<YamlNode> merges{};                   ///< values of "<<"
    };

    static void refuseTag(const std::string &tag, const YAML::Mark &mark)
    {
        if (tag != "?" && !tag.empty())
            throw Refused{ErrorCode::JobSyntax,
                          fmt::format("the tag \"{}\" is not allowed: write a plain value", tag),
                          lineOf(mark)};
    }

    void count(size_t nodes, int64_t line)
    {
        m_count += nodes;
        if (m_count > maxNodes)
            throw Refused{
                ErrorCode::JobSyntax,
                fmt::format("more than {} values, aliases expanded: write the values out", maxNodes), line};
    }

    void open(YamlNode::Kind kind, const YAML::Mark &mark, const std::string &tag, YAML::anchor_t anchor)
    {
        refuseTag(tag, mark);
        if (expectsKey())
            refuseKey(lineOf(mark));
        count(1, lineOf(mark));
        m_frames.push_back({.node = {.kind = kind, .line = lineOf(mark)}, .anchor = anchor});
    }

    void close()
    {
        Frame frame = std::move(m_frames.back());
        m_frames.pop_back();
        if (frame.anchor != 0)
            m_anchors[frame.anchor] = frame.node;
        place(std::move(frame.node));
    }

    void add(YamlNode node, YAML::anchor_t anchor)
    {
        count(1, node.line);
        if (anchor != 0)
            m_anchors[anchor] = node;
        place(std::move(node));
    }

    bool expectsKey() const
    {
        return !m_frames.empty() && m_frames.back().node.kind == YamlNode::Kind::Map && !m_frames.back().key;
    }

    [[noreturn]] static void refuseKey(int64_t line)
    {
        throw Refused{ErrorCode::JobSyntax, "a key must be text", line};
    }

    void place(YamlNode node)
    {
        if (m_frames.empty())
            m_root = std::move(node);
        else if (expectsKey())
            placeKey(node);
        else
            placeValue(std::move(node));
    }

    void placeKey(const YamlNode &node)
    {
        Frame &frame = m_frames.back();
        if (node.kind != YamlNode::Kind::Scalar)
            refuseKey(node.line);
        const auto [earlier, fresh] = frame.lines.emplace(node.text, node.line);
        if (!fresh)
            throw Refused{ErrorCode::JobDuplicateKey,
                          fmt::format("\"{}\" stands twice, in line {} and in line {}: keep one", node.text,
                                      earlier->second, node.line),
                          node.line};
        frame.key = node.text;
    }

    void placeValue(YamlNode node)
    {
        Frame &frame = m_frames.back();
        frame.node.size += node.size;
        if (frame.node.kind == YamlNode::Kind::Sequence) {
            frame.node.items.push_back(std::move(node));
            return;
        }
        if (*frame.key == "<<")
            frame.merges.push_back(std::move(node));
        else
            frame.node.entries.emplace_back(std::move(*frame.key), std::move(node));
        frame.key.reset();
    }

    /// "<<" takes a map or a list of maps; of equal keys the map's own wins, then the first merged one.
    static void expandMerges(YamlNode &map, std::vector<YamlNode> &merges)
    {
        for (YamlNode &merge : merges) {
            if (merge.kind == YamlNode::Kind::Map)
                mergeMap(map, std::move(merge));
            else if (merge.kind == YamlNode::Kind::Sequence)
                expandMerges(map, merge.items);
            else
                throw Refused{ErrorCode::JobSyntax, "the merge key \"<<\" takes an alias of a mapping",
                              merge.line};
        }
    }

    static void mergeMap(YamlNode &map, YamlNode &&merge)
    {
        for (auto &entry : merge.entries) {
            const auto same = [&](const auto &own) { return own.first == entry.first; };
            if (std::none_of(map.entries.begin(), map.entries.end(), same))
                map.entries.push_back(std::move(entry));
        }
    }

    YamlNode m_root;
    std::vector<Frame> m_frames;
    std::unordered_map<YAML::anchor_t, YamlNode> m_anchors;
    size_t m_count = 0;
};

} // namespace

Result<YamlNode> parseYaml(std::string_view text, const std::string &file)
{
    if (const size_t bad = firstInvalidUtf8(text); bad != std::string_view::npos)
        return Error{ErrorCode::JobSyntax, "not UTF-8 text: save the file as UTF-8", file,
                     1 + std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(bad), '\n')};
    std::istringstream stream{std::string(text)};
    TreeBuilder builder;
    try {
        YAML::Parser parser(stream);
        if (!parser.HandleNextDocument(builder))
            return YamlNode{};
        TreeBuilder rest;
        if (parser.HandleNextDocument(rest))
            return Error{ErrorCode::JobSyntax, "more than one YAML document in one file: keep one", file};
    } catch (const Refused &refused) {
        return Error{refused.code, refused.detail, file, refused.line};
    } catch (const YAML::Exception &error) {
        return Error{ErrorCode::JobSyntax, "not valid YAML: " + error.msg, file, lineOf(error.mark)};
    }
    return builder.take();
}

Json yamlToJson(const YamlNode &node)
{
    switch (node.kind) {
    case YamlNode::Kind::Null:
        return nullptr;
    case YamlNode::Kind::Scalar:
        return node.quoted ? Json(node.text) : plainScalarToJson(node.text);
    case YamlNode::Kind::Sequence: {
        Json list = Json::array();
        for (const YamlNode &item : node.items)
            list.push_back(yamlToJson(item));
        return list;
    }
    case YamlNode::Kind::Map:
        break;
    }
    Json map = Json::object();
    for (const auto &[name, value] : node.entries)
        map[name] = yamlToJson(value);
    return map;
}

} // namespace rentune::wire
