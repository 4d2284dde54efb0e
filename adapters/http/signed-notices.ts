import { Webhook } from 'standardwebhooks';
import { z } from 'zod';
import { NoticeError } from '../../core/ports/notice.js';

const envelope = z.object({ type: z.string() });

/**
 * Verifies and parses notices signed according to Standard Webhooks (HMAC-SHA256 over `id.timestamp.body`, at most five
 * minutes old): `{"type": "…", "data": {…}}`.
 */
export class SignedNotices<Data> {
  readonly #webhook: Webhook;
  readonly #update;

  /** @param secret `whsec_` and base64. @param type of the notices of interest; all others are ignored */
  constructor(
    secret: string,
    private readonly type: string,
    data: z.ZodType<Data>,
  ) {
    this.#webhook = new Webhook(secret);
    this.#update = z.object({ data });
  }

  /** @returns null for a notice of another type. @throws NoticeError */
  read(headers: Readonly<Record<string, string>>, body: Buffer): Data | null {
    const text = body.toString('utf8');
    try {
      this.#webhook.verify(text, headers, { jsonParse: false });
    } catch {
      // Any error means that the signature is not valid.
      throw new NoticeError('unauthorized', 'the signature is wrong or too old');
    }
    const json = parse(text);
    const { data: known } = envelope.safeParse(json);
    if (known === undefined) throw new NoticeError('unreadable', 'it is not a JSON object with a type');
    if (known.type !== this.type) return null;
    const read = this.#update.safeParse(json);
    if (read.success) return read.data.data;
    const [issue] = read.error.issues;
    throw new NoticeError('unreadable', `${issue?.path.join('.') ?? 'data'} is not in the agreed format`);
  }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return null;
  }
}
