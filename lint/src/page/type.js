// The page of a type with its findings, or of a finding that is about no type.

function snippet(label) {
  const lines = label.lines.map(([at, parts]) =>
    [el("span", { class: "n", "aria-hidden": "true" }, String(at)),
      parts.map(([text, kind]) => (kind ? el("mark", { class: kind === 2 ? "main" : null }, text) : text)), "\n"]);
  return el("div", {}, el("div", { class: "path soft" }, `${label.file}:${label.line}`),
    lines.length ? el("pre", { tabindex: "0" }, lines) : null, el("p", {}, prose(label.text)));
}

// What a finding saves: in the counted run, or of one value.
function saves(f) {
  if (f.net > 0) return `saves ${amount(f.net)}`;
  if (f.before === null) return "";
  return f.after !== null && f.after !== f.before ? `${number(f.before)} → ${bytes(f.after)}` : bytes(f.before);
}

// Spare capacity without a finding has its place among them.
const isSpare = (f) => f.spare !== undefined;

// What decides the order of the ranking, as a bar: worth, or bytes of a counted heap.
const most = data.census ? [...data.census.spare.map((s) => s.spare), ...data.findings.map((f) => f.net || 0)].reduce((all, n) => Math.max(all, n), 0) : 0;
function worthOf(f) {
  const [part, title] = data.census ? [(100 * (f.spare || f.net || 0)) / most, isSpare(f) ? "" : saves(f)] : [f.worth, `worth ${f.worth} of 100`];
  const node = el("span", { class: "worth", title }, el("span", {}, el("i", {})), data.census ? null : String(f.worth));
  node.firstChild.firstChild.style.width = `${Math.max(0, part || 0)}%`;
  return node;
}

// The layouts now and after the best remedy, row by row beside each other.
function pair(f, t) {
  if (!t || !t.shape || !f.after_shape || t.shape.size === f.after_shape.size) return null;
  const scale = Math.max(t.shape.size, f.after_shape.size);
  const side = (title, shape, order) => el("section", {}, el("h4", {}, `${title}: ${bytes(shape.size)}`), axis(scale), layout(shape, scale, order));
  const sides = el("div", { class: "pair" }, side("Now", t.shape), side("After the first remedy", f.after_shape, widest(t.shape)));
  for (const node of sides.children) node.style.setProperty("--rows", String(2 + Math.max(...[...sides.children].map((s) => s.lastChild.children.length))));
  return [sides, legend(...KINDS)];
}

function findingOf(f) {
  const lint = data.lints[f.lint];
  const t = data.types[f.type_index];
  const ripple = f.ripple.map(([path, before, after]) => [el("code", {}, path), ` ${number(before)} → ${number(after)}`]);
  const facts = [`rank ${f.rank}`, crateOf(f), `size: ${f.confidence}`];
  if (f.triples.length) facts.push(`on ${f.triples.join(", ")}`);
  const title = f.parts ? f.parts.title[0].toUpperCase() + f.parts.title.slice(1) : "";
  const drawn = pair(f, t);
  return el("article", { id: `about-${f.rank}`, "aria-label": `finding ${f.rank}` },
    el("h3", { class: f.error ? "error" : null }, prose(f.message)),
    el("p", { class: "facts" }, `worth ${f.worth} of 100`, saves(f) ? ` · ${saves(f)}` : null, " · ",
      lint ? el("a", { href: lint.url, rel: "noreferrer" }, f.lint) : f.lint,
      el("span", { class: "soft" }, ` · ${facts.join(", ")}`)),
    f.waste && f.waste.shared ? el("p", { class: "soft" }, "Some or all of these bytes are in the map for a finding of a better rank.") : null,
    listed("Remedies", f.remedies.map((r) => prose(r))),
    listed("Counted in the run", f.counted.map((line) => prose(line))),
    drawn,
    f.labels.map(snippet),
    listed("Types that change with the first remedy", ripple),
    listed(title, f.parts ? f.parts.rows.map(([name, n]) => [el("code", {}, name), ` ${number(n)}`]) : []),
    listed("Evidence", f.evidence.map(([at, text]) => [at ? el("span", { class: "path soft" }, `${at}: `) : null, prose(text)])),
    listed("Notes", f.notes.map((n) => prose(n))),
    listed(`Why it is worth ${f.worth} of 100`, f.signals.map((s) => prose(`${s.points} ${s.words}`))));
}

// The neighbours of a finding in the ranking.
function neighbours(f) {
  const at = data.findings.indexOf(f);
  const link = (other, mark) => (other ? el("a", { href: `#f-${other.rank}` }, `${mark} ${other.rank}: ${lastOf(other.type) || other.lint}`) : null);
  return [link(data.findings[at - 1], "← rank"), link(data.findings[at + 1], "→ rank")];
}

// Fills the page for a type (or none) and the finding that was asked for (or none).
function typePage(t, asked) {
  const about = t ? data.findings.filter((f) => f.type_index === t.index) : [asked];
  const heading = el("h2", { tabindex: "-1" }, el("code", {}, t ? t.path + generics(t) : asked.type || asked.lint));
  const facts = t ? [
    `${t.kind} of ${crateOf(t)}`, `defined at ${t.file}:${t.line}`,
    t.size !== null ? bytes(t.size) : t.generics.length ? "size depends on its parameters" : `size unknown, at least ${bytes(t.least)}`,
    t.align === null ? null : `align ${t.align}`,
    t.stored ? "fields store many values of it" : null,
    count(about.length, "finding"),
  ].filter(Boolean) : [`${asked.labels[0].file}:${asked.labels[0].line}`];
  $("page").replaceChildren(
    el("nav", { "aria-label": "Back" }, el("a", { href: "#back" }, "← Overview"), asked ? neighbours(asked) : null),
    heading, el("p", { class: "soft" }, facts.join(" · ")),
    ...about.map(findingOf),
    ...[t ? countedOf(t.index) : null].flat(Infinity).filter(Boolean),
    ...(t ? [el("h3", {}, "Layout"), ...(t.shape ? [axis(t.shape.size), layout(t.shape), legend(...KINDS)]
      : [el("p", {}, t.size === null ? "The size is unknown: " : "The fields are unknown: ", prose(t.reason || ""))])] : []));
  const at = asked && about.length > 1 ? $(`about-${asked.rank}`) : null;
  heading.focus({ preventScroll: true });
  (at || document.documentElement).scrollIntoView();
}
