import { violatedUnique } from '../../data/errors.js';
import type { Codes } from '../../data/repositories/verification/codes.js';
import type { CodeRow } from '../../data/rows.js';
import type { Cipher } from '../../model/access/cipher.js';
import { HatifError } from '../../model/errors/index.js';
import type { SpokenLanguage } from '../../model/spoken/index.js';
import type { Clock } from '../../ports/clock.js';
import { RESEND_SECONDS, type OneTimeCodes } from '../codes/one-time-codes.js';
import { isLegRefusal } from '../dialling/refusals.js';
import { blockOf } from '../verify/limits.js';
import type { CodeSender } from '../verify/sender.js';
import type { WidgetAllowance } from './allowance.js';
import type { WidgetContext } from './gate.js';
import type { Proof, ProofsOfWork } from '../access/proofs-of-work.js';
import { placerOf, type Visitor } from './visitor.js';

export const CODE_LENGTH = 6;
const LIFETIME_SECONDS = 300;

export interface CodeRequest {
  /** E.164. */
  readonly to: string;
  readonly language: SpokenLanguage;
  readonly captcha: Proof | null;
}

export interface WidgetCodesOptions {
  readonly codes: OneTimeCodes;
  readonly rows: Codes;
  readonly sender: CodeSender;
  readonly proofs: ProofsOfWork;
  readonly allowance: WidgetAllowance;
  readonly cipher: Cipher;
  readonly clock: Clock;
}

/** Lets a visitor prove control of a telephone with a code. A code is valid for one widget and one number. */
export class WidgetCodes {
  constructor(private readonly options: WidgetCodesOptions) {}

  /**
   * Sends a new code, or the pending one again with new digits.
   * @returns the code, and the seconds until the next one can be requested
   * @throws HatifError CAPTCHA_FAILED, INVALID_PHONE_NUMBER, SANDBOX_*, RATE_LIMIT_EXCEEDED, OTP_RESEND_TOO_SOON,
   * OTP_SEND_FAILED, CALL_FAILED if a limit that the visitor cannot know is reached
   */
  async send(
    widget: WidgetContext,
    { to, language, captcha }: CodeRequest,
    visitor: Visitor,
  ): Promise<{ readonly code: CodeRow; readonly waitSeconds: number }> {
    const { codes, sender, proofs, allowance } = this.options;
    const { row } = widget;
    const placer = placerOf(widget, visitor);
    if (row.captcha) await proofs.spend(row.id, captcha);
    const channel = await sender.channelFor({ channel: null }, false, placer, row.sandbox).catch((error: unknown) => {
      throw visitorError(error);
    });
    await sender.check(channel, to, placer, row.sandbox).catch((error: unknown) => {
      throw visitorError(error);
    });
    const purpose = this.#purpose(row.id, to);
    await this.#assertNotTooSoon(purpose);
    await allowance.take('code', row, visitor.ip, to);
    const code = await this.#next(purpose, row, to);
    try {
      const verification = { id: code.id, channel, recipient: to, language, sandbox: row.sandbox };
      await sender.send({ verification, lifetimeSeconds: LIFETIME_SECONDS, brand: null }, placer);
    } catch (error) {
      if (code.sends === 1) await codes.remove(code.id);
      throw visitorError(error);
    }
    return { code, waitSeconds: codes.waitSeconds(code) };
  }

  /** Uses a code; its digits are valid once. @throws HatifError OTP_INVALID, OTP_EXPIRED, OTP_TOO_MANY_ATTEMPTS */
  async spend(
    { row }: WidgetContext,
    to: string,
    { id, digits }: { readonly id: string; readonly digits: string },
  ): Promise<void> {
    const entered = await this.options.codes.enter(id, this.#purpose(row.id, to), digits);
    if (entered?.outcome === 'correct') return;
    if (entered === null) throw new HatifError('OTP_INVALID', { attempts_left: 0 });
    const { state, attempts, max_attempts: max } = entered.code;
    switch (state) {
      case 'expired':
        throw new HatifError('OTP_EXPIRED');
      case 'spent':
        throw new HatifError('OTP_TOO_MANY_ATTEMPTS', { max });
      case 'pending':
        throw new HatifError('OTP_INVALID', { attempts_left: max - attempts });
      default:
        throw new HatifError('OTP_INVALID', { attempts_left: 0 });
    }
  }

  async #assertNotTooSoon(purpose: string): Promise<void> {
    const last = await this.options.rows.latestOfWidget(purpose);
    const waitSeconds = last ? this.options.codes.waitSeconds(last) : 0;
    if (waitSeconds > 0) throw new HatifError('OTP_RESEND_TOO_SOON', { retry_after_seconds: waitSeconds });
  }

  /** Renews the pending code or creates one. Of two concurrent requests, one gets OTP_RESEND_TOO_SOON. */
  async #next(
    purpose: string,
    { sandbox, organization_id: organizationId }: WidgetContext['row'],
    to: string,
  ): Promise<CodeRow> {
    const { codes, rows, clock } = this.options;
    const last = await rows.latestOfWidget(purpose);
    const renewed = last?.state === 'pending' ? await codes.renew(last.id) : null;
    if (renewed) return renewed;
    try {
      return await rows.transaction(async (tx) => {
        await rows.expire(tx, purpose, clock.now(), 1);
        const usual = { purpose, length: CODE_LENGTH, lifetimeSeconds: LIFETIME_SECONDS, sandbox };
        return codes.create({ ...usual, ...(!sandbox && { target: { organizationId, block: blockOf(to) } }) }, tx);
      });
    } catch (error) {
      if (violatedUnique(error) !== 'one_time_codes_widget_open') throw error;
      throw new HatifError('OTP_RESEND_TOO_SOON', { retry_after_seconds: RESEND_SECONDS[0] });
    }
  }

  #purpose(widgetId: string, to: string): string {
    return `widget:${widgetId}:${this.options.cipher.mac('widget', `code/${to}`)}`;
  }
}

/** Hides from visitors why nothing can be sent; passes on the sandbox's errors. */
function visitorError(error: unknown): Error {
  const isInternal =
    error instanceof HatifError && ['VERIFY_SEND_FAILED', 'CHANNEL_NOT_CONFIGURED'].includes(String(error.code));
  if (isInternal || isLegRefusal(error)) return new HatifError('OTP_SEND_FAILED', {}, { cause: error });
  return error instanceof Error ? error : new Error('failed to send a code', { cause: error });
}
