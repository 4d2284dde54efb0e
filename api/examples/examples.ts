import { readFileSync } from 'node:fs';

/** A request that succeeds, and the answer to it. Absent: the operation has no JSON there. */
export interface Example {
  readonly request?: unknown;
  readonly response?: { readonly status: number; readonly body: unknown };
}

/**
 * An example of each operation, by `operationId`. The tenancy test records them from real exchanges (only ids, times,
 * names, numbers and secrets are replaced) and fails if they no longer match: `npm run examples` records them again.
 */
export const EXAMPLES = JSON.parse(readFileSync(new URL('examples.json', import.meta.url), 'utf8')) as Readonly<
  Record<string, Example>
>;
