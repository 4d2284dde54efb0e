import { randomBytes } from 'node:crypto';
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { WebSocket } from 'ws';
import { digestResponse } from '../../sip/message/digest.js';
import { AUDIO_OF_BROWSER, AUDIO_OF_PHONE } from './sdp.js';

/** What a phone registers with, and where. */
export interface PhoneAccount {
  readonly user: string;
  readonly password: string;
  /** `ws://…` for a browser; `host:port` for a phone over UDP. */
  readonly at: string;
}

interface Link {
  /** Of its own address in `Via` and `Contact`. */
  readonly transport: 'UDP' | 'WS';
  readonly host: string;
  send(message: string): void;
}

interface Message {
  readonly start: string;
  readonly text: string;
  field(name: string): string;
}

const ANSWER_WITHIN_MS = 4_000;
const newId = (): string => randomBytes(8).toString('hex');

/** A phone over UDP, or a browser over WebSocket, that signals and sends no audio. */
export class Phone {
  /** By Call-ID: what happens next in it. */
  readonly #dialogs = new Map<string, (message: Message) => void>();
  #link!: Link;

  private constructor(private readonly account: PhoneAccount) {}

  static async open(account: PhoneAccount): Promise<Phone> {
    const phone = new Phone(account);
    const onMessage = (text: string): void => phone.#received(messageOf(text));
    phone.#link = account.at.startsWith('ws')
      ? await webSocketLink(account.at, onMessage)
      : await udpLink(account.at, onMessage);
    return phone;
  }

  /** @throws Error unless it was accepted in time */
  register(): Promise<void> {
    const { user } = this.account;
    const host = this.#domain;
    return this.#dialog((id, done, fail) => {
      let sequence = 0;
      const send = (more: string[]): void => {
        const of = { id, sequence: ++sequence, to: `<sip:${user}@${host}>` };
        this.#request('REGISTER', `sip:${host}`, of, ['Expires: 300', ...more]);
      };
      send([]);
      return (message) => {
        const isChallenge = message.start.startsWith('SIP/2.0 401') && sequence === 1;
        if (isChallenge) send([this.#authorization('REGISTER', `sip:${host}`, message)]);
        else if (message.start.startsWith('SIP/2.0 200')) done();
        else fail(message.start);
      };
    });
  }

  /** Calls, is answered, and waits for the other side's hang-up. @throws Error if any of it does not happen in time */
  call(target: string): Promise<void> {
    const uri = `sip:${target}@${this.#domain}`;
    const body = this.#link.transport === 'WS' ? AUDIO_OF_BROWSER : AUDIO_OF_PHONE;
    return this.#dialog((id, done, fail) => {
      let sequence = 1;
      const invite = (more: string[]): void =>
        this.#request(
          'INVITE',
          uri,
          { id, sequence, to: `<${uri}>` },
          ['Content-Type: application/sdp', ...more],
          body,
        );
      const acknowledge = (message: Message, at: string): void =>
        this.#request('ACK', at, { id, sequence, to: message.field('To'), branch: branchIn(message) }, []);
      invite([]);
      return (message) => {
        if (message.start.startsWith('SIP/2.0 401') && sequence === 1) {
          acknowledge(message, uri);
          sequence = 2;
          invite([this.#authorization('INVITE', uri, message)]);
        } else if (message.start.startsWith('SIP/2.0 200')) {
          const contact = /<([^>]+)>/.exec(message.field('Contact'))?.[1] ?? uri;
          this.#request('ACK', contact, { id, sequence, to: message.field('To') }, []);
        } else if (message.start.startsWith('BYE ')) {
          this.#link.send(okTo(message));
          done();
        } else if (!message.start.startsWith('SIP/2.0 1')) fail(message.start);
      };
    });
  }

  get #domain(): string {
    return this.#link.transport === 'WS' ? 'web' : this.account.at;
  }

  #dialog(
    begin: (id: string, done: () => void, fail: (why: string) => void) => (message: Message) => void,
  ): Promise<void> {
    const id = newId();
    let limit: NodeJS.Timeout | undefined;
    return new Promise<void>((resolve, reject) => {
      const fail = (why: string): void => reject(new Error(why));
      limit = setTimeout(() => fail('no answer'), ANSWER_WITHIN_MS);
      this.#dialogs.set(id, begin(id, resolve, fail));
    }).finally(() => {
      clearTimeout(limit);
      this.#dialogs.delete(id);
    });
  }

  #received(message: Message): void {
    const listener = this.#dialogs.get(message.field('Call-ID'));
    // A late or repeated BYE, and requests outside of calls, such as NOTIFY and OPTIONS.
    if (listener) listener(message);
    else if (!/^(SIP\/2\.0|ACK) /.test(message.start)) this.#link.send(okTo(message));
  }

  #request(
    method: string,
    uri: string,
    of: { readonly id: string; readonly sequence: number; readonly to: string; readonly branch?: string },
    fields: readonly string[],
    body = '',
  ): void {
    const { transport, host } = this.#link;
    const { user } = this.account;
    const contact = transport === 'WS' ? `sip:${user}@${host};transport=ws` : `sip:${user}@${host}`;
    this.#link.send(
      [
        `${method} ${uri} SIP/2.0`,
        `Via: SIP/2.0/${transport} ${host};branch=${of.branch ?? `z9hG4bK${newId()}`};rport`,
        'Max-Forwards: 70',
        `From: <sip:${user}@${this.#domain}>;tag=${of.id}`,
        `To: ${of.to}`,
        `Call-ID: ${of.id}`,
        `CSeq: ${of.sequence} ${method}`,
        `Contact: <${contact}>`,
        ...fields,
        `Content-Length: ${body.length}`,
        '',
        body,
      ].join('\r\n'),
    );
  }

  #authorization(method: string, uri: string, message: Message): string {
    const challenge = message.field('WWW-Authenticate');
    const member = (name: string): string => new RegExp(`${name}="([^"]*)"`).exec(challenge)?.[1] ?? '';
    const { user: username, password } = this.account;
    const what = { username, realm: member('realm'), nonce: member('nonce'), uri, algorithm: 'MD5' } as const;
    const count = { nc: '00000001', cnonce: newId() };
    const response = digestResponse({ ...what, count }, method, password);
    const texts = { ...what, cnonce: count.cnonce, response, opaque: member('opaque') };
    const quoted = Object.entries(texts).filter(([name]) => name !== 'algorithm');
    const members = quoted.map(([name, value]) => `${name}="${value}"`);
    return `Authorization: Digest ${members.join(', ')}, algorithm=MD5, qop=auth, nc=${count.nc}`;
  }
}

function messageOf(text: string): Message {
  const [start = ''] = text.split('\r\n', 1);
  return {
    start,
    text,
    field: (name) => new RegExp(`^${name}: *(.*)$`, 'im').exec(text)?.[1]?.trim() ?? '',
  };
}

/** An ACK of a refusal belongs to its INVITE. */
function branchIn(message: Message): string {
  return /branch=([^;\s]+)/.exec(message.field('Via'))?.[1] ?? '';
}

function okTo(request: Message): string {
  const kept = request.text
    .split('\r\n\r\n', 1)[0]!
    .split('\r\n')
    .filter((line) => /^(via|from|to|call-id|cseq):/i.test(line));
  return ['SIP/2.0 200 OK', ...kept, 'Content-Length: 0', '', ''].join('\r\n');
}

async function udpLink(at: string, onMessage: (text: string) => void): Promise<Link> {
  const [host = '', port = ''] = at.split(':');
  const socket = createSocket({ type: 'udp4', recvBufferSize: 1_000_000 });
  socket.on('message', (message) => onMessage(message.toString('latin1')));
  socket.bind(0, '127.0.0.1');
  await once(socket, 'listening');
  return {
    ...{ transport: 'UDP', host: `127.0.0.1:${socket.address().port}` },
    send: (message) => socket.send(message, Number(port), host),
  };
}

async function webSocketLink(at: string, onMessage: (text: string) => void): Promise<Link> {
  const socket = new WebSocket(at, 'sip', { perMessageDeflate: false });
  socket.on('message', (data: Buffer) => onMessage(data.toString('latin1')));
  await once(socket, 'open');
  return {
    ...{ transport: 'WS', host: `${newId()}.invalid` },
    send: (message) => socket.send(message),
  };
}
