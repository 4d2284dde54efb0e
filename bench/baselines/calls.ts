import { randomUUID } from 'node:crypto';
import { paced } from '../lib/paced.js';

interface Wanted {
  readonly calls: number;
  readonly callsPerSecond: number;
  readonly limitMs: number;
}

/** Places calls when the benchmark sends a request, and reports how many were answered and ended. */
export class Calls {
  readonly #answered = new Set<string>();
  #ended = 0;
  #changed: () => void = () => undefined;

  /** @param dial places one call with this id */
  constructor(private readonly dial: (id: string) => Promise<void>) {
    process.on('message', (wanted: Wanted) => this.#place(wanted));
    process.send?.({});
  }

  answered(id: string): void {
    this.#answered.add(id);
  }

  ended(id: string): void {
    if (!this.#answered.delete(id)) return;
    this.#ended += 1;
    this.#changed();
  }

  #place({ calls, callsPerSecond, limitMs }: Wanted): void {
    const finish = (): void => {
      clearTimeout(limit);
      this.#changed = () => undefined;
      process.send?.({ ended: this.#ended });
      this.#ended = 0;
      this.#answered.clear();
    };
    const limit = setTimeout(finish, limitMs);
    this.#changed = () => {
      if (this.#ended === calls) finish();
    };
    paced(calls, callsPerSecond, () => this.dial(randomUUID())).then(
      (failed) => {
        if (failed > 0) console.error(`${failed} of ${calls} calls could not be placed`);
      },
      (error: unknown) => console.error(error),
    );
  }
}
