import type { BroadcastMessages } from '../../data/repositories/messaging/broadcast-messages.js';
import type { BroadcastRecipients, RecipientOutcome } from '../../data/repositories/messaging/broadcast-recipients.js';
import type { Broadcasts } from '../../data/repositories/messaging/broadcasts.js';
import type { ContactScope } from '../../data/repositories/contacts/contacts.js';
import type { BroadcastRow } from '../../data/rows.js';
import { csvLine } from '../../model/csv.js';
import type { BroadcastStatus, RecipientStatus, SkipReason } from '../../model/broadcasts/broadcast.js';
import { isoTime } from '../../model/time.js';
import type { Counted } from './counts.js';
import { keyFor } from './present.js';
import { unknownBroadcast } from './refusals.js';

export interface ReadBroadcastsOptions {
  readonly broadcasts: Broadcasts;
  readonly recipients: BroadcastRecipients;
  readonly messages: BroadcastMessages;
}

export interface RecipientFilter {
  readonly status: RecipientStatus | null;
  readonly skipReason: SkipReason | null;
}

export const REPORT_COLUMNS = [
  ...(['number', 'to', 'contact_id', 'variant', 'status', 'skip_reason', 'error_reason', 'provider_code'] as const),
  ...(['attempts', 'message_id', 'sent_at', 'delivered_at', 'read_at'] as const),
];

const PAGE_SIZE = 1_000;

/** Shows broadcasts, how far they are, and the outcome for each recipient. */
export class ReadBroadcasts {
  constructor(private readonly options: ReadBroadcastsOptions) {}

  /** Newest first, only those before `beforeId`. */
  page(
    scope: ContactScope,
    status: BroadcastStatus | null,
    beforeId: string | null,
    limit: number,
  ): Promise<BroadcastRow[]> {
    return this.options.broadcasts.page(scope, status, beforeId, limit);
  }

  /** @throws HatifError NOT_FOUND */
  async get(scope: ContactScope, id: string): Promise<BroadcastRow> {
    const row = await this.options.broadcasts.get(scope, id);
    if (!row) throw unknownBroadcast(id);
    return row;
  }

  /** The outcomes of a broadcast so far. */
  counted({ id }: BroadcastRow): Promise<Counted> {
    return this.options.messages.counts(id);
  }

  /** In the order of their numbers, only those after `after`. */
  recipients(
    { id, status }: BroadcastRow,
    filter: RecipientFilter,
    after: number,
    limit: number,
  ): Promise<RecipientOutcome[]> {
    return this.options.recipients.page(id, status === 'cancelled', filter, after, limit);
  }

  /** Every recipient as a line of CSV, in pages, so that only one page is in memory. */
  async *report(broadcast: BroadcastRow): AsyncGenerator<string> {
    let text = csvLine(REPORT_COLUMNS);
    let after: number | null = 0;
    while (after !== null) {
      const page: readonly RecipientOutcome[] = await this.recipients(
        broadcast,
        { status: null, skipReason: null },
        after,
        PAGE_SIZE,
      );
      yield text + page.map((row) => reportLine(row, broadcast)).join('');
      text = '';
      after = page.length === PAGE_SIZE ? (page.at(-1)?.number ?? null) : null;
    }
  }
}

function reportLine(row: RecipientOutcome, { variants }: BroadcastRow): string {
  const { number, address, contact_id, outcome, skip_reason, error_reason, provider_code, attempts, message_id } = row;
  return csvLine([
    ...[number, address, contact_id, address === null ? null : keyFor(variants, number), outcome, skip_reason],
    ...[error_reason, provider_code, attempts, message_id],
    ...[isoTime(row.sent_at), isoTime(row.delivered_at), isoTime(row.read_at)],
  ]);
}
