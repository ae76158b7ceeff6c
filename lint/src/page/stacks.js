// Who asked for the counted heap: functions as boxes, each above those that it called, and the types
// that they asked for.

// Height of a box in pixels, the least width of one that is drawn, and the most rows.
const ROW = 24;
const THIN = 3;
const DEEP = 20;

// The numbers that lead from the program to the function that is drawn whole.
let stack = [];
const stackAt = (path) => path.reduce((at, i) => at && at.under[i], data.census.stacks);
const stackLink = (path) => `#stack-${path.join(".")}`;

function drawStacks(map) {
  const width = map.clientWidth || 1000;
  const whole = data.census.stacks;
  const boxes = [];
  let rows = 0;
  const put = (of, path, x, w, depth) => {
    if (w < THIN || depth === DEEP) return;
    rows = Math.max(rows, depth + 1);
    const is_top = depth === 0 && path.length > 0;
    const leaf = {
      href: of.is_type ? null : stackLink(is_top ? path.slice(0, -1) : path),
      kind: of.is_type ? "values" : "call",
      name: () => `${of.short} ${amount(of.bytes)}`,
      says: () => `${of.name}: ${bytes(of.bytes)} in ${count(of.blocks, "block")}, ${percent(of.bytes, whole.bytes)}${is_top ? "; a click or Enter shows what called it" : ""}`,
    };
    boxes.push(leafOf(leaf, [x, depth * ROW, w, ROW], ""));
    let at = x;
    of.under.forEach((under, i) => {
      const part = (w * under.bytes) / of.bytes;
      put(under, [...path, i], at, part, depth + 1);
      at += part;
    });
  };
  put(stackAt(stack), stack, 0, width, 0);
  map.style.height = `${rows * ROW}px`;
  map.replaceChildren(...boxes);
  boxes[0].tabIndex = 0;
}
