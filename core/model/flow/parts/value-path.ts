/** One step of the path to a value in a JSON document: `customer.name`, `orders[0].total`. */
const STEP = /^(?:([A-Za-z_][A-Za-z0-9_-]{0,63})|\[(\d{1,4})\])/;

/** The steps of the path; null if it is malformed. */
export function parsePath(path: string): (string | number)[] | null {
  const steps: (string | number)[] = [];
  let rest = path;
  while (rest !== '') {
    if (steps.length > 0 && rest.startsWith('.')) rest = rest.slice(1);
    else if (steps.length > 0 && !rest.startsWith('[')) return null;
    const [all, name, index] = STEP.exec(rest) ?? [];
    if (all === undefined) return null;
    steps.push(name ?? Number(index));
    rest = rest.slice(all.length);
  }
  return steps.length === 0 ? null : steps;
}

/** The string, number or boolean at the path, as text; null for anything else. Inherited members are not read. */
export function readPath(data: unknown, path: string): string | null {
  let value = data;
  for (const step of parsePath(path) ?? []) {
    if (typeof value !== 'object' || value === null) return null;
    if (typeof step === 'number' ? !Array.isArray(value) : Array.isArray(value)) return null;
    if (!Object.hasOwn(value, step)) return null;
    value = (value as Record<string | number, unknown>)[step];
  }
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean' ? String(value) : null;
}
