import { posix } from 'node:path';

/** Folders without a limit: each change of the database adds a migration. */
const UNLIMITED = ['core/data/migrations'];
const MAX_FILES = 30;

/**
 * Finds circles of folders. A folder counts only its own files: a folder and its subfolder are two folders.
 * @param imports `[importing file, imported file]`
 * @returns a line per circle, and a line per arrow of it with an example of the import
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

/** Finds folders with more than {@link MAX_FILES} files of their own. @param files all tracked files */
export function crowdedFolders(files) {
  const sizes = new Map();
  for (const file of files) {
    const folder = posix.dirname(file);
    sizes.set(folder, (sizes.get(folder) ?? 0) + 1);
  }
  return [...sizes]
    .filter(([folder, size]) => size > MAX_FILES && !UNLIMITED.includes(folder))
    .map(([folder, size]) => `${folder} holds ${size} files, more than ${MAX_FILES}`);
}

/** The strongly connected components with more than one node (Tarjan 1972). */
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
