import { stat } from 'node:fs/promises';
import { setTimeout as pause } from 'node:timers/promises';
import { hasCode } from '../../../core/model/error-code.js';
import { isId } from '../../../core/model/ids.js';
import { type HangupCause, Q850 } from '../../../core/model/call/hangup-cause.js';
import type { CallDetail, LegDetail } from '../../../core/ports/call-detail.js';
import type { Logger } from '../../../core/ports/logger.js';
import { linesBackwards, wasPutAside } from './cel-file.js';
import { parseCelLine, type CelLine } from './cel-line.js';
import { causeOf } from '../event-translator.js';
import { isLegChannel, legIdOf } from '../leg-id.js';

export interface CelRecordsOptions {
  /** What Asterisk writes, where this process can read it. */
  readonly file: string;
  /** Whether it is certain that Asterisk writes it, and who puts it aside: the embedded one's. */
  readonly isOurs: boolean;
  /** The engine's own id, from which the ids of incoming legs are derived; null while it is not known. */
  readonly entityId: () => string | null;
  readonly log: Logger;
}

/** How far back is read at most. */
const MAX_BYTES = 256 * 1024 * 1024;
/** Two clocks may differ by so much, and lines stand in no strict order. */
const SLACK_MS = 60_000;
/** Asterisk writes its lines a moment after it told of what happened. */
const WRITTEN_WITHIN_MS = 200;

/** A file of somebody else's is written by Asterisk when it was changed so long after the leg was noted, by this machine's clock. */
const WRITTEN_AFTER_MS = 1_000;

/** What chan_pjsip makes the cause of, where it is of one response only (hangup_sip2cause; 401, 402, 403, 407 and 603 are all 21). */
const SIP_OF_CAUSE: Readonly<Record<number, number>> = {
  1: 404,
  17: 486,
  18: 408,
  19: 480,
  22: 410,
  27: 502,
  28: 484,
  34: 503,
  38: 500,
  102: 504,
};

interface Wanted {
  readonly id: string;
  readonly created_at: Date;
}

/** What Asterisk wrote of one channel. */
interface Track {
  answeredAt: Date | null;
  hangup: CelLine | null;
}

/** Asterisk's channel event log (CEL) as the record of what became of legs while nobody listened. */
export class CelRecords implements CallDetail {
  constructor(private readonly options: CelRecordsOptions) {}

  async of(legs: readonly Wanted[]): Promise<ReadonlyMap<string, LegDetail> | null> {
    if (legs.length === 0) return new Map();
    try {
      const found = await this.#read(legs);
      if (legs.every(({ id }) => found.get(id)?.end)) return found;
      await pause(WRITTEN_WITHIN_MS);
      return await this.#read(legs);
    } catch (error) {
      this.options.log.warn({ err: error }, "the engine's record of its channels cannot be read; ends are guessed");
      return null;
    }
  }

  async #read(legs: readonly Wanted[]): Promise<ReadonlyMap<string, LegDetail>> {
    const legOf = this.#matcher(legs);
    const oldestMs = Math.min(...legs.map((leg) => leg.created_at.getTime())) - SLACK_MS;
    const tracks = new Map<string, Track>();
    const begun = new Set<string>();
    let reachesBack = false;
    for await (const text of linesBackwards(this.options.file, MAX_BYTES)) {
      const line = parseCelLine(text);
      if (!line) continue;
      reachesBack = line.at.getTime() < oldestMs;
      if (reachesBack) break;
      const legId = isLegChannel({ name: line.channel }) ? legOf(line.channelId) : undefined;
      if (legId === undefined) continue;
      const track = tracks.get(legId) ?? { answeredAt: null, hangup: null };
      tracks.set(legId, track);
      if (line.event === 'ANSWER') track.answeredAt = line.at;
      else if (line.event === 'HANGUP') track.hangup = line;
      else if (line.event === 'CHAN_START') begun.add(legId);
      if (begun.size === legs.length) break;
    }
    const details = new Map([...tracks].map(([legId, track]) => [legId, detailOf(track)]));
    const isWhole = await this.#isWhole(reachesBack);
    const writtenMs = this.options.isOurs ? Infinity : await changedAtMs(this.options.file);
    for (const { id, created_at } of legs) {
      // A file that Asterisk writes no more, or another's, must not pass for word that a phone never rang.
      const wasWritten = writtenMs > created_at.getTime() + WRITTEN_AFTER_MS;
      if (!details.has(id) && !(isWhole && wasWritten)) details.set(id, { answeredAt: null, end: null });
    }
    return details;
  }

  /** Whether nothing that could concern the legs has been thrown away. */
  async #isWhole(reachesBack: boolean): Promise<boolean> {
    return reachesBack || (this.options.isOurs && !(await wasPutAside(this.options.file)));
  }

  /** Which of the legs a channel is. One that came in has an id of Asterisk's own, which begins with the second of its creation. */
  #matcher(legs: readonly Wanted[]): (channelId: string) => string | undefined {
    const byId = new Set(legs.map(({ id }) => id));
    const bySecond = new Map<number, string[]>();
    for (const id of byId) {
      const second = Math.floor(createdMsOf(id) / 1000);
      bySecond.set(second, [...(bySecond.get(second) ?? []), id]);
    }
    const entityId = this.options.entityId();
    const known = new Map<string, string | undefined>();
    const derive = (channelId: string): string | undefined => {
      const second = Number(/(\d+)\.\d+$/.exec(channelId)?.[1]);
      if (entityId === null) return undefined;
      return [second - 1, second, second + 1]
        .flatMap((near) => bySecond.get(near) ?? [])
        .find((id) => {
          const creationtime = new Date(createdMsOf(id)).toISOString();
          return legIdOf({ id: channelId, creationtime }, entityId) === id;
        });
    };
    return (channelId) => {
      if (isId(channelId)) return byId.has(channelId) ? channelId : undefined;
      if (!known.has(channelId)) known.set(channelId, derive(channelId));
      return known.get(channelId);
    };
  }
}

async function changedAtMs(file: string): Promise<number> {
  try {
    return (await stat(file)).mtimeMs;
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return -Infinity;
    throw error;
  }
}

/** The creation time that a UUID v7 begins with (RFC 9562 §5.7). */
function createdMsOf(legId: string): number {
  return Number.parseInt(legId.slice(0, 8) + legId.slice(9, 13), 16);
}

function detailOf({ answeredAt, hangup }: Track): LegDetail {
  return { answeredAt, end: hangup && { at: hangup.at, cause: endOf(hangup, answeredAt !== null) } };
}

/** The same cause as the live event would have told (event-translator). */
function endOf({ channelId, channel, hangup }: CelLine, answered: boolean): HangupCause {
  const { cause, source } = hangup ?? { cause: 0, source: '' };
  const isRemote = source === channel;
  const cameIn = !isId(channelId);
  if (cause === 0) return causeOf(isRemote ? Q850.NORMAL_CLEARING : Q850.NORMAL_UNSPECIFIED, null);
  // A caller's CANCEL comes as 127, of our own 487.
  if (cameIn) return causeOf(isRemote && cause === Q850.INTERWORKING ? Q850.NORMAL_CLEARING : cause, null);
  return causeOf(cause, isRemote && !answered ? (SIP_OF_CAUSE[cause] ?? null) : null);
}
