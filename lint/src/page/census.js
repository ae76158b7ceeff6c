// What a census has counted: the heap to the byte, then types, fields, texts and options.

const PARTS = {
  values: "values", texts: "texts", bytes: "bytes", spare: "spare capacity", unread: "contents not read",
  guessed: "type guessed", untyped: "no type", contradicting: "two types", other: "other code than Rust",
  malloc: "added by malloc",
};
const heapWords = (s) => `${amount(s.live_bytes)} requested + ${amount(s.malloc_bytes)} added by malloc = ${amount(s.live_bytes + s.malloc_bytes)} of live heap`;

// So many lines of a list are shown at once, as on the terminal.
const LINES = 20;

const typeLink = (index, name) =>
  (index === null || index === undefined ? el("code", {}, name) : el("a", { href: `#t-${index}` }, el("code", {}, name)));

// Rows under a heading, of which the first are shown.
function rowsOf(title, note, items, make) {
  if (!items.length) return null;
  const list = el("ul", { class: "rows" });
  return [el("h3", {}, title), note ? el("p", { class: "soft" }, note) : null, list, first(list, items, LINES, make)];
}

// A row: a bar, the bytes, what it is, and details below.
const row = (shape, size, what, ...details) =>
  el("li", {}, shape, el("span", { class: "size" }, size),
    el("div", { class: "grow" }, what, details.filter((d) => d !== null).map((d) => el("div", { class: "soft" }, d))));

function heapOf(c) {
  const parts = c.parts;
  const whole = sum(parts, (p) => p.bytes);
  if (!whole) return null;
  const kinds = new Map();
  for (const p of parts) kinds.set(p.kind, (kinds.get(p.kind) || 0) + p.bytes);
  const list = [...kinds].sort((a, b) => b[1] - a[1]);
  return [
    el("div", { class: "whole" }, bar(list.map(([kind, n]) => [kind, n]), whole)),
    legend(...list.map(([kind, n]) => [kind, `${PARTS[kind]} ${percent(n, whole)}`])),
    rowsOf("All of the heap", `These parts add up to ${bytes(whole)}.`, parts, (p) =>
      row(bar([[p.kind, p.bytes]], whole), amount(p.bytes), el("code", {}, p.what),
        `${percent(p.bytes, whole)}${p.blocks ? `, ${count(p.blocks, "block")}` : ""}`)),
  ];
}

const valuesOf = (t) => `${t.at_least ? "at least " : ""}${count(t.values, "value")}`;

// The values of a type: how many of each variant, and what the widest variant costs the others.
function variantsOf(t) {
  const lines = t.variants.slice(0, 6).map(([name, n]) =>
    el("div", { class: "variant" }, bar([["values", n]], t.values), ` ${percent(n, t.values)} `, el("code", {}, name),
      ` ${number(n)}`));
  if (t.widest) {
    const [name, unused] = t.widest;
    lines.push(el("div", {}, `${amount(unused)} unused in other variants, `, el("code", {}, name), " being the widest"));
  }
  return lines.length ? lines : null;
}

// The longest bar of a list stands for its largest line.
const mostOf = (list) => Math.max(1, ...list.map((x) => x.bytes));

const ofType = (most) => (t) => {
  const spare = Math.max(0, t.slots - t.values - t.unread);
  const room = spare ? `, room for ${number(spare)} more` : "";
  const unread = t.unread ? `, ${number(t.unread)} slots not read` : "";
  return row(bar([["values", t.bytes - spare * t.size], ["spare", spare * t.size]], most), amount(t.bytes),
    typeLink(t.index, t.name), `${valuesOf(t)} of ${bytes(t.size)}${room}${unread}`, variantsOf(t));
};

const ofField = (most) => (f) => {
  const holds = ["Box", "Rc"].includes(f.kind) ? "" :
    `, ${number(f.len)} of ${number(f.capacity)} used, ${percent(f.empty, f.containers)} empty, ${percent(f.one, f.containers)} with one`;
  const single = f.single ? `, ${percent(f.single[0], f.single[1])} of the blocks have a single owner` : "";
  return row(bar([["values", f.bytes - f.spare], ["spare", f.spare]], most), amount(f.bytes), el("code", {}, f.name),
    `${f.kind}: ${number(f.containers)}${holds}${single}`, f.spare ? `${amount(f.spare)} spare` : null);
};

function ofTexts(f) {
  const t = f.texts;
  const all = sum(t.lengths, (n) => n);
  const most = Math.max(...t.lengths, 1);
  const chart = el("div", { class: "chart" }, t.lengths.map((n, i) => {
    const column = el("i", { class: "texts" });
    column.style.height = `${(100 * n) / most}%`;
    return el("span", { title: `${data.census.lengths[i]} bytes: ${percent(n, all)}` }, el("b", {}, column),
      el("small", {}, data.census.lengths[i]));
  }));
  const inline = t.inline.map(([name, n]) => [`${percent(n, all)} in `, el("code", {}, name)]);
  return row(chart, amount(f.bytes), el("code", {}, f.name),
    `${count(all, "text")}, median ${bytes(t.median)}, longest ${number(t.max)}`,
    t.repeated ? `${percent(t.repeated, all)} repeat an earlier one: sharing saves ${amount(t.repeated_bytes)}` : null,
    inline.length ? ["would fit inline: ", inline.flatMap((x, i) => (i ? [", ", x] : [x]))] : null);
}

const ofOption = (f) =>
  row(bar([["spare", f.none[0]]], f.none[1]), percent(f.none[0], f.none[1]), el("code", {}, f.name),
    `${number(f.none[0])} of ${number(f.none[1])} are None`);

function censusParts(c) {
  const s = c.summary;
  const texts = c.fields.filter((f) => f.texts).sort((a, b) => b.bytes - a.bytes);
  const owners = c.fields.filter((f) => f.containers);
  const options = c.fields.filter((f) => f.none).sort((a, b) => b.none[1] - a.none[1]);
  return [
    el("p", {}, el("code", {}, c.head.program), " at ", el("code", {}, c.head.label),
      `: ${heapWords(s)}, in ${count(s.blocks, "block")}${s.peak_bytes === s.live_bytes ? ", the most in that run. " : `; at most ${amount(s.peak_bytes)} were requested at once in that run. `}`,
      `${percent(s.typed_bytes, s.live_bytes)} of what was requested has a known type. Types are exact for rustc ${c.head.rustc}.`),
    heapOf(c),
    rowsOf("Values by type", "Those within others included: these do not add up. Striped: room for more.", c.types, ofType(mostOf(c.types))),
    rowsOf("Fields that own blocks", "Striped: spare capacity.", owners, ofField(mostOf(owners))),
    rowsOf("Strings by field", "Columns: how many texts are how long, in bytes.", texts, ofTexts),
    rowsOf("Option fields", "Striped: None.", options, ofOption),
  ];
}

// What the census counted of one type.
function countedOf(index) {
  if (!data.census) return null;
  const types = data.census.types.filter((t) => t.index === index);
  if (!types.length) return null;
  const names = new Set(types.map((t) => t.type));
  const fields = data.census.fields.filter((f) => names.has(f.type));
  const texts = fields.filter((f) => f.texts);
  const owners = fields.filter((f) => f.containers && !f.texts);
  return [el("h3", {}, "In the counted run"), el("ul", { class: "rows" }, types.map(ofType(mostOf(types)))),
    rowsOf("Its fields that own blocks", null, owners, ofField(mostOf(owners))),
    rowsOf("Its texts", null, texts, ofTexts),
    rowsOf("Its Option fields", null, fields.filter((f) => f.none), ofOption)];
}
