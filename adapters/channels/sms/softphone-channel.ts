import { smsSegments } from '../../../core/model/messaging/sms-text.js';
import { failureOf, textParts } from '../../../core/model/messaging/softphone-text.js';
import type {
  ChannelListener,
  MessageChannel,
  OutgoingMessage,
  SubmitOutcome,
} from '../../../core/ports/messaging/message-channel.js';
import type { SoftphoneTexts } from '../../../core/ports/messaging/softphone-texts.js';

export interface SoftphoneChannelOptions {
  readonly softphones: SoftphoneTexts;
  /** Whether the softphone is one of the project: its agent may have been deleted, and the name given to another one. */
  readonly isOf: (softphone: string, projectId: string) => Promise<boolean>;
  readonly listener: Pick<ChannelListener, 'receipt'>;
}

const PROVIDER = 'softphone';
/** A phone that answers late holds its place for half a minute. */
const ROOM = 50;
/** How soon a message for a softphone without a phone is tried again. */
const RETRY_MS = 10_000;
/** What the phone shows if the message has no sender. */
const NO_SENDER = 'anonymous';

/** SMS to softphones, as SIP MESSAGE (RFC 3428). A message waits until a phone is registered, or its validity is over. */
export class SoftphoneChannel implements MessageChannel {
  readonly channel = 'sms';
  readonly #underWay = new Set<(outcome: SubmitOutcome) => void>();
  #isStopped = false;

  constructor(private readonly options: SoftphoneChannelOptions) {}

  isConfigured(): Promise<boolean> {
    return Promise.resolve(true);
  }

  segments(text: string): number {
    return smsSegments(text);
  }

  parts(text: string): number {
    return textParts(text).length;
  }

  free(): number {
    return ROOM - this.#underWay.size;
  }

  window(): number {
    return ROOM;
  }

  /** The outcomes of submissions that are under way are unknown from now on. */
  stop(): void {
    this.#isStopped = true;
    for (const settle of this.#underWay) settle(UNKNOWN);
  }

  submit(message: OutgoingMessage, part: number): Promise<SubmitOutcome> {
    if (this.#isStopped) return Promise.resolve({ kind: 'not_submitted' });
    return new Promise((settle, fail) => {
      this.#underWay.add(settle);
      void this.#submit(message, part)
        .then(settle, fail)
        .finally(() => this.#underWay.delete(settle));
    });
  }

  async #submit({ id, to, from, text, projectId, softphone }: OutgoingMessage, part: number): Promise<SubmitOutcome> {
    const { softphones, isOf, listener } = this.options;
    const aor = softphone ?? '';
    const isKnown = await isOf(aor, projectId).catch(() => null);
    if (isKnown === null) return { kind: 'not_submitted' };
    if (!isKnown) return { kind: 'refused', reason: 'invalid_recipient', providerCode: null };
    const body = textParts(text)[part - 1] ?? '';
    const outcome = await softphones.send({ aor, from: from ?? NO_SENDER, body }).catch(() => AWAY);
    const providerId = `${id}-${part}`;
    switch (outcome.result) {
      case 'away':
        return { kind: 'not_submitted' };
      case 'not_registered':
        return { kind: 'not_submitted', retryAfterMs: RETRY_MS };
      case 'unknown':
        return UNKNOWN;
      case 'refused': {
        const { status } = outcome;
        return { kind: 'refused', reason: failureOf(status), providerCode: status === null ? null : String(status) };
      }
      case 'delivered':
        await this.#delivered(listener, { providerId, recipient: to, sender: from });
        return { kind: 'accepted', provider: PROVIDER, providerId };
      case 'passed_on':
        return { kind: 'accepted', provider: PROVIDER, providerId };
    }
  }

  /** A phone that has the message has it, even if that cannot be stored: then the message is only known as sent. */
  async #delivered(
    listener: Pick<ChannelListener, 'receipt'>,
    receipt: { readonly providerId: string; readonly recipient: string; readonly sender: string | null },
  ): Promise<void> {
    await listener
      .receipt({ ...receipt, provider: PROVIDER, state: 'delivered', failure: null })
      .catch(() => undefined);
  }
}

const UNKNOWN: SubmitOutcome = { kind: 'unknown', provider: null, providerId: null };
const AWAY = { result: 'away' } as const;
