"""Changes Dag programs at random: each one is refused with a place in the source, or runs.

Usage: mutate.py OBS-RUN EXAMPLES-FOLDER COUNT SEED

A change drops, doubles, exchanges or replaces words. A program that is accepted runs on the interpreter and
on the emulator. Both have the same results, or both refuse to run it (a division by 0, an index
outside of an array), with a place in the source. A crash, and an error without a place, fail.
"""

import concurrent.futures
import pathlib
import random
import re
import subprocess
import sys
import tempfile

WORDS = re.compile(r"//[^\n]*|\s+|[A-Za-z_]\w*|\d+\.\d*|\d+|<<|>>|<=|>=|&&|\|\||.", re.DOTALL)
OTHERS = ["0", "1", "-1", "2147483647", "0.5", "true", "+", "-", "*", "/", "%", "<<", "<", "&&", "(", ")",
          "[", "]", "{", "}", ";", ",", "int", "float", "int[]", "x", "xs", "m", "range(3)", "dim0(xs)", "for",
          "return", "reduce", "scan", "filter_with", "transpose", "!", "*/", "/*", "==", "0xFFFFFFFF"]


def functions(text):
    """The names of functions, with the types of their parameters."""
    for match in re.finditer(r"^\w+(?:\[\])* (\w+)\(([^)]*)\) \{", text, re.MULTILINE):
        yield match[1], [p.split()[0] for p in match[2].split(",") if p.strip()]


def argument(kind, generator):
    """An argument of obs-run for a parameter; None for a struct."""
    base, rank = kind.split("[")[0], kind.count("[]")
    element = {"int": "i32", "float": "f32", "bool": "i1"}.get(base)
    if element is None:
        return None
    if rank == 0:
        return {"int": str(generator.randint(0, 9)), "float": "0.5", "bool": "true"}[base]
    return "{}:{}x{}".format("zeros" if base == "bool" else "iota",
                         "x".join(["7", "4", "3"][:rank]) if rank > 1 else "12", element)


# Words that may stand for each other.
CLASSES = [{"+", "-", "*", "/", "%", "&", "|", "^", "<<", ">>", "min", "max"}, {"<", "<=", ">", ">="}, {"&&", "||"},
           {"0", "1", "2", "3", "10", "2147483647"}, {"dim0", "dim1"}, {"reduce", "scan"},
           {"0.0", "0.5", "1000.0"}, {"true", "false"}, {"xs", "ys", "range(5)", "range(0)", "m[0]", "transpose(m)[0]", "row"},
           {"m", "transpose(m)", "filter_each(m)", "filter_rows(m)", "triangle(4)"}, {"a", "b", "c", "x", "y", "z"}]


def mutate(words, generator):
    words = list(words)
    places = [i for i, word in enumerate(words) if not word.isspace() and not word.startswith("//")]
    for _ in range(generator.choice((1, 1, 1, 2))):
        i, j = generator.choice(places), generator.choice(places)
        kind = generator.randrange(16)
        similar = [c for c in CLASSES if words[i] in c]
        if kind > 4 and not similar:
            i = generator.choice([k for k in places if any(words[k] in c for c in CLASSES)] or places)
            similar = [c for c in CLASSES if words[i] in c] or [OTHERS]
        if kind == 0:
            words[i] = ""
        elif kind == 1:
            words[i] = words[i] + " " + words[i]
        elif kind == 2:
            words[i], words[j] = words[j], words[i]
        elif kind == 3:
            words[i] = words[j]
        elif kind == 4:
            words[i] = generator.choice(OTHERS)
        else:
            words[i] = generator.choice(sorted(generator.choice(similar)))
    return "".join(words)


def run(obs_run, program, entry, device, arguments):
    return subprocess.run([obs_run, str(program), "--entry=" + entry, "--device", device, *arguments],
                          text=True, capture_output=True, timeout=300, check=False)


def problem(obs_run, folder, number, text, entry, kinds, seed):
    """(what is wrong, how the run ended)."""
    generator = random.Random(seed)
    program = pathlib.Path(folder) / f"{number}.dag"
    program.write_text(text)
    arguments = [argument(kind, generator) for kind in kinds]
    first = run(obs_run, program, entry, "interpret", arguments)
    if first.returncode == 0:
        second = run(obs_run, program, entry, "emulate", arguments)
        if second.returncode or second.stdout != first.stdout:
            # Numbers that differ may be those of an operator that is not associative.
            return f"interpreter:\n{first.stdout}\nemulator:\n{second.stdout}{second.stderr}", "ran"
        return None, "ran"
    # The command line is wrong where the mutation changed parameters.
    located = re.search(r"(?m)^.*:\d+:\d+: error: |^error: (argument|'?\w+'? takes)|parameters?", first.stderr)
    if first.returncode not in (1, 2) or not located or "Stack dump" in first.stderr:
        return f"status {first.returncode}: {first.stderr[:2000]}", "refused"
    return None, "refused" if f"{number}.dag:" in first.stderr else "no run"


def main():
    obs_run, examples, count, seed = sys.argv[1], sys.argv[2], int(sys.argv[3]), int(sys.argv[4])
    sources = [p.read_text() for p in sorted(pathlib.Path(examples).glob("*.dag"))]
    generator = random.Random(seed)
    tasks = []
    with tempfile.TemporaryDirectory() as folder:
        for number in range(count):
            source, entry, kinds = generator.choice([(s, *f) for s in sources for f in functions(s)
                                                      if None not in [argument(k, generator) for k in f[1]]])
            # Most of features.dag is not needed: what the function calls stands near it.
            text = mutate(WORDS.findall(source), generator)
            if generator.random() < 0.95:
                start = re.search(rf"^\w+(?:\[\])* {entry}\(", source, re.MULTILINE).start()
                end = source.find("\n}", start) if "\n" in source[start:source.find("}", start)] else start
                end = source.find("\n", max(end + 1, start)) + 1 or len(source)
                text = source[:start] + mutate(WORDS.findall(source[start:end]), generator) + source[end:]
            tasks.append((obs_run, folder, number, text, entry, kinds, seed))
        endings, errors = {}, 0
        with concurrent.futures.ThreadPoolExecutor(4) as pool:
            for task, (wrong, ending) in zip(tasks, pool.map(lambda t: problem(*t), tasks)):
                endings[ending] = endings.get(ending, 0) + 1
                if wrong:
                    errors += 1
                    print(f"program {task[2]}, entry {task[4]}:\n{wrong}")
                    pathlib.Path(f"mutated-{seed}-{task[2]}.dag").write_text(task[3])
        print(f"{count} programs, {errors} errors; {endings}")
    return errors > 0


if __name__ == "__main__":
    sys.exit(main())
