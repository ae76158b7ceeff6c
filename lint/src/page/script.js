"use strict";
// Draws the data of this page. Names are set as text, never as markup. Long lists are drawn in
// steps, and a layout only when it is opened.
(() => {
  const data = JSON.parse(document.getElementById("data").textContent);
  const $ = (id) => document.getElementById(id);

  // An element with attributes and children, which may be strings, elements, null or arrays of these.
  function el(name, attributes, ...children) {
    const node = document.createElement(name);
    for (const [key, value] of Object.entries(attributes || {})) {
      if (value !== undefined && value !== null && value !== false) node.setAttribute(key, value);
    }
    for (const child of children.flat(Infinity)) {
      if (child !== undefined && child !== null) node.append(child);
    }
    return node;
  }

  const bytes = (n) => (n === 1 ? "1 byte" : `${n.toLocaleString("en")} bytes`);
  const count = (n, noun) => `${n.toLocaleString("en")} ${noun}${n === 1 ? "" : "s"}`;
  const sizeOf = (t) => (t.size === null ? `${t.least}+` : String(t.size));
  const generics = (t) => (t.generics.length ? `<${t.generics.join(", ")}>` : "");

  // The bytes of a variant: fields, tag and padding. The field with the largest niche is marked.
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
    const gap = (to) => {
      if (to > at) gaps.push({ kind: "padding", name: "(padding)", type: "", offset: at, size: to - at });
    };
    for (const piece of list) {
      gap(piece.offset);
      at = Math.max(at, piece.offset + piece.size);
    }
    gap(shape.size);
    const niche = shape.niche;
    for (const piece of list) {
      const inside = niche && niche.offset >= piece.offset && niche.offset < piece.offset + piece.size;
      if (piece.kind === "field" && inside) piece.kind = "niche";
    }
    return list.concat(gaps).sort((a, b) => a.offset - b.offset);
  }

  // One bar per variant, with the same scale, and a table of the same parts.
  function layout(shape, scale) {
    const out = el("div", {});
    if (!shape.size) out.append(el("p", { class: "soft" }, "It is zero-sized."));
    const whole = Math.max(scale || shape.size, 1);
    const bare = [];
    for (const variant of shape.variants) {
      if (shape.kind === "enum" && (variant.absent || !variant.fields.length)) {
        bare.push(variant.name);
        continue;
      }
      const parts = pieces(shape, variant);
      if (shape.kind === "enum") {
        out.append(el("h4", {}, el("code", {}, variant.name), ` ${bytes(variant.size)} of fields`));
      }
      const words = parts.map((p) => `${p.offset} to ${p.offset + p.size}: ${p.name}`).join(", ");
      const bar = el("div", { class: "bar", role: "img", "aria-label": words });
      for (const part of parts) {
        const box = el("span", { class: part.kind, title: `${part.name}: ${bytes(part.size)} at ${part.offset}` });
        box.style.left = `${(100 * part.offset) / shape.size}%`;
        box.style.width = `${(100 * part.size) / shape.size}%`;
        if (part.size / whole > 0.06) box.append(part.name);
        bar.append(box);
      }
      bar.style.width = `${(100 * shape.size) / whole}%`;
      const rows = parts.map((p) =>
        el("tr", {}, el("td", { class: "n" }, String(p.offset)), el("td", { class: "n" }, String(p.size)),
          el("td", {}, el("code", {}, p.type ? `${p.name}: ${p.type}` : p.name))));
      if (shape.size) out.append(bar);
      out.append(el("div", { class: "scroll" }, table(["offset", "size", "part"], rows, [0, 1])));
    }
    if (bare.length) out.append(el("p", {}, "Variants without fields: ", el("code", {}, bare.join(", "))));
    const facts = [];
    if (shape.tag) {
      const kept = shape.tag.niche_of ? `, in the niche of ${shape.tag.niche_of}` : "";
      facts.push(`tag: ${bytes(shape.tag.size)} at ${shape.tag.offset}${kept}`);
    }
    if (shape.niche) facts.push(`niche: ${shape.niche.values} in ${bytes(shape.niche.size)} at ${shape.niche.offset}`);
    if (facts.length) out.append(el("p", { class: "soft" }, facts.join("; ")));
    return out;
  }

  function table(titles, rows, numbers) {
    const is = (i) => ((numbers || []).includes(i) ? "n" : null);
    const head = titles.map((t, i) => el("th", { scope: "col", class: is(i) }, t));
    return el("table", {}, el("thead", {}, el("tr", {}, head)), el("tbody", {}, rows));
  }

  const legend = () =>
    el("p", { class: "legend" }, ["field", "niche", "tag", "padding"].map((kind) =>
      el("span", {}, el("i", { class: kind, "aria-hidden": "true" }), kind)));

  // Text with `code` between backticks.
  function prose(text) {
    return text.split("`").map((part, i) => (i % 2 ? el("code", {}, part) : part));
  }

  // A collapsible item, filled when it is opened for the first time.
  function item(id, head, fill) {
    const node = el("details", { id }, el("summary", {}, head));
    node.addEventListener("toggle", () => {
      if (node.open && node.children.length === 1) node.append(el("div", { class: "body" }, fill()));
    });
    return node;
  }

  const crateOf = (thing) => data.crates[thing.crate] || "";
  const type = (t) =>
    item(`t-${t.index}`,
      [el("span", { class: "size" }, sizeOf(t)), el("code", { class: "grow" }, t.path + generics(t)),
        el("span", { class: "soft path" }, `${t.file}:${t.line}`)],
      () => {
        const about = data.findings.filter((f) => f.type_index === t.index);
        const links = about.map((f) => el("li", {}, el("a", { href: `#f-${f.rank}` }, prose(f.message))));
        const facts = `${t.kind} of ${crateOf(t)}, align ${t.align === null ? "unknown" : t.align}`;
        return [
          el("p", { class: "soft" }, facts),
          t.shape ? [layout(t.shape), legend()] : el("p", {}, "The size is unknown: ", prose(t.reason || "")),
          links.length ? [el("h4", {}, "Findings"), el("ul", {}, links)] : null,
        ];
      });

  function snippet(label) {
    const lines = label.lines.map(([number, parts]) =>
      [el("span", { class: "n", "aria-hidden": "true" }, String(number)),
        parts.map(([text, kind]) => (kind ? el("mark", { class: kind === 2 ? "main" : null }, text) : text)), "\n"]);
    return el("div", {}, el("div", { class: "path soft" }, `${label.file}:${label.line}`),
      lines.length ? el("pre", { tabindex: "0" }, lines) : null, el("p", {}, prose(label.text)));
  }

  function finding(f) {
    const changes = f.after !== null && f.after !== f.before;
    const words = f.before === null ? "" : changes ? `${f.before} → ${f.after}` : String(f.before);
    const head = [
      el("span", { class: "size" }, words), el("span", { class: f.error ? "grow error" : "grow" }, prose(f.message)),
      el("span", { class: "lint" }, f.lint),
    ];
    return item(`f-${f.rank}`, head, () => {
      const lint = data.lints[f.lint];
      const t = data.types[f.type_index];
      const list = (title, items) => (items.length ? [el("h4", {}, title), el("ul", {}, items.map((i) => el("li", {}, i)))] : null);
      const ripple = f.ripple.map(([path, before, after]) => [el("code", {}, path), ` ${before} → ${after}`]);
      const facts = [`worth ${f.worth} of 100`, `rank ${f.rank}`, crateOf(f), f.confidence];
      if (f.triples.length) facts.push(`on ${f.triples.join(", ")}`);
      let drawn = null;
      if (t && t.shape && f.after_shape && t.shape.size !== f.after_shape.size) {
        const scale = Math.max(t.shape.size, f.after_shape.size);
        drawn = [el("div", { class: "pair" },
          el("section", {}, el("h4", {}, `Now: ${bytes(t.shape.size)}`), layout(t.shape, scale)),
          el("section", {}, el("h4", {}, `After the first remedy: ${bytes(f.after_shape.size)}`), layout(f.after_shape, scale))), legend()];
      }
      return [
        f.labels.map(snippet),
        list("Remedies", f.remedies.map((r) => prose(r))),
        list("Types that change with the first remedy", ripple),
        list(f.parts ? f.parts.title[0].toUpperCase() + f.parts.title.slice(1) : "", f.parts ? f.parts.rows.map(([name, n]) => [el("code", {}, name), ` ${n}`]) : []),
        list("Evidence", f.evidence.map(([place, text]) => [place ? el("span", { class: "path soft" }, `${place}: `) : null, prose(text)])),
        list(`Worth ${f.worth} of 100`, f.signals.map((s) => prose(s))),
        list("Notes", f.notes.map((n) => prose(n))),
        f.measured ? list("Counted by the census", Object.entries(f.measured).filter(([, v]) => typeof v === "number")
          .map(([key, value]) => `${key.replaceAll("_", " ")}: ${value.toLocaleString("en")}`)) : null,
        drawn,
        el("p", { class: "soft" }, `${facts.join(", ")}. `,
          t ? el("a", { href: `#t-${t.index}` }, "Show the type") : null, t ? ". " : null,
          lint ? [`${lint.summary}: `, el("a", { href: lint.url, rel: "noreferrer" }, `about ${f.lint}`)] : null),
      ];
    });
  }

  // A list that is drawn in steps, with the first items at once.
  function list(container, make) {
    let shown = [];
    let done = 0;
    let run = 0;
    const grow = (to) => {
      const piece = document.createDocumentFragment();
      for (; done < to && done < shown.length; done++) piece.append(make(shown[done]));
      container.append(piece);
    };
    const later = window.requestIdleCallback || ((f) => setTimeout(f, 16));
    return {
      show(items) {
        shown = items;
        done = 0;
        const mine = ++run;
        container.replaceChildren();
        grow(40);
        const next = () => {
          if (mine !== run || done >= shown.length) return;
          grow(done + 150);
          later(next);
        };
        later(next);
      },
      // Draws the list up to an item, for a link to it.
      reach(item) {
        const at = shown.indexOf(item);
        if (at >= 0) grow(at + 1);
        return at >= 0;
      },
    };
  }

  // A squarified treemap: rows of boxes that are as square as possible.
  function treemap(values, width, height) {
    const total = values.reduce((a, b) => a + b, 0) || 1;
    const scale = (width * height) / total;
    const boxes = [];
    let [x, y, w, h] = [0, 0, width, height];
    let i = 0;
    while (i < values.length) {
      const side = Math.min(w, h) || 1;
      let sum = 0;
      let end = i;
      let best = Infinity;
      while (end < values.length) {
        const next = sum + values[end] * scale;
        const thick = next / side;
        const ratio = Math.max((values[i] * scale) / thick / thick, (thick * thick) / (values[end] * scale));
        if (ratio > best) break;
        best = ratio;
        sum = next;
        end++;
      }
      const thick = sum / side;
      let along = 0;
      for (; i < end; i++) {
        const long = (values[i] * scale) / (thick || 1);
        boxes.push(w >= h ? [x, y + along, thick, long] : [x + along, y, long, thick]);
        along += long;
      }
      if (w >= h) [x, w] = [x + thick, w - thick];
      else [y, h] = [y + thick, h - thick];
    }
    return boxes;
  }

  function drawMap(map, types) {
    const largest = types.filter((t) => t.size > 0).sort((a, b) => b.size - a.size).slice(0, 100);
    const [width, height] = [map.clientWidth || 1000, map.clientHeight || 350];
    const boxes = treemap(largest.map((t) => t.size), width, height);
    map.replaceChildren(...largest.map((t, i) => {
      const [x, y, w, h] = boxes[i];
      const name = t.path.split("::").pop();
      const box = el("a", { href: `#t-${t.index}`, class: t.kind, title: `${t.path}: ${bytes(t.size)}`,
        "aria-label": `${t.path}, ${bytes(t.size)}` }, w > 40 && h > 16 ? `${name} ${t.size}` : null);
      [box.style.left, box.style.top, box.style.width, box.style.height] = [x, y, w, h].map((n) => `${n}px`);
      return box;
    }));
  }

  function section(id, title, ...children) {
    $("main").append(el("section", { "aria-labelledby": `${id}-title` },
      el("h2", { id }, el("span", { id: `${id}-title` }, title)), children));
    $("nav").append(el("a", { href: `#${id}` }, title));
  }

  function census(c) {
    const s = c.summary;
    const n = (v) => el("td", { class: "n" }, v.toLocaleString("en"));
    const types = c.types.slice(0, 100).map((t) =>
      el("tr", {}, n(t.bytes), n(t.values), n(t.size), el("td", {}, el("code", {}, t.type),
        Object.entries(t.variants || {}).sort((a, b) => b[1] - a[1]).map(([name, many]) => el("div", { class: "soft" }, `${name}: ${many.toLocaleString("en")}`)))));
    const fields = c.fields.filter((f) => f.containers > 0).slice(0, 100).map((f) =>
      el("tr", {}, n(f.bytes), n(f.containers), n(f.slack_bytes), n(f.empty),
        el("td", {}, el("code", {}, f.type ? `${f.type}::${f.field}` : f.field)), el("td", {}, f.kind)));
    section("census", "Census",
      el("p", {}, `${c.head.program}, ${c.head.label}: ${bytes(s.live_bytes)} in ${count(s.blocks, "block")}, ${bytes(s.typed_bytes)} of them with a known type.`),
      el("h3", {}, "Values by type"), el("div", { class: "scroll" }, table(["bytes", "values", "size", "type"], types, [0, 1, 2])),
      el("h3", {}, "Containers by field"), el("div", { class: "scroll" },
        table(["bytes", "containers", "spare", "empty", "field", "kind"], fields, [0, 1, 2, 3])));
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

  $("title").textContent = data.head.title;
  $("summary").textContent = data.head.summary;
  if (data.census) census(data.census);
  if (data.diff) diff(data.diff);
  const [found, types, map] = [el("div", {}), el("div", {}), el("div", { id: "map" })];
  section("findings", `Findings (${data.findings.length})`, found);
  section("types", `Types (${data.types.length})`, map, types);
  if (!data.findings.length) found.before(el("p", {}, "No findings."));

  data.crates.forEach((name, i) => $("crate").append(el("option", { value: String(i) }, name)));
  [...new Set(data.findings.map((f) => f.lint))].sort()
    .forEach((name) => $("lint").append(el("option", { value: name }, name)));
  data.types.forEach((t, i) => (t.index = i));
  const bySize = data.types.slice().sort((a, b) => (b.size ?? b.least) - (a.size ?? a.least));
  const lists = { f: list(found, finding), t: list(types, type) };

  let mapped = [];
  function filter() {
    const [text, crate, lint] = [$("text").value.toLowerCase(), $("crate").value, $("lint").value];
    const in_crate = (thing) => crate === "" || String(thing.crate) === crate;
    const has = (...texts) => texts.some((t) => t.toLowerCase().includes(text));
    const f = data.findings.filter((f) => in_crate(f) && (lint === "" || f.lint === lint) &&
      has(f.message, f.type, f.lint, ...f.labels.map((l) => l.file)));
    const linted = new Set(f.map((x) => x.type_index));
    const t = bySize.filter((t) => in_crate(t) && (lint === "" || linted.has(t.index)) && has(t.path, t.file));
    lists.f.show(f);
    lists.t.show(t);
    mapped = t;
    drawMap(map, t);
    $("count").textContent = `${count(f.length, "finding")}, ${count(t.length, "type")}`;
  }

  // Opens the target of a link, and resets a filter that hides it.
  function go() {
    const found = /^#([ft])-(\d+)$/.exec(location.hash);
    if (!found) return;
    const [, kind, number] = found;
    const wanted = kind === "t" ? data.types[Number(number)] : data.findings.find((f) => f.rank === Number(number));
    if (!wanted) return;
    if (!lists[kind].reach(wanted)) {
      for (const id of ["text", "crate", "lint"]) $(id).value = "";
      filter();
      lists[kind].reach(wanted);
    }
    const node = $(location.hash.slice(1));
    node.open = true;
    node.scrollIntoView();
    node.querySelector("summary").focus({ preventScroll: true });
  }

  let timer = 0;
  const soon = () => {
    clearTimeout(timer);
    timer = setTimeout(filter, 80);
  };
  $("filter").addEventListener("submit", (event) => event.preventDefault());
  $("filter").addEventListener("input", soon);
  document.addEventListener("keydown", (event) => {
    const typing = /^(INPUT|SELECT|TEXTAREA)$/.test(event.target.tagName);
    if (event.key === "/" && !typing && !event.ctrlKey && !event.metaKey && !event.altKey) {
      event.preventDefault();
      $("text").focus();
    }
  });
  let resized = 0;
  window.addEventListener("resize", () => {
    clearTimeout(resized);
    resized = setTimeout(() => drawMap(map, mapped), 120);
  });
  window.addEventListener("hashchange", go);
  filter();
  go();
})();
