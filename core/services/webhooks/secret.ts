import { randomBytes } from 'node:crypto';

const SECRET_BYTES = 32;

/** A new signing secret as Standard Webhooks writes it: `whsec_` and base64. */
export function newSigningSecret(): string {
  return `whsec_${randomBytes(SECRET_BYTES).toString('base64')}`;
}
