import type { Queryable } from '../../data/database.js';
import { recordEvent } from '../../data/outbox.js';
import { completeFragments } from '../../data/repositories/messaging/fragments.js';
import type { Messages } from '../../data/repositories/messaging/messages.js';
import type { MessageSenders } from '../../data/repositories/messaging/senders.js';
import type { MessageRow } from '../../data/rows.js';
import type { StoredExtra } from '../../model/messaging/extra.js';
import { newId } from '../../model/ids.js';
import type { Clock } from '../../ports/clock.js';
import type { Logger } from '../../ports/logger.js';
import type { IncomingPart } from '../../ports/messaging/message-channel.js';
import type { ConsentService } from '../contacts/consents.js';
import { isConsentChannel } from './consent-checks.js';
import { messageEvent } from './message-event.js';

export interface TakeIncomingOptions {
  readonly messages: Messages;
  readonly senders: Pick<MessageSenders, 'ownerOf'>;
  readonly consents: Pick<ConsentService, 'recordKeyword'>;
  /** Answers a person who has just opted out. Never rejects. */
  readonly confirm: (message: MessageRow) => Promise<void>;
  readonly clock: Clock;
  readonly log: Logger;
  readonly wake: (lanes: readonly string[]) => void;
}

const NOTHING = { lanes: [], whole: null };

/** Takes messages that people send: joins their parts, and gives them to the project that has the address. */
export class TakeIncoming {
  constructor(private readonly options: TakeIncomingOptions) {}

  /**
   * Resolves once the part cannot be lost. One for an address that no project has is dropped.
   * @param also is done in the same transaction, and returns the lanes that it gave deliveries
   * @returns the message; null for a repeat, for one that is not complete, and for one that is dropped
   * @throws DatabaseUnavailable
   */
  async take(
    part: IncomingPart,
    also?: (tx: Queryable, row: MessageRow) => Promise<readonly string[]>,
  ): Promise<MessageRow | null> {
    const { messages, senders, clock, log, wake } = this.options;
    const { provider, providerId } = part;
    const owner = part.owner
      ? { organization_id: part.owner.organizationId, project_id: part.owner.projectId }
      : await senders.ownerOf(part.channel, part.to, part.from);
    if (!owner) {
      log.warn({ channel: part.channel, provider: part.provider }, 'a message came in for an address that nobody has');
      return null;
    }
    const sandbox = part.owner?.sandbox ?? false;
    const now = clock.now();
    const { lanes, whole } = await messages.transaction(async (tx) => {
      if (providerId !== undefined && !(await messages.claimIncoming(tx, provider, providerId))) return NOTHING;
      const bodies = part.series
        ? await completeFragments(tx, fragmentOf(part, part.series, now))
        : [toBase64(part.text)];
      if (bodies === null) return NOTHING;
      const touched = await messages.touchThread(tx, {
        ...{ ...owner, id: newId(), sandbox, channel: part.channel, address: part.from },
        ...{ sender: null, agent: null, last_message_at: now },
      });
      const text = storable(bodies.map(fromBase64).join(''));
      const row: MessageRow = {
        ...{ ...owner, id: newId(), sandbox, channel: part.channel, direction: 'inbound' },
        ...{
          thread_id: touched.id,
          recipient: part.to,
          sender: part.from,
          class: null,
          status: 'received',
          body: text,
        },
        ...{
          subject: null,
          content: part.content ? await this.#targeted(tx, provider, part.content) : null,
          template_name: null,
          template_language: null,
          segments: bodies.length,
          parts: bodies.length,
          amount: 0,
        },
        ...{ error_reason: null, provider_code: null, metadata: {}, agent: null, created_by_key: null },
        ...{ broadcast_id: null, broadcast_variant: null },
        ...{ request_id: null, scheduled_at: null, valid_until: null, due_at: null, claimed_at: null },
        ...{ created_at: now, sent_at: null, delivered_at: null, read_at: null, failed_at: null },
      };
      await messages.add(tx, row);
      if (providerId !== undefined) await messages.addIncomingId(tx, row.id, provider, providerId);
      const done = await recordEvent(tx, messageEvent(row, now));
      return { lanes: [...done, ...((await also?.(tx, row)) ?? [])], whole: row };
    });
    wake(lanes);
    if (whole !== null) await this.#recordKeyword(whole);
    return whole;
  }

  /** Names the message to which one reacts. */
  async #targeted(tx: Queryable, provider: string, content: StoredExtra): Promise<StoredExtra> {
    const { reaction, target } = content;
    if (reaction === null || target === null) return content;
    const message_id = await this.options.messages.idAt(tx, provider, target);
    return { ...content, reaction: { ...reaction, message_id } };
  }

  /** A person who writes STOP gets service messages only, and one of them says so. */
  async #recordKeyword(message: MessageRow): Promise<void> {
    const { id, organization_id, project_id, sandbox, channel, sender, body } = message;
    if (!isConsentChannel(channel) || sender === null || body === null) return;
    const address = channel === 'email' ? sender.toLowerCase() : sender;
    const owner = { organizationId: organization_id, projectId: project_id, sandbox };
    const said = { ...owner, channel, address, text: body, proof: `message ${id}` };
    if ((await this.options.consents.recordKeyword(said))?.isNewOptOut === true) await this.options.confirm(message);
  }
}

function fragmentOf(
  { provider, from, to, text }: IncomingPart,
  { reference, total, number }: NonNullable<IncomingPart['series']>,
  received_at: Date,
) {
  return { provider, sender: from, recipient: to, reference, total, part: number, body: toBase64(text), received_at };
}

function toBase64(text: string): string {
  return Buffer.from(text, 'utf16le').toString('base64');
}

function fromBase64(body: string): string {
  return Buffer.from(body, 'base64').toString('utf16le');
}

/** PostgreSQL stores neither NUL nor half a surrogate pair. */
function storable(text: string): string {
  return text.replaceAll('\0', '').replace(/\p{Surrogate}/gu, '\uFFFD');
}
