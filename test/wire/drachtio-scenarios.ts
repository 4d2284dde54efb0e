import { randomBytes } from 'node:crypto';
import { expect } from 'chai';
import type { SipRequest, SipSource } from '../../sip/message/request.js';
import type { DrachtioServer } from '../../sip/drachtio/server.js';
import { Headers } from '../../sip/message/headers.js';
import { parseNameAddress } from '../../sip/message/name-address.js';
import { SILENT_SDP, type SipSocket } from '../support/peers/sip/socket.js';
import type { World } from './transcript.js';

/** Phones at a real drachtio-server. */
export interface Phones {
  readonly caller: SipSocket;
  readonly callee: SipSocket;
  /** At a WebSocket. */
  readonly browser: SipSocket;
}

/** The edge's connection to drachtio-server, real or replayed. */
export interface DrachtioStage {
  readonly server: DrachtioServer;
  /** `callee`: where the callee's phone is. */
  readonly world: World;
  /** What the edge does with requests. */
  serve(handler: (request: SipRequest) => unknown): void;
  /** What phones do; nothing in a replay. */
  act(deed: (phones: Phones) => Promise<void>): Promise<void>;
  note(word: string): void;
  /** Resolves as soon as this was noted. */
  noted(word: string): Promise<void>;
}

export const CHANGED_SDP = SILENT_SDP.replace('o=- 1 1', 'o=- 1 2').replace('m=audio 9000', 'm=audio 9002');
const CALL = 'sip:callee@127.0.0.1';

/** What drachtio-server tells the edge, and what it does of what the edge tells it. */
export const DRACHTIO_SCENARIOS: Readonly<Record<string, (stage: DrachtioStage) => Promise<void>>> = {
  async 'a phone registers'(stage) {
    stage.serve((request) => {
      const { method, source, headers } = request;
      const isAuthentic = headers.first('authorization') !== null;
      stage.note(`${method} over ${source.transport}, ${isAuthentic ? 'with' : 'without'} credentials`);
      if (isAuthentic) request.answer(200, { headers: { Contact: headers.all('contact'), Expires: '300' } });
      else request.answer(401, { headers: { 'WWW-Authenticate': 'Digest realm="hatif", nonce="once"' } });
    });
    await stage.act(async ({ caller }) => {
      caller.send('REGISTER', 'sip:127.0.0.1');
      expect(await caller.next(isFinal)).to.match(/^SIP\/2\.0 401 [^]*nonce="once"/);
      caller.send('REGISTER', 'sip:127.0.0.1', { Authorization: 'Digest username="1001", realm="hatif"' });
      expect(await caller.next(isFinal)).to.match(/^SIP\/2\.0 200 [^]*Expires: 300/);
    });
    await stage.noted('REGISTER over udp, with credentials');
  },

  async 'a call is proxied to two addresses, and one answers'(stage) {
    const { callee = '' } = stage.world;
    stage.serve(async (request) => {
      stage.note(request.method);
      const nowhere = 'sip:nobody@127.0.0.1:9';
      const targets = [callee, nowhere].map((uri) => ({ uri, path: [] }));
      await request.proxy(targets, { 'X-Test': ['one', 'two'] }, 5_000);
      stage.note('answered');
    });
    await stage.act(async ({ caller, callee: phone }) => {
      call(caller);
      const invite = await phone.next(isRequest('INVITE'));
      expect(new Headers(invite).all('x-test')).to.deep.equal(['one', 'two']);
      phone.reply(invite, '180 Ringing');
      phone.reply(invite, '200 OK', SILENT_SDP);
      acknowledge(caller, await caller.next(isAnswer(1)));
      await phone.next(isRequest('ACK'));
      // Without the application.
      phone.bye(invite);
      caller.reply(await caller.next(isRequest('BYE')), '200 OK');
      await phone.next(isFinal);
    });
    await stage.noted('answered');
  },

  async 'a caller gives up'(stage) {
    const { callee = '' } = stage.world;
    stage.serve(async (request) => {
      stage.note(request.method);
      await request.proxy([{ uri: callee, path: [] }], {}, 5_000);
      stage.note('over');
    });
    await stage.act(async ({ caller, callee: phone }) => {
      const id = call(caller);
      const invite = await phone.next(isRequest('INVITE'));
      phone.reply(invite, '180 Ringing');
      const ringing = new Headers(await caller.next((message) => message.startsWith('SIP/2.0 180')));
      const [via = ''] = ringing.all('via');
      caller.send('CANCEL', CALL, { ...dialogOf(id), Via: via, CSeq: '1 CANCEL' });
      phone.reply(await phone.next(isRequest('CANCEL')), '200 OK');
      phone.reply(invite, '487 Request Terminated');
      await caller.next((message) => message.startsWith('SIP/2.0 487'));
    });
    await stage.noted('over');
  },

  async 'a bridged call is changed at the moment of its answer'(stage) {
    bridged(stage);
    await stage.act(async ({ caller, callee }) => {
      const { invite, answer } = await connected(caller, callee);
      // Both at once: the change must not be answered by the library itself.
      acknowledge(caller, answer);
      change(caller, answer, 2, CHANGED_SDP);
      const changed = await callee.next(isRequest('INVITE'));
      expect(changed).to.contain('m=audio 9002');
      callee.reply(changed, '200 OK', SILENT_SDP);
      expect(await caller.next(isAnswer(2))).to.contain('m=audio 9000');
      acknowledge(caller, answer, 2);
      await ended(caller, callee, invite);
    });
    await stage.noted('INVITE');
  },

  async 'a bridged call is changed again after a change was refused'(stage) {
    bridged(stage);
    await stage.act(async ({ caller, callee }) => {
      const { invite, answer } = await connected(caller, callee);
      acknowledge(caller, answer);
      for (const [cseq, status] of [[2, '488 Not Acceptable Here'] as const, [3, '200 OK'] as const]) {
        change(caller, answer, cseq, CHANGED_SDP);
        callee.reply(await callee.next(isRequest('INVITE')), status, SILENT_SDP);
        expect(await caller.next(isAnswer(cseq))).to.contain(`SIP/2.0 ${status}`);
        acknowledge(caller, answer, cseq);
      }
      await ended(caller, callee, invite);
    });
    await stage.noted('INVITE');
  },

  async 'a bridged call ends although the other side challenges the end'(stage) {
    bridged(stage);
    await stage.act(async ({ caller, callee }) => {
      const { answer } = await connected(caller, callee);
      acknowledge(caller, answer);
      caller.send('BYE', contactOf(answer), { ...dialogIn(answer), CSeq: '2 BYE' });
      callee.reply(await callee.next(isRequest('BYE')), '407 Proxy Authentication Required');
      expect(await caller.next((message) => message.includes('CSeq: 2 BYE'))).to.match(/^SIP\/2\.0 200 /);
    });
    await stage.noted('INVITE');
  },

  async 'a WebSocket is closed'(stage) {
    let source: SipSource | null = null;
    stage.serve((request) => {
      ({ source } = request);
      stage.note(`${request.method} over ${request.source.transport}`);
      request.answer(200);
    });
    const reach = async (): Promise<void> => {
      const { host, port, transport } = source!;
      const uri = `sip:browser@${host}:${port};transport=${transport}`;
      stage.note((await stage.server.reaches({ uri, path: [] })) ? 'it is reached' : 'it is gone');
    };
    await stage.act(async ({ browser }) => {
      browser.send('REGISTER', 'sip:127.0.0.1');
      await browser.next(isFinal);
    });
    await stage.noted('REGISTER over wss');
    const first = reach();
    await stage.act(async ({ browser }) => browser.reply(await browser.next(isRequest('OPTIONS')), '200 OK'));
    await first;
    await stage.act(async ({ browser }) => {
      browser.close();
      await browser.closed;
    });
    await reach();
  },
};

/** What each scenario notes, at a real drachtio-server and from its transcript. */
export const DRACHTIO_EXPECTED: Readonly<Record<string, readonly string[]>> = {
  'a phone registers': ['REGISTER over udp, without credentials', 'REGISTER over udp, with credentials'],
  'a call is proxied to two addresses, and one answers': ['INVITE', 'answered'],
  'a caller gives up': ['INVITE', 'over'],
  'a bridged call is changed at the moment of its answer': ['INVITE'],
  'a bridged call is changed again after a change was refused': ['INVITE'],
  'a bridged call ends although the other side challenges the end': ['INVITE'],
  'a WebSocket is closed': ['REGISTER over wss', 'it is reached', 'it is gone'],
};

function bridged(stage: DrachtioStage): void {
  stage.serve(async (request) => {
    stage.note(request.method);
    await request.bridge([{ uri: stage.world.callee ?? '', path: [] }], {});
  });
}

const isFinal = (message: string): boolean => /^SIP\/2\.0 [2-6]/.test(message);
const isRequest =
  (method: string) =>
  (message: string): boolean =>
    message.startsWith(`${method} `);
const isAnswer =
  (cseq: number) =>
  (message: string): boolean =>
    isFinal(message) && message.includes(`CSeq: ${cseq} INVITE`);

const dialogOf = (id: string): Readonly<Record<string, string>> => ({
  'Call-ID': id,
  From: `<sip:1001@127.0.0.1>;tag=${id}`,
  To: `<${CALL}>`,
});

/** Calls the callee. @returns the Call-ID */
function call(caller: SipSocket): string {
  const id = randomBytes(8).toString('hex');
  return caller.send('INVITE', CALL, dialogOf(id), SILENT_SDP);
}

async function connected(
  caller: SipSocket,
  callee: SipSocket,
): Promise<{ readonly invite: string; readonly answer: string }> {
  call(caller);
  const invite = await callee.next(isRequest('INVITE'));
  callee.reply(invite, '200 OK', SILENT_SDP);
  await callee.next(isRequest('ACK'));
  return { invite, answer: await caller.next(isAnswer(1)) };
}

async function ended(caller: SipSocket, callee: SipSocket, invite: string): Promise<void> {
  callee.bye(invite);
  caller.reply(await caller.next(isRequest('BYE')), '200 OK');
  await callee.next((message) => message.includes('1 BYE') && isFinal(message));
}

/** What a request of the caller within the call repeats of its answer. */
function dialogIn(answer: string): Readonly<Record<string, string>> {
  const headers = new Headers(answer);
  const routes = [...headers.all('record-route')].reverse();
  return {
    'Call-ID': headers.first('call-id') ?? '',
    From: headers.first('from') ?? '',
    To: headers.first('to') ?? '',
    ...(routes.length > 0 && { Route: routes.join(', ') }),
  };
}

function contactOf(answer: string): string {
  return parseNameAddress(new Headers(answer).first('contact') ?? '')?.uri ?? '';
}

function acknowledge(caller: SipSocket, answer: string, cseq = 1): void {
  caller.send('ACK', contactOf(answer), { ...dialogIn(answer), CSeq: `${cseq} ACK` });
}

function change(caller: SipSocket, answer: string, cseq: number, sdp: string): void {
  caller.send('INVITE', contactOf(answer), { ...dialogIn(answer), CSeq: `${cseq} INVITE` }, sdp);
}
