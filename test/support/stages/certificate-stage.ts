import { acmeRouter } from '../../../api/routes/platform/acme.js';
import { Lifecycle } from '../../../api/http/lifecycle.js';
import { plainHttp } from '../../../api/server/plain-http.js';
import { startServer, type RunningServer } from '../../../api/server/server.js';
import { AcmeCertificates, type CertificateId } from '../../../core/data/repositories/certificates/certificates.js';
import type { AcmeCertificateRow } from '../../../core/data/rows.js';
import type { CertificateAuthority } from '../../../core/ports/certificate-authority.js';
import { systemClock, type Clock, type Timer } from '../../../core/ports/clock.js';
import { MemoryRateLimiter } from '../../../core/services/access/rate-limit.js';
import { CertificateRenewal } from '../../../core/services/certificates/renewal.js';
import { TEST_CIPHER } from '../cipher.js';
import { collecting } from '../logger.js';
import { testDatabase, type TestDatabase } from '../platform/database.js';

/** Requests over plain HTTP in a minute. */
export const MOST_REQUESTS = 100;

/** Real time that a test can move ahead. */
export class MovableClock implements Clock {
  #aheadMs = 0;

  monotonicMs(): number {
    return systemClock.monotonicMs();
  }

  after(delayMs: number, run: () => void): Timer {
    return systemClock.after(delayMs, run);
  }

  now(): Date {
    return new Date(Date.now() + this.#aheadMs);
  }

  /** Moves to this time, which is later. */
  moveTo(time: Date): void {
    this.#aheadMs = time.getTime() - Date.now();
  }
}

/** The tables of certificates, and the port of plain HTTP where an authority looks for answers. */
export class CertificateStage {
  readonly clock = new MovableClock();
  readonly log = collecting();
  readonly certificates: AcmeCertificates;

  private constructor(
    readonly database: TestDatabase,
    private readonly plain: RunningServer,
  ) {
    this.certificates = new AcmeCertificates(database.db);
  }

  static async start(): Promise<CertificateStage> {
    const database = await testDatabase();
    const certificates = new AcmeCertificates(database.db);
    const answers = acmeRouter({ answer: (token) => certificates.challenge(token, systemClock.now()) });
    const { logger } = collecting();
    const publicUrl = 'https://voice.example.test';
    const limiter = new MemoryRateLimiter(systemClock);
    const admits = (): boolean => limiter.takeNow('all', MOST_REQUESTS, 60).allowed;
    const app = plainHttp({ routers: [answers], publicUrl, admits, logger });
    const plain = await startServer(app, {
      ...{ host: '127.0.0.1', port: 0, lifecycle: new Lifecycle(), publicUrl: () => publicUrl },
    });
    return new CertificateStage(database, plain);
  }

  get httpPort(): number {
    return this.plain.port;
  }

  get url(): string {
    return `http://127.0.0.1:${this.httpPort}`;
  }

  /** What a process with the role `jobs` does, each time that it is due. */
  renewal(authority: CertificateAuthority, wanted: CertificateId): CertificateRenewal {
    const { certificates, clock, log } = this;
    return new CertificateRenewal({ certificates, authority, wanted, cipher: TEST_CIPHER, clock, log: log.logger });
  }

  async row(wanted: CertificateId): Promise<AcmeCertificateRow> {
    const row = await this.certificates.get(wanted);
    if (!row) throw new Error(`no row of ${wanted.names}`);
    return row;
  }

  async close(): Promise<void> {
    await this.plain.close(0);
    await this.database.close();
  }
}
