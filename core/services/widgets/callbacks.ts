import type { CallRow } from '../../data/rows.js';
import type { Callbacks } from '../../data/repositories/calls/callbacks.js';
import { isFinal, type CallStatus } from '../../model/call/call.js';
import { HatifError, invalidField } from '../../model/errors/index.js';
import type { Clock } from '../../ports/clock.js';
import type { PlaceCallback } from '../callbacks/place.js';
import type { EventFeed } from '../events/feed.js';
import type { WidgetAllowance } from './allowance.js';
import type { WidgetCodes } from './codes.js';
import type { KnownWidget } from './gate.js';
import type { Proof, WidgetProofs } from './proofs.js';
import type { StatusToken, StatusTokens } from './status-token.js';
import { placerOf, type Visitor } from './visitor.js';

/** What a visitor asks for; the number is E.164 already. */
export interface VisitorRequest {
  readonly to: string;
  readonly name: string | null;
  readonly captcha: Proof | null;
  /** The code that was told to the telephone. */
  readonly otp: { readonly id: string; readonly digits: string } | null;
}

export interface WidgetCallbacksOptions {
  readonly place: Pick<PlaceCallback, 'place'>;
  readonly callbacks: Callbacks;
  readonly proofs: WidgetProofs;
  readonly codes: Pick<WidgetCodes, 'spend'>;
  readonly allowance: WidgetAllowance;
  readonly tokens: StatusTokens;
  readonly feed: Pick<EventFeed, 'follow'>;
  readonly clock: Clock;
  /** How long somebody who follows a callback is kept waiting for a change; 20 s by default. */
  readonly patienceMs?: number;
}

const NO_CODE = { en: 'is required: the widget wants a code', ar: 'مطلوب: تطلب الأداة رمز تحقق' };

/** What visitors of web pages may do with a widget: ask for a callback, and follow it. */
export class WidgetCallbacks {
  constructor(private readonly options: WidgetCallbacksOptions) {}

  /**
   * The visitor is rung and joined with the widget's destination, or the project's default one. Where the widget wants a code, that is the
   * proof: work was asked for, and counted, when the code was.
   * @throws HatifError VALIDATION_ERROR, OTP_*, CAPTCHA_FAILED, RATE_LIMIT_EXCEEDED, and what placing a callback throws
   */
  async request(
    widget: KnownWidget,
    { to, name, captcha, otp }: VisitorRequest,
    visitor: Visitor,
  ): Promise<{ readonly call: CallRow; readonly follow: StatusToken }> {
    const { place, proofs, codes, allowance, tokens } = this.options;
    const { row, project } = widget;
    if (row.otp) {
      if (otp === null) throw invalidField('otp', NO_CODE);
      await codes.spend(widget, to, otp);
    } else {
      if (row.captcha) await proofs.spend(row, captcha);
      await allowance.take('callback', visitor.ip, to);
    }
    const { destination } = row;
    const queue = destination?.type === 'queue' && destination.target !== null ? { id: destination.target } : null;
    const call = await place.place(
      {
        to,
        queue,
        callerIdNumber: null,
        callerIdName: null,
        webhookUrl: null,
        metadata: { widget: row.name, ...(name === null ? {} : { name }) },
      },
      {
        ...placerOf(widget, visitor),
        defaultDestination: destination ?? project.default_destination,
        sandbox: row.sandbox,
      },
    );
    return { call, follow: tokens.make(row.id, call.id) };
  }

  /**
   * The callback as it is now; where it is still as the visitor knows it (`after`), as it is when that changes, or after a while.
   * @throws HatifError CALLBACK_NOT_FOUND, also for a token that is wrong or late
   */
  async follow(
    { row }: KnownWidget,
    callbackId: string,
    token: string,
    after: CallStatus | null,
    signal: AbortSignal,
  ): Promise<CallRow> {
    const read = async (): Promise<CallRow> => {
      const scope = { organizationId: row.organization_id, projectId: row.project_id, sandboxOnly: false };
      const isGood = this.options.tokens.isGood(row.id, callbackId, token);
      const call = isGood ? await this.options.callbacks.get(scope, callbackId) : null;
      if (!call) throw new HatifError('CALLBACK_NOT_FOUND', { callback_id: callbackId });
      return call;
    };
    const known = await read();
    return known.status !== after || isFinal(known.status) ? known : this.#untilChanged(known, read, signal);
  }

  async #untilChanged(known: CallRow, read: () => Promise<CallRow>, signal: AbortSignal): Promise<CallRow> {
    const { feed, clock, patienceMs = 20_000 } = this.options;
    const enough = new AbortController();
    const timer = clock.after(patienceMs, () => enough.abort());
    const filter = { projectId: known.project_id, sandboxOnly: false, patterns: null, callId: known.id };
    const events = feed.follow(filter, null, AbortSignal.any([signal, enough.signal]));
    try {
      for (;;) {
        // Listened for before it is read: what happens between the two is not missed.
        const next = events.next();
        const call = await read();
        if (call.status !== known.status || enough.signal.aborted || signal.aborted) return call;
        await next;
      }
    } finally {
      timer.cancel();
      enough.abort();
      await events.return(undefined);
    }
  }
}
