"""Lines of `hashes.txt` from pip's report of what it would install: each package with its version and checksum.

`make hashes` runs it. Checksums are those of the files for this system and this Python.
"""

import json
import sys

for found in sorted(json.load(sys.stdin)["install"], key=lambda one: one["metadata"]["name"].lower()):
    known = found["download_info"].get("archive_info", {}).get("hashes", {})
    if known:  # not our own folder
        print(f"{found['metadata']['name']}=={found['metadata']['version']} --hash=sha256:{known['sha256']}")
