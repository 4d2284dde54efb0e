import { violatedUnique } from '../../data/errors.js';
import type { Members } from '../../data/repositories/accounts/members.js';
import type { SsoDomains } from '../../data/repositories/single-sign-on/domains.js';
import type { SsoDomainRow } from '../../data/rows.js';
import { randomBase62 } from '../../model/access/base62.js';
import { challengeRecord, DOMAIN_RULE, readDomain } from '../../model/accounts/domains.js';
import { HatifError, invalidField, type Phrase } from '../../model/errors/index.js';
import { arabic } from '../../model/wording/wording.js';
import type { Clock } from '../../ports/clock.js';
import { DnsUnavailable, type TxtRecords } from '../../ports/txt-records.js';
import { assertOfAllProjects, type ActingMember } from '../accounts/acting-member.js';
import type { Tries } from '../accounts/tries.js';

const MOST_DOMAINS = 50;
const TOKEN_BYTES = 20;
const TOKEN_LENGTH = 27;
const VERIFICATIONS = 30;

const TOO_MANY: Phrase = {
  en: `must not be another one: an organization has at most ${MOST_DOMAINS} domains`,
  ar: arabic`لا يمكن إضافة نطاق آخر: الحد الأقصى لعدد نطاقات المؤسسة ${MOST_DOMAINS}`,
};
const NO_ANSWER: Phrase = { en: 'the DNS did not answer', ar: 'لم يستجب DNS' };

export interface SsoDomainServiceOptions {
  readonly domains: SsoDomains;
  readonly members: Members;
  readonly records: TxtRecords;
  readonly tries: Tries;
  readonly clock: Clock;
}

/**
 * The domains of the e-mail addresses that an organization's identity provider may name. One organization at a time proves
 * a domain, by a TXT record or by an administrator of the installation.
 */
export class SsoDomainService {
  constructor(private readonly options: SsoDomainServiceOptions) {}

  /** By name. @throws HatifError INSUFFICIENT_ROLE */
  async list(actor: ActingMember): Promise<SsoDomainRow[]> {
    assertOfAllProjects(actor);
    return this.options.domains.list(actor.organizationId);
  }

  /** A repetition changes nothing. @throws HatifError VALIDATION_ERROR, SSO_DOMAIN_TAKEN, INSUFFICIENT_ROLE */
  async claim(actor: ActingMember, text: string): Promise<SsoDomainRow> {
    assertOfAllProjects(actor);
    const domain = readDomain(text);
    if (domain === null) throw invalidField('domain', DOMAIN_RULE);
    await this.#assertFree(actor.organizationId, domain);
    return this.#claimed(actor.organizationId, domain);
  }

  /**
   * Looks for the TXT record now.
   * @throws HatifError NOT_FOUND, SSO_DOMAIN_NOT_VERIFIED, SSO_DOMAIN_TAKEN, RATE_LIMIT_EXCEEDED, INSUFFICIENT_ROLE
   */
  async verify(actor: ActingMember, domain: string): Promise<SsoDomainRow> {
    assertOfAllProjects(actor);
    const { domains, tries, clock } = this.options;
    const row = known(await domains.get(actor.organizationId, domain), domain);
    if (row.verified_at !== null) return row;
    await tries.take(`sso:domain:${actor.organizationId}`, VERIFICATIONS);
    await this.#assertFree(actor.organizationId, domain);
    await this.#assertRecord(row);
    return this.#prove(row, 'dns', clock.now());
  }

  /** People with an address in it sign in as before. @throws HatifError NOT_FOUND, INSUFFICIENT_ROLE */
  async remove(actor: ActingMember, domain: string): Promise<void> {
    assertOfAllProjects(actor);
    await this.removeOf(actor.organizationId, domain);
  }

  /**
   * An administrator of the installation vouches for the domain.
   * @throws HatifError VALIDATION_ERROR, SSO_DOMAIN_TAKEN
   */
  async set(organizationId: string, text: string): Promise<SsoDomainRow> {
    const domain = readDomain(text);
    if (domain === null) throw invalidField('domain', DOMAIN_RULE);
    await this.#assertFree(organizationId, domain);
    return this.#prove(await this.#claimed(organizationId, domain), 'administrator', this.options.clock.now());
  }

  /** @throws HatifError NOT_FOUND */
  async removeOf(organizationId: string, domain: string): Promise<void> {
    const removed = await this.options.domains.remove(organizationId, domain);
    if (!removed) throw unknownDomain(domain);
  }

  #claimed(organizationId: string, domain: string): Promise<SsoDomainRow> {
    const { domains, members, clock } = this.options;
    return members.exclusively(organizationId, async (tx) => {
      const before = await domains.get(organizationId, domain, tx);
      if (before !== null) return before;
      if ((await domains.count(organizationId, tx)) >= MOST_DOMAINS) throw invalidField('domain', TOO_MANY);
      const row: SsoDomainRow = {
        organization_id: organizationId,
        domain,
        token: randomBase62(TOKEN_BYTES, TOKEN_LENGTH),
        forced: false,
        verified_at: null,
        verified_by: null,
        created_at: clock.now(),
      };
      await domains.add(tx, row);
      return row;
    });
  }

  async #prove(row: SsoDomainRow, by: 'dns' | 'administrator', at: Date): Promise<SsoDomainRow> {
    const { domains, members } = this.options;
    const { organization_id, domain } = row;
    try {
      await members.exclusively(organization_id, (tx) => domains.verify(tx, row, by, at));
    } catch (error) {
      // Another organization proved it at the same moment.
      if (violatedUnique(error) === 'sso_domains_verified') throw taken(domain, error);
      throw error;
    }
    return known(await domains.get(organization_id, domain), domain);
  }

  async #assertFree(organizationId: string, domain: string): Promise<void> {
    const owner = await this.options.domains.ownerOf(domain);
    if (owner !== null && owner !== organizationId) throw taken(domain);
  }

  async #assertRecord({ domain, token }: SsoDomainRow): Promise<void> {
    const { name, value } = challengeRecord(domain, token);
    const found = await this.options.records.read(name).catch((error: unknown) => {
      if (!(error instanceof DnsUnavailable)) throw error;
      throw new HatifError('SSO_DOMAIN_NOT_VERIFIED', { domain, reason: NO_ANSWER }, { cause: error });
    });
    if (found.some((text) => text.trim() === value)) return;
    const reason = {
      en: `the name ${name} has no TXT record ${value}`,
      ar: arabic`لا يوجد سجل TXT بالقيمة ${value} للاسم ${name}`,
    };
    throw new HatifError('SSO_DOMAIN_NOT_VERIFIED', { domain, reason });
  }
}

function known(row: SsoDomainRow | null, domain: string): SsoDomainRow {
  if (row === null) throw unknownDomain(domain);
  return row;
}

function unknownDomain(domain: string): HatifError<'NOT_FOUND'> {
  return new HatifError('NOT_FOUND', { what: { en: `the domain ${domain}`, ar: arabic`النطاق ${domain}` } });
}

function taken(domain: string, cause?: unknown): HatifError<'SSO_DOMAIN_TAKEN'> {
  return new HatifError('SSO_DOMAIN_TAKEN', { domain }, cause === undefined ? {} : { cause });
}
