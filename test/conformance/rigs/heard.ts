import type { EngineEvent } from '../../../core/ports/engine.js';
import { Waiting } from '../../support/waiting.js';

const LIMIT_MS = 15_000;

export type Of<Type extends EngineEvent['type']> = Extract<EngineEvent, { type: Type }>;

/** Whether an event is of the type and has exactly these values in the fields that are named. */
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

/** What an engine told, and those who wait for it to tell more. */
export class Heard {
  readonly events: EngineEvent[] = [];
  readonly #waiting = new Waiting();

  readonly listener = (event: EngineEvent): void => {
    this.events.push(event);
    this.#waiting.changed();
  };

  /** The first event after `from` (an index), past or to come, of the type and with the values of these fields. */
  told<Type extends EngineEvent['type']>(type: Type, fields: Partial<Of<Type>>, from = 0): Promise<Of<Type>> {
    const isIt = isOf(type, fields);
    return this.#waiting.until(
      () => this.events.slice(from).find(isIt),
      () => `Not told within ${LIMIT_MS} ms: ${type} ${JSON.stringify(fields)}\n${this.#last()}`,
      LIMIT_MS,
    );
  }

  /** The first event of a type, past or to come. */
  untilType<Type extends EngineEvent['type']>(type: Type, from = 0): Promise<Of<Type>> {
    return this.told<Type>(type, {}, from);
  }

  #last(): string {
    return this.events
      .slice(-15)
      .map((event) => JSON.stringify(event))
      .join('\n');
  }
}
