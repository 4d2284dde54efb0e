/** The oldest supported Node.js version, the same as in package.json. */
const NEEDED = [20, 19];

/**
 * Ends the process with a message if Node.js is too old. Without new syntax and imports, so that an old version can run
 * it.
 */
export function checkNode() {
  const [major, minor] = process.versions.node.split('.').map(Number);
  if (major > NEEDED[0] || (major === NEEDED[0] && minor >= NEEDED[1])) return;
  console.error(
    `Hatif needs Node.js ${NEEDED.join('.')} or newer; this is ${process.versions.node} (${process.execPath}).`,
  );
  process.exit(1);
}
