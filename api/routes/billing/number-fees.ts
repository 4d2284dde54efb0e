import { z } from 'zod';
import { CURRENCY, idOutput, sar, timeOutput } from '../../../core/model/objects/fields.js';
import { exactSarNumber } from '../../../core/model/money.js';
import { isoTime } from '../../../core/model/time.js';
import type { NumberFeeCharging } from '../../../core/services/billing/number-fees.js';
import { cursorPage } from '../../http/paging.js';
import { route, type Route } from '../../http/route.js';
import { cursorList, cursorQuery } from '../../http/schema/schemas.js';

const day = z.string().meta({ examples: ['2026-11-05'] });

const numberFee = z
  .strictObject({
    id: idOutput.describe('Also the `reference` of its ledger transaction, whose `kind` is `number_fee`'),
    number: z.string().meta({ examples: ['+966115550100'] }),
    starts_on: day.describe('First day of the month, Riyadh time'),
    ends_on: day.describe('First day of the next month'),
    amount_sar: sar.describe('Without VAT; up to six decimals'),
    currency: CURRENCY,
    created_at: timeOutput,
  })
  .meta({ id: 'NumberFee' });

/** The route that lists what a project was charged for its numbers. */
export function numberFeesRoute(numberFees: Pick<NumberFeeCharging, 'page'>): Route {
  return route({
    method: 'GET',
    tag: 'Billing',
    scope: 'billing:read',
    keyKind: 'any',
    path: '/v1/billing/number-fees',
    operationId: 'listNumberFees',
    summary: 'List the monthly fees of the project’s numbers',
    summaryAr: 'عرض رسوم أرقام المشروع الشهرية',
    description:
      'Newest first. A whole month is charged in advance when a number is assigned, and on the same day of each month until it is released. The fee is deducted even if the balance falls below 0. Numbers of the sandbox cost nothing: a sandbox key sees no fees.',
    query: z.strictObject(cursorQuery),
    responses: { 200: { schema: cursorList(numberFee), description: 'One page' } },
    errors: [],
    handler: async ({ caller, query: { cursor, limit }, cursors }) => {
      const beforeId = cursors.read(cursor);
      const rows = caller.sandbox ? [] : await numberFees.page(caller.projectId, beforeId, limit + 1);
      const body = cursorPage(
        rows,
        limit,
        cursors,
        ({ id }) => id,
        ({ id, e164: number, starts_on, ends_on, amount, created_at }) => ({
          ...{ id, number, starts_on, ends_on, amount_sar: exactSarNumber(amount) },
          currency: 'SAR' as const,
          created_at: isoTime(created_at),
        }),
      );
      return { status: 200, body };
    },
  });
}
