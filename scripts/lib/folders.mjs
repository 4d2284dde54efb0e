import { posix } from 'node:path';

/** The folders that may hold more: one file for each change of the database. */
const UNLIMITED = ['core/data/migrations'];
const MOST_FILES = 30;

/**
 * Circles of folders. A folder stands for its own files only: a folder and one inside it are two.
 * @param imports `[importing file, imported file]`
 * @returns one line for each arrow of a circle, with a file that draws it
 */
export function folderCircles(imports) {
  const arrows = new Map();
  for (const [from, to] of imports) {
    const [a, b] = [posix.dirname(from), posix.dirname(to)];
    if (a === b) continue;
    const targets = arrows.get(a) ?? arrows.set(a, new Map()).get(a);
    if (!targets.has(b)) targets.set(b, `${from} → ${to}`);
  }
  return circlesOf(arrows).flatMap((circle) => [
    `folders in a circle: ${circle.sort().join(', ')}`,
    ...circle.flatMap((folder) =>
      [...(arrows.get(folder) ?? [])].flatMap(([target, example]) =>
        circle.includes(target) ? [`  ${folder} → ${target}   ${example}`] : [],
      ),
    ),
  ]);
}

/** Folders with more files of their own than a reader can take in. @param files all tracked files */
export function crowdedFolders(files) {
  const sizes = new Map();
  for (const file of files) {
    const folder = posix.dirname(file);
    sizes.set(folder, (sizes.get(folder) ?? 0) + 1);
  }
  return [...sizes]
    .filter(([folder, size]) => size > MOST_FILES && !UNLIMITED.includes(folder))
    .map(([folder, size]) => `${folder} holds ${size} files, more than ${MOST_FILES}`);
}

/** The strongly connected parts of a graph that hold more than one node (Tarjan 1972). */
function circlesOf(arrows) {
  const [order, low] = [new Map(), new Map()];
  const stack = [];
  const circles = [];
  const visit = (node) => {
    order.set(node, order.size);
    low.set(node, order.get(node));
    stack.push(node);
    for (const next of (arrows.get(node) ?? new Map()).keys()) {
      if (!order.has(next)) visit(next);
      if (stack.includes(next)) low.set(node, Math.min(low.get(node), low.get(next)));
    }
    if (low.get(node) !== order.get(node)) return;
    const circle = stack.splice(stack.indexOf(node));
    if (circle.length > 1) circles.push(circle);
  };
  for (const node of arrows.keys()) if (!order.has(node)) visit(node);
  return circles;
}
