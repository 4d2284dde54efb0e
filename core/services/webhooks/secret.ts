import { createHmac, createSecretKey, randomBytes, type KeyObject } from 'node:crypto';

const SECRET_BYTES = 32;
const PREFIX = 'whsec_';

/** Generates a signing secret in the format of Standard Webhooks: `whsec_` and base64. */
export function newSigningSecret(): string {
  return `${PREFIX}${randomBytes(SECRET_BYTES).toString('base64')}`;
}

/**
 * The secret that signs a project's messages of one kind. That of the sandbox is derived from the project's secret,
 * which it does not reveal (HMAC-SHA256).
 */
export function projectSecret(secret: string, sandbox: boolean): string {
  if (!sandbox) return secret;
  return `${PREFIX}${createHmac('sha256', secret).update('sandbox signing secret').digest('base64')}`;
}

/** The key that is in a signing secret. */
export function signingKeyOf(secret: string): KeyObject {
  return createSecretKey(Buffer.from(secret.slice(PREFIX.length), 'base64'));
}
