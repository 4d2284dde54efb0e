import type { Database } from '../../../core/data/database.js';
import { SipLockouts } from '../../../core/data/repositories/sip/lockouts.js';
import { SipRefusals } from '../../../core/data/repositories/sip/refusals.js';
import { ADMINISTRATOR } from '../../support/stages/administration/administration-stage.js';
import type { Asked, Samples } from '../sample.js';
import type { Tenant } from '../tenant.js';
import { administer, uniqueName } from './administer.js';
import { onEngine } from './administration.js';
import { creditNoteOf, invoiceOf } from './billing.js';
import { newNumber } from './numbers.js';

const ADDRESS = '203.0.113.9';
const HOUR_MS = 3_600_000;
const DAYS = { from: '2026-01-01', to: '2026-01-31' };

const onOrganization = ({ ground }: Tenant, body?: unknown): Asked => ({
  params: { organization_id: ground.organizationId },
  ...(body !== undefined && { body }),
});

const blocked = (tenant: Tenant) => ({ kind: 'exact', number: tenant.number(), note: 'Spam' });
const token = () => ({ email: ADMINISTRATOR.email, name: uniqueName('nightly') });

const allowed = () => ({ network: '192.0.2.0/24', rule: 'allow', note: 'Head office' });

/** @returns the address */
async function lockOut(db: Database): Promise<string> {
  await new SipLockouts(db).lock({ kind: 'address', subject: ADDRESS, reason: 'password' }, 3600, 3600);
  return ADDRESS;
}

const onInvoice = async (tenant: Tenant) => ({ params: { number: (await invoiceOf(tenant)).number } });

export const installation: Samples = {
  getInstallationStatus: () => ({}),
  listRefusedCalls: () => ({}),
  verifyAuditLog: () => ({}),
  getEngineSecret: onEngine,

  listAdministeredBlockedCallers: async (tenant) => {
    await administer(tenant, 'POST', '/blocked-callers', blocked(tenant));
    return {};
  },
  blockCallerAsAdministrator: (tenant) => ({ body: blocked(tenant) }),
  unblockCallerAsAdministrator: async (tenant) => {
    const { id } = await administer(tenant, 'POST', '/blocked-callers', blocked(tenant));
    return { params: { id: String(id) } };
  },

  listAdministeredAllowedCallers: async (tenant) => {
    await administer(tenant, 'POST', '/allowed-callers', blocked(tenant));
    return {};
  },
  allowCallerAsAdministrator: (tenant) => ({ body: blocked(tenant) }),
  removeAllowedCallerAsAdministrator: async (tenant) => {
    const { id } = await administer(tenant, 'POST', '/allowed-callers', blocked(tenant));
    return { params: { id: String(id) } };
  },
  getAdministeredBlockedCallerAnswer: () => ({}),
  setAdministeredBlockedCallerAnswer: () => ({ body: { answer: 'declined' } }),

  getFraudDefaults: () => ({}),
  setFraudDefaults: () => ({ body: { project: { spend_per_hour_sar: 10_000 }, agents: {} } }),
  getFraudDefaultsOfOrganization: (tenant) => onOrganization(tenant),
  setFraudDefaultsOfOrganization: (tenant) => onOrganization(tenant, { project: {}, agents: {}, ends_calls: false }),
  listHighRiskPrefixes: () => ({}),
  addHighRiskPrefix: () => ({ body: { prefix: '+2526', note: 'No business there' } }),
  removeHighRiskPrefix: async (tenant) => {
    const prefix = '+2527';
    await administer(tenant, 'POST', '/high-risk-prefixes', { prefix });
    return { params: { prefix } };
  },

  allowSipTarget: () => ({ body: { host: '8.8.8.8:5060' } }),
  listSipTargets: () => ({}),
  checkSipTarget: () => ({ query: { address: 'sip:bob@8.8.8.8:5060' } }),
  removeSipTarget: async (tenant) => {
    const host = '8.8.4.4:5060';
    await administer(tenant, 'POST', '/sip-targets', { host });
    return { params: { host } };
  },

  getSipEdge: () => ({}),
  listSipLockouts: async ({ world: { db } }) => {
    await lockOut(db);
    return {};
  },
  releaseSipLockout: async ({ world: { db } }) => ({ params: { subject: await lockOut(db) } }),
  listSipRefusals: async ({ world: { db } }) => {
    const hour = new Date(Math.floor(Date.now() / HOUR_MS) * HOUR_MS);
    const row = { hour, reason: 'scanner', source: ADDRESS, country: null, requests: 7, last_at: new Date() } as const;
    await new SipRefusals(db).add([row]);
    return {};
  },
  listSipNetworks: async (tenant) => {
    await administer(tenant, 'POST', '/sip/networks', allowed());
    return {};
  },
  putSipNetwork: () => ({ body: allowed() }),
  removeSipNetwork: async (tenant) => {
    const body = allowed();
    await administer(tenant, 'POST', '/sip/networks', body);
    return { params: { network: body.network } };
  },

  // Without effect: an import replaces the numbers that this world offers.
  importNumbers: () => ({ body: { numbers: ['+966115559000-+966115559009'], dry_run: true } }),
  getNumberHistory: async (tenant) => ({ params: { number: (await newNumber(tenant)).e164 } }),

  setBillingMode: (tenant) => onOrganization(tenant, { mode: 'postpaid' }),
  getPoolOfOrganization: (tenant) => onOrganization(tenant),
  topUpPool: (tenant) => onOrganization(tenant, { amount_sar: 10, reference: tenant.word('transfer') }),
  compareRatings: () => ({ query: DAYS }),
  correctRatings: () => ({ body: DAYS }),

  // This world has no seller.
  runInvoices: () => ({ body: { month: '2026-01', dry_run: true } }),
  listAdministeredInvoices: async (tenant) => {
    await invoiceOf(tenant);
    return {};
  },
  getAdministeredInvoicePdf: onInvoice,
  creditInvoice: async (tenant) => ({
    ...(await onInvoice(tenant)),
    body: { amount_sar: 1, reason: 'Billed twice', reference: tenant.word('credit') },
  }),
  listAdministeredCreditNotes: async (tenant) => {
    await creditNoteOf(tenant);
    return {};
  },
  getAdministeredCreditNotePdf: async (tenant) => ({ params: { number: (await creditNoteOf(tenant)).number } }),

  createAdministrator: () => ({
    body: { email: `${uniqueName('salem')}@operator.example`, name: 'Salem', password: 'seven lanterns at the quay' },
  }),
  listAdministratorTokens: () => ({}),
  createAdministratorToken: () => ({ body: token() }),
  revokeAdministratorToken: async (tenant) => {
    const { id } = await administer(tenant, 'POST', '/tokens', token());
    return { params: { token_id: String(id) } };
  },
};
