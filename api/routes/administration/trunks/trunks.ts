import { z } from 'zod';
import { idOutput, timeOutput } from '../../../../core/model/objects/fields.js';
import { isoTime } from '../../../../core/model/time.js';
import {
  ASSERTED_IDENTITIES,
  CALLER_ID_RULES,
  DTMF_MODES,
  TRUNK_CODECS,
  TRUNK_TRANSPORTS,
} from '../../../../core/model/trunks/rules.js';
import type { RemovedTrunk } from '../../../../core/services/removal/removal.js';
import type { TrunkSettings } from '../../../../core/services/trunks/settings.js';
import { unknownTrunk, type TrunkService, type WatchedTrunk } from '../../../../core/services/trunks/trunks.js';
import { route, type Route } from '../../../http/route.js';
import { byAdministrator, reading, writing } from '../administrator.js';

const STATES = ['up', 'down', 'unknown'] as const;

const trunkObject = z
  .strictObject({
    id: idOutput,
    name: z.string(),
    uri: z.string(),
    host: z.string(),
    port: z.int(),
    transport: z.enum(TRUNK_TRANSPORTS),
    username: z.string().nullable(),
    inbound_addresses: z.array(z.string()).describe('Addresses from which its calls come'),
    foreign_numbers: z.boolean().describe('Whether it carries numbers of other countries'),
    is_default: z.boolean().describe('Whether it carries the outgoing calls that no route takes'),
    probed: z.boolean(),
    enabled: z.boolean().describe('Whether engines know it at all'),
    registers: z.boolean().describe('Whether engines register at it'),
    capacity: z.int().nullable().describe('How many calls it carries at once, in both directions; null: any number'),
    codecs: z.array(z.string()).nullable().describe('In order of preference; null: those of the installation'),
    dtmf_mode: z.enum(DTMF_MODES),
    caller_id: z.enum(CALLER_ID_RULES).describe('Which number callers show'),
    caller_id_number: z.string().nullable().describe('The number of the rule `fixed`'),
    asserted_identity: z.enum(ASSERTED_IDENTITIES).describe('Which number P-Asserted-Identity names'),
    privacy: z.boolean().describe('Whether a caller who shows no number is marked with `Privacy: id`'),
    diversion: z.boolean().describe('Whether Diversion names the number that forwards a call'),
    state: z.enum([...STATES, 'not_probed', 'off']),
    engines: z.array(z.strictObject({ engine: z.string(), state: z.enum(STATES), since: timeOutput })),
    created_at: timeOutput,
  })
  .meta({ id: 'Trunk' });

type ShownTrunk = z.output<typeof trunkObject>;

const credentials = z.strictObject({ username: z.string().max(200), password: z.string().max(200) });

const settings = {
  inbound_addresses: z.array(z.string().max(100)).max(100).optional().describe('By default its own address'),
  foreign_numbers: z.boolean().optional().describe('Default: true'),
  is_default: z.boolean().optional().describe('The first trunk is the default by itself'),
  probed: z.boolean().optional().describe('Default: true; some carriers do not answer OPTIONS'),
  enabled: z.boolean().optional().describe('Default: true'),
  registers: z.boolean().optional().describe('Needs credentials. Default: false'),
  capacity: z.int().nullable().optional().describe('1 to 100,000. Default: null, any number of calls'),
  codecs: z.array(z.enum(TRUNK_CODECS)).min(1).max(4).nullable().optional().describe('Default: null'),
  dtmf_mode: z.enum(DTMF_MODES).optional().describe('Default: `auto`'),
  caller_id: z.enum(CALLER_ID_RULES).optional().describe('Default: `pass`'),
  caller_id_number: z.string().max(50).nullable().optional(),
  asserted_identity: z.enum(ASSERTED_IDENTITIES).optional().describe('Default: `caller`'),
  privacy: z.boolean().optional().describe('Default: false'),
  diversion: z.boolean().optional().describe('Default: true'),
};
const address = z.string().max(300).describe('`sip:host[:port][;transport=udp|tcp|tls]`');
const newTrunk = z.strictObject({
  ...{ name: z.string().max(100), uri: address },
  credentials: credentials.optional(),
  ...settings,
});
const trunkChanges = z.strictObject({
  uri: address.optional(),
  credentials: credentials.nullable().optional().describe('Null: none'),
  ...settings,
});

const AUDITED = ['uri', ...(Object.keys(settings) as (keyof typeof settings)[])] as const;
const params = z.strictObject({ name: z.string() });

export interface AdministeredTrunksServices {
  readonly trunks: TrunkService;
  readonly remove: (name: string) => Promise<RemovedTrunk | null>;
}

/** Trunks to the telephone network. */
export function administeredTrunkRoutes({ trunks, remove }: AdministeredTrunksServices): Route[] {
  const shown = async (name: string): Promise<ShownTrunk> => {
    const trunk = (await trunks.listWatched()).find((one) => one.name === name);
    if (!trunk) throw unknownTrunk(name);
    return present(trunk);
  };
  return [
    route({
      ...reading,
      path: '/v1/admin/trunks',
      operationId: 'listTrunks',
      summary: 'List the trunks',
      summaryAr: 'عرض خطوط الربط',
      responses: {
        200: {
          schema: z.strictObject({ data: z.array(trunkObject) }),
          description: 'Every trunk, and what engines find when they probe it',
        },
      },
      errors: [],
      handler: async () => ({ status: 200, body: { data: (await trunks.listWatched()).map(present) } }),
    }),
    route({
      ...writing,
      path: '/v1/admin/trunks',
      operationId: 'addTrunk',
      summary: 'Add a trunk',
      summaryAr: 'إضافة خط ربط',
      body: newTrunk,
      auditFields: ['name', ...AUDITED],
      responses: { 201: { schema: trunkObject, description: 'The trunk' } },
      errors: [],
      handler: async ({ body: { name, uri, ...given } }) => {
        await trunks.add({ name, uri, ...settingsOf(given) }, 'request');
        return { status: 201, body: await shown(name) };
      },
    }),
    route({
      ...byAdministrator,
      method: 'PATCH',
      path: '/v1/admin/trunks/:name',
      operationId: 'changeTrunk',
      summary: 'Change a trunk',
      summaryAr: 'تعديل خط ربط',
      description:
        'Members that are left out stay as they are. Live calls continue. A new address is also the new source of its calls, unless other sources were given.',
      params,
      body: trunkChanges,
      auditFields: AUDITED,
      responses: { 200: { schema: trunkObject, description: 'The trunk' } },
      errors: ['NOT_FOUND'],
      handler: async ({ params: { name }, body: { uri, ...given }, note }) => {
        const before = await shown(name);
        await trunks.change(name, { ...(uri !== undefined && { uri }), ...settingsOf(given) }, 'request');
        const after = await shown(name);
        note({ details: changeOf(before, after) });
        return { status: 200, body: after };
      },
    }),
    route({
      ...byAdministrator,
      method: 'DELETE',
      path: '/v1/admin/trunks/:name',
      operationId: 'removeTrunk',
      summary: 'Remove a trunk',
      summaryAr: 'إزالة خط ربط',
      description: 'Only one that no live call and no route uses. Its rates go with it.',
      params,
      responses: { 204: { schema: null, description: 'Removed' } },
      errors: ['NOT_FOUND'],
      handler: async ({ params: { name } }) => {
        if (!(await remove(name))) throw unknownTrunk(name);
        return { status: 204 };
      },
    }),
  ];
}

/** What a change did to the settings, for the audit log. */
function changeOf(before: ShownTrunk, after: ShownTrunk): { readonly before: object; readonly after: object } {
  const names = Object.keys(settings).concat('uri', 'username') as (keyof typeof settings | 'uri' | 'username')[];
  const changed = names.filter((name) => JSON.stringify(before[name]) !== JSON.stringify(after[name]));
  const of = (trunk: ShownTrunk): object => Object.fromEntries(changed.map((name) => [name, trunk[name]]));
  return { before: of(before), after: of(after) };
}

type Given = Omit<z.output<typeof trunkChanges>, 'uri'>;

/** The settings of a request, without those that it leaves out. */
function settingsOf(given: Given): TrunkSettings {
  const all = {
    credentials: given.credentials,
    inboundAddresses: given.inbound_addresses,
    foreignNumbers: given.foreign_numbers,
    isDefault: given.is_default,
    isProbed: given.probed,
    enabled: given.enabled,
    registers: given.registers,
    capacity: given.capacity,
    codecs: given.codecs,
    dtmfMode: given.dtmf_mode,
    callerId: given.caller_id,
    callerIdNumber: given.caller_id_number,
    assertedIdentity: given.asserted_identity,
    privacy: given.privacy,
    diversion: given.diversion,
  };
  return Object.fromEntries(Object.entries(all).filter(([, value]) => value !== undefined));
}

function present({ host, port, transport, inbound_addresses, codecs, ...trunk }: WatchedTrunk): ShownTrunk {
  return {
    ...trunk,
    uri: `sip:${host.includes(':') ? `[${host}]` : host}:${port};transport=${transport}`,
    ...{ host, port, transport },
    inbound_addresses: [...inbound_addresses],
    codecs: codecs && [...codecs],
    engines: trunk.engines.map(({ engine, state, since }) => ({ engine, state, since: isoTime(since) })),
    created_at: isoTime(trunk.created_at),
  };
}
