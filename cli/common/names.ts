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
