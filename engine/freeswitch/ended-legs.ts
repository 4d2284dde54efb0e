import { readdir, readFile, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { CallDetail, LegDetail } from '../../core/ports/call-detail.js';
import type { LegEnds } from '../../core/ports/leg-ends.js';
import type { Logger } from '../../core/ports/logger.js';
import { readLegDetails, type LegDetails, type RecordedLegs } from '../common/leg-details.js';
import { readLinesBackwards } from '../common/log-lines.js';
import { parseEndedLeg, parseEndedLine, type EndedLeg } from './ended-leg.js';

export interface EndedLegsOptions {
  /** The directory where FreeSWITCH records ends: lines of mod_cdr_csv, or CDRs of mod_json_cdr that no process accepted. */
  readonly directory: string;
  /** The ends that processes accepted over HTTP while a process owned the engine and reached it, as far as was known. */
  readonly reported?: LegEnds;
  readonly log: Logger;
}

const SUFFIX = '.cdr.json';
/** No query goes further back than this. */
const KEPT_MS = 7 * 86_400_000;

/** The file of mod_cdr_csv in the directory that its configuration names. */
export function linesFile(directory: string): string {
  return join(directory, 'cdr-csv', 'Master.csv');
}

/**
 * Looks up legs that ended during an outage in FreeSWITCH's records. FreeSWITCH records no live leg, none that was lost
 * when it died, and with mod_json_cdr none that a process accepted. So a missing record never counts as proof that
 * FreeSWITCH did not have the leg.
 */
export class EndedLegs implements CallDetail {
  constructor(private readonly options: EndedLegsOptions) {}

  of(legs: RecordedLegs): Promise<LegDetails | null> {
    return readLegDetails(
      legs,
      (oldestMs) => this.#read(legs, oldestMs),
      (err) =>
        this.options.log.warn({ err }, "cannot read FreeSWITCH's CDRs; the causes of missed hangups are unknown"),
    );
  }

  async #read(legs: RecordedLegs, oldestMs: number): Promise<LegDetails> {
    const details = new Map<string, LegDetail>(legs.map(({ id }) => [id, { answeredAt: null, end: null }]));
    const note = ([legId, detail]: EndedLeg): void => {
      if (details.has(legId)) details.set(legId, detail);
    };
    for (const file of await this.#filesSince(oldestMs)) {
      const leg = parseEndedLeg(await readFile(file, 'utf8').catch(() => ''));
      if (leg) note(leg);
    }
    for (const reported of await this.#reported(legs.map(({ id }) => id))) note(reported);
    for await (const line of readLinesBackwards(linesFile(this.options.directory))) {
      const leg = parseEndedLine(line);
      // The lines are in the order of the ends, and a leg ends after it was created.
      if (leg && (leg[1].end?.at.getTime() ?? Infinity) < oldestMs) break;
      if (leg) note(leg);
    }
    return details;
  }

  async #reported(legIds: readonly string[]): Promise<LegDetails> {
    try {
      return (await this.options.reported?.of(legIds)) ?? new Map();
    } catch (error) {
      this.options.log.warn({ err: error }, 'cannot read the ends of legs that FreeSWITCH reported over HTTP');
      return new Map();
    }
  }

  /** Lists the CDRs written since then, and deletes expired ones. */
  async #filesSince(oldestMs: number): Promise<readonly string[]> {
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
