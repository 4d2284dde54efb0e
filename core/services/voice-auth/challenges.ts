import type { ChallengeObject } from '../../model/objects/verification.js';
import { randomInt } from 'node:crypto';
import type { CallScope } from '../../data/repositories/calls/calls.js';
import type { Challenges } from '../../data/repositories/verification/challenges.js';
import type { ChallengeRow } from '../../data/rows.js';
import type { Cipher } from '../../model/access/cipher.js';
import { HatifError } from '../../model/errors/index.js';
import { newId } from '../../model/ids.js';
import type { SpokenLanguage } from '../../model/spoken/index.js';
import type { Clock } from '../../ports/clock.js';
import { SpeechError, type Speech } from '../../ports/speech.js';
import { speakAhead } from '../audio/preparation.js';
import type { RateLimiter } from '../access/rate-limit.js';
import { callFailed, type Placer } from '../calls/placement.js';
import type { SystemCall } from '../calls/system-call.js';
import { isBlocked } from '../verify/limits.js';
import type { Brands } from '../brands/brands.js';
import { presentChallenge } from './present.js';
import { allAuthWords } from './words.js';

export interface ChallengeRequest {
  /** E.164. */
  readonly to: string;
  readonly assurance: string;
  readonly brandId: string | null;
  readonly language: SpokenLanguage;
  readonly expiresInSeconds: number;
  readonly metadata: Readonly<Record<string, string>>;
}

/** The project and key on whose behalf the call is placed. */
export interface ChallengePlacer extends Placer {
  readonly sandbox: boolean;
}

export interface ChallengeRules {
  /** Blocked number prefixes, E.164. */
  readonly blockedPrefixes: readonly string[];
  /** Maximum calls to one number within ten minutes, per organization. */
  readonly perNumber: number;
  /** This many denied calls within 24 hours block further calls to a number. */
  readonly denials: number;
}

export interface VoiceAuthOptions {
  readonly challenges: Challenges;
  readonly brands: Pick<Brands, 'spoken'>;
  readonly calls: SystemCall;
  readonly speech: Speech;
  readonly limiter: RateLimiter;
  readonly rules: ChallengeRules;
  readonly cipher: Cipher;
  readonly clock: Clock;
}

const WINDOW_SECONDS = 600;
const DENIAL_WINDOW_MS = 24 * 60 * 60 * 1000;
const MAX_RING_SECONDS = 45;
/**
 * An unanswered call ends before the challenge expires, and one that lasts too long ends after it, so that the two
 * cases can be distinguished.
 */
const MARGIN_SECONDS = 5;

/**
 * Verifies by telephone that a person who signs in is the account's owner: they enter the number shown on the screen on
 * their telephone.
 */
export class VoiceAuth {
  constructor(private readonly options: VoiceAuthOptions) {}

  /**
   * Calls the number. Nothing has changed if it throws.
   * @throws HatifError VALIDATION_ERROR, VOICE_AUTH_BRAND_NOT_APPROVED, INVALID_PHONE_NUMBER, SANDBOX_*,
   * VOICE_AUTH_ASSURANCE_UNSUPPORTED, VOICE_AUTH_BLOCKED, VOICE_AUTH_RATE_LIMITED, LEG_REFUSALS, CALL_FAILED
   */
  async start(request: ChallengeRequest, placer: ChallengePlacer): Promise<ChallengeObject> {
    const { brands, calls, challenges, clock } = this.options;
    const { to, language, brandId, metadata, assurance, expiresInSeconds } = request;
    const { sandbox } = placer;
    const brand = await brands.spoken(brandId, language, placer);
    await calls.checkNumber(to, placer, sandbox);
    if (assurance !== 'number_match') throw new HatifError('VOICE_AUTH_ASSURANCE_UNSUPPORTED', { assurance });
    if (!sandbox) {
      await calls.check(to, placer, sandbox);
      await this.#admit(to, placer);
      await this.#synthesizeAll(language, brand);
    }
    const now = clock.now();
    const row: ChallengeRow = {
      id: newId(),
      organization_id: placer.organizationId,
      project_id: placer.projectId,
      sandbox,
      assurance,
      number: to,
      match_number: String(randomInt(10, 100)),
      brand_id: brandId,
      language,
      metadata,
      call_id: null,
      state: 'pending',
      created_by_key: placer.keyId,
      request_id: placer.requestId,
      created_at: now,
      expires_at: new Date(now.getTime() + expiresInSeconds * 1000),
      completed_at: null,
    };
    await challenges.create(row);
    try {
      const call = await calls.place(
        {
          to,
          program: { type: 'voice_auth', challengeId: row.id, language },
          ringTimeoutSeconds: Math.min(MAX_RING_SECONDS, expiresInSeconds - MARGIN_SECONDS),
          maxDurationSeconds: expiresInSeconds + MARGIN_SECONDS,
          sandbox,
        },
        placer,
      );
      await challenges.setCall(row.id, call.id);
    } catch (error) {
      await challenges.remove(row.id);
      throw error;
    }
    return this.get({ projectId: placer.projectId, sandboxOnly: sandbox }, row.id);
  }

  /** @throws HatifError VOICE_AUTH_NOT_FOUND */
  async get(scope: CallScope, id: string): Promise<ChallengeObject> {
    const row = await this.options.challenges.get(scope, id);
    if (!row) throw new HatifError('VOICE_AUTH_NOT_FOUND', { challenge_id: id });
    return presentChallenge(row, this.options.clock.now());
  }

  /** The challenge that a request created before its process died. */
  async createdBy(projectId: string, keyId: string, requestId: string): Promise<ChallengeObject | null> {
    const row = await this.options.challenges.createdBy(projectId, keyId, requestId);
    return row && presentChallenge(row, this.options.clock.now());
  }

  /** Protects people from being called until they give in. */
  async #admit(to: string, { organizationId }: Placer): Promise<void> {
    const { challenges, limiter, rules, cipher, clock } = this.options;
    const since = new Date(clock.now().getTime() - DENIAL_WINDOW_MS);
    const denials = await challenges.denials(organizationId, to, since);
    if (isBlocked(to, rules.blockedPrefixes) || denials >= rules.denials) throw new HatifError('VOICE_AUTH_BLOCKED');
    const subject = `voice-auth:${cipher.mac('code', `${organizationId}:${to}`)}`;
    const { allowed, resetSeconds } = await limiter.take(subject, rules.perNumber, WINDOW_SECONDS);
    if (!allowed) throw new HatifError('VOICE_AUTH_RATE_LIMITED', { retry_after_seconds: resetSeconds });
  }

  /** Synthesizes every sentence first, so that the callee hears no gaps. */
  async #synthesizeAll(language: SpokenLanguage, brand: string | null): Promise<void> {
    try {
      await speakAhead(this.options.speech, this.options.clock, allAuthWords(language, brand), language);
    } catch (error) {
      if (!(error instanceof SpeechError)) throw error;
      throw callFailed('no voice is available', 'تعذّر تحويل النص إلى كلام الآن', error);
    }
  }
}
