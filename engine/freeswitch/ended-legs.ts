import { readdir, readFile, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { CallDetail, LegDetail } from '../../core/ports/call-detail.js';
import type { LegEnds } from '../../core/ports/leg-ends.js';
import type { Logger } from '../../core/ports/logger.js';
import { parseEndedLeg, type EndedLeg } from './ended-leg.js';

export interface EndedLegsOptions {
  /** The directory where FreeSWITCH (mod_json_cdr) stores CDRs that no process accepted over HTTP. */
  readonly directory: string;
  /** The ends that processes accepted over HTTP while a process owned the engine and reached it, as far as was known. */
  readonly reported?: LegEnds;
  readonly log: Logger;
}

const SUFFIX = '.cdr.json';
/** Tolerance for clock differences. */
const TOLERANCE_MS = 60_000;
/** No query goes further back than this. */
const KEPT_MS = 7 * 86_400_000;

interface LegRef {
  readonly id: string;
  readonly created_at: Date;
}

/**
 * Looks up legs that ended during an outage in FreeSWITCH's CDRs. FreeSWITCH stores no CDR of a live leg, nor of one whose
 * CDR a process accepted. So a missing CDR never counts as proof that FreeSWITCH did not have the leg.
 */
export class EndedLegs implements CallDetail {
  constructor(private readonly options: EndedLegsOptions) {}

  async of(legs: readonly LegRef[]): Promise<ReadonlyMap<string, LegDetail> | null> {
    if (legs.length === 0) return new Map();
    try {
      const oldestMs = Math.min(...legs.map((leg) => leg.created_at.getTime())) - TOLERANCE_MS;
      const details = new Map<string, LegDetail>(legs.map(({ id }) => [id, { answeredAt: null, end: null }]));
      for (const file of await this.#since(oldestMs)) {
        const [legId, detail] = (await read(file)) ?? [];
        if (legId !== undefined && detail && details.has(legId)) details.set(legId, detail);
      }
      for (const [id, detail] of await this.#reported(legs.map(({ id }) => id))) details.set(id, detail);
      return details;
    } catch (error) {
      this.options.log.warn({ err: error }, "cannot read FreeSWITCH's CDRs; the causes of missed hangups are unknown");
      return null;
    }
  }

  async #reported(legIds: readonly string[]): Promise<ReadonlyMap<string, LegDetail>> {
    try {
      return (await this.options.reported?.of(legIds)) ?? new Map();
    } catch (error) {
      this.options.log.warn({ err: error }, 'cannot read the ends of legs that FreeSWITCH reported over HTTP');
      return new Map();
    }
  }

  /** Lists the CDRs written since then, and deletes expired ones. */
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

/** @returns null for a file that is malformed or incomplete */
async function read(file: string): Promise<EndedLeg | null> {
  try {
    return parseEndedLeg(await readFile(file, 'utf8'));
  } catch {
    return null;
  }
}
