import { z } from 'zod';
import { HatifError } from '../../../core/model/errors/index.js';
import { idOutput, timeOutput } from '../../../core/model/objects/fields.js';
import { isoTime } from '../../../core/model/time.js';
import { arabic } from '../../../core/model/wording/wording.js';
import type { RemovedTrunk } from '../../../core/services/removal/removal.js';
import type { TrunkService, WatchedTrunk } from '../../../core/services/trunks/trunks.js';
import { route, type Route } from '../../http/route.js';
import { byAdministrator, reading, writing } from './administrator.js';

const STATES = ['up', 'down', 'unknown'] as const;

const trunkObject = z
  .strictObject({
    id: idOutput,
    name: z.string(),
    uri: z.string(),
    host: z.string(),
    port: z.int(),
    transport: z.enum(['udp', 'tcp', 'tls']),
    username: z.string().nullable(),
    inbound_addresses: z.array(z.string()).describe('Addresses from which its calls come'),
    foreign_numbers: z.boolean().describe('Whether it carries numbers of other countries'),
    is_default: z.boolean().describe('Whether outgoing calls use it'),
    probed: z.boolean(),
    state: z.enum([...STATES, 'not_probed']),
    engines: z.array(z.strictObject({ engine: z.string(), state: z.enum(STATES), since: timeOutput })),
    created_at: timeOutput,
  })
  .meta({ id: 'Trunk' });

const newTrunk = z.strictObject({
  name: z.string().max(100),
  uri: z.string().max(300).describe('`sip:host[:port][;transport=udp|tcp|tls]`'),
  credentials: z.strictObject({ username: z.string().max(200), password: z.string().max(200) }).optional(),
  inbound_addresses: z.array(z.string().max(100)).max(100).optional().describe('By default its own address'),
  foreign_numbers: z.boolean().optional().describe('Default: true'),
  is_default: z.boolean().optional().describe('The first trunk is the default by itself'),
  probed: z.boolean().optional().describe('Default: true; some carriers do not answer OPTIONS'),
});

export interface AdministeredTrunksServices {
  readonly trunks: TrunkService;
  readonly remove: (name: string) => Promise<RemovedTrunk | null>;
}

/** Trunks to the telephone network. */
export function administeredTrunkRoutes({ trunks, remove }: AdministeredTrunksServices): Route[] {
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
      auditFields: ['name', 'uri', 'inbound_addresses', 'foreign_numbers', 'is_default', 'probed'],
      responses: { 201: { schema: trunkObject, description: 'The trunk' } },
      errors: [],
      handler: async ({ body: { name, uri, credentials, ...given } }) => {
        const { id } = await trunks.add({
          ...{ name, uri },
          ...(credentials === undefined ? {} : { credentials }),
          ...(given.inbound_addresses === undefined ? {} : { inboundAddresses: given.inbound_addresses }),
          ...(given.foreign_numbers === undefined ? {} : { foreignNumbers: given.foreign_numbers }),
          ...(given.is_default === undefined ? {} : { isDefault: given.is_default }),
          ...(given.probed === undefined ? {} : { isProbed: given.probed }),
        });
        const added = (await trunks.listWatched()).find((trunk) => trunk.id === id);
        if (!added) throw unknownTrunk(name);
        return { status: 201, body: present(added) };
      },
    }),
    route({
      ...byAdministrator,
      method: 'DELETE',
      path: '/v1/admin/trunks/:name',
      operationId: 'removeTrunk',
      summary: 'Remove a trunk',
      summaryAr: 'إزالة خط ربط',
      description: 'Only one that no live call uses.',
      params: z.strictObject({ name: z.string() }),
      responses: { 204: { schema: null, description: 'Removed' } },
      errors: ['NOT_FOUND'],
      handler: async ({ params: { name } }) => {
        if (!(await remove(name))) throw unknownTrunk(name);
        return { status: 204 };
      },
    }),
  ];
}

function present(trunk: WatchedTrunk): z.output<typeof trunkObject> {
  const { id, name, host, port, transport, username, foreign_numbers, is_default, probed, state } = trunk;
  return {
    ...{ id, name },
    uri: `sip:${host}:${port};transport=${transport}`,
    ...{ host, port, transport, username },
    inbound_addresses: [...trunk.inbound_addresses],
    ...{ foreign_numbers, is_default, probed, state },
    engines: trunk.engines.map(({ engine, state: seen, since }) => ({ engine, state: seen, since: isoTime(since) })),
    created_at: isoTime(trunk.created_at),
  };
}

function unknownTrunk(name: string): HatifError {
  return new HatifError('NOT_FOUND', { what: { en: `the trunk ${name}`, ar: arabic`خط الربط ${name}` } });
}
