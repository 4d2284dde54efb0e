import type { EngineEvent } from '../../core/ports/engine.js';
import { Waiting } from '../support/waiting.js';

const DEFAULT_LIMIT_MS = 15_000;

/** What an engine told, and those who wait for it to tell more. */
export class Heard {
  readonly events: EngineEvent[] = [];
  readonly #waiting = new Waiting();

  readonly listener = (event: EngineEvent): void => {
    this.events.push(event);
    this.#waiting.changed();
  };

  /** The first event after `from` (an index), past or to come, that satisfies. */
  until<Event extends EngineEvent>(
    isIt: (event: EngineEvent) => event is Event,
    from = 0,
    limitMs = DEFAULT_LIMIT_MS,
  ): Promise<Event> {
    return this.#waiting.until(
      () => this.events.slice(from).find(isIt),
      () => `Not told within ${limitMs} ms: ${isIt.toString()}\n${this.#last()}`,
      limitMs,
    );
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
