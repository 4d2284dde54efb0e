import type { Database, Queryable } from '../../../data/database.js';
import { DatabaseUnavailable, violatedUnique } from '../../../data/errors.js';
import {
  insertContacts,
  joinGroup,
  lockHaving,
  updateContacts,
} from '../../../data/repositories/contacts/contact-batches.js';
import { ConsentLocked, Consents } from '../../../data/repositories/contacts/consents.js';
import { ContactImports, type ImportCounts } from '../../../data/repositories/contacts/contact-imports.js';
import type {
  ConsentChangeRow,
  ConsentRow,
  ContactImportRow,
  ImportFaultRow,
  ImportLine,
  ImportProblem,
} from '../../../data/rows.js';
import { MAX_GROUP_MEMBERS } from '../../../model/contacts/contact.js';
import { importColumn } from '../../../model/contacts/import-columns.js';
import { readLine, type ContactLine, type LineFault } from '../../../model/contacts/import-line.js';
import { plainArabic } from '../../../model/wording/wording.js';
import type { Clock } from '../../../ports/clock.js';
import type { Logger } from '../../../ports/logger.js';
import type { IsStopping, PeriodicTask } from '../../runtime/periodic-task.js';
import { isSameConsent } from '../record-consents.js';
import { marketingChanges } from '../wishes.js';
import { LineApplication, type LineOutcome, type OptedOut } from './apply-lines.js';

export interface ContactImportTaskOptions {
  readonly db: Database;
  readonly clock: Clock;
  readonly log: Logger;
  /** For tests: called before a piece is committed. */
  readonly onPiece?: () => Promise<void> | void;
}

const INTERVAL_MS = 2_000;
const FIRST_RETRY_MS = 2_000;
const LONGEST_RETRY_MS = 600_000;
/** After as many faults of one piece, the import has failed: about an hour. */
const MOST_ATTEMPTS = 15;

/**
 * Imports the lines of files of contacts, piece by piece. A piece, its counts and the deletion of its lines are one
 * transaction, so that each line is imported exactly once, even if a process dies. Imports take turns.
 */
export class ContactImportTask implements PeriodicTask {
  readonly name = 'contact imports';
  readonly everyMs = INTERVAL_MS;
  readonly startsAtOnce = true;
  readonly #imports: ContactImports;
  readonly #consents: Consents;

  constructor(private readonly options: ContactImportTaskOptions) {
    this.#imports = new ContactImports(options.db);
    this.#consents = new Consents(options.db);
  }

  /** Runs until nothing is due. @throws DatabaseUnavailable */
  async run(isStopping: IsStopping = () => false): Promise<void> {
    while (!isStopping() && (await this.#next()));
  }

  /** @returns false if nothing is due */
  async #next(): Promise<boolean> {
    const { db, clock, log } = this.options;
    let taken = null as ContactImportRow | null;
    try {
      return await db.transaction(async (tx) => {
        const now = clock.now();
        const piece = await this.#imports.take(tx, now);
        if (!piece) return false;
        taken = piece.of;
        if (piece.lines) await this.#import(tx, piece.of, piece.lines, now);
        else await this.#imports.finish(tx, piece.of.id, now);
        await this.options.onPiece?.();
        return true;
      });
    } catch (error) {
      if (error instanceof DatabaseUnavailable || taken === null) throw error;
      // A client created a contact of the piece, or a person opted out, at the same moment: the next attempt sees it.
      const isTaken = violatedUnique(error)?.startsWith('contacts_') === true || error instanceof ConsentLocked;
      const { id, attempts } = taken;
      if (!isTaken) log.warn({ err: error, id }, 'a piece of a contact import failed');
      const wait = isTaken ? 0 : Math.min(LONGEST_RETRY_MS, FIRST_RETRY_MS * 2 ** attempts);
      const now = clock.now();
      const dueAt = attempts + 1 >= MOST_ATTEMPTS ? null : new Date(now.getTime() + wait);
      await this.#imports.postpone(id, dueAt, now);
      return true;
    }
  }

  async #import(tx: Queryable, of: ContactImportRow, lines: readonly ImportLine[], now: Date): Promise<void> {
    const columns = of.columns.flatMap((name) => importColumn(name) ?? []);
    const read = lines.map(([number, values]) => ({ number, line: readLine(columns, values) }));
    const good = read.flatMap(({ number, line }) => (Array.isArray(line) ? [] : [{ number, line }]));
    const kind = { projectId: of.project_id, sandbox: of.sandbox };
    const contacts = good.map(({ line }) => line);
    const known = await lockHaving(tx, kind, given(contacts, 'phone'), given(contacts, 'email'));
    const owner = { ...kind, organizationId: of.organization_id };
    const addresses = [...known, ...contacts].flatMap(({ phone, email }) => [phone, email]);
    const wanted = [...new Set(addresses.filter((address) => typeof address === 'string'))];
    const consents = await this.#consents.of(kind, wanted, tx);
    const optedOut = optedOutOf(consents);
    const applied = new LineApplication(known, optedOut, owner, of.existing, now).apply(contacts);
    await updateContacts(tx, applied.updated);
    await insertContacts(tx, applied.inserted);
    const wish = { source: 'import', proof: `import ${of.id}`, recordedBy: null } as const;
    const changes = applied.wishes.flatMap(({ row, isOptedOut }) =>
      marketingChanges(row, isOptedOut, consents, wish, now),
    );
    await this.#consents.record(tx, latest(changes));
    const problem = await this.#join(tx, of, applied.contactIds, now);
    const faults = [
      ...read.flatMap(({ number, line }) => (Array.isArray(line) ? faultRows(number, line) : [])),
      ...applied.outcomes.flatMap((outcome, index) =>
        typeof outcome === 'string' ? [] : faultRows(good[index]?.number ?? 0, [outcome]),
      ),
    ];
    await this.#imports.addFaults(tx, of.id, faults);
    const outcomes = applied.outcomes.filter((outcome) => typeof outcome === 'string');
    await this.#imports.advance(tx, of.id, countsOf(outcomes, lines.length), problem, now);
  }

  async #join(
    tx: Queryable,
    { has_group, group_id }: ContactImportRow,
    contactIds: readonly string[],
    now: Date,
  ): Promise<ImportProblem | null> {
    if (!has_group) return null;
    if (group_id === null) return 'group_deleted';
    const isComplete = await joinGroup(tx, group_id, contactIds, MAX_GROUP_MEMBERS, now);
    return isComplete === null ? 'group_deleted' : isComplete ? null : 'group_full';
  }
}

function given(lines: readonly ContactLine[], address: 'phone' | 'email'): string[] {
  return [...new Set(lines.flatMap((line) => line[address] ?? []))];
}

/** The opt-outs of marketing messages: of one address, one of the person counts most. */
function optedOutOf(consents: readonly ConsentRow[]): OptedOut {
  const optedOut = new Map<string, boolean>();
  for (const { address, class: messageClass, status, is_locked } of consents) {
    if (messageClass !== 'promotional' || status !== 'opted_out') continue;
    optedOut.set(address, is_locked || optedOut.get(address) === true);
  }
  return optedOut;
}

/** Two contacts of a piece may have had the same address: the last one counts. */
function latest(changes: readonly ConsentChangeRow[]): ConsentChangeRow[] {
  return changes.filter((change, index) => !changes.slice(index + 1).some((other) => isSameConsent(other, change)));
}

function countsOf(outcomes: readonly LineOutcome[], lines: number): ImportCounts {
  const count = (wanted: LineOutcome): number => outcomes.filter((outcome) => outcome === wanted).length;
  return {
    ...{ created: count('created'), updated: count('updated'), unchanged: count('unchanged') },
    ...{ skipped: count('skipped'), failed: lines - outcomes.length },
  };
}

function faultRows(line: number, faults: readonly LineFault[]): ImportFaultRow[] {
  return faults.map(({ column, code, problem }, number) => ({
    ...{ line, number, column_name: column, code, message: problem.en, message_ar: plainArabic(problem.ar) },
  }));
}
