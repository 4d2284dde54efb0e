import { CliError, EXIT, type Hint } from './failure.js';
import { plain } from './output.js';

/** How many names an error lists. */
const LISTED = 20;

/** The names for an error: the first ones, and how many more there are. */
export function listed(names: readonly string[]): string {
  const more = names.length > LISTED ? `, and ${names.length - LISTED} more` : '';
  return names.length === 0 ? 'none' : `${names.slice(0, LISTED).join(', ')}${more}`;
}

/** Those with this id; if there is none, those with this name. */
export function named<T extends { readonly name: string }>(
  things: readonly T[],
  wanted: string,
  hasId: (thing: T, text: string) => boolean,
): readonly T[] {
  const text = wanted.trim().normalize('NFC');
  const byId = things.filter((thing) => hasId(thing, text));
  return byId.length > 0 ? byId : things.filter(({ name }) => name.trim().normalize('NFC') === text);
}

const PLURALS = { organization: 'Organizations', project: 'Projects' } as const;

/**
 * The one with this id or name; without either, the only one.
 * @param what names the option, too
 * @throws CliError that lists them, or `none` if there is nothing to choose from
 */
export function chosen<T extends { readonly id: string; readonly name: string }>(
  things: readonly T[],
  wanted: string | undefined,
  what: keyof typeof PLURALS,
  none: { readonly problem: string; readonly hint: Hint },
): T {
  const [only, ...others] = wanted === undefined ? things : named(things, wanted, ({ id }, text) => id === text);
  if (only && others.length === 0) return only;
  if (things.length === 0) throw new CliError(none.problem, EXIT.failed, none.hint);
  const all = things.map(({ id, name }) => `${plain(name)} (${id})`).join(', ');
  if (wanted === undefined) throw new CliError(`Which ${what}?`, EXIT.usage, `Give --${what}: ${all}`);
  const problem = only ? `There are several ${what}s named` : `There is no ${what}`;
  throw new CliError(`${problem} ${plain(wanted)}.`, EXIT.failed, `${PLURALS[what]}: ${all}`);
}
