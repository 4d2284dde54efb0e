import type { Database } from '../../data/database.js';
import type { Endings } from '../../data/repositories/privacy/endings.js';
import {
  BILLING_TABLES,
  DELETED_AFTER_CALLS,
  DELETED_BEFORE_CALLS,
  LAST_TABLES,
} from '../../data/repositories/privacy/organization-tables.js';
import type { OrganizationEndingRow } from '../../data/rows.js';
import type { Clock } from '../../ports/clock.js';
import type { CommandBus } from '../../ports/command-bus.js';
import type { Logger } from '../../ports/logger.js';
import type { MediaStore } from '../../ports/media-store.js';
import type { ObjectStores } from '../../ports/object-store.js';
import type { ArchiveBuilder } from '../archives/builder.js';
import { WorkTask } from '../resumable-work/task.js';
import { archiveOrganization } from './archive.js';
import { deleteFiles } from './files.js';
import { freeNumbers, type FreeNumbersOptions } from './numbers.js';
import { deleteAllEvents, deleteCallDetails, deleteOldCalls, deleteTables } from './rows.js';
import { deleteOldFiles, finish, settle } from './settle.js';
import { stopEverything } from './stop.js';
import { yearsBefore } from './years.js';

export interface EndingTaskOptions {
  readonly db: Database;
  readonly endings: Endings;
  readonly bus: Pick<CommandBus, 'send'>;
  readonly archives: ArchiveBuilder;
  readonly stores: ObjectStores;
  readonly media: Pick<MediaStore, 'remove' | 'pathOf'>;
  readonly numbering: FreeNumbersOptions;
  /** How long an archive can be downloaded. */
  readonly archiveDays: number;
  /** Years for which call detail records must be kept, and invoices, payments and the ledger. */
  readonly cdrYears: number;
  readonly invoiceYears: number;
  readonly clock: Clock;
  readonly log: Logger;
  /** For tests: called when a piece of work is recorded. */
  readonly onPiece?: () => Promise<void> | void;
}

/**
 * Ends organizations: stops what runs, stores an archive, deletes files and rows, and returns when the years end for
 * which the law keeps the rest.
 */
export function endingTask(options: EndingTaskOptions): WorkTask<OrganizationEndingRow> {
  const { endings, stores, media, cdrYears, clock, log, onPiece } = options;
  const oldBefore = (): Date => yearsBefore(clock.now(), cdrYears);
  return new WorkTask({
    name: 'ends of organizations',
    rows: endings,
    steps: {
      stop: stopEverything(options, 'archive'),
      archive: archiveOrganization({ ...options, audioPath: (id) => media.pathOf(id) }, 'files'),
      files: deleteFiles(options, 'numbers'),
      numbers: freeNumbers(options.numbering, 'events'),
      events: deleteAllEvents('tables_before_calls'),
      tables_before_calls: deleteTables(DELETED_BEFORE_CALLS, 'call_details'),
      call_details: deleteCallDetails('tables_after_calls'),
      tables_after_calls: deleteTables(DELETED_AFTER_CALLS, 'old_calls'),
      old_calls: deleteOldCalls(oldBefore, 'old_files'),
      old_files: deleteOldFiles(options, 'settle'),
      settle: settle(options, 'old_calls', 'billing'),
      billing: deleteTables(BILLING_TABLES, 'last_tables'),
      last_tables: deleteTables(LAST_TABLES, 'finish'),
      finish: finish(options),
    },
    ...{ stores, clock, log },
    ...(onPiece && { onPiece }),
  });
}
