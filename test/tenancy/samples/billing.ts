import { newId } from '../../../core/model/ids.js';
import { systemClock } from '../../../core/ports/clock.js';
import { Balances } from '../../../core/services/billing/balances.js';
import { CreditInvoices } from '../../../core/services/invoices/crediting.js';
import { InvoiceDrafts } from '../../../core/services/invoices/drafts.js';
import { IssueInvoices } from '../../../core/services/invoices/issuing.js';
import { SELLER } from '../../support/stages/billing/invoice-stage.js';
import type { Samples } from '../sample.js';
import { agentOf } from './queues.js';
import type { Tenant } from '../tenant.js';

const MONTH = '2026-01';
const HUNDRED_SAR = 100_000_000;

const usage = (tenant: Tenant, changes: object = {}) => ({
  event_id: tenant.word('event'),
  type: `${tenant.name}.message`,
  quantity: 10,
  unit_price_sar: 1,
  ...changes,
});

interface Document {
  readonly id: string;
  readonly number: string;
}

/** The invoice of the tenant's organization. */
export const invoiceOf = (tenant: Tenant): Promise<Document> =>
  tenant.once('invoice', async () => {
    await tenant.ask(
      'POST',
      '/v1/usage/events',
      usage(tenant, { unit_price_sar: 100, occurred_at: `${MONTH}-10T12:00:00+03:00` }),
    );
    const { db, ledger, invoices } = tenant.world.platform.stores;
    const issuing = new IssueInvoices({
      db,
      invoices,
      drafts: new InvoiceDrafts({ db, invoices, ledger, vatPercent: 15 }),
      seller: SELLER,
      prefix: 'INV',
      vatPercent: 15,
      clock: systemClock,
      wake: () => undefined,
    });
    await issuing.run(MONTH, tenant.ground.organizationId, false);
    const { data } = await tenant.ask('GET', '/v1/invoices');
    const [invoice] = data as readonly Document[];
    if (!invoice) throw new Error('the organization has no invoice');
    tenant.secret(invoice.number);
    return invoice;
  });

const onInvoice = async (tenant: Tenant) => ({ params: { id: (await invoiceOf(tenant)).id } });

/** A credit note of a part of the tenant's invoice. */
export const creditNoteOf = (tenant: Tenant): Promise<Document> =>
  tenant.once('credit note', async () => {
    const { db, ledger, invoices, creditNotes } = tenant.world.platform.stores;
    const { number } = await invoiceOf(tenant);
    const crediting = new CreditInvoices({
      ...{ db, invoices, creditNotes, ledger, prefix: 'CN', clock: systemClock },
      wake: () => undefined,
    });
    const wanted = { line: null, amount: 1_000_000, reason: tenant.word('reason'), reference: tenant.word('credit') };
    const { note } = await crediting.issue({ invoice: number, ...wanted });
    tenant.secret(note.number);
    return note;
  });

const onCreditNote = async (tenant: Tenant) => ({ params: { id: (await creditNoteOf(tenant)).id } });

/** A payment by bank transfer, which has not arrived. */
async function newPayment(tenant: Tenant): Promise<string> {
  const { id, reference } = await tenant.ask('POST', '/v1/payments', { amount_sar: 10, method: 'bank_transfer' });
  tenant.secret(String(reference));
  return String(id);
}

/** Cancels the pending payments of the tenant. */
async function endPendingPayments(tenant: Tenant): Promise<void> {
  const { data } = await tenant.ask('GET', '/v1/payments');
  for (const { id, status } of data as { id: string; status: string }[])
    if (status === 'pending') await tenant.ask('POST', `/v1/payments/${id}/cancel`);
}

const paymentOf = (tenant: Tenant): Promise<string> => tenant.once('payment', () => newPayment(tenant));

const MORE_CALLS = { calls_per_hour: 600 };

/** A block of an agent who is not one of the tenant's. */
export async function newFraudBlock(tenant: Tenant): Promise<string> {
  const { db, fraudGuard } = tenant.world.platform.stores;
  const id = newId();
  const row = {
    ...{ id, organization_id: tenant.ground.organizationId, project_id: tenant.ground.projectId },
    ...{ agent: tenant.word('blocked'), rule: 'calls_per_hour' as const, at_most: 60, number_masked: '+44207••••00' },
    ...{ blocked_at: new Date(), released_at: null, released_by_key: null, ends_calls: null, calls_ended_at: null },
  } as const;
  await db.transaction((tx) => fraudGuard.block(tx, row));
  return id;
}

export const billing: Samples = {
  getFraudLimits: () => ({}),
  setFraudLimits: () => ({ body: { project: { spend_per_hour_sar: 10_000 }, agents: MORE_CALLS } }),
  getAgentFraudLimits: async (tenant) => ({ params: { agent: await agentOf(tenant) } }),
  setAgentFraudLimits: async (tenant) => ({ params: { agent: await agentOf(tenant) }, body: MORE_CALLS }),
  listFraudBlocks: async (tenant) => {
    await tenant.once('fraud block', () => newFraudBlock(tenant));
    return {};
  },
  releaseFraudBlock: async (tenant) => ({ params: { id: await newFraudBlock(tenant) } }),

  getBilling: () => ({}),
  getRatePlan: () => ({}),
  listNumberFees: () => ({}),
  listLedger: async (tenant) => {
    await tenant.ask('POST', '/v1/usage/events', usage(tenant));
    return {};
  },
  setSpendCaps: () => ({ body: { day_sar: 1_000_000, month_sar: null } }),
  allocateBalance: async (tenant) => {
    const { db, ledger, callHolds: holds, projects } = tenant.world.platform.stores;
    const balances = new Balances({ db, ledger, holds, projects, clock: systemClock });
    await balances.topUp(tenant.ground.organizationId, HUNDRED_SAR, newId(), null);
    return { body: { project_id: tenant.ground.projectId, amount_sar: 5 } };
  },
  addUsageEvent: (tenant) => ({ body: usage(tenant) }),
  getUsage: () => ({}),

  listInvoices: async (tenant) => {
    await invoiceOf(tenant);
    return {};
  },
  getInvoice: onInvoice,
  getInvoicePdf: onInvoice,

  listCreditNotes: async (tenant) => {
    await creditNoteOf(tenant);
    return {};
  },
  getCreditNote: onCreditNote,
  getCreditNotePdf: onCreditNote,

  createPayment: async (tenant) => {
    // An invoice has one pending payment at most.
    await endPendingPayments(tenant);
    return { body: { invoice_id: (await invoiceOf(tenant)).id, method: 'bank_transfer' } };
  },
  listPayments: async (tenant) => {
    await paymentOf(tenant);
    return {};
  },
  getPayment: async (tenant) => ({ params: { payment_id: await paymentOf(tenant) } }),
  cancelPayment: async (tenant) => ({ params: { payment_id: await newPayment(tenant) } }),
};
