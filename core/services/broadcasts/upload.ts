import type { Queryable } from '../../data/database.js';
import type { BroadcastRecipients } from '../../data/repositories/messaging/broadcast-recipients.js';
import type { Broadcasts } from '../../data/repositories/messaging/broadcasts.js';
import type { BroadcastRecipientRow, BroadcastRow } from '../../data/rows.js';
import { addressOn } from '../../model/contacts/consent.js';
import { columnName, type ImportColumn } from '../../model/contacts/import-columns.js';
import { readLine, type ContactLine } from '../../model/contacts/import-line.js';
import { invalidField, type Phrase } from '../../model/errors/index.js';
import { newId } from '../../model/ids.js';
import type { SkipReason } from '../../model/broadcasts/broadcast.js';
import { fieldsOf } from '../../model/broadcasts/variables.js';
import { arabic } from '../../model/wording/wording.js';
import type { Clock } from '../../ports/clock.js';
import { importFilePieces } from '../contacts/import/read-file.js';
import type { BroadcastEditor } from './create.js';
import { consentChannelOf } from './address.js';
import { invalidState, NOT_A_DRAFT, OF_A_GROUP, unknownBroadcast } from './refusals.js';

export interface UploadRecipientsOptions {
  readonly broadcasts: Broadcasts;
  readonly recipients: BroadcastRecipients;
  readonly clock: Clock;
}

/** Lines that are stored by one statement. */
const PIECE_LINES = 1_000;
/** Columns of files of contacts that say nothing about a message. */
const UNUSED: ReadonlySet<string> = new Set(['tags', 'marketing_opted_out']);

/** Gives drafts their recipients from a CSV file, which is read and stored piece by piece. */
export class UploadRecipients {
  constructor(private readonly options: UploadRecipientsOptions) {}

  /**
   * Stores the recipients of a file in place of those that the draft had, all or none.
   * @throws HatifError NOT_FOUND, BROADCAST_INVALID_STATE, VALIDATION_ERROR for a file as of contacts
   */
  async upload(
    editor: BroadcastEditor,
    id: string,
    file: { readonly path: string; readonly name: string },
  ): Promise<BroadcastRow> {
    const { broadcasts, recipients } = this.options;
    return broadcasts.transaction(async (tx) => {
      const row = await broadcasts.lock(tx, editor, id);
      if (!row) throw unknownBroadcast(id);
      if (row.status !== 'draft') throw invalidState(id, NOT_A_DRAFT);
      if (row.source !== 'file') throw invalidState(id, OF_A_GROUP);
      await recipients.clear(tx, id);
      let total = 0;
      for await (const { columns, lines } of importFilePieces(file.path, PIECE_LINES)) {
        assertColumns(columns);
        const read = lines.map(([number, values]) => ({ number, line: readLine(columns, values) }));
        await this.#add(tx, row, read);
        total += lines.length;
      }
      const change = { total, file_name: file.name.slice(0, 255) };
      await broadcasts.change(tx, id, change);
      return { ...row, ...change };
    });
  }

  async #add(
    tx: Queryable,
    broadcast: BroadcastRow,
    lines: readonly { readonly number: number; readonly line: ContactLine | readonly unknown[] }[],
  ): Promise<void> {
    const { recipients } = this.options;
    const channel = consentChannelOf(broadcast.channel);
    const addressOf = (line: ContactLine): string | null =>
      addressOn(channel, { phone: line.phone ?? null, email: line.email ?? null });
    const wanted = lines.flatMap(({ line }) => (isLine(line) ? (addressOf(line) ?? []) : []));
    const known = new Set(await recipients.known(tx, broadcast.id, wanted));
    const rows = lines.map(({ number, line }): BroadcastRecipientRow => {
      const skipped = (skip_reason: SkipReason): BroadcastRecipientRow => ({
        ...{ id: newId(), broadcast_id: broadcast.id, number, address: null, contact_id: null, time_zone: null },
        ...{ fields: {}, message_id: null, attempts: 0, due_at: broadcast.created_at },
        ...{ status: 'skipped', skip_reason },
      });
      if (!isLine(line)) return skipped('invalid_address');
      const address = addressOf(line);
      if (address === null) return skipped('no_address');
      if (known.has(address)) return skipped('duplicate');
      known.add(address);
      return {
        id: newId(),
        broadcast_id: broadcast.id,
        number,
        address,
        contact_id: null,
        time_zone: line.time_zone ?? null,
        fields: fieldsOf({ ...NOBODY, ...line }, broadcast.variants),
        status: 'waiting',
        skip_reason: null,
        message_id: null,
        attempts: 0,
        due_at: broadcast.created_at,
      };
    });
    await recipients.add(tx, rows);
  }
}

const NOBODY = { phone: null, email: null, name_en: null, name_ar: null, language: 'ar' } as const;

function isLine(line: ContactLine | readonly unknown[]): line is ContactLine {
  return !Array.isArray(line);
}

function assertColumns(columns: readonly ImportColumn[]): void {
  const unused = columns.map(columnName).filter((name) => UNUSED.has(name));
  if (unused.length > 0) throw invalidField('file', unusedColumns(unused));
}

function unusedColumns(names: readonly string[]): Phrase {
  return {
    en: `has columns that a broadcast does not use: ${names.join(', ')}. Import contacts with them.`,
    ar: arabic`فيه أعمدة لا تستخدمها الحملة: ${names}. استورد جهات الاتصال بها.`,
  };
}
