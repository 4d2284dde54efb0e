import { randomBytes } from 'node:crypto';
import type { Media, Stream } from './media.js';
import type { Tones } from './tones.js';
import {
  allOf,
  audioAddress,
  buildSip,
  header,
  sdp,
  sequenceOf,
  tagOf,
  uriOf,
  type SipMessage,
} from './sip-message.js';

/**
 * The first pause before an unanswered message is retransmitted, and the number of transmissions (RFC 3261 timers T1,
 * G, E).
 */
const FIRST_RETRANSMIT_MS = 500;
const MAX_SENDS = 8;
/**
 * The longest pause between retransmissions, with a margin: of a BYE (timer E), and of an INVITE (timer A, which keeps
 * doubling).
 */
const MAX_RETRANSMIT_PAUSE_MS = 5_000;
const MAX_INVITE_RETRANSMIT_PAUSE_MS = 20_000;
const SAME_MOMENT_MS = 1_000;

/** What the phone saw, by its own clock; null if it did not happen. */
export interface LegFacts {
  readonly user: string;
  readonly direction: 'incoming' | 'outgoing';
  /** The name of the engine. */
  readonly engine: string;
  startedAt: number;
  /**
   * For an incoming call, the earliest time at which the engine may have sent it: before {@link startedAt} if no
   * traffic passed for a time.
   */
  earliestStartAt: number;
  ringingAt: number | null;
  /** The 200 response was sent or received. */
  answeredAt: number | null;
  /** The ACK was sent or received. */
  confirmedAt: number | null;
  /** The status of the refusal, by either side. */
  refused: number | null;
  endedAt: number | null;
  /** The side that ended it by BYE, CANCEL or a refusal; `crash`: the engine died. */
  endedBy: 'phone' | 'engine' | 'crash' | null;
  /** The phone ended it and the engine confirmed it: later than {@link endedAt} if no traffic passed. */
  endConfirmedAt: number | null;
  /**
   * The engine ended it: the earliest time at which it may have done so, before {@link endedAt} if no traffic passed.
   */
  earliestEndAt: number | null;
  /** It ended by CANCEL. */
  cancelled: boolean;
}

/** The engine at the other end. */
export interface Remote {
  readonly name: string;
  readonly host: string;
  readonly port: number;
  /** Sends a datagram to the engine. */
  readonly send: (text: string) => void;
  /**
   * The earliest time at which the engine may have first sent the message that arrives now, if it retransmits with
   * pauses up to this length: before now if no traffic passed for a time.
   */
  readonly earliestSendTime: (repeatedWithinMs: number) => number;
}

/** One phone's side of a call: a SIP dialog with its audio. */
export class Leg {
  readonly facts: LegFacts;
  readonly history: string[] = [];
  readonly answered: Promise<boolean>;
  readonly over: Promise<void>;
  stream: Stream | null = null;
  #resolveAnswered: (is: boolean) => void = () => undefined;
  #resolveOver: () => void = () => undefined;
  readonly #tag = randomBytes(6).toString('hex');
  #invite: SipMessage | null = null;
  #remote = '';
  #target = '';
  #routes: string[] = [];
  #branch = '';
  #sequence = 1;
  #retransmissions = new Map<string, NodeJS.Timeout>();
  #lastAnswer = '';
  #hasReceived = false;

  private constructor(
    readonly dialogId: string,
    user: string,
    direction: LegFacts['direction'],
    private readonly local: string,
    private readonly media: Media,
    private readonly remote: Remote,
  ) {
    this.facts = {
      user,
      direction,
      engine: remote.name,
      startedAt: Date.now(),
      earliestStartAt: direction === 'incoming' ? remote.earliestSendTime(MAX_INVITE_RETRANSMIT_PAUSE_MS) : Date.now(),
      ringingAt: null,
      answeredAt: null,
      confirmedAt: null,
      refused: null,
      endedAt: null,
      endedBy: null,
      endConfirmedAt: null,
      earliestEndAt: null,
      cancelled: false,
    };
    this.answered = new Promise((resolve) => (this.#resolveAnswered = resolve));
    this.over = new Promise((resolve) => (this.#resolveOver = resolve));
  }

  /** An incoming call. */
  static incoming(invite: SipMessage, called: string, local: string, media: Media, remote: Remote): Leg {
    const leg = new Leg(header(invite, 'call-id'), called, 'incoming', local, media, remote);
    leg.#invite = invite;
    leg.#remote = header(invite, 'from');
    leg.#target = uriOf(header(invite, 'contact'));
    leg.#routes = allOf(invite, 'record-route');
    leg.#note('← INVITE');
    return leg;
  }

  /** An outgoing call. */
  static async outgoing(
    call: { readonly caller: string; readonly dialled: string; readonly tones: Tones },
    local: string,
    media: Media,
    remote: Remote,
  ): Promise<Leg> {
    const leg = new Leg(`${randomBytes(8).toString('hex')}@${local}`, call.caller, 'outgoing', local, media, remote);
    leg.#target = `sip:${call.dialled}@${remote.host}:${remote.port}`;
    leg.#remote = `<${leg.#target}>`;
    leg.stream = await media.open(call.tones);
    leg.facts.startedAt = Date.now();
    leg.#branch = branch();
    leg.#request('INVITE', 1, sdp(leg.stream.port));
    return leg;
  }

  get isOver(): boolean {
    return this.facts.endedAt !== null;
  }

  /** Whether the engine has sent anything. */
  get hasReceived(): boolean {
    return this.#hasReceived;
  }

  get isTalking(): boolean {
    return this.facts.confirmedAt !== null && !this.isOver;
  }

  ring(): void {
    if (this.isOver || this.facts.answeredAt !== null) return;
    this.facts.ringingAt ??= Date.now();
    this.#answer(180, 'Ringing');
  }

  async answer(tones: Tones): Promise<void> {
    this.stream = await this.media.open(tones);
    if (this.isOver || !this.#invite) return;
    const to = audioAddress(this.#invite.body);
    if (to) this.stream.connect(to);
    this.facts.answeredAt = Date.now();
    this.#answer(200, 'OK', sdp(this.stream.port));
    this.#retransmit('200', this.#lastAnswer);
    this.#resolveAnswered(true);
  }

  refuse(status: number, reason: string): void {
    if (this.isOver || this.facts.answeredAt !== null) return;
    this.facts.refused = status;
    this.#answer(status, reason);
    this.#retransmit(String(status), this.#lastAnswer);
    this.#end('phone');
  }

  /** Sends BYE, or CANCEL before the answer; an incoming call that was not answered is refused. */
  hangUp(): void {
    if (this.isOver) return;
    if (this.facts.answeredAt === null) {
      if (this.facts.direction === 'incoming') {
        this.refuse(480, 'Temporarily Unavailable');
        return;
      }
      this.facts.cancelled = true;
      this.#request('CANCEL', 1);
      return;
    }
    this.#branch = branch();
    this.#sequence += 1;
    this.#request('BYE', this.#sequence);
    this.#end('phone');
  }

  /** The engine died; no further message follows. */
  crash(): void {
    this.close();
    this.#end('crash');
  }

  /** Processes a message of this dialog. */
  receive(message: SipMessage): void {
    this.#hasReceived = true;
    this.#note(`← ${message.startLine}`);
    if (message.method === null) this.#onAnswer(message);
    else this.#onRequest(message);
  }

  /** Stops all retransmissions. */
  close(): void {
    for (const timer of this.#retransmissions.values()) clearTimeout(timer);
    this.#retransmissions.clear();
  }

  #onRequest(message: SipMessage): void {
    switch (message.method) {
      case 'INVITE':
        if (tagOf(header(message, 'to')) === '') this.remote.send(this.#lastAnswer);
        else this.#reply(message, 200, 'OK', this.stream ? sdp(this.stream.port) : '');
        return;
      case 'ACK':
        this.#stopRetransmitting('200');
        this.#stopRetransmitting(String(this.facts.refused ?? 487));
        if (this.facts.refused !== null) this.facts.endConfirmedAt ??= Date.now();
        if (this.facts.answeredAt !== null) this.facts.confirmedAt ??= Date.now();
        return;
      case 'CANCEL':
        this.#reply(message, 200, 'OK');
        if (this.facts.answeredAt !== null || this.isOver) return;
        this.facts.cancelled = true;
        this.#answer(487, 'Request Terminated');
        this.#retransmit('487', this.#lastAnswer);
        this.#end('engine');
        return;
      case 'BYE':
        this.#reply(message, 200, 'OK');
        this.#stopRetransmitting('200');
        this.#end('engine');
        return;
      default:
        this.#reply(message, 200, 'OK');
    }
  }

  #onAnswer(message: SipMessage): void {
    const { method, number } = sequenceOf(message);
    this.#stopRetransmitting(method);
    if (method === 'BYE' || method === 'CANCEL') this.facts.endConfirmedAt ??= Date.now();
    if (method !== 'INVITE' || number !== 1 || message.status === 100) return;
    const { facts } = this;
    if (message.status < 200) {
      if (message.status === 180) facts.ringingAt ??= Date.now();
      return;
    }
    this.#remote = header(message, 'to');
    if (message.status >= 300) {
      this.#acknowledge(this.#branch);
      if (this.isOver) return;
      facts.refused = facts.cancelled ? null : message.status;
      this.#end(facts.cancelled ? 'phone' : 'engine');
      return;
    }
    this.#target = uriOf(header(message, 'contact'));
    this.#routes = allOf(message, 'record-route').reverse();
    this.#acknowledge(branch());
    if (facts.answeredAt !== null) return;
    facts.answeredAt = facts.confirmedAt = Date.now();
    const to = audioAddress(message.body);
    if (to) this.stream?.connect(to);
    this.#resolveAnswered(true);
    // The answer and the CANCEL crossed.
    if (facts.cancelled) this.hangUp();
  }

  #end(by: 'phone' | 'engine' | 'crash'): void {
    if (this.isOver) return;
    this.#note(`ended by ${by}`);
    this.facts.endedAt = Date.now();
    if (by === 'engine') this.#recordEngineEnd(this.remote.earliestSendTime(MAX_RETRANSMIT_PAUSE_MS));
    this.facts.endedBy = by;
    this.#resolveAnswered(false);
    this.#resolveOver();
    void this.stream?.close();
  }

  /**
   * If the engine hung up right after it received a delayed answer, it had given up before: the answer then does not
   * count as confirmed.
   */
  #recordEngineEnd(since: number): void {
    const { facts } = this;
    facts.earliestEndAt = since;
    const { answeredAt, confirmedAt } = facts;
    if (facts.direction !== 'incoming' || answeredAt === null || confirmedAt === null) return;
    if (since <= answeredAt && Date.now() - confirmedAt < SAME_MOMENT_MS) facts.confirmedAt = null;
  }

  /** Sends a response to the INVITE. */
  #answer(status: number, reason: string, body = ''): void {
    if (this.#invite) this.#lastAnswer = this.#reply(this.#invite, status, reason, body);
  }

  #reply(request: SipMessage, status: number, reason: string, body = ''): string {
    const to = header(request, 'to');
    const text = buildSip(
      `SIP/2.0 ${status} ${reason}`,
      [
        ...allOf(request, 'via').map((via) => ['Via', via] as const),
        ...allOf(request, 'record-route').map((value) => ['Record-Route', value] as const),
        ['From', header(request, 'from')],
        ['To', tagOf(to) === '' ? `${to};tag=${this.#tag}` : to],
        ['Call-ID', header(request, 'call-id')],
        ['CSeq', header(request, 'cseq')],
        ['Contact', `<sip:phone@${this.local}>`],
      ],
      body,
    );
    this.#note(`→ ${status} to ${request.method ?? ''}`);
    this.remote.send(text);
    return text;
  }

  #request(method: 'INVITE' | 'BYE' | 'CANCEL', sequence: number, body = ''): void {
    const text = this.#compose(method, sequence, this.#branch, body);
    this.#note(`→ ${method}`);
    this.remote.send(text);
    this.#retransmit(method, text);
  }

  #acknowledge(via: string): void {
    this.remote.send(this.#compose('ACK', 1, via));
    this.#note('→ ACK');
  }

  #compose(method: string, sequence: number, via: string, body = ''): string {
    const isOutgoing = this.facts.direction === 'outgoing';
    const own = isOutgoing ? `<sip:${this.facts.user}@${this.local}>` : header(this.#invite ?? EMPTY_MESSAGE, 'to');
    return buildSip(
      `${method} ${this.#target} SIP/2.0`,
      [
        ['Via', `SIP/2.0/UDP ${this.local};branch=${via};rport`],
        ...this.#routes.map((route) => ['Route', route] as const),
        ['From', tagOf(own) === '' ? `${own};tag=${this.#tag}` : own],
        ['To', this.#remote],
        ['Call-ID', this.dialogId],
        ['CSeq', `${sequence} ${method}`],
        ['Contact', `<sip:phone@${this.local}>`],
        ['Max-Forwards', '70'],
      ],
      body,
    );
  }

  #retransmit(key: string, text: string, sends = 1): void {
    if (sends >= MAX_SENDS) return;
    const timer = setTimeout(
      () => {
        this.#note(`→ ${key}, retransmitted`);
        this.remote.send(text);
        this.#retransmit(key, text, sends + 1);
      },
      Math.min(4_000, FIRST_RETRANSMIT_MS * 2 ** (sends - 1)),
    );
    this.#retransmissions.set(key, timer);
  }

  #stopRetransmitting(key: string): void {
    clearTimeout(this.#retransmissions.get(key));
    this.#retransmissions.delete(key);
  }

  #note(text: string): void {
    this.history.push(`${new Date().toISOString().slice(11, 23)} ${this.facts.user} ${text}`);
  }
}

const EMPTY_MESSAGE: SipMessage = { method: null, user: '', status: 0, startLine: '', headers: [], body: '' };

function branch(): string {
  return `z9hG4bK${randomBytes(8).toString('hex')}`;
}
