// Elements, amounts and lists, which all parts of the page share. Names are set as text, never as
// markup.
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

const format = new Intl.NumberFormat("en");
const number = (n) => format.format(n);
const bytes = (n) => (n === 1 ? "1 byte" : `${number(n)} bytes`);
const count = (n, noun) => `${number(n)} ${noun}${n === 1 ? "" : "s"}`;
const sum = (list, f) => list.reduce((all, x) => all + f(x), 0);
const percent = (part, whole) => (whole ? `${((100 * part) / whole).toFixed(1)} %` : "0 %");

// Bytes in the largest unit of which there is one, as on the terminal.
function amount(n) {
  if (n < 1e4) return `${number(n)} B`;
  if (n < 1e6) return `${(n / 1e3).toFixed(1)} kB`;
  return n < 1e10 ? `${(n / 1e6).toFixed(1)} MB` : `${(n / 1e9).toFixed(1)} GB`;
}

const crateOf = (thing) => data.crates[thing.crate] || "";
const lastOf = (path) => path.split("::").pop();
const generics = (t) => (t.generics.length ? `<${t.generics.join(", ")}>` : "");

// Text with `code` between backticks.
function prose(text) {
  return text.split("`").map((part, i) => (i % 2 ? el("code", {}, part) : part));
}

function table(titles, rows, numbers) {
  const is = (i) => ((numbers || []).includes(i) ? "n" : null);
  const head = titles.map((t, i) => el("th", { scope: "col", class: is(i) }, t));
  return el("table", {}, el("thead", {}, el("tr", {}, head)), el("tbody", {}, rows));
}

// A list under a title, if there is something in it.
function listed(title, items) {
  return items.length ? [el("h4", {}, title), el("ul", {}, items.map((i) => el("li", {}, i)))] : null;
}

// The first items in a container, and a button that shows all.
function first(container, items, most, make) {
  container.replaceChildren(...items.slice(0, most).map(make));
  if (items.length <= most) return null;
  const button = el("button", { type: "button", class: "all" }, `Show all ${number(items.length)}`);
  button.addEventListener("click", () => {
    container.append(...items.slice(most).map(make));
    const next = container.children[most];
    const target = next.querySelector("a, summary");
    if (target) target.focus();
    button.remove();
  });
  return button;
}

// A bar of kinds with their parts of a whole; what is missing stays empty.
function bar(parts, whole) {
  const node = el("span", { class: "share", "aria-hidden": "true" });
  for (const [kind, n] of parts) {
    const part = el("i", { class: kind });
    part.style.width = `${whole ? (100 * n) / whole : 0}%`;
    node.append(part);
  }
  return node;
}

const legend = (...pairs) =>
  el("p", { class: "legend" }, pairs.map(([kind, text]) =>
    el("span", {}, el("i", { class: kind, "aria-hidden": "true" }), text)));
