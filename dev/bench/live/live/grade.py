"""Run by the Python that has SWE-bench's harness: lists instances, and grades one.

The last line of what it prints is JSON. With `docker` the harness does all of it. With `local`, for dry runs, a clone takes
the place of the container: the patch and the instance's eval_script run there, and the same harness grades what they print.
"""

import json
import subprocess
import sys
import tempfile
from pathlib import Path

from swebench.harness import run_evaluation
from swebench.harness.constants import APPLY_PATCH_FAIL, LOG_REPORT, LOG_TEST_OUTPUT, RUN_EVALUATION_LOG_DIR
from swebench.harness.utils import load_swebench_dataset, make_test_spec

RUN = "live"


def instances(dataset, split):
    """mini-swe-agent takes a folder where the harness wants a file."""
    local = Path(dataset, f"{split}.jsonl")
    return load_swebench_dataset(str(local) if local.is_file() else dataset, split)


def grade(dataset, split, name, predictions, environment):
    prediction = json.loads(Path(predictions).read_text())[name]
    if not prediction["model_patch"]:
        return False
    folder = RUN_EVALUATION_LOG_DIR / RUN / prediction["model_name_or_path"].replace("/", "__") / name
    if environment == "docker":
        run_evaluation.main(dataset_name=dataset, split=split, instance_ids=[name], predictions_path=predictions, max_workers=1,
                            open_file_limit=4096, run_id=RUN, timeout=1800, rewrite_reports=False, modal=False)
    else:
        instance = next(each for each in instances(dataset, split) if each["instance_id"] == name)
        folder.mkdir(parents=True, exist_ok=True)
        spec = make_test_spec(instance)
        (folder / LOG_TEST_OUTPUT).write_text(run_locally(instance, spec, prediction["model_patch"]))
        run_evaluation.run_instance(spec, prediction, None, RUN, rewrite_reports=True)
    report = folder / LOG_REPORT
    if not report.is_file():  # the harness writes none for a patch that does not apply
        log = (folder / "run_instance.log").read_text() if (folder / "run_instance.log").is_file() else ""
        if APPLY_PATCH_FAIL in log:
            return False
        raise SystemExit(f"the harness wrote no {report}")
    return json.loads(report.read_text())[name]["resolved"]


def run_locally(instance, spec, patch):
    with tempfile.TemporaryDirectory() as scratch:
        clone, file = Path(scratch, "testbed"), Path(scratch, "patch.diff")
        subprocess.run(["git", "clone", "--quiet", instance["repository"], clone], check=True)
        subprocess.run(["git", "checkout", "--quiet", instance["base_commit"]], cwd=clone, check=True)
        file.write_text(patch)
        if not any(subprocess.run([*command.split(), file], cwd=clone).returncode == 0 for command in run_evaluation.GIT_APPLY_CMDS):
            return APPLY_PATCH_FAIL
        done = subprocess.run(["bash", "-c", spec.eval_script], cwd=clone, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        return done.stdout


if __name__ == "__main__":
    what, *rest = sys.argv[1:]
    if what == "list":
        print(json.dumps([instance["instance_id"] for instance in instances(*rest)]))
    else:
        print(json.dumps({"resolved": grade(*rest)}))
