import { DatabaseUnavailable, FencedError, FinalCallError, StaleCallError } from '../../../data/errors.js';
import type { CallEffect, CallWriter } from '../../../data/call-writer.js';
import { pause, type Clock } from '../../../ports/clock.js';
import { JournalRefusal, type Journal } from '../../../ports/journal.js';
import type { Logger } from '../../../ports/logger.js';
import { DRAIN_BATCH, writeOldest } from './journal-drain.js';

/** First and longest wait between attempts while the database is unavailable. */
const FIRST_RETRY_MS = 100;
const LONGEST_RETRY_MS = 2_000;

export interface JournalObserver {
  /** Called with the current size of the journal. */
  holds(entries: number, bytes: number): void;
  /** Called when the journal rejected a change, which then waits in memory. */
  refused(reason: JournalRefusal['reason']): void;
}

export interface CommitterOptions {
  readonly writer: Pick<CallWriter, 'commit'>;
  readonly journal: Journal;
  readonly clock: Clock;
  readonly log: Logger;
  readonly observer: JournalObserver;
  /** Called when another process owns the engine, so this one must stop commanding it. */
  readonly onFenced: () => void;
}

/**
 * Commits the changes of calls. While the database is unavailable, changes go to a journal on disk and calls continue.
 * Later changes queue behind it until the database has all of it, so no change is lost or reordered. A change that the
 * journal rejects waits in memory, and its call waits too.
 */
export class Committer {
  #fenced = false;
  #closing = false;
  #draining: Promise<void> | null = null;
  /**
   * While the last journal entries are being written, nothing is appended: a busy system would never finish otherwise.
   */
  #gate: Promise<void> | null = null;
  #wake: () => void = () => undefined;

  constructor(private readonly options: CommitterOptions) {}

  /** Whether the database has everything that was committed. */
  get isUpToDate(): boolean {
    return this.options.journal.entries === 0;
  }

  /**
   * Resolves when the effect is in the database or safe on disk.
   * @param isAwaited a client waits for it
   * @returns false if the effect was refused for good: the engine has another owner, or the call was already over
   * @throws DatabaseUnavailable only after {@link close}
   */
  async commit(effect: CallEffect, isAwaited = false): Promise<boolean> {
    for (let waitMs = FIRST_RETRY_MS; ; waitMs = Math.min(waitMs * 2, LONGEST_RETRY_MS)) {
      const taken = await this.#attempt(effect, isAwaited);
      if (taken !== null) return taken;
      this.options.log.warn(
        { callId: effect.call.id, waitMs },
        'neither the database nor the journal accepts the change; it waits in memory',
      );
      await pause(this.options.clock, waitMs);
    }
  }

  /** Resolves when the database has everything that was committed, or another process owns the engine. */
  async drained(): Promise<void> {
    while (this.#draining) await this.#draining;
  }

  /**
   * Resolves when the database itself has everything that was committed; await this before deleting anything based on
   * it.
   * @throws DatabaseUnavailable if that will not happen because another process owns the engine
   */
  async written(): Promise<void> {
    await this.drained();
    if (this.#fenced || !this.isUpToDate) throw new DatabaseUnavailable('call changes were not written');
  }

  /** Stops draining. Entries that the database does not take at once stay on disk for the next owner. */
  async close(): Promise<void> {
    this.#closing = true;
    this.#wake();
    await this.drained();
    await this.options.journal.close();
  }

  /** @returns null if the attempt must be repeated */
  async #attempt(effect: CallEffect, isAwaited: boolean): Promise<boolean | null> {
    while (this.#gate) await this.#gate;
    if (this.#fenced) return false;
    if (!this.isUpToDate) return this.#note(effect);
    try {
      await this.options.writer.commit(effect, isAwaited);
      return true;
    } catch (error) {
      if (error instanceof FencedError) {
        this.#loseEngine();
        return false;
      }
      if (error instanceof FinalCallError || error instanceof StaleCallError) {
        this.options.log.error({ err: error, callId: effect.call.id }, 'a call change was refused');
        return false;
      }
      if (!(error instanceof DatabaseUnavailable)) throw error;
      return this.#note(effect);
    }
  }

  async #note(effect: CallEffect): Promise<true | null> {
    const { journal, log, observer } = this.options;
    if (this.#closing) throw new DatabaseUnavailable('a call change came after the journal was closed');
    try {
      const noted = journal.append(effect);
      this.#startDraining();
      await noted;
      observer.holds(journal.entries, journal.bytes);
      return true;
    } catch (error) {
      if (!(error instanceof JournalRefusal)) throw error;
      observer.refused(error.reason);
      log.error({ err: error, reason: error.reason }, 'the journal rejected a change');
      return null;
    }
  }

  #startDraining(): void {
    if (this.#draining || this.isUpToDate) return;
    this.options.log.warn({}, 'the database is unavailable: call changes go to the journal');
    this.#draining = this.#drain();
  }

  async #drain(): Promise<void> {
    const { journal, clock, log, observer } = this.options;
    let waitMs = FIRST_RETRY_MS;
    let openGate = (): void => undefined;
    const open = (): void => {
      openGate();
      this.#gate = null;
    };
    while (!this.isUpToDate) {
      const outcome = await this.#writeSome();
      observer.holds(journal.entries, journal.bytes);
      if (outcome === 'fenced') {
        this.#loseEngine();
        break;
      }
      if (outcome === 'unavailable') {
        open();
        if (this.#closing) break;
        // `close` ends this wait.
        await pause(clock, waitMs, (end) => (this.#wake = end));
        waitMs = Math.min(waitMs * 2, LONGEST_RETRY_MS);
        continue;
      }
      waitMs = FIRST_RETRY_MS;
      if (!this.#gate && journal.entries <= DRAIN_BATCH) {
        this.#gate = new Promise<void>((resolve) => (openGate = resolve));
      }
    }
    // Nothing is awaited since the check above, so the next commit sees either the end of the draining or that it
    // continues.
    this.#draining = null;
    open();
    if (this.isUpToDate) log.info({}, 'all journal entries are in the database');
  }

  async #writeSome(): Promise<'written' | 'unavailable' | 'fenced'> {
    const { journal, writer, log } = this.options;
    try {
      return await writeOldest(journal, writer, log);
    } catch (error) {
      log.error({ err: error }, 'the journal could not be read');
      return 'unavailable';
    }
  }

  #loseEngine(): void {
    this.#fenced = true;
    this.options.onFenced();
  }
}
