import { createHash } from 'node:crypto';
import type { Redis } from 'ioredis';
import { unlessUnavailable } from '../../data/errors.js';
import { HatifError } from '../../model/errors/index.js';
import { newId } from '../../model/ids.js';
import { within } from '../../ports/clock.js';
import type { Logger } from '../../ports/logger.js';

/** Limits on how many calls may be placed. */
export interface VelocityLimits {
  /** Per project and minute. */
  readonly perMinute: number;
  /** Per project and number in ten minutes. */
  readonly numberPerTenMinutes: number;
}

/** A call that is about to be placed. */
export interface VelocitySubject {
  readonly projectId: string;
  readonly organizationId: string;
  /** Sandbox calls are counted separately. */
  readonly sandbox: boolean;
  /** E.164. */
  readonly to: string;
}

/** Limits how fast calls are placed. */
export interface CallVelocity {
  /** Counts the call if it may be placed. @throws HatifError CALL_VELOCITY_EXCEEDED, without counting the call */
  take(call: VelocitySubject): Promise<void>;
}

export interface RedisCallVelocityOptions {
  readonly redis: Redis;
  readonly limits: VelocityLimits;
  /** Whether the organization's calls are limited (feature `call_velocity`). */
  readonly isOn: (organizationId: string) => Promise<boolean>;
  readonly log: Logger;
}

/**
 * Sliding windows by Redis's own clock: a log of times per window. A call is counted in all windows, or in none if one
 * is full. Returns the index of the full window with the longest wait and that wait in milliseconds, or 0 if the call
 * may be placed.
 */
const SCRIPT = `
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local full, wait = 0, 0
for i, key in ipairs(KEYS) do
  local limit, window = tonumber(ARGV[i * 2]), tonumber(ARGV[i * 2 + 1])
  redis.call('ZREMRANGEBYSCORE', key, '-inf', now - window)
  local over = redis.call('ZCARD', key) - limit
  if over >= 0 then
    local leaves = redis.call('ZRANGE', key, over, over, 'WITHSCORES')[2] + window - now
    if leaves > wait then full, wait = i, leaves end
  end
end
if full > 0 then return {full, wait} end
for i, key in ipairs(KEYS) do
  redis.call('ZADD', key, now, ARGV[1])
  redis.call('PEXPIRE', key, ARGV[i * 2 + 1])
end
return {0, 0}
`;

/** Timeout for Redis. */
const TIMEOUT_MS = 250;

/**
 * Counts calls in Redis for all processes. While Redis is unavailable, nothing is counted and every call is allowed: a
 * limit must not stop the service.
 */
export class RedisCallVelocity implements CallVelocity {
  #isUnavailable = false;

  constructor(private readonly options: RedisCallVelocityOptions) {}

  async take(call: VelocitySubject): Promise<void> {
    const { limits } = this.options;
    // While the database is unavailable, calls are not limited either.
    if (!(await unlessUnavailable(this.options.isOn(call.organizationId), () => false))) return;
    const windows = [
      { key: '', limit: limits.perMinute, seconds: 60 },
      { key: `:${digest(call.to)}`, limit: limits.numberPerTenMinutes, seconds: 600 },
    ];
    const [full = 0, waitMs = 0] = await this.#ask(call, windows);
    const window = windows[full - 1];
    if (!window) return;
    throw new HatifError('CALL_VELOCITY_EXCEEDED', {
      limit: window.limit,
      window_seconds: window.seconds,
      retry_after_seconds: Math.max(1, Math.ceil(waitMs / 1000)),
    });
  }

  async #ask(
    { projectId, sandbox }: VelocitySubject,
    windows: readonly { readonly key: string; readonly limit: number; readonly seconds: number }[],
  ): Promise<readonly number[]> {
    const { redis, log } = this.options;
    const keys = windows.map(({ key }) => `hatif:velocity:${projectId}${sandbox ? ':sandbox' : ''}${key}`);
    const values = windows.flatMap(({ limit, seconds }) => [limit, seconds * 1000]);
    try {
      if (redis.status !== 'ready') throw new Error(`Redis is ${redis.status}`);
      const answer = await within(TIMEOUT_MS, redis.eval(SCRIPT, keys.length, ...keys, newId(), ...values));
      this.#isUnavailable = false;
      return answer as number[];
    } catch (error) {
      if (!this.#isUnavailable) log.warn({ err: error }, 'Redis is unavailable: call velocity is not limited');
      this.#isUnavailable = true;
      return [];
    }
  }
}

/** Hashes the number, so that Redis holds no readable numbers. */
function digest(number: string): string {
  return createHash('sha256').update(number).digest('base64url');
}
