import { createHash } from 'node:crypto';
import type { Redis } from 'ioredis';
import { LRUCache } from 'lru-cache';
import { newId } from '../../model/ids.js';
import { within, type Clock } from '../../ports/clock.js';
import type { Logger } from '../../ports/logger.js';

/** What a limit says about one request. */
export interface Allowance {
  readonly allowed: boolean;
  readonly limit: number;
  /** Requests left in the window after this one. */
  readonly remaining: number;
  /** Seconds, at least 1, until the oldest counted request leaves the window and makes room for one more. */
  readonly resetSeconds: number;
  readonly windowSeconds: number;
}

/** Counts requests in a window that slides with time. A refused request is not counted. */
export interface RateLimiter {
  take(subject: string, limit: number, windowSeconds: number): Promise<Allowance>;
}

interface Buckets {
  readonly counts: Uint32Array;
  /** The second that was counted last. */
  second: number;
}

/**
 * Counts in this process alone, by the second: a request counts for the window and up to one second more, so the limit
 * is never exceeded. Remembers the 20,000 subjects seen last, less than a kilobyte each.
 */
export class MemoryRateLimiter implements RateLimiter {
  readonly #subjects = new LRUCache<string, Buckets>({ max: 20_000 });

  constructor(private readonly clock: Pick<Clock, 'monotonicMs'>) {}

  take(subject: string, limit: number, windowSeconds: number): Promise<Allowance> {
    return Promise.resolve(this.takeNow(subject, limit, windowSeconds));
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

/** The earliest second that has a count; the present one when nothing is counted. */
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
 * One log of times per subject, by Redis's own clock: exact to the millisecond and shared by all processes. Takes for many
 * subjects at once: ARGV holds limit, window and a unique member for each key, the answer allowed, used and reset for each.
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

/** How long requests wait for Redis before this process counts by itself. */
const PATIENCE_MS = 250;
/** Takes in one round trip at most. */
const MOST_AT_ONCE = 100;

interface Take {
  readonly subject: string;
  readonly limit: number;
  readonly windowSeconds: number;
  readonly done: (allowance: Allowance) => void;
}

/**
 * Counts in Redis, so that all processes share one window; requests that come in one turn of the event loop share a round
 * trip. While Redis is away each process counts for itself: requests go on, and a limit may be exceeded by as much as there
 * are processes.
 */
export class RedisRateLimiter implements RateLimiter {
  readonly #prefix: string;
  readonly #memory: MemoryRateLimiter;
  readonly #process = newId();
  #waiting: Take[] = [];
  #taken = 0;
  #away = false;

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

  #flush(): void {
    const waiting = this.#waiting;
    this.#waiting = [];
    for (let from = 0; from < waiting.length; from += MOST_AT_ONCE) {
      void this.#takeAll(waiting.slice(from, from + MOST_AT_ONCE));
    }
  }

  async #takeAll(takes: readonly Take[]): Promise<void> {
    if (this.redis.status !== 'ready') {
      this.#alone(takes, null);
      return;
    }
    try {
      const answer = await within(PATIENCE_MS, this.#ask(takes));
      if (this.#away) this.logger.info({}, 'rate limits are counted in Redis again');
      this.#away = false;
      for (const [index, { limit, windowSeconds, done }] of takes.entries()) {
        const [allowed = 0, used = limit, resetMs = 0] = answer.slice(index * 3, index * 3 + 3);
        done(allowance(allowed === 1, limit, used, resetMs, windowSeconds));
      }
    } catch (error) {
      this.#alone(takes, error);
    }
  }

  #alone(takes: readonly Take[], error: unknown): void {
    if (!this.#away) this.logger.warn({ err: error }, 'Redis is away: each process counts rate limits for itself');
    this.#away = true;
    for (const { subject, limit, windowSeconds, done } of takes) {
      done(this.#memory.takeNow(subject, limit, windowSeconds));
    }
  }

  async #ask(takes: readonly Take[]): Promise<number[]> {
    const keys = takes.map(({ subject, windowSeconds }) => `${this.#prefix}${windowSeconds}:${subject}`);
    const values = takes.flatMap(({ limit, windowSeconds }) => [
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
