import { randomBytes } from 'node:crypto';
import { HatifError } from '../../model/errors/index.js';
import type { EventData } from '../../model/events/index.js';
import { newId } from '../../model/ids.js';
import type { Clock } from '../../ports/clock.js';
import type { OutboundHttp, PostResult } from '../../ports/outbound-http.js';
import { eventBody, type MessageSigner } from './message.js';
import { isDelivered } from './outcome.js';
import { UNREACHABLE_REASONS, urlInvalid } from './url.js';

const TIMEOUT_MS = 10_000;
const CHALLENGE_BYTES = 24;

/** The result of a message sent outside the delivery queue. */
export interface ProbeResult {
  readonly webhookId: string;
  readonly challenge: string;
  readonly result: PostResult;
}

/** Sends `webhook.verify` directly, without the delivery queue: to verify a receiver, or to test it. */
export class ReceiverProbe {
  constructor(
    private readonly http: OutboundHttp,
    private readonly signer: MessageSigner,
    private readonly clock: Clock,
  ) {}

  /** @param secrets encrypted. @param member additional members of `data`. */
  async send(url: string, secrets: readonly string[], member: { readonly test?: true } = {}): Promise<ProbeResult> {
    const webhookId = newId();
    const challenge = randomBytes(CHALLENGE_BYTES).toString('base64url');
    const at = this.clock.now();
    const data: EventData<'webhook.verify'> = { challenge, ...member };
    const body = JSON.stringify(eventBody({ type: 'webhook.verify', created_at: at, data }));
    const headers = this.signer.headers(webhookId, body, at, secrets);
    const result = await this.http.post({ url, headers, body, timeoutMs: TIMEOUT_MS, readBody: true });
    return { webhookId, challenge, result };
  }

  /**
   * Makes sure that the receiver at the URL expects our messages: it has to echo the challenge.
   * @throws HatifError WEBHOOK_URL_INVALID, WEBHOOK_UNREACHABLE (no answer), WEBHOOK_VERIFICATION_FAILED (any other
   * answer).
   */
  async verify(url: string, secret: string): Promise<void> {
    const { challenge, result } = await this.send(url, [secret]);
    if (result.kind === 'failure') {
      const { failure } = result;
      if (failure === 'malformed' || failure === 'not_https' || failure === 'forbidden_address')
        throw urlInvalid(failure);
      throw new HatifError('WEBHOOK_UNREACHABLE', { reason: UNREACHABLE_REASONS[failure] });
    }
    if (!isDelivered(result) || echoed(result.body) !== challenge) throw new HatifError('WEBHOOK_VERIFICATION_FAILED');
  }
}

function echoed(body: string): unknown {
  try {
    const answer: unknown = JSON.parse(body);
    return typeof answer === 'object' && answer !== null && 'challenge' in answer ? answer.challenge : null;
  } catch {
    return null;
  }
}
