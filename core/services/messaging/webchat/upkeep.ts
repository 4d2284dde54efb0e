import type { Webchats } from '../../../data/repositories/messaging/webchats.js';
import type { Clock } from '../../../ports/clock.js';
import type { PeriodicTask } from '../../runtime/periodic-task.js';
import type { SettleMessages } from '../settle.js';
import type { ChatAssignment } from './assignment.js';

export interface ChatUpkeepOptions {
  readonly chats: Webchats;
  readonly settling: Pick<SettleMessages, 'settle'>;
  readonly assignment: Pick<ChatAssignment, 'close'>;
  readonly clock: Clock;
}

const INTERVAL_MS = 10_000;
const BATCH_SIZE = 200;
const EXPIRED = { status: 'failed', reason: 'expired', provider_code: null } as const;
/** The outcome of a message that a process took is stored within a moment, or the process died. */
const TAKEN_MS = 30_000;
const SILENT_MS = 24 * 3_600_000;

/** Puts back what dying processes took, gives up what did not arrive in time, and closes chats in which nobody writes. */
export class ChatUpkeep implements PeriodicTask {
  readonly name = 'upkeep of chats';
  readonly everyMs = INTERVAL_MS;

  constructor(private readonly options: ChatUpkeepOptions) {}

  async run(): Promise<void> {
    const { chats, settling, assignment, clock } = this.options;
    const now = clock.now();
    const ago = (ms: number): Date => new Date(now.getTime() - ms);
    await chats.putBack(ago(TAKEN_MS));
    const expired = await chats.expired(now, BATCH_SIZE);
    await settling.settle({ changes: expired.map((id) => ({ id, ...EXPIRED })) });
    for (const { project_id: projectId, sandbox, thread_id } of await chats.silent(ago(SILENT_MS), BATCH_SIZE)) {
      if (thread_id !== null) await assignment.close({ projectId, sandbox }, thread_id);
    }
    await chats.purge(now);
  }
}
