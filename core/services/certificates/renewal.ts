import { X509Certificate } from 'node:crypto';
import type { AcmeCertificates, CertificateId } from '../../data/repositories/certificates/certificates.js';
import type { Cipher } from '../../model/access/cipher.js';
import { AuthorityError, type CertificateAuthority, type ChallengeAnswers } from '../../ports/certificate-authority.js';
import { within, type Clock } from '../../ports/clock.js';
import type { Logger } from '../../ports/logger.js';
import type { IsStopping, PeriodicTask } from '../runtime/periodic-task.js';

export interface CertificateRenewalOptions {
  readonly certificates: AcmeCertificates;
  readonly authority: CertificateAuthority;
  /** The certificate that the settings ask for. */
  readonly wanted: CertificateId;
  readonly cipher: Pick<Cipher, 'seal' | 'open'>;
  readonly clock: Clock;
  readonly log: Logger;
}

const EVERY_MS = 5_000;
/** The time that an order may take. */
const ORDER_MS = 5 * 60_000;
/** The process that takes an order keeps the others away for longer than that. */
const TAKEN_MS = 2 * ORDER_MS;
/** The first pause after a failure; each further one is twice as long. Authorities take five failures an hour. */
const FIRST_RETRY_MS = 15 * 60_000;
const LONGEST_RETRY_MS = 12 * 3_600_000;
/** An authority that asks for longer pauses is asked again after this time. */
const LONGEST_WAIT_MS = 7 * 24 * 3_600_000;
const CHALLENGE_MS = TAKEN_MS;

/**
 * Orders the certificate of the settings, and a new one when a third of its time is left. One process at a time does; all
 * of them find the result in the database.
 */
export class CertificateRenewal implements PeriodicTask {
  readonly name = 'certificate renewal';
  readonly everyMs = EVERY_MS;

  constructor(private readonly options: CertificateRenewalOptions) {}

  /** @throws DatabaseUnavailable */
  async run(isStopping: IsStopping = () => false): Promise<void> {
    const { certificates, wanted, clock, log } = this.options;
    const now = clock.now();
    await certificates.want(wanted, now);
    const row = await certificates.take(wanted, now, after(now, TAKEN_MS));
    if (!row) return;
    try {
      await this.#order();
      log.info({ names: wanted.names }, 'the authority issued a certificate');
    } catch (error) {
      if (isStopping()) {
        await certificates.release(wanted, clock.now());
        return;
      }
      const retryAt = after(clock.now(), pauseMs(row.failures, error));
      const failure = error instanceof Error ? error.message : String(error);
      await certificates.failed(wanted, failure, retryAt);
      log.warn({ err: error, names: wanted.names, retryAt }, 'the authority issued no certificate');
    }
  }

  async #order(): Promise<void> {
    const { certificates, authority, wanted, cipher, clock } = this.options;
    const made = cipher.seal(await authority.newAccountKey());
    const accountKey = cipher.open(await certificates.accountKey(wanted.authority, made, clock.now()));
    const answers: ChallengeAnswers = {
      put: (token, answer) => certificates.putChallenge(token, answer, after(clock.now(), CHALLENGE_MS)),
      remove: (token) => certificates.removeChallenge(token, clock.now()),
    };
    const ordered = authority.issue(accountKey, wanted.names.split(','), answers);
    const { chain, key } = await within(ORDER_MS, ordered);
    const { validFrom, validTo } = new X509Certificate(chain);
    const [notBefore, notAfter] = [new Date(validFrom), new Date(validTo)];
    await certificates.issued(wanted, clock.now(), {
      ...{ chain, key: cipher.seal(key), notBefore, notAfter },
      renewAt: renewalOf(notBefore, notAfter),
    });
  }
}

/** When two thirds of its time have passed. */
export function renewalOf(notBefore: Date, notAfter: Date): Date {
  return after(notBefore, ((notAfter.getTime() - notBefore.getTime()) * 2) / 3);
}

/** The pause after a failure, of which there were some before. The authority's own word counts if it is longer. */
function pauseMs(failuresBefore: number, error: unknown): number {
  const ownMs = Math.min(FIRST_RETRY_MS * 2 ** failuresBefore, LONGEST_RETRY_MS);
  const askedMs = error instanceof AuthorityError ? (error.retryAfterSeconds ?? 0) * 1000 : 0;
  return Math.max(ownMs, Math.min(askedMs, LONGEST_WAIT_MS));
}

function after(time: Date, ms: number): Date {
  return new Date(time.getTime() + ms);
}
