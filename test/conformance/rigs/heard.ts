import type { EngineEvent } from '../../../core/ports/engine-events.js';
import { Waiting } from '../../support/waiting.js';

const LIMIT_MS = 15_000;

export type Of<Type extends EngineEvent['type']> = Extract<EngineEvent, { type: Type }>;

/** Returns a predicate: whether an event has the type and these field values. */
export function isOf<Type extends EngineEvent['type']>(
  type: Type,
  fields: Partial<Of<Type>>,
): (event: EngineEvent) => event is Of<Type> {
  const wanted = Object.entries({ ...fields, type });
  return (event): event is Of<Type> => {
    const values = new Map<string, unknown>(Object.entries(event));
    return wanted.every(([name, value]) => values.get(name) === value);
  };
}

/** Records an engine's events and lets tests wait for them. */
export class Heard {
  readonly events: EngineEvent[] = [];
  readonly #waiting = new Waiting();

  readonly listener = (event: EngineEvent): void => {
    this.events.push(event);
    this.#waiting.changed();
  };

  /** Waits for the first event after index `from`, past or future, with the type and these field values. */
  event<Type extends EngineEvent['type']>(
    type: Type,
    fields: Partial<Of<Type>>,
    from = 0,
    limitMs = LIMIT_MS,
  ): Promise<Of<Type>> {
    const matches = isOf(type, fields);
    return this.#waiting.until(
      () => this.events.slice(from).find(matches),
      () => `No event within ${limitMs} ms: ${type} ${JSON.stringify(fields)}\n${this.#last()}`,
      limitMs,
    );
  }

  /** Waits for the first event of a type, past or future. */
  untilType<Type extends EngineEvent['type']>(type: Type, from = 0): Promise<Of<Type>> {
    return this.event<Type>(type, {}, from);
  }

  #last(): string {
    return this.events
      .slice(-15)
      .map((event) => JSON.stringify(event))
      .join('\n');
  }
}
