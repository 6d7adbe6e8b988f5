// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/text/words.h"

#include "app/text/format.h"

#include <QCoreApplication>
#include <QHash>

namespace rentune::app {
namespace {

struct Words
{
    Q_DECLARE_TR_FUNCTIONS(Words)
};

/// Codes and their English words; looked up in the catalogue when they are shown.
using Table = QHash<QString, const char *>;

QString lookUp(const Table &table, const QString &code)
{
    const auto found = table.find(code);
    return found == table.end() ? code : Words::tr(*found);
}

QString lookUp(const Table &table, const std::string &code)
{
    return lookUp(table, QString::fromStdString(code));
}

} // namespace

QString storeMovedText(const std::string &file)
{
    return Words::tr("The store was damaged; it was kept as %1 and a new one begun")
        .arg(QString::fromStdString(file));
}

QString termText(plan::Term term)
{
    switch (term) {
    case plan::Term::Weights:
        return Words::tr("Base weights");
    case plan::Term::Gradients:
        return Words::tr("Gradients");
    case plan::Term::Optimizer:
        return Words::tr("Optimizer states");
    case plan::Term::Master:
        return Words::tr("Master weights");
    case plan::Term::Adapter:
        return Words::tr("Adapter");
    case plan::Term::Quantization:
        return Words::tr("Quantization");
    case plan::Term::Activations:
        return Words::tr("Activations");
    case plan::Term::Logits:
        return Words::tr("Logits");
    case plan::Term::Communication:
        return Words::tr("Communication");
    case plan::Term::Workspace:
        return Words::tr("Workspace");
    case plan::Term::Reserve:
        return Words::tr("Allocator reserve");
    case plan::Term::Context:
        return Words::tr("CUDA context");
    }
    return {};
}

QString phaseText(const std::string &phase)
{
    static const Table words{
        {QStringLiteral("load"), QT_TRANSLATE_NOOP("Words", "peak while loading")},
        {QStringLiteral("forward"), QT_TRANSLATE_NOOP("Words", "peak in the forward pass")},
        {QStringLiteral("backward"), QT_TRANSLATE_NOOP("Words", "peak in the backward pass")},
        {QStringLiteral("optimizer"), QT_TRANSLATE_NOOP("Words", "peak in the optimizer step")},
        {QStringLiteral("save"), QT_TRANSLATE_NOOP("Words", "peak while saving")}};
    return lookUp(words, phase);
}

QString priceClassText(const std::string &priceClass)
{
    static const Table words{{QStringLiteral("on_demand"), QT_TRANSLATE_NOOP("Words", "On-demand")},
                             {QStringLiteral("spot"), QT_TRANSLATE_NOOP("Words", "Spot")},
                             {QStringLiteral("reserved"), QT_TRANSLATE_NOOP("Words", "Reserved")},
                             {QStringLiteral("owned"), QT_TRANSLATE_NOOP("Words", "Owned")}};
    return lookUp(words, priceClass);
}

QString strategyText(wire::Strategy strategy)
{
    switch (strategy) {
    case wire::Strategy::None:
        return Words::tr("none");
    case wire::Strategy::Ddp:
        return QStringLiteral("DDP");
    case wire::Strategy::Zero1:
        return QStringLiteral("ZeRO-1");
    case wire::Strategy::Zero2:
        return QStringLiteral("ZeRO-2");
    case wire::Strategy::Zero3:
        return QStringLiteral("ZeRO-3");
    case wire::Strategy::Fsdp:
        return QStringLiteral("FSDP");
    }
    return {};
}

QString reasonText(const plan::Reason &reason, const plan::Plan &plan)
{
    if (reason.code == "memory.capacity")
        return Words::tr("Does not fit: %1 on each card, %2 too many")
            .arg(gib(plan.perGpuBytes.expected),
                 gib(std::max<Bytes>(plan.perGpuBytes.expected - plan.capacityBytes, 0)));
    static const Table words{
        {QStringLiteral("precision.unsupported"), QT_TRANSLATE_NOOP("Words", "This card has no bf16 units")},
        {QStringLiteral("hardware.gpu_missing"),
         QT_TRANSLATE_NOOP("Words", "This computer has no such card")},
        {QStringLiteral("hardware.vendor"),
         QT_TRANSLATE_NOOP("Words", "Training runs on NVIDIA cards and CPUs")},
        {QStringLiteral("hardware.speed_unknown"),
         QT_TRANSLATE_NOOP("Words", "The catalogue states no speed of this card")},
        {QStringLiteral("budget.cost"), QT_TRANSLATE_NOOP("Words", "The cap is too low for this job")},
        {QStringLiteral("budget.hours"),
         QT_TRANSLATE_NOOP("Words", "The time limit is too short for this job")},
        {QStringLiteral("engine.not_yet"),
         QT_TRANSLATE_NOOP("Words", "Planned, but this version can't run it yet")},
        {QStringLiteral("model.max_positions"),
         QT_TRANSLATE_NOOP("Words", "Max length is beyond what the model was made for")},
        {QStringLiteral("parallel.assumed_ddp"),
         QT_TRANSLATE_NOOP("Words", "Several cards without a strategy: planned as DDP")},
        {QStringLiteral("data.empty"), QT_TRANSLATE_NOOP("Words", "The data has no usable row")},
        {QStringLiteral("quantization.trained_weights"),
         QT_TRANSLATE_NOOP("Words", "Weights that are trained can't be quantized")},
        {QStringLiteral("parallel.no_saving"),
         QT_TRANSLATE_NOOP("Words", "One card: sharding saves nothing")},
        {QStringLiteral("data.none"),
         QT_TRANSLATE_NOOP("Words", "No data chosen yet: every row counts as full length")},
        {QStringLiteral("data.characters"),
         QT_TRANSLATE_NOOP("Words", "Lengths are estimated from characters")},
        {QStringLiteral("data.unreadable"),
         QT_TRANSLATE_NOOP("Words", "The data file can't be read; lengths are assumed")}};
    const auto found = words.find(QString::fromStdString(reason.code));
    return found == words.end() ? QString::fromStdString(reason.text) : Words::tr(*found);
}

QString relaxText(const plan::Relax &relax)
{
    static const Table words{
        {QStringLiteral("method.quantization.type"), QT_TRANSLATE_NOOP("Words", "Quantize the base to %1")},
        {QStringLiteral("method.type"), QT_TRANSLATE_NOOP("Words", "Method %1")},
        {QStringLiteral("method.rank"), QT_TRANSLATE_NOOP("Words", "Rank %1")},
        {QStringLiteral("training.micro_batch"), QT_TRANSLATE_NOOP("Words", "Micro batch %1")},
        {QStringLiteral("training.gradient_checkpointing"),
         QT_TRANSLATE_NOOP("Words", "Gradient checkpointing on")},
        {QStringLiteral("training.precision"), QT_TRANSLATE_NOOP("Words", "Precision %1")},
        {QStringLiteral("data.max_length"), QT_TRANSLATE_NOOP("Words", "Max length %1")},
        {QStringLiteral("parallel.strategy"), QT_TRANSLATE_NOOP("Words", "Strategy %1")},
        {QStringLiteral("parallel.offload"), QT_TRANSLATE_NOOP("Words", "Offload %1 to memory")},
        {QStringLiteral("training.optimizer"), QT_TRANSLATE_NOOP("Words", "Optimizer %1")},
        {QStringLiteral("parallel.gpus_per_node"), QT_TRANSLATE_NOOP("Words", "%1 cards")},
        {QStringLiteral("hardware.gpu"), QT_TRANSLATE_NOOP("Words", "Take a %1")}};
    const QString value = QString::fromStdString(relax.value);
    const QString text = lookUp(words, relax.key);
    return text.contains(QLatin1String("%1")) ? text.arg(value) : text;
}

QString failureText(const std::string &code, const QString &detail)
{
    static const Table words{
        {QStringLiteral("file.missing"), QT_TRANSLATE_NOOP("Words", "The file is missing")},
        {QStringLiteral("file.read"), QT_TRANSLATE_NOOP("Words", "The file can't be read")},
        {QStringLiteral("file.too_large"), QT_TRANSLATE_NOOP("Words", "The file is too large")},
        {QStringLiteral("json.syntax"), QT_TRANSLATE_NOOP("Words", "The JSON is broken")},
        {QStringLiteral("job.syntax"), QT_TRANSLATE_NOOP("Words", "The job file is broken")},
        {QStringLiteral("job.unknown_key"), QT_TRANSLATE_NOOP("Words", "The job file has an unknown key")},
        {QStringLiteral("job.duplicate_key"), QT_TRANSLATE_NOOP("Words", "The job file has a key twice")},
        {QStringLiteral("job.type"), QT_TRANSLATE_NOOP("Words", "A value of the job has the wrong type")},
        {QStringLiteral("job.value"), QT_TRANSLATE_NOOP("Words", "A value of the job is impossible")},
        {QStringLiteral("job.missing_key"), QT_TRANSLATE_NOOP("Words", "The job lacks a value")},
        {QStringLiteral("job.conflict"),
         QT_TRANSLATE_NOOP("Words", "Two values of the job contradict each other")},
        {QStringLiteral("job.unsupported"),
         QT_TRANSLATE_NOOP("Words", "This version can't do what the job asks for")},
        {QStringLiteral("model.config"), QT_TRANSLATE_NOOP("Words", "The model's config.json is broken")},
        {QStringLiteral("model.unsupported"),
         QT_TRANSLATE_NOOP("Words", "This kind of model is not supported")},
        {QStringLiteral("model.weights_missing"),
         QT_TRANSLATE_NOOP("Words", "The model's weights are missing")},
        {QStringLiteral("model.weights_mismatch"),
         QT_TRANSLATE_NOOP("Words", "The weights don't match config.json")},
        {QStringLiteral("adapter.config"),
         QT_TRANSLATE_NOOP("Words", "The target modules don't fit this model")},
        {QStringLiteral("data.format"), QT_TRANSLATE_NOOP("Words", "The data file has no known format")},
        {QStringLiteral("data.row"), QT_TRANSLATE_NOOP("Words", "A row of the data is broken")},
        {QStringLiteral("data.empty"), QT_TRANSLATE_NOOP("Words", "The data has no usable row")},
        {QStringLiteral("run.folder_used"), QT_TRANSLATE_NOOP("Words", "The run folder is in use already")},
        {QStringLiteral("run.unknown"), QT_TRANSLATE_NOOP("Words", "There is no such run")},
        {QStringLiteral("memory.out"), QT_TRANSLATE_NOOP("Words", "Out of memory")},
        {QStringLiteral("disk.full"), QT_TRANSLATE_NOOP("Words", "The disk is full")},
        {QStringLiteral("disk.write"), QT_TRANSLATE_NOOP("Words", "Writing to the disk failed")},
        {QStringLiteral("checkpoint.broken"), QT_TRANSLATE_NOOP("Words", "A checkpoint is damaged")},
        {QStringLiteral("budget.reached"), QT_TRANSLATE_NOOP("Words", "The cap is reached")},
        {QStringLiteral("numeric.nonfinite"), QT_TRANSLATE_NOOP("Words", "The loss is no number any more")},
        {QStringLiteral("usage.arguments"),
         QT_TRANSLATE_NOOP("Words", "The command line can't be understood")},
        {QStringLiteral("run.state"), QT_TRANSLATE_NOOP("Words", "The run is not in a state for that")},
        {QStringLiteral("safetensors.format"), QT_TRANSLATE_NOOP("Words", "The safetensors file is broken")},
        {QStringLiteral("safetensors.incomplete"),
         QT_TRANSLATE_NOOP("Words", "The safetensors file is cut off")},
        {QStringLiteral("safetensors.index"),
         QT_TRANSLATE_NOOP("Words", "The index of the weights is broken")},
        {QStringLiteral("gguf.format"), QT_TRANSLATE_NOOP("Words", "The GGUF file is broken")},
        {QStringLiteral("gguf.unsupported"),
         QT_TRANSLATE_NOOP("Words", "This kind of GGUF file is not supported")},
        {QStringLiteral("adapter.mismatch"),
         QT_TRANSLATE_NOOP("Words", "The adapter doesn't belong to this model")},
        {QStringLiteral("tokenizer.format"), QT_TRANSLATE_NOOP("Words", "The tokenizer file is broken")},
        {QStringLiteral("tokenizer.unsupported"),
         QT_TRANSLATE_NOOP("Words", "This kind of tokenizer is not supported")},
        {QStringLiteral("template.missing"), QT_TRANSLATE_NOOP("Words", "The model has no chat template")},
        {QStringLiteral("template.syntax"), QT_TRANSLATE_NOOP("Words", "The chat template is broken")},
        {QStringLiteral("template.raised"),
         QT_TRANSLATE_NOOP("Words", "The chat template refuses this conversation")},
        {QStringLiteral("template.limit"), QT_TRANSLATE_NOOP("Words", "The chat template takes too long")},
        {QStringLiteral("wire.version"),
         QT_TRANSLATE_NOOP("Words", "The run was written by a newer version")},
        {QStringLiteral("wire.format"), QT_TRANSLATE_NOOP("Words", "The event log is broken")},
        {QStringLiteral("catalog.format"), QT_TRANSLATE_NOOP("Words", "A table of the catalogue is broken")},
        {QStringLiteral("network.failed"), QT_TRANSLATE_NOOP("Words", "The network failed")},
        {QStringLiteral("collective.failed"), QT_TRANSLATE_NOOP("Words", "The ranks lost each other")},
        {QStringLiteral("store.failed"), QT_TRANSLATE_NOOP("Words", "The database of runs can't be used")},
        {QStringLiteral("stopped.notice"), QT_TRANSLATE_NOOP("Words", "Stopped on notice")},
        {QStringLiteral("internal"), QT_TRANSLATE_NOOP("Words", "A fault of Rentune itself")}};
    const QString what = lookUp(words, code);
    return detail.isEmpty() ? what : Words::tr("%1: %2", "what is wrong, detail").arg(what, detail);
}

QString errorText(const Error &error)
{
    return failureText(std::string(codeName(error.code)), QString::fromStdString(error.toString()));
}

QString stateText(const QString &state)
{
    static const Table words{{QStringLiteral("starting"), QT_TRANSLATE_NOOP("Words", "Starting")},
                             {QStringLiteral("running"), QT_TRANSLATE_NOOP("Words", "Running")},
                             {QStringLiteral("stopping"), QT_TRANSLATE_NOOP("Words", "Stopping")},
                             {QStringLiteral("stopped"), QT_TRANSLATE_NOOP("Words", "Stopped")},
                             {QStringLiteral("done"), QT_TRANSLATE_NOOP("Words", "Done")},
                             {QStringLiteral("failed"), QT_TRANSLATE_NOOP("Words", "Failed")},
                             {QStringLiteral("interrupted"), QT_TRANSLATE_NOOP("Words", "Interrupted")}};
    return lookUp(words, state);
}

QString eventText(const QString &type)
{
    static const Table words{{QStringLiteral("hello"), QT_TRANSLATE_NOOP("Words", "start")},
                             {QStringLiteral("step"), QT_TRANSLATE_NOOP("Words", "step")},
                             {QStringLiteral("eval"), QT_TRANSLATE_NOOP("Words", "eval")},
                             {QStringLiteral("checkpoint"), QT_TRANSLATE_NOOP("Words", "saved")},
                             {QStringLiteral("memory"), QT_TRANSLATE_NOOP("Words", "memory")},
                             {QStringLiteral("state"), QT_TRANSLATE_NOOP("Words", "state")},
                             {QStringLiteral("notice"), QT_TRANSLATE_NOOP("Words", "notice")},
                             {QStringLiteral("sample"), QT_TRANSLATE_NOOP("Words", "sample")},
                             {QStringLiteral("cost"), QT_TRANSLATE_NOOP("Words", "cost")},
                             {QStringLiteral("error"), QT_TRANSLATE_NOOP("Words", "error")},
                             {QStringLiteral("log"), QT_TRANSLATE_NOOP("Words", "note")},
                             {QStringLiteral("done"), QT_TRANSLATE_NOOP("Words", "end")}};
    return lookUp(words, type);
}

} // namespace rentune::app
