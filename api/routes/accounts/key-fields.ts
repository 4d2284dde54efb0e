import { z } from 'zod';
import { KEY_KINDS } from '../../../core/model/access/keys.js';
import { idOutput, timeOutput } from '../../../core/model/objects/fields.js';

/** What members and administrators see of an API key. */
export const keyFields = {
  id: idOutput,
  project_id: idOutput,
  name: z.string(),
  kind: z.enum(KEY_KINDS),
  prefix: z.string().describe('The first characters of the secret'),
  status: z.enum(['active', 'expired', 'revoked']),
  scopes: z.array(z.string()),
  allowed_ips: z.array(z.string()).describe('Addresses and CIDR ranges; empty allows every address'),
  rate_limit_per_minute: z.int().nullable().describe('Set by the operator; null: the default of the kind'),
  expires_at: timeOutput.nullable(),
  revoked_at: timeOutput.nullable(),
  last_used_at: timeOutput.nullable(),
};
