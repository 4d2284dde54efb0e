import { violatedUnique } from '../../data/errors.js';
import type { Codes } from '../../data/repositories/verification/codes.js';
import type { CodeRow } from '../../data/rows.js';
import type { Cipher } from '../../model/access/cipher.js';
import { HatifError } from '../../model/errors/index.js';
import type { SpokenLanguage } from '../../model/spoken/index.js';
import type { Clock } from '../../ports/clock.js';
import { RESEND_SECONDS, type OneTimeCodes } from '../codes/one-time-codes.js';
import type { CodeSender } from '../verify/sender.js';
import type { WidgetAllowance } from './allowance.js';
import type { KnownWidget } from './gate.js';
import type { Proof, WidgetProofs } from './proofs.js';
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
  readonly proofs: WidgetProofs;
  readonly allowance: WidgetAllowance;
  readonly cipher: Cipher;
  readonly clock: Clock;
}

/** By a code that is told to it a visitor proves that a telephone is theirs. It is good for one widget and one telephone. */
export class WidgetCodes {
  constructor(private readonly options: WidgetCodesOptions) {}

  /**
   * Send a code, or the one that is out once more, with new digits.
   * @returns the code, and in how many seconds the next can be asked for
   * @throws HatifError CAPTCHA_FAILED, INVALID_PHONE_NUMBER, SANDBOX_*, RATE_LIMIT_EXCEEDED, OTP_RESEND_TOO_SOON, OTP_SEND_FAILED
   */
  async send(
    widget: KnownWidget,
    { to, language, captcha }: CodeRequest,
    visitor: Visitor,
  ): Promise<{ readonly code: CodeRow; readonly waitSeconds: number }> {
    const { codes, sender, proofs, allowance } = this.options;
    const { row } = widget;
    const placer = placerOf(widget, visitor);
    if (row.captcha) await proofs.spend(row, captcha);
    const channel = await sender.channelFor({ channel: null }, false, placer, row.sandbox).catch((error: unknown) => {
      throw notSentBy(error);
    });
    await sender.check(channel, to, placer, row.sandbox);
    const purpose = this.#purpose(row.id, to);
    await this.#assertNotTooSoon(purpose);
    await allowance.take('code', visitor.ip, to);
    const code = await this.#next(purpose, row.sandbox);
    try {
      const verification = { id: code.id, channel, recipient: to, language, sandbox: row.sandbox };
      await sender.send({ verification, lifetimeSeconds: LIFETIME_SECONDS, brand: null }, placer);
    } catch (error) {
      if (code.sends === 1) await codes.remove(code.id);
      throw notSentBy(error);
    }
    return { code, waitSeconds: codes.waitSeconds(code) };
  }

  /** The digits count once. @throws HatifError OTP_INVALID, OTP_EXPIRED, OTP_TOO_MANY_ATTEMPTS */
  async spend(
    { row }: KnownWidget,
    to: string,
    { id, digits }: { readonly id: string; readonly digits: string },
  ): Promise<void> {
    const entered = await this.options.codes.enter(id, this.#purpose(row.id, to), digits);
    if (entered?.what === 'right') return;
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

  /** The code that is out, once more, or a new one. Of two at the same moment one is too soon. */
  async #next(purpose: string, sandbox: boolean): Promise<CodeRow> {
    const { codes, rows, clock } = this.options;
    const last = await rows.latestOfWidget(purpose);
    const renewed = last?.state === 'pending' ? await codes.renew(last.id) : null;
    if (renewed) return renewed;
    try {
      return await rows.transaction(async (tx) => {
        await rows.expire(tx, purpose, clock.now(), 1);
        return codes.create({ purpose, length: CODE_LENGTH, lifetimeSeconds: LIFETIME_SECONDS, sandbox }, tx);
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

/** What visitors are told where nothing can be sent; what a sandbox refuses is said as it is. */
function notSentBy(error: unknown): Error {
  const isTheirs =
    error instanceof HatifError && ['VERIFY_SEND_FAILED', 'CHANNEL_NOT_CONFIGURED'].includes(String(error.code));
  if (isTheirs) return new HatifError('OTP_SEND_FAILED', {}, { cause: error });
  return error instanceof Error ? error : new Error('a code could not be sent', { cause: error });
}
