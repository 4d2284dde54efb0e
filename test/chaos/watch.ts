import { setTimeout as pause } from 'node:timers/promises';
import type { MatrixGround } from './matrix-ground.js';

const LOOK_EVERY_MS = 1_000;
/** Two answers are not of the same moment: so often in a row they must agree. */
const TIMES = 3;
const ANSWERS_WITHIN_MS = 2_000;

/** Looks at each process all the time: what it has in hand, and what waits in its journal. */
export class Watch {
  /** Engines whose calls two processes had in hand at a time. */
  readonly shared: string[] = [];
  /** What waits in the journals, and the most of it since this was last set. */
  journalled = 0;
  mostJournalled = 0;
  #running = true;
  readonly #work: Promise<void>;
  readonly #doubled = new Map<string, number>();

  constructor(private readonly ground: MatrixGround) {
    this.#work = this.#run();
  }

  async stop(): Promise<void> {
    this.#running = false;
    await this.#work;
  }

  async #run(): Promise<void> {
    while (this.#running) {
      const told = await Promise.all(this.ground.urls.map(metrics));
      this.#look(told);
      await pause(LOOK_EVERY_MS);
    }
  }

  #look(told: readonly string[]): void {
    this.journalled = told.reduce((sum, text) => sum + sumOf(text, 'hatif_journal_entries{'), 0);
    this.mostJournalled = Math.max(this.mostJournalled, this.journalled);
    for (const { name } of this.ground.engines) {
      const holding = told.filter((text) => sumOf(text, `hatif_calls_live{engine="${name}"`) > 0).length;
      const times = holding > 1 ? (this.#doubled.get(name) ?? 0) + 1 : 0;
      this.#doubled.set(name, times);
      if (times === TIMES) this.shared.push(`${name} at ${new Date().toISOString().slice(11, 23)}`);
    }
  }
}

async function metrics(url: string): Promise<string> {
  try {
    return await (await fetch(`${url}/metrics`, { signal: AbortSignal.timeout(ANSWERS_WITHIN_MS) })).text();
  } catch {
    // It is dead just now.
    return '';
  }
}

/** Of all lines that begin so. */
function sumOf(text: string, begin: string): number {
  return text
    .split('\n')
    .filter((line) => line.startsWith(begin))
    .reduce((sum, line) => sum + Number(line.split(' ').at(-1)), 0);
}
