import { EngineError } from '../../core/ports/engine.js';
import type { EslEvent } from './esl/esl-connection.js';

export interface AwaitedEvent {
  /** @throws EngineError `timeout`; `no_such_leg` if the channel ended instead */
  readonly occurred: Promise<void>;
  readonly forget: () => void;
}

interface Expected {
  readonly matches: (event: EslEvent) => boolean;
  readonly settle: (error?: EngineError) => void;
}

/** Waits for the events that confirm a command after FreeSWITCH accepted it. */
export class AwaitedEvents {
  readonly #expected = new Map<string, Set<Expected>>();

  constructor(private readonly timeoutMs: number) {}

  /** Call this before the command that causes the event. */
  expect(channelId: string, what: string, matches: (event: EslEvent) => boolean): AwaitedEvent {
    let forget = (): void => undefined;
    const occurred = new Promise<void>((resolve, reject) => {
      const settle = (error?: EngineError): void => {
        clearTimeout(timer);
        this.#remove(channelId, entry);
        if (error) reject(error);
        else resolve();
      };
      const timer = setTimeout(
        () => settle(new EngineError('timeout', `Channel ${channelId} did not ${what}`)),
        this.timeoutMs,
      );
      const entry: Expected = { matches, settle };
      forget = () => settle();
      const siblings = this.#expected.get(channelId);
      if (siblings) siblings.add(entry);
      else this.#expected.set(channelId, new Set([entry]));
    });
    // The caller handles the rejection, but it may occur before the caller awaits the promise.
    occurred.catch(() => undefined);
    return { occurred, forget };
  }

  note(channelId: string, event: EslEvent): void {
    for (const entry of [...(this.#expected.get(channelId) ?? [])]) if (entry.matches(event)) entry.settle();
  }

  /** Rejects everything that waits for a channel that has ended. */
  ended(channelId: string): void {
    for (const { settle } of [...(this.#expected.get(channelId) ?? [])]) {
      settle(new EngineError('no_such_leg', `Channel ${channelId} has ended`));
    }
  }

  #remove(channelId: string, entry: Expected): void {
    const siblings = this.#expected.get(channelId);
    siblings?.delete(entry);
    if (siblings?.size === 0) this.#expected.delete(channelId);
  }
}
