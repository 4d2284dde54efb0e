import { createSocket, type Socket } from 'node:dgram';
import { once } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';
import { Leg, type Remote } from './leg.js';
import { type Tones } from './tones.js';
import type { Media } from './media.js';
import { allOf, buildSip, header, parseSip, tagOf, userOf, type SipMessage } from './sip-message.js';

/** The SIP user that callbacks and some callers are joined with. */
export const DESK_PHONE_USER = 'desk-phone';

/** A route of which nothing is heard for so long is given up. */
const ROUTE_TIMEOUT_MS = 2_000;
const CONGESTED = 503;
/** An Asterisk that was just started knows no trunk before the application is connected, and challenges everybody. */
const CHALLENGED = 401;

/** The desk as one caller reaches it. */
export function deskPhoneOf(caller: string): string {
  return `${DESK_PHONE_USER} for ${caller}`;
}

/** Where an engine takes SIP. */
export type EngineAddress = Pick<Remote, 'name' | 'host' | 'port'>;

/** What a called number does with its call. */
export type Callee = (leg: Leg) => Promise<void>;

/**
 * The trunk's other side: every number outside of the platform, each a phone with a behaviour of its own. One socket carries all, as with
 * a real carrier. Counts how often each number was rung.
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

  /** What happens when this number is called. */
  onCallTo(number: string, callee: Callee): void {
    this.#callees.set(number, callee);
  }

  /** Every leg that rang this number, or was made by it. */
  legsOf(number: string): readonly Leg[] {
    return this.legs.filter(({ facts }) => facts.user === number);
  }

  /**
   * Calls by one engine after another, each time another first: a route that is silent or answers 503 is left for the next one, as carriers
   * do. Resolves when there is nothing more to try.
   * @param who.dialled a number of the platform
   * @param attempt is told of each leg; and whether a 503 would be the called party's own word
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

  /** Nothing passes between the phones and the engine any more, and nobody is told. */
  cut(engine: string): void {
    this.#cuts.set(engine, { from: Date.now(), to: Infinity });
  }

  restore(engine: string): void {
    const cut = this.#cuts.get(engine);
    if (cut) cut.to = Date.now();
  }

  /** The engine died with all of its calls. */
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
    else if (message.method !== null && message.method !== 'ACK') this.#receiveOutOfDialog(message, this.#remote(engine));
  }

  #receiveInvite(invite: SipMessage, remote: Remote): void {
    // One desk takes many calls; it knows them by who calls.
    const called = invite.user === DESK_PHONE_USER ? deskPhoneOf(userOf(header(invite, 'from'))) : invite.user;
    const leg = Leg.incoming(invite, called, this.#local, this.media, remote);
    this.#add(leg);
    const callee = this.#callees.get(called);
    if (!callee) {
      this.faults.push(`${called} was rung, whom nobody called`);
      leg.refuse(404, 'Not Found');
      return;
    }
    callee(leg).catch((error: unknown) => this.faults.push(`${called}: ${String(error)}`));
  }

  #add(leg: Leg): void {
    this.legs.push(leg);
    this.#byDialog.set(leg.dialogId, leg);
  }

  /** OPTIONS and what belongs to no call. */
  #receiveOutOfDialog(message: SipMessage, remote: Remote): void {
    const status = message.method === 'OPTIONS' ? '200 OK' : '481 Call/Transaction Does Not Exist';
    const copied = ['from', 'to', 'call-id', 'cseq'].map((name) => [name, header(message, name)] as const);
    remote.send(
      buildSip(`SIP/2.0 ${status}`, [...allOf(message, 'via').map((via) => ['Via', via] as const), ...copied]),
    );
  }
}

/** Whether this route serves the call: false where nothing is heard of it, or it answers 503. */
async function isAccepted(leg: Leg): Promise<boolean> {
  await Promise.race([pause(ROUTE_TIMEOUT_MS), leg.over]);
  if (!leg.hasReceived) {
    leg.crash();
    return false;
  }
  await Promise.race([leg.answered, leg.over]);
  return leg.facts.refused !== CONGESTED && leg.facts.refused !== CHALLENGED;
}
