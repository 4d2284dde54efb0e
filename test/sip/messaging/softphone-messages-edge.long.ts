import { expect } from 'chai';
import {
  approveSender,
  getsTexts,
  messageBecomes,
  sendText,
  type TextPlace,
} from '../../support/calls/softphone-texts.js';
import { eventually } from '../../support/eventually.js';
import { textsIn } from '../../support/judges/received-texts.js';
import { SipSocket } from '../../support/peers/sip/socket.js';
import { describeDrachtio } from '../../support/platform/drachtio.js';
import { EdgeStage } from '../../support/stages/edge-stage.js';

describeDrachtio('messages to a softphone at the SIP edge', function () {
  this.timeout(180_000);
  let stage: EdgeStage;
  let place: TextPlace;

  before(async () => {
    stage = await EdgeStage.start({ from: 18_900, to: 18_998 });
    const { platform } = stage;
    place = {
      lineNumber: platform.demo.lineNumber,
      request: (method, path, json) => platform.request(method, path, json ? { json } : {}),
    };
    await approveSender(place);
  });
  after(() => stage.stop());

  it('arrive byte for byte over UDP and TCP, and are delivered', async () => {
    for (const transport of ['udp', 'tcp'] as const) {
      const phone = await stage.softphone('1001', { trace: true, transport });
      await getsTexts(place, phone, '1001', 'delivered');
      await phone.close();
      await stage.registered('1001', false);
    }
  });

  it('go from a phone to a colleague, and are refused without a password, on another name and if they are no text', async () => {
    const phone = await stage.softphone('1001', { trace: true });
    const sender = await SipSocket.open(stage.edge.sipPort);
    try {
      const { password, number } = stage.platform.agent('1002');
      await sender.register('1002', password);
      const text = 'أين أنت؟ ☕';
      const says = (user: string, type: string, bytes = Buffer.from(text).toString('latin1')): Promise<string> => {
        const fields = { From: `<sip:${user}@127.0.0.1>;tag=1`, 'Content-Type': type };
        return sender.authenticated('MESSAGE', 'sip:1001@127.0.0.1', { user: '1002', password }, fields, bytes);
      };
      expect(await says('1002', 'text/plain')).to.match(/^SIP\/2\.0 202 /);
      const arrived = () => textsIn(phone.log()).find(({ body }) => body === text);
      await eventually(() => arrived() !== undefined, 'the text is at the phone');
      expect(arrived()!.from).to.include(`sip:${number}@`);
      expect(await says('1001', 'text/plain')).to.match(/^SIP\/2\.0 403 /);
      expect(await says('1002', 'text/html')).to.match(/^SIP\/2\.0 415 /);
      expect(await says('1002', 'text/plain', 'a'.repeat(4_001))).to.match(/^SIP\/2\.0 413 /);
      const fields = { From: '<sip:1002@127.0.0.1>;tag=1', 'Content-Type': 'text/plain' };
      const callId = sender.send('MESSAGE', 'sip:1001@127.0.0.1', fields, 'Forged');
      expect(await sender.next((message) => message.includes(callId))).to.match(/^SIP\/2\.0 407 /);
      expect(textsIn(phone.log()).filter(({ body }) => body !== text)).to.deep.equal([]);
    } finally {
      sender.close();
      await phone.close();
    }
  });

  it('fail with the status of the phone', async () => {
    const phone = await SipSocket.open(stage.edge.sipPort);
    try {
      await phone.register('1001', stage.platform.agent('1001').password);
      const id = await sendText(place, '1001', 'Do you want this?');
      phone.reply(await phone.next((message) => message.startsWith('MESSAGE')), '603 Decline');
      expect((await messageBecomes(place, id, 'failed')).error).to.deep.equal({
        ...{ reason: 'blocked', provider_code: '603' },
      });
    } finally {
      phone.close();
    }
  });
});
