// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/text/template_guard.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <utility>

namespace rentune::text {
namespace {

constexpr size_t maxSteps = 2'000'000;
constexpr size_t maxMacroDepth = 64;
constexpr std::chrono::milliseconds maxTime{1500}; // leaves room below the promised 2 s
constexpr size_t memoryPerOutput = 32;             // parts of a long conversation are many and short
constexpr size_t bytesPerItem = 64;                // what a list item or string part costs at least

thread_local TemplateBudget *budgetOfThread = nullptr;

size_t sizeOf(const jinja::value &value)
{
    if (jinja::is_val<jinja::value_string>(value))
        return value->val_str.length() + bytesPerItem * value->val_str.parts.size();
    return bytesPerItem * value->val_arr.size();
}

struct StepStatement : jinja::statement
{
    jinja::value execute_impl(jinja::context &) const override
    {
        TemplateBudget::current().step();
        return jinja::mk_val<jinja::value_undefined>();
    }
};

struct DepthStatement : jinja::statement
{
    bool enter;
    explicit DepthStatement(bool enters) : enter(enters) {}
    jinja::value execute_impl(jinja::context &) const override
    {
        if (enter)
            TemplateBudget::current().enter();
        else
            TemplateBudget::current().leave();
        return jinja::mk_val<jinja::value_undefined>();
    }
};

/// A value already computed, in the place of an expression.
struct Computed : jinja::expression
{
    jinja::value result;
    explicit Computed(jinja::value value) : result(std::move(value)) {}
    jinja::value execute_impl(jinja::context &) const override { return result; }
};

/// An operator that can make its operands longer: refuses before it does.
struct GuardedBinary : jinja::expression
{
    std::unique_ptr<jinja::binary_expression> inner;
    explicit GuardedBinary(std::unique_ptr<jinja::binary_expression> guarded) : inner(std::move(guarded)) {}

    jinja::value execute_impl(jinja::context &context) const override
    {
        jinja::value left = inner->left->execute(context);
        jinja::value right = inner->right->execute(context);
        TemplateBudget &budget = TemplateBudget::current();
        budget.step();
        if (inner->op.value == "*")
            checkRepetition(budget, left, right);
        else
            budget.checkSize(sizeOf(left) + sizeOf(right));
        jinja::binary_expression operation(inner->op, std::make_unique<Computed>(std::move(left)),
                                           std::make_unique<Computed>(std::move(right)));
        operation.pos = pos;
        return operation.execute_impl(context);
    }

    static void checkRepetition(TemplateBudget &budget, const jinja::value &left, const jinja::value &right)
    {
        const bool leftCounts = jinja::is_val<jinja::value_int>(left);
        const jinja::value &count = leftCounts ? left : right;
        const jinja::value &text = leftCounts ? right : left;
        if (!jinja::is_val<jinja::value_int>(count) || !jinja::is_val<jinja::value_string>(text))
            return;
        constexpr int64_t tooMany = 1'000'000'000; // keeps the product below 2^64
        const int64_t times = std::clamp<int64_t>(count->as_int(), 0, tooMany);
        budget.checkSize(static_cast<size_t>(times) * std::max(sizeOf(text), bytesPerItem));
    }
};

/// A filter or call: its result must not be larger than the output may be.
template <typename Inner>
struct GuardedResult : jinja::expression
{
    std::unique_ptr<Inner> inner;
    explicit GuardedResult(std::unique_ptr<Inner> guarded) : inner(std::move(guarded)) {}

    jinja::value execute_impl(jinja::context &context) const override
    {
        TemplateBudget &budget = TemplateBudget::current();
        budget.step();
        jinja::value result = inner->execute(context);
        budget.checkSize(sizeOf(result));
        return result;
    }
};

template <typename Node>
std::unique_ptr<Node> take(jinja::statement_ptr &pointer)
{
    return std::unique_ptr<Node>(static_cast<Node *>(pointer.release()));
}

class Guard
{
public:
    void body(jinja::statements &list)
    {
        all(list);
        list.insert(list.begin(), at<StepStatement>(0));
    }

    void all(jinja::statements &list)
    {
        for (jinja::statement_ptr &node : list)
            visit(node);
    }

private:
    template <typename Node, typename... Args>
    static jinja::statement_ptr at(size_t position, Args &&...args)
    {
        auto node = std::make_unique<Node>(std::forward<Args>(args)...);
        node->pos = position;
        return node;
    }

    void visit(jinja::statement_ptr &node)
    {
        if (!node || statement(node.get()) || expression(node.get()))
            return;
        operation(node);
    }

    bool statement(jinja::statement *node)
    {
        if (auto *n = dynamic_cast<jinja::if_statement *>(node)) {
            visit(n->test);
            all(n->body);
            all(n->alternate);
        } else if (auto *loop = dynamic_cast<jinja::for_statement *>(node)) {
            visit(loop->iterable);
            body(loop->body);
            all(loop->default_block);
        } else if (auto *set = dynamic_cast<jinja::set_statement *>(node)) {
            visit(set->val);
            all(set->body);
        } else if (auto *macro = dynamic_cast<jinja::macro_statement *>(node)) {
            body(macro->body);
            macro->body.insert(macro->body.begin(), at<DepthStatement>(macro->pos, true));
            macro->body.push_back(at<DepthStatement>(macro->pos, false));
        } else if (auto *call = dynamic_cast<jinja::call_statement *>(node)) {
            body(call->body); // `call` itself must stay a call_expression
        } else if (auto *filter = dynamic_cast<jinja::filter_statement *>(node)) {
            all(filter->body);
        } else {
            return false;
        }
        return true;
    }

    bool expression(jinja::statement *node)
    {
        if (auto *member = dynamic_cast<jinja::member_expression *>(node)) {
            visit(member->object);
            if (member->computed)
                visit(member->property);
        } else if (auto *array = dynamic_cast<jinja::array_literal *>(node)) {
            all(array->val);
        } else if (auto *tuple = dynamic_cast<jinja::tuple_literal *>(node)) {
            all(tuple->val);
        } else if (auto *object = dynamic_cast<jinja::object_literal *>(node)) {
            for (auto &[key, value] : object->val) {
                visit(key);
                visit(value);
            }
        } else if (auto *select = dynamic_cast<jinja::select_expression *>(node)) {
            visit(select->lhs);
            visit(select->test);
        } else if (auto *test = dynamic_cast<jinja::test_expression *>(node)) {
            visit(test->operand);
        } else if (auto *unary = dynamic_cast<jinja::unary_expression *>(node)) {
            visit(unary->argument);
        } else if (auto *ternary = dynamic_cast<jinja::ternary_expression *>(node)) {
            visit(ternary->condition);
            visit(ternary->true_expr);
            visit(ternary->false_expr);
        } else if (auto *keyword = dynamic_cast<jinja::keyword_argument_expression *>(node)) {
            visit(keyword->val);
        } else {
            return false;
        }
        return true;
    }

    /// The operations whose results can grow are replaced by guarded ones.
    void operation(jinja::statement_ptr &node)
    {
        const size_t position = node->pos;
        if (auto *binary = dynamic_cast<jinja::binary_expression *>(node.get())) {
            visit(binary->left);
            visit(binary->right);
            const std::string &op = binary->op.value;
            if (op == "*" || op == "+" || op == "~")
                node = at<GuardedBinary>(position, take<jinja::binary_expression>(node));
        } else if (auto *filter = dynamic_cast<jinja::filter_expression *>(node.get())) {
            visit(filter->operand);
            if (auto *call = dynamic_cast<jinja::call_expression *>(filter->filter.get()))
                all(call->args);
            node =
                at<GuardedResult<jinja::filter_expression>>(position, take<jinja::filter_expression>(node));
        } else if (auto *call = dynamic_cast<jinja::call_expression *>(node.get())) {
            visit(call->callee);
            all(call->args);
            node = at<GuardedResult<jinja::call_expression>>(position, take<jinja::call_expression>(node));
        }
    }
};

} // namespace

TemplateBudget::TemplateBudget(size_t outputLimit)
    : m_memoryLimit(memoryPerOutput * outputLimit), m_end(std::chrono::steady_clock::now() + maxTime)
{
    budgetOfThread = this;
}

TemplateBudget::~TemplateBudget()
{
    budgetOfThread = nullptr;
}

TemplateBudget &TemplateBudget::current()
{
    return *budgetOfThread;
}

void TemplateBudget::step()
{
    if (++m_steps > maxSteps)
        throw TemplateLimitExceeded{fmt::format("more than {} steps", maxSteps)};
    if (std::chrono::steady_clock::now() > m_end)
        throw TemplateLimitExceeded{fmt::format("not done after {} ms", maxTime.count())};
}

void TemplateBudget::checkSize(size_t bytes)
{
    if (bytes > m_memoryLimit)
        throw TemplateLimitExceeded{fmt::format("a value of more than {} bytes", m_memoryLimit)};
}

void TemplateBudget::enter()
{
    if (++m_depth > maxMacroDepth)
        throw TemplateLimitExceeded{fmt::format("macros more than {} calls deep", maxMacroDepth)};
}

void guardTemplate(jinja::program &program)
{
    Guard().all(program.body);
}

} // namespace rentune::text
