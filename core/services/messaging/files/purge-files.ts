import type { MessageFileTable } from '../../../data/repositories/messaging/files.js';
import type { Clock } from '../../../ports/clock.js';
import type { Logger } from '../../../ports/logger.js';
import type { PeriodicTask } from '../../runtime/periodic-task.js';
import type { MessageFileService } from './message-files.js';

const INTERVAL_MS = 600_000;
const BATCH_SIZE = 100;

/** Deletes files of messages that have expired. */
export class PurgeMessageFiles implements PeriodicTask {
  readonly name = 'expired files of messages';
  readonly everyMs = INTERVAL_MS;

  constructor(
    private readonly files: Pick<MessageFileTable, 'expired'>,
    private readonly service: Pick<MessageFileService, 'remove'>,
    private readonly clock: Clock,
    private readonly log: Logger,
  ) {}

  async run(): Promise<void> {
    for (const row of await this.files.expired(this.clock.now(), BATCH_SIZE)) {
      await this.service.remove(row).catch((err: unknown) => {
        this.log.warn({ err, file: row.id }, 'an expired file of a message could not be deleted; it is tried again');
      });
    }
  }
}
