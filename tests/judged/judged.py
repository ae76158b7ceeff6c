#!/usr/bin/env python3
"""The weights of `lint/lints/src/worth/score.rs`, from findings that readers judged and changes that authors made.

    judged.py fit                    fits, cross-validates by project, and prints the table for score.rs
    judged.py rebuild PROGRAM WORK   computes the signals of every published line again, with this program
    judged.py check                  fails if score.rs does not have the weights that `fit` prints

Python 3.10 or later and its standard library alone. `README.md` says where the lines are from.

The fit is one likelihood in two parts. A reader's finding counts with the share of readers that gave it W or M.
Of a release (or revision) before a change, the question is the order alone: which of the package's findings was about the
type that its authors then changed; the others are unlabelled, not wrong. A project is never on both sides of a fold.
"""
import json, math, os, pathlib, random, re, shutil, subprocess, sys

HERE = pathlib.Path(__file__).resolve().parent
SCORE = HERE.parent.parent / "lint/lints/src/worth/score.rs"
FACTS = "size saved stored ripple built all_built places most_places moves changes contents structs few aside".split()
ln = math.log1p
share = lambda part, whole: part / whole if whole else 0.0
# Name, value, and the sign that makes sense (0: either).
TERMS = [
    ("central", lambda f: share(ln(f["places"]), ln(f["most_places"])) if f["most_places"] else 0.5, 1),
    ("saved", lambda f: ln(f["saved"]), 1),
    ("built_share", lambda f: share(f["built"], f["all_built"]), -1),
    ("ripple", lambda f: ln(f["ripple"]), 1),
    ("saved_share", lambda f: share(f["saved"], f["size"]), 1),
    ("moves", lambda f: ln(f["moves"]), 1),
    ("stored", lambda f: ln(f["stored"]), 1),
    ("changes", lambda f: ln(f["changes"]), -1),
    ("contents", lambda f: float(f["contents"]), 0),
    ("structs", lambda f: float(f["structs"]), 0),
    ("few", lambda f: float(f["few"]), -1),
    ("aside", lambda f: float(f["aside"]), -1),
]
# The weight of history against readers, the penalty on weights, most steps, folds.
HISTORY, PENALTY, STEPS, FOLDS = 0.6, 0.003, 30, 8
# Lines a text of the first screen has below the warnings.
LINES = 5


def project(name):
    """Packages of one project share a fold: `swc_ecma_ast` and `swc_common`, `uv-client` and `uv-cache`."""
    last = name.split("/")[-1]
    known = {"rust-analyzer": "ra", "nushell": "nu"}
    return known.get(last) or re.split(r"[-_]", last)[0]


def tsv(name):
    lines = [line.rstrip("\n").split("\t") for line in open(HERE / name) if not line.startswith("#")]
    return [dict(zip(lines[0], line)) for line in lines[1:]]


def facts(text):
    return dict(zip(FACTS, map(int, text.split()))) if text != "-" else None


def read():
    """The readers' findings, and the packages before a change with all their findings."""
    readers = [{**row, "facts": facts(row["facts"])} for row in tsv("readers.tsv")]
    packages, at = [], None
    for line in open(HERE / "history.tsv"):
        if line.startswith("#"):
            continue
        cells = line.rstrip("\n").split("\t")
        if cells[0] == "package":
            at = {"name": cells[1], "before": cells[2], "missed": int(cells[3]), "findings": []}
            packages.append(at)
        else:
            at["findings"].append({"hit": cells[0] == "+", "about": cells[0] in "+~", "type": cells[1], "rank": int(cells[2]), "facts": facts(cells[3])})
    return readers, packages


def label(row):
    said = [v for v in (row["reader_a"], row["reader_b"]) if v != "-"]
    return sum(v in "WM" for v in said) / len(said)


def both(row):
    return all(v in "WM" for v in (row["reader_a"], row["reader_b"]))


def values(of):
    return [value(of) for _, value, _ in TERMS]


def dot(a, b):
    return sum(x * y for x, y in zip(a, b))


def moments(rows):
    n = len(rows)
    mean = [sum(column) / n for column in zip(*rows)]
    spread = [math.sqrt(sum((x - m) ** 2 for x in column) / n) or 1.0 for column, m in zip(zip(*rows), mean)]
    return mean, spread


def train(readers, packages, mean, spread):
    """Base and weights: Newton's method on the penalized likelihood; a weight of the wrong sign is left out."""
    scale = lambda row: [(x - m) / s for x, m, s in zip(row, mean, spread)]
    seen = [(scale(values(r["facts"])), label(r)) for r in readers]
    often = {}
    for p in packages:
        often[project(p["name"])] = often.get(project(p["name"]), 0) + sum(f["hit"] for f in p["findings"])
    asked = []
    for p in packages:
        hits = [scale(values(f["facts"])) for f in p["findings"] if f["hit"]]
        rest = [scale(values(f["facts"])) for f in p["findings"] if not f["about"]]
        if hits and rest:
            types = len({f["type"] for f in p["findings"] if f["hit"]})
            asked.append((hits, rest, types / len(hits) / math.sqrt(often[project(p["name"])])))
    total = sum(len(hits) * weight for hits, _, weight in asked)
    used = list(range(len(TERMS)))
    while True:
        weights, base = [0.0] * len(used), -2.0
        for _ in range(STEPS):
            slope, bend = derivatives(seen, asked, total, used, weights, base)
            moved = solve(bend, slope)
            weights = [w + m for w, m in zip(weights, moved)]
            base += moved[-1]
            if max(map(abs, moved)) < 1e-6:
                break
        wrong = [i for i, w in zip(used, weights) if TERMS[i][2] * w < 0]
        if not wrong:
            break
        used = [i for i in used if i not in wrong]
    plain = [0.0] * len(TERMS)
    for i, w in zip(used, weights):
        plain[i] = w / spread[i]
    return base - dot(plain, mean), plain


def derivatives(seen, asked, total, used, weights, base):
    """The slope of the likelihood at these weights, and minus its second derivative; the base is last."""
    k = len(used)
    slope = [-PENALTY * w for w in weights] + [0.0]
    bend = [[PENALTY * (i == j) for j in range(k + 1)] for i in range(k + 1)]
    bend[k][k] = 0.0

    def add(row, by):
        for i in range(len(row)):
            for j in range(i + 1):
                bend[i][j] += by * row[i] * row[j]

    for row, wanted in seen:
        row = [row[i] for i in used] + [1.0]
        chance = 1 / (1 + math.exp(-dot(row, weights) - base))
        part = 2 * (1 - HISTORY) / len(seen)
        for i, x in enumerate(row):
            slope[i] += part * (wanted - chance) * x
        add(row, part * chance * (1 - chance))
    for hits, rest, weight in asked:
        rest = [[row[i] for i in used] for row in rest]
        sums = [dot(row, weights) for row in rest]
        top = max(sums)
        rising = [math.exp(s - top) for s in sums]
        whole = sum(rising)
        first = [sum(e * row[i] for e, row in zip(rising, rest)) for i in range(k)]
        second = [[sum(e * row[i] * row[j] for e, row in zip(rising, rest)) for j in range(i + 1)] for i in range(k)]
        part = HISTORY * weight / total
        for row in hits:
            row = [row[i] for i in used]
            own = math.exp(min(dot(row, weights) - top, 300))
            mean = [(f + own * x) / (whole + own) for f, x in zip(first, row)]
            for i in range(k):
                slope[i] += part * (row[i] - mean[i])
                for j in range(i + 1):
                    bend[i][j] += part * ((second[i][j] + own * row[i] * row[j]) / (whole + own) - mean[i] * mean[j])
    for i in range(k + 1):
        for j in range(i):
            bend[j][i] = bend[i][j]
    return slope, bend


def solve(matrix, right):
    """Solves a small system of equations by elimination."""
    rows = [row + [r] for row, r in zip(matrix, right)]
    n = len(rows)
    for i in range(n):
        best = max(range(i, n), key=lambda r: abs(rows[r][i]))
        rows[i], rows[best] = rows[best], rows[i]
        for r in range(n):
            if r != i:
                by = rows[r][i] / rows[i][i]
                rows[r] = [x - by * y for x, y in zip(rows[r], rows[i])]
    return [rows[i][n] / rows[i][i] for i in range(n)]


def score(model, of):
    return model[0] + dot(model[1], values(of))


def worth(sum_):
    return 100 / (1 + math.exp(-sum_))


def area(rows):
    """Area under the curve of (score, is positive) pairs."""
    yes, no = [s for s, y in rows if y], [s for s, y in rows if not y]
    return sum((a > b) + 0.5 * (a == b) for a in yes for b in no) / (len(yes) * len(no))


def places(order):
    """Place of the first finding about a changed type, with one line for each type."""
    types = []
    for finding in order:
        if finding["type"] not in types:
            types.append(finding["type"])
        if finding["about"]:
            return len(types)
    return None


def split(readers, packages):
    names = sorted({project(r["crate"]) for r in readers} | {project(p["name"]) for p in packages})
    random.Random(5).shuffle(names)
    return {name: i % FOLDS for i, name in enumerate(names)}


def fit(out=print):
    readers, packages = read()
    readers = [r for r in readers if r["facts"]]
    everything = [values(r["facts"]) for r in readers] + [values(f["facts"]) for p in packages for f in p["findings"]]
    mean, spread = moments(everything)
    fold = split(readers, packages)
    for k in range(FOLDS):
        model = train(
            [r for r in readers if fold[project(r["crate"])] != k],
            [p for p in packages if fold[project(p["name"])] != k],
            mean,
            spread,
        )
        for r in readers:
            if fold[project(r["crate"])] == k:
                r["score"] = score(model, r["facts"])
        for p in packages:
            if fold[project(p["name"])] == k:
                for f in p["findings"]:
                    f["score"] = score(model, f["facts"])
    base, weights = train(readers, packages, mean, spread)
    report(readers, packages, out)
    out("\nweights, on all lines:")
    out(f"  BASE {base:.3f}")
    for (name, _, _), weight in zip(TERMS, weights):
        out(f"  {name:12} {weight:.3f}")
    return base, weights


def report(readers, packages, out):
    bar = int(re.search(r"LEAST_WORTH: u8 = (\d+)", (HERE.parent.parent / "lint/lints/src/config.rs").read_text())[1])
    out(f"readers: {len(readers)} findings of {len({r['crate'] for r in readers})} packages, "
        f"W or M by both {sum(both(r) for r in readers)}, by one {sum(label(r) > 0 for r in readers)}")
    out("area under the curve, by projects not fitted on: W or M by both %.2f, by one %.2f, W by one %.2f" % (
        area([(r["score"], both(r)) for r in readers]),
        area([(r["score"], label(r) > 0) for r in readers]),
        area([(r["score"], "W" in (r["reader_a"], r["reader_b"])) for r in readers]),
    ))
    drawn = [r for r in readers if r["probability"] != "-"]
    weight = lambda rows, test: sum(test(r) / float(r["probability"]) for r in rows)
    for least in (60, 50, 40, 35, 30, bar, 20, 15, 10):
        said = [r for r in readers if worth(r["score"]) >= least]
        weighed = [r for r in said if r in drawn]
        if said:
            out("worth %2d and more: %3d said; W or M by both %3.0f %%, by one %3.0f %% (by sampling weight %3.0f and %3.0f %%); "
                "of W by one %3.0f %% said" % (
                    least, len(said), 100 * sum(both(r) for r in said) / len(said), 100 * sum(label(r) > 0 for r in said) / len(said),
                    100 * weight(weighed, both) / max(weight(weighed, lambda r: 1), 1e-9),
                    100 * weight(weighed, lambda r: label(r) > 0) / max(weight(weighed, lambda r: 1), 1e-9),
                    100 * sum("W" in (r["reader_a"], r["reader_b"]) for r in said)
                    / sum("W" in (r["reader_a"], r["reader_b"]) for r in readers)))
    named = [p for p in packages if any(f["about"] for f in p["findings"])]
    out(f"history: {len(packages)} releases or revisions before changes, {len({project(p['name']) for p in packages})} projects, "
        f"{sum(p['missed'] for p in packages)} changed types without a finding; named {len(named)}")
    for what, key in (("this score", lambda f: -f["score"]), ("order of the release before", lambda f: f["rank"] or 10**6)):
        known = [p for p in named if what == "this score" or any(f["rank"] for f in p["findings"] if f["about"])]
        found = [places(sorted(p["findings"], key=key)) for p in known]
        at = lambda n: 100 * sum(place <= n for place in found) / len(found)
        out(f"  {what} ({len(known)}): among the first 3 types {at(3):.0f} %, 5 {at(5):.0f} %, 10 {at(10):.0f} %")
    warned = also = 0
    for p in named:
        order = sorted(p["findings"], key=lambda f: -f["score"])
        above = [f for f in order if worth(f["score"]) >= bar]
        below, types = [], set()
        for f in order:
            if worth(f["score"]) < bar and f["type"] not in types:
                types.add(f["type"])
                below.append(f)
        if any(f["about"] for f in above):
            warned += 1
        elif any(f["about"] for f in below[:LINES]):
            also += 1
    out(f"  first screen: {100 * (warned + also) / len(named):.0f} % ({warned} by warnings, {also} by the {LINES} lines below)")


def check():
    """The table in score.rs is that of the fit, to the third decimal."""
    base, weights = fit(lambda _: None)
    text = SCORE.read_text()
    wrong = []
    stated = {"BASE": float(re.search(r"BASE: f64 = ([-0-9.]+)", text)[1])}
    for name, weight in re.findall(r'name: "(\w+)",\s*doc: "[^"]*",\s*weight: ([-0-9.]+)', text):
        stated[name] = float(weight)
    for name, weight in [("BASE", base)] + [(n, w) for (n, _, _), w in zip(TERMS, weights)]:
        if name not in stated or abs(stated.pop(name) - weight) > 0.0011:
            wrong.append(f"{name}: the fit gives {weight:.3f}")
    wrong += [f"{name} is in score.rs alone" for name in stated]
    print("\n".join(wrong) or "score.rs has the weights of the fit")
    return 1 if wrong else 0


def run(program, folder, *more):
    ask = [program, "weigh", "--offline", "-q", "-W", "weigh::pedantic", "-W", "weigh::nursery", "--message-format", "json"]
    said = subprocess.run([*ask, *more], cwd=folder, capture_output=True, text=True, env={**os.environ, "CARGO_WEIGH_CACHE": "0"})
    lines = (json.loads(line) for line in said.stdout.splitlines() if '"weigh"' in line)
    return [line["weigh"] for line in lines if "weigh" in line]


def fetched(name, version, work):
    """A copy of a published crate with its dependencies at hand; none if cargo cannot resolve it."""
    folder = work / f"{name}-{version}"
    if folder.exists():
        return folder
    asks = work / "asks"
    (asks / "src").mkdir(parents=True, exist_ok=True)
    (asks / "src/lib.rs").write_text("")
    (asks / "Cargo.lock").unlink(missing_ok=True)
    (asks / "Cargo.toml").write_text(
        '[package]\nname = "asks"\nversion = "0.1.0"\nedition = "2021"\n\n[dependencies]\n'
        'it = { package = "%s", version = "=%s" }\n\n[workspace]\n' % (name, version))
    said = subprocess.run(["cargo", "metadata", "--format-version", "1"], cwd=asks, capture_output=True)
    if said.returncode:
        return None
    packages = json.loads(said.stdout)["packages"]
    # A package without a library is not among them.
    manifest = next((p["manifest_path"] for p in packages if (p["name"], p["version"]) == (name, version)), None)
    if manifest is None:
        return None
    shutil.copytree(pathlib.Path(manifest).parent, folder)
    text = (folder / "Cargo.toml").read_text()
    if "[workspace]" not in text:
        (folder / "Cargo.toml").write_text(text + "\n[workspace]\n")
    quiet = subprocess.run(["cargo", "fetch", "--quiet"], cwd=folder, capture_output=True)
    if quiet.returncode:
        shutil.rmtree(folder)
        return None
    return folder


def rebuild(program, work):
    """Writes both tables anew; what cannot be fetched, and revisions of repositories, stay as they are."""
    work = pathlib.Path(work)
    work.mkdir(parents=True, exist_ok=True)
    kept = {}

    def findings(name, version):
        if (name, version) not in kept:
            folder = None if "/" in name else fetched(name, version, work)
            kept[name, version] = folder and run(program, folder)
            print(name, version, "not read" if folder is None else len(kept[name, version]), flush=True)
        return kept[name, version]

    said = lambda f: " ".join(str(f["facts"][name]) for name in FACTS)
    text = open(HERE / "readers.tsv").read().splitlines()
    lines = [line for line in text if line.startswith("#")]
    head = next(line for line in text if not line.startswith("#"))
    lines.append(head)
    for row in tsv("readers.tsv"):
        found = findings(row["crate"], row["version"])
        if found is not None:
            own = [f for f in found if (f["lint"], f["type"], f["field"] or "-") == (row["lint"], row["type"], row["field"])]
            own = own or [f for f in found if (f["lint"], f["type"]) == (row["lint"], row["type"])]
            row["facts"] = said(own[0]) if own else "-"
        lines.append("\t".join(row[name] for name in head.split("\t")))
    (HERE / "readers.tsv").write_text("\n".join(lines) + "\n")
    changes = {}
    for row in tsv("changes.tsv"):
        changes.setdefault((row["name"], row["before"]), set()).add(row["type"])
    lines = [line for line in open(HERE / "history.tsv").read().splitlines() if line.startswith("#")]
    for p in read()[1]:
        wanted = changes.get((p["name"], p["before"]), set())
        found = findings(p["name"], p["before"])
        if found is not None:
            before = {(f["type"], f["rank"]) for f in p["findings"]}
            rank = {}
            for ty, n in sorted(before):
                rank.setdefault(ty, n)
            last = lambda f: f["type"].split("::")[-1]
            p["findings"] = [
                {"hit": last(f) in wanted, "about": last(f) in wanted, "type": f["type"], "rank": rank.get(f["type"], 0), "facts": f["facts"]} for f in found]
            p["missed"] = len(wanted - {last(f) for f in found})
        lines.append("\t".join(["package", p["name"], p["before"], str(p["missed"])]))
        for f in p["findings"]:
            lines.append("\t".join(["+" if f["hit"] else "~" if f["about"] else ".", f["type"], str(f["rank"]), " ".join(str(f["facts"][n]) for n in FACTS)]))
    (HERE / "history.tsv").write_text("\n".join(lines) + "\n")


if __name__ == "__main__":
    match sys.argv[1:]:
        case ["fit"]:
            fit()
        case ["check"]:
            sys.exit(check())
        case ["rebuild", program, work]:
            rebuild(program, work)
        case _:
            sys.exit(__doc__)
