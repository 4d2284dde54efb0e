import { readdir, readFile, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { CallDetail, LegDetail } from '../../core/ports/call-detail.js';
import type { Logger } from '../../core/ports/logger.js';
import { endOf } from './cause.js';
import type { EslEvent } from './esl-connection.js';
import { legIdOf } from './leg-id.js';

export interface EndedLegsOptions {
  /** Where FreeSWITCH (mod_json_cdr) puts the word of an end that the application did not take. */
  readonly directory: string;
  readonly log: Logger;
}

const SUFFIX = '.cdr.json';
/** Two clocks may differ by so much. */
const SLACK_MS = 60_000;
/** Nobody asks for what ended longer ago. */
const KEPT_MS = 7 * 86_400_000;
const US_PER_MS = 1_000;

interface Wanted {
  readonly id: string;
  readonly created_at: Date;
}

interface CdrFile {
  readonly variables?: Readonly<Record<string, string>>;
}

/**
 * FreeSWITCH's own word of legs that ended while the application was away. It has nothing of legs that live, and of those whose end the application was
 * told: a leg that is not there is never taken for one that FreeSWITCH never had.
 */
export class EndedLegs implements CallDetail {
  constructor(private readonly options: EndedLegsOptions) {}

  async of(legs: readonly Wanted[]): Promise<ReadonlyMap<string, LegDetail> | null> {
    if (legs.length === 0) return new Map();
    try {
      const oldestMs = Math.min(...legs.map((leg) => leg.created_at.getTime())) - SLACK_MS;
      const details = new Map<string, LegDetail>(legs.map(({ id }) => [id, { answeredAt: null, end: null }]));
      for (const file of await this.#since(oldestMs)) {
        const [legId, detail] = (await read(file)) ?? [];
        if (legId !== undefined && detail && details.has(legId)) details.set(legId, detail);
      }
      return details;
    } catch (error) {
      this.options.log.warn({ err: error }, "FreeSWITCH's record of its legs cannot be read; ends are guessed");
      return null;
    }
  }

  /** What was written since then; what is old is put away. */
  async #since(oldestMs: number): Promise<readonly string[]> {
    const names = (await readdir(this.options.directory)).filter((name) => name.endsWith(SUFFIX));
    const files: string[] = [];
    for (const name of names) {
      const file = join(this.options.directory, name);
      const { mtimeMs } = await stat(file);
      if (mtimeMs >= oldestMs) files.push(file);
      else if (mtimeMs < Date.now() - KEPT_MS) await rm(file, { force: true });
    }
    return files;
  }
}

/** @returns null for a file that is broken or not whole yet. */
async function read(file: string): Promise<readonly [legId: string, detail: LegDetail] | null> {
  try {
    const { variables = {} } = JSON.parse(await readFile(file, 'utf8')) as CdrFile;
    const { uuid, start_uepoch: started, end_uepoch: ended } = variables;
    if (uuid === undefined || started === undefined || ended === undefined) return null;
    const answeredAt = timeOf(variables.answer_uepoch);
    const event: EslEvent = {
      'Hangup-Cause': variables.hangup_cause ?? '',
      ...Object.fromEntries(Object.entries(variables).map(([name, value]) => [`variable_${name}`, value])),
    };
    const leg = { answered: answeredAt !== null, inbound: variables.direction === 'inbound' };
    const cause = endOf({ ...leg, endedHere: false, requestedQ850: null }, event);
    const startedSeconds = Math.floor(Number(started) / US_PER_MS / 1_000);
    return [legIdOf(uuid, startedSeconds), { answeredAt, end: { at: timeOf(ended) ?? new Date(), cause } }];
  } catch {
    return null;
  }
}

/** Microseconds; zero for what did not happen. */
function timeOf(microseconds: string | undefined): Date | null {
  const ms = Number(microseconds ?? 0) / US_PER_MS;
  return ms > 0 ? new Date(ms) : null;
}
