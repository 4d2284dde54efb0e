import { z } from 'zod';
import { HatifError } from '../../../../core/model/errors/index.js';
import { timeOutput } from '../../../../core/model/objects/fields.js';
import { SIP_REFUSALS } from '../../../../core/model/sip-edge.js';
import { toWire } from '../../../../core/model/wire.js';
import { arabic } from '../../../../core/model/wording/wording.js';
import { SIP_EDGE_FEATURES } from '../../../../core/ports/sip/edge.js';
import type { ManageSipGuards } from '../../../../core/services/sip-guards/manage.js';
import { route, type Route } from '../../../http/route.js';
import { byAdministrator, reading, writing } from '../administrator.js';

const PATH = '/v1/admin/sip';
const RULES = ['allow', 'deny'] as const;

const edge = z
  .strictObject({
    kind: z.enum(['direct', 'drachtio']),
    features: z.array(z.enum(SIP_EDGE_FEATURES)),
    unsupported: z.array(z.enum(SIP_EDGE_FEATURES)).describe('What this way in cannot do'),
  })
  .meta({ id: 'SipEdge' });

const lockout = z
  .strictObject({
    kind: z.enum(['address', 'user']),
    subject: z.string(),
    reason: z.enum(['password', 'scanner']),
    times: z.int().describe('How often it was locked out in a row'),
    locked_at: timeOutput,
    locked_until: timeOutput,
  })
  .meta({ id: 'SipLockout' });

const network = z
  .strictObject({
    network: z.string().describe('An address, a network in CIDR notation, or a country (ISO 3166-1 alpha-2)'),
    rule: z.enum(RULES),
    note: z.string().nullable(),
    created_at: timeOutput,
  })
  .meta({ id: 'SipNetwork' });

const refusal = z
  .strictObject({
    hour: timeOutput,
    reason: z.enum(SIP_REFUSALS),
    source: z.string().describe('An address, or `*` for those beyond the number that is kept'),
    country: z.string().nullable(),
    requests: z.int(),
    last_at: timeOutput,
  })
  .meta({ id: 'SipRefusal' });

const UNSUPPORTED = ['SIP_EDGE_UNSUPPORTED'] as const;

/** The SIP edge, and who is kept out of it. */
export function sipGuardRoutes({ sipGuards }: { readonly sipGuards: ManageSipGuards }): Route[] {
  return [
    route({
      ...reading,
      path: PATH,
      operationId: 'getSipEdge',
      summary: 'Get the way in for phones and carriers',
      summaryAr: 'عرض طريقة دخول الهواتف وشركات الاتصالات',
      description: '`direct`: they reach the engines themselves. `drachtio`: they reach the SIP edge.',
      responses: { 200: { schema: edge, description: 'The way in, and what it can do' } },
      errors: [],
      handler: async () => {
        const { kind, features, unsupported } = await sipGuards.edge();
        return { status: 200, body: { kind, features: [...features], unsupported: [...unsupported] } };
      },
    }),
    route({
      ...reading,
      path: `${PATH}/lockouts`,
      operationId: 'listSipLockouts',
      summary: 'List the addresses and users that are locked out of SIP',
      summaryAr: 'عرض العناوين والمستخدمين المحظورين مؤقتًا في SIP',
      description: 'Those that are locked out now, the last ones first; at most 1,000.',
      responses: { 200: { schema: z.strictObject({ data: z.array(lockout) }), description: 'The lockouts' } },
      errors: UNSUPPORTED,
      handler: async () => ({ status: 200, body: { data: toWire(await sipGuards.blocked()) } }),
    }),
    route({
      ...byAdministrator,
      method: 'DELETE',
      path: `${PATH}/lockouts/:subject`,
      operationId: 'releaseSipLockout',
      summary: 'End a lockout',
      summaryAr: 'إنهاء حظر مؤقت',
      description: 'The edge serves the address or user again within seconds.',
      params: z.strictObject({ subject: z.string() }),
      responses: { 204: { schema: null, description: 'Ended' } },
      errors: ['NOT_FOUND', ...UNSUPPORTED],
      handler: async ({ params: { subject } }) => {
        if (await sipGuards.release(subject)) return { status: 204 };
        throw new HatifError('NOT_FOUND', {
          what: { en: `the lockout of ${subject}`, ar: arabic`الحظر المؤقت للمصدر ${subject}` },
        });
      },
    }),
    route({
      ...reading,
      path: `${PATH}/refusals`,
      operationId: 'listSipRefusals',
      summary: 'List how many SIP requests were refused, by source',
      summaryAr: 'عرض عدد طلبات SIP المرفوضة حسب المصدر',
      description: 'By hour, reason and address, the last ones first; at most 1,000. Kept for 30 days.',
      responses: { 200: { schema: z.strictObject({ data: z.array(refusal) }), description: 'The counts' } },
      errors: UNSUPPORTED,
      handler: async () => ({ status: 200, body: { data: toWire(await sipGuards.refusals()) } }),
    }),
    ...networkRoutes(sipGuards),
  ];
}

function networkRoutes(sipGuards: ManageSipGuards): Route[] {
  return [
    route({
      ...reading,
      path: `${PATH}/networks`,
      operationId: 'listSipNetworks',
      summary: 'List the networks and countries that SIP allows or denies',
      summaryAr: 'عرض الشبكات والبلدان المسموح بها والممنوعة في SIP',
      responses: {
        200: {
          schema: z.strictObject({ data: z.array(network) }),
          description: 'Allowed ones first, then denied ones',
        },
      },
      errors: UNSUPPORTED,
      handler: async () => ({ status: 200, body: { data: toWire(await sipGuards.networks()) } }),
    }),
    route({
      ...writing,
      path: `${PATH}/networks`,
      operationId: 'putSipNetwork',
      summary: 'Allow or deny a network or a country',
      summaryAr: 'السماح لشبكة أو بلد أو منعهما',
      description:
        'An allowed network is never locked out, a denied one is never served; the smallest network with an address decides, and a network before a country. With an allowed country, other countries are not served. One that is listed gets the new rule.',
      body: z.strictObject({
        network: z.string().max(100),
        rule: z.enum(RULES),
        note: z.string().max(200).optional(),
      }),
      auditFields: ['network', 'rule'],
      responses: { 201: { schema: network, description: 'As it is stored: a network has its first address' } },
      errors: UNSUPPORTED,
      handler: async ({ body: { network: text, rule, note } }) => ({
        status: 201,
        body: toWire(await sipGuards.put(text, rule, note ?? null)),
      }),
    }),
    route({
      ...byAdministrator,
      method: 'DELETE',
      path: `${PATH}/networks/:network`,
      operationId: 'removeSipNetwork',
      summary: 'Remove a network or a country from its list',
      summaryAr: 'إزالة شبكة أو بلد من القائمة',
      description: 'The `/` of a network is written as `%2F`.',
      params: z.strictObject({ network: z.string() }),
      responses: { 204: { schema: null, description: 'Removed' } },
      errors: ['NOT_FOUND', ...UNSUPPORTED],
      handler: async ({ params: { network: text } }) => {
        if (await sipGuards.remove(text)) return { status: 204 };
        throw new HatifError('NOT_FOUND', { what: { en: `the network ${text}`, ar: arabic`الشبكة ${text}` } });
      },
    }),
  ];
}
