import type { VisitorState } from '../../../model/messaging/webchat.js';
import type { Clock } from '../../../ports/clock.js';
import type { ChatSignal, ChatSignals } from '../../../ports/messaging/chat-signals.js';
import { PeriodicWork } from '../../runtime/periodic-work.js';

export interface VisitorPresenceOptions {
  readonly signals: ChatSignals;
  readonly clock: Clock;
  /** Where a visitor is has changed. It must not throw. */
  readonly onChange: (chatId: string) => void;
}

/** What a process said last about a visitor. */
interface Report {
  readonly state: Exclude<VisitorState, 'gone'>;
  readonly atMs: number;
}

const SWEEP_MS = 1_000;
/** A visitor who goes to another page of the site is connected again by then. */
const GRACE_MS = 4_000;
/** Processes repeat what they know every 25 s: one that is silent for longer than this has died. */
const SILENT_MS = 60_000;

/** Where visitors are, put together from what all processes report. It is kept in memory only. */
export class VisitorPresence {
  /** By chat, and in it by process. */
  readonly #reports = new Map<string, Map<string, Report>>();
  readonly #shown = new Map<string, VisitorState>();
  /** Since when nobody is connected, of visitors who are still shown. */
  readonly #leaving = new Map<string, number>();
  readonly #sweep: PeriodicWork;
  readonly #stopHearing: () => void;

  constructor(private readonly options: VisitorPresenceOptions) {
    const { signals, clock } = options;
    this.#stopHearing = signals.follow((signal) => this.#hear(signal));
    const work = (): Promise<void> => {
      this.#look();
      return Promise.resolve();
    };
    this.#sweep = new PeriodicWork({ work, everyMs: SWEEP_MS, clock, onFailure: () => undefined });
    this.#sweep.start();
    signals.send({ kind: 'roll_call' });
  }

  of(chatId: string): VisitorState {
    return this.#shown.get(chatId) ?? 'gone';
  }

  async stop(): Promise<void> {
    this.#stopHearing();
    await this.#sweep.stop();
  }

  #hear(signal: ChatSignal): void {
    if (signal.kind !== 'presence') return;
    for (const { chatId, state } of signal.visitors) this.#report(chatId, signal.at, state);
  }

  #report(chatId: string, process: string, state: VisitorState): void {
    const known = this.#reports.get(chatId) ?? new Map<string, Report>();
    if (state === 'gone') known.delete(process);
    else known.set(process, { state, atMs: this.options.clock.monotonicMs() });
    if (known.size > 0) this.#reports.set(chatId, known);
    else this.#reports.delete(chatId);
    this.#decide(chatId);
  }

  #decide(chatId: string): void {
    const states = [...(this.#reports.get(chatId)?.values() ?? [])].map(({ state }) => state);
    if (states.length > 0) {
      this.#leaving.delete(chatId);
      this.#show(chatId, states.includes('online') ? 'online' : 'away');
    } else if (this.#shown.has(chatId) && !this.#leaving.has(chatId)) {
      this.#leaving.set(chatId, this.options.clock.monotonicMs());
    }
  }

  #show(chatId: string, state: VisitorState): void {
    if (this.of(chatId) === state) return;
    if (state === 'gone') this.#shown.delete(chatId);
    else this.#shown.set(chatId, state);
    this.options.onChange(chatId);
  }

  #look(): void {
    const now = this.options.clock.monotonicMs();
    for (const [chatId, known] of this.#reports) {
      for (const [process, { atMs }] of known) if (now - atMs > SILENT_MS) this.#report(chatId, process, 'gone');
    }
    for (const [chatId, sinceMs] of this.#leaving) {
      if (now - sinceMs < GRACE_MS) continue;
      this.#leaving.delete(chatId);
      this.#show(chatId, 'gone');
    }
  }
}
