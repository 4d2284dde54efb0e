import type { ApiClient, Json } from '../../common/api-client.js';
import { CliError, EXIT, type Hint } from '../../common/failure.js';
import { listed, named } from '../../common/names.js';
import { plain } from '../../common/output.js';

/** A call flow, as the API lists it. */
export interface StoredFlow {
  readonly id: string;
  readonly name: string;
  readonly kind: string;
  readonly version: number;
  readonly status: string;
  readonly sandbox: boolean;
  readonly bound_numbers: readonly string[];
}

interface StoredNumber {
  readonly id: string;
  readonly e164: string;
}

/** All call flows that the key sees, newest first. */
export async function storedFlows(api: ApiClient): Promise<readonly StoredFlow[]> {
  return (await all(api, '/v1/callflows')) as readonly StoredFlow[];
}

/** Those that the key changes: a live key also sees flows of the sandbox. */
export function ownFlows(api: ApiClient, flows: readonly StoredFlow[]): readonly StoredFlow[] {
  return flows.filter(({ sandbox }) => sandbox === (api.keyKind === 'sandbox'));
}

/** The one flow with this id or name. @throws CliError that lists the flows, or those that share the name */
export function flowOf(flows: readonly StoredFlow[], wanted: string): StoredFlow {
  const [only, ...others] = named(flows, wanted, ({ id }, text) => id === text.toLowerCase());
  if (only && others.length === 0) return only;
  if (!only) {
    throw new CliError(
      `The project has no call flow "${plain(wanted)}".`,
      EXIT.failed,
      `Call flows: ${listed(flows.map(({ name }) => plain(name)))}`,
    );
  }
  throw new CliError(
    `"${plain(wanted)}" is the name of several call flows.`,
    EXIT.failed,
    `Give an id: ${[only, ...others].map(({ id, version, status }) => `${id} (version ${version}, ${status})`).join(', ')}`,
  );
}

/** Refuses a second flow with the same name. @throws CliError that names the command for a new version */
export function assertNoTwin(flows: readonly StoredFlow[], name: string, file: string): void {
  const [twin] = flows.filter((flow) => flow.name.trim() === name.trim());
  if (!twin) return;
  const hint: Hint = ({ hatif }) => `A new version of it: ${hatif(`flows update ${twin.id} ${plain(file)}`)}`;
  throw new CliError(`The project has a call flow "${plain(name)}" already (${twin.id}).`, EXIT.failed, hint);
}

/** One of the project's numbers, in E.164 or without its country code. @throws CliError that lists the numbers */
export async function numberOf(api: ApiClient, number: string): Promise<StoredNumber> {
  const digits = number.replace(/\D/g, '').replace(/^0+/, '');
  const numbers = (await all(api, '/v1/numbers')) as readonly StoredNumber[];
  const matches = digits === '' ? [] : numbers.filter(({ e164 }) => e164.endsWith(digits));
  const exact = matches.filter(({ e164 }) => e164 === `+${digits}` || e164 === `+966${digits}`);
  const [only, ...others] = exact.length > 0 ? exact : matches;
  if (only && others.length === 0) return only;
  const [problem, shown] = only
    ? [`"${plain(number)}" is the end of several numbers.`, matches]
    : [`The project has no number ${plain(number)}.`, numbers];
  throw new CliError(problem, EXIT.failed, `Numbers: ${listed(shown.map(({ e164 }) => e164))}`);
}

/** Every item of a list. */
async function all(api: ApiClient, path: string): Promise<readonly unknown[]> {
  const items: unknown[] = [];
  for (let next: string | null = `${path}?limit=100`; next !== null;) {
    const { data, next_cursor: cursor }: Json = await api.get(next);
    items.push(...(data as readonly unknown[]));
    next = typeof cursor === 'string' ? `${path}?limit=100&cursor=${encodeURIComponent(cursor)}` : null;
  }
  return items;
}
