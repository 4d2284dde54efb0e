import type { Redis } from 'ioredis';
import { hangupCause } from '../../core/model/call/hangup-cause.js';
import type { LegDetail } from '../../core/ports/call-detail.js';
import { within } from '../../core/ports/clock.js';
import type { LegEnds } from '../../core/ports/leg-ends.js';

/** Longer than any outage of an engine's connection in which the engine still counts as reached. */
const KEPT_SECONDS = 600;
/** Timeout for Redis. An engine keeps a report itself if it is not accepted. */
const TIMEOUT_MS = 500;

/** In milliseconds since the epoch, because JSON has no times. */
interface Kept {
  readonly answeredMs: number | null;
  readonly endedMs: number;
  readonly q850: number;
  readonly sipCode: number | null;
}

/** Keeps the ends of legs in Redis. */
export class RedisLegEnds implements LegEnds {
  constructor(private readonly redis: Redis) {}

  async put(legId: string, { answeredAt, end }: LegDetail): Promise<void> {
    if (end === null) return;
    const kept: Kept = {
      answeredMs: answeredAt?.getTime() ?? null,
      endedMs: end.at.getTime(),
      q850: end.cause.q850,
      sipCode: end.cause.sipCode,
    };
    await this.#ask((redis) => redis.set(keyOf(legId), JSON.stringify(kept), 'EX', KEPT_SECONDS));
  }

  async of(legIds: readonly string[]): Promise<ReadonlyMap<string, LegDetail>> {
    if (legIds.length === 0) return new Map();
    const values = await this.#ask((redis) => redis.mget(legIds.map(keyOf)));
    return new Map(
      legIds.flatMap((legId, index) => {
        const value = values[index];
        return typeof value === 'string' ? [[legId, detailOf(JSON.parse(value) as Kept)] as const] : [];
      }),
    );
  }

  async #ask<T>(command: (redis: Redis) => Promise<T>): Promise<T> {
    if (this.redis.status !== 'ready') throw new Error(`Redis is ${this.redis.status}`);
    return within(TIMEOUT_MS, command(this.redis));
  }
}

function keyOf(legId: string): string {
  return `hatif:leg-end:${legId}`;
}

function detailOf({ answeredMs, endedMs, q850, sipCode }: Kept): LegDetail {
  return {
    answeredAt: answeredMs === null ? null : new Date(answeredMs),
    end: { at: new Date(endedMs), cause: { ...hangupCause(q850), sipCode } },
  };
}
