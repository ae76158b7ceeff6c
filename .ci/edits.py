"""Implements `.ci/slow edits`. Arguments: PROGRAM WORK TARGET FOLDER…

Applies each machine-applicable suggestion of every lint alone to a copy of a package, compiles it, and
checks the promised sizes with rustc. Then runs the tests of packages with all suggestions that do not
overlap applied, and with single suggestions applied.

Environment: EDITS_ALL is the number of packages whose tests are run with all suggestions (the first
that have tests); EDITS_TESTS is the number of suggestions tested alone, drawn from these packages with
SEED.
"""

import collections, json, os, random, re, shutil, signal, subprocess, sys

PROGRAM, WORK, TARGET, FOLDERS = sys.argv[1], sys.argv[2], sys.argv[3], sys.argv[4:]
ENVIRONMENT = {**os.environ, "CARGO_TARGET_DIR": TARGET}
COPY = os.path.join(WORK, "package")
# The time limit of one cargo command, in seconds: a test may wait forever.
LONGEST = 600
SKIPPED = rb'r(#*)".*?"\1|"(?:\\.|[^"\\])*"|//[^\n]*|/\*.*?\*/|\'(?:\\[^\']*|[^\\\'])\''


class Suggestion:
    """A suggestion: its title, its edits by file, and the promised sizes (old, new) by type path."""

    def __init__(self, finding, child):
        self.lint, self.edits = finding["lint"], collections.defaultdict(list)
        self.title = finding["type"] + ": " + child["message"]
        for span in child["spans"]:
            if span.get("suggestion_applicability") == "MachineApplicable":
                change = (span["byte_start"], span["byte_end"], span["suggested_replacement"])
                self.edits[span["file_name"]].append(change)
        self.sizes = {}
        # One remedy's title can be a prefix of another's; the longest match is the remedy.
        titled = [r for r in finding["remedies"] if child["message"].startswith(r["title"])]
        remedy = max(titled, key=lambda r: len(r["title"]), default=None)
        if remedy and remedy["size_after"] is not None:
            self.sizes = {path: (old, new) for path, old, new in remedy["ripple"]}
            self.sizes[finding["type"]] = (finding["size_before"], remedy["size_after"])

    def touches(self, other):
        return any(
            start <= o_end and o_start <= end
            for name, changes in self.edits.items()
            for start, end, _ in changes
            for o_start, o_end, _ in other.edits.get(name, [])
        )


def cargo(*arguments):
    command = ["cargo", *arguments, "--offline", "--workspace", "--color", "never"]
    started = subprocess.Popen(command, cwd=COPY, env=ENVIRONMENT, text=True, errors="replace",
                               stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                               stderr=subprocess.PIPE, start_new_session=True)
    try:
        out, output = started.communicate(timeout=LONGEST)
    except subprocess.TimeoutExpired:
        # Kills the whole process group: a test that outlives cargo keeps the pipes open.
        os.killpg(started.pid, signal.SIGKILL)
        started.communicate()
        return subprocess.CompletedProcess(command, 1, "", "error: timed out")
    return subprocess.CompletedProcess(command, started.returncode, out, output)


def check(targets):
    """Returns the compiler's output if there are errors, else None."""
    done = cargo("check", "--quiet", *targets)
    return None if done.returncode == 0 else done.stderr or "error: no output"


def first(output):
    """Returns the first two errors, or the end of the output."""
    errors = [e for e in output.split("\n\n") if e.startswith("error")]
    return "\n\n".join(errors[:2]) or output[-500:]


def passing():
    """Counts the passing tests by name; None if they do not compile or time out."""
    done = cargo("test", "--no-fail-fast")
    if "error: could not compile" in done.stderr or "error: timed out" in done.stderr:
        return None
    # The line numbers of documentation tests change with the edits.
    names = re.findall(r"^test (.*?)(?: \(line \d+\))?(?: - [\w ]+)? \.\.\. ok$", done.stdout, re.M)
    return collections.Counter(names)


def lines(*arguments):
    command = [PROGRAM, "weigh", *arguments, "--offline", "-q", "--workspace"]
    command += ["--message-format", "json"]
    output = subprocess.run(command, cwd=COPY, env=ENVIRONMENT, capture_output=True, text=True)
    if output.returncode not in (0, 1):
        print("status %d: %s" % (output.returncode, output.stderr.strip()), flush=True)
        Tally.unread += 1
    return [json.loads(line) for line in output.stdout.splitlines()]


def suggestions():
    """Returns all suggestions for the copy, and the `sizes` entry of each type by path."""
    found = []
    for line in lines("-W", "weigh::pedantic"):
        for child in line.get("message", {}).get("children", []):
            suggestion = Suggestion(line["weigh"], child)
            if suggestion.edits:
                found.append(suggestion)
    return found, {line["path"]: line for line in lines("sizes")}


def end_of_item(text, at):
    """Returns the end offset of the definition whose name ends at `at`."""
    depth = 0
    for token in re.compile(SKIPPED + rb"|[(\[{}\]);]", re.S).finditer(text, at):
        sign = token.group()
        depth += (sign in b"([{") - (sign in b")]}") if len(sign) == 1 else 0
        if depth < 0:
            return None
        if depth == 0 and sign in (b";", b"}"):
            return token.end()
    return None


def stated(place, size, text, old):
    """Returns the text with a size assertion after the definition of a type; None if it cannot be stated.

    `place` is the type's `sizes` entry, `old` the text before the edits.
    """
    name = place["path"].rsplit("::", 1)[-1]
    word = re.compile(rb"\b(?:struct|enum|union)\s+%s\b\s*(?:<([^>]*)>)?" % name.encode())
    # Edits move the definition to another line but keep its rank among definitions of the same name.
    line = lambda match: old.count(b"\n", 0, match.start(0)) + 1
    before = [n for n, match in enumerate(word.finditer(old)) if line(match) <= place["line"]]
    matches = list(word.finditer(text))
    if not before or before[-1] >= len(matches):
        return None
    match = matches[before[-1]]
    arguments = [a.split(b":")[0].strip() for a in (match[1] or b"").split(b",") if a.strip()]
    if not all(a.startswith(b"'") for a in arguments) or not (end := end_of_item(text, match.end())):
        return None
    # In edition 2015 a leading `::` is the crate root, where `core` is declared only under `no_std`.
    manifest = open(os.path.join(COPY, "Cargo.toml")).read()
    root = "core" if re.search(r"^edition\b(?!.*2015)", manifest, re.M) else "std"
    of = name + ("<%s>" % ", ".join(["'static"] * len(arguments)) if arguments else "")
    fact = " const _: [(); %d] = [(); ::%s::mem::size_of::<%s>()];" % (size, root, of)
    return text[:end] + fact.encode() + text[end:]


def applied(chosen):
    """Returns the texts before and after the suggestions, by path."""
    edits = collections.defaultdict(set)
    for suggestion in chosen:
        for name, changes in suggestion.edits.items():
            edits[name].update((s, e, n, new) for n, (s, e, new) in enumerate(changes))
    texts = {}
    for name, changes in edits.items():
        path = os.path.join(COPY, name)
        old = text = open(path, "rb").read()
        for start, end, _, new in sorted(changes, reverse=True):
            text = text[:start] + new.encode() + text[end:]
        texts[path] = (old, text)
    return texts


def put(texts, which):
    for path, both in texts.items():
        open(path, "wb").write(both[which])


def with_sizes(suggestion, texts, types):
    """Adds size assertions to the texts; returns them with the counts of stated and unstated sizes."""
    texts, asked, others = dict(texts), 0, 0
    for path, (before, size) in suggestion.sizes.items():
        place = types.get(path)
        if place is None or not place["exact"] or place["size"] != before:
            others += 1
            continue
        file = os.path.join(COPY, place["file"])
        if file not in texts:
            texts[file] = (open(file, "rb").read(),) * 2
        text = stated(place, size, texts[file][1], texts[file][0])
        if text is None:
            others += 1
        else:
            texts[file], asked = (texts[file][0], text), asked + 1
    return texts, asked, others


class Tally:
    tried, compiled, sized, wrong, unasked = (collections.Counter() for _ in range(5))
    skipped, unread, narrow, all_tested, all_lost, alone_tested, alone_lost, untested = (0,) * 8


def try_alone(folder, suggestion, types, targets):
    """Returns true if the suggestion compiles; prints the failure otherwise."""
    texts = applied([suggestion])
    sized, asked, others = with_sizes(suggestion, texts, types)
    Tally.tried[suggestion.lint] += 1
    put(sized, 1)
    failed = check(targets)
    if failed and asked:
        stated_wrong = "array with a size of" in failed
        put(sized, 0)
        put(texts, 1)
        with_it, failed = failed, check(targets)
        if failed is None and stated_wrong:
            Tally.wrong[suggestion.lint] += 1
            print("SIZE %s: %s %s\n%s\n" % (folder, suggestion.lint, suggestion.title, first(with_it)), flush=True)
        elif failed is None:
            others, asked = others + asked, 0
            print("NOT ASKED %s: %s\n%s\n" % (folder, suggestion.title, first(with_it)), flush=True)
    put(sized, 0)
    if failed:
        print("%s: %s %s\n%s\n" % (folder, suggestion.lint, suggestion.title, first(failed)), flush=True)
        return False
    Tally.compiled[suggestion.lint] += 1
    Tally.sized[suggestion.lint] += asked
    Tally.unasked[suggestion.lint] += others
    return True


def copy(folder):
    shutil.rmtree(COPY, ignore_errors=True)
    # Without modification times: otherwise cargo takes artifacts of the edited files for fresh.
    shutil.copytree(folder, COPY, symlinks=True, copy_function=shutil.copy,
                    ignore=shutil.ignore_patterns("target", ".git"))


def lost(before, suggestion_list):
    """Returns the names of the tests that no longer pass with the suggestions applied, as one text."""
    texts = applied(suggestion_list)
    put(texts, 1)
    after = passing()
    if after is not None and before - after:
        # Runs the tests again, because some fail intermittently.
        after |= passing() or after
    put(texts, 0)
    return "it does not compile" if after is None else ", ".join(before - after)


def test_all(folder, fine):
    """Runs the tests with all suggestions that do not overlap; returns the tests that pass without them."""
    before = passing()
    if not before:
        Tally.untested += 1
        return None
    together = []
    for suggestion in fine:
        if not any(suggestion.touches(other) for other in together):
            together.append(suggestion)
    Tally.all_tested += 1
    gone = lost(before, together)
    print("%s: %d tests, %d together%s" % (folder, before.total(), len(together),
          gone and ": LOST " + gone), flush=True)
    Tally.all_lost += bool(gone)
    return before


def run():
    fine_by_folder = {}
    for folder in FOLDERS:
        copy(folder)
        # Published packages often lack files that their tests need.
        targets = ["--all-targets"]
        if before := check(targets):
            targets = []
            before = check(targets)
        if before:
            Tally.skipped += 1
            output = first(before).splitlines()[0]
            print("%s: does not compile as it is: %s" % (folder, output), flush=True)
            continue
        Tally.narrow += not targets
        found, types = suggestions()
        fine = [s for s in found if try_alone(folder, s, types, targets)]
        print("%s: %d of %d compile" % (folder, len(fine), len(found)), flush=True)
        if fine and targets:
            fine_by_folder[folder] = fine
    can_be_tested = {}
    for folder, fine in fine_by_folder.items():
        if len(can_be_tested) < int(os.environ.get("EDITS_ALL", "0")):
            copy(folder)
            if before := test_all(folder, fine):
                can_be_tested[folder] = before
    drawn = [(folder, s) for folder in can_be_tested for s in fine_by_folder[folder]]
    number = min(len(drawn), int(os.environ.get("EDITS_TESTS", "0")))
    drawn = random.Random(int(os.environ.get("SEED", "1"))).sample(drawn, number)
    at = None
    for folder, suggestion in sorted(drawn, key=lambda d: d[0]):
        if folder != at:
            copy(folder)
            at = folder
        gone = lost(can_be_tested[folder], [suggestion])
        Tally.alone_tested += 1
        Tally.alone_lost += bool(gone)
        if gone:
            print("%s: %s: LOST %s" % (folder, suggestion.title, gone), flush=True)


run()
for lint in sorted(Tally.tried):
    print("%-20s %4d tried %4d compile %4d sizes asked %3d wrong %3d not asked" % (
        lint, Tally.tried[lint], Tally.compiled[lint], Tally.sized[lint], Tally.wrong[lint], Tally.unasked[lint]))
print("%d packages, %d of them do not compile as they are, %d without tests and examples, %d not read" % (
    len(FOLDERS), Tally.skipped, Tally.narrow, Tally.unread))
print("tests: all together in %d packages, %d lost one (%d without tests); %d alone, %d lost one" % (
    Tally.all_tested, Tally.all_lost, Tally.untested, Tally.alone_tested, Tally.alone_lost))
sys.exit(Tally.tried != Tally.compiled or Tally.wrong.total() + Tally.unread + Tally.all_lost + Tally.alone_lost > 0)
