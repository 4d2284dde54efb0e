import type { BlockedCallers, BlockListOwner } from '../../data/repositories/numbers/blocked-callers.js';
import type { BlockedCallerRow } from '../../data/rows.js';
import { HatifError } from '../../model/errors/index.js';
import { newId } from '../../model/ids.js';
import { MAX_BLOCKED_CALLERS, type BlockedEntry } from '../../model/number/blocked-caller.js';
import { arabic } from '../../model/wording/wording.js';
import type { Clock } from '../../ports/clock.js';

export interface ManageBlockedCallersOptions {
  readonly table: Pick<BlockedCallers, 'add' | 'page' | 'remove'>;
  /** Notifies the processes that route calls. */
  readonly announce: () => Promise<void>;
  readonly clock: Clock;
}

const PAGE = 1_000;

/** Changes the block lists of projects and of the installation. Calls in progress continue. */
export class ManageBlockedCallers {
  constructor(private readonly options: ManageBlockedCallersOptions) {}

  /**
   * Adds an entry. An entry that is on the list already stays as it is, with its note.
   * @returns the entry on the list; `isNew` if it was added now
   * @throws HatifError BLOCKED_CALLER_LIMIT_EXCEEDED
   */
  async add(
    { projectId, sandbox }: BlockListOwner,
    { kind, number }: BlockedEntry,
    note: string | null,
  ): Promise<{ row: BlockedCallerRow; isNew: boolean }> {
    const { table, announce, clock } = this.options;
    const wanted = { id: newId(), project_id: projectId, sandbox, kind, number, note, created_at: clock.now() };
    const row = await table.add(wanted, MAX_BLOCKED_CALLERS);
    if (!row) throw new HatifError('BLOCKED_CALLER_LIMIT_EXCEEDED', { max: MAX_BLOCKED_CALLERS });
    const isNew = row.id === wanted.id;
    if (isNew) await announce();
    return { row, isNew };
  }

  /** Newest first, only those before `beforeId`. */
  list(owner: BlockListOwner, beforeId: string | null, limit: number): Promise<BlockedCallerRow[]> {
    return this.options.table.page(owner, beforeId, limit);
  }

  /** The whole list, newest first. */
  async all(owner: BlockListOwner): Promise<BlockedCallerRow[]> {
    const rows: BlockedCallerRow[] = [];
    for (;;) {
      const page = await this.list(owner, rows.at(-1)?.id ?? null, PAGE);
      rows.push(...page);
      if (page.length < PAGE) return rows;
    }
  }

  /** @throws HatifError NOT_FOUND if the list has no such entry */
  async remove(owner: BlockListOwner, id: string): Promise<void> {
    if (!(await this.options.table.remove(owner, id))) {
      throw new HatifError('NOT_FOUND', { what: { en: `the blocked caller ${id}`, ar: arabic`المتصل المحظور ${id}` } });
    }
    await this.options.announce();
  }
}
