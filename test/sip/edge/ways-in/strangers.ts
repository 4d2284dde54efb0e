import { expect } from 'chai';
import { SIP_EDGE_FEATURES } from '../../../../core/ports/sip/edge.js';
import { CUSTOMER } from '../../../support/calls/trunk-talkers.js';
import { eventually } from '../../../support/eventually.js';
import { TORTURE } from '../../../support/fixtures/rfc4475.js';
import type { SipSocket } from '../../../support/peers/sip/socket.js';
import { hatif } from '../../../support/platform/platform-process.js';
import type { WayIn } from '../../../support/stages/way-in.js';

/** What no way in may let in, and what one of them cannot do. */
export function strangerCases(wayIn: () => WayIn): void {
  const emptied = (): Promise<unknown> =>
    eventually(async () => (await wayIn().legs()) === 0, 'the engine has no leg left');

  it('refuses a wrong password, and calls of strangers', async () => {
    const way = wayIn();
    const socket = await way.socket();
    const wrong = { user: '1002', password: 'guessed' };
    expect(await socket.authenticated('REGISTER', 'sip:127.0.0.1', wrong)).to.match(/^SIP\/2\.0 40[13] /);
    socket.close();
    const stranger = await way.stranger();
    stranger.send('INVITE', way.uri(CUSTOMER));
    expect(await stranger.next(isFinal)).to.match(/^SIP\/2\.0 4\d\d /);
    stranger.close();
    await emptied();
  });

  it('survives what RFC 4475 sends, and connects a call afterwards', async () => {
    const { application, talkers, stranger: open } = wayIn();
    const stranger = await open();
    for (const message of Object.values(TORTURE)) stranger.raw(message);
    stranger.close();
    const { callId, ...ends } = await talkers.conversation();
    await application.hangup(callId);
    await talkers.closed(ends);
    await emptied();
  });

  it('says what it cannot do', async () => {
    const { application, hasEdge } = wayIn();
    const says = async (...args: string[]): Promise<string> =>
      hatif(application.settings, 'sip', ...args).catch((error: unknown) => String(error));
    const [features, unsupported] = hasEdge ? [SIP_EDGE_FEATURES, []] : [[], SIP_EDGE_FEATURES];
    expect(JSON.parse(await says('status', '--json'))).to.deep.equal({
      ...{ kind: hasEdge ? 'drachtio' : 'direct', features, unsupported },
    });
    for (const args of [['blocked'], ['refused'], ['networks'], ['deny', '192.0.2.1'], ['remove', '192.0.2.1']]) {
      const said = await says(...args);
      const refusal = /\(SIP_EDGE=direct\): \w+ is not supported/;
      if (hasEdge) expect(said, args.join(' ')).not.to.match(refusal);
      else expect(said, args.join(' ')).to.match(refusal);
    }
  });

  it('shows the state of a colleague, or refuses to', async () => {
    const { hasEdge, socket: open } = wayIn();
    const socket = await open();
    const lamp = { Event: 'dialog', Expires: '600' };
    const answer = await answerTo(socket, 'SUBSCRIBE', 'sip:1001@127.0.0.1', lamp);
    if (hasEdge) {
      expect(answer).to.match(/^SIP\/2\.0 200 /);
      const notify = await socket.next((message) => message.startsWith('NOTIFY '));
      expect(notify).to.contain('<state>terminated</state>');
      socket.reply(notify, '200 OK');
    } else expect(answer).to.match(/^SIP\/2\.0 [456]\d\d /);
    socket.close();
  });

  for (const [extension, granted] of [
    ['path', /^Path:/im],
    ['outbound', /^Require: outbound/im],
    ['gruu', /^Contact: .*;pub-gruu=/im],
  ] as const) {
    it(`grants a phone ${extension}, or does not`, async () => {
      const { hasEdge, socket: open } = wayIn();
      const socket = await open();
      const contact = `<${socket.contact('1002')}>;+sip.instance="${INSTANCE}";reg-id=1`;
      const more = { Require: extension, Supported: extension, To: '<sip:1002@127.0.0.1>', Contact: contact };
      const path = extension === 'path' ? { Path: '<sip:192.0.2.7;lr>' } : {};
      const answer = await answerTo(socket, 'REGISTER', 'sip:127.0.0.1', { ...more, ...path });
      // Only a listed proxy may add itself to the way of a phone. Asterisk accepts what it does not grant.
      if (!hasEdge) expect(answer).not.to.match(granted);
      else if (extension === 'path') expect(answer).to.match(/^SIP\/2\.0 403 Path Not Allowed/);
      else
        expect(answer)
          .to.match(/^SIP\/2\.0 200 /)
          .and.match(granted);
      socket.close();
    });
  }

  /** The answer to a request of the agent 1002, who authenticates if asked to. */
  async function answerTo(
    socket: SipSocket,
    method: string,
    uri: string,
    fields: Readonly<Record<string, string>>,
  ): Promise<string> {
    const { agent: user, password } = wayIn().application.bootstrap.sip.agents[1]!;
    const own = { From: `<sip:${user}@127.0.0.1>;tag=own`, To: `<${uri}>`, Contact: `<${socket.contact(user)}>` };
    const callId = socket.send(method, uri, { ...own, ...fields });
    const answer = await socket.next((message) => isFinal(message) && message.includes(callId));
    if (!/^SIP\/2\.0 40[17] /.test(answer)) return answer;
    return socket.authenticated(method, uri, { user, password }, { Contact: own.Contact, ...fields });
  }
}

const INSTANCE = '<urn:uuid:00000000-0000-1000-8000-000a95a0e128>';
const isFinal = (message: string): boolean => /^SIP\/2\.0 [2-6]/.test(message);
