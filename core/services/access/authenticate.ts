import ipaddr from 'ipaddr.js';
import { LRUCache } from 'lru-cache';
import type { KeyWithOwner } from '../../data/repositories/accounts/keys.js';
import { HatifError } from '../../model/errors/index.js';
import { hashKey, parseKey } from '../../model/access/keys.js';
import { arabic } from '../../model/wording/wording.js';
import type { Clock } from '../../ports/clock.js';
import type { Logger } from '../../ports/logger.js';
import type { AuthenticatedKey } from './authenticated-key.js';

/** The part of the keys' repository that is needed here. */
export interface KeyStore {
  findByHash(hash: string): Promise<KeyWithOwner | null>;
  /** Notes that the key was used. Called at most once a minute per key and process. */
  touch(keyId: string, at: Date): Promise<void>;
}

export interface AuthenticatorOptions {
  readonly store: KeyStore;
  readonly clock: Clock;
  readonly logger: Logger;
  /** How long a key that was found is believed; a revocation by another process takes effect within it. Default 2 s. */
  readonly cacheMs?: number;
}

const TOUCH_EVERY_MS = 60_000;
const MOST_KEYS = 10_000;

interface Known extends KeyWithOwner {
  readonly authenticated: AuthenticatedKey;
  touchedAtMs: number;
}

/** Tells whose key a request carries. Keys that do not exist are not remembered, so a new key works at once. */
export class Authenticator {
  readonly #known: LRUCache<string, Known>;

  constructor(private readonly options: AuthenticatorOptions) {
    this.#known = new LRUCache<string, Known>({
      max: MOST_KEYS,
      ttl: options.cacheMs ?? 2_000,
      ttlResolution: 0,
      perf: { now: () => options.clock.monotonicMs() },
      fetchMethod: (hash, stale) => this.#load(hash, stale),
    });
  }

  /**
   * @param authorization the request's `Authorization` header
   * @param ip the address it came from
   * @throws HatifError INVALID_API_KEY, REVOKED_API_KEY, EXPIRED_API_KEY, or INSUFFICIENT_PERMISSIONS where the key may
   *   not be used from this address; DatabaseUnavailable.
   */
  async authenticate(authorization: string | undefined, ip: string): Promise<AuthenticatedKey> {
    const text = /^Bearer +(\S+) *$/i.exec(authorization ?? '')?.[1];
    if (text === undefined || parseKey(text)?.valid !== true) throw new HatifError('INVALID_API_KEY');
    const known = await this.#known.fetch(hashKey(text));
    if (known === undefined) throw new HatifError('INVALID_API_KEY');
    const { key } = known;
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
    this.#touch(known, now);
    return known.authenticated;
  }

  /** Looks keys up again at their next use: for the process that changed one. */
  forgetAll(): void {
    this.#known.clear();
  }

  async #load(hash: string, stale: Known | undefined): Promise<Known | undefined> {
    const found = await this.options.store.findByHash(hash);
    if (found === null) return undefined;
    return { ...found, authenticated: describe(found), touchedAtMs: stale?.touchedAtMs ?? -Infinity };
  }

  #touch(known: Known, now: Date): void {
    const nowMs = this.options.clock.monotonicMs();
    if (nowMs - known.touchedAtMs < TOUCH_EVERY_MS) return;
    known.touchedAtMs = nowMs;
    this.options.store.touch(known.key.id, now).catch((error: unknown) => {
      this.options.logger.warn({ err: error, key_id: known.key.id }, 'the last use of a key could not be noted');
    });
  }
}

function describe({ key, project, organization }: KeyWithOwner): AuthenticatedKey {
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
  };
}

/** @param allowed addresses and CIDR ranges, IPv4 or IPv6; one that cannot be read allows nobody. */
function isAllowed(ip: string, allowed: readonly string[]): boolean {
  if (!ipaddr.isValid(ip)) return false;
  const address = ipaddr.process(ip);
  return allowed.some((text) => {
    const range = readRange(text);
    return range !== null && range[0].kind() === address.kind() && address.match(range);
  });
}

/** Reads an address (a range of one) or a CIDR range, or null. */
export function readRange(text: string): [ipaddr.IPv4 | ipaddr.IPv6, number] | null {
  if (ipaddr.isValidCIDR(text)) return ipaddr.parseCIDR(text);
  if (!ipaddr.isValid(text)) return null;
  const address = ipaddr.process(text);
  return [address, address.kind() === 'ipv4' ? 32 : 128];
}
