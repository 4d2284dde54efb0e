import { stat } from 'node:fs/promises';
import { hasCode } from '../../../core/model/error-code.js';
import { isId } from '../../../core/model/ids.js';
import { type HangupCause, Q850 } from '../../../core/model/call/hangup-cause.js';
import type { CallDetail, LegDetail } from '../../../core/ports/call-detail.js';
import type { Logger } from '../../../core/ports/logger.js';
import { readLegDetails, type LegDetails, type RecordedLegs } from '../../common/leg-details.js';
import { readLinesBackwards, hasRotatedFile } from '../../common/log-lines.js';
import { parseCelLine, type CelLine } from './cel-line.js';
import { causeOf } from '../event-translator.js';
import { callingLegOf, createdMsOf, isInside, isLegChannel, legIdOf } from '../leg-id.js';

export interface CelRecordsOptions {
  /** Asterisk's log, at a path that this process can read. */
  readonly file: string;
  /** True for the embedded Asterisk: it is certain that Asterisk writes this file and that this application rotates it. */
  readonly isEmbedded: boolean;
  /** The engine's own id, from which the ids of incoming legs are derived; null if not known yet. */
  readonly entityId: () => string | null;
  readonly log: Logger;
}

/** An external file counts as current if it changed this long after the leg was recorded, by this machine's clock. */
const CURRENT_AFTER_MS = 1_000;

/** SIP statuses that chan_pjsip maps one-to-one to a cause (hangup_sip2cause; 401, 402, 403, 407 and 603 all map to 21). */
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

/** What the log says about one channel. */
interface ChannelHistory {
  answeredAt: Date | null;
  hangup: CelLine | null;
}

/** Reads Asterisk's channel event log (CEL) to find out how legs ended while no process was connected. */
export class CelRecords implements CallDetail {
  constructor(private readonly options: CelRecordsOptions) {}

  of(legs: RecordedLegs): Promise<LegDetails | null> {
    return readLegDetails(
      legs,
      (oldestMs) => this.#read(legs, oldestMs),
      (err) =>
        this.options.log.warn({ err }, 'cannot read the channel event log; the causes of missed hangups are unknown'),
    );
  }

  async #read(legs: RecordedLegs, oldestMs: number): Promise<LegDetails> {
    const legIdOfChannel = this.#matcher(legs);
    const histories = new Map<string, ChannelHistory>();
    const started = new Set<string>();
    let reachesOldest = false;
    for await (const text of readLinesBackwards(this.options.file)) {
      const line = parseCelLine(text);
      if (!line) continue;
      reachesOldest = line.at.getTime() < oldestMs;
      if (reachesOldest) break;
      const legId = isLegChannel({ name: line.channel }) ? legIdOfChannel(line.channelId) : undefined;
      if (legId === undefined) continue;
      const history = histories.get(legId) ?? { answeredAt: null, hangup: null };
      histories.set(legId, history);
      if (line.event === 'ANSWER') history.answeredAt = line.at;
      else if (line.event === 'HANGUP') history.hangup = line;
      else if (line.event === 'CHAN_START') started.add(legId);
      if (started.size === legs.length) break;
    }
    const details = new Map([...histories].map(([legId, history]) => [legId, detailOf(history)]));
    const isComplete = await this.#isComplete(reachesOldest);
    const changedMs = this.options.isEmbedded ? Infinity : await changedAtMs(this.options.file);
    for (const { id, created_at } of legs) {
      // A stale file, or one of another engine, must not count as proof that a phone never rang.
      const isCurrent = changedMs > created_at.getTime() + CURRENT_AFTER_MS;
      if (!details.has(id) && !(isComplete && isCurrent)) details.set(id, { answeredAt: null, end: null });
    }
    return details;
  }

  /** Whether the log still has every line that could concern the legs. */
  async #isComplete(reachesOldest: boolean): Promise<boolean> {
    return reachesOldest || (this.options.isEmbedded && !(await hasRotatedFile(this.options.file)));
  }

  /** Maps channels to legs. An inbound channel has an id from Asterisk, which begins with the second of its creation. */
  #matcher(legs: RecordedLegs): (channelId: string) => string | undefined {
    const byId = new Set(legs.map(({ id }) => id));
    const bySecond = new Map<number, string[]>();
    for (const id of byId) {
      const second = Math.floor(createdMsOf(id) / 1000);
      bySecond.set(second, [...(bySecond.get(second) ?? []), id]);
    }
    const entityId = this.options.entityId();
    const known = new Map<string, string | undefined>();
    const derive = (channelId: string): string | undefined => {
      if (entityId === null) return undefined;
      if (callingLegOf(channelId) !== null) {
        const legId = legIdOf({ id: channelId, creationtime: '' }, entityId);
        return byId.has(legId) ? legId : undefined;
      }
      const second = Number(/(\d+)\.\d+$/.exec(channelId)?.[1]);
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

function detailOf({ answeredAt, hangup }: ChannelHistory): LegDetail {
  return { answeredAt, end: hangup && { at: hangup.at, cause: endOf(hangup, answeredAt !== null) } };
}

/** Returns the cause that the live event would have reported (event-translator). */
function endOf({ channelId, channel, hangup }: CelLine, answered: boolean): HangupCause {
  const { cause, source } = hangup ?? { cause: 0, source: '' };
  const isRemote = source === channel;
  const cameIn = !isId(channelId);
  if (cause === 0) return causeOf(isRemote ? Q850.NORMAL_CLEARING : Q850.NORMAL_UNSPECIFIED, null);
  // A caller's CANCEL arrives as 127, from Asterisk's own 487.
  if (cameIn) return causeOf(isRemote && cause === Q850.INTERWORKING ? Q850.NORMAL_CLEARING : cause, null);
  const hasStatus = isRemote && !answered && !isInside({ name: channel });
  return causeOf(cause, hasStatus ? (SIP_OF_CAUSE[cause] ?? null) : null);
}
