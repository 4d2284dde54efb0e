import { expect } from 'chai';
import type { Route } from '../../../api/http/route.js';
import { verifyRoutes } from '../../../api/routes/verification/verify.js';
import { voiceAuthRoutes } from '../../../api/routes/verification/voice-auth.js';
import { brandRoutes } from '../../../api/routes/verification/voice-auth-brands.js';
import { BrandTable } from '../../../core/data/repositories/verification/brands.js';
import { Challenges } from '../../../core/data/repositories/verification/challenges.js';
import { Codes } from '../../../core/data/repositories/verification/codes.js';
import { SendAttempts } from '../../../core/data/repositories/verification/send-attempts.js';
import { Verifications } from '../../../core/data/repositories/verification/verifications.js';
import { Projects } from '../../../core/data/repositories/accounts/projects.js';
import { newId } from '../../../core/model/ids.js';
import { CodeSendError, type CodeChannel, type CodeMessage } from '../../../core/ports/code-channel.js';
import type { Mailer } from '../../../core/ports/mail.js';
import { SpeechError } from '../../../core/ports/speech.js';
import { MemoryRateLimiter } from '../../../core/services/access/rate-limit.js';
import type { SystemCall } from '../../../core/services/calls/system-call.js';
import { EmailCodes } from '../../../core/services/codes/email-codes.js';
import { OneTimeCodes } from '../../../core/services/codes/one-time-codes.js';
import { SpokenCodes } from '../../../core/services/codes/spoken-codes.js';
import { CodeDelivery } from '../../../core/services/verify/delivery.js';
import { VerifyFallback } from '../../../core/services/verify/fallback.js';
import { VerifyExpiry } from '../../../core/services/verify/expiry.js';
import { SendLimits, type SendingRules } from '../../../core/services/verify/limits.js';
import { CodeSender } from '../../../core/services/verify/sender.js';
import { Verify } from '../../../core/services/verify/verify.js';
import { Brands } from '../../../core/services/brands/brands.js';
import { VoiceAuth } from '../../../core/services/voice-auth/challenges.js';
import { ChallengeCalls } from '../../../core/services/voice-auth/challenge-calls.js';
import { ChallengeExpiry } from '../../../core/services/voice-auth/expiry.js';
import { spokenDigits } from '../../../core/model/spoken/index.js';
import { testApi, type Answer, type TestApi } from '../api.js';
import { TEST_CIPHER } from '../cipher.js';
import { OnPlacingStage, placingStage, type PlacingStage } from './placing-stage.js';
import type { TestDatabase } from '../platform/database.js';
import { stageEach } from '../each.js';
import { succeeded } from '../judges/succeeded.js';

/** The number of the end user that tests verify. */
export const NUMBER = '+966501234517';

const RULES: SendingRules = {
  blockedPrefixes: ['+882', '+96659999'],
  perRecipient: 5,
  perAddress: 20,
  perBlock: 100,
  fraudPercent: 10,
  fraudSends: 20,
};

/**
 * The routes of verification and brands on a real port and database, over two simulated engines on one virtual clock:
 * one for real telephones (`phones`), one for the sandbox. `sent` receives the codes sent by SMS.
 */
export class VerifyStage extends OnPlacingStage {
  readonly sent: CodeMessage[] = [];
  /** Services that are unavailable. */
  readonly away = { sms: false, smsSettings: false, voice: false };
  /** Tests may change these rules. */
  readonly rules: SendingRules = { ...RULES };
  mailer: Mailer | null = null;
  /** Sends codes by SMS in place of `sent`. */
  sms: CodeChannel | null = null;
  api!: TestApi;
  routes!: readonly Route[];
  brands!: Brands;
  codes!: OneTimeCodes;
  verify!: Verify;
  expiry!: VerifyExpiry;
  fallback!: VerifyFallback;
  settling!: ChallengeExpiry;
  liveKey!: string;
  sandboxKey!: string;

  private constructor(
    readonly database: TestDatabase,
    placing: PlacingStage,
  ) {
    super(placing);
  }

  /** Engines that other stages left on the database become unreachable. */
  static async start(database: TestDatabase): Promise<VerifyStage> {
    const stage = new VerifyStage(database, await placingStage(database.db));
    await stage.#open();
    return stage;
  }

  get calls(): SystemCall {
    return this.placing.systemCall;
  }

  async #open(): Promise<void> {
    const { clock, database } = this;
    const { db } = database;
    const codes = new Codes(db);
    const verifications = new Verifications(db);
    this.codes = new OneTimeCodes({ codes, cipher: TEST_CIPHER, clock });
    this.brands = new Brands(new BrandTable(db), clock);
    const onLanes = (): void => undefined;
    const speech = {
      languages: new Set(['ar', 'en'] as const),
      synthesize: (text: string) =>
        this.away.voice ? Promise.reject(new SpeechError('no voice')) : Promise.resolve(`/speech/${text}`),
    };
    const sms = {
      isConfigured: () => Promise.resolve(!this.away.smsSettings),
      send: (message: CodeMessage) => {
        if (this.away.sms)
          return Promise.reject(new CodeSendError({ en: 'the gateway is away', ar: 'البوابة لا تجيب' }));
        if (this.sms) return this.sms.send(message);
        this.sent.push(message);
        return Promise.resolve(null);
      },
    };
    const email = {
      isConfigured: () => Promise.resolve(this.mailer !== null),
      send: (message: CodeMessage) => new EmailCodes(this.mailer!).send(message),
    };
    const limiter = new MemoryRateLimiter(clock);
    const sender = new CodeSender({
      codes: this.codes,
      spoken: new SpokenCodes(speech, this.calls, clock),
      channels: { sms, email },
    });
    const limits = new SendLimits({
      ...{ rules: this.rules, limiter, cipher: TEST_CIPHER, clock },
      scope: 'verify',
      conversion: (...asked) => verifications.conversion(...asked),
    });
    const attempts = new SendAttempts(db);
    const delivery = new CodeDelivery({ attempts, codes: this.codes, sender, limits, clock });
    const { brands } = this;
    this.verify = new Verify({
      ...{ db, verifications, attempts, codes: this.codes, sender, delivery, limits, brands, clock, onLanes },
    });
    const project = (id: string) => new Projects(db).get(id);
    this.fallback = new VerifyFallback({ attempts, delivery, brands, project, clock });
    this.expiry = new VerifyExpiry({ codes, verifications, clock, onLanes });
    const challenges = new Challenges(db);
    const challengeCalls = new ChallengeCalls({ challenges, brands: this.brands, clock, onLanes });
    this.settling = new ChallengeExpiry({ challengeCalls });
    const voiceAuth = new VoiceAuth({
      challenges,
      brands: this.brands,
      calls: this.calls,
      speech,
      limiter,
      rules: { blockedPrefixes: RULES.blockedPrefixes, perNumber: 3, denials: 3 },
      cipher: TEST_CIPHER,
      clock,
    });
    this.routes = [
      ...verifyRoutes({ verify: this.verify }),
      ...voiceAuthRoutes({ voiceAuth }),
      ...brandRoutes({ brands: this.brands }),
    ];
    this.api = await testApi({ db, routes: this.routes, limits: { sandboxPerMinute: 100_000 } });
    this.liveKey = (await this.api.key({ projectId: this.projectId })).key;
    this.sandboxKey = (await this.api.key({ projectId: this.projectId, kind: 'sandbox' })).key;
  }

  /** A live key of another project of the organization. */
  async otherProjectKey(): Promise<string> {
    const projects = new Projects(this.database.db);
    const known = await projects.get(this.projectId);
    if (!known) throw new Error('the stage has no project');
    const projectId = newId();
    await projects.create({ ...known, id: projectId, name: 'Another', main_number: null });
    return (await this.api.key({ projectId })).key;
  }

  /** Sends an API request, with the live key by default. */
  request(method: string, path: string, json?: object, key = this.liveKey): Promise<Answer> {
    return this.api.request(method, `/v1${path}`, { key, ...(json && { json }) });
  }

  /** Sends a request, which must succeed. */
  async good(method: string, path: string, json?: object, key?: string): Promise<Record<string, unknown>> {
    return succeeded(await this.request(method, path, json, key));
  }

  /** Sends a request that should be refused. @returns `status CODE path`; the path is that of the first detail */
  async refused(method: string, path: string, json?: object, key?: string): Promise<string> {
    const { status, body } = await this.request(method, path, json, key);
    const [detail] = (body?.details ?? []) as { path: string }[];
    return `${status} ${String(body?.error_code)}${detail ? ` ${detail.path}` : ''}`;
  }

  /** Starts a verification by SMS. @returns its id and the code */
  async started(json: object = {}): Promise<{ readonly id: string; readonly code: string }> {
    const { verification_id } = await this.good('POST', '/verify', { to: NUMBER, channel: 'sms', ...json });
    return { id: String(verification_id), code: this.sent.at(-1)?.code ?? '' };
  }

  check(id: string, code: string, key?: string): Promise<Record<string, unknown>> {
    return this.good('POST', '/verify/check', { verification_id: id, code }, key);
  }

  /** The data of events of this type about a verification or challenge. */
  async eventData(type: string, id: string): Promise<Record<string, unknown>[]> {
    const rows = await this.database.db.query<{ data: Record<string, unknown> }>(
      `SELECT data FROM events WHERE type = $1 AND id::text || data::text LIKE $2 ORDER BY id`,
      [type, `%${id}%`],
    );
    return rows.map(({ data }) => data);
  }

  /** The digits spoken in this language on the phones, newest call last. */
  spoken(language: 'ar' | 'en', rig = this.phones): string {
    const words = new Map(Array.from('0123456789', (digit) => [spokenDigits(digit, language), digit]));
    return rig.said.map((text) => words.get(text) ?? '').join('');
  }

  async close(): Promise<void> {
    await this.placing.close();
    await this.api.close();
    expect(this.api.faults).to.deep.equal([]);
  }
}

/** For a `describe`: a new stage for each test, on one database for all tests. */
export function verifyEach(use: (stage: VerifyStage) => void): void {
  stageEach(
    (database) => VerifyStage.start(database),
    use,
    (stage) => stage.close(),
  );
}

/** A different code of the same length. */
export function wrongCode(code: string): string {
  return code.replace(/^./, (digit) => String((Number(digit) + 1) % 10));
}
