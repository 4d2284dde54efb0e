/** The oldest Node.js that everything here runs on; package.json says the same to npm. */
const NEEDED = [20, 19];

/** End with a plain sentence where Node.js is too old. Kept free of new syntax and imports, so that an old one can read it. */
export function checkNode() {
  const [major, minor] = process.versions.node.split('.').map(Number);
  if (major > NEEDED[0] || (major === NEEDED[0] && minor >= NEEDED[1])) return;
  console.error(
    `Hatif needs Node.js ${NEEDED.join('.')} or newer; this is ${process.versions.node} (${process.execPath}).`,
  );
  process.exit(1);
}
