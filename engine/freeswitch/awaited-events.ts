import { EngineError } from '../../core/ports/engine.js';
import type { EslEvent } from './esl/esl-connection.js';

export interface AwaitedEvent {
  /** @throws EngineError `timeout`; `no_such_leg` when the channel ended instead. */
  readonly happened: Promise<void>;
  readonly forget: () => void;
}

interface Expected {
  readonly isIt: (event: EslEvent) => boolean;
  readonly settle: (error?: EngineError) => void;
}

/** Waits for what FreeSWITCH tells after it answered that it will do it. */
export class AwaitedEvents {
  readonly #expected = new Map<string, Set<Expected>>();

  constructor(private readonly timeoutMs: number) {}

  /** To be called before the command that makes it happen. */
  expect(channelId: string, what: string, isIt: (event: EslEvent) => boolean): AwaitedEvent {
    let forget = (): void => undefined;
    const happened = new Promise<void>((resolve, reject) => {
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
      const entry: Expected = { isIt, settle };
      forget = () => settle();
      const siblings = this.#expected.get(channelId);
      if (siblings) siblings.add(entry);
      else this.#expected.set(channelId, new Set([entry]));
    });
    // Whoever waits sees the rejection; it may come before anybody does.
    happened.catch(() => undefined);
    return { happened, forget };
  }

  note(channelId: string, event: EslEvent): void {
    for (const entry of [...(this.#expected.get(channelId) ?? [])]) if (entry.isIt(event)) entry.settle();
  }

  /** The channel ended. */
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
