import { setTimeout as pause } from 'node:timers/promises';
import type { MatrixEnvironment } from './matrix-environment.js';

const POLL_MS = 1_000;
/** Two responses are not from the same moment, so they must agree this number of times in a row. */
const REQUIRED_OVERLAPS = 3;
const REQUEST_LIMIT_MS = 2_000;

/** Polls the metrics of each process: the calls that it controls, and the entries that wait in its journal. */
export class MetricsMonitor {
  /** Engines whose calls two processes controlled at the same time. */
  readonly ownedTwice: string[] = [];
  /** The current number of entries in the journals, and the maximum since this was last set. */
  journalEntries = 0;
  maxJournalEntries = 0;
  #running = true;
  readonly #work: Promise<void>;
  readonly #consecutiveOverlaps = new Map<string, number>();

  constructor(private readonly environment: MatrixEnvironment) {
    this.#work = this.#run();
  }

  async stop(): Promise<void> {
    this.#running = false;
    await this.#work;
  }

  async #run(): Promise<void> {
    while (this.#running) {
      const responses = await Promise.all(this.environment.urls.map(fetchMetrics));
      this.#evaluate(responses);
      await pause(POLL_MS);
    }
  }

  #evaluate(responses: readonly string[]): void {
    this.journalEntries = responses.reduce((sum, text) => sum + sumOf(text, 'hatif_journal_entries{'), 0);
    this.maxJournalEntries = Math.max(this.maxJournalEntries, this.journalEntries);
    for (const { name } of this.environment.engines) {
      const owners = responses.filter((text) => sumOf(text, `hatif_calls_live{engine="${name}"`) > 0).length;
      const times = owners > 1 ? (this.#consecutiveOverlaps.get(name) ?? 0) + 1 : 0;
      this.#consecutiveOverlaps.set(name, times);
      if (times === REQUIRED_OVERLAPS) this.ownedTwice.push(`${name} at ${new Date().toISOString().slice(11, 23)}`);
    }
  }
}

async function fetchMetrics(url: string): Promise<string> {
  try {
    return await (await fetch(`${url}/metrics`, { signal: AbortSignal.timeout(REQUEST_LIMIT_MS) })).text();
  } catch {
    // The process is down.
    return '';
  }
}

/** The sum of the values of the lines with this prefix. */
function sumOf(text: string, prefix: string): number {
  return text
    .split('\n')
    .filter((line) => line.startsWith(prefix))
    .reduce((sum, line) => sum + Number(line.split(' ').at(-1)), 0);
}
