import { expect } from 'chai';
import type { AuditRow, PaymentRow } from '../../../core/data/rows.js';
import { newId } from '../../../core/model/ids.js';
import type { NewRefund } from '../../../core/services/payments/refunds.js';
import { refusal } from '../../support/judges/refusal.js';
import { BillingStage } from '../../support/stages/billing/billing-stage.js';
import { paymentApiEach, type PaymentApiStage } from '../../support/stages/billing/payment-api-stage.js';

describe('Refunds of payments', function () {
  this.timeout(30_000);
  let stage: PaymentApiStage;
  paymentApiEach((made) => (stage = made));

  /** A transfer of 115 SAR that has arrived. @returns its reference */
  const paid = async (): Promise<string> => {
    const { reference } = await stage.begin('bank_transfer');
    await stage.administration.confirm(String(reference), 115_000_000, null);
    return String(reference);
  };
  const refund = (payment: string, changes: Partial<NewRefund> = {}) =>
    stage.administration.refund(payment, {
      ...{ total: null, reference: newId(), reason: 'paid twice', mayOverdraw: false },
      ...changes,
    });
  const balances = () => stage.balances(stage.organizationId);
  const billing = (): Promise<BillingStage> => {
    const { database, organizationId, projectId } = stage;
    return BillingStage.on(database.db, database.url, { organizationId, projectId, engineId: newId() });
  };

  it('return the whole amount with its tax, once, and are shown with the payment', async () => {
    const reference = await paid();
    await refund(reference, { reference: 'R-1' });
    expect((await refund(reference, { reference: 'R-1' })).isNew).to.equal(false);
    expect(await balances()).to.deep.equal({ pool: 0, vat: 0, payments: 0 });
    const { body } = await stage.get('');
    const [shown] = (body as unknown as { data: PaymentRow[] }).data;
    expect(shown).to.include({ status: 'succeeded', paid_sar: 115, refunded_sar: 115 });
    expect((await stage.get(`/${shown!.id}`)).body).to.include({ refunded_sar: 115 });
    expect(await refusal(refund(reference))).to.match(/is refunded already/);
    const rows = await stage.stores.db.query<AuditRow>(`SELECT * FROM audit_log WHERE method = 'CLI'`);
    expect(rows.filter(({ organization_id }) => organization_id === stage.organizationId)).to.have.length(1);
  });

  it('return parts whose tax adds up, never more than was paid', async () => {
    const reference = await paid();
    const parts = [33_330_000, 33_330_000, 48_330_000];
    const taxes: number[] = [];
    for (const total of parts) taxes.push((await refund(reference, { total })).refund.vat);
    expect(taxes).to.deep.equal([4_350_000, 4_340_000, 6_310_000]);
    expect(await refusal(refund(reference, { total: 20_000 }))).to.match(/at most 0\.01 SAR/);
    await refund(reference);
    expect(await balances()).to.deep.equal({ pool: 0, vat: 0, payments: 0 });
  });

  it('never make the balance fall below zero, unless the operator says so', async () => {
    const reference = await paid();
    const { organizationId, projectId } = stage;
    const { balances: money, billing: services } = await billing();
    await money.allocate(organizationId, projectId, 60_000_000);
    expect(await refusal(refund(reference))).to.match(/40\.00 SAR/);
    await money.allocate(organizationId, projectId, -60_000_000);
    // A debt of a project counts, too.
    const usage = { eventId: newId(), type: 'sms', quantity: 30, unitPrice: 1_000_000, occurredAt: undefined };
    await services.reportedUsage.add({ organizationId, projectId }, usage);
    expect(await refusal(refund(reference))).to.match(/70\.00 SAR/);
    await refund(reference, { total: 80_500_000 });
    expect(await balances()).to.deep.equal({ pool: 30_000_000, vat: 4_500_000, payments: -34_500_000 });
    await refund(reference, { mayOverdraw: true });
    expect(await balances()).to.deep.equal({ pool: 0, vat: 0, payments: 0 });
    expect(await money.project(organizationId, projectId)).to.equal(-30_000_000);
  });

  it('return no more than was paid and is left, however many race', async () => {
    const [one, other] = [await paid(), await paid()];
    const all = await Promise.allSettled([
      ...Array.from({ length: 6 }, () => refund(one, { total: 30_000_000 })),
      ...Array.from({ length: 6 }, () => refund(other, { total: 30_000_000 })),
    ]);
    expect(all.filter(({ status }) => status === 'fulfilled')).to.have.length(6);
    const rows = await stage.administration.list('succeeded', 10);
    const own = rows.filter(({ organization_id }) => organization_id === stage.organizationId);
    expect(own.map(({ refunded }) => refunded)).to.deep.equal([90_000_000, 90_000_000]);
  });

  it('are refused for a payment that has not succeeded, or that nobody knows', async () => {
    const { reference } = await stage.begin('bank_transfer');
    expect(await refusal(refund(String(reference)))).to.match(/has not succeeded/);
    expect(await refusal(refund('HT000'))).to.match(/payment/i);
  });

  it('are never changed, nor exceed the payment, in the database itself', async () => {
    const reference = await paid();
    const { refund: row } = await refund(reference, { total: 100_000_000 });
    const { db, payments } = stage.stores;
    expect(await refusal(db.query('UPDATE payment_refunds SET total = 1'))).to.match(/never changed or deleted/);
    const again = { ...row, id: newId(), reference: newId() };
    expect(await refusal(db.transaction((tx) => payments.addRefund(tx, again)))).to.match(/not refunded beyond/);
  });
});
