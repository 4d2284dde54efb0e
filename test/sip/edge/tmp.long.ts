import { TestAuthority } from '../../support/certificates.js';
import { SipSocket } from '../../support/peers/sip-socket.js';
import { EdgeStage } from '../../support/stages/edge-stage.js';

describe('tmp', () => {
  it('x', async function () {
    this.timeout(120_000);
    const authority = await TestAuthority.create();
    const stage = await EdgeStage.start({ from: 19_000, to: 19_098 }, await authority.issue(), {});
    try {
      const { number, password } = stage.platform.agent('1002');
        const web = await SipSocket.openWss(stage.edge.wssPort, authority.cert);
        await web.register('1002', password);
        await stage.registered('1002');
        web.close();
        const { call_id: callId } = await stage.platform.call({ to: number });
        console.log('ENDED', await stage.platform.over(callId).then((c) => c.status, (e) => String(e)));
    } finally {
      console.log(stage.edge.log());
      await stage.stop();
    }
  });
});
