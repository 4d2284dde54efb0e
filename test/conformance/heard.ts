import type { EngineEvent } from '../../core/ports/engine.js';
import type { Logger } from '../../core/ports/logger.js';

const DEFAULT_LIMIT_MS = 15_000;

export const quiet: Logger = {
  debug: () => undefined,
  info: () => undefined,
  warn: () => undefined,
  error: () => undefined,
  child: () => quiet,
};

/** What an engine told, and those who wait for it to tell more. */
export class Heard {
  readonly events: EngineEvent[] = [];
  readonly #waiting = new Set<() => void>();

  readonly listener = (event: EngineEvent): void => {
    this.events.push(event);
    for (const look of [...this.#waiting]) look();
  };

  /** The first event after `from` (an index), past or to come, that satisfies. */
  until<Event extends EngineEvent>(
    isIt: (event: EngineEvent) => event is Event,
    from = 0,
    limitMs = DEFAULT_LIMIT_MS,
  ): Promise<Event> {
    return new Promise((resolve, reject) => {
      const look = (): void => {
        const found = this.events.slice(from).find(isIt);
        if (!found) return;
        clearTimeout(timer);
        this.#waiting.delete(look);
        resolve(found);
      };
      const timer = setTimeout(() => {
        this.#waiting.delete(look);
        reject(new Error(`Not told within ${limitMs} ms: ${isIt.toString()}\n${this.#last()}`));
      }, limitMs);
      this.#waiting.add(look);
      look();
    });
  }

  /** The first event of a type, past or to come. */
  untilType<Type extends EngineEvent['type']>(type: Type, from = 0): Promise<Extract<EngineEvent, { type: Type }>> {
    return this.until((event): event is Extract<EngineEvent, { type: Type }> => event.type === type, from);
  }

  #last(): string {
    return this.events
      .slice(-15)
      .map((event) => JSON.stringify(event))
      .join('\n');
  }
}
