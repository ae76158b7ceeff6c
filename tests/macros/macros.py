#!/usr/bin/env python3
"""Expands samples of the rows of lint/layout/src/resolve/attrs/known.tsv with rustc, with the oldest and the
newest release of each row, and compares what stands in their modules then with what the rows say.

usage: macros.py FOLDER [CRATE…]     FOLDER for projects and builds; without crates: all rows

With ROWS=N in the environment: N rows, each day others.

Each macro of a row stands on every kind of item that the row is about, without options and with each
word of the crate's source that may be one. A row that an expansion contradicts is printed, and the
status is 1. A macro of which no sample was expanded is printed too: nothing is known of it.
"""
import json, os, pathlib, re, subprocess, sys, time

TABLE = pathlib.Path(__file__).parents[2] / "lint/layout/src/resolve/attrs/known.tsv"
STRUCTS = {
    "struct": "pub struct Zyx { pub aa: u8, pub bb: Option<u32> }",
    "tuple": "pub struct Zyx(pub u8);",
    "unit": "pub struct Zyx;",
    "generic": "pub struct Zyx<T> { pub aa: T }",
    "borrowed": "pub struct Zyx<'db> { pub aa: &'db u8 }",
}
ENUMS = {
    "enum": "pub enum Zyx { Aa, Bb(u8), Cc { dd: u16 } }",
    "numbers": "pub enum Zyx { Aa = 1, Bb = 2 }",
    "filled": "pub enum Zyx { Aa(u8), Bb(u16) }",
}
OTHERS = {
    "fn": "pub fn zyx(aa: u8) -> u8 { aa }",
    "trait": "pub trait Zyx { fn zyx(&self) -> u8; }",
    "impl": "impl super::Base { pub fn zyx(&self) -> u8 { 0 } }",
}
TYPES = {**STRUCTS, **ENUMS}
KINDS = {
    "any": {**TYPES, **OTHERS}, "type": TYPES, "struct": STRUCTS, "no-type": OTHERS,
    "no-module": {**TYPES, **OTHERS}, "filled": {**STRUCTS, "filled": ENUMS["filled"]},
    "numbered": {"numbers": ENUMS["numbers"]}, "ast-node": STRUCTS,
}
# Kinds that options are tried on: one of each shape.
WITH_OPTIONS = ["struct", "enum", "numbers", "fn", "trait"]
MOST_OPTIONS = 60
# Of more samples of one macro, every second is taken, or fewer.
MOST_SAMPLES = 160
NAMED = re.compile(
    r'^    (?:pub(?:\([^)]*\))? )?(?:default |async |unsafe |const (?=fn)|extern "[^"]*" )*'
    r"(fn|struct|enum|union|trait|type|mod|static|const|use|macro_rules!|macro|extern crate)\s+(?:mut )?(.*)$")


def rows():
    for line in TABLE.read_text().splitlines():
        if line and not line.startswith("#"):
            crate, macros, items, effect, _, releases, note, *_ = line.split("\t") + [""]
            yield crate, macros.split(), items, effect, releases.split(), note


class Release:
    """A release of a crate with macros, and a project that uses it."""

    def __init__(self, folder, crate, version, note):
        self.crate, self.folder = crate, folder / f"{crate}-{version}"
        self.target = folder / "target"
        (self.folder / "src").mkdir(parents=True, exist_ok=True)
        named = re.match(r"package ([\w-]+)", note)
        package = named[1] if named else crate
        beside = re.search(r"\bneeds ([\w-]+)", note)
        also = f'{beside[1]} = "={version}"\n' if beside else ""
        for _ in range(3):
            (self.folder / "Cargo.toml").write_text(
                '[package]\nname = "samples"\nversion = "0.0.0"\nedition = "2021"\n[workspace]\n'
                f'[dependencies]\n{crate} = {{ package = "{package}", version = "={version}" }}\n' + also)
            (self.folder / "src/lib.rs").write_text("")
            said = self.cargo("metadata", "--format-version", "1")
            if said.returncode == 0:
                break
            # The registry knows the spelling.
            meant = re.search(r"perhaps you meant:?\s+([\w-]+)", said.stderr)
            package = meant[1] if meant else package.replace("_", "-")
        else:
            raise OSError(said.stderr.strip()[-300:])
        of = [p for p in json.loads(said.stdout)["packages"] if p["name"] == package]
        source = pathlib.Path(of[0]["manifest_path"]).parent
        texts = [p.read_text(errors="replace") for p in sorted(source.rglob("*.rs")) if "tests" not in p.parts]
        text = "\n".join(texts)
        self.derives = {}
        for name, rest in re.findall(r"proc_macro_derive\(\s*(\w+)\s*(?:,\s*attributes\(([^)]*)\))?", text):
            self.derives[name] = re.findall(r"\w+", rest)
        self.attributes = re.findall(
            r"#\[proc_macro_attribute\]\s*(?:#\[[^\]]*\]\s*|///[^\n]*\n\s*)*pub fn (\w+)", text)
        words = re.findall(r'"([a-z_][a-z0-9_]{1,24})"', text) + re.findall(r"custom_keyword!\((\w+)\)", text)
        self.words = sorted(dict.fromkeys(words), key=words.count, reverse=True)[:MOST_OPTIONS]

    def cargo(self, *arguments):
        # A macro that refuses a sample panics: a backtrace of each would take most of the time.
        environment = {**os.environ, "RUSTC_BOOTSTRAP": "1", "RUST_BACKTRACE": "0",
                       "CARGO_TARGET_DIR": str(self.target)}
        environment.pop("CARGO", None)
        return subprocess.run(["cargo", *arguments], cwd=self.folder, env=environment,
                              capture_output=True, text=True)

    def samples(self, macro, kinds):
        """What stands before and in each sample: a key, the attributes, the item."""
        path = f"::{self.crate}::{macro}"
        is_derive = macro in self.derives
        forms = lambda name: [f"{name}({{}})", f'{name}({{}} = "Qqq")', f"{name}({{}}(Qqq))"]
        for kind, item in kinds.items():
            if is_derive and kind in OTHERS:
                continue
            plain = f"#[derive({path})]" if is_derive else f"#[{path}]"
            yield kind, plain, item
            if kind not in WITH_OPTIONS:
                continue
            for word in self.words:
                if is_derive:
                    for helper in self.derives[macro]:
                        for form in forms(helper):
                            yield kind, f"{plain} #[{form.format(word)}]", item
                else:
                    for form in forms(path):
                        yield kind, f"#[{form.format(word)}]", item

    def expand(self, samples):
        """The lines of each sample's module after expansion; none for what could not be expanded."""
        text = "#![allow(warnings)]\npub struct Base;\n"
        for at, (_, attributes, item) in enumerate(samples):
            text += f"pub mod m{at} {{ {attributes} {item} }}\n"
        (self.folder / "src/lib.rs").write_text(text)
        said = self.cargo("rustc", "-q", "--lib", "--", "-Zunpretty=expanded", "--cap-lints=allow")
        modules, now = {}, None
        for line in said.stdout.splitlines():
            if start := re.match(r"^pub mod m(\d+) \{( \})?$", line):
                now = modules.setdefault(int(start[1]), [])
            elif line == "}":
                now = None
            elif now is not None:
                now.append(line)
        if not modules and len(samples) > 1:
            half = len(samples) // 2
            found = self.expand(samples[:half])
            found.update({at + half: lines for at, lines in self.expand(samples[half:]).items()})
            return found
        return modules


def item_of(lines, item):
    """The item of a sample as it is printed, without attributes and blanks; empty if it is gone."""
    head = re.match(r"(?:pub )?(\w+ \w+)", item)[1] if not item.startswith("impl") else "impl super::Base"
    is_head = re.compile(r"^    (?:pub(?:\([^)]*\))? )?(?:const |async |unsafe )*" + re.escape(head) + r"\b")
    for at, line in enumerate(lines):
        if is_head.match(line):
            end = at
            above = at
            while above and (lines[above - 1].startswith("    #[") or lines[above - 1].startswith("    //")):
                above -= 1
            # rustc lays a type out by it.
            reprs = re.findall(r"#\[repr\([^]]*\]", "\n".join(lines[above:at]))
            while end + 1 < len(lines) and not re.match(r"^    \S", lines[end + 1]):
                end += 1
            if end + 1 < len(lines) and re.match(r"^    [})]", lines[end + 1]):
                end += 1
            return "".join(reprs) + plain("\n".join(lines[at:end + 1]))
    return ""


def plain(text):
    text = re.sub(r"///[^\n]*|//![^\n]*", "", text)
    text = re.sub(r"#\[(?:[^\[\]]|\[[^\]]*\])*\]", "", text)
    return re.sub(r"\s+|,(?=\s*[})])", "", text).replace(",}", "}").replace(",)", ")")


def contradiction(effect, attributes, kind, item, lines, less_visible=False):
    """What of an expansion is against a row; none if nothing is."""
    name = "" if item.startswith("impl") else "zyx"
    names = []
    for line in lines:
        if found := NAMED.match(line):
            what, rest = found.groups()
            word = re.match(r"[\w:{}*, ]+", rest)
            word = word[0].strip() if word else rest
            if what == "use":
                word = re.split(r"::| as ", word)[-1].strip(" ;{}")
            else:
                word = re.match(r"\w+", word)[0] if re.match(r"\w+", word) else word
            names.append((what, word))
    own = [n for n in names if n[1].lower() == name and n[0] in item.split()]
    added = [n for n in names if n not in own[:1] and n[1] not in ("_", "")]
    if effect == "other":
        return None
    allowed = lambda word: effect in ("after", "named") and (
        word.startswith("__") or (name and name in word.replace("_", "").lower())
        or effect == "named" and re.search(rf"\b{re.escape(word)}\b", attributes))
    if strange := [n for n in added if not allowed(n[1])]:
        return "adds " + ", ".join(" ".join(n) for n in strange[:4])
    text = "\n".join(lines)
    if effect.startswith("holds ") and kind in TYPES and "compile_error!" not in text:
        marker = r"(?:,(?:::)?(?:std|core)::marker::PhantomData<.*>)?"
        one = r"(?:pub)?structZyx(?:<'db>)?\((?:::)?" + re.escape(effect.split()[1]) + marker + r"\);"
        left = item_of(lines, item)
        # A macro that refuses an item leaves it, and adds nothing.
        adds = re.search(r"^    (?:unsafe )?(?:impl|const)\b", text, re.MULTILINE)
        refused = left == plain(item) and not adds
        return None if refused or re.fullmatch(one, left) else f"makes the item `{left[:120]}`"
    if effect != "alone" and kind in TYPES and "compile_error!" not in text:
        left = item_of(lines, item)
        if less_visible:
            left = left.replace("pub(crate)", "pub", 1)
        if left != plain(item):
            return f"makes the item `{item_of(lines, item)[:120]}`"
    if effect != "alone" and kind in TYPES:
        inherent = False
        for line in lines:
            if re.match(r"^    \S", line):
                inherent = bool(re.match(r"^    (?:unsafe )?impl(?:<.*>)?\s+Zyx\b", line)) and " for " not in line
            elif inherent and (const := re.match(r"^        (?:pub(?:\([^)]*\))? )?(?:const|type) (?!fn\b)(?!unsafe\b)(\w+)", line)):
                if not const[1].startswith("_"):
                    return f"adds a constant or type `{const[1]}` to the type itself"
    return None


def check(folder, crate, macros, items, effect, version, note):
    release = Release(folder, crate, version, note)
    kinds = KINDS[items.split(" without ")[0]]
    without = (items.split(" without ") + [""])[1].split()
    there = {**release.derives, **{name: [] for name in release.attributes}}
    wrong, empty = [], []
    for macro in there if macros == ["*"] else macros:
        if macro not in there:
            continue
        samples = [s for s in release.samples(macro, kinds)
                   if not any(re.search(rf"\b{w}\b", s[1]) for w in without)]
        plainly = [s for s in samples if s[1].count("#[") == 1 and "Qqq" not in s[1]]
        samples = plainly[:MOST_SAMPLES] + samples[::1 + len(samples) // MOST_SAMPLES]
        modules = release.expand(samples)
        shown = False
        for at, lines in modules.items():
            kind, attributes, item = samples[at]
            text = "\n".join(lines)
            if "compile_error!" in text or not text.strip():
                continue
            # A macro that was refused leaves the item alone.
            if effect.startswith("holds "):
                shown |= effect.split()[1] in text
            else:
                shown |= len([l for l in lines if re.match(r"^    \S", l)]) > 1 or macro in release.attributes
            if why := contradiction(effect, attributes, kind, item, lines, "less-visible" in note):
                wrong.append(f"{crate} {version}: `{attributes} {item}` {why}")
        if not shown:
            empty.append(macro)
    return wrong, empty, len(there)


def main():
    if len(sys.argv) < 2 or sys.argv[1].startswith("-"):
        print(__doc__)
        return 2
    folder = pathlib.Path(sys.argv[1]).resolve()
    only = sys.argv[2:]
    failed = checked = unread = 0
    chosen = [row for row in rows() if not only or row[0] in only]
    if count := int(os.environ.get("ROWS", 0)):
        start = int(time.time() // 86_400) * count % len(chosen)
        chosen = (chosen[start:] + chosen[:start])[:count]
    for crate, macros, items, effect, releases, note in chosen:
        for version in dict.fromkeys([releases[0], releases[-1]]):
            try:
                wrong, empty, _ = check(folder, crate, macros, items, effect, version, note)
            except OSError as e:
                print(f"{crate} {version}: could not be fetched: {e}")
                unread += 1
                continue
            checked += 1
            for text in wrong[:5]:
                print(f"contradicts `{effect}`: {text}")
            if len(wrong) > 5:
                print(f"    and {len(wrong) - 5} more")
            failed += bool(wrong)
            if empty:
                print(f"{crate} {version}: no sample of {', '.join(empty)} was expanded")
            sys.stdout.flush()
    print(f"{checked} releases expanded, {failed} rows contradicted, {unread} not fetched")
    return 1 if failed or unread or not checked else 0


if __name__ == "__main__":
    sys.exit(main())
