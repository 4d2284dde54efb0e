import type { CallerList, CallerListOwner } from '../../data/repositories/numbers/caller-list.js';
import type { AllowedCallerRow, BlockedCallerRow, CallerEntryRow } from '../../data/rows.js';
import { HatifError } from '../../model/errors/index.js';
import { newId } from '../../model/ids.js';
import { MAX_BLOCKED_CALLERS, type BlockedEntry } from '../../model/number/blocked-caller.js';
import { arabic } from '../../model/wording/wording.js';
import type { Clock } from '../../ports/clock.js';
import { unknownAgent } from '../agents/agents.js';

export interface ManageCallersOptions<Row extends CallerEntryRow> {
  readonly table: Pick<CallerList<Row>, 'add' | 'page' | 'remove' | 'removeEntry'>;
  /** Notifies the processes that route calls. */
  readonly announce: () => Promise<void>;
  readonly clock: Clock;
}

const PAGE = 1_000;

/**
 * Changes lists of callers: of projects, agents and the installation. The subclasses are the lists of those who are
 * blocked, and of those who never are. Calls in progress continue.
 */
abstract class ManageCallers<Row extends CallerEntryRow> {
  protected abstract readonly limitCode: 'BLOCKED_CALLER_LIMIT_EXCEEDED' | 'ALLOWED_CALLER_LIMIT_EXCEEDED';

  constructor(private readonly options: ManageCallersOptions<Row>) {}

  /**
   * Adds an entry. An entry that is on the list already stays as it is, with its note.
   * @returns the entry on the list; `isNew` if it was added now
   * @throws HatifError BLOCKED_CALLER_LIMIT_EXCEEDED or ALLOWED_CALLER_LIMIT_EXCEEDED; NOT_FOUND for an unknown agent
   */
  async add(
    { projectId, sandbox, agent = null }: CallerListOwner,
    { kind, number }: BlockedEntry,
    note: string | null,
  ): Promise<{ row: Row; isNew: boolean }> {
    const { table, announce, clock } = this.options;
    const wanted = { id: newId(), project_id: projectId, agent, sandbox, kind, number, note, created_at: clock.now() };
    const row = await table.add(wanted, MAX_BLOCKED_CALLERS);
    if (row === 'no_agent') throw unknownAgent(agent ?? '');
    if (row === 'full') throw new HatifError(this.limitCode, { max: MAX_BLOCKED_CALLERS });
    const isNew = row.id === wanted.id;
    if (isNew) await announce();
    return { row, isNew };
  }

  /** Newest first, only those before `beforeId`. The list of an agent that does not exist is empty. */
  list(owner: CallerListOwner, beforeId: string | null, limit: number): Promise<Row[]> {
    return this.options.table.page(owner, beforeId, limit);
  }

  /** The whole list, newest first. */
  async all(owner: CallerListOwner): Promise<Row[]> {
    const rows: Row[] = [];
    for (;;) {
      const page = await this.list(owner, rows.at(-1)?.id ?? null, PAGE);
      rows.push(...page);
      if (page.length < PAGE) return rows;
    }
  }

  /** @throws HatifError NOT_FOUND if the list has no such entry */
  async remove(owner: CallerListOwner, id: string): Promise<void> {
    if (!(await this.options.table.remove(owner, id))) {
      throw new HatifError('NOT_FOUND', { what: { en: `the entry ${id}`, ar: arabic`الإدخال ${id}` } });
    }
    await this.options.announce();
  }

  /** Removes what the entry says, if the list has it. */
  async removeEntry(owner: CallerListOwner, entry: BlockedEntry): Promise<void> {
    if (await this.options.table.removeEntry(owner, entry)) await this.options.announce();
  }
}

/** The callers whose calls are refused. */
export class ManageBlockedCallers extends ManageCallers<BlockedCallerRow> {
  protected readonly limitCode = 'BLOCKED_CALLER_LIMIT_EXCEEDED';
}

/** The callers who are never blocked. */
export class ManageAllowedCallers extends ManageCallers<AllowedCallerRow> {
  protected readonly limitCode = 'ALLOWED_CALLER_LIMIT_EXCEEDED';
}
