import { createSocket, type Socket } from 'node:dgram';
import { once } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';
import { Leg, type Remote } from './leg.js';
import { type Tones } from './tones.js';
import type { Media } from './media.js';
import { allOf, buildSip, header, parseSip, tagOf, userOf, type SipMessage } from './sip-message.js';

/** The SIP user of the desk phones that callbacks and some callers are connected to. */
export const DESK_PHONE_USER = 'desk-phone';

/** A route that does not respond within this time has failed. */
const ROUTE_TIMEOUT_MS = 2_000;
const CONGESTED = 503;
/** An Asterisk that has just started has no trunk until the application connects; it challenges every request. */
const CHALLENGED = 401;

/** The name of the desk phone that this caller reaches. */
export function deskPhoneOf(caller: string): string {
  return `${DESK_PHONE_USER} of ${caller}`;
}

/** The SIP address of an engine. */
export type EngineAddress = Pick<Remote, 'name' | 'host' | 'port'>;

/** How a called phone handles its call. */
export type Callee = (leg: Leg) => Promise<void>;

/**
 * The carrier behind the trunk: a phone for each external number, each with its own behaviour. As at a real carrier,
 * one socket carries all calls. It records every leg.
 */
export class Carrier {
  readonly legs: Leg[] = [];
  readonly faults: string[] = [];
  readonly #byDialog = new Map<string, Leg>();
  readonly #callees = new Map<string, Callee>();
  readonly #cuts = new Map<string, { readonly from: number; to: number }>();
  #nextRoute = 0;

  private constructor(
    private readonly socket: Socket,
    private readonly port: number,
    private readonly engines: readonly EngineAddress[],
    private readonly media: Media,
  ) {
    socket.on('message', (bytes, { port: from }) => this.#receive(bytes.toString('utf8'), this.#engineAt(from)));
  }

  static async start(port: number, engines: readonly EngineAddress[], media: Media): Promise<Carrier> {
    const socket = createSocket('udp4');
    socket.bind(port, '127.0.0.1');
    await once(socket, 'listening');
    return new Carrier(socket, port, engines, media);
  }

  /** Sets the behaviour of this number. */
  onCallTo(number: string, callee: Callee): void {
    this.#callees.set(number, callee);
  }

  /** Every leg to or from this number. */
  legsOf(number: string): readonly Leg[] {
    return this.legs.filter(({ facts }) => facts.user === number);
  }

  /**
   * Places a call through the engines, starting with a different one each time. Like real carriers, it tries the next
   * route when one does not respond or answers 503. Resolves when there is no further route to try.
   * @param outgoing.dialled a number of the platform
   * @param attempt `onLeg` receives each leg; `isRung` says whether the called party already rang, so that a 503 is its
   * own answer
   */
  async call(
    outgoing: { readonly caller: string; readonly dialled: string; readonly tones: Tones },
    attempt: { readonly onLeg: (leg: Leg) => void; readonly isRung: () => boolean },
  ): Promise<void> {
    const first = this.#nextRoute++ % this.engines.length;
    const order = [...this.engines.slice(first), ...this.engines.slice(0, first)];
    for (const [index, engine] of order.entries()) {
      const leg = await Leg.outgoing(outgoing, this.#local, this.media, this.#remote(engine));
      this.#add(leg);
      attempt.onLeg(leg);
      if (index === order.length - 1 || (await isAccepted(leg)) || attempt.isRung()) return;
    }
  }

  /** Drops all messages between the phones and the engine, without an error. */
  cut(engine: string): void {
    this.#cuts.set(engine, { from: Date.now(), to: Infinity });
  }

  restore(engine: string): void {
    const cut = this.#cuts.get(engine);
    if (cut) cut.to = Date.now();
  }

  /** Whether a phone that this engine called rings. */
  rings(engine: string): boolean {
    return this.legs.some(
      ({ facts, isOver }) =>
        facts.engine === engine &&
        facts.direction === 'incoming' &&
        facts.ringingAt !== null &&
        facts.answeredAt === null &&
        !isOver,
    );
  }

  /** Ends all calls of an engine that died. */
  engineDied(engine: string): void {
    for (const leg of this.legs) if (leg.facts.engine === engine && !leg.isOver) leg.crash();
  }

  close(): void {
    for (const leg of this.legs) leg.close();
    this.socket.close();
  }

  get #local(): string {
    return `127.0.0.1:${this.port}`;
  }

  #isCut(engine: string): boolean {
    return this.#cuts.get(engine)?.to === Infinity;
  }

  #engineAt(port: number): EngineAddress | undefined {
    return this.engines.find((engine) => engine.port === port);
  }

  #remote(engine: EngineAddress): Remote {
    const send = (text: string): void => {
      if (!this.#isCut(engine.name)) this.socket.send(text, engine.port, engine.host);
    };
    const earliestSendTime = (withinMs: number): number => {
      const { from, to } = this.#cuts.get(engine.name) ?? { from: 0, to: 0 };
      return Date.now() - to < withinMs ? from : Date.now();
    };
    return { ...engine, send, earliestSendTime };
  }

  #receive(text: string, engine: EngineAddress | undefined): void {
    const message = parseSip(text);
    if (!message || !engine || this.#isCut(engine.name)) return;
    const leg = this.#byDialog.get(header(message, 'call-id'));
    if (leg) leg.receive(message);
    else if (message.method === 'INVITE' && tagOf(header(message, 'to')) === '')
      this.#receiveInvite(message, this.#remote(engine));
    else if (message.method !== null && message.method !== 'ACK')
      this.#receiveOutOfDialog(message, this.#remote(engine));
  }

  #receiveInvite(invite: SipMessage, remote: Remote): void {
    // All desk phones share one SIP user; the caller tells them apart.
    const called = invite.user === DESK_PHONE_USER ? deskPhoneOf(userOf(header(invite, 'from'))) : invite.user;
    const leg = Leg.incoming(invite, called, this.#local, this.media, remote);
    this.#add(leg);
    const callee = this.#callees.get(called);
    if (!callee) {
      this.faults.push(`${called} rang without a call`);
      leg.refuse(404, 'Not Found');
      return;
    }
    callee(leg).catch((error: unknown) => this.faults.push(`${called}: ${String(error)}`));
  }

  #add(leg: Leg): void {
    this.legs.push(leg);
    this.#byDialog.set(leg.dialogId, leg);
  }

  /** Answers OPTIONS and other requests outside of a call. */
  #receiveOutOfDialog(message: SipMessage, remote: Remote): void {
    const status = message.method === 'OPTIONS' ? '200 OK' : '481 Call/Transaction Does Not Exist';
    const copied = ['from', 'to', 'call-id', 'cseq'].map((name) => [name, header(message, name)] as const);
    remote.send(
      buildSip(`SIP/2.0 ${status}`, [...allOf(message, 'via').map((via) => ['Via', via] as const), ...copied]),
    );
  }
}

/** Whether this route accepted the call: not if it does not respond or answers 503 or 401. */
async function isAccepted(leg: Leg): Promise<boolean> {
  await Promise.race([pause(ROUTE_TIMEOUT_MS), leg.over]);
  if (!leg.hasReceived) {
    leg.crash();
    return false;
  }
  await Promise.race([leg.answered, leg.over]);
  return leg.facts.refused !== CONGESTED && leg.facts.refused !== CHALLENGED;
}
