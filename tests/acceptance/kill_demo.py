#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""By hand: kills the trainer with SIGKILL at 20 moments while it trains the demo's model, resumes each time and compares.

Usage: kill_demo.py TRAINER MODEL_DIR WORK_DIR. Shuffle on, dropout 0.1, accumulation 2, fp32. Prints each kill's step;
last the steps whose loss, learning rate or gradient norm differ in any bit from the unbroken run's. Exit 0 if none does.
"""
import json
import pathlib
import shutil
import signal
import subprocess
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
STEPS, KILLS, IN_SAVES = 24, 20, 5
NUMBERS = ("loss", "grad_norm", "lr")


class Run:
    def __init__(self, trainer, job, folder):
        self.command = [trainer, "train", job, "--run-dir", folder]
        self.folder = folder
        self.begun = False

    def start(self):
        command = self.command + (["--resume"] if self.begun else [])
        self.begun = True
        return subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.STDOUT)

    def steps(self):
        """Of every attempt, as they were logged."""
        log = self.folder / "events.jsonl"
        lines = log.read_text().split("\n")[:-1] if log.exists() else []
        return [event for event in map(json.loads, lines) if event["type"] == "step"]

    def last_step(self):
        steps = self.steps()
        return steps[-1]["step"] if steps else 0

    def inside_save(self, begin):
        """A step folder is being written; what an earlier kill left behind is older than `begin`."""
        return any(folder.stat().st_mtime > begin and not (folder / "manifest.json").exists()
                   for folder in self.folder.glob("checkpoints/step-*"))


def write_job(model, folder):
    job = {"version": 1, "name": "kill-demo", "model": {"path": str(model)},
           "data": {"train": [str(ROOT / "resources/demo/english_train.json")], "max_length": 128, "shuffle": True},
           "method": {"type": "lora", "rank": 8, "alpha": 16, "dropout": 0.1,
                      "targets": ["q_proj", "k_proj", "v_proj", "o_proj"]},
           "training": {"max_steps": STEPS, "micro_batch": 1, "grad_accumulation": 2, "learning_rate": 4e-4,
                        "precision": "fp32"},
           "checkpoint": {"every_steps": 2}, "hardware": {"device": "cpu"}}
    path = folder / "job.json"
    path.write_text(json.dumps(job))
    return path


def kill_when(run, moment):
    """Starts or resumes and kills as soon as `moment` holds; whether the run was still going."""
    child = run.start()
    while child.poll() is None:
        if moment():
            child.send_signal(signal.SIGKILL)
            return child.wait() == -signal.SIGKILL
        time.sleep(0.0002)
    return False


def main():
    trainer, model, work = sys.argv[1], pathlib.Path(sys.argv[2]).resolve(), pathlib.Path(sys.argv[3])
    shutil.rmtree(work, ignore_errors=True)
    work.mkdir(parents=True)
    job = write_job(model, work)
    unbroken, broken = Run(trainer, job, work / "unbroken"), Run(trainer, job, work / "broken")
    if unbroken.start().wait() != 0:
        sys.exit("the unbroken run failed")

    kills = saves = between = 0
    while kills < KILLS:
        begin, wanted = time.time(), min(broken.last_step() + 1, STEPS - 1)
        if kills == 0:
            moment = (broken.folder / "events.jsonl").exists
        elif kills % 2 == 0 and saves < IN_SAVES:
            moment = lambda: broken.inside_save(begin)
        else:
            moment = lambda: broken.last_step() >= wanted
        if not kill_when(broken, moment):
            sys.exit("the run ended before it was killed often enough")
        kills += 1
        in_save = broken.inside_save(begin)
        saves += in_save
        between += 1 <= broken.last_step() < STEPS
        print(f"kill {kills}, last step in the log {broken.last_step()}{', inside a save' * in_save}", flush=True)
    if broken.start().wait() != 0:
        sys.exit("the resumed run failed")

    reference = {event["step"]: [event[name] for name in NUMBERS] for event in unbroken.steps()}
    taken = [(event["step"], [event[name] for name in NUMBERS]) for event in broken.steps()]
    different = sorted({step for step, numbers in taken if numbers != reference[step]})
    missing = sorted(set(reference) - {step for step, _ in taken})
    print(f"{kills} kills, {between} between the first and the last step, {saves} inside a save; "
          f"{len(reference)} steps, different: {different}, missing: {missing}")
    sys.exit(bool(different or missing))


if __name__ == "__main__":
    main()
