import { recordEvent } from '../../../data/outbox.js';
import type { MessageTemplates } from '../../../data/repositories/messaging/templates.js';
import { CHANNELS, isReviewedByProvider } from '../../../model/messaging/channels.js';
import type { Clock } from '../../../ports/clock.js';
import { inBatches } from '../../runtime/batches.js';
import type { IsStopping, PeriodicTask } from '../../runtime/periodic-task.js';
import { templateUpdated } from '../template-event.js';

export interface ApproveTemplatesOptions {
  readonly templates: MessageTemplates;
  readonly clock: Clock;
  readonly onLanes: (lanes: readonly string[]) => void;
}

const INTERVAL_MS = 1_000;
const BATCH_SIZE = 100;
const REVIEWED = CHANNELS.filter(isReviewedByProvider);

/**
 * Approves the pending templates that no provider reviews: those of SMS and e-mail, whose content was checked when it
 * was sent, and all of the sandbox.
 */
export class ApproveTemplates implements PeriodicTask {
  readonly name = 'approval of message templates';
  readonly everyMs = INTERVAL_MS;
  readonly restFactor = 10;

  constructor(private readonly options: ApproveTemplatesOptions) {}

  async run(isStopping: IsStopping = () => false): Promise<void> {
    await inBatches(BATCH_SIZE, (size) => this.#approve(size), isStopping);
  }

  async #approve(limit: number): Promise<number> {
    const { templates, clock, onLanes } = this.options;
    const [count, lanes] = await templates.transaction(async (tx) => {
      const rows = await templates.approveUnreviewed(tx, REVIEWED, clock.now(), limit);
      const woken: string[] = [];
      for (const row of rows) woken.push(...(await recordEvent(tx, templateUpdated(row))));
      return [rows.length, woken] as const;
    });
    onLanes(lanes);
    return count;
  }
}
