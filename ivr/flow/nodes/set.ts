import type { NodeBehaviour } from '../node.js';

/** All values are worked out before the first is set. */
export const set: NodeBehaviour<'set'> = {
  enter({ values, next }, ctx) {
    const made = Object.entries(values).map(([name, value]): [string, string] => [
      name,
      typeof value === 'string' ? ctx.text(value) : String(value),
    ]);
    for (const [name, value] of made) ctx.set(name, value);
    return { go: next };
  },
};
