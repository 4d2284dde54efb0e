import { exactSarNumber, microsFromSar, type MicroSar } from './money.js';

/** A value as JSON carries it: points in time are texts in ISO 8601. */
export type Wire<T> = T extends Date
  ? string
  : T extends readonly (infer Item)[]
    ? readonly Wire<Item>[]
    : T extends object
      ? { readonly [K in keyof T]: Wire<T[K]> }
      : T;

/** The value as JSON carries it. */
export function toWire<T>(value: T): Wire<T> {
  return written(value) as Wire<T>;
}

function written(value: unknown): unknown {
  if (value instanceof Date) return value.toISOString();
  if (Array.isArray(value)) return value.map(written);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, written(member)]));
}

/** The members of an object that are points in time. */
type TimesOf<T> = { [K in keyof T & string]-?: Extract<T[K], Date> extends never ? never : K }[keyof T & string];

/**
 * Returns a function that reads what {@link toWire} wrote.
 * @param times the points in time of the object, all of them; those of objects inside it have readers of their own
 */
export function reader<T extends object>(times: Readonly<Record<TimesOf<T>, true>>): (json: Wire<T>) => T {
  const names = Object.keys(times);
  return (json) => {
    const given = json as Readonly<Record<string, unknown>>;
    const read = names.flatMap((name) => {
      const text = given[name];
      return typeof text === 'string' ? [[name, new Date(text)] as const] : [];
    });
    return { ...given, ...Object.fromEntries(read) } as T;
  };
}

/** The object with these amounts in riyals, under names that say so. */
export type InSar<T, K extends keyof T & string> = Omit<T, K> & {
  readonly [P in keyof Pick<T, K> as `${P & string}_sar`]: T[P];
};

/** Writes amounts as exact riyals: `amount` becomes `amount_sar`. */
export function inSar<T extends object, K extends keyof T & string>(row: T, ...names: readonly K[]): InSar<T, K> {
  return Object.fromEntries(
    Object.entries(row).map(([name, value]) => {
      if (!names.some((one) => one === name)) return [name, value] as const;
      return [`${name}_sar`, value === null ? null : exactSarNumber(value as MicroSar)] as const;
    }),
  ) as InSar<T, K>;
}

/** Reads what {@link inSar} wrote. */
export function fromSar<T extends object, K extends keyof T & string>(json: InSar<T, K>, ...names: readonly K[]): T {
  return Object.fromEntries(
    Object.entries(json).map(([name, value]: [string, unknown]) => {
      const own = names.find((one) => `${one}_sar` === name);
      if (own === undefined) return [name, value] as const;
      return [own, typeof value === 'number' ? microsFromSar(String(value)) : null] as const;
    }),
  ) as T;
}
