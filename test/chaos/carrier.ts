import { createSocket, type Socket } from 'node:dgram';
import { once } from 'node:events';
import { Leg, type Tones } from './leg.js';
import type { Media } from './media.js';
import { allOf, buildSip, header, parseSip, tagOf, userOf, type SipMessage } from './sip-message.js';

/** The SIP user that callbacks and some callers are joined with. */
export const DESK = 'desk';

/** The desk as one caller reaches it. */
export function deskOf(caller: string): string {
  return `${DESK} for ${caller}`;
}

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

  private constructor(
    private readonly socket: Socket,
    private readonly port: number,
    private readonly engine: { readonly host: string; readonly port: number },
    private readonly media: Media,
  ) {
    socket.on('message', (bytes) => this.#receive(bytes.toString('utf8')));
  }

  static async start(
    port: number,
    engine: { readonly host: string; readonly port: number },
    media: Media,
  ): Promise<Carrier> {
    const socket = createSocket('udp4');
    socket.bind(port, '127.0.0.1');
    await once(socket, 'listening');
    return new Carrier(socket, port, engine, media);
  }

  /** What happens when this number is called. */
  expect(number: string, callee: Callee): void {
    this.#callees.set(number, callee);
  }

  /** Every leg that rang this number, or was made by it. */
  legsOf(number: string): readonly Leg[] {
    return this.legs.filter(({ facts }) => facts.user === number);
  }

  async call(caller: string, dialled: string, hz: Tones): Promise<Leg> {
    const remote = `${this.engine.host}:${this.engine.port}`;
    const leg = await Leg.calling({ caller, dialled, remote, hz }, this.#local, this.media, this.#send);
    this.#know(leg);
    return leg;
  }

  close(): void {
    for (const leg of this.legs) leg.close();
    this.socket.close();
  }

  get #local(): string {
    return `127.0.0.1:${this.port}`;
  }

  readonly #send = (text: string): void => {
    this.socket.send(text, this.engine.port, this.engine.host);
  };

  #receive(text: string): void {
    const message = parseSip(text);
    if (!message) return;
    const known = this.#byDialog.get(header(message, 'call-id'));
    if (known) known.receive(message);
    else if (message.method === 'INVITE' && tagOf(header(message, 'to')) === '') this.#invited(message);
    else if (message.method !== null && message.method !== 'ACK') this.#outside(message);
  }

  #invited(invite: SipMessage): void {
    // One desk takes many calls; it knows them by who calls.
    const called = invite.user === DESK ? deskOf(userOf(header(invite, 'from'))) : invite.user;
    const leg = Leg.invited(invite, called, this.#local, this.media, this.#send);
    this.#know(leg);
    const callee = this.#callees.get(called);
    if (!callee) {
      this.faults.push(`${called} was rung, whom nobody called`);
      leg.refuse(404, 'Not Found');
      return;
    }
    callee(leg).catch((error: unknown) => this.faults.push(`${called}: ${String(error)}`));
  }

  #know(leg: Leg): void {
    this.legs.push(leg);
    this.#byDialog.set(leg.dialogId, leg);
  }

  /** OPTIONS and what belongs to no call. */
  #outside(message: SipMessage): void {
    const status = message.method === 'OPTIONS' ? '200 OK' : '481 Call/Transaction Does Not Exist';
    const copied = ['from', 'to', 'call-id', 'cseq'].map((name) => [name, header(message, name)] as const);
    this.#send(
      buildSip(`SIP/2.0 ${status}`, [...allOf(message, 'via').map((via) => ['Via', via] as const), ...copied]),
    );
  }
}
