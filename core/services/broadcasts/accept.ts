import type { Queryable } from '../../data/database.js';
import { recordEvents } from '../../data/outbox.js';
import type {
  BroadcastRecipients,
  DueRecipient,
  RecipientDecision,
} from '../../data/repositories/messaging/broadcast-recipients.js';
import type { MessageLinks } from '../../data/repositories/messaging/links.js';
import { addMessages, lastSenders, touchThreads } from '../../data/repositories/messaging/message-batches.js';
import type { BroadcastRow, MessageRow, OrganizationRow } from '../../data/rows.js';
import { HatifError, type ErrorCode } from '../../model/errors/index.js';
import { newId } from '../../model/ids.js';
import { variantOf, type BroadcastVariant, type SkipReason } from '../../model/broadcasts/broadcast.js';
import { valuesFor } from '../../model/broadcasts/variables.js';
import type { Channel } from '../../model/messaging/channels.js';
import { NO_EXTRA, type StoredExtra } from '../../model/messaging/extra.js';
import type { Clock } from '../../ports/clock.js';
import type { MessageChannel } from '../../ports/messaging/message-channel.js';
import type { Credit } from '../billing/credit.js';
import type { ChooseSender } from '../messaging/choose-sender.js';
import { valuesOf, wordsOf } from '../messaging/content.js';
import type { MessageGate } from '../messaging/gate.js';
import { messageEvent } from '../messaging/message-event.js';
import type { MessageVelocity } from '../messaging/velocity.js';
import type { MessageShortener, ShortLinks } from '../messaging/links/short-links.js';
import type { MessagePrices } from '../messaging/prices.js';
import { MOST_SEGMENTS, VALID_MS } from '../messaging/send.js';
import { weightsOf } from './present.js';

export interface AcceptRecipientsOptions {
  readonly recipients: BroadcastRecipients;
  readonly channels: (channel: Channel, sandbox: boolean) => MessageChannel | null;
  readonly senders: ChooseSender;
  readonly gate: MessageGate;
  readonly prices: MessagePrices;
  readonly shortLinks: Pick<ShortLinks, 'begin'>;
  readonly links: Pick<MessageLinks, 'add'>;
  readonly credit: Pick<Credit, 'admitAmount'>;
  readonly velocity: Pick<MessageVelocity, 'take'>;
  readonly clock: Clock;
}

/** What a batch did. */
export interface Accepted {
  /** Messages that were accepted. */
  readonly messages: number;
  /** Recipients who were looked at. */
  readonly recipients: number;
  readonly lanes: readonly string[];
}

/** A broadcast, and who pays for it. */
export interface PaidBroadcast {
  readonly broadcast: BroadcastRow;
  readonly organization: Pick<OrganizationRow, 'account_kind'>;
}

/** A recipient with the message that is made for it. */
interface Draft {
  readonly recipient: DueRecipient & { readonly address: string };
  readonly variant: number;
  readonly text: string;
  readonly subject: string | null;
  readonly content: StoredExtra | null;
  readonly segments: number;
  readonly parts: number;
  /** Null: its addresses stay. */
  readonly shortener: MessageShortener | null;
}

type Decided = { readonly recipient: DueRecipient } & (
  | { readonly skip: SkipReason }
  /** The time of the day does not allow it. */
  | { readonly until: Date }
);

const SKIPS: Partial<Readonly<Record<ErrorCode, SkipReason>>> = {
  RECIPIENT_OPTED_OUT: 'opted_out',
  QUIET_HOURS_ACTIVE: 'quiet_hours',
  SANDBOX_DESTINATION_NOT_ALLOWED: 'sandbox_destination',
  INSUFFICIENT_PERMISSIONS: 'destination',
};

/**
 * Accepts the messages of a broadcast in batches, by the same gate, prices and holds as single messages. A recipient, the
 * message, its hold and its event are one transaction: so nobody gets two, whenever a process dies.
 */
export class AcceptRecipients {
  constructor(private readonly options: AcceptRecipientsOptions) {}

  /**
   * Works on the next recipients who are due. The caller has locked the broadcast.
   * @param pace when each message may be submitted, by its place in the batch
   * @param limit at most as many as the limits of the project allow
   * @throws HatifError VALIDATION_ERROR if there is no sender, SPEND_CAP_EXCEEDED, INSUFFICIENT_CREDITS: then nothing
   * must be committed
   */
  async accept(
    tx: Queryable,
    { broadcast, organization }: PaidBroadcast,
    limit: number,
    pace: (place: number) => Date,
  ): Promise<Accepted> {
    const { recipients, clock } = this.options;
    const now = clock.now();
    const due = await recipients.due(tx, broadcast.id, now, limit);
    if (due.length === 0) return { messages: 0, recipients: 0, lanes: [] };
    const { drafts, decided } = this.#write(broadcast, due);
    const { admitted, refused } = await this.#judge(broadcast, drafts, now);
    const rows = await this.#rows(tx, { broadcast, organization }, admitted, pace, now);
    const lanes = await this.#store(tx, rows, now);
    await this.options.links.add(
      tx,
      admitted.flatMap(({ shortener }, index) => [...(shortener?.rows(rows[index]?.id ?? '') ?? [])]),
    );
    await recipients.accept(
      tx,
      admitted.map(({ recipient }, index) => ({ recipientId: recipient.id, messageId: rows[index]?.id ?? '' })),
    );
    await recipients.decide(tx, [...decided, ...refused].map(decisionOf));
    return { messages: rows.length, recipients: due.length, lanes };
  }

  /** Makes the texts. */
  #write(broadcast: BroadcastRow, due: readonly DueRecipient[]) {
    const { channel, sandbox, variants } = broadcast;
    const provider = this.options.channels(channel, sandbox);
    const weights = weightsOf(variants);
    const drafts: Draft[] = [];
    const decided: Decided[] = [];
    for (const recipient of due) {
      const { address } = recipient;
      const index = variantOf(weights, recipient.number);
      const variant = variants[index];
      const kept = variant?.kept;
      const values = variant ? valuesFor(variant.variables, recipient.fields) : null;
      if (address === null || !kept) decided.push({ recipient, skip: 'no_address' });
      else if (values === null) decided.push({ recipient, skip: 'missing_variable' });
      else {
        const shortener = broadcast.track_links ? this.options.shortLinks.begin() : null;
        const words = shortened(channel, kept, values, shortener);
        const text = words?.text ?? '';
        const segments = provider?.segments(text) ?? 1;
        if (words === null) decided.push({ recipient, skip: 'refused' });
        else if (segments > MOST_SEGMENTS) decided.push({ recipient, skip: 'text_too_long' });
        else {
          const parts = provider?.parts(text) ?? 1;
          const content = channel === 'chatapp' ? { ...NO_EXTRA, template: valuesOf(kept, words.given) } : null;
          const known = { ...recipient, address };
          const { subject } = words;
          drafts.push({ recipient: known, variant: index, text, subject, content, segments, parts, shortener });
        }
      }
    }
    return { drafts, decided };
  }

  /** Asks the gate. */
  async #judge(broadcast: BroadcastRow, drafts: readonly Draft[], at: Date) {
    const { organization_id, project_id, sandbox, channel } = broadcast;
    const refusals = await this.options.gate.judgeAll(
      drafts.map(({ recipient }) => ({
        ...{ organizationId: organization_id, projectId: project_id, sandbox, channel, to: recipient.address },
        ...{ class: broadcast.class, at, isScheduled: false, isTemplate: true },
      })),
    );
    const admitted = drafts.filter((_, index) => !refusals[index]);
    const refused = drafts.flatMap(({ recipient }, index) => {
      const refusal = refusals[index];
      return refusal ? [refusedOf(recipient, refusal)] : [];
    });
    return { admitted, refused };
  }

  /** Chooses senders, holds the prices, adds to the conversations, and makes the rows of the messages. */
  async #rows(
    tx: Queryable,
    { broadcast, organization }: PaidBroadcast,
    drafts: readonly Draft[],
    pace: (place: number) => Date,
    now: Date,
  ): Promise<readonly MessageRow[]> {
    if (drafts.length === 0) return [];
    const { senders, credit, prices, velocity } = this.options;
    const { organization_id, project_id, sandbox, channel } = broadcast;
    const kind = { projectId: project_id, sandbox };
    const addresses = drafts.map(({ recipient }) => recipient.address);
    const priced = { organizationId: organization_id, organization, sandbox, channel, at: now };
    const [known, choose, perSegment] = await Promise.all([
      lastSenders(tx, kind, channel, addresses),
      senders.chooser(channel, broadcast.sender, broadcast.class, kind),
      prices.perSegment(priced, addresses),
    ]);
    const from = addresses.map((address) => choose(address, known.get(address) ?? null));
    const amounts = drafts.map(({ recipient, segments }) => (perSegment.get(recipient.address) ?? 0) * segments);
    await velocity.take(tx, kind, drafts.length);
    const amount = amounts.reduce((sum, one) => sum + one, 0);
    if (amount > 0) await credit.admitAmount(tx, { organizationId: organization_id, projectId: project_id }, amount);
    const threads = await touchThreads(
      tx,
      addresses.map((address, place) => ({
        ...{ id: newId(), organization_id, project_id, sandbox, channel, address, sender: from[place] ?? null },
        ...{ agent: null, last_message_at: now },
      })),
    );
    return drafts.map((draft, place): MessageRow => {
      const { address } = draft.recipient;
      const thread_id = threads.get(address) ?? '';
      return rowOf(broadcast, draft, thread_id, from[place] ?? null, amounts[place] ?? 0, pace(place), now);
    });
  }

  /** @returns the lanes of the events */
  async #store(tx: Queryable, rows: readonly MessageRow[], now: Date): Promise<readonly string[]> {
    if (rows.length === 0) return [];
    await addMessages(tx, rows);
    return recordEvents(
      tx,
      rows.map((row) => messageEvent(row, now)),
    );
  }
}

/** A plain literal: an object of many members that is put together of others costs several times as much. */
function rowOf(
  broadcast: BroadcastRow,
  { recipient, variant, text, subject, content, segments, parts }: Draft,
  thread_id: string,
  sender: string | null,
  amount: number,
  dueAt: Date,
  now: Date,
): MessageRow {
  const template = broadcast.variants[variant]?.template ?? null;
  return {
    id: newId(),
    organization_id: broadcast.organization_id,
    project_id: broadcast.project_id,
    sandbox: broadcast.sandbox,
    channel: broadcast.channel,
    direction: 'outbound',
    thread_id,
    recipient: recipient.address,
    sender,
    class: broadcast.class,
    status: 'queued',
    body: text,
    subject,
    content,
    template_name: template?.name ?? null,
    template_language: template?.language ?? null,
    segments,
    parts,
    amount,
    error_reason: null,
    provider_code: null,
    metadata: broadcast.metadata,
    agent: null,
    broadcast_id: broadcast.id,
    broadcast_variant: variant,
    created_by_key: broadcast.created_by_key,
    request_id: null,
    scheduled_at: null,
    valid_until: new Date(dueAt.getTime() + VALID_MS),
    due_at: dueAt,
    claimed_at: null,
    created_at: now,
    sent_at: null,
    delivered_at: null,
    read_at: null,
    failed_at: null,
  };
}

/**
 * The words of a message with short addresses. A template of the chat application is text that its provider has approved:
 * there only the values can change. Null: there are too many.
 */
function shortened(
  channel: Channel,
  kept: NonNullable<BroadcastVariant['kept']>,
  values: readonly string[],
  shortener: MessageShortener | null,
) {
  if (shortener === null) return { ...wordsOf(channel, kept, values), given: values };
  try {
    if (channel === 'chatapp') {
      const given = values.map((value) => shortener.shorten(value));
      return { ...wordsOf(channel, kept, given), given };
    }
    const { text, subject } = wordsOf(channel, kept, values);
    return { text: shortener.shorten(text), subject, given: values };
  } catch (error) {
    if (error instanceof HatifError) return null;
    throw error;
  }
}

function refusedOf(recipient: DueRecipient, refusal: HatifError): Decided {
  const { until } = refusal.slots;
  if (refusal.code === 'QUIET_HOURS_ACTIVE' && typeof until === 'string' && until !== '')
    return { recipient, until: new Date(until) };
  return { recipient, skip: SKIPS[refusal.code] ?? 'refused' };
}

function decisionOf(decided: Decided): RecipientDecision {
  const { id, due_at } = decided.recipient;
  if ('until' in decided) return { id, status: 'waiting', skip_reason: null, due_at: decided.until };
  return { id, status: 'skipped', skip_reason: decided.skip, due_at };
}
