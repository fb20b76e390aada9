# Runs the GoogleTest executables of the build as lit tests.

import os

import lit.formats

config.name = "Obsidian-Unit"
config.suffixes = []
config.test_source_root = os.path.join(config.obs_obj_root, "unittests")
config.test_exec_root = config.test_source_root
config.test_format = lit.formats.GoogleTest(".", "Tests")

# One limit for all suites: lit has one, and the last suite that is read sets it.
if lit_config.maxIndividualTestTimeIsSupported[0]:
    lit_config.maxIndividualTestTime = int(
        lit_config.params.get("test_timeout", 600))

for name in ["HOME", "TMP", "TEMP", "LD_LIBRARY_PATH"]:
    if name in os.environ:
        config.environment[name] = os.environ[name]
