#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""`./dev bench`: our trainer beside transformers + PEFT on the same token ids, in turn (ours, theirs, ours, theirs).

Prints lines "NAME_ratio X": tokens/s of ours over theirs (higher is better), peak resident memory of ours over theirs
(lower is better), and the share of the machine's best matrix speed that our LoRA step reaches.
"""
import argparse
import json
import os
import pathlib
import re
import statistics
import subprocess
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
SHARED = ROOT.parent / "shared"
PEER, PEAK = SHARED / "bench/peer_lora.py", SHARED / "bench/matmul_peak.py"
DATA = SHARED / "data/alpaca_en_demo.json"
GGUF = ROOT / ".deps/smollm2/SmolLM2-135M-Instruct.Q4_1.gguf"
TRAINER = ROOT / "build/release/bin/rentune-trainer"
WORK = ROOT / "build/bench"
SEQ, BATCH, THREADS = 512, 4, 2
FIRST_LOSS_TOLERANCE = 0.01

METHODS = {
    "lora": {"method": {"type": "lora", "rank": 8, "alpha": 32, "targets": ["q_proj", "k_proj", "v_proj", "o_proj"]}},
    "full": {"method": {"type": "full"}},
}


def measure(command, log):
    """Runs to the end; returns its output and peak resident MiB."""
    with open(log, "w+") as out:
        child = subprocess.Popen(command, stdout=out, stderr=subprocess.STDOUT)
        _, status, usage = os.wait4(child.pid, 0)
        out.seek(0)
        text = out.read()
    if status:
        sys.exit(f"bench: {command[0]} failed with {os.waitstatus_to_exitcode(status)}:\n{text[-2000:]}")
    return text, usage.ru_maxrss / 1024


def import_model():
    model = WORK / "SmolLM2-135M-Instruct"
    if not (model / "config.json").exists():
        subprocess.run([TRAINER, "import-gguf", GGUF, "--output", model], check=True)
    return model


def write_tokens(model, steps):
    """The very ids that the peer's script cuts from the data, as a `tokens` data set."""
    from transformers import AutoTokenizer
    tokenizer, ids = AutoTokenizer.from_pretrained(model), []
    for row in json.loads(DATA.read_text(encoding="utf-8")):
        question = row["instruction"] + ("\n" + row["input"] if row.get("input") else "")
        messages = [{"role": "user", "content": question}, {"role": "assistant", "content": row["output"]}]
        ids += tokenizer.apply_chat_template(messages, tokenize=True, return_dict=False)
    rows = [ids[i * SEQ:(i + 1) * SEQ] for i in range(BATCH * steps)]
    path = WORK / "tokens.jsonl"
    path.write_text("".join(json.dumps({"input_ids": row}) + "\n" for row in rows))
    return path


def ours(method, model, tokens, steps):
    job = {"version": 1, "name": f"bench-{method}", "model": {"path": str(model)},
           "data": {"train": [str(tokens)], "format": "tokens", "max_length": SEQ, "shuffle": False},
           "training": {"max_steps": steps, "micro_batch": BATCH, "learning_rate": 1e-4, "scheduler": "constant",
                        "weight_decay": 0.01, "max_grad_norm": 0, "precision": "bf16", "master_weights": False,
                        "threads": THREADS},
           **METHODS[method]}
    path, folder = WORK / f"{method}.json", WORK / f"run-{method}-{time.time_ns()}"
    path.write_text(json.dumps(job))
    _, peak = measure([TRAINER, "train", path, "--run-dir", folder], WORK / f"ours-{method}.log")
    events = [json.loads(line) for line in (folder / "events.jsonl").read_text().splitlines()]
    taken = [e for e in events if e["type"] == "step"]
    return [e["seconds"] for e in taken], taken[0]["loss"], peak


def theirs(method, model, _, steps):
    text, peak = measure([sys.executable, PEER, model, DATA, "--method", method, "--seq", str(SEQ), "--batch", str(BATCH),
                          "--steps", str(steps), "--threads", str(THREADS)], WORK / f"theirs-{method}.log")
    lines = re.findall(r"^loss (\S+)\s+(\S+) s$", text, re.MULTILINE)
    return [float(seconds) for _, seconds in lines], float(lines[0][0]), peak


def compare(method, model, tokens, steps, rounds):
    """Prints both sides and the ratios; returns our median seconds a step."""
    seconds, peaks, first = {ours: [], theirs: []}, {ours: 0, theirs: 0}, {}
    for _ in range(rounds):
        for side in (ours, theirs):
            taken, first[side], peak = side(method, model, tokens, steps)
            seconds[side] += taken[1:]
            peaks[side] = max(peaks[side], peak)
    if abs(first[ours] - first[theirs]) > FIRST_LOSS_TOLERANCE * first[theirs]:
        sys.exit(f"bench: first loss {first[ours]} is not the peer's {first[theirs]}; the two don't do the same work")
    median = {side: statistics.median(seconds[side]) for side in seconds}
    for side in (ours, theirs):
        print(f"# {method} {side.__name__}: {SEQ * BATCH / median[side]:.0f} tokens/s, {median[side]:.3f} s a step, "
              f"peak {peaks[side]:.0f} MiB, first loss {first[side]:.4f}")
    print(f"{method}_tokens_per_second_ratio {median[theirs] / median[ours]:.3f}")
    print(f"{method}_memory_ratio {peaks[ours] / peaks[theirs]:.3f}", flush=True)
    return median[ours]


def matmul_peak_share(model, step_seconds):
    """Products with frozen weights cost 2 FLOP a weight and token forward and 2 backward (no weight gradient)."""
    text, _ = measure([sys.executable, PEAK], WORK / "peak.log")
    peak = max(float(g) for g in re.findall(r"bfloat16 \d+: (\d+) GFLOP/s", text)) * 1e9
    config = json.loads((model / "config.json").read_text())
    hidden, layers = config["hidden_size"], config["num_hidden_layers"]
    key_value = hidden // config["num_attention_heads"] * config["num_key_value_heads"]
    weights = layers * (2 * hidden * hidden + 2 * hidden * key_value + 3 * hidden * config["intermediate_size"])
    weights += hidden * config["vocab_size"]
    print(f"# best bf16 product: {peak / 1e12:.2f} TFLOP/s")
    print(f"matmul_peak_share {4 * weights * SEQ * BATCH / step_seconds / peak:.3f}")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--steps", type=int, default=8)
    parser.add_argument("--rounds", type=int, default=2)
    options = parser.parse_args()
    absent = [str(path.relative_to(ROOT.parent)) for path in (PEER, PEAK, DATA) if not path.exists()]
    if absent:
        sys.exit("bench: the peer's scripts are not here (" + ", ".join(absent) + "), so there is nothing to compare with")
    WORK.mkdir(parents=True, exist_ok=True)
    model = import_model()
    tokens = write_tokens(model, options.steps)
    lora_seconds = compare("lora", model, tokens, options.steps, options.rounds)
    compare("full", model, tokens, options.steps, options.rounds)
    matmul_peak_share(model, lora_seconds)


if __name__ == "__main__":
    main()
