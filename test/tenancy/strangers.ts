import { generateToken } from '../../core/model/access/tokens.js';
import type { Operation } from '../fuzz/operations.js';
import type { RequestOptions } from '../support/api.js';
import { memberTries } from './people.js';
import { placesOf, withPlace } from './places.js';
import type { Asked } from './sample.js';
import { SANDBOX_SAMPLES } from './samples/sandbox.js';
import { widgetKeyOf } from './samples/widgets.js';
import type { Tenant } from './tenant.js';
import type { Try } from './try.js';

/** What belongs to the organization: another of its projects may use it. */
const OF_ORGANIZATION = new Set([
  ...['listCallbacks', 'getCallback'],
  ...['listInvoices', 'getInvoice', 'getInvoicePdf', 'createPayment'],
  ...['listCreditNotes', 'getCreditNote', 'getCreditNotePdf'],
]);

/** Resources that have no kind: sandbox keys read them without personal data. */
const OF_BOTH_KINDS = new Set([
  ...[
    'listQueues',
    'getQueue',
    'getQueueStats',
    'listWaitingCallers',
    'listQueueMembers',
    'listAgents',
    'getAgent',
    'getAgentStats',
    'getAgentQueues',
    'followAgentQueues',
    'getAgentForwarding',
    'searchColleagues',
  ],
  // They name a queue.
  ...['placeCallback', 'createWidget'],
]);

/** What the service says of itself to every directory. */
const OF_EVERY_DIRECTORY = new Set(['scimGetResourceType', 'scimGetSchema']);

/** Every try against an operation that the owner's request reaches. */
export async function triesAgainst(operation: Operation, asked: Asked, world: Tenants, mixed: Mixed): Promise<Try[]> {
  if (operation.keyKind === 'none') return swaps(operation, asked, {}, mixed);
  if (operation.keyKind === 'administrator') return administratorTries(asked, world);
  if (operation.keyKind === 'widget') return widgetTries(operation, asked, world, mixed);
  if (operation.keyKind === 'scim') return directoryTries(operation, asked, world, mixed);
  const { owner, sibling, stranger } = world;
  const people = memberTries({ operation, asked, isHidden: refusalOf(operation, asked) }, owner, stranger);
  if (operation.keyKind === 'user') return people;
  const isOfOrganization = OF_ORGANIZATION.has(operation.operationId);
  const foreign = [stranger, ...(isOfOrganization ? [] : [sibling])].flatMap((tenant) =>
    foreignKey(operation, asked, owner, tenant),
  );
  const ownKey = { key: asked.by === 'sandbox' ? owner.keys.sandbox : owner.keys.live };
  return [
    ...people,
    ...foreign,
    ...sandboxKey(operation, asked, owner),
    ...liveKey(operation, asked, owner),
    ...scopelessKey(operation, asked, owner),
    ...swaps(operation, asked, ownKey, isOfOrganization ? mixed.filter(({ tenant }) => tenant !== sibling) : mixed),
  ];
}

interface Tenants {
  readonly owner: Tenant;
  readonly sibling: Tenant;
  readonly stranger: Tenant;
}

/** The same request as others prepared it for themselves. */
export type Mixed = readonly { readonly tenant: Tenant; readonly asked: Asked }[];

function foreignKey(operation: Operation, asked: Asked, of: Tenant, tenant: Tenant): Try[] {
  const key = asked.by === 'sandbox' ? tenant.keys.sandbox : tenant.keys.live;
  const isRefused = refusalOf(operation, asked);
  return isRefused ? [{ who: `a key of ${tenant.name}`, asked, options: { key }, of, isRefused }] : [];
}

function sandboxKey(operation: Operation, asked: Asked, of: Tenant): Try[] {
  const options = { key: of.keys.sandbox };
  const except = of.sandboxSecrets;
  const who = 'a sandbox key of the owner';
  if (operation.keyKind === 'live') {
    const isRefused = (status: number, code: string): boolean => status === 403 && code === 'SANDBOX_KEY_NOT_ALLOWED';
    return [{ who, asked, options, of, isRefused }];
  }
  const isOpen = asked.by === 'sandbox' || OF_BOTH_KINDS.has(operation.operationId);
  const isRefused = isOpen ? null : refusalOf(operation, asked);
  return isRefused ? [{ who, asked, options, of, except, isRefused }] : [];
}

/** Resources of the sandbox that live keys do not see. */
const OF_SANDBOX_ONLY = new Set(Object.keys(SANDBOX_SAMPLES));

function liveKey(operation: Operation, asked: Asked, of: Tenant): Try[] {
  if (asked.by !== 'sandbox' || !OF_SANDBOX_ONLY.has(operation.operationId)) return [];
  const isRefused = refusalOf(operation, asked);
  const except = new Set([...of.secrets].filter((secret) => !of.sandboxSecrets.has(secret)));
  return isRefused
    ? [{ who: 'a live key of the owner', asked, options: { key: of.keys.live }, of, except, isRefused }]
    : [];
}

function scopelessKey({ scope }: Operation, asked: Asked, of: Tenant): Try[] {
  if (scope === null) return [];
  const key = scope === 'usage:read' ? of.keys.onlyCalls : of.keys.onlyUsage;
  const isRefused = (status: number, code: string): boolean => status === 403 && code === 'INSUFFICIENT_PERMISSIONS';
  return [{ who: 'a key without the scope', asked, options: { key }, of, isRefused }];
}

/** The owner's request with one ID, or name, of somebody else. */
function swaps(operation: Operation, asked: Asked, options: RequestOptions, mixed: Mixed): Try[] {
  const places = placesOf(asked);
  const isNested = places.length > 1 || operation.keyKind === 'none';
  return mixed.flatMap(({ tenant, asked: theirs }) => {
    const of = (place: string): Try => ({
      who: `the owner with ${place} of ${tenant.name}`,
      asked: withPlace(asked, place, theirs),
      options,
      of: tenant,
      isRefused: isList(operation)
        ? (status) => status === 200 || (status >= 400 && status < 500)
        : place.startsWith('params.')
          ? (status) => status === 404
          : (status) => status >= 400 && status < 500,
    });
    return isNested ? places.map(of) : [];
  });
}

async function widgetTries(operation: Operation, asked: Asked, world: Tenants, mixed: Mixed): Promise<Try[]> {
  const isRefused = refusalOf(operation, asked);
  const foreign = [world.sibling, world.stranger].map(async (tenant): Promise<Try> => {
    const others = { ...asked, query: { ...asked.query, key: await widgetKeyOf(tenant) } };
    const who = `a page of ${tenant.name}`;
    return { who, asked: others, options: {}, of: world.owner, isRefused: isRefused ?? (() => true) };
  });
  return isRefused ? [...(await Promise.all(foreign)), ...swaps(operation, asked, {}, mixed)] : [];
}

/** Directories of other organizations, and holders of another key of this one. */
async function directoryTries(operation: Operation, asked: Asked, world: Tenants, mixed: Mixed): Promise<Try[]> {
  const { owner, sibling, stranger } = world;
  const isShared = OF_EVERY_DIRECTORY.has(operation.operationId);
  const isHidden = isShared ? (status: number) => status === 200 : refusalOf(operation, asked);
  const withKey = (who: string, key: string, isRefused: Try['isRefused']): Try => ({
    ...{ who, asked, options: { key }, of: owner, isRefused },
  });
  const others = [owner.keys.live, owner.members.owner.token, generateToken('scim')];
  return [
    ...(isHidden ? [withKey(`the directory of ${stranger.name}`, await stranger.scimToken(), isHidden)] : []),
    ...others.map((key) => withKey(`another token ${key.slice(0, 8)}`, key, (status) => status === 401)),
    // A directory is of the whole organization.
    ...swaps(
      operation,
      asked,
      { key: await owner.scimToken() },
      mixed.filter(({ tenant }) => tenant !== sibling),
    ),
  ];
}

/** Routes of administrators refuse the keys of those whose resources they are about, and every other token. */
function administratorTries(asked: Asked, { owner, sibling, stranger }: Tenants): Try[] {
  const refused = (status: number, code: string) => (given: number, said: string) => given === status && said === code;
  const withKey = (who: string, key: string): Try => ({
    ...{ who, asked, options: { key }, of: owner },
    isRefused: refused(403, 'INSUFFICIENT_PERMISSIONS'),
  });
  return [
    withKey('a live key of the owner', owner.keys.live),
    withKey('a sandbox key of the owner', owner.keys.sandbox),
    ...[sibling, stranger].map((tenant) => withKey(`a key of ${tenant.name}`, tenant.keys.live)),
    { who: 'nobody', asked, options: {}, of: owner, isRefused: refused(401, 'INVALID_API_KEY') },
    ...[owner.members.owner.token, generateToken('access'), generateToken('administrator')].map((key): Try => ({
      ...{ who: `another token ${key.slice(0, 8)}`, asked, options: { key }, of: owner },
      isRefused: refused(401, 'ADMIN_UNAUTHORIZED'),
    })),
  ];
}

/** Null if the request names nothing of the owner's and returns nothing that anybody has. */
function refusalOf(operation: Operation, asked: Asked): Try['isRefused'] | null {
  if (Object.keys(asked.params ?? {}).length > 0) return (status) => status === 404;
  if (operation.method === 'GET') return (status) => status === 200;
  return placesOf(asked).length > 0 ? (status) => status >= 400 && status < 500 : null;
}

function isList({ method, parameters }: Operation): boolean {
  return method === 'GET' && !parameters.some((each) => each.in === 'path');
}
