import { expect } from 'chai';
import {
  NOTHING_BOOKED,
  paymentApiEach,
  type PaymentApiStage,
} from '../../support/stages/billing/payment-api-stage.js';
import { IBAN } from '../../support/stages/billing/payment-stage.js';

describe('Payments over the API', function () {
  this.timeout(30_000);
  let stage: PaymentApiStage;
  paymentApiEach((made) => (stage = made));

  it('shows the account to transfer to, and the amount with tax', async () => {
    const payment = await stage.begin('bank_transfer', 99.99);
    expect(payment).to.deep.include({
      status: 'pending',
      amount_sar: 99.99,
      vat_sar: 15,
      total_sar: 114.99,
      paid_sar: null,
      currency: 'SAR',
      transfer_to: { iban: IBAN, account_name: 'Operator LLC' },
      checkout_url: null,
      error_code: null,
      ended_at: null,
    });
    expect(payment.reference).to.match(/^HT[2-9A-HJKMNP-Z]{10}$/);
    expect((await stage.get(`/${payment.id}`)).body).to.deep.equal(payment);
  });

  it('posts a bank transfer that the operator confirms, once', async () => {
    const { id, reference } = await stage.begin('bank_transfer');
    const typed = String(reference).toLowerCase().replace(/^(ht)/, '$1 ');
    const first = await stage.administration.confirm(typed, 115_000_000, 'BANK-1');
    const again = await stage.administration.confirm(String(reference), 115_000_000, 'BANK-1');
    expect([first.isNew, again.isNew]).to.deep.equal([true, false]);
    expect(await stage.balances(stage.organizationId)).to.deep.equal({
      pool: 100_000_000,
      vat: 15_000_000,
      payments: -115_000_000,
    });
    const { body } = await stage.get(`/${id}`);
    expect(body).to.deep.include({ status: 'succeeded', paid_sar: 115, transfer_to: null, error_code: null });
  });

  it('does not post a different amount, but shows it; the correct amount is posted later', async () => {
    const { id, reference } = await stage.begin('bank_transfer');
    const short = await stage.administration
      .confirm(String(reference), 100_000_000, null)
      .catch((error: unknown) => error);
    expect(short).to.include({ code: 'PAYMENT_AMOUNT_MISMATCH' });
    expect((short as Error).message)
      .to.contain('100.00')
      .and.to.contain('115.00');
    expect(await stage.balances(stage.organizationId)).to.deep.equal(NOTHING_BOOKED);
    const shown = { status: 'pending', paid_sar: 100, error_code: 'PAYMENT_AMOUNT_MISMATCH' };
    expect((await stage.get(`/${id}`)).body).to.deep.include(shown);
    await stage.administration.confirm(String(reference), 115_000_000, null);
    expect((await stage.get(`/${id}`)).body).to.deep.include({ status: 'succeeded', paid_sar: 115, error_code: null });
    expect(stage.counted).to.deep.equal(['mismatched bank_transfer', 'ended bank_transfer succeeded']);
  });

  it('shows the customer why the operator rejected the payment', async () => {
    const { id, reference } = await stage.begin('bank_transfer');
    await stage.administration.reject(String(reference), 'of an account that is not yours');
    const shown = { status: 'failed', error_code: 'PAYMENT_FAILED', reason: 'of an account that is not yours' };
    expect((await stage.get(`/${id}`)).body).to.deep.include(shown);
    const unknown = await stage.administration.reject('HT2222222222', '-').catch((error: unknown) => error);
    expect(unknown).to.include({ code: 'PAYMENT_NOT_FOUND' });
  });
});
