import { METADATA_MAX_KEYS, type Metadata } from '../../../model/metadata.js';
import type { NewCallFacts } from '../../call-state/new-call-row.js';

/** The longest value, and the most values, that a phone may hand over with its call. */
const [LONGEST, MOST] = [256, 20];

/** PostgreSQL's jsonb can hold neither NUL nor an unpaired surrogate, which may be half of a character that was cut. */
const UNSTORABLE = /[\0\p{Surrogate}]/gu;

/**
 * What the `X-Hatif-…` headers of a softphone or browser make of its call: variables for call flows, and the metadata
 * that comes back on events. What the project set itself is never replaced, and comes first if both are too many.
 * @param own metadata that the project set
 */
export function factsOfHeaders(
  headers: Readonly<Record<string, string>>,
  own: Metadata,
): Required<Pick<NewCallFacts, 'metadata' | 'variables'>> {
  const variables = variablesOf(headers);
  const added = Object.entries(variables).filter(([name]) => !Object.hasOwn(own, name));
  const room = Math.max(0, METADATA_MAX_KEYS - Object.keys(own).length);
  return { metadata: { ...own, ...Object.fromEntries(added.slice(0, room)) }, variables };
}

/** `X-Hatif-Order-Id` is `web_order_id`. */
function variablesOf(headers: Readonly<Record<string, string>>): Record<string, string> {
  const named = Object.entries(headers).map(([name, value]) => {
    const variable = name
      .toLowerCase()
      .replace(/^x-hatif-/, '')
      .replaceAll('-', '_');
    return [`web_${variable}`, value.slice(0, LONGEST).replace(UNSTORABLE, '\uFFFD')] as const;
  });
  return Object.fromEntries(named.filter(([name]) => /^web_[a-z][a-z0-9_]{0,40}$/.test(name)).slice(0, MOST));
}
