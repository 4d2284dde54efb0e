import { z } from 'zod';
import { detailOf, validationError, type ErrorDetail } from '../../../../core/model/errors/index.js';
import { readNumberLines } from '../../../../core/model/number/import.js';
import { NUMBER_STATES } from '../../../../core/model/number/states.js';
import { idOutput, timeOutput } from '../../../../core/model/objects/fields.js';
import { parseNumber } from '../../../../core/model/phone-numbers.js';
import { toWire } from '../../../../core/model/wire.js';
import { arabic } from '../../../../core/model/wording/wording.js';
import type { NumberAdministration } from '../../../../core/services/number-administration/number-administration.js';
import type { ImportNumbers } from '../../../../core/services/numbers/import.js';
import { route, type Route } from '../../../http/route.js';
import { reading, writing } from '../administrator.js';

const MOST_LINES = 1_000_000;
const MOST_BYTES = 32 * 1024 * 1024;
const MOST_DETAILS = 20;

const change = z
  .strictObject({
    id: idOutput,
    number_id: idOutput,
    from_state: z.enum(NUMBER_STATES).nullable().describe('Null when the number was added'),
    to_state: z.enum(NUMBER_STATES),
    organization_id: idOutput.nullable(),
    project_id: idOutput.nullable().describe('The owner before or after the change'),
    reason: z.string(),
    at: timeOutput,
  })
  .meta({ id: 'NumberChange' });

export interface InventoryServices {
  readonly administration: Pick<NumberAdministration, 'history'>;
  readonly imports: ImportNumbers;
}

/** The numbers of the installation, of all projects and of none. */
export function inventoryRoutes({ administration, imports }: InventoryServices): Route[] {
  return [
    route({
      ...writing,
      path: '/v1/admin/numbers/import',
      operationId: 'importNumbers',
      summary: 'Offer numbers of your ranges to projects',
      summaryAr: 'استيراد أرقام لعرضها على المشاريع',
      description:
        'All of them or none. Numbers that are in the inventory already are not changed. They replace the numbers that the demo offered.',
      body: z.strictObject({
        numbers: z
          .array(z.string().max(60))
          .min(1)
          .max(MOST_LINES)
          .describe('Numbers, and ranges with both ends: `+966115551000-+966115551999`')
          .meta({ examples: [['+966115551000-+966115551999']] }),
        dry_run: z.boolean().default(false).describe('Only returns what would happen'),
      }),
      auditFields: ['dry_run'],
      maxBodyBytes: MOST_BYTES,
      responses: {
        200: {
          schema: z.strictObject({
            added: z.int().describe('Numbers that can be ordered from now on'),
            known: z.int().describe('Numbers that were in the inventory before'),
          }),
          description: 'What happened',
        },
      },
      errors: [],
      handler: async ({ body: { numbers, dry_run }, note }) => {
        const lines = numbers.map((number, index) => ({ line: index + 1, number, type: '' }));
        const read = readNumberLines(lines);
        const [first, ...others] = read.faults
          .slice(0, MOST_DETAILS)
          .map(({ line, message }) => faultOf(line - 1, message));
        if (first) throw validationError([first, ...others]);
        const outcome = await imports.run(read.numbers, dry_run, () => undefined);
        note({ details: { numbers: read.numbers.length, added: outcome.added } });
        return { status: 200, body: outcome };
      },
    }),
    route({
      ...reading,
      path: '/v1/admin/numbers/:number/history',
      operationId: 'getNumberHistory',
      summary: 'Read the history of a number',
      summaryAr: 'قراءة سجل رقم',
      description: 'Oldest first. Released numbers keep their history.',
      params: z.strictObject({ number: z.string() }),
      responses: { 200: { schema: z.strictObject({ data: z.array(change) }), description: 'Every change' } },
      errors: ['NUMBER_NOT_FOUND'],
      handler: async ({ params: { number } }) => {
        const e164 = parseNumber(number, { allowForeign: true })?.e164 ?? number;
        return { status: 200, body: { data: toWire(await administration.history(e164)) } };
      },
    }),
  ];
}

/** What the import says of a line is English: it is written for the command. */
function faultOf(index: number, message: string): ErrorDetail {
  return detailOf(`numbers[${index}]`, { en: message, ar: arabic`${message}` });
}
