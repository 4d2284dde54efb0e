import { expect } from 'chai';
import { Invoices, type StoredInvoice } from '../../../core/data/repositories/billing/invoices.js';
import { newId } from '../../../core/model/ids.js';
import { systemClock } from '../../../core/ports/clock.js';
import { billingEach, RATE, type BillingStage } from '../../support/stages/billing/billing-stage.js';
import { failureOf } from '../../support/judges/failure-of.js';
import { issuerOn, riyadh, SELLER } from '../../support/stages/billing/invoice-stage.js';

describe('invoicing', function () {
  this.timeout(30_000);
  let stage: BillingStage;
  let organization: string;

  billingEach((made) => {
    stage = made;
    organization = stage.ground.organizationId;
  });

  const invoices = (): Invoices => new Invoices(stage.db);
  const run = (month: string, dryRun = false) => issuerOn(stage).run(month, organization, dryRun);
  const invoiceOf = async (month: string): Promise<StoredInvoice> => (await invoices().ofMonth(organization, month))!;
  const usage = (occurredAt: Date, quantity = 1, unitPrice = 1_000_000): Promise<unknown> =>
    stage.billing.reportedUsage.add(
      { organizationId: organization, projectId: stage.ground.projectId },
      { eventId: newId(), type: 'sms.segment', quantity, unitPrice, occurredAt },
    );
  const topUp = (sar: number): Promise<boolean> => stage.balances.topUp(organization, sar * 1_000_000, newId(), null);

  it('bills the usage of a month in Riyadh time, in lines for calls and other usage', async () => {
    await stage.plan([RATE, { ...RATE, direction: 'inbound', perMinute: 30_000 }]);
    await stage.finished([
      { seconds: 61, answeredAt: riyadh('2026-08-01T00:00:00') },
      { seconds: 30, answeredAt: riyadh('2026-08-01T00:00:30') },
    ]);
    await stage.finished([{ seconds: 30, answeredAt: riyadh('2026-08-31T23:59:59') }], {
      direction: 'inbound',
      kind: 'inbound',
    });
    await stage.finished([{ seconds: 30, answeredAt: riyadh('2026-07-31T23:59:59') }]);
    await stage.finished([{ seconds: 30, answeredAt: riyadh('2026-09-01T00:00:00') }]);
    await usage(riyadh('2026-08-31T23:59:59'), 3, 33_300);
    await usage(riyadh('2026-09-01T00:00:00'));
    await stage.rating.rateAll();

    const { issued } = await run('2026-08');
    const invoice = await invoiceOf('2026-08');
    expect(issued).to.deep.equal([
      {
        number: invoice.number,
        organization_id: organization,
        organization: invoice.buyer.name,
        net: 490_000,
        vat: 70_000,
        gross: 560_000,
        due: 560_000,
      },
    ]);
    expect(
      invoice.lines.map(({ kind, direction, quantity, seconds, exact, amount }) => [
        kind,
        direction,
        quantity,
        seconds,
        exact,
        amount,
      ]),
    ).to.deep.equal([
      ['calls', 'inbound', 1, 60, 30_000, 30_000],
      ['calls', 'outbound', 2, 180, 360_000, 360_000],
      ['usage', null, 3, null, 99_900, 100_000],
    ]);
    expect(invoice.seller).to.deep.equal(SELLER);
    expect([invoice.status, invoice.paid_at]).to.deep.equal(['due', null]);
  });

  it('changes nothing when a month is run again', async () => {
    await usage(riyadh('2026-08-10T12:00:00'));
    await run('2026-08');
    const before = await invoiceOf('2026-08');
    expect(await run('2026-08')).to.deep.include({ issued: [], already: 1, without: 0 });
    expect(await invoiceOf('2026-08')).to.deep.equal(before);
  });

  it('records an event for each project on the invoice', async () => {
    await usage(riyadh('2026-08-10T12:00:00'), 2);
    await run('2026-08', true);
    await run('2026-08');
    await run('2026-08');
    const { id, number } = await invoiceOf('2026-08');
    const events = await stage.db.query<{ project_id: string; sandbox: boolean; data: object }>(
      `SELECT project_id, sandbox, data FROM events WHERE type = 'invoice.issued' AND organization_id = $1`,
      [organization],
    );
    const amounts = { net_sar: 2, vat_sar: 0.3, total_sar: 2.3, due_sar: 2.3, currency: 'SAR' };
    expect(events).to.deep.equal([
      {
        project_id: stage.ground.projectId,
        sandbox: false,
        data: { invoice_id: id, number, month: '2026-08', ...amounts },
      },
    ]);
  });

  it('bills usage that was found later on the next invoice, as a line of its own month', async () => {
    await usage(riyadh('2026-08-10T12:00:00'), 2);
    await run('2026-08');
    await usage(riyadh('2026-08-11T12:00:00'), 5);
    await usage(riyadh('2026-09-11T12:00:00'), 3);
    await run('2026-09');
    const { lines, net } = await invoiceOf('2026-09');
    expect(lines.map(({ month, quantity, amount }) => [month, quantity, amount])).to.deep.equal([
      ['2026-09', 3, 3_000_000],
      ['2026-08', 5, 5_000_000],
    ]);
    expect(net).to.equal(8_000_000);
    await usage(riyadh('2026-10-11T12:00:00'));
    await run('2026-10');
    expect((await invoiceOf('2026-10')).lines.map(({ month }) => month)).to.deep.equal(['2026-10']);
  });

  it('issues an invoice even if only an earlier month has more usage', async () => {
    await usage(riyadh('2026-08-10T12:00:00'));
    await run('2026-08');
    await usage(riyadh('2026-08-11T12:00:00'));
    expect((await run('2026-09')).issued).to.have.length(1);
    expect((await run('2026-10')).issued).to.have.length(0);
  });

  it('bills a month that was never run only in its own run', async () => {
    await usage(riyadh('2026-07-10T12:00:00'));
    await usage(riyadh('2026-08-10T12:00:00'));
    await run('2026-08');
    expect((await invoiceOf('2026-08')).lines.map(({ month }) => month)).to.deep.equal(['2026-08']);
    expect((await run('2026-07')).issued).to.have.length(1);
  });

  it('lists in a dry run what would be issued, and issues nothing', async () => {
    await usage(riyadh('2026-08-10T12:00:00'));
    const { issued } = await run('2026-08', true);
    expect(issued.map(({ number, gross }) => [number, gross])).to.deep.equal([[null, 1_150_000]]);
    expect(await invoices().ofMonth(organization, '2026-08')).to.equal(null);
  });

  it('issues nothing for less than a halala, or for no usage', async () => {
    await usage(riyadh('2026-08-10T12:00:00'), 1, 4_999);
    expect(await run('2026-08')).to.deep.include({ issued: [], without: 1 });
    expect(await run('2026-07')).to.deep.include({ issued: [], without: 0 });
  });

  it('reports calls that are not rated yet', async () => {
    await stage.plan();
    await stage.finished([{ seconds: 30, answeredAt: riyadh('2026-08-10T12:00:00') }]);
    const before = (await run('2026-08')).unrated_calls;
    expect(before).to.equal(1);
    await stage.rating.rateAll();
    expect(await run('2026-08')).to.deep.include({ unrated_calls: 0 });
    expect((await invoiceOf('2026-08')).net).to.equal(120_000);
  });

  it('previews the current month, but no future one', async () => {
    const issuer = issuerOn(stage, { clock: { ...systemClock, now: () => new Date('2026-08-31T20:59:59Z') } });
    await usage(riyadh('2026-08-31T12:00:00'));
    const { issued } = await issuer.run('2026-08', organization, true);
    expect(issued.map(({ number, net }) => [number, net])).to.deep.equal([[null, 1_000_000]]);
    expect(await invoices().ofMonth(organization, '2026-08')).to.equal(null);
    expect(await failureOf(issuer.run('2026-09', organization, true))).to.have.property('code', 'VALIDATION_ERROR');
  });

  for (const [what, month] of [
    ['the current month', '2026-11'],
    ['a future month', '2099-01'],
    ['an invalid month', '2026-13'],
    ['a day', '2026-08-01'],
  ] as const) {
    it(`rejects ${what}`, async () => {
      const clock = { ...systemClock, now: () => new Date('2026-11-30T23:59:59+03:00') };
      const refused = await failureOf(issuerOn(stage, { clock }).run(month, organization, false));
      expect(refused).to.have.property('code', 'VALIDATION_ERROR');
    });
  }

  it('refuses to issue invoices without a seller', async () => {
    const refused = await failureOf(issuerOn(stage, { seller: null }).run('2026-08', organization, false));
    expect(refused).to.have.property('code', 'INVOICE_SELLER_MISSING');
  });

  describe('with prepaid money', () => {
    it('leaves nothing due, tax and rounding included', async () => {
      await topUp(10);
      for (const type of ['one', 'two', 'three']) {
        await stage.billing.reportedUsage.add(
          { organizationId: organization, projectId: stage.ground.projectId },
          {
            eventId: newId(),
            type,
            quantity: 1,
            unitPrice: 3_335_000 - (type === 'three' ? 5_000 : 0),
            occurredAt: riyadh('2026-08-10T12:00:00'),
          },
        );
      }
      await run('2026-08');
      const { exact, net, balance_net, due, status } = await invoiceOf('2026-08');
      expect({ exact, net, balance_net, due, status }).to.deep.equal({
        exact: 10_000_000,
        net: 10_010_000,
        balance_net: 10_010_000,
        due: 0,
        status: 'paid',
      });
    });

    it('reduces the amount due, and is not counted twice', async () => {
      await topUp(4);
      await usage(riyadh('2026-08-10T12:00:00'), 3);
      await usage(riyadh('2026-09-10T12:00:00'), 3);
      await run('2026-08');
      await run('2026-09');
      const [first, second] = [await invoiceOf('2026-08'), await invoiceOf('2026-09')];
      expect([first.balance_net, first.due]).to.deep.equal([3_000_000, 0]);
      expect([second.balance_net, second.due_net, second.due_vat, second.due]).to.deep.equal([
        1_000_000, 2_000_000, 300_000, 2_300_000,
      ]);
    });

    it('does not count money that paid an earlier invoice', async () => {
      await usage(riyadh('2026-08-10T12:00:00'), 3);
      await usage(riyadh('2026-09-10T12:00:00'), 3);
      await run('2026-08');
      const first = await invoiceOf('2026-08');
      const payment = newId();
      const pay = (): Promise<boolean> =>
        stage.db.transaction((tx) => invoices().markPaid(tx, first.id, payment, new Date()));
      await topUp(3);
      expect(await pay()).to.equal(true);
      expect(await pay()).to.equal(false);
      const paid = await invoiceOf('2026-08');
      expect([paid.status, paid.payment_id]).to.deep.equal(['paid', payment]);
      await run('2026-09');
      expect((await invoiceOf('2026-09')).due).to.equal(3_450_000);
    });

    it('fully covers an invoice with nothing due', async () => {
      await topUp(3);
      await usage(riyadh('2026-08-10T12:00:00'), 3);
      await run('2026-08');
      const { id } = await invoiceOf('2026-08');
      expect(await stage.db.transaction((tx) => invoices().markPaid(tx, id, newId(), new Date()))).to.equal(false);
    });
  });

  it('never changes issued invoices', async () => {
    await usage(riyadh('2026-08-10T12:00:00'));
    await run('2026-08');
    for (const change of [`UPDATE invoices SET net = 0`, `DELETE FROM invoices`, `DELETE FROM invoice_payments`]) {
      expect(await failureOf(stage.db.query(change)), change).to.be.instanceOf(Error);
    }
  });
});
