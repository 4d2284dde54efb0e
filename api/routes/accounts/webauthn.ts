import { z } from 'zod';

/** What `navigator.credentials` takes, as JSON. */
export const webauthnOptions = z.strictObject({
  options: z
    .looseObject({ challenge: z.string() })
    .describe('As WebAuthn defines it (Web Authentication, section 5.4 and 5.5)'),
});

/** What an authenticator answers: `PublicKeyCredential.toJSON()`. */
export const credential = z
  .looseObject({
    id: z.string().max(2000),
    rawId: z.string().max(2000),
    type: z.literal('public-key'),
    response: z.looseObject({ clientDataJSON: z.string().max(10_000) }),
    clientExtensionResults: z.looseObject({}).default({}),
  })
  .describe('`PublicKeyCredential.toJSON()`');
