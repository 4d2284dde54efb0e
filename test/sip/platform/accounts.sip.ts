import { expect } from 'chai';
import { eventually } from '../../support/eventually.js';
import { loudSeconds } from '../../support/judges/audio.js';
import { Tour } from '../../support/calls/tour.js';
import { AGENT_HZ } from '../../support/calls/trunk-talkers.js';
import { Baresip, freeSipPort } from '../../support/phones/index.js';

describe('the tutorial about accounts, on other ports', function () {
  this.timeout(120_000);
  let tour: Tour;
  let phone: Baresip | undefined;
  const ports = { mail: 0 };

  before(async () => {
    ports.mail = await freeSipPort();
    tour = await Tour.start({
      SMTP_URL: `smtp://127.0.0.1:${ports.mail}`,
      MAIL_FROM: 'hatif@example.com',
      NATIONAL_ID: 'off',
    });
    tour.begin('account', 'docs/tutorials/open-an-account.md');
  });
  after(async () => {
    await phone?.close();
    await tour.close();
  });

  it('receives mails', async () => {
    expect(await tour.next({ 2525: String(ports.mail) })).to.equal('');
    const server = await tour.elsewhere();
    await eventually(
      () => server().includes('listening'),
      () => `the mail server listens: ${server()}`,
    );
    expect(await tour.next()).to.equal('');
  });

  it('signs up, and invites a colleague', async () => {
    expect(await tour.next()).to.equal('sandbox\n');
    expect(await tour.next()).to.equal('pending\nadmin\n');
  });

  it('uses a second factor, and comes back without it by a recovery code', async () => {
    expect(await tour.next()).to.equal('INVALID_CREDENTIALS\ntrue\n');
    expect(await tour.next()).to.equal('9\nfalse\n');
  });

  it('gets production access, and rings a telephone with a live key', async () => {
    expect(await tour.next()).to.equal('submitted\n');
    expect(await tour.next()).to.equal('in_review\napproved\n');
    const shown = await tour.next();
    const [, user = '', host = '', port = '', password = ''] = /^1001\n(.+)\n([\d.]+):(\d+)\n(.+)\n$/.exec(shown) ?? [];
    expect(user, shown).not.to.equal('');
    const registrar = { host, port: Number(port), password };
    phone = await Baresip.start({ codecs: ['PCMA'], user, registrar, source: { toneHz: AGENT_HZ } });
    await phone.registered();
    expect(await tour.next()).to.equal('initiated\n');
    const callId = await phone.incoming();
    await phone.answer(callId);
    await phone.waitToHear((audio) => loudSeconds(audio) > 0.4, { callId });
    await phone.closed(callId);
    expect(tour.left).to.equal(0);
  });
});
