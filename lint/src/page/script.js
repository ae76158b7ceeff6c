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

// What a finding counts on the map: bytes of the counted heap, else of a value, times its worth.
const areaOf = (f) => (data.census ? f.waste.counted : f.waste.bytes * f.worth);
const wasteOf = (f) => (data.census ? f.waste.counted : f.waste.bytes);
const shown = (n) => (data.census ? amount(n) : `${number(n)} B`);

// Types with the bytes that the remedies of their findings save.
function wastes(types, findings) {
  const is_shown = new Set(findings);
  return types.flatMap((t) => {
    const about = (findingsOf.get(t.index) || []).filter((f) => is_shown.has(f) && areaOf(f) > 0);
    if (!about.length) return [];
    const [n, best] = [sum(about, wasteOf), about[0]];
    const to = data.census || t.size === null ? "" : ` of ${number(t.size)}`;
    return [{
      t, name: () => lastOf(t.path), area: sum(about, areaOf), value: () => `−${shown(n)}${to}`, bytes: n, kind: best.below ? "also" : "found", heat: best.worth, href: `#t-${t.index}`,
      more: () => (best.remedies.length ? best.remedies[0].replaceAll("`", "") : null),
      says: () => `${crateOf(t)}: ${t.path}: remedies save ${data.census ? `${amount(n)} of the heap` : `${bytes(n)}${to} of a value`}, `
        + `worth ${best.worth}. ${best.remedies[0] || best.message}`.replaceAll("`", ""),
    }];
  });
}

const sizes = (types) => types.filter((t) => t.stored && t.size > 0).map((t) => ({
  t, name: () => lastOf(t.path), area: t.size, value: () => `${number(t.size)} B`, bytes: t.size, kind: t.kind, href: `#t-${t.index}`,
  more: () => (padding(t) ? `${padding(t)} B padding` : null),
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
    const is_whole = mode === "saves" && data.census;
    group.says = is_whole ? `−${shown(sum(group.leaves, (l) => l.bytes))}` : count(group.leaves.length, "type");
  }
  return [...groups.values()];
}

// The type of a part without its path, or the last two names of what owns it.
function shortOf(p) {
  if (p.kind === "values" && p.type) return lastOf(p.what.split(/[<,]/)[0]) + (/^[^,]*?(<.*?>)(?:,|$)/.exec(p.what) || ["", ""])[1];
  return p.what.replace(/^[^,]*, /, "").replace(/<.*?>/g, "").split("::").slice(-2).join("::");
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
      name: () => shortOf(p), area: p.bytes, value: () => amount(p.bytes), kind: colour(p.kind),
      href: index === undefined || index === null ? "#census" : `#t-${index}`,
      says: () => `${p.what}: ${bytes(p.bytes)}${p.blocks ? ` in ${count(p.blocks, "block")}` : ""}`,
    });
    groups.set(name, group);
  }
  for (const group of groups.values()) group.says = amount(sum(group.leaves, (l) => l.area));
  return [...groups.values()];
}

const total = sum(data.findings, wasteOf);
const MODES = [
  ["saves", "What remedies save", data.findings.some((f) => f.type_index !== null && areaOf(f) > 0)],
  ["heap", "The counted heap", Boolean(data.census && data.census.parts.length)],
  ["sizes", "Sizes of types that are stored many times", TYPES.some((t) => t.stored && t.size > 0)],
].filter(([, , is_there]) => is_there);
let mode = MODES.length ? MODES[0][0] : "none";

function mapWords(leaves) {
  if (mode === "heap") {
    const kinds = [...new Set(data.census.parts.map((p) => colour(p.kind)))];
    return [[el("span", {}, "Area: live bytes; all of the heap.")],
      kinds.map((kind) => el("span", {}, el("i", { class: kind, "aria-hidden": "true" }), PARTS[kind]))];
  }
  if (mode === "sizes") {
    const kinds = [["struct", "struct"], ["enum", "enum"], ["union", "union"]].filter(([kind]) => leaves.some((l) => l.kind === kind));
    return [[el("span", {}, "Area: bytes of one value, of types that fields store many values of.")],
      kinds.map(([kind, text]) => el("span", {}, el("i", { class: kind, "aria-hidden": "true" }), text))];
  }
  const s = data.census && data.census.summary;
  return [[el("span", {}, s
    ? `Area: bytes of the counted heap that remedies save, ${amount(total)} of ${amount(s.live_bytes + s.malloc_bytes)} at most.`
    : "Area: bytes that remedies save of one value, times their worth; what one saves is not counted for another.")],
  [["found", "a finding"], ["also", "also found, below the bar"]].filter(([kind]) => leaves.some((l) => l.kind === kind))
    .map(([kind, text]) => el("span", {}, el("i", { class: kind, "aria-hidden": "true" }), text)),
  [el("span", {}, "The darker, the more it is worth.")]];
}

// ---- the ranking and the sizes -------------------------------------------------------------------

const ranked = (f) =>
  el("li", { id: `r-${f.rank}` }, el("a", { href: `#f-${f.rank}` },
    el("span", { class: "rank" }, String(f.rank)), worthOf(f), el("span", { class: "size" }, saves(f)),
    el("span", { class: f.error ? "grow error" : "grow" }, prose(f.message),
      el("span", { class: "soft lint" }, ` ${f.lint}${data.crates.length > 1 ? `, ${crateOf(f)}` : ""}`))));

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

// So many rows of the ranking and of the sizes are drawn at once.
const ROWS = 100;

function ranking(findings) {
  const [above, below] = [findings.filter((f) => !f.below), findings.filter((f) => f.below)];
  const out = [];
  const part = (list, ...head) => {
    const rows = el("ol", { class: "ranking" });
    const rest = first(rows, list, ROWS, ranked);
    out.push(...head, rows, ...(rest ? [rest] : []));
  };
  if (!data.findings.length) out.push(el("p", {}, "No finding. The sizes below are all that there is to see."));
  if (above.length) part(above);
  if (below.length) {
    part(below, el("h3", {}, above.length ? "Also found" : "Nothing reaches the bar; the best of the rest"),
      el("p", { class: "soft" }, "True, but less likely worth a change: no warnings."));
  }
  $("ranking").replaceChildren(...out);
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

function tile(value, words) {
  return el("div", {}, el("b", {}, value), el("span", {}, words));
}

function tiles() {
  const above = data.findings.filter((f) => !f.below).length;
  const s = data.census && data.census.summary;
  return [
    tile(number(above), above === 1 ? "finding" : "findings"),
    data.findings.length > above ? tile(number(data.findings.length - above), "below the bar") : null,
    s ? tile(amount(s.live_bytes + s.malloc_bytes), "live heap") : null,
    s && total ? tile(amount(total), "of it remedies save, at most") : null,
    tile(number(TYPES.length), TYPES.length === 1 ? "type" : "types"),
    data.crates.length > 1 ? tile(number(data.crates.length), "crates") : null,
  ].filter(Boolean);
}

$("title").textContent = data.head.title;
$("summary").textContent = data.head.summary;
$("tiles").append(...tiles());
const [map, caption] = [el("div", { id: "map", role: "group", "aria-label": "Map: arrow keys move, Enter opens, Escape goes up" }),
  el("p", { id: "says", class: "soft" })];
if (MODES.length) {
  const buttons = el("div", { class: "modes", role: "group", "aria-label": "The map shows" }, MODES.length > 1
    ? MODES.map(([name, words]) => el("button", { type: "button", "data-mode": name }, words)) : null);
  buttons.addEventListener("click", (event) => {
    mode = event.target.dataset.mode || mode;
    draw();
  });
  section("where", "Map", buttons,
    el("nav", { id: "crumbs", "aria-label": "Shown in the map" }), map, el("p", { id: "mapped", class: "legend" }), caption);
}
section("findings", `Ranking (${number(data.findings.length)})`, el("div", { id: "ranking" }));
if (data.census) section("census", "Census", censusParts(data.census));
if (data.diff) diff(data.diff);
section("types", `Sizes (${number(TYPES.length)})`, el("div", { id: "sizes" }));
data.crates.forEach((name, i) => $("crate").append(el("option", { value: String(i) }, name)));
[...new Set(data.findings.map((f) => f.lint))].sort()
  .forEach((name) => $("lint").append(el("option", { value: name }, name)));

let seen = { findings: [], types: [] };

function draw() {
  if (!MODES.length) return;
  const text = $("text").value.toLowerCase();
  const leaves = mode === "saves" ? wastes(seen.types, seen.findings) : mode === "sizes" ? sizes(seen.types) : [];
  const groups = mode === "heap" ? heap(text) : grouped(leaves);
  drawMap(map, groups, groups.length > 1);
  const crate = $("crate").value;
  const crumbs = [el("a", { href: "#all" }, data.crates.length > 1 ? "All crates" : "All modules")];
  if (crate !== "" && data.crates.length > 1) crumbs.push(" › ", el("a", { href: `#crate-${crate}` }, data.crates[Number(crate)]));
  if (text) crumbs.push(" › ", text);
  $("crumbs").replaceChildren(...(crumbs.length > 1 ? crumbs : []));
  caption.dataset.idle = map.firstChild
    ? "Point at a box, or move with the arrow keys, to read it in full; a click or Enter opens it."
    : "Nothing here for this filter.";
  caption.textContent = caption.dataset.idle;
  $("mapped").replaceChildren(...mapWords(leaves).flat());
  for (const button of document.querySelectorAll("[data-mode]")) {
    button.setAttribute("aria-pressed", String(button.dataset.mode === mode));
  }
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
  ranking(findings);
  sizesTable(types);
  draw();
  $("count").textContent = `${count(findings.length, "finding")}, ${count(types.length, "type")}`;
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
  for (const id of ["overview", "filter", "summary", "tiles"]) $(id).hidden = !is_shown;
  $("page").hidden = is_shown;
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
  const crate = $("crate").value;
  visit(crate !== "" && data.crates.length > 1 && $("text").value ? `#crate-${crate}` : "#all");
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
