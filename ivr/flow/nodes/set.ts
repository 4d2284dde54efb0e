import type { NodeBehaviour } from '../node.js';

/** All values are computed before the first is set, so a value can refer to a variable's previous value. */
export const set: NodeBehaviour<'set'> = ({ values, next }, ctx) => {
  const computed = Object.entries(values).map(([name, value]): [string, string] => [
    name,
    typeof value === 'string' ? ctx.fill(value) : String(value),
  ]);
  for (const [name, value] of computed) ctx.set(name, value);
  return { go: next };
};
