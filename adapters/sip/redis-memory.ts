import type { Redis } from 'ioredis';
import { LRUCache } from 'lru-cache';
import { atMost } from '../../core/model/cache-size.js';
import { within } from '../../core/ports/clock.js';
import type { Logger } from '../../core/ports/logger.js';
import type { SipMemory, SipNotice } from '../../core/ports/sip/memory.js';

const PREFIX = 'hatif:sip:';
export const SIP_CHANNEL = 'hatif:sip';
const MAX_ENTRIES = 50_000;
/** Calls and registrations wait this long for Redis, and then not at all for a while. */
const ANSWER_MS = 500;
const PAUSE_MS = 2_000;

/** Sets the count if it is higher than the stored one. */
const ADVANCE = `
if tonumber(ARGV[1]) <= tonumber(redis.call('GET', KEYS[1]) or '0') then return 0 end
redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[2])
return 1`;
const COUNT = `
local count = redis.call('INCR', KEYS[1])
if count == 1 then redis.call('PEXPIRE', KEYS[1], ARGV[1]) end
return count`;

type Commands = Pick<Redis, 'eval' | 'get' | 'set' | 'del' | 'publish' | 'status'>;
type Subscriptions = Pick<Redis, 'subscribe' | 'on' | 'off'>;

/** {@link SipMemory} in Redis, with a memory of this process for counts while Redis is away. */
export class RedisSipMemory implements SipMemory {
  readonly #own = new LRUCache<string, number>(atMost(MAX_ENTRIES));
  #isAway = false;
  #pausedUntilMs = 0;

  constructor(
    private readonly redis: Commands,
    private readonly subscriber: Subscriptions,
    private readonly log: Logger,
  ) {}

  async useNonce(nonce: string, count: number, keepMs: number): Promise<boolean> {
    const key = `nonce:${nonce}`;
    // Also noted here: a nonce that this process has seen stays used if Redis is lost.
    const isNewHere = count > (this.#own.get(key) ?? 0);
    if (isNewHere) this.#own.set(key, count, { ttl: keepMs });
    const advanced = await this.#ask(() => this.redis.eval(ADVANCE, 1, PREFIX + key, count, keepMs));
    return isNewHere && advanced !== 0;
  }

  async count(key: string, keepMs: number): Promise<number> {
    const own = (this.#own.get(key) ?? 0) + 1;
    this.#own.set(key, own, { ttl: keepMs, noUpdateTTL: true });
    const shared = await this.#ask(() => this.redis.eval(COUNT, 1, PREFIX + key, keepMs));
    return typeof shared === 'number' ? shared : own;
  }

  async read(key: string): Promise<string | null> {
    return (await this.#ask(() => this.redis.get(PREFIX + key))) ?? null;
  }

  async write(key: string, text: string, keepMs: number): Promise<void> {
    await this.#ask(() => this.redis.set(PREFIX + key, text, 'PX', Math.max(1, Math.floor(keepMs))));
  }

  async writeIfAbsent(key: string, text: string, keepMs: number): Promise<void> {
    await this.#ask(() => this.redis.set(PREFIX + key, text, 'PX', Math.max(1, Math.floor(keepMs)), 'NX'));
  }

  async remove(key: string): Promise<void> {
    await this.#ask(() => this.redis.del(PREFIX + key));
  }

  async announce(notice: SipNotice): Promise<void> {
    await this.#ask(() => this.redis.publish(SIP_CHANNEL, JSON.stringify(notice)));
  }

  follow(listener: (notice: SipNotice) => void): () => void {
    const onMessage = (channel: string, text: string): void => {
      if (channel === SIP_CHANNEL) listener(JSON.parse(text) as SipNotice);
    };
    this.subscriber.on('message', onMessage);
    // ioredis subscribes again after it reconnects.
    this.subscriber.subscribe(SIP_CHANNEL).catch((error: unknown) => this.#note(error));
    return () => this.subscriber.off('message', onMessage);
  }

  /** @returns null if Redis is away, without a wait for its return */
  async #ask<T>(command: () => Promise<T>): Promise<T | null> {
    if (performance.now() < this.#pausedUntilMs) return null;
    try {
      if (this.redis.status !== 'ready') throw new Error(`the connection is ${this.redis.status}`);
      const answer = await within(ANSWER_MS, command());
      this.#isAway = false;
      return answer;
    } catch (error) {
      // A lost connection reports its end and its return; one that is only silent does not.
      if (this.redis.status === 'ready') this.#pausedUntilMs = performance.now() + PAUSE_MS;
      this.#note(error);
      return null;
    }
  }

  /** Logged once for each outage. */
  #note(error: unknown): void {
    if (!this.#isAway) this.log.warn({ err: error }, 'Redis is unreachable; the SIP edge works from the database');
    this.#isAway = true;
  }
}
