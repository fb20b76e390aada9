"""The lines of programs over empty arrays, with their results."""

from programs import returns, value


class Body:
    """The lines of a function, its results, and their expected elements."""

    def __init__(self, s):
        self.s, self.text, self.results, self.expected = s, "", [], []

    def add(self, text):
        self.text += text if text.endswith("\n") else text + "\n"
        return self

    def extents(self, extents):
        return " x ".join(e if isinstance(e, str) else self.s.t(e) for e in extents)

    def force(self, name, extents, expected, kind="index", push=""):
        """Stores an array. An extent that is text is always static."""
        shape = self.extents(extents)
        array = f"!obs.push<{push}, {shape} x {kind}>" if push else f"!obs.pull<{shape} x {kind}>"
        self.add(f"  %{name}_f = obs.force %{name} : {array}")
        self.results.append((name + "_f", f"!obs.pull<{shape} x {kind}>"))
        self.expected.append(expected)
        return self

    def done(self):
        return self.text + returns(*self.results), self.expected


def values(n):
    return [value(i) for i in range(n)]
