import { readFileSync } from 'node:fs';

/** A request that succeeds, and the answer to it. Absent: the operation has no JSON there. */
export interface Example {
  readonly request?: unknown;
  readonly response?: { readonly status: number; readonly body: unknown };
}

function read(name: string): Readonly<Record<string, Example>> {
  return JSON.parse(readFileSync(new URL(name, import.meta.url), 'utf8')) as Readonly<Record<string, Example>>;
}

/**
 * An example of each operation, by `operationId`. The tenancy test records them from real exchanges (only ids, times,
 * names, numbers and secrets are replaced) and fails if they no longer match: `npm run examples` records them again.
 * That test has no session and no identity service of its own: the examples of signing in and of the account of the
 * person who is signed in were taken once from the tests of these routes. Every example is checked against its schema.
 */
export const EXAMPLES: Readonly<Record<string, Example>> = { ...read('people.json'), ...read('examples.json') };
