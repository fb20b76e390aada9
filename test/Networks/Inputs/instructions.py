"""Counts the PTX instructions between the last load from global memory and the
first store to it.

usage: instructions.py KERNEL.ptx"""
import collections
import re
import sys

with open(sys.argv[1]) as file:
    words = [match[1] for match in re.finditer(r"^\s*(?:@!?%p\d+\s+)?([a-z][\w.]*)\s.*;", file.read(), re.MULTILINE)]
end = next(i for i, word in enumerate(words) if word.startswith("st.global"))
begin = max(i for i in range(end) if words[i].startswith("ld.global"))
for word, count in sorted(collections.Counter(words[begin + 1:end]).items()):
    print(count, word)
