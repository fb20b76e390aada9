# A suite of another project with the tools of an installed Obsidian:
#   lit -v test --param obsidian=<where Obsidian is installed>

import os

import lit.formats

config.name = "embed"
config.test_format = lit.formats.ShTest(True)
config.suffixes = [".mlir"]
config.test_source_root = os.path.dirname(__file__)
config.test_exec_root = lit_config.params.get("output", config.test_source_root)
tools = os.path.join(lit_config.params["obsidian"], "bin")
config.environment["PATH"] = os.pathsep.join([tools, os.environ["PATH"]])
