import { randomBytes } from 'node:crypto';
import type { SipSubscriptions } from '../../core/data/repositories/sip/subscriptions.js';
import type { SipSubscriptionRow } from '../../core/data/rows.js';
import { hostPort, type HostPort } from '../../core/model/host-port.js';
import { newId } from '../../core/model/ids.js';
import type { Clock } from '../../core/ports/clock.js';
import type { Logger } from '../../core/ports/logger.js';
import { secondsOf } from '../message/headers.js';
import { parseNameAddress } from '../message/name-address.js';
import { SipText, type Field } from '../message/text.js';
import type { OwnRequest } from '../relay/inwards.js';
import { replyTo } from '../relay/step.js';
import type { Token, Tokens } from '../relay/tokens.js';
import { packageOf } from './admit.js';
import { documentOf } from './documents.js';

/** Limits of a subscription, in seconds. A phone whose lamp is wrong after a failure learns so when it refreshes. */
const SHORTEST_SECONDS = 60;
const LONGEST_SECONDS = 3_600;
/** A console of an operator shows a lamp for each colleague. */
const MOST_OF_A_PHONE = 500;
/** In characters. */
const LONGEST_FIELD = 500;
/** The phone does not know its subscription, or is gone (RFC 6665 §4.2.2). */
const GONE: ReadonlySet<number> = new Set([404, 405, 408, 410, 480, 481, 489, 501]);

export interface NotifierOptions {
  readonly subscriptions: Pick<
    SipSubscriptions,
    'add' | 'refresh' | 'remove' | 'removeExpired' | 'targets' | 'takeChangedLamps' | 'takeChangedMessages' | 'answered'
  >;
  /** The waiting messages of softphones, as `fresh/heard`; without those that have none. */
  readonly messagesOf: (aors: readonly string[]) => Promise<ReadonlyMap<string, string>>;
  readonly tokens: Tokens;
  readonly outside: HostPort;
  /** Where requests for this contact of a softphone go now; null if unknown. */
  readonly flowOf: (aor: string, contact: string) => Promise<string | null>;
  /** See `Relay.send`. */
  readonly send: (request: SipText, to: HostPort) => Promise<number | null>;
  readonly answer: (response: SipText, to: HostPort) => void;
  readonly clock: Clock;
  readonly log: Logger;
}

/**
 * Tells phones whether colleagues are on the telephone, and of waiting messages (RFC 6665, RFC 4235, RFC 3842), whichever
 * engine has the calls. Subscriptions are rows, so they outlive this process and drachtio-server.
 */
export class Notifier {
  constructor(private readonly options: NotifierOptions) {}

  /** Serves a SUBSCRIBE that the relay received. */
  async serve({ request, source, subscription }: OwnRequest): Promise<void> {
    const { answer } = this.options;
    if (request.method !== 'SUBSCRIBE') {
      if (request.method !== 'ACK')
        answer(replyTo(request, 405, 'Method Not Allowed', [['Allow', 'SUBSCRIBE']]), source);
      return;
    }
    const asked = secondsOf(request.first('expires')) ?? LONGEST_SECONDS;
    if (asked > 0 && asked < SHORTEST_SECONDS) {
      answer(replyTo(request, 423, 'Interval Too Brief', [['Min-Expires', String(SHORTEST_SECONDS)]]), source);
      return;
    }
    const seconds = Math.min(asked, LONGEST_SECONDS);
    if ('id' in subscription) await this.#prolong(request, source, subscription.id, seconds);
    else await this.#begin(request, source, subscription, seconds);
  }

  async #begin(request: SipText, source: HostPort, token: Token<'subscription'>, seconds: number): Promise<void> {
    const { subscriptions, answer } = this.options;
    const event = request.first('event') ?? '';
    const ofPackage = packageOf(event);
    const contact = parseNameAddress(request.first('contact') ?? '')?.uri;
    const cseq = secondsOf(/^\d+/.exec(request.first('cseq') ?? '')?.[0] ?? null);
    if (ofPackage === null || contact === undefined || cseq === null) {
      answer(replyTo(request, 400, 'Bad Request'), source);
      return;
    }
    const [first, ...others] = request.all('record-route');
    const row: SipSubscriptionRow = {
      ...{ id: newId(), aor: token.aor, target: token.target, package: ofPackage, event },
      call_id: request.first('call-id') ?? '',
      local: `${request.first('to') ?? ''};tag=${randomBytes(8).toString('hex')}`,
      remote: request.first('from') ?? '',
      ...{ contact, flow: token.flow, routes: request.all('record-route') },
      ...{ hop_host: source.host, hop_port: source.port },
      ...{ remote_cseq: cseq, local_cseq: 1, version: 0, state: null, unanswered_since: null },
      expires_at: this.#after(Math.max(seconds, 1)),
    };
    if (!isStorable(row)) {
      answer(replyTo(request, 400, 'Bad Request'), source);
      return;
    }
    const stored = await subscriptions.add(row, MOST_OF_A_PHONE);
    if (stored === null) {
      answer(replyTo(request, 403, 'Too Many Subscriptions'), source);
      return;
    }
    const routes = first === undefined ? [] : [token.route === '' ? first : token.route, ...others];
    this.#accept(request, source, stored, seconds, routes);
    await this.update();
    // Who asks for no time wants the present state (RFC 6665 §4.4.3).
    if (seconds === 0) await this.#end(stored.id);
  }

  async #prolong(request: SipText, source: HostPort, id: string, seconds: number): Promise<void> {
    const { subscriptions, answer } = this.options;
    const contact = parseNameAddress(request.first('contact') ?? '')?.uri;
    const cseq = secondsOf(/^\d+/.exec(request.first('cseq') ?? '')?.[0] ?? null);
    const isKnown =
      contact !== undefined &&
      cseq !== null &&
      (await subscriptions.refresh({
        ...{ id, call_id: request.first('call-id') ?? '', contact, remote_cseq: cseq },
        expires_at: this.#after(Math.max(seconds, 1)),
      }));
    if (!isKnown) {
      answer(replyTo(request, 481, 'Subscription Does Not Exist'), source);
      return;
    }
    this.#accept(request, source, { id, local: request.first('to') ?? '' }, seconds, []);
    await this.update();
    if (seconds === 0) await this.#end(id);
  }

  #accept(
    request: SipText,
    source: HostPort,
    { id, local }: Pick<SipSubscriptionRow, 'id' | 'local'>,
    seconds: number,
    routes: readonly string[],
  ): void {
    const accepted = replyTo(request, 200, 'OK', [
      ['Contact', this.#contactOf(id)],
      ['Expires', String(seconds)],
      ...routes.map((route): Field => ['Record-Route', route]),
    ]);
    this.options.answer(accepted.with('To', [local]), source);
  }

  /** Sends what has changed. Called every second, and after a change that is known here. */
  async update(): Promise<void> {
    const { subscriptions, messagesOf } = this.options;
    const due = await subscriptions.takeChangedLamps();
    const targets = await subscriptions.targets('message-summary');
    if (targets.length > 0) due.push(...(await subscriptions.takeChangedMessages(await messagesOf(targets))));
    for (const row of due) this.#inBackground(this.#notify(row));
    for (const row of await subscriptions.removeExpired())
      this.#inBackground(this.#send(row, 'terminated;reason=timeout'));
  }

  async #notify(row: SipSubscriptionRow): Promise<void> {
    const { subscriptions, log } = this.options;
    const left = Math.max(1, Math.round((row.expires_at.getTime() - this.options.clock.now().getTime()) / 1000));
    const status = await this.#send(row, `active;expires=${left}`);
    if (status !== null && status < 300) await subscriptions.answered(row);
    // Without an answer, because this process ends, another one sends it.
    else if (status !== null && GONE.has(status)) {
      log.info({ aor: row.aor, status }, 'a phone does not take its notifications; its subscription ends');
      await subscriptions.remove(row.id);
    }
  }

  async #end(id: string): Promise<void> {
    const row = await this.options.subscriptions.remove(id);
    if (row) this.#inBackground(this.#send(row, 'terminated;reason=deactivated'));
  }

  async #send(row: SipSubscriptionRow, state: string): Promise<number | null> {
    const { flowOf, send } = this.options;
    const current = await flowOf(row.aor, row.contact).catch(() => null);
    const uri = current ?? (row.flow === '' ? row.contact : row.flow);
    const { type, body } = documentOf(row);
    const fields: Field[] = [
      ['Max-Forwards', '70'],
      ...row.routes.map((route): Field => ['Route', route]),
      ['From', row.local],
      ['To', row.remote],
      ['Call-ID', row.call_id],
      ['CSeq', `${row.local_cseq} NOTIFY`],
      ['Contact', this.#contactOf(row.id)],
      ['Event', row.event],
      ['Subscription-State', state],
      ['Content-Type', type],
    ];
    return send(SipText.of(`NOTIFY ${uri} SIP/2.0`, fields, body), { host: row.hop_host, port: row.hop_port });
  }

  #contactOf(id: string): string {
    const { tokens, outside } = this.options;
    return `<sip:${tokens.write('subscribed', { id })}@${hostPort(outside)}>`;
  }

  #after(seconds: number): Date {
    return new Date(this.options.clock.now().getTime() + seconds * 1000);
  }

  #inBackground(work: Promise<unknown>): void {
    work.catch((error: unknown) => this.options.log.warn({ err: error }, 'a notification could not be sent'));
  }
}

/** Whether its fields have usual lengths. */
function isStorable({ call_id, event, remote, local, contact, routes }: SipSubscriptionRow): boolean {
  return [call_id, event, remote, local, contact, ...routes].every((text) => text.length <= LONGEST_FIELD);
}
