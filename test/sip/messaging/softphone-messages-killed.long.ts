import { expect } from 'chai';
import { approveSender, messageBecomes, sendText, type TextPlace } from '../../support/calls/softphone-texts.js';
import { describeDrachtio } from '../../support/platform/drachtio.js';
import { openWayIn, type WayIn } from '../../support/stages/way-in.js';
import { Headers } from '../../../sip/message/headers.js';

describeDrachtio('messages to a softphone while the platform is killed', function () {
  this.timeout(240_000);
  let way: WayIn;
  let place: TextPlace;

  before(async () => {
    way = await openWayIn('asterisk', { hasEdge: true, isSecure: false });
    const { application } = way;
    place = {
      lineNumber: application.bootstrap.line_number,
      request: (method, path, json) => application.request(method, path, json),
    };
    await approveSender(place);
  });
  after(() => way.close());

  it('are not sent again if no answer was seen', async () => {
    const { agent: user, password } = way.application.bootstrap.sip.agents[1]!;
    await way.colleague.close();
    const phone = await way.socket();
    try {
      await phone.register(user, password);
      const first = await sendText(place, user, 'First');
      const request = await phone.next((message) => message.startsWith('MESSAGE'));
      await way.application.kill();
      phone.reply(request, '200 OK');
      await way.application.start();
      const second = await sendText(place, user, 'Second');
      phone.reply(await phone.next((message) => message.startsWith('MESSAGE') && message.endsWith('Second')), '200 OK');
      await messageBecomes(place, second, 'delivered');
      expect((await place.request('GET', `/v1/messages/${first}`)).body).to.include({ status: 'queued' });
      const callIdOf = (message: string): string | null => new Headers(message).first('call-id');
      const repeated = phone.messages.filter((message) => message.startsWith('MESSAGE') && message.endsWith('First'));
      expect(new Set([request, ...repeated].map(callIdOf)).size).to.equal(1);
    } finally {
      phone.close();
    }
  });
});
