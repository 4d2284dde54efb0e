import { expect } from 'chai';
import { getsTexts, messageBecomes, sendText, type TextPlace } from '../../support/calls/softphone-texts.js';
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
