import { z } from 'zod';
import type { NumberService } from '../../../core/services/numbers/numbers.js';
import { kindOf } from '../../http/caller.js';
import { route, type Route } from '../../http/route.js';
import { destinationOrNone, idParam } from '../../http/schema/schemas.js';
import { numberObject } from '../../../core/model/objects/number.js';
import { viewNumber } from './numbers.js';

const TYPES = ['callflow', 'queue', 'agent', 'number', 'sip', 'voicemail', 'echo'] as const;

export function numberBindingRoutes({ numbers }: { readonly numbers: Pick<NumberService, 'bindById'> }): Route[] {
  return [
    route({
      method: 'PUT',
      path: '/v1/numbers/:id/binding',
      operationId: 'bindNumber',
      summary: 'Bind a number to a destination',
      summaryAr: 'تحديد وجهة المكالمات إلى رقم',
      description:
        'The destination is a call flow, queue, agent, number, SIP address, the number’s own voicemail box, the echo service, or nothing. Live calls continue. The call flow may be inactive; calls are not answered until it is activated. Numbers of the sandbox are bound to flows of the sandbox.',
      tag: 'Numbers',
      scope: 'numbers:write',
      keyKind: 'any',
      params: z.strictObject({ id: idParam('NUMBER_NOT_FOUND') }),
      body: destinationOrNone(TYPES),
      auditFields: ['type', 'target'],
      responses: { 200: { schema: numberObject, description: 'The number as it is now' } },
      errors: ['NUMBER_NOT_FOUND', 'INVALID_PHONE_NUMBER'],
      handler: async ({ caller, params: { id }, body }) => {
        return { status: 200, body: viewNumber(await numbers.bindById(kindOf({ caller }), id, body)) };
      },
    }),
  ];
}
