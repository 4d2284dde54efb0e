import { z } from 'zod';
import { ENGINE_KINDS, LIVE_KINDS, type EngineKind } from '../../../core/model/engine-kinds.js';
import { HatifError, invalidField } from '../../../core/model/errors/index.js';
import { idOutput, timeOutput } from '../../../core/model/objects/fields.js';
import { isoTime } from '../../../core/model/time.js';
import { arabic } from '../../../core/model/wording/wording.js';
import { ENGINE_IN_USE, type EngineService, type EngineView } from '../../../core/services/engines/manage.js';
import { route, type Route } from '../../http/route.js';
import { byAdministrator, reading, writing } from './administrator.js';

const engineObject = z
  .strictObject({
    id: idOutput,
    name: z.string(),
    kind: z.enum(Object.keys(ENGINE_KINDS) as [EngineKind, ...EngineKind[]]),
    status: z.enum(['up', 'unreachable']),
    version: z.string().nullable(),
    sip: z.string().nullable().describe('`host:port`'),
    sip_host: z.string().nullable(),
    sip_port: z.int().nullable(),
    ws_url: z.string().nullable().describe('Where it takes SIP over WebSocket from the platform; null: no browsers'),
    sip_status: z.enum(['up', 'down']).nullable().describe('Null if it is not probed'),
    weight: z.int().describe('Its share of new calls relative to other engines'),
    max_calls: z.int().nullable(),
    live_calls: z.int(),
    draining: z.boolean(),
    takes_calls: z.boolean(),
    managed: z.boolean().describe('False if the settings of a process name it'),
    owner: z.string().nullable().describe('The process that works on its calls'),
    leased: z.boolean().describe('Whether a process owns it now'),
    last_owner: z.string().nullable().describe('The process that owns it, or owned it last'),
    epoch: z.int().describe('Increases with each new owner'),
    lease_expires_at: timeOutput.nullable(),
    seen_at: timeOutput.nullable().describe('When the owner reached it last'),
    boot_id: z.string().nullable().describe('Changes with each start of the engine'),
    address: z
      .record(z.string(), z.union([z.string(), z.number()]))
      .nullable()
      .describe('Where its control interface and its files are, without the password; null if settings name it'),
  })
  .meta({ id: 'Engine' });

const newEngine = z.strictObject({
  name: z.string().max(100),
  address: z.string().max(500).describe('Asterisk’s ARI: `http://host:port`; FreeSWITCH’s event socket: `host:port`'),
  kind: z.enum(LIVE_KINDS as unknown as [EngineKind, ...EngineKind[]]).default('asterisk'),
  user: z.string().max(100).default('hatif').describe('User name of ARI'),
  password: z.string().max(500),
  sip: z
    .string()
    .max(300)
    .nullable()
    .default(null)
    .describe('`host:port`, for health checks and calls between engines'),
  ws_url: z
    .string()
    .max(500)
    .nullable()
    .default(null)
    .describe(
      'Where it takes SIP over WebSocket: `ws://host:port`. Null: `/ws` of an Asterisk’s address; no browsers on a FreeSWITCH',
    ),
  weight: z.int().default(1),
  max_calls: z.int().nullable().default(null),
  details: z.string().max(1000).nullable().default(null).describe('Path of its own record of its legs'),
  recordings: z.string().max(1000).nullable().default(null).describe('FreeSWITCH: folder in which it records'),
});

const params = z.strictObject({ name: z.string() });
const secret = z.string().nullable().describe('With its name, the credentials of a FreeSWITCH for the API');

/** Telephony engines; the simulator of the sandbox is not among them. */
export function administeredEngineRoutes({ engines }: { readonly engines: EngineService }): Route[] {
  const find = async (name: string): Promise<EngineView> => {
    const found = (await engines.list()).find((engine) => engine.name === name);
    if (!found) throw unknownEngine(name);
    return found;
  };
  const answer = { 200: { schema: engineObject, description: 'The engine as it is now' } };
  return [
    route({
      ...reading,
      path: '/v1/admin/engines',
      operationId: 'listEngines',
      summary: 'List the engines',
      summaryAr: 'عرض المحرّكات',
      responses: {
        200: { schema: z.strictObject({ data: z.array(engineObject) }), description: 'Every engine, by name' },
      },
      errors: [],
      handler: async () => ({ status: 200, body: { data: (await engines.list()).map(present) } }),
    }),
    route({
      ...writing,
      path: '/v1/admin/engines',
      operationId: 'addEngine',
      summary: 'Add an engine',
      summaryAr: 'إضافة محرّك',
      description: 'A process takes it over within seconds.',
      body: newEngine,
      auditFields: ['name', 'kind', 'address', 'sip', 'ws_url', 'weight', 'max_calls'],
      responses: {
        201: {
          schema: engineObject.extend({ secret }),
          description: 'The engine',
        },
      },
      errors: [],
      handler: async ({ body: { max_calls: maxCalls, ws_url: wsUrl, ...engine } }) => {
        const { name } = await engines.add({ ...engine, wsUrl, maxCalls });
        return { status: 201, body: { ...present(await find(name)), secret: await engines.secretOf(name) } };
      },
    }),
    route({
      ...reading,
      path: '/v1/admin/engines/:name/secret',
      operationId: 'getEngineSecret',
      summary: 'Show the secret with which a FreeSWITCH fetches softphones and trunks',
      summaryAr: 'إظهار القيمة السرية التي يجلب بها FreeSWITCH إعداداته',
      description: 'Null for an engine of another kind, and for an unknown one. Each use is in the audit log.',
      params,
      isAudited: true,
      responses: { 200: { schema: z.strictObject({ name: z.string(), secret }), description: 'The secret' } },
      errors: [],
      handler: async ({ params: { name } }) => ({ status: 200, body: { name, secret: await engines.secretOf(name) } }),
    }),
    route({
      ...writing,
      path: '/v1/admin/engines/:name/drain',
      operationId: 'drainEngine',
      summary: 'Stop new calls on an engine',
      summaryAr: 'إيقاف المكالمات الجديدة على محرّك',
      description: 'Live calls continue.',
      params,
      responses: answer,
      errors: ['NOT_FOUND'],
      handler: async ({ params: { name } }) => {
        if (!(await engines.drain(name))) throw unknownEngine(name);
        return { status: 200, body: present(await find(name)) };
      },
    }),
    route({
      ...writing,
      path: '/v1/admin/engines/:name/resume',
      operationId: 'resumeEngine',
      summary: 'Allow new calls on an engine again',
      summaryAr: 'استئناف المكالمات على محرّك',
      params,
      responses: answer,
      errors: ['NOT_FOUND'],
      handler: async ({ params: { name } }) => {
        if (!(await engines.resume(name))) throw unknownEngine(name);
        return { status: 200, body: present(await find(name)) };
      },
    }),
    route({
      ...byAdministrator,
      method: 'DELETE',
      path: '/v1/admin/engines/:name',
      operationId: 'removeEngine',
      summary: 'Remove an engine',
      summaryAr: 'إزالة محرّك',
      description: 'Only one without calls that no running process has in its settings.',
      params,
      responses: { 204: { schema: null, description: 'Removed' } },
      errors: ['NOT_FOUND'],
      handler: async ({ params: { name } }) => {
        const outcome = await engines.remove(name);
        if (outcome === 'unknown') throw unknownEngine(name);
        if (outcome !== 'removed') throw invalidField('name', ENGINE_IN_USE[outcome]);
        return { status: 204 };
      },
    }),
  ];
}

function present(engine: EngineView): z.output<typeof engineObject> {
  const { id, name, kind, status, version, sip_host: host, sip_port: port, ws_url, sip_status, owner, leased } = engine;
  const { weight, max_calls, live_calls, draining, takes_calls, managed, epoch, boot_id, address } = engine;
  return {
    ...{ id, name, kind, status, version },
    sip: host === null ? null : `${host}:${port ?? 5060}`,
    ...{
      sip_host: host,
      sip_port: port,
      ws_url,
      sip_status,
      weight,
      max_calls,
      live_calls,
      draining,
      takes_calls,
      managed,
    },
    ...{ owner: leased ? owner : null, leased, last_owner: owner, epoch, boot_id },
    lease_expires_at: isoTime(engine.lease_expires_at),
    seen_at: isoTime(engine.seen_at),
    address: address && givenOf({ ...address }),
  };
}

function givenOf(address: Readonly<Record<string, string | number | undefined>>): Record<string, string | number> {
  const given = Object.entries(address).filter((each): each is [string, string | number] => each[1] !== undefined);
  return Object.fromEntries(given);
}

function unknownEngine(name: string): HatifError {
  return new HatifError('NOT_FOUND', { what: { en: `the engine ${name}`, ar: arabic`المحرّك ${name}` } });
}
