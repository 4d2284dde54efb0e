import { DatabaseUnavailable } from '../../../data/errors.js';
import type { ClaimedMessage, Released, SubmittedPart } from '../../../data/repositories/messaging/submissions.js';
import type { Cipher } from '../../../model/access/cipher.js';
import { pause, type Clock } from '../../../ports/clock.js';
import type { MessageChannel, OutgoingMessage } from '../../../ports/messaging/message-channel.js';
import { changeTo, type MessageChange } from '../progress.js';
import type { Recheck } from '../recheck.js';
import type { UnsubscribeLinks } from '../unsubscribe-links.js';

export interface SubmitMessageOptions {
  readonly channel: Pick<MessageChannel, 'submit'>;
  /** What became true since a message was accepted. */
  readonly recheck: (row: ClaimedMessage) => Promise<Recheck>;
  readonly links: Pick<UnsubscribeLinks, 'urlFor'>;
  /** Opens the texts of messages of the platform itself. */
  readonly cipher: Pick<Cipher, 'open'>;
  readonly clock: Clock;
}

/** What happened when a message was submitted. */
export interface Submitted {
  readonly parts: readonly SubmittedPart[];
  readonly change: MessageChange | null;
  /** Set if nothing more reached the provider: the message is due again, at this time. */
  readonly released: Released | null;
}

const RETRY_MS = 1_000;
/** For a fault of a statement, such as two transactions that wait for each other. */
const MOST_ATTEMPTS = 5;

/** Submits claimed messages, each part of them once. */
export class SubmitMessage {
  constructor(private readonly options: SubmitMessageOptions) {}

  async submit(row: ClaimedMessage): Promise<Submitted> {
    const { channel, clock, recheck } = this.options;
    const { id, valid_until } = row;
    if (valid_until !== null && valid_until <= clock.now()) return failed(id, 'expired', null);
    const checked = await untilDone(clock, () => recheck(row));
    if (checked.kind === 'opted_out') return failed(id, 'opted_out', null);
    if (checked.kind === 'later') return { parts: [], change: null, released: { id, dueAt: checked.until } };
    const message = this.#messageOf(row);
    const parts: SubmittedPart[] = [];
    for (let number = 1; number <= row.parts; number++) {
      if (row.submitted.includes(number)) continue;
      const outcome = await channel.submit(message, number);
      const part = { message_id: id, part: number };
      switch (outcome.kind) {
        case 'accepted':
          parts.push({ ...part, state: 'sent', provider: outcome.provider, provider_id: outcome.providerId || null });
          break;
        case 'unknown':
          parts.push({ ...part, state: 'unknown', provider: outcome.provider, provider_id: outcome.providerId });
          return { parts, change: null, released: null };
        case 'not_submitted':
          return {
            ...{ parts, change: null },
            released: { id, dueAt: new Date(clock.now().getTime() + (outcome.retryAfterMs ?? RETRY_MS)) },
          };
        case 'refused':
          return { ...failed(id, outcome.reason, outcome.providerCode), parts };
      }
    }
    return { parts, change: changeTo(id, 'sent'), released: null };
  }

  #messageOf(row: ClaimedMessage): OutgoingMessage {
    const { links, cipher } = this.options;
    const { template_name: name, template_language: language } = row;
    const { text, content } = wordsOf(row, cipher);
    return {
      id: row.id,
      projectId: row.project_id,
      to: row.recipient,
      from: row.sender,
      subject: row.subject,
      validUntil: row.valid_until,
      softphone: row.softphone ?? null,
      text,
      content,
      template: name === null || language === null ? null : { name, language },
      unsubscribeUrl: links.urlFor(row),
    };
  }
}

/** Repeats work on the database, however long that is away. @throws any other error, after some attempts */
export async function untilDone<T>(clock: Clock, work: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof DatabaseUnavailable) && attempt >= MOST_ATTEMPTS) throw error;
      await pause(clock, RETRY_MS);
    }
  }
}

/** Of a code that a provider fills into a template, only the code is kept. */
function wordsOf(
  { body, content, is_system }: ClaimedMessage,
  cipher: Pick<Cipher, 'open'>,
): Pick<OutgoingMessage, 'text' | 'content'> {
  if (is_system !== true || body === null) return { text: body ?? '', content };
  const text = cipher.open(body);
  const template = content?.template;
  return { text, content: content && template ? { ...content, template: { ...template, body: [text] } } : content };
}

function failed(id: string, reason: MessageChange['reason'], provider_code: string | null): Submitted {
  return { parts: [], change: { id, status: 'failed', reason, provider_code }, released: null };
}
