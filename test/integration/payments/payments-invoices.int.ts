import { expect } from 'chai';
import type { StoredInvoice } from '../../../core/data/repositories/billing/invoices.js';
import { newId } from '../../../core/model/ids.js';
import type { Answer } from '../../support/api.js';
import { BillingStage } from '../../support/stages/billing/billing-stage.js';
import { issuerOn, riyadh } from '../../support/stages/billing/invoice-stage.js';
import { codeOf, paymentApiEach, type PaymentApiStage } from '../../support/stages/billing/payment-api-stage.js';

describe('Payments over the API', function () {
  this.timeout(30_000);
  let stage: PaymentApiStage;
  paymentApiEach((made) => (stage = made));

  describe('for an invoice', () => {
    /** 10 SAR of usage in a finished month. */
    const invoice = async (): Promise<StoredInvoice> => {
      const { database, organizationId, projectId } = stage;
      const billing = await BillingStage.on(database.db, database.url, {
        organizationId,
        projectId,
        engineId: newId(),
      });
      await billing.billing.reportedUsage.add(
        { organizationId, projectId },
        {
          eventId: newId(),
          type: 'sms',
          quantity: 10,
          unitPrice: 1_000_000,
          occurredAt: riyadh('2026-08-10T12:00:00'),
        },
      );
      await issuerOn(billing).run('2026-08', organizationId, false);
      return (await stage.stores.invoices.ofMonth(organizationId, '2026-08'))!;
    };
    const pay = (invoice_id: string): Promise<Answer> => stage.post('', { invoice_id, method: 'bank_transfer' });

    it('have the amount due, and pay the invoice once', async () => {
      const { id: invoiceId } = await invoice();
      const { body } = await pay(invoiceId);
      expect(body).to.include({ invoice_id: invoiceId, amount_sar: 10, vat_sar: 1.5, total_sar: 11.5 });
      expect((await stage.stores.invoices.get(stage.organizationId, invoiceId))?.status).to.equal('due');
      const reference = String(body?.reference);
      await Promise.all(Array.from({ length: 4 }, () => stage.administration.confirm(reference, 11_500_000, null)));
      const paid = await stage.stores.invoices.get(stage.organizationId, invoiceId);
      expect(paid).to.include({ status: 'paid', payment_id: body?.id });
      expect(await stage.balances(stage.organizationId)).to.include({ pool: 10_000_000, vat: 1_500_000 });
      const again = await pay(invoiceId);
      expect(codeOf(again)).to.deep.equal([400, 'VALIDATION_ERROR']);
      expect(again.body?.details).to.deep.include({
        path: 'invoice_id',
        message: 'is already paid',
        message_ar: 'مدفوعة بالفعل',
      });
    });

    it('leave the invoice unpaid if a different amount arrives', async () => {
      const { id: invoiceId } = await invoice();
      const { body } = await pay(invoiceId);
      const wrong = await stage.administration
        .confirm(String(body?.reference), 10_000_000, null)
        .catch((error: unknown) => error);
      expect(wrong).to.include({ code: 'PAYMENT_AMOUNT_MISMATCH' });
      expect((await stage.stores.invoices.get(stage.organizationId, invoiceId))?.status).to.equal('due');
    });

    it('are started by only one of several concurrent requests', async () => {
      const { id: invoiceId } = await invoice();
      const answers = await Promise.all(Array.from({ length: 5 }, () => pay(invoiceId)));
      expect(answers.map(({ status }) => status).sort()).to.deep.equal([201, 400, 400, 400, 400]);
      const winner = answers.find(({ status }) => status === 201);
      await stage.post(`/${String(winner?.body?.id)}/cancel`);
      expect((await pay(invoiceId)).status).to.equal(201);
    });

    it('credit money that arrives twice', async () => {
      const { id: invoiceId } = await invoice();
      const first = (await pay(invoiceId)).body;
      await stage.post(`/${String(first?.id)}/cancel`);
      const second = (await pay(invoiceId)).body;
      for (const { reference } of [second!, first!])
        await stage.administration.confirm(String(reference), 11_500_000, null);
      expect((await stage.stores.invoices.get(stage.organizationId, invoiceId))?.payment_id).to.equal(second?.id);
      expect((await stage.balances(stage.organizationId)).pool).to.equal(20_000_000);
    });

    it('are not started for another organization’s invoice, or for both an invoice and an amount', async () => {
      const { id: invoice_id } = await invoice();
      const stranger = (await stage.api.key()).key;
      const json = { invoice_id, method: 'bank_transfer' };
      expect(codeOf(await stage.post('', json, stranger))).to.deep.equal([404, 'INVOICE_NOT_FOUND']);
      expect(codeOf(await pay(newId()))).to.deep.equal([404, 'INVOICE_NOT_FOUND']);
      expect(codeOf(await stage.post('', { ...json, amount_sar: 5 }))).to.deep.equal([400, 'VALIDATION_ERROR']);
      expect(codeOf(await stage.post('', { method: 'bank_transfer' }))).to.deep.equal([400, 'VALIDATION_ERROR']);
    });
  });
});
