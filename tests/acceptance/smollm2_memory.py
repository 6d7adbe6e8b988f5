#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""By hand: planned against measured peak of allocated bytes for SmolLM2 x {LoRA, full} x batch {1, 4} x length {128, 512}.

Usage: smollm2_memory.py BIN_DIR MODEL_DIR WORK_DIR [fp32|bf16]. Prints a Markdown table; exit 1 if a row is off by more
than 20 %.
"""
import json
import pathlib
import shutil
import subprocess
import sys

METHODS = {"lora": {"type": "lora", "rank": 8, "targets": ["q_proj", "k_proj", "v_proj", "o_proj"]},
           "full": {"type": "full"}}
TOLERANCE, STEPS, VOCABULARY = 0.20, 2, 49152


def write_job(folder, model, method, batch, length, precision):
    rows = [[(row * 31 + i * 7) % VOCABULARY for i in range(length)] for row in range(batch * STEPS)]
    data = folder / "rows.jsonl"
    data.write_text("".join(json.dumps({"input_ids": row}) + "\n" for row in rows))
    job = {"version": 1, "name": "memory", "model": {"path": str(model)},
           "data": {"train": [str(data)], "format": "tokens", "max_length": length}, "method": METHODS[method],
           "training": {"max_steps": STEPS, "micro_batch": batch, "precision": precision},
           "hardware": {"device": "cpu"}}
    path = folder / "job.json"
    path.write_text(json.dumps(job))
    return path


def measured(trainer, job, folder):
    subprocess.run([trainer, "train", job, "--run-dir", folder], check=True, stdout=subprocess.DEVNULL)
    events = [json.loads(line) for line in (folder / "events.jsonl").read_text().splitlines()]
    return max(event["peak"] for event in events if event["type"] == "memory")


def planned(program, job):
    output = subprocess.run([program, "plan", job, "--json"], check=True, capture_output=True, text=True).stdout
    return json.loads(output)["memory"]["per_gpu_bytes"]["expected"]


def main():
    programs, model, work = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2]).resolve(), pathlib.Path(sys.argv[3])
    precision = sys.argv[4] if len(sys.argv) > 4 else "fp32"
    worst = 0
    print("| method | batch | length | planned MiB | measured MiB | difference |\n|---|---|---|---|---|---|")
    for method in METHODS:
        for batch in (1, 4):
            for length in (128, 512):
                shutil.rmtree(work, ignore_errors=True)
                work.mkdir(parents=True)
                job = write_job(work, model, method, batch, length, precision)
                peak, plan = measured(programs / "rentune-trainer", job, work / "run"), planned(programs / "rentune", job)
                worst = max(worst, abs(plan / peak - 1))
                print(f"| {method} | {batch} | {length} | {plan / 2**20:.0f} | {peak / 2**20:.0f} | {plan / peak - 1:+.1%} |",
                      flush=True)
    shutil.rmtree(work, ignore_errors=True)
    sys.exit(worst > TOLERANCE)


if __name__ == "__main__":
    main()
