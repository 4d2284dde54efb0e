import { readdir, readFile, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { CallDetail, LegDetail } from '../../core/ports/call-detail.js';
import type { Logger } from '../../core/ports/logger.js';
import { parseEndedLeg, type EndedLeg } from './ended-leg.js';
import type { ReportedEnds } from './reported-ends.js';

export interface EndedLegsOptions {
  /** Where FreeSWITCH (mod_json_cdr) puts the word of an end that the application did not take. */
  readonly directory: string;
  /** What processes took in its place, of legs in whose end its owner may have died. */
  readonly taken?: ReportedEnds;
  readonly log: Logger;
}

const SUFFIX = '.cdr.json';
/** Two clocks may differ by so much. */
const SLACK_MS = 60_000;
/** Nobody asks for what ended longer ago. */
const KEPT_MS = 7 * 86_400_000;

interface Wanted {
  readonly id: string;
  readonly created_at: Date;
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
      for (const { id } of legs) {
        const detail = this.options.taken?.of(id);
        if (detail) details.set(id, detail);
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
async function read(file: string): Promise<EndedLeg | null> {
  try {
    return parseEndedLeg(await readFile(file, 'utf8'));
  } catch {
    return null;
  }
}
