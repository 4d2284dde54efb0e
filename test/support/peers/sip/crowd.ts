import { randomBytes } from 'node:crypto';
import { digestResponse } from '../../../../sip/message/digest.js';
import { parseNameAddress } from '../../../../sip/message/name-address.js';
import { SipText, type Field } from '../../../../sip/message/text.js';
import { CrowdAudio } from './crowd-audio.js';
import { udpLink, type SipLink } from './links.js';
import { SILENT_SDP } from './socket.js';

/** Timers T1 and T2 of RFC 3261, and B and F. */
const [T1_MS, T2_MS, GIVEN_UP_MS] = [500, 4_000, 32_000] as const;

/** A call of the crowd. */
export interface CrowdCall {
  readonly callId: string;
  readonly user: string;
  readonly side: 'caller' | 'callee';
  readonly answeredMs: number | null;
  /** When this side hung up, or learned that the other one did. */
  readonly endedMs: number | null;
}

interface Dialog extends CrowdCall {
  answeredMs: number | null;
  endedMs: number | null;
  /** `From` and `To` of the requests that it sends. */
  readonly local: string;
  remote: string;
  target: string;
  routes: readonly string[];
  cseq: number;
  /** The transactions by which a callee was rung for this call. */
  readonly branches: Set<string>;
}

/**
 * Many phones in one: they register, answer, call and hang up, and repeat what gets lost. They send just enough silence
 * for their calls to stay up.
 */
export class SipCrowd {
  /** How the latest call was answered. */
  refusal = '';
  readonly #dialogs = new Map<string, Dialog>();
  /** What is repeated until it is answered, by what ends it. */
  readonly #repeated = new Map<string, (response: SipText | null) => void>();
  #link!: SipLink;

  private constructor(
    private readonly remotePort: number,
    private readonly audio: CrowdAudio,
  ) {}

  static async open(remotePort: number): Promise<SipCrowd> {
    const crowd = new SipCrowd(remotePort, await CrowdAudio.open());
    crowd.#link = await udpLink(remotePort, (text) => crowd.#received(text));
    return crowd;
  }

  get port(): number {
    return this.#link.port;
  }

  calls(): readonly CrowdCall[] {
    return [...this.#dialogs.values()];
  }

  get #sdp(): string {
    return SILENT_SDP.replace('m=audio 9000', `m=audio ${this.audio.port}`);
  }

  /** How often each user was rung, so that nobody is rung twice for one call. */
  readonly rung = new Map<string, number>();

  /** @returns the status of the last response; null without one */
  async register(user: string, password: string): Promise<number | null> {
    const uri = 'sip:127.0.0.1';
    const callId = randomBytes(8).toString('hex');
    const fields = (cseq: number): Field[] => [
      ['From', `<sip:${user}@127.0.0.1>;tag=1`],
      ['To', `<sip:${user}@127.0.0.1>`],
      ['Call-ID', callId],
      ['CSeq', `${cseq} REGISTER`],
      ['Contact', this.#contactOf(user)],
      ['Expires', '3600'],
    ];
    const challenge = await this.#ask('REGISTER', uri, fields(1));
    const nonce = /nonce="([^"]+)"/.exec(challenge?.first('www-authenticate') ?? '')?.[1];
    if (nonce === undefined) return challenge?.status ?? null;
    const what = { username: user, realm: 'hatif', nonce, uri, algorithm: 'MD5', count: null } as const;
    const response = digestResponse(what, 'REGISTER', password);
    const credentials = `Digest username="${user}", realm="hatif", nonce="${nonce}", uri="${uri}", response="${response}"`;
    return (await this.#ask('REGISTER', uri, [...fields(2), ['Authorization', credentials]]))?.status ?? null;
  }

  /** Calls a number, as the phone of a carrier. Resolves with the call once it is answered; null if it is not. */
  async dial(number: string, user = '+966501234567'): Promise<CrowdCall | null> {
    const callId = randomBytes(8).toString('hex');
    const uri = `sip:${number}@127.0.0.1:${this.remotePort}`;
    const local = `<sip:${user}@127.0.0.1>;tag=${callId}`;
    const answer = await this.#ask(
      'INVITE',
      uri,
      [
        ['From', local],
        ['To', `<${uri}>`],
        ['Call-ID', callId],
        ['CSeq', '1 INVITE'],
        ['Contact', this.#contactOf(user)],
        ['Content-Type', 'application/sdp'],
      ],
      this.#sdp,
    );
    this.refusal = answer === null ? 'no answer' : `${answer.status} ${answer.first('reason') ?? ''}`;
    if (answer?.status !== 200) return null;
    const dialog: Dialog = {
      ...{ callId, user, side: 'caller', answeredMs: performance.now(), endedMs: null, local, cseq: 1 },
      branches: new Set(),
      remote: answer.first('to') ?? '',
      target: parseNameAddress(answer.first('contact') ?? '')?.uri ?? '',
      routes: [...answer.all('record-route')].reverse(),
    };
    this.#dialogs.set(callId, dialog);
    this.#acknowledge(dialog);
    this.audio.begin(callId, answer.body);
    return dialog;
  }

  /** Hangs up. Resolves with the status of the answer; null without one. */
  async hangUp({ callId }: CrowdCall): Promise<number | null> {
    const dialog = this.#dialogs.get(callId);
    if (!dialog) throw new Error(`there is no call ${callId}`);
    dialog.cseq += 1;
    this.#over(dialog);
    return (await this.#ask('BYE', dialog.target, this.#fieldsOf(dialog, 'BYE')))?.status ?? null;
  }

  #over(dialog: Dialog): void {
    dialog.endedMs ??= performance.now();
    this.audio.end(dialog.callId);
  }

  close(): void {
    this.audio.close();
    for (const settle of [...this.#repeated.values()]) settle(null);
    this.#link.close();
  }

  #contactOf(user: string): string {
    return `<sip:${user}@127.0.0.1:${this.port}>`;
  }

  #fieldsOf({ local, remote, callId, cseq, routes }: Dialog, method: string): Field[] {
    return [
      ...routes.map((route): Field => ['Route', route]),
      ['From', local],
      ['To', remote],
      ['Call-ID', callId],
      ['CSeq', `${cseq} ${method}`],
    ];
  }

  #acknowledge(dialog: Dialog): void {
    this.#send('ACK', dialog.target, this.#fieldsOf(dialog, 'ACK'), '', randomBytes(8).toString('hex'));
  }

  #send(method: string, uri: string, fields: readonly Field[], body: string, branch: string): string {
    const via: Field = ['Via', `SIP/2.0/UDP 127.0.0.1:${this.port};branch=z9hG4bK${branch};rport`];
    const message = SipText.of(`${method} ${uri} SIP/2.0`, [via, ['Max-Forwards', '70'], ...fields], body);
    const text = message.toBuffer().toString('latin1');
    this.#link.send(text);
    return text;
  }

  /** Sends a request, and repeats it until a response arrives. @returns the final one; null without one */
  #ask(method: string, uri: string, fields: readonly Field[], body = ''): Promise<SipText | null> {
    const branch = randomBytes(8).toString('hex');
    const text = this.#send(method, uri, fields, body, branch);
    return this.#repeating(branch, text);
  }

  /** Repeats a message until something settles it by its key. */
  #repeating(key: string, text: string): Promise<SipText | null> {
    return new Promise((resolve) => {
      let timer: NodeJS.Timeout;
      const over = setTimeout(() => settle(null), GIVEN_UP_MS);
      const settle = (response: SipText | null): void => {
        clearTimeout(timer);
        // A provisional response ends the repeating only.
        if (response !== null && (response.status ?? 200) < 200) return;
        clearTimeout(over);
        this.#repeated.delete(key);
        resolve(response);
      };
      const again = (ms: number): void => {
        timer = setTimeout(() => {
          this.#link.send(text);
          again(Math.min(2 * ms, T2_MS));
        }, ms);
      };
      again(T1_MS);
      this.#repeated.set(key, settle);
    });
  }

  #received(text: string): void {
    const message = SipText.parse(Buffer.from(text, 'latin1'));
    if (message === null) return;
    if (message.status !== null) this.#answered(message);
    else if (message.method === 'INVITE') this.#invited(message);
    else if (message.method === 'ACK') this.#repeated.get(`ack ${message.first('call-id')}`)?.(message);
    else if (message.method === 'BYE' || message.method === 'CANCEL') this.#ended(message);
    else this.#reply(message, '200 OK');
  }

  #answered(response: SipText): void {
    const settle = this.#repeated.get(branchOf(response));
    if (settle) {
      settle(response);
      return;
    }
    // The answer to a call was repeated, because its ACK was lost.
    const dialog = this.#dialogs.get(response.first('call-id') ?? '');
    if (dialog && response.answered === 'INVITE' && response.status === 200) this.#acknowledge(dialog);
  }

  #invited(invite: SipText): void {
    if (invite.isInDialog) {
      this.#reply(invite, '488 Not Acceptable Here');
      return;
    }
    const callId = invite.first('call-id') ?? '';
    const branch = branchOf(invite);
    const known = this.#dialogs.get(callId);
    const isRepeated = known?.branches.has(branch) === true;
    const user = /^sip:([^@]+)@/.exec(invite.uri)?.[1] ?? '';
    if (!isRepeated) this.rung.set(user, (this.rung.get(user) ?? 0) + 1);
    known?.branches.add(branch);
    if (known) return;
    const dialog: Dialog = {
      ...{ callId, user, side: 'callee', answeredMs: null, endedMs: null, cseq: 1, branches: new Set([branch]) },
      local: `${invite.first('to')};tag=there`,
      remote: invite.first('from') ?? '',
      target: parseNameAddress(invite.first('contact') ?? '')?.uri ?? '',
      routes: invite.all('record-route'),
    };
    this.#dialogs.set(callId, dialog);
    this.#reply(invite, '180 Ringing', dialog);
    const answer = this.#reply(invite, '200 OK', dialog, this.#sdp);
    void this.#repeating(`ack ${callId}`, answer).then((ack) => {
      if (ack === null) return;
      dialog.answeredMs = performance.now();
      this.audio.begin(callId, invite.body);
    });
  }

  #ended(request: SipText): void {
    this.#reply(request, '200 OK');
    const dialog = this.#dialogs.get(request.first('call-id') ?? '');
    if (dialog && request.method === 'BYE') this.#over(dialog);
  }

  #reply(request: SipText, status: string, dialog?: Dialog, sdp = ''): string {
    const copied = ['Via', 'Record-Route', 'From', 'Call-ID', 'CSeq'].flatMap((name) =>
      request.all(name.toLowerCase()).map((value): Field => [name, value]),
    );
    const response = SipText.of(
      `SIP/2.0 ${status}`,
      [
        ...copied,
        ['To', dialog?.local ?? request.first('to') ?? ''],
        ...(dialog ? [['Contact', this.#contactOf(dialog.user)] as const] : []),
        ...(sdp === '' ? [] : [['Content-Type', 'application/sdp'] as const]),
      ],
      sdp,
    );
    const text = response.toBuffer().toString('latin1');
    this.#link.send(text);
    return text;
  }
}

function branchOf(message: SipText): string {
  return /branch=z9hG4bK([^;\s,]+)/.exec(message.all('via')[0] ?? '')?.[1] ?? '';
}
