import type { CallRow } from '../../data/rows.js';
import type { Callbacks } from '../../data/repositories/calls/callbacks.js';
import { isFinal, type CallStatus } from '../../model/call/call.js';
import { HatifError, invalidField } from '../../model/errors/index.js';
import type { Clock } from '../../ports/clock.js';
import type { PlaceCallback } from '../callbacks/place.js';
import { isLegRefusal } from '../dialling/refusals.js';
import type { EventFeed } from '../events/feed.js';
import type { WidgetAllowance } from './allowance.js';
import type { WidgetCodes } from './codes.js';
import type { WidgetContext } from './gate.js';
import type { Proof, ProofsOfWork } from '../access/proofs-of-work.js';
import type { StatusToken, StatusTokens } from './status-token.js';
import { placerOf, unavailable, type ChatLookup, type Visitor } from './visitor.js';

/** A visitor's request for a callback; the number is already in E.164. */
export interface VisitorRequest {
  readonly to: string;
  readonly name: string | null;
  readonly captcha: Proof | null;
  /** The token of the chat from which the visitor calls; null: none. */
  readonly chat: string | null;
  /** The code that was sent to the telephone. */
  readonly otp: { readonly id: string; readonly digits: string } | null;
}

export interface WidgetCallbacksOptions {
  readonly place: Pick<PlaceCallback, 'place'>;
  readonly callbacks: Callbacks;
  readonly proofs: ProofsOfWork;
  readonly codes: Pick<WidgetCodes, 'spend'>;
  readonly allowance: WidgetAllowance;
  readonly tokens: StatusTokens;
  readonly feed: Pick<EventFeed, 'follow'>;
  readonly clock: Clock;
  readonly chatOf: ChatLookup;
  /** How long a request that waits for a change is held open; default 20 s. */
  readonly waitMs?: number;
}

const NO_CODE = { en: 'is required: the widget asks for a code', ar: 'مطلوب: تطلب الأداة رمز تحقق' };

/** Lets visitors of web pages request a callback through a widget, and follow it. */
export class WidgetCallbacks {
  constructor(private readonly options: WidgetCallbacksOptions) {}

  /**
   * Calls the visitor and connects the call with the widget's destination, or the project's default one. If the widget
   * asks for a code, the code replaces the proof of work and the visitor's limits: both were applied when the code was
   * sent.
   * @throws HatifError VALIDATION_ERROR, NOT_FOUND for a chat, OTP_*, CAPTCHA_FAILED, RATE_LIMIT_EXCEEDED,
   * INVALID_PHONE_NUMBER, SANDBOX_*, CALL_FAILED
   */
  async request(
    widget: WidgetContext,
    { to, name, captcha, otp, chat: token }: VisitorRequest,
    visitor: Visitor,
  ): Promise<{ readonly call: CallRow; readonly follow: StatusToken }> {
    const { proofs, codes, allowance, tokens } = this.options;
    const { row, project } = widget;
    const chat = token === null ? null : await this.options.chatOf(widget, token);
    if (row.otp) {
      if (otp === null) throw invalidField('otp', NO_CODE);
      await codes.spend(widget, to, otp);
      await allowance.takeProven(row, to);
    } else {
      if (row.captcha) await proofs.spend(row.id, captcha);
      await allowance.take('callback', row, visitor.ip, to);
    }
    const agent = chat?.agent ?? null;
    const destination = agent === null ? row.destination : ({ type: 'agent', target: agent } as const);
    const queue = destination?.type === 'queue' && destination.target !== null ? { id: destination.target } : null;
    const call = await this.#place(
      {
        to,
        queue,
        callflowId: null,
        callerIdNumber: null,
        callerIdName: null,
        webhookUrl: null,
        metadata: {
          ...{ widget: row.name, ...(name === null ? {} : { name }) },
          ...(chat && { thread_id: chat.threadId }),
        },
      },
      {
        ...placerOf(widget, visitor),
        defaultDestination: destination ?? project.default_destination,
        sandbox: row.sandbox,
      },
    );
    return { call, follow: tokens.make(row.id, call.id) };
  }

  /** Hides from visitors what the widget's owner may spend or do. */
  async #place(...given: Parameters<PlaceCallback['place']>): Promise<CallRow> {
    try {
      return await this.options.place.place(...given);
    } catch (error) {
      const isOwners = error instanceof HatifError && (error.code === 'CLI_NOT_OWNED' || error.code === 'CALL_FAILED');
      if (!isOwners && !isLegRefusal(error)) throw error;
      throw unavailable(error);
    }
  }

  /**
   * Returns the callback. If its status is still `after`, waits until the status changes or the wait times out (long
   * polling).
   * @throws HatifError CALLBACK_NOT_FOUND, also if the token is wrong or expired
   */
  async follow(
    { row }: WidgetContext,
    callbackId: string,
    token: string,
    after: CallStatus | null,
    signal: AbortSignal,
  ): Promise<CallRow> {
    const read = async (): Promise<CallRow> => {
      const scope = { organizationId: row.organization_id, projectId: row.project_id, sandboxOnly: false };
      const isValid = this.options.tokens.isValid(row.id, callbackId, token);
      const call = isValid ? await this.options.callbacks.get(scope, callbackId) : null;
      if (!call) throw new HatifError('CALLBACK_NOT_FOUND', { callback_id: callbackId });
      return call;
    };
    const known = await read();
    return known.status !== after || isFinal(known.status) ? known : this.#untilChanged(known, read, signal);
  }

  async #untilChanged(known: CallRow, read: () => Promise<CallRow>, signal: AbortSignal): Promise<CallRow> {
    const { feed, clock, waitMs = 20_000 } = this.options;
    const timeout = new AbortController();
    const timer = clock.after(waitMs, () => timeout.abort());
    const filter = { projectId: known.project_id, sandboxOnly: false, patterns: null, callId: known.id };
    const events = feed.follow(filter, null, AbortSignal.any([signal, timeout.signal]));
    try {
      for (;;) {
        // Subscribed before the read, so that no change in between is missed.
        const next = events.next();
        const call = await read();
        if (call.status !== known.status || timeout.signal.aborted || signal.aborted) return call;
        await next;
      }
    } finally {
      timer.cancel();
      timeout.abort();
      await events.return(undefined);
    }
  }
}
