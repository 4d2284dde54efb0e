import { z } from 'zod';
import { PRODUCTION_DOCUMENT_KINDS, PRODUCTION_REQUEST_STATUSES } from '../../../core/model/accounts/production.js';
import { idOutput, timeOutput } from '../../../core/model/objects/fields.js';

/** A request for production access, for its owner and for administrators. */
export const productionRequestObject = z
  .strictObject({
    id: idOutput,
    organization_id: idOutput,
    status: z.enum(PRODUCTION_REQUEST_STATUSES),
    company: z.string(),
    commercial_registration: z.string(),
    vat_number: z.string().nullable(),
    use: z.string(),
    expected_calls: z.int(),
    identity_waived: z
      .boolean()
      .describe('Whether an administrator accepts the request without the owner’s national identity'),
    reason: z.string().nullable().describe('Reason for the rejection'),
    documents: z.array(
      z
        .strictObject({
          id: idOutput,
          kind: z.enum(PRODUCTION_DOCUMENT_KINDS),
          name: z.string(),
          media_type: z.string(),
          bytes: z.int(),
          created_at: timeOutput,
        })
        .meta({ id: 'ProductionDocument' }),
    ),
    created_at: timeOutput,
    submitted_at: timeOutput.nullable(),
    ended_at: timeOutput.nullable(),
  })
  .meta({ id: 'ProductionRequest' });
