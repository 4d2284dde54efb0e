import type { Broadcasts } from '../../data/repositories/messaging/broadcasts.js';
import { DatabaseUnavailable } from '../../data/errors.js';
import type { BroadcastRow } from '../../data/rows.js';
import { pause, type Clock } from '../../ports/clock.js';
import type { Logger } from '../../ports/logger.js';
import { StepRefused, type BroadcastSteps, type StepOutcome } from './steps.js';

export interface BroadcastRunnerOptions {
  readonly broadcasts: Broadcasts;
  readonly steps: Pick<BroadcastSteps, 'step' | 'pause'>;
  readonly clock: Clock;
  readonly log: Logger;
  readonly wake: (lanes: readonly string[]) => void;
  /** Messages of the broadcast are due. */
  readonly onMessages: (row: Pick<BroadcastRow, 'channel' | 'sandbox'>) => void;
}

const POLL_MS = 250;
const FIRST_RETRY_MS = 1_000;
const LONGEST_RETRY_MS = 300_000;
/** How many messages are tried if the money is not enough for a batch. */
const FEWER = [50, 1] as const;
/** After as many faults in a row the broadcast is paused: about an hour. */
const MOST_ATTEMPTS = 20;

/**
 * Moves the broadcasts on that are due, one step after another; they take turns. Several processes work on different
 * ones. A process that dies loses the step that it was doing, and nothing else.
 */
export class BroadcastRunner {
  #isStopped = false;
  #running: Promise<void> | null = null;
  #isSignalled = false;
  /** When the broadcast of the last step is due again. */
  #soonAt = 0;
  #wakeUp: (() => void) | null = null;

  constructor(private readonly options: BroadcastRunnerOptions) {}

  start(): void {
    this.#running ??= this.#run();
  }

  /** A broadcast may be due. */
  signal(): void {
    this.#isSignalled = true;
    this.#wakeUp?.();
  }

  /** Resolves when the step that is under way has ended. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    this.signal();
    await this.#running;
  }

  /** Does one step of the broadcast that has been due longest. @returns false if none is due */
  async next(): Promise<boolean> {
    const { broadcasts, steps, clock, log, wake, onMessages } = this.options;
    let taken = null as BroadcastRow | null;
    try {
      const outcome = await broadcasts.transaction(async (tx) => {
        taken = await broadcasts.take(tx, clock.now());
        return taken && (await steps.step(tx, taken));
      });
      if (!outcome) return false;
      this.#soonAt = outcome.dueAt?.getTime() ?? 0;
      wake(outcome.lanes);
      if (taken && outcome.hasMessages) onMessages(taken);
      return true;
    } catch (error) {
      if (taken === null || error instanceof DatabaseUnavailable) throw error;
      if (error instanceof StepRefused) await this.#refuse(taken, error);
      else {
        log.warn({ err: error, broadcast: taken.id }, 'a step of a broadcast failed');
        await this.#postpone(taken);
      }
      return true;
    }
  }

  /** Pauses the broadcast, unless the money is enough for fewer messages. */
  async #refuse(row: BroadcastRow, { problem }: StepRefused): Promise<void> {
    const { broadcasts, steps, wake, onMessages } = this.options;
    const outcome = await broadcasts.transaction(async (tx): Promise<StepOutcome | null> => {
      const taken = await broadcasts.lock(tx, { projectId: row.project_id, sandbox: row.sandbox }, row.id);
      if (taken?.status !== 'running') return null;
      for (const most of problem === 'insufficient_credits' ? FEWER : []) {
        const done = await steps.step(tx, taken, most).catch(nullIfRefused);
        if (done) return done;
      }
      return steps.pause(tx, taken, problem);
    });
    if (!outcome) return;
    wake(outcome.lanes);
    if (outcome.hasMessages) onMessages(row);
  }

  async #postpone(row: BroadcastRow): Promise<void> {
    const { broadcasts, steps, clock, wake } = this.options;
    if (row.attempts + 1 >= MOST_ATTEMPTS) {
      const { lanes } = await broadcasts.transaction((tx) => steps.pause(tx, row, 'fault'));
      wake(lanes);
      return;
    }
    const waitMs = Math.min(LONGEST_RETRY_MS, FIRST_RETRY_MS * 2 ** row.attempts);
    await broadcasts.postpone(row.id, new Date(clock.now().getTime() + waitMs));
  }

  async #run(): Promise<void> {
    const { clock, log } = this.options;
    while (!this.#isStopped) {
      const isDone = await this.next().catch((err: unknown) => {
        log.warn({ err }, 'broadcasts that are due could not be read; they are read again');
        return false;
      });
      if (isDone || this.#takeSignal()) continue;
      const soonMs = this.#soonAt - clock.now().getTime();
      await pause(clock, soonMs > 0 ? Math.min(soonMs, POLL_MS) : POLL_MS, (end) => (this.#wakeUp = end));
      this.#wakeUp = null;
    }
  }

  #takeSignal(): boolean {
    const isSignalled = this.#isSignalled;
    this.#isSignalled = false;
    return isSignalled;
  }
}

function nullIfRefused(error: unknown): null {
  if (error instanceof StepRefused) return null;
  throw error;
}
