import { expect } from 'chai';
import { receiptOf } from '../../../adapters/channels/email/bounce.js';
import { readReport } from '../../../adapters/channels/email/report.js';
import { bounceOf } from '../../support/peers/mail/bounce.js';

const read = async (mail: string) => receiptOf(await readReport(Buffer.from(mail)), 'smtp');

describe('a delivery status notification', () => {
  it('fails the message that it names, with the reason of its status', async () => {
    for (const [status, reason] of [
      ['5.1.1', 'invalid_recipient'],
      ['5.2.2', 'unreachable'],
      ['4.4.7', 'expired'],
      ['5.7.1', 'blocked'],
      ['5.6.0', 'content_refused'],
      ['5.0.0', 'unreachable'],
    ]) {
      const receipt = await read(bounceOf('id-1@example.com', { status }));
      expect(receipt).to.deep.equal({
        ...{ provider: 'smtp', providerId: 'id-1@example.com', state: 'failed', recipient: 'reem@example.com' },
        ...{ sender: null, failure: { reason, providerCode: status } },
      });
    }
  });

  it('may report a delivery, or only that it is late', async () => {
    const delivered = await read(bounceOf('id-1@example.com', { action: 'delivered', status: '2.0.0' }));
    expect(delivered).to.include({ state: 'delivered', failure: null });
    expect(await read(bounceOf('id-1@example.com', { action: 'delayed', status: '4.4.1' }))).to.equal(null);
  });

  it('is not any other mail', async () => {
    for (const mail of ['', 'Subject: Hello\r\n\r\nHow are you?\r\n', '\0\u0001'.repeat(50)]) {
      const refusal = await read(mail).then(
        () => null,
        (error: unknown) => (error as Error).name,
      );
      expect(refusal).to.equal('NoticeError');
    }
  });
});
