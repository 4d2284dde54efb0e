import { expect } from 'chai';
import {
  approveSender,
  getsTexts,
  messageBecomes,
  sendText,
  type TextPlace,
} from '../../support/calls/softphone-texts.js';
import { SipSocket } from '../../support/peers/sip/socket.js';
import { describeFreeswitch } from '../../support/platform/freeswitch.js';
import { FreeswitchStage } from '../../support/stages/freeswitch-stage.js';
import { untilRegistered } from '../../support/phones/registered.js';

describeFreeswitch('messages to a softphone at FreeSWITCH', function () {
  this.timeout(180_000);
  let stage: FreeswitchStage;
  let place: TextPlace;

  before(async () => {
    stage = await FreeswitchStage.start();
    const { application } = stage;
    place = {
      lineNumber: application.bootstrap.line_number,
      request: (method, path, json) => application.request(method, path, json),
    };
    await approveSender(place);
  });
  after(() => stage.close());

  const registered = (aor: string): Promise<unknown> => untilRegistered(stage.database.db, aor);

  it('arrive byte for byte, and are delivered', async () => {
    const { host, port, agents } = stage.application.bootstrap.sip;
    const { agent: user, password } = agents[0]!;
    const phone = await stage.application.phone({ user, registrar: { host, port, password }, trace: true });
    await phone.registered();
    await registered(user);
    await getsTexts(place, phone, user, 'delivered');
    await phone.close();
  });

  it('fail if the phone refuses them', async () => {
    const { agent: user, password } = stage.application.bootstrap.sip.agents[1]!;
    const phone = await SipSocket.open(stage.host.sipPort);
    try {
      await phone.register(user, password);
      await registered(user);
      const id = await sendText(place, user, 'Do you want this?');
      phone.reply(await phone.next((message) => message.startsWith('MESSAGE')), '603 Decline');
      expect((await messageBecomes(place, id, 'failed')).error).to.deep.equal({
        ...{ reason: 'unreachable', provider_code: null },
      });
    } finally {
      phone.close();
    }
  });

  it('are not passed from one phone to another, nor to anybody else', async () => {
    const { agent: user, password } = stage.application.bootstrap.sip.agents[0]!;
    const [phone, target] = [await SipSocket.open(stage.host.sipPort), await SipSocket.open(stage.host.sipPort)];
    try {
      await phone.register(user, password);
      const fields = { From: `<sip:${user}@127.0.0.1>;tag=1`, 'Content-Type': 'text/plain' };
      const outside = `sip:there@127.0.0.1:${target.port}`;
      const callId = phone.send('MESSAGE', outside, { ...fields, To: `<${outside}>` }, 'Hello');
      const refused = (message: string): boolean => message.includes(callId) && message.startsWith('SIP/2.0');
      expect(await phone.next(refused)).to.match(/^SIP\/2\.0 40[137] /);
      const answer = await phone.authenticated('MESSAGE', outside, { user, password }, fields, 'Hello');
      expect(answer).to.match(/^SIP\/2\.0 4\d\d /);
      expect(target.messages).to.deep.equal([]);
    } finally {
      phone.close();
      target.close();
    }
  });
});
