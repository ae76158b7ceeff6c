// The overview: the map, the ranking and the sizes, with their filter; and what an address shows.

data.types.forEach((t, i) => (t.index = i));
const findingsOf = new Map();
for (const f of data.findings) {
  if (f.type_index !== null) findingsOf.set(f.type_index, [...(findingsOf.get(f.type_index) || []), f]);
}
const valuesIn = new Map();
for (const t of data.census ? data.census.types : []) {
  if (t.index === null) continue;
  const [values, heap] = valuesIn.get(t.index) || [0, 0];
  valuesIn.set(t.index, [values + t.values, heap + t.bytes]);
}

// A type that several targets compile is shown once, best the one with findings.
const once = new Map();
for (const t of data.types) {
  const key = `${t.path} ${t.file}:${t.line} ${t.size}`;
  if (!once.has(key) || (findingsOf.has(t.index) && !findingsOf.has(once.get(key).index))) once.set(key, t);
}
const TYPES = [...once.values()];

function section(id, title, ...children) {
  $("overview").append(el("section", { "aria-labelledby": id }, el("h2", { id, tabindex: "-1" }, title), children));
  $("nav").append(el("a", { href: `#${id}` }, title));
}

// ---- the map -----------------------------------------------------------------------------------

// What a finding counts on the map: bytes of the counted heap, else its worth, as in the ranking.
const areaOf = (f) => (data.census ? (f.waste ? f.waste.counted : 0) : f.worth);
const best = (f) => (f.remedies.length ? f.remedies[0] : f.message).replaceAll("`", "");

// Types with what the remedies of their findings save.
function remedied(types, findings) {
  const is_shown = new Set(findings);
  const leaves = types.flatMap((t) => {
    const about = (findingsOf.get(t.index) || []).filter((f) => is_shown.has(f) && areaOf(f) > 0);
    if (!about.length) return [];
    const [top, n] = [about[0], about.length];
    const area = data.census ? sum(about, areaOf) : top.worth;
    const value = data.census ? `−${amount(area)}` : saves(top);
    const rest = n === 1 ? "" : data.census ? ` (all ${n} remedies together)` : `; ${n - 1} more`;
    return [{
      t, name: () => lastOf(t.path), area, value: () => value, kind: "heat", href: `#t-${t.index}`,
      more: () => (data.census && n > 1 ? rest.slice(2, -1) : `${best(top)}${rest}`),
      says: () => `${crateOf(t)}: ${t.path}: ${data.census ? `remedies save ${amount(area)} of the heap` : `rank ${top.rank}, worth ${top.worth}`}. ${best(top)}${rest}`,
    }];
  });
  const most = Math.max(...leaves.map((l) => l.area));
  for (const leaf of leaves) leaf.heat = (100 * leaf.area) / most;
  return leaves;
}

const sizes = (types) => types.filter((t) => t.stored && t.size > 0).map((t) => ({
  t, name: () => lastOf(t.path), area: t.size, value: () => bytes(t.size), kind: t.kind, href: `#t-${t.index}`,
  more: () => (padding(t) ? `${bytes(padding(t))} of padding` : null),
  says: () => `${crateOf(t)}: ${t.path}: ${bytes(t.size)}${padding(t) ? `, ${padding(t)} of them padding` : ""}`,
}));

// Groups of leaves by crate, or in one crate by the first module in which they differ.
function grouped(leaves) {
  const by_crate = new Set(leaves.map((l) => l.t.crate)).size > 1;
  const modules = leaves.map((l) => l.t.path.split("::").slice(0, -1));
  let depth = 0;
  const same = (m) => m.length > depth && m[depth] === modules[0][depth];
  while (!by_crate && modules.length > 1 && modules.every(same)) depth++;
  const groups = new Map();
  leaves.forEach((leaf, i) => {
    const module = modules[i].slice(0, depth + 1).join("::");
    const key = by_crate ? leaf.t.crate : module;
    const group = groups.get(key) || {
      name: by_crate ? crateOf(leaf.t) : modules[i][depth] || "(here)",
      href: by_crate ? `#crate-${leaf.t.crate}` : modules[i].length > depth ? `#crate-${leaf.t.crate}/${module}` : null,
      leaves: [],
    };
    group.leaves.push(leaf);
    groups.set(key, group);
  });
  for (const group of groups.values()) {
    const is_whole = mode !== "sizes" && data.census;
    group.says = is_whole ? `−${amount(sum(group.leaves, (l) => l.area))}` : count(group.leaves.length, "type");
  }
  return [...groups.values()];
}

// The parts of the counted heap, by crate or kind.
function heap(text) {
  const groups = new Map();
  const types = new Map(data.census.types.map((t) => [t.type, t.index]));
  for (const p of data.census.parts.filter((p) => p.what.toLowerCase().includes(text))) {
    const is_own = p.kind === "values" && p.type.includes("::");
    const plain = p.kind === "values" ? "primitive values" : PARTS[p.kind];
    const name = is_own ? p.type.replace(/^[^A-Za-z_]+/, "").split("::")[0] : plain;
    const group = groups.get(name) || { name, leaves: [] };
    const index = types.get(p.type);
    group.leaves.push({
      name: () => p.short, area: p.bytes, kind: p.kind,
      value: () => `${amount(p.bytes)}${is_own || !p.crate ? "" : `, ${p.crate}`}`,
      href: index === undefined || index === null ? "#census" : `#t-${index}`,
      says: () => `${p.what}: ${bytes(p.bytes)}${p.blocks ? ` in ${count(p.blocks, "block")}` : ""}`,
    });
    groups.set(name, group);
  }
  for (const group of groups.values()) group.says = amount(sum(group.leaves, (l) => l.area));
  return [...groups.values()];
}

const total = sum(data.findings, areaOf);
const is_mapped = (is_minor) => data.findings.some((f) => f.type_index !== null && f.below === is_minor && areaOf(f) > 0);
const MODES = [
  ["heap", "The counted heap", Boolean(data.census && data.census.parts.length)],
  ["stacks", "Who asked for it", Boolean(data.census && data.census.stacks.bytes)],
  ["warnings", data.census ? "What warnings save" : "Warnings", is_mapped(false)],
  ["all", is_mapped(false) ? "Warnings and minor" : "Minor findings", is_mapped(true)],
  ["sizes", "Sizes of types that are stored many times", TYPES.some((t) => t.stored && t.size > 0)],
].filter(([, , is_there]) => is_there);
let mode = MODES.length ? MODES[0][0] : "none";

const wholeOf = (s) => s.live_bytes + s.malloc_bytes;
const swatch = (kind, text) => el("span", {}, el("i", { class: kind, "aria-hidden": "true" }), text);

function mapWords(leaves) {
  if (mode === "heap") {
    return [el("span", {}, "Area: bytes of the live heap."),
      [...new Set(data.census.parts.map((p) => p.kind))].map((kind) => swatch(kind, PARTS[kind]))];
  }
  if (mode === "stacks") {
    const [kept, all] = [data.census.stacks.bytes, data.census.summary.live_bytes];
    return [el("span", {}, `Width: live bytes that a function and what it called have asked for.${kept < all ? ` ${amount(all - kept)} of ${amount(all)} are of many small sites.` : ""}`),
      swatch("call", "function"), swatch("values", "type that most of it has")];
  }
  if (mode === "sizes") {
    return [el("span", {}, "Area: bytes of one value."),
      ["struct", "enum", "union"].filter((kind) => leaves.some((l) => l.kind === kind)).map((kind) => swatch(kind, kind))];
  }
  const most = Math.max(0, ...leaves.map((l) => l.area));
  return [el("span", {}, data.census ? `Area and colour: bytes of the counted heap that remedies save, ${amount(total)} of ${amount(wholeOf(data.census.summary))} at most.`
    : "Area and colour: the worth of a type's best finding. The stronger the colour, the more it is worth:"),
  swatch("scale", `0 to ${data.census ? amount(most) : most}`)];
}

// ---- the ranking and the sizes -------------------------------------------------------------------

// A row: its place, a bar of what decides the order, bytes, and what it is.
const rankedRow = (id, href, rank, part, size, ...what) =>
  el("li", { id }, el("a", { href }, el("span", { class: "rank" }, rank), part, el("span", { class: "size" }, size),
    el("span", { class: "grow" }, what)));

// A finding, or the spare capacity of a field that has none.
const ranked = (f) => (isSpare(f)
  ? rankedRow(null, "#census", number(f.rank), worthOf(f), `${amount(f.spare)} spare`, spareOf(f),
    el("span", { class: "soft lint" }, [f.place, f.crate].filter(Boolean).map((x) => ` · ${x}`)))
  : rankedRow(`r-${f.rank}`, `#f-${f.rank}`, number(f.rank), worthOf(f), saves(f), el("span", { class: f.error ? "error" : null }, prose(f.message)),
    el("span", { class: "soft lint" }, [f.below ? "minor" : null, f.lint, data.crates.length > 1 ? crateOf(f) : null, f.net > 0 ? null : f.counted[0]].filter(Boolean).map((x) => ` · ${x}`))));

const spareOf = (s) => ["spare capacity of ", el("code", {}, s.name), `: ${count(s.containers, s.kind)} with ${number(s.len)} of ${number(s.capacity)} ${s.kind === "String" ? "bytes" : "slots"} used`];

const SPARE = data.census ? data.census.spare : [];
const ORDER = [...data.findings, ...SPARE].sort((a, b) => a.rank - b.rank);

const COLUMNS = [
  ["type", (t) => t.path, (t) => el("td", {}, el("a", { href: `#t-${t.index}` }, el("code", {}, t.path + generics(t))))],
  ["size", (t) => t.size ?? t.least, (t) => (t.size === null ? `${number(t.least)}+` : number(t.size))],
  ["padding", padding, (t) => number(padding(t))],
  ["findings", (t) => (findingsOf.get(t.index) || []).length, (t) => number((findingsOf.get(t.index) || []).length)],
  ["stored", (t) => Number(t.stored), (t) => (t.stored ? "many" : "")],
  ...(data.census ? [
    ["values", (t) => (valuesIn.get(t.index) || [0])[0], (t) => number((valuesIn.get(t.index) || [0])[0])],
    ["heap", (t) => (valuesIn.get(t.index) || [0, 0])[1], (t) => amount((valuesIn.get(t.index) || [0, 0])[1])],
  ] : []),
];
let order = { by: "size", down: true };

function ofSize(t) {
  return el("tr", {}, COLUMNS.map(([, , cell], i) => (i ? el("td", { class: "n" }, cell(t)) : cell(t))),
    data.crates.length > 1 ? el("td", { class: "soft wide" }, crateOf(t)) : null);
}

function sizesTable(types) {
  const [, key] = COLUMNS.find(([name]) => name === order.by);
  const sign = order.down ? -1 : 1;
  const keys = new Map(types.map((t) => [t, key(t)]));
  const sorted = types.slice().sort((a, b) =>
    (keys.get(a) < keys.get(b) ? -sign : keys.get(a) > keys.get(b) ? sign : 0));
  const head = COLUMNS.map(([name], i) => {
    const button = el("button", { type: "button", "data-by": name }, name);
    button.addEventListener("click", () => {
      order = { by: name, down: order.by === name ? !order.down : name !== "type" };
      sizesTable(types);
      $("sizes").querySelector(`[data-by=${name}]`).focus();
    });
    const sort = order.by === name ? (order.down ? "descending" : "ascending") : null;
    return el("th", { scope: "col", class: i ? "n" : null, "aria-sort": sort }, button);
  });
  if (data.crates.length > 1) head.push(el("th", { scope: "col", class: "wide" }, "crate"));
  const body = el("tbody", {});
  const rest = first(body, sorted, ROWS, ofSize);
  $("sizes").replaceChildren(el("div", { class: "scroll" },
    el("table", { class: "sizes" }, el("thead", {}, el("tr", {}, head)), body)), ...(rest ? [rest] : []));
}

// So many rows of the sizes and of minor findings are drawn at once, and so many of the ranking.
const ROWS = 100;
const TOP = 5;

function ranking(findings, spare) {
  const [above, below] = [findings.filter((f) => !f.below), findings.filter((f) => f.below)];
  const part = (list, most) => {
    const rows = el("ol", { class: "ranking" });
    const heads = el("p", { class: "heads", "aria-hidden": "true" }, el("span", { class: "rank" }, "rank"),
      el("span", { class: "worth-head" }, data.census ? "" : "worth"), el("span", { class: "size" }, data.census ? "bytes" : "bytes per value"), "what");
    return [heads, rows, first(rows, list, most, ranked)];
  };
  const out = [];
  const shown = new Set([...(above.length ? above : below), ...spare]);
  const rows = ORDER.filter((x) => shown.has(x));
  if (!data.findings.length && !SPARE.length) out.push(el("p", {}, "No finding. The sizes below are all that there is to see."));
  if (rows.length) out.push(part(rows, TOP));
  if (above.length && below.length) {
    out.push(el("details", { class: "quiet" }, el("summary", {}, `${number(below.length)} minor: true, but less likely worth a change`), part(below, ROWS)));
  }
  $("ranking").replaceChildren(...out.flat().filter(Boolean));
}

function diff(d) {
  const groups = ["grew", "shrank", "added", "removed", "moved", "unknown"];
  const out = groups.flatMap((fate) => {
    const of = d.changes.filter((c) => c.fate === fate);
    if (!of.length) return [];
    const rows = of.map((c) =>
      el("tr", {}, el("td", { class: "n" }, c.before), el("td", { class: "n" }, c.after),
        el("td", { class: fate === "grew" ? "worse" : fate === "shrank" ? "better" : null }, el("code", {}, c.name),
          c.lines.map((line) => el("div", { class: "soft" }, prose(line))))));
    return [el("h3", {}, `${fate} (${of.length})`),
      el("div", { class: "scroll" }, table(["before", "after", "type"], rows, [0, 1]))];
  });
  section("diff", `Since ${d.base}`, el("p", {}, d.totals), out);
}

// ---- the overview --------------------------------------------------------------------------------

// A finding, in the words of its row, with its best remedy.
function told(f) {
  const [at, remedy] = [f.labels[0], f.remedies[0]];
  return [el("a", { href: `#f-${f.rank}` }, prose(f.message)), remedy ? [": ", prose(remedy)] : null, " (",
    data.crates.length > 1 ? `${crateOf(f)}, ` : null, el("span", { class: "path" }, `${at.file}:${at.line}`), "). "];
}

// The first of the ranking: what to change if a census says so, else a candidate or the largest waste.
function changeFirst() {
  const f = ORDER[0];
  if (!f) return [`Nothing to change was found in ${count(TYPES.length, "type")}.`];
  const own = isSpare(f) && data.findings[0];
  if (isSpare(f)) {
    return [el("b", {}, "Largest waste: "), spareOf(f), `. ${amount(f.spare)} of the heap's ${amount(wholeOf(data.census.summary))} are unused there`,
      f.place ? `; it is ${f.place}, ${f.crate}, for which no remedies are worked out.` : ".",
      own ? el("div", {}, el("b", {}, "In your own code: "), told(own), own.counted[0] ? [prose(own.counted[0]), "."] : null) : null];
  }
  const why = f.signals.filter((s) => Number(s.points) > 0).slice(0, 2).map((s) => s.words).join(", and ");
  const head = !(f.net > 0) ? "Best candidate: " : f.remedies.length ? "Change first: " : "Largest waste: ";
  return [f.below ? "No warnings. " : null, el("b", {}, head), told(f), ...(f.net > 0
    ? [f.values ? `That is ${(f.net / f.values).toFixed(1)} bytes for each of ${count(f.values, "value")}.` : null]
    : [data.census ? [prose(f.counted[0] || "The census counted none"), ". "] : ["How many values there are is not known; ", el("code", {}, "cargo weigh census"), " counts them. "],
      why && `It is first because ${why}.`])];
}

// How much there is, each number once.
function tally() {
  const errors = data.findings.filter((f) => f.error).length;
  const minor = data.findings.filter((f) => f.below).length;
  const parts = [[errors, "error"], [data.findings.length - errors - minor, "warning"]].filter(([n, noun]) => n || noun === "warning").map(([n, noun]) => count(n, noun));
  if (minor) parts.push(`${number(minor)} minor`);
  if (SPARE.length) parts.push(`${count(SPARE.length, "place")} with spare capacity alone`);
  const all = parts.length > 1 ? ` = ${number(ORDER.length)} in all` : "";
  const s = data.census && data.census.summary;
  return [
    parts.join(" + ") + all,
    `${count(TYPES.length, "type")} linted`,
    data.crates.length > 1 ? count(data.crates.length, "crate") : null,
    s ? heapWords(s) : null,
  ].filter(Boolean);
}

$("title").textContent = data.head.title;
$("summary").textContent = data.head.summary;
$("first").append(...changeFirst().flat(Infinity).filter(Boolean));
$("tally").textContent = tally().join(" · ");
section("findings", "Ranking", el("p", { class: "soft" }, data.census
  ? "Sorted by bytes of the counted heap: what a remedy would have saved, or spare capacity without a finding. Bars show the same."
  : "Worth, 0 to 100: how likely an author would make the change. It weighs where the type is used and stored, what one value saves, and how many changes it takes."),
el("div", { id: "ranking" }));
const [map, caption] = [el("div", { id: "map", role: "group", "aria-label": "Map: arrow keys move, Enter opens, Escape goes up" }),
  el("p", { id: "says", class: "soft" })];
const fold = el("details", { id: "fold", open: matchMedia("(max-width: 40rem)").matches ? null : "" });
if (MODES.length) {
  const buttons = el("div", { class: "modes", role: "group", "aria-label": "The map shows" }, MODES.length > 1
    ? MODES.map(([name, words]) => el("button", { type: "button", "data-mode": name }, words)) : null);
  buttons.addEventListener("click", (event) => {
    mode = event.target.dataset.mode || mode;
    draw();
  });
  fold.append(el("summary", {}, el("h2", { id: "where", tabindex: "-1" }, "Map")), buttons,
    el("nav", { id: "crumbs", "aria-label": "Shown in the map" }), el("p", { id: "mapped", class: "legend" }), map, caption);
  fold.addEventListener("toggle", () => {
    if (fold.open && !map.firstChild) draw();
  });
  $("overview").append(fold);
  $("nav").append(el("a", { href: "#where" }, "Map"));
}
if (data.census) section("census", "Census", censusParts(data.census));
if (data.diff) diff(data.diff);
section("types", `Sizes (${number(TYPES.length)})`, el("div", { id: "sizes" }));
data.crates.forEach((name, i) => $("crate").append(el("option", { value: String(i) }, name)));
[...new Set(data.findings.map((f) => f.lint))].sort()
  .forEach((name) => $("lint").append(el("option", { value: name }, name)));

let seen = { findings: [], types: [] };

function draw() {
  if (!MODES.length) return;
  if (!fold.open) return map.replaceChildren();
  const text = $("text").value.toLowerCase();
  const found = mode === "warnings" ? seen.findings.filter((f) => !f.below) : seen.findings;
  const is_counted = mode === "heap" || mode === "stacks";
  const leaves = mode === "sizes" ? sizes(seen.types) : is_counted ? [] : remedied(seen.types, found);
  const groups = mode === "heap" ? heap(text) : grouped(leaves);
  if (mode === "stacks") drawStacks(map);
  else drawMap(map, groups, groups.length > 1);
  const crate = $("crate").value;
  const crumbs = [el("a", { href: "#all" }, data.crates.length > 1 ? "All crates" : "All modules")];
  if (crate !== "" && data.crates.length > 1) crumbs.push(" › ", el("a", { href: `#crate-${crate}` }, data.crates[Number(crate)]));
  if (text) crumbs.push(" › ", text);
  $("crumbs").replaceChildren(...(crumbs.length > 1 ? crumbs : []));
  caption.dataset.idle = map.firstChild
    ? matchMedia("(hover: none)").matches ? "A tap on a box opens it." : "Point at a box, or move with the arrow keys, to read it in full; a click or Enter opens it."
    : "Nothing here for this filter.";
  caption.textContent = caption.dataset.idle;
  $("mapped").replaceChildren(...mapWords(leaves).flat());
  for (const button of document.querySelectorAll("[data-mode]")) {
    button.setAttribute("aria-pressed", String(button.dataset.mode === mode));
  }
  return undefined;
}

function filter() {
  const [text, crate, lint] = [$("text").value.toLowerCase(), $("crate").value, $("lint").value];
  const in_crate = (thing) => crate === "" || String(thing.crate) === crate;
  const has = (...texts) => texts.some((t) => t.toLowerCase().includes(text));
  const findings = data.findings.filter((f) => in_crate(f) && (lint === "" || f.lint === lint) &&
    has(f.message, f.type, f.lint, ...f.labels.map((l) => l.file)));
  const linted = new Set(findings.map((x) => x.type_index));
  const types = TYPES.filter((t) => in_crate(t) && (lint === "" || linted.has(t.index)) && has(t.path, t.file));
  seen = { findings, types };
  ranking(findings, crate + lint ? [] : SPARE.filter((s) => has(s.name)));
  sizesTable(types);
  draw();
  $("count").textContent = text + crate + lint ? `${number(findings.length)} of ${count(data.findings.length, "finding")}, ${number(types.length)} of ${count(TYPES.length, "type")}` : "";
}

// ---- addresses -----------------------------------------------------------------------------------

let opened = null;
let searching = false;

// Goes to an address, to the present one too: the filter may have changed since.
function visit(hash) {
  if (location.hash === hash) go();
  else location.hash = hash;
}

function overview(is_shown) {
  for (const id of ["overview", "filter", "first", "tally"]) $(id).hidden = !is_shown;
  $("page").hidden = is_shown;
  $("title").className = is_shown ? "" : "soft";
}

function open(t, f) {
  opened = location.hash;
  overview(false);
  typePage(t, f);
}

// Shows what the address names: a type, a finding, a crate or module of the map, or a section.
function go() {
  if (location.hash === "#main") return undefined;
  const [, kind, at, module] = /^#(?:([ft]|crate)-(\d+)(?:\/(.+))?)?/.exec(location.hash) || [];
  if (kind === "t" && data.types[Number(at)]) return open(data.types[Number(at)], null);
  const f = kind === "f" && data.findings.find((x) => x.rank === Number(at));
  if (f) return open(data.types[f.type_index], f);
  const last = opened;
  opened = null;
  overview(true);
  if (searching) {
    searching = false;
    draw();
    return $("text").focus();
  }
  if (kind === "crate" || location.hash === "#all") {
    [$("crate").value, $("text").value, $("lint").value] = [kind ? at : "", module ? `${decodeURIComponent(module)}::` : "", ""];
    filter();
    const box = map.querySelector("[tabindex='0']");
    if (box) box.focus({ preventScroll: true });
    return undefined;
  }
  const [, path] = /^#stack-([\d.]*)$/.exec(location.hash) || [];
  if (path !== undefined && data.census && stackAt(path.split(".").filter(Boolean))) {
    [mode, stack] = ["stacks", path.split(".").filter(Boolean)];
    draw();
    return map.firstChild && map.firstChild.focus({ preventScroll: true });
  }
  draw();
  // Back from a page, as with `#back`: to the link that led there.
  const link = last && document.querySelector(`#overview a[href="${last}"]`);
  if (link) return link.focus();
  const target = location.hash.length > 1 && $(location.hash.slice(1));
  if (target) {
    target.focus({ preventScroll: true });
    target.scrollIntoView();
  }
  return undefined;
}

const timers = new Map();
const soon = (f, ms) => {
  clearTimeout(timers.get(f));
  timers.set(f, setTimeout(f, ms));
};
$("filter").addEventListener("submit", (event) => event.preventDefault());
$("filter").addEventListener("input", () => soon(filter, 80));
steer(map, caption, () => {
  if (mode === "stacks" && stack.length) return visit(stackLink(stack.slice(0, -1)));
  const crate = $("crate").value;
  return visit(crate !== "" && data.crates.length > 1 && $("text").value ? `#crate-${crate}` : "#all");
});
if (MODES.length) {
  $("crumbs").addEventListener("click", (event) => {
    if (event.target.hash === location.hash) go();
  });
}
document.addEventListener("keydown", (event) => {
  const typing = /^(INPUT|SELECT|TEXTAREA)$/.test(event.target.tagName);
  if (event.ctrlKey || event.metaKey || event.altKey || typing) return undefined;
  if (event.key === "Escape" && !$("page").hidden) location.hash = "#back";
  if (event.key !== "/") return;
  event.preventDefault();
  if (!$("overview").hidden) return $("text").focus();
  searching = true;
  location.hash = "#back";
  return undefined;
});
window.addEventListener("resize", () => soon(draw, 120));
window.addEventListener("hashchange", go);
filter();
if (location.hash) go();
