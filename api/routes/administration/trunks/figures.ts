import { z } from 'zod';
import type { TrunkRate } from '../../../../core/data/repositories/engines/trunk-rates.js';
import { exactSarNumber } from '../../../../core/model/money.js';
import { idOutput, timeOutput } from '../../../../core/model/objects/fields.js';
import { toWire } from '../../../../core/model/wire.js';
import type { ReadTrunkFigures } from '../../../../core/services/trunks/figures.js';
import { MOST_RATES, type TrunkRateService } from '../../../../core/services/trunks/rates.js';
import { route, type Route } from '../../../http/route.js';
import { amountInput, micros } from '../../../http/schema/amounts.js';
import { queryNumber } from '../../../http/schema/schemas.js';
import { byAdministrator, reading } from '../administrator.js';

const MOST_BYTES = 32 * 1024 * 1024;

const rate = z.strictObject({
  prefix: z.string().max(16).describe('Start of the number in E.164; the longest one applies'),
  per_minute_sar: amountInput(6, 0),
});
const params = z.strictObject({ name: z.string() });
const rates = z.strictObject({ data: z.array(rate) });

const count = z.int();
const figures = z
  .strictObject({
    trunk_id: idOutput,
    trunk: z.string(),
    capacity: z.int().nullable(),
    live_calls: count.describe('Calls through the trunk now, in both directions'),
    attempts: count.describe('Outgoing calls through the trunk that are over'),
    answered: count,
    failed: count.describe('Those that the carrier did not carry: 5xx, 408, or no answer, before the phone rang'),
    rerouted: count.describe('Those of them that another trunk carried on'),
    talk_seconds: z.number(),
    asr: z.number().nullable().describe('Answer-seizure ratio, 0 to 1'),
    acd_seconds: z.number().nullable().describe('Average duration of those that were answered'),
    pdd_seconds: z.number().nullable().describe('Mean post-dial delay'),
    mos: z.number().nullable().describe('Mean estimated opinion score, 1 to 4.5'),
  })
  .meta({ id: 'TrunkFigures' });

const attempt = z
  .strictObject({
    leg_id: idOutput,
    call_id: idOutput,
    after: idOutput.nullable().describe('The attempt in whose place it was made'),
    trunk: z.string().nullable().describe('Null: removed since'),
    role: z.string(),
    status: z.string(),
    created_at: timeOutput,
    ringing_at: timeOutput.nullable(),
    answered_at: timeOutput.nullable(),
    ended_at: timeOutput.nullable(),
    hangup_q850: z.int().nullable(),
    hangup_sip_code: z.int().nullable(),
    hangup_text: z.string().nullable(),
  })
  .meta({ id: 'TrunkAttempt' });

export interface TrunkFiguresServices {
  readonly rates: TrunkRateService;
  readonly figures: ReadTrunkFigures;
}

/** What trunks cost, and the outcome of the calls through them. */
export function trunkFigureRoutes({ rates: service, figures: read }: TrunkFiguresServices): Route[] {
  return [
    route({
      ...reading,
      path: '/v1/admin/trunks/:name/rates',
      operationId: 'listTrunkRates',
      summary: 'List what the carrier of a trunk charges',
      summaryAr: 'عرض ما تتقاضاه شركة الاتصالات على خط ربط',
      params,
      responses: { 200: { schema: rates, description: 'Every rate, by prefix' } },
      errors: ['NOT_FOUND'],
      handler: async ({ params: { name } }) => ({ status: 200, body: present(await service.list(name)) }),
    }),
    route({
      ...byAdministrator,
      method: 'PUT',
      path: '/v1/admin/trunks/:name/rates',
      operationId: 'replaceTrunkRates',
      summary: 'Replace what the carrier of a trunk charges',
      summaryAr: 'استبدال ما تتقاضاه شركة الاتصالات على خط ربط',
      description: `All rates are replaced, or none if one of them is invalid. At most ${MOST_RATES}.`,
      params,
      body: z.strictObject({ rates: z.array(rate).max(MOST_RATES) }),
      auditFields: [],
      maxBodyBytes: MOST_BYTES,
      responses: { 200: { schema: z.strictObject({ rates: z.int() }), description: 'How many there are now' } },
      errors: ['NOT_FOUND'],
      handler: async ({ params: { name }, body, note }) => {
        const given = body.rates.map(({ prefix, per_minute_sar }) => ({ prefix, per_minute: micros(per_minute_sar) }));
        await service.replace(name, given, 'request');
        note({ details: { trunk: name, rates: given.length } });
        return { status: 200, body: { rates: given.length } };
      },
    }),
    route({
      ...reading,
      path: '/v1/admin/trunk-figures',
      operationId: 'readTrunkFigures',
      summary: 'Read the outcome of the calls through each trunk',
      summaryAr: 'قراءة نتائج المكالمات عبر كل خط ربط',
      query: z.strictObject({
        hours: queryNumber().default(24).describe('How far back; at most 744, which is 31 days'),
      }),
      responses: {
        200: { schema: z.strictObject({ data: z.array(figures) }), description: 'Every trunk, by name' },
      },
      errors: [],
      handler: async ({ query: { hours } }) => ({ status: 200, body: { data: [...(await read.of(hours))] } }),
    }),
    route({
      ...reading,
      path: '/v1/admin/trunk-attempts',
      operationId: 'listTrunkAttempts',
      summary: 'List the attempts of a call to reach numbers through trunks',
      summaryAr: 'عرض محاولات مكالمة للوصول إلى الأرقام عبر خطوط الربط',
      query: z.strictObject({ call_id: z.string().max(100) }),
      responses: {
        200: {
          schema: z.strictObject({ data: z.array(attempt) }),
          description: 'In their order; none for an unknown call',
        },
      },
      errors: [],
      handler: async ({ query: { call_id } }) => ({
        status: 200,
        body: { data: [...toWire(await read.attempts(call_id))] },
      }),
    }),
  ];
}

function present(listed: readonly TrunkRate[]): z.output<typeof rates> {
  return { data: listed.map(({ prefix, per_minute }) => ({ prefix, per_minute_sar: exactSarNumber(per_minute) })) };
}
