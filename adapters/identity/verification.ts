import { z } from 'zod';
import { IDENTITY_STATES } from '../../core/model/accounts/national-id.js';
import type { ProviderIdentity } from '../../core/ports/identity-provider.js';

/** A verification as the service sends it (docs/reference/accounts/national-identity.md). */
export const serviceVerification = z.object({
  id: z.uuid(),
  state: z.enum(IDENTITY_STATES),
  match_number: z
    .string()
    .regex(/^\d{1,4}$/)
    .optional(),
  expires_at: z.iso.datetime({ offset: true }).optional(),
  reason: z.string().trim().min(1).max(300).nullish().catch(null),
});

export function identityOf({ state, reason }: z.output<typeof serviceVerification>): ProviderIdentity {
  return state === 'rejected' ? { state, reason: reason ?? null } : { state };
}
