import type { AttendingPage, ChatAttendances } from '../../../data/repositories/messaging/chat-attendance.js';
import type { Clock } from '../../../ports/clock.js';
import type { Logger } from '../../../ports/logger.js';
import { PeriodicWork } from '../../runtime/periodic-work.js';

export interface AttendChatsOptions {
  readonly attendances: Pick<ChatAttendances, 'seen'>;
  readonly clock: Clock;
  readonly log: Logger;
}

const EVERY_MS = 20_000;

/** Notes which agents are there to answer chats: those whose pages follow them. */
export class AttendChats {
  constructor(private readonly options: AttendChatsOptions) {}

  /** Notes it now, and again until `end` is aborted. A failure to note it is no failure of the page. */
  async attend(page: AttendingPage, end: AbortSignal): Promise<void> {
    const { attendances, clock, log } = this.options;
    const onFailure = (err: unknown): void => log.debug({ err }, 'failed to note that an agent is there; will retry');
    const work = (): Promise<void> => attendances.seen(page, clock.now());
    await work().catch(onFailure);
    if (end.aborted) return;
    const noting = new PeriodicWork({ work, everyMs: EVERY_MS, clock, onFailure });
    noting.start();
    end.addEventListener('abort', () => void noting.stop(), { once: true });
  }
}
