import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseEnv } from 'node:util';
import { expect } from 'chai';
import { eventually } from '../../support/eventually.js';
import { freeSipPort } from '../../support/phones/index.js';
import { Tour } from '../../support/calls/tour.js';
import type { ProcessSettings } from '../../support/platform/platform-process.js';

const PAGE = 'docs/tutorials/send-messages.md';

describe('the tutorial on messages, on other ports', function () {
  this.timeout(180_000);
  let tour: Tour;

  before(async () => {
    tour = await Tour.start();
  });
  after(() => tour.close());

  it('delivers an SMS in Arabic and an e-mail as written', async () => {
    const { stage } = tour;
    const ports = { 2775: String(await freeSipPort()), 2525: String(await freeSipPort()) };
    tour.begin('messages', PAGE);
    expect(await tour.next(ports)).to.equal('');
    const port = new URL(stage.bootstrap.base_url).port;
    stage.platform.signal('SIGTERM');
    await stage.platform.exited;
    const caught = await tour.elsewhere(ports);
    await eventually(
      () => caught().includes('Catching SMS'),
      () => caught(),
    );
    const settings = parseEnv(readFileSync(join(tour.folder, '.env'), 'utf8')) as ProcessSettings;
    await stage.start({ ...settings, PORT: port });

    expect(await tour.next()).to.include('HATIF');
    expect(await tour.next()).to.equal('');
    await eventually(
      () => caught().includes('4711 is on its way'),
      () => caught(),
    );
    expect(caught()).to.match(/sms {4}HATIF {2}→ {2}\+966501234567\n.*مرحبًا، طلبك رقم 4711 في الطريق إليك\./);
    expect(caught()).to.match(/email {2}hatif@example\.com {2}→ {2}reem@example\.com {2}Your order\n {7}Hello Reem,/);
    await tour.until('api GET /messages/$SMS', '"delivered"');
    await tour.until('api GET /messages/$MAIL', '"delivered"');
    const both = await tour.next();
    expect(both.match(/"status": "delivered"/g)).to.have.length(2);
    expect(both).to.include('"segments": 1');
    expect(tour.left).to.equal(0);
  });

  it('delivers those of the README, too', async () => {
    tour.begin('send');
    await tour.next();
    await tour.until('api GET "/messages?status=delivered"', 'On its way.');
    await tour.until('api GET "/messages?status=delivered"', 'طلبك في الطريق إليك.');
    expect(tour.left).to.equal(0);
  });
});
