import { openApiDocument } from '../../api/http/openapi.js';
import { operationsOf, type Operation } from '../fuzz/operations.js';
import { ask, type Answer, type RequestOptions } from '../support/api.js';
import { eventually } from '../support/eventually.js';
import { envelopeProblems } from '../support/judges/route-contract.js';
import { scimProblems } from '../support/judges/scim.js';
import { changedTables, type Dump } from './dump.js';
import { RecordedExamples } from './examples.js';
import { placesOf } from './places.js';
import type { Asked, Sample } from './sample.js';
import { SAMPLES, SANDBOX_SAMPLES, UNSAMPLED } from './samples/index.js';
import type { TenantKeys } from './tenant.js';
import { triesAgainst, type Mixed } from './strangers.js';
import type { Try } from './try.js';
import type { World } from './world.js';

const ANSWER_MS = 10_000;
/** A stream sends nothing to those who have no events. */
const STREAM_MS = 1_000;
/** One look may fall between two changes. */
const SAME_LOOKS = 2;
/** How often tries are repeated to find out whether they change the tables of live calls. */
const ROUNDS = 5;
const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-7/;

/** Tables that a live call changes without a request. */
const OF_LIVE_CALLS = new Set([
  ...['calls', 'legs', 'call_timeline', 'events', 'charges', 'transfers', 'conferences', 'conference_participants'],
  ...['queue_log', 'queue_visits', 'webhook_deliveries', 'recordings', 'softphone_registrations'],
  'unrated_calls',
]);

/**
 * Tries every operation of the platform's API document with the owner's resources: first everybody else, who must learn
 * and change nothing, then the owner with the very same request, which must succeed.
 * @returns one line for each fault
 */
export async function tenancyFaults(world: World): Promise<string[]> {
  const routes = world.platform.api?.routes ?? [];
  const operations = operationsOf(openApiDocument({ routes, version: '1', serverUrl: '' }));
  const faults = tableFaults(operations);
  const examples = new RecordedExamples();
  for (const operation of operations) {
    for (const sample of [SAMPLES[operation.operationId], SANDBOX_SAMPLES[operation.operationId]]) {
      if (!sample) continue;
      const found = await operationFaults(world, operation, sample, examples).catch((error: unknown) => [
        String(error),
      ]);
      faults.push(...found.map((fault) => `${operation.operationId}: ${fault}`));
    }
  }
  if (process.env.HATIF_WRITE_EXAMPLES === '1') examples.write();
  else faults.push(...examples.faults(routes));
  return faults;
}

/** Operations in neither or both of the lists, and entries without an operation. */
function tableFaults(operations: readonly Operation[]): string[] {
  const known = new Set(operations.map(({ operationId }) => operationId));
  return [
    ...[...known].filter((id) => !(id in SAMPLES) && !(id in UNSAMPLED)).map((id) => `${id}: has no sample`),
    ...[...known].filter((id) => id in SAMPLES && id in UNSAMPLED).map((id) => `${id}: has a sample`),
    ...[...Object.keys(SAMPLES), ...Object.keys(SANDBOX_SAMPLES), ...Object.keys(UNSAMPLED)]
      .filter((id) => !known.has(id))
      .map((id) => `${id}: is no operation`),
  ];
}

async function operationFaults(
  world: World,
  operation: Operation,
  sample: Sample,
  examples: RecordedExamples,
): Promise<string[]> {
  const { owner, sibling, stranger } = world;
  const asked = await sample(owner);
  const isNested = placesOf(asked).length > 1 || operation.keyKind === 'none';
  const mixed: Mixed = isNested
    ? [
        { tenant: sibling, asked: await sample(sibling) },
        { tenant: stranger, asked: await sample(stranger) },
      ]
    : [];
  const tries = await triesAgainst(operation, asked, world, mixed);
  const paged = await withCursor(world, operation, asked, tries);
  const faults = await changesBy(world, async () => {
    const found: string[] = [];
    for (const each of [...tries, ...paged]) found.push(...(await tryFaults(world, operation, each)));
    return found;
  });
  return [...faults, ...(await ownerFaults(world, operation, asked, examples))];
}

/**
 * What `work` returns, and a line for each table that it changes. A live call, a callback and a queue change their tables
 * by themselves: those count only if they change each time that the work is repeated.
 */
async function changesBy(world: World, work: () => Promise<string[]>): Promise<string[]> {
  const first = await roundOf(world, work);
  let changed = changedTables(first.before, first.after);
  for (let round = 1; round < ROUNDS && changed.some((table) => OF_LIVE_CALLS.has(table)); round++) {
    const { before, after } = await roundOf(world, work);
    const again = new Set(changedTables(before, after));
    changed = changed.filter((table) => !OF_LIVE_CALLS.has(table) || again.has(table));
  }
  for (const table of changed) {
    const written = await world.dumps.writtenSince(first.before, table);
    process.stderr.write([`written to ${table}:`, ...written, ''].join('\n'));
  }
  return [...first.found, ...changed.map((table) => `others changed the table ${table}`)];
}

async function roundOf<T>(world: World, work: () => Promise<T>): Promise<{ before: Dump; after: Dump; found: T }> {
  const before = await quiet(world);
  const found = await work();
  return { before, after: await world.dumps.take(), found };
}

/** The tries with the cursor of the owner's next page. */
async function withCursor(world: World, operation: Operation, asked: Asked, tries: readonly Try[]): Promise<Try[]> {
  if (!operation.parameters.some(({ name }) => name === 'cursor')) return [];
  const query = { ...asked.query, limit: '1' };
  const { keys, members } = world.owner;
  const key = operation.keyKind === 'user' ? members.owner.token : usualKey(keys, asked);
  const answer = await send(world, operation, { ...asked, query }, { key });
  const cursor = answer?.body?.next_cursor;
  if (typeof cursor !== 'string') return [];
  return tries
    .filter(({ options, of }) => of === world.owner && options.key !== undefined)
    .map((each) => ({
      ...each,
      who: `${each.who} with the owner’s cursor`,
      asked: { ...each.asked, query: { ...each.asked.query, cursor } },
      // A cursor belongs to its project.
      isRefused: (status: number, code: string) => status === 400 || each.isRefused(status, code),
    }));
}

async function tryFaults(world: World, operation: Operation, each: Try): Promise<string[]> {
  const { who, asked, options, of, except, isRefused } = each;
  const answer = await send(world, operation, asked, options);
  if (answer === null) return operation.operationId === 'streamEvents' ? [] : [`${who}: no answer`];
  const { status, text, body } = answer;
  const code = typeof body?.error_code === 'string' ? body.error_code : '';
  const said = JSON.stringify([asked.params, asked.query, asked.body]);
  const leaked = [...of.secrets].filter(
    (secret) => text.includes(secret) && !said.includes(secret) && except?.has(secret) !== true,
  );
  return [
    ...(isRefused(status, code) ? [] : [`${who}: ${status} ${code}`.trim()]),
    ...(leaked.length > 0 ? [`${who}: learns ${kindsOf(leaked)}`] : []),
    ...(status >= 400 ? formProblems(operation, answer, world).map((problem) => `${who}: ${problem}`) : []),
  ];
}

function formProblems({ keyKind }: Operation, answer: Answer, world: World): string[] {
  return keyKind === 'scim' ? scimProblems(answer) : envelopeProblems(answer, world);
}

/** Secrets without what differs from run to run. */
function kindsOf(secrets: readonly string[]): string {
  const kinds = secrets.map((secret) =>
    secret.startsWith('+') ? 'a number' : UUID.test(secret) ? 'an ID' : secret.replace(/-?\d+$/, ''),
  );
  return [...new Set(kinds)].sort().join(', ');
}

async function ownerFaults(
  world: World,
  operation: Operation,
  asked: Asked,
  examples: RecordedExamples,
): Promise<string[]> {
  const isAdministrator = operation.keyKind === 'administrator';
  const key = await ownersKey(world, operation, asked);
  const options = key === null ? {} : { key };
  const answer = await send(world, operation, asked, options);
  if (answer === null) return ['the owner: no answer'];
  if (answer.status >= 300) {
    const { error_code, detail, details } = answer.body ?? {};
    return [`the owner: ${answer.status} ${String(error_code ?? detail)} ${JSON.stringify(details ?? '')}`];
  }
  examples.add(operation.operationId, asked, answer);
  // An administrator learns what belongs to others.
  if (isAdministrator) return [];
  world.owner.learn(answer);
  if (asked.by === 'sandbox') world.owner.showInSandbox(answer.text);
  return [];
}

async function ownersKey(
  { owner, administrator }: World,
  { keyKind }: Operation,
  asked: Asked,
): Promise<string | null> {
  switch (keyKind) {
    case 'any':
    case 'live':
      return usualKey(owner.keys, asked);
    case 'user':
      return owner.members.owner.token;
    case 'administrator':
      return administrator;
    case 'scim':
      return owner.scimToken();
    default:
      return null;
  }
}

const usualKey = ({ live, sandbox }: TenantKeys, asked: Asked): string => (asked.by === 'sandbox' ? sandbox : live);

/** Sends the request of a sample. @returns null without an answer in time */
export async function send(
  { url }: World,
  { operationId, method, path, body }: Operation,
  asked: Asked,
  options: RequestOptions,
): Promise<Answer | null> {
  const filled = path.replaceAll(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(asked.params?.[name] ?? ''));
  const query = new URLSearchParams(asked.query).toString();
  const json = asked.body ?? (method !== 'GET' && body ? {} : undefined);
  return ask(url, method, query === '' ? filled : `${filled}?${query}`, {
    ...options,
    headers: { ...options.headers, ...asked.headers },
    ...(asked.form ? { raw: asked.form() } : json !== undefined && { json }),
    timeoutMs: operationId === 'streamEvents' ? STREAM_MS : ANSWER_MS,
  }).catch(() => null);
}

/** The database once nothing changes any more: what the owner's requests started sends no notification of its end. */
async function quiet({ dumps }: World): Promise<Dump> {
  let last = await dumps.take();
  let same = 0;
  return eventually(async () => {
    const next = await dumps.take();
    same = changedTables(last, next).length === 0 ? same + 1 : 0;
    last = next;
    return same >= SAME_LOOKS && next;
  }, 'a database that does not change');
}
