"""What is claimed, and whether it holds."""


class Checks:
    def __init__(self):
        self.passed = self.failed = 0

    def expect(self, claim, holds, seen=""):
        self.passed, self.failed = self.passed + bool(holds), self.failed + (not holds)
        print(f"{'ok  ' if holds else 'FAIL'} {claim}" + ("" if holds else f": {seen}"), flush=True)

    def equal(self, claim, seen, wanted):
        self.expect(claim, seen == wanted, f"{seen!r} instead of {wanted!r}")

    def refused(self, claim, error, action):
        """That the action ends with an error, which the library raises: the class, or the text of `error` in it."""
        try:
            seen = action()
        except Exception as raised:  # Which class it is, is the library's to say.
            text = f"{type(raised).__name__} {raised} {getattr(raised, 'error', '')}"
            self.expect(f"{claim}: {error}", error in text, text)
        else:
            self.expect(f"{claim}: {error}", False, f"taken: {seen!r}")
