import { newId } from '../../core/model/ids.js';
import type { VisitorState } from '../../core/model/messaging/webchat.js';
import type { Clock } from '../../core/ports/clock.js';
import type { ChatSignals, VisitorPlace } from '../../core/ports/messaging/chat-signals.js';
import { PeriodicWork } from '../../core/services/runtime/periodic-work.js';

/** Others take a process that is silent for 60 s for dead. */
const EVERY_MS = 25_000;
/** In one signal. */
const MOST_PLACES = 500;

/** Reports to all processes where the visitors of this one are: at each change, and from time to time. */
export class PresenceReports {
  readonly #at = newId();
  /** Of those who are there. */
  readonly #states = new Map<string, VisitorState>();
  readonly #repeat: PeriodicWork;

  constructor(
    private readonly signals: Pick<ChatSignals, 'send'>,
    clock: Clock,
  ) {
    const work = (): Promise<void> => {
      this.repeat();
      return Promise.resolve();
    };
    this.#repeat = new PeriodicWork({ work, everyMs: EVERY_MS, clock, onFailure: () => undefined });
    this.#repeat.start();
  }

  set(chatId: string, state: VisitorState): void {
    if ((this.#states.get(chatId) ?? 'gone') === state) return;
    if (state === 'gone') this.#states.delete(chatId);
    else this.#states.set(chatId, state);
    this.#send([{ chatId, state }]);
  }

  /** Reports all again: a process does not know it yet. */
  repeat(): void {
    const all = [...this.#states].map(([chatId, state]) => ({ chatId, state }));
    for (let from = 0; from < all.length; from += MOST_PLACES) this.#send(all.slice(from, from + MOST_PLACES));
  }

  stop(): Promise<void> {
    return this.#repeat.stop();
  }

  #send(visitors: readonly VisitorPlace[]): void {
    this.signals.send({ kind: 'presence', at: this.#at, visitors });
  }
}
