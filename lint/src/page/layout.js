// The layout of a type: a bar of bytes for each variant, and a table of the same parts.

// A gap between fields of a variant, in parts: those that fields of other variants use, and padding.
function gapsOf(shape, from, to) {
  const there = shape.variants.flatMap((v) => v.fields).filter(([, , offset, size]) => offset < to && offset + size > from);
  const out = [];
  const add = (kind, name, end) => {
    const last = out[out.length - 1];
    if (end <= from) return;
    if (last && last.kind === kind) last.size += end - from;
    else out.push({ kind, name, type: "", offset: from, size: end - from });
    from = end;
  };
  for (const [, , offset, size] of there.sort((a, b) => a[2] - b[2])) {
    add("padding", "(padding)", offset);
    add("unused", "(unused in this variant)", Math.min(to, offset + size));
  }
  add("padding", "(padding)", to);
  return out;
}

// The bytes of a variant: fields, tag, padding, and room that only other variants use. The field
// with the largest niche is marked.
function pieces(shape, variant) {
  const list = variant.fields
    .filter(([, , , size]) => size > 0)
    .map(([name, type, offset, size]) => ({ kind: "field", name, type, offset, size }));
  const tag = shape.tag;
  if (tag && tag.niche_of !== variant.name) {
    list.push({ kind: "tag", name: "(tag)", type: "", offset: tag.offset, size: tag.size });
  }
  list.sort((a, b) => a.offset - b.offset || a.size - b.size);
  let at = 0;
  const gaps = [];
  for (const piece of list.concat({ offset: shape.size, size: 0 })) {
    gaps.push(...gapsOf(shape, at, piece.offset));
    at = Math.max(at, piece.offset + piece.size);
  }
  const niche = shape.niche;
  for (const piece of list) {
    const inside = niche && niche.offset >= piece.offset && niche.offset < piece.offset + piece.size;
    if (piece.kind === "field" && inside) piece.kind = "niche";
  }
  return list.concat(gaps).sort((a, b) => a.offset - b.offset);
}

// Bytes of padding: of an enum, those of its widest variant.
function padding(t) {
  if (!t.shape || !t.shape.variants.length) return 0;
  const widest = t.shape.variants.reduce((a, b) => (b.size > a.size ? b : a));
  return sum(pieces(t.shape, widest).filter((p) => p.kind === "padding"), (p) => p.size);
}

// So many of the widest variants of an enum are drawn at once.
const DRAWN = 5;

// The bytes along the bars below it.
function axis(whole) {
  const steps = whole % 4 === 0 && whole > 4 ? [0, 1, 2, 3, 4] : [0, 4];
  return el("div", { class: "axis soft", "aria-hidden": "true" }, steps.map((i) => {
    const tick = el("small", {}, i === 4 ? bytes(whole) : number((whole * i) / 4));
    tick.style.left = `${25 * i}%`;
    return tick;
  }));
}

function variantOf(shape, variant, whole) {
  const parts = pieces(shape, variant);
  const words = parts.map((p) => `${p.offset} to ${p.offset + p.size}: ${p.name}`).join(", ");
  const narrow = [];
  const drawn = el("div", { class: "bar", role: "img", "aria-label": words });
  for (const part of parts) {
    const box = el("span", { class: part.kind, title: `${part.name}: ${bytes(part.size)} at ${part.offset}` });
    box.style.left = `${(100 * part.offset) / shape.size}%`;
    box.style.width = `${(100 * part.size) / shape.size}%`;
    // The field of a tuple has no name to speak of.
    part.label = /^\d+$/.test(part.name) ? part.type : part.name;
    if (part.size / whole > 0.06) box.append(part.label);
    else narrow.push(`${part.label} at ${part.offset}`);
    drawn.append(box);
  }
  drawn.style.width = `${(100 * shape.size) / whole}%`;
  const rows = parts.map((p) =>
    el("tr", {}, el("td", { class: "n" }, String(p.offset)), el("td", { class: "n" }, String(p.size)),
      el("td", {}, el("code", {}, p.type ? `${p.name}: ${p.type}` : p.name))));
  const all = el("div", { class: "scroll" }, table(["offset", "size", "part"], rows, [0, 1]));
  if (shape.kind !== "enum") return [shape.size ? drawn : null, all];
  return [el("div", {},
    el("h4", {}, el("code", {}, variant.name), el("span", { class: "soft" }, ` ${bytes(variant.size)} of fields`)),
    drawn,
    el("details", { class: "quiet" }, el("summary", {}, narrow.length ? `Parts; not named in the bar: ${narrow.join(", ")}` : "Parts"), all),
  )];
}

// The names of an enum's variants, the widest first.
const widest = (shape) => shape.variants.slice().sort((a, b) => b.size - a.size).map((v) => v.name);

// One bar per variant, all with the same scale and in the given order.
function layout(shape, scale, order) {
  const out = el("div", {});
  if (!shape.size) out.append(el("p", { class: "soft" }, "It is zero-sized."));
  const whole = Math.max(scale || shape.size, 1);
  const is_bare = (v) => shape.kind === "enum" && (v.absent || !v.fields.length);
  const bare = shape.variants.filter(is_bare).map((v) => v.name);
  const full = shape.variants.filter((v) => !is_bare(v));
  const at = new Map((order || widest(shape)).map((name, i) => [name, i]));
  if (shape.kind === "enum") full.sort((a, b) => at.get(a.name) - at.get(b.name));
  const draw = (variants) => variants.map((v) => variantOf(shape, v, whole));
  out.append(...draw(full.slice(0, DRAWN)).flat().filter(Boolean));
  const rest = full.slice(DRAWN);
  if (rest.length) {
    const more = el("details", { class: "quiet" },
      el("summary", {}, `${count(rest.length, "more variant")} of at most ${bytes(Math.max(...rest.map((v) => v.size)))} of fields`));
    const open = () => more.append(...draw(rest).flat().filter(Boolean));
    more.addEventListener("toggle", open, { once: true });
    out.append(more);
  }
  if (bare.length) out.append(el("p", { class: "soft" }, "Variants without fields: ", el("code", {}, bare.join(", "))));
  const facts = [];
  if (shape.tag) {
    const kept = shape.tag.niche_of ? `, in the niche of ${shape.tag.niche_of}` : "";
    facts.push(`tag: ${bytes(shape.tag.size)} at ${shape.tag.offset}${kept}`);
  }
  if (shape.niche) facts.push(`niche: ${shape.niche.values} in ${bytes(shape.niche.size)} at ${shape.niche.offset}`);
  if (facts.length) out.append(el("p", { class: "soft" }, facts.join("; ")));
  return out;
}

const KINDS = [["field", "field"], ["niche", "field with a niche"], ["tag", "tag"],
  ["padding", "padding"], ["unused", "unused in this variant"]];
