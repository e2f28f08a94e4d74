"""Half for the repair, half for the answer; the truth is not in the workspace."""
import json
import os
import subprocess
import sys
from pathlib import Path

truth = json.loads(Path(os.environ["TRUTH_DIR"], "ledger.json").read_text())
answer = Path(os.environ["ANSWER_FILE"]).read_text()
done = subprocess.run([sys.executable, "check.py"], cwd=os.environ["WORKSPACE"], capture_output=True, text=True)
is_told = f"TOTAL={truth['total']}" in answer
print(f"score={(done.returncode == 0) / 2 + is_told / 2}")
print(f"detail=repaired {done.returncode == 0}, told {is_told}")
