// A map of areas in groups, to look at with the mouse or with the arrow keys.

// A squarified treemap: rows of boxes that are as square as possible.
function treemap(values, width, height) {
  const total = values.reduce((a, b) => a + b, 0) || 1;
  const scale = (width * height) / total;
  const boxes = [];
  let [x, y, w, h] = [0, 0, width, height];
  let i = 0;
  while (i < values.length) {
    const side = Math.min(w, h) || 1;
    let all = 0;
    let end = i;
    let best = Infinity;
    while (end < values.length) {
      const next = all + values[end] * scale;
      const thick = next / side;
      const ratio = Math.max((values[i] * scale) / thick / thick, (thick * thick) / (values[end] * scale));
      if (ratio > best) break;
      best = ratio;
      all = next;
      end++;
    }
    const thick = all / side;
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

// Height of a group's heading in pixels, and the least height and width of a group that has one.
const HEAD = 22;
const LEAST = [2 * HEAD, 40];
// So many leaves of a group are drawn, the largest.
const LEAVES = 150;

function place(node, [x, y, w, h]) {
  [node.style.left, node.style.top, node.style.width, node.style.height] =
    [x, y, w, h].map((n) => `${n.toFixed(1)}px`);
  return node;
}

// A leaf; `prefix` is the name of a group that has no heading.
function leafOf(leaf, box, prefix) {
  const [, , w, h] = box;
  const is_roomy = h > 64;
  const node = el(leaf.href ? "a" : "span",
    { href: leaf.href, class: `leaf ${leaf.kind || ""}${is_roomy ? " roomy" : ""}`, role: leaf.href ? null : "img", "aria-label": leaf.says(), tabindex: "-1" });
  if (leaf.heat !== undefined) node.style.setProperty("--heat", `${leaf.heat}%`);
  if (w > 44 && h > 17) node.append(el("b", {}, prefix + leaf.name().replace(/[a-z](?=[A-Z])/g, "$&\u200b")));
  if (w > 64 && h > 36) node.append(el("span", {}, leaf.value()));
  const more = w > 100 && h > 96 && leaf.more ? leaf.more() : null;
  if (more) {
    const words = el("span", { class: "small" }, more);
    words.style.webkitLineClamp = String(Math.floor((h - 72) / 15));
    node.append(words);
  }
  return place(node, box);
}

// Draws groups `{ name, href, leaves: [{ area, kind, heat, href, name, value, more, says }] }`, of
// which the last four are asked for what is drawn; `heads` says whether groups have headings.
function drawMap(map, groups, heads) {
  map.style.height = "";
  const [width, height] = [map.clientWidth || 1000, map.clientHeight || 380];
  const area = (group) => sum(group.leaves, (leaf) => leaf.area);
  const drawn = groups.filter((g) => area(g) > 0).sort((a, b) => area(b) - area(a));
  const boxes = treemap(drawn.map(area), width, height);
  map.replaceChildren(...drawn.map((group, i) => {
    const [, , w, h] = boxes[i];
    const out = place(el("div", { class: "group", role: "group", "aria-label": group.name }), boxes[i]);
    const top = heads && h >= LEAST[0] && w >= LEAST[1] ? HEAD : 0;
    if (top) {
      out.append(el(group.href ? "a" : "span", { class: "head", href: group.href, tabindex: group.href ? "-1" : null,
        "aria-label": `${group.name}: ${group.says}${group.href ? "; a click or Enter shows it alone" : ""}` }, group.name, el("span", { class: "soft" }, ` ${group.says}`)));
    }
    const leaves = group.leaves.filter((l) => l.area > 0).sort((a, b) => b.area - a.area).slice(0, LEAVES);
    treemap(leaves.map((l) => l.area), w - 2, h - top - 2)
      .forEach((box, at) => out.append(leafOf(leaves[at], [box[0], box[1] + top, box[2], box[3]], heads && !top ? `${group.name}: ` : "")));
    return out;
  }));
  const entry = map.querySelector(".leaf");
  if (entry) entry.tabIndex = 0;
}

// The box that lies next in the direction of an arrow key.
function neighbour(from, boxes, key) {
  const rect = (node) => node.getBoundingClientRect();
  const middle = (r) => [(r.left + r.right) / 2, (r.top + r.bottom) / 2];
  const [x, y] = middle(rect(from));
  const along = key === "ArrowLeft" || key === "ArrowRight" ? 0 : 1;
  const sign = key === "ArrowLeft" || key === "ArrowUp" ? -1 : 1;
  let best = null;
  for (const box of boxes) {
    const [bx, by] = middle(rect(box));
    const off = [bx - x, by - y];
    if (box === from || off[along] * sign < 1) continue;
    const far = Math.abs(off[along]) + 2 * Math.abs(off[1 - along]);
    if (!best || far < best.far) best = { box, far };
  }
  return best && best.box;
}

// One stop for the tab key, arrow keys within, Escape for `up`; what is under the mouse or has the
// focus is said in full below the map.
function steer(map, caption, up) {
  const says = (node) => {
    const box = node && node.closest("[aria-label].leaf, [aria-label].head");
    caption.textContent = box ? box.getAttribute("aria-label") : caption.dataset.idle;
  };
  map.addEventListener("mouseover", (event) => says(event.target));
  map.addEventListener("mouseleave", () => says(map.contains(document.activeElement) ? document.activeElement : null));
  map.addEventListener("focusin", (event) => says(event.target));
  map.addEventListener("focusout", () => says(null));
  map.addEventListener("keydown", (event) => {
    if (event.key === "Escape") {
      event.stopPropagation();
      return up();
    }
    if (!event.key.startsWith("Arrow")) return undefined;
    event.preventDefault();
    const next = neighbour(event.target, map.querySelectorAll("[tabindex]"), event.key);
    if (!next) return undefined;
    event.target.tabIndex = -1;
    next.tabIndex = 0;
    return next.focus();
  });
}
