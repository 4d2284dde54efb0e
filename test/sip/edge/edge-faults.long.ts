import { expect } from 'chai';
import { Headers } from '../../../sip/message/headers.js';
import { parseNameAddress } from '../../../sip/message/name-address.js';
import { eventually } from '../../support/eventually.js';
import { SILENT_SDP, SipSocket } from '../../support/peers/sip/socket.js';
import { describeDrachtio } from '../../support/platform/drachtio.js';
import { EdgeStage } from '../../support/stages/edge-stage.js';

const CHANGED_SDP = SILENT_SDP.replace('o=- 1 1', 'o=- 1 2').replace('m=audio 9000', 'm=audio 9002');
const CHALLENGE = '407 Proxy Authentication Required';

/** Known faults of drachtio-server, and of programs that use it. */
describeDrachtio('known faults around drachtio-server', () => {
  let stage: EdgeStage;
  let phone: SipSocket;

  before(async function () {
    this.timeout(120_000);
    stage = await EdgeStage.start({ from: 19_400, to: 19_498 });
  });
  beforeEach(async () => {
    phone = await SipSocket.open(stage.edge.sipPort);
  });
  afterEach(() => phone.close());
  after(() => stage.stop());

  const emptied = (): Promise<unknown> =>
    eventually(async () => (await stage.legs()) === 0, 'the engine has no leg left');

  /** The agent's phone is this one alone. */
  async function registered(more: Readonly<Record<string, string>> = {}): Promise<void> {
    const { db } = stage.platform.platform.stores;
    await db.query(`DELETE FROM sip_contacts WHERE aor = '1002'`);
    const { password } = stage.platform.agent('1002');
    const fields = { To: '<sip:1002@127.0.0.1>', Contact: `<${phone.contact('1002')}>`, ...more };
    const credentials = { user: '1002', password };
    await eventually(async () => {
      const answer = await phone.authenticated('REGISTER', 'sip:127.0.0.1', credentials, fields);
      return answer.startsWith('SIP/2.0 200 ');
    }, 'the phone registers');
    await stage.registered('1002');
  }

  /** The API calls the phone, which answers. */
  async function answered(): Promise<{ readonly callId: string; readonly invite: string }> {
    const { call_id: callId } = await stage.platform.call({ to: stage.platform.agent('1002').number });
    const invite = await phone.next(isRequest('INVITE'));
    phone.reply(invite, '180 Ringing');
    phone.reply(invite, '200 OK', SILENT_SDP);
    await phone.next(isRequest('ACK'));
    return { callId, invite };
  }

  /** Changes the session of a call that the phone answered. @returns the answer */
  async function changed(invite: string): Promise<string> {
    const headers = new Headers(invite);
    const target = parseNameAddress(headers.first('contact') ?? '')?.uri ?? '';
    const routes = headers.all('record-route');
    const dialog = {
      ...(routes.length > 0 && { Route: routes.join(', ') }),
      From: `${headers.first('to')};tag=there`,
      To: headers.first('from') ?? '',
      'Call-ID': headers.first('call-id') ?? '',
    };
    phone.send('INVITE', target, { ...dialog, CSeq: '7 INVITE' }, CHANGED_SDP);
    const answer = await phone.next((message) => /^SIP\/2\.0 [2-6]/.test(message) && message.includes('7 INVITE'));
    phone.send('ACK', target, { ...dialog, CSeq: '7 ACK' });
    return answer;
  }

  for (const [where, more] of [
    ['of a phone', {}],
    ['of a phone behind another proxy', { Supported: 'path' }],
  ] as const) {
    describe(`in calls ${where}`, () => {
      const register = async (): Promise<void> => {
        if (!('Supported' in more)) return registered();
        // The phone is its own proxy: calls arrive at the path.
        const { db } = stage.platform.platform.stores;
        await db.query(
          `INSERT INTO sip_networks (network, rule, note, created_at) VALUES ('127.0.0.1/32', 'allow', NULL, now())
           ON CONFLICT DO NOTHING`,
        );
        await registered({ ...more, Path: `<sip:127.0.0.1:${phone.port};lr>` });
      };

      it('a change that follows the answer at once reaches the engine', async () => {
        await register();
        const { callId, invite } = await answered();
        const answer = await changed(invite);
        expect(answer).to.match(/^SIP\/2\.0 200 /);
        expect(answer, 'the audio of the engine').to.match(/^m=audio [1-9]/m);
        expect(answer, "not the phone's own").not.to.contain('m=audio 9000');
        phone.bye(invite, 8);
        await stage.platform.over(callId);
        await emptied();
      });

      it('a call is over although the phone challenges its end', async () => {
        await register();
        const { callId } = await answered();
        await stage.platform.receivedEvent(callId, 'call.answered');
        await stage.platform.hangup(callId);
        phone.reply(await phone.next(isRequest('BYE')), CHALLENGE);
        expect((await stage.platform.over(callId)).status).to.equal('ended');
        await emptied();
      });

      it('a call ends that the phone hangs up at the moment of its answer', async () => {
        await register();
        const { callId, invite } = await answered();
        phone.bye(invite);
        await stage.platform.over(callId);
        await emptied();
      });
    });
  }
});

const isRequest =
  (method: string) =>
  (message: string): boolean =>
    message.startsWith(`${method} `);
