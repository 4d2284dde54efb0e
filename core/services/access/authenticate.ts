import ipaddr from 'ipaddr.js';
import type { KeyWithOwner } from '../../data/repositories/accounts/keys.js';
import { HatifError } from '../../model/errors/index.js';
import { hashKey, parseKey } from '../../model/access/keys.js';
import { arabic } from '../../model/wording/wording.js';
import type { Clock } from '../../ports/clock.js';
import type { Logger } from '../../ports/logger.js';
import type { Caller } from './caller.js';
import { bearerOf, invalidKey } from './invalid-key.js';
import { LookupCache } from './lookup-cache.js';
import { assertActive } from './suspension.js';

/** The repository methods that the authenticator needs. */
export interface KeyStore {
  findByHash(hash: string): Promise<KeyWithOwner | null>;
  /** Records that the key was used. Called at most once a minute per key and process. */
  touch(keyId: string, at: Date): Promise<void>;
}

export interface AuthenticatorOptions {
  readonly store: KeyStore;
  readonly clock: Clock;
  readonly logger: Logger;
  /** How long a looked-up key is cached; a revocation by another process takes effect within this time. Default 2 s. */
  readonly cacheMs?: number;
}

const TOUCH_INTERVAL_MS = 60_000;
const MAX_CACHED_KEYS = 10_000;

interface CachedKey extends KeyWithOwner {
  readonly authenticated: Caller;
  touchedAtMs: number;
}

/** Authenticates requests by API key. Unknown keys are not cached, so a new key works at once. */
export class Authenticator {
  readonly #cache: LookupCache<CachedKey>;

  constructor(private readonly options: AuthenticatorOptions) {
    this.#cache = new LookupCache<CachedKey>({
      clock: options.clock,
      max: MAX_CACHED_KEYS,
      ttlMs: options.cacheMs ?? 2_000,
      load: (hash, stale) => this.#load(hash, stale),
    });
  }

  /**
   * Returns the key that the request carries.
   * @param authorization the request's `Authorization` header
   * @param ip the address that the request came from
   * @throws HatifError INVALID_API_KEY, REVOKED_API_KEY, EXPIRED_API_KEY, or INSUFFICIENT_PERMISSIONS if the key may
   * not be used from this address or its organization is suspended; DatabaseUnavailable.
   */
  async authenticate(authorization: string | undefined, ip: string): Promise<Caller> {
    const text = bearerOf(authorization);
    if (parseKey(text)?.valid !== true) throw invalidKey('mistyped');
    const cached = await this.#cache.get(hashKey(text));
    if (cached === undefined) throw invalidKey('unknown');
    const { key } = cached;
    const now = this.options.clock.now();
    if (key.revoked_at !== null && key.revoked_at <= now) throw new HatifError('REVOKED_API_KEY');
    if (key.expires_at !== null && key.expires_at <= now) {
      throw new HatifError('EXPIRED_API_KEY', { expired_at: key.expires_at.toISOString() });
    }
    if (key.allowed_ips.length > 0 && !isAllowed(ip, key.allowed_ips)) {
      throw new HatifError('INSUFFICIENT_PERMISSIONS', {
        permission: { en: `use from the address ${ip}`, ar: arabic`الاستخدام من العنوان ${ip}` },
      });
    }
    assertActive(cached.organization);
    this.#touch(cached, now);
    return cached.authenticated;
  }

  /** Drops every cached key. The process that changes a key calls this, so that the change applies at once. */
  clearCache(): void {
    this.#cache.clear();
  }

  async #load(hash: string, stale: CachedKey | undefined): Promise<CachedKey | undefined> {
    const found = await this.options.store.findByHash(hash);
    if (found === null) return undefined;
    return { ...found, authenticated: describe(found), touchedAtMs: stale?.touchedAtMs ?? -Infinity };
  }

  #touch(cached: CachedKey, now: Date): void {
    const nowMs = this.options.clock.monotonicMs();
    if (nowMs - cached.touchedAtMs < TOUCH_INTERVAL_MS) return;
    cached.touchedAtMs = nowMs;
    this.options.store.touch(cached.key.id, now).catch((error: unknown) => {
      this.options.logger.warn({ err: error, key_id: cached.key.id }, 'failed to record the last use of an API key');
    });
  }
}

function describe({ key, project, organization }: KeyWithOwner): Caller {
  return {
    id: key.id,
    name: key.name,
    kind: key.kind,
    sandbox: key.kind === 'sandbox',
    scopes: new Set(key.scopes),
    rateLimitPerMinute: key.rate_limit_per_minute,
    projectId: project.id,
    organizationId: organization.id,
    project,
    organization,
    user: null,
  };
}

/** @param allowed IPv4 or IPv6 addresses and CIDR ranges; an entry that does not parse matches no address. */
function isAllowed(ip: string, allowed: readonly string[]): boolean {
  if (!ipaddr.isValid(ip)) return false;
  const address = ipaddr.process(ip);
  return allowed.some((text) => {
    const range = readRange(text);
    return range !== null && range[0].kind() === address.kind() && address.match(range);
  });
}

/** Parses an address (a range of one) or a CIDR range; null if the text is neither. */
export function readRange(text: string): [ipaddr.IPv4 | ipaddr.IPv6, number] | null {
  if (ipaddr.isValidCIDR(text)) return ipaddr.parseCIDR(text);
  if (!ipaddr.isValid(text)) return null;
  const address = ipaddr.process(text);
  return [address, address.kind() === 'ipv4' ? 32 : 128];
}
