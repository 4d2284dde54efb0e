import type { Redis } from 'ioredis';
import type { Settings } from '../../config/settings.js';
import type { Cipher } from '../../core/model/access/cipher.js';
import type { Clock } from '../../core/ports/clock.js';
import type { CodeChannels } from '../../core/ports/code-channel.js';
import type { Logger } from '../../core/ports/logger.js';
import type { Mailer } from '../../core/ports/mail.js';
import type { Speech } from '../../core/ports/speech.js';
import { RedisRateLimiter } from '../../core/services/access/rate-limit.js';
import type { PeriodicTask } from '../../core/services/runtime/periodic-task.js';
import type { SystemCall } from '../../core/services/calls/system-call.js';
import { EmailCodes } from '../../core/services/codes/email-codes.js';
import { OneTimeCodes } from '../../core/services/codes/one-time-codes.js';
import { SpokenCodes } from '../../core/services/codes/spoken-codes.js';
import { CodeDelivery } from '../../core/services/verify/delivery.js';
import { VerifyFallback } from '../../core/services/verify/fallback.js';
import { SendLimits, type SendLimitsOptions } from '../../core/services/verify/limits.js';
import { CodeSender } from '../../core/services/verify/sender.js';
import { Verify } from '../../core/services/verify/verify.js';
import type { Brands } from '../../core/services/brands/brands.js';
import { VoiceAuth } from '../../core/services/voice-auth/challenges.js';
import { ChallengeCalls } from '../../core/services/voice-auth/challenge-calls.js';
import type { Stores } from './stores.js';

/** One-time codes, for their senders and for checks. */
export function openCodes({ codes }: Stores, cipher: Cipher, clock: Clock): OneTimeCodes {
  return new OneTimeCodes({ codes, cipher, clock });
}

/** Authentication challenges, for their calls. */
export function openChallengeCalls({ challenges, writer }: Stores, brands: Brands, clock: Clock): ChallengeCalls {
  return new ChallengeCalls({ challenges, brands, clock, onLanes: (lanes) => writer.notifyLanes(lanes) });
}

export interface VerifyingOptions {
  readonly settings: Settings;
  readonly stores: Stores;
  readonly codes: OneTimeCodes;
  readonly brands: Brands;
  readonly calls: SystemCall;
  readonly speech: Speech;
  readonly mailer: Mailer | null;
  /** Channels that send codes as messages. */
  readonly codeChannels: CodeChannels;
  readonly cipher: Cipher;
  readonly redis: Redis;
  readonly clock: Clock;
  readonly log: Logger;
}

/** Sends codes by call, by message, and by mail if a mail server is set. */
export function openSender({
  codes,
  speech,
  calls,
  mailer,
  codeChannels,
  clock,
}: Pick<VerifyingOptions, 'codes' | 'speech' | 'calls' | 'mailer' | 'codeChannels' | 'clock'>): CodeSender {
  const channels: CodeChannels = { ...codeChannels, ...(mailer !== null && { email: new EmailCodes(mailer) }) };
  return new CodeSender({ codes, spoken: new SpokenCodes(speech, calls, clock), channels });
}

type LimitsOptions = Pick<VerifyingOptions, 'settings' | 'cipher' | 'redis' | 'clock' | 'log'>;

/** The limits of sending, which verification and widgets count separately. */
export function openSendLimits(
  { settings, cipher, redis, clock, log }: LimitsOptions,
  scope: 'verify' | 'widget',
  conversion: SendLimitsOptions['conversion'],
): SendLimits {
  const rules = {
    blockedPrefixes: settings.VERIFY_BLOCKED_PREFIXES,
    perRecipient: settings.VERIFY_SENDS_PER_RECIPIENT,
    perAddress: settings.VERIFY_SENDS_PER_ADDRESS,
    perBlock: settings.VERIFY_SENDS_PER_PREFIX,
    fraudPercent: settings.VERIFY_FRAUD_PERCENT,
    fraudSends: settings.VERIFY_FRAUD_SENDS,
  };
  return new SendLimits({ rules, limiter: new RedisRateLimiter(redis, log, clock), scope, conversion, cipher, clock });
}

/** @returns the verifications, and the work that sends codes over another channel */
export function openVerify(options: VerifyingOptions): { readonly verify: Verify; readonly fallback: PeriodicTask } {
  const { stores, codes, brands, clock } = options;
  const { db, verifications, sendAttempts: attempts, directory, writer } = stores;
  const sender = openSender(options);
  const limits = openSendLimits(options, 'verify', (...asked) => verifications.conversion(...asked));
  const delivery = new CodeDelivery({ attempts, codes, sender, limits, clock });
  const verify = new Verify({
    ...{ db, verifications, attempts, codes, sender, delivery, limits, brands, clock },
    onLanes: (lanes) => writer.notifyLanes(lanes),
  });
  const project = (projectId: string) => directory.project(projectId);
  return { verify, fallback: new VerifyFallback({ attempts, delivery, brands, project, clock }) };
}

export function openVoiceAuth(options: Omit<VerifyingOptions, 'codes' | 'mailer' | 'codeChannels'>): VoiceAuth {
  const { settings, stores, brands, calls, speech, cipher, redis, clock, log } = options;
  const { challenges } = stores;
  const limiter = new RedisRateLimiter(redis, log, clock);
  const rules = {
    blockedPrefixes: settings.VERIFY_BLOCKED_PREFIXES,
    perNumber: settings.VOICE_AUTH_CALLS_PER_NUMBER,
    denials: settings.VOICE_AUTH_DENIALS,
  };
  return new VoiceAuth({ challenges, brands, calls, speech, limiter, rules, cipher, clock });
}
