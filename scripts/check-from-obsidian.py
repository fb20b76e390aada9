#!/usr/bin/env python3
"""Compares docs/FromObsidian.md with the programs that it quotes.

  scripts/check-from-obsidian.py            prints the differences; exits with 1 if there are any
  scripts/check-from-obsidian.py --update   copies the programs into the page

A line `<!-- quote FILE NAME ... -->` stands before a code block with the
functions NAME of test/FromObsidian/FILE, which are tested there. Every public
function of these files is quoted once. ROWS is the list of the operations of
Obsidian. Each of them is on the page in backticks.
"""

import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
PAGE = ROOT / "docs" / "FromObsidian.md"
PROGRAMS = ROOT / "test" / "FromObsidian"
QUOTE = re.compile(r"<!-- quote (\S+) (.*?) -->\n```mlir\n(.*?)```\n", re.DOTALL)
FUNCTION = re.compile(r"((?://[^\n]*\n)*func\.func (private )?@(\w+)\([^\n]*\n.*?\n\}\n)", re.DOTALL)

# Operations of the library in its generations, as the sections of the page.
ROWS = {
    "pull": """mkPull ! len namedGlobal namedArray undefinedGlobal iota indexArray replicate
        replicateG distribute singleton generate fmap aMap fun zipWith zipWith3 zip zip3 zipp
        zipp3 unzip unzip3 ixMap reverse rev revP splitAt halve evenOdds evens odds everyNth
        splitUp coalesce take drop head tail first last setSize resize shiftLeft shiftRight
        append conc pair unpair triple untriple quadruple unquadruple fold1 unsafeBinSplit twoK
        binSplit two ivt ivDiv fromDyn toDyn fixSize flatten restruct chopN nParts unChop gz guz
        chunk logBaseI transpose swapBitBlocks bitBlockXor vperm vperm2 Foldable""",
    "push": """mkPush push pushThread pushWarp pushBlock <: pushApp concP unpairP zipP shuffle load
        store pushN pushF pushG pushGN mapSeq mapPermSeq mapPermSeqG pushBy pushByP toGlobalBy
        mergeL ivMerge iv ilvPermute ilvPush extractNBy singletonPush pushPrg execBlock'
        runPush exec execThread execWarp execBlock local pJoin runPull runPush1 runPush2
        convToPush localReverse""",
    "levels": """tConcat asThread asWarp asBlock liftIn pConcat asGrid liftPar sConcat liftSeq
        asBlockMap asWarpMap asThreadMap asGridMap tDistribute pDistribute sDistribute
        pUnCoalesce pConcatMap pUnCoalesceMap pConcatMapJoin pUnCoalesceMapJoin pCoalesceMap
        pSplitMap pMap pZipWith mapG mapG' mapD mapDist zipWithG mapT zipWithT undist toGProgram
        rep""",
    "storage": """compute compute_ computePull_ unsafeWritePush unsafeWritePull force forcePull
        unsafeForce write write_ forceG forceG2 forceGP forceTo writeTo writeToSync sync composeS
        atomicForce""",
    "sequential": """seqReduce seqIterate seqUntil seqScan seqScanCin mapAccumL mapAccumR seqMap
        sMapAccum seqFold sort merge filter""",
    "memory": """Mutable newSharedMutable newS assignMutable indexMutable mutableToPull pullFrom
        AtomicInc AtomicAdd AtomicSub AtomicExch fill""",
    "gather": "gatherGlobal scatterGlobal permutePush perm",
    "tuples": "Storable select",
}


def functions(name):
    """The functions of a program, with the comments above them; public ones."""
    text = (PROGRAMS / name).read_text()
    found = FUNCTION.findall(text)
    return {f: body for body, _, f in found}, {f for _, private, f in found if not private}


def main(update):
    page = PAGE.read_text()
    programs = {p.name: functions(p.name) for p in sorted(PROGRAMS.glob("*.mlir"))}
    problems, quoted = [], []

    def quote(match):
        name, wanted, old = match.groups()
        bodies = []
        for function in wanted.split():
            if name not in programs or function not in programs[name][0]:
                problems.append(f"there is no @{function} in test/FromObsidian/{name}")
                continue
            quoted.append((name, function))
            bodies.append(programs[name][0][function])
        new = "\n".join(bodies)
        if new != old and not update:
            problems.append(f"the text of {name} {wanted} differs; run scripts/check-from-obsidian.py --update")
        return f"<!-- quote {name} {wanted} -->\n```mlir\n{new}```\n"

    page = QUOTE.sub(quote, page)
    for name, (_, public) in programs.items():
        for function in sorted(public):
            if quoted.count((name, function)) != 1:
                problems.append(f"@{function} of {name} is quoted {quoted.count((name, function))} times, not once")
    words = set()
    for code in re.findall(r"`([^`\n]+)`", page):
        words.update(code.split())
    for section, names in ROWS.items():
        problems += [f"{section}: `{n}` is not on the page" for n in names.split() if n not in words]
    if update:
        PAGE.write_text(page)
    for problem in problems:
        print(problem)
    if not problems:
        print(f"docs/FromObsidian.md quotes {len(quoted)} functions and answers {sum(len(n.split()) for n in ROWS.values())} operations.")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main("--update" in sys.argv[1:]))
