import { createHash } from 'node:crypto';
import type { Redis } from 'ioredis';
import { LRUCache } from 'lru-cache';
import { HatifError } from '../../model/errors/index.js';
import { newId } from '../../model/ids.js';
import { within, type Clock } from '../../ports/clock.js';
import type { Logger } from '../../ports/logger.js';
import { atMost } from '../../model/cache-size.js';

/** The outcome of a rate limit check for one request. */
export interface Allowance {
  readonly allowed: boolean;
  readonly limit: number;
  /** Requests left in the window after this one. */
  readonly remaining: number;
  /** Seconds, at least 1, until the oldest counted request leaves the window and makes room for one more. */
  readonly resetSeconds: number;
  readonly windowSeconds: number;
}

/** Counts requests in a sliding window. Refused requests are not counted. */
export interface RateLimiter {
  take(subject: string, limit: number, windowSeconds: number): Promise<Allowance>;
  /** Forgets the newest request of the subject: it need not be limited after all. */
  giveBack(subject: string, windowSeconds: number): Promise<void>;
}

/** Counts one request. @throws HatifError RATE_LIMIT_EXCEEDED if the limit is used up */
export async function takeOrRefuse(
  limiter: Pick<RateLimiter, 'take'>,
  subject: string,
  limit: number,
  windowSeconds: number,
): Promise<void> {
  assertAllowed(await limiter.take(subject, limit, windowSeconds));
}

/** @throws HatifError RATE_LIMIT_EXCEEDED */
export function assertAllowed({ allowed, limit, windowSeconds, resetSeconds }: Allowance): void {
  if (allowed) return;
  throw new HatifError('RATE_LIMIT_EXCEEDED', {
    limit,
    window_seconds: windowSeconds,
    retry_after_seconds: resetSeconds,
  });
}

interface Buckets {
  readonly counts: Uint32Array;
  /** The most recent second that has been counted. */
  second: number;
}

/**
 * Counts within this process only, with a resolution of one second: a request counts for the window plus up to one
 * second, so the limit is never exceeded. Keeps the 20,000 most recently used subjects, less than a kilobyte each.
 */
export class MemoryRateLimiter implements RateLimiter {
  readonly #subjects = new LRUCache<string, Buckets>(atMost(20_000));

  constructor(private readonly clock: Pick<Clock, 'monotonicMs'>) {}

  take(subject: string, limit: number, windowSeconds: number): Promise<Allowance> {
    return Promise.resolve(this.takeNow(subject, limit, windowSeconds));
  }

  giveBack(subject: string, windowSeconds: number): Promise<void> {
    this.giveBackNow(subject, windowSeconds);
    return Promise.resolve();
  }

  giveBackNow(subject: string, windowSeconds: number): void {
    const second = Math.floor(this.clock.monotonicMs() / 1000);
    const { counts } = this.#at(`${windowSeconds}:${subject}`, second, windowSeconds + 1);
    for (let age = 0; age < counts.length && age <= second; age++) {
      const index = (second - age) % counts.length;
      const count = counts[index] ?? 0;
      if (count === 0) continue;
      counts[index] = count - 1;
      return;
    }
  }

  takeNow(subject: string, limit: number, windowSeconds: number): Allowance {
    const nowMs = this.clock.monotonicMs();
    const second = Math.floor(nowMs / 1000);
    const buckets = this.#at(`${windowSeconds}:${subject}`, second, windowSeconds + 1);
    const { counts } = buckets;
    const used = counts.reduce((sum, count) => sum + count, 0);
    const allowed = used < limit;
    if (allowed) counts[second % counts.length] = (counts[second % counts.length] ?? 0) + 1;
    const resetMs = (oldestSecond(counts, second) + counts.length) * 1000 - nowMs;
    return allowance(allowed, limit, used + (allowed ? 1 : 0), resetMs, windowSeconds);
  }

  #at(subject: string, second: number, size: number): Buckets {
    let buckets = this.#subjects.get(subject);
    if (buckets === undefined) {
      buckets = { counts: new Uint32Array(size), second };
      this.#subjects.set(subject, buckets);
    }
    if (second - buckets.second >= size) buckets.counts.fill(0);
    else for (let passed = buckets.second + 1; passed <= second; passed++) buckets.counts[passed % size] = 0;
    buckets.second = second;
    return buckets;
  }
}

/** The earliest second with a count, or the current second if nothing is counted. */
function oldestSecond(counts: Uint32Array, second: number): number {
  for (let past = second - counts.length + 1; past < second; past++) {
    if (past >= 0 && (counts[past % counts.length] ?? 0) > 0) return past;
  }
  return second;
}

function allowance(allowed: boolean, limit: number, used: number, resetMs: number, windowSeconds: number): Allowance {
  return {
    allowed,
    limit,
    remaining: Math.max(0, limit - used),
    resetSeconds: Math.max(1, Math.ceil(resetMs / 1000)),
    windowSeconds,
  };
}

/**
 * One log of timestamps per subject, by Redis's own clock: exact to the millisecond and shared by all processes.
 * Handles many subjects in one call: ARGV holds limit, window and a unique member for each key; the reply holds
 * allowed, used and reset for each key.
 */
const SCRIPT = `
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local answer = {}
for i, key in ipairs(KEYS) do
  local limit, window, member = tonumber(ARGV[i * 3 - 2]), tonumber(ARGV[i * 3 - 1]), ARGV[i * 3]
  redis.call('ZREMRANGEBYSCORE', key, '-inf', now - window)
  local used = redis.call('ZCARD', key)
  local allowed = 0
  if used < limit then
    redis.call('ZADD', key, now, member)
    redis.call('PEXPIRE', key, window)
    used = used + 1
    allowed = 1
  end
  local oldest = redis.call('ZRANGE', key, 0, 0, 'WITHSCORES')
  local reset = window
  if oldest[2] then reset = oldest[2] + window - now end
  answer[i * 3 - 2], answer[i * 3 - 1], answer[i * 3] = allowed, used, reset
end
return answer
`;
const SCRIPT_SHA = createHash('sha1').update(SCRIPT).digest('hex');

/** How long to wait for Redis before this process counts by itself. */
const REDIS_TIMEOUT_MS = 250;
/** Maximum requests counted in one round trip. */
const MAX_BATCH = 100;

interface PendingCheck {
  readonly subject: string;
  readonly limit: number;
  readonly windowSeconds: number;
  readonly done: (allowance: Allowance) => void;
}

/**
 * Counts in Redis, so that all processes share one window. Requests that arrive in the same turn of the event loop
 * share a round trip. While Redis is unavailable, each process counts by itself: requests still pass, and a limit may
 * be exceeded by a factor of up to the number of processes.
 */
export class RedisRateLimiter implements RateLimiter {
  readonly #prefix: string;
  readonly #memory: MemoryRateLimiter;
  readonly #process = newId();
  #waiting: PendingCheck[] = [];
  #taken = 0;
  #unavailable = false;

  constructor(
    private readonly redis: Redis,
    private readonly logger: Logger,
    clock: Pick<Clock, 'monotonicMs'>,
    prefix = 'hatif:rate:',
  ) {
    this.#prefix = prefix;
    this.#memory = new MemoryRateLimiter(clock);
  }

  take(subject: string, limit: number, windowSeconds: number): Promise<Allowance> {
    return new Promise((done) => {
      this.#waiting.push({ subject, limit, windowSeconds, done });
      if (this.#waiting.length === 1) setImmediate(() => this.#flush());
    });
  }

  /** While Redis is unavailable, only this process forgets the request. */
  async giveBack(subject: string, windowSeconds: number): Promise<void> {
    if (this.redis.status !== 'ready') {
      this.#memory.giveBackNow(subject, windowSeconds);
      return;
    }
    try {
      await within(REDIS_TIMEOUT_MS, this.redis.zpopmax(this.#keyOf(subject, windowSeconds)));
    } catch (error) {
      this.logger.warn({ err: error }, 'a request stays counted: Redis did not answer');
    }
  }

  #keyOf(subject: string, windowSeconds: number): string {
    return `${this.#prefix}${windowSeconds}:${subject}`;
  }

  #flush(): void {
    const waiting = this.#waiting;
    this.#waiting = [];
    for (let from = 0; from < waiting.length; from += MAX_BATCH) {
      void this.#checkAll(waiting.slice(from, from + MAX_BATCH));
    }
  }

  async #checkAll(checks: readonly PendingCheck[]): Promise<void> {
    if (this.redis.status !== 'ready') {
      this.#countLocally(checks, null);
      return;
    }
    try {
      const answer = await within(REDIS_TIMEOUT_MS, this.#evalScript(checks));
      if (this.#unavailable) this.logger.info({}, 'Redis is available again: rate limits are shared between processes');
      this.#unavailable = false;
      for (const [index, { limit, windowSeconds, done }] of checks.entries()) {
        const [allowed = 0, used = limit, resetMs = 0] = answer.slice(index * 3, index * 3 + 3);
        done(allowance(allowed === 1, limit, used, resetMs, windowSeconds));
      }
    } catch (error) {
      this.#countLocally(checks, error);
    }
  }

  #countLocally(checks: readonly PendingCheck[], error: unknown): void {
    if (!this.#unavailable)
      this.logger.warn({ err: error }, 'Redis is unavailable: each process counts rate limits by itself');
    this.#unavailable = true;
    for (const { subject, limit, windowSeconds, done } of checks) {
      done(this.#memory.takeNow(subject, limit, windowSeconds));
    }
  }

  async #evalScript(checks: readonly PendingCheck[]): Promise<number[]> {
    const keys = checks.map(({ subject, windowSeconds }) => this.#keyOf(subject, windowSeconds));
    const values = checks.flatMap(({ limit, windowSeconds }) => [
      limit,
      windowSeconds * 1000,
      `${this.#process}:${this.#taken++}`,
    ]);
    try {
      return (await this.redis.evalsha(SCRIPT_SHA, keys.length, ...keys, ...values)) as number[];
    } catch (error) {
      if (!(error instanceof Error) || !error.message.startsWith('NOSCRIPT')) throw error;
      return (await this.redis.eval(SCRIPT, keys.length, ...keys, ...values)) as number[];
    }
  }
}
