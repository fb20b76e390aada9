"""What the commands of scripts/ and the tests share: programs, inputs, runs, and comparisons."""
