import { z } from 'zod';
import { HatifError, invalidField } from '../../../../core/model/errors/index.js';
import { timeOutput } from '../../../../core/model/objects/fields.js';
import { parseSipUri } from '../../../../core/model/sip-uri.js';
import { toWire } from '../../../../core/model/wire.js';
import { arabic } from '../../../../core/model/wording/wording.js';
import type { SipTargets } from '../../../../core/services/dialling/sip-targets.js';
import { route, type Route } from '../../../http/route.js';
import { byAdministrator, reading, writing } from '../administrator.js';

const PATH = '/v1/admin/sip-targets';

const target = z
  .strictObject({
    address: z.string().describe('`host`, for any port, or `host:port`'),
    created_at: timeOutput,
  })
  .meta({ id: 'SipTarget' });

/** The hosts that calls to SIP addresses may reach. */
export function sipTargetRoutes({ sipTargets }: { readonly sipTargets: SipTargets }): Route[] {
  return [
    route({
      ...reading,
      path: PATH,
      operationId: 'listSipTargets',
      summary: 'List the hosts that calls to SIP addresses may reach',
      summaryAr: 'عرض المضيفين المسموح بالاتصال بعناوين SIP لديهم',
      responses: { 200: { schema: z.strictObject({ data: z.array(target) }), description: 'Every host' } },
      errors: [],
      handler: async () => ({ status: 200, body: { data: toWire(await sipTargets.list()) } }),
    }),
    route({
      ...reading,
      path: `${PATH}/check`,
      operationId: 'checkSipTarget',
      summary: 'Check whether a SIP address may be called',
      summaryAr: 'التحقق من السماح بالاتصال بعنوان SIP',
      query: z.strictObject({
        address: z
          .string()
          .max(300)
          .meta({ examples: ['sip:bob@partner.example'] }),
      }),
      responses: { 200: { schema: z.strictObject({ allowed: z.boolean() }), description: 'Whether it may be called' } },
      errors: [],
      handler: async ({ query: { address } }) => {
        const uri = parseSipUri(address);
        if (uri === null) throw invalidField('address', { en: 'is not a SIP address', ar: 'ليس عنوان SIP' });
        return { status: 200, body: { allowed: await sipTargets.allows(uri) } };
      },
    }),
    route({
      ...writing,
      path: PATH,
      operationId: 'allowSipTarget',
      summary: 'Allow calls to SIP addresses at a host',
      summaryAr: 'السماح بالاتصال بعناوين SIP لدى مضيف',
      description: 'On every port, or on one. The host must be neither private nor a trunk or an engine.',
      body: z.strictObject({ host: z.string().max(300).describe('`host` or `host:port`') }),
      auditFields: ['host'],
      responses: { 201: { schema: target, description: 'The host' } },
      errors: [],
      handler: async ({ body: { host } }) => ({ status: 201, body: toWire(await sipTargets.add(host)) }),
    }),
    route({
      ...byAdministrator,
      method: 'DELETE',
      path: `${PATH}/:host`,
      operationId: 'removeSipTarget',
      summary: 'Allow calls to SIP addresses at a host no longer',
      summaryAr: 'منع الاتصال بعناوين SIP لدى مضيف',
      description: 'Its live calls continue.',
      params: z.strictObject({ host: z.string() }),
      responses: { 204: { schema: null, description: 'Removed' } },
      errors: ['NOT_FOUND'],
      handler: async ({ params: { host } }) => {
        if (await sipTargets.remove(host)) return { status: 204 };
        throw new HatifError('NOT_FOUND', { what: { en: `the SIP host ${host}`, ar: arabic`مضيف SIP ${host}` } });
      },
    }),
  ];
}
