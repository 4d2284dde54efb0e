import { Secret, TOTP } from 'otpauth';
import { ADMINISTRATOR } from '../../support/stages/administration/administration-stage.js';
import type { Samples } from '../sample.js';
import type { Members, Tenant } from '../tenant.js';
import { administer, uniqueName as name } from './administer.js';
import { liveCallOf } from './calls.js';
import { letter, newClaim, newPorting } from './numbers.js';
import { storeArchive } from './privacy.js';
import { newBrand } from './verification.js';
import { newDelivery } from './webhooks.js';

const person = () => ({
  email: `${name('owner')}@example.com`,
  name: 'Reem',
  password: 'nine quiet camels at the well',
});
const organization = () => ({ name: 'Riyadh Dental', tier: 'production', owner: person() });
const onOrganization = ({ ground }: Tenant) => ({ params: { organization_id: ground.organizationId } });

/** An organization of its own, with its name for the second confirmation. */
const onOther = async (tenant: Tenant) => {
  const { organization: made } = await administer(tenant, 'POST', '/organizations', organization());
  const { id, name } = made as Members;
  return { params: { organization_id: String(id) }, body: { name: String(name) } };
};
const onEnded = async (tenant: Tenant) => {
  const { params, body } = await onOther(tenant);
  const { id } = await administer(tenant, 'DELETE', `/organizations/${params.organization_id}`, body);
  return { params, ending: String(id) };
};

/** A user of an organization of its own. */
const onUser = async (tenant: Tenant) => {
  const { owner } = await administer(tenant, 'POST', '/organizations', organization());
  return { params: { user_id: String((owner as Members).id) } };
};

const onSubmittedBrand = async (tenant: Tenant) => {
  const brand_id = await newBrand(tenant);
  await tenant.ask('POST', `/v1/voice-auth/brands/${brand_id}/submit`);
  return { params: { brand_id } };
};

/** A claim to an own number with a letter. */
const onClaim = async (tenant: Tenant) => ({ params: { id: await newClaim(tenant) } });
const onLetter = async (tenant: Tenant) => {
  const id = await newClaim(tenant);
  await tenant.ask('POST', `/v1/numbers/own-did/${id}/letter`, undefined, { raw: letter() });
  const { documents } = await tenant.world.platform.management.numbering.administration.claim(id);
  return { params: { id, document_id: documents[0]?.id ?? '' } };
};

const onPorting = async (tenant: Tenant) => {
  const { id } = await newPorting(tenant);
  await tenant.ask('POST', `/v1/porting-requests/${id}/submit`);
  return { params: { id } };
};
/** A porting request in review. */
const onReview = async (tenant: Tenant) => {
  const on = await onPorting(tenant);
  await administer(tenant, 'POST', `/porting-requests/${on.params.id}/review`);
  return on;
};
const PORTED_AT = '2027-01-31T09:00:00+03:00';

/** Nothing listens there. */
const engine = () => ({ name: name('engine'), kind: 'freeswitch', address: '127.0.0.1:1', password: 'secret' });
export const onEngine = async (tenant: Tenant) => {
  const made = await administer(tenant, 'POST', '/engines', engine());
  return { params: { name: String(made.name) } };
};
const trunk = () => ({ name: name('trunk'), uri: 'sip:192.0.2.9', is_default: false, probed: false });
const onTrunk = async (tenant: Tenant) => {
  const made = await administer(tenant, 'POST', '/trunks', trunk());
  return { params: { name: String(made.name) } };
};
const onTrunkRoute = async (tenant: Tenant) => {
  const { params } = await onTrunk(tenant);
  // No call of the tests goes to this country.
  const made = await administer(tenant, 'POST', '/trunk-routes', { trunk: params.name, prefix: '99919' });
  return { params: { id: String(made.id) } };
};

const onPayment = async (tenant: Tenant) => {
  const { reference } = await tenant.ask('POST', '/v1/payments', { amount_sar: 10, method: 'bank_transfer' });
  return { params: { reference: tenant.secret(String(reference)) } };
};
const onPaid = async (tenant: Tenant) => {
  const on = await onPayment(tenant);
  await administer(tenant, 'POST', `/payments/${on.params.reference}/confirm`, { paid_sar: 11.5 });
  return on;
};

const rates = [{ direction: 'outbound', prefix: '966', per_minute_sar: 0.25 }];
const onPlan = async (tenant: Tenant) => {
  const plan = name('plan');
  await administer(tenant, 'POST', `/rate-plans/${plan}/versions`, { rates });
  return { params: { plan } };
};

const password = { password: ADMINISTRATOR.password };

export const administration: Samples = {
  getSetup: () => ({}),
  signInAdministrator: () => ({ body: { email: ADMINISTRATOR.email, ...password } }),
  getAdministrator: () => ({}),
  // The same again: the other samples need it.
  changeAdministratorPassword: () => ({ body: { current_password: password.password, ...password } }),
  offerAdministratorTotp: () => ({ body: password }),
  confirmAdministratorTotp: async (tenant) => {
    const { secret } = await administer(tenant, 'POST', '/me/totp', password);
    return { body: { code: new TOTP({ secret: Secret.fromBase32(String(secret)) }).generate() } };
  },
  removeAdministratorTotp: () => ({ body: password }),

  createOrganization: () => ({ body: organization() }),
  listOrganizations: () => ({}),
  getOrganizationAsAdministrator: onOrganization,
  changeOrganizationAsAdministrator: (tenant) => ({
    ...onOrganization(tenant),
    body: { contact_email: 'owner@example.com', flags: { verify: null } },
  }),

  deleteOrganization: onOther,
  getOrganizationDeletion: async (tenant) => {
    const { params } = await onEnded(tenant);
    return { params };
  },
  downloadOrganizationArchive: async (tenant) => {
    const { params, ending } = await onEnded(tenant);
    await storeArchive(tenant, 'organization_endings', ending);
    return { params };
  },

  listUsers: () => ({}),
  getUser: onUser,
  changeUser: async (tenant) => ({ ...(await onUser(tenant)), body: { disabled: true } }),
  endSessionsOfUser: onUser,
  impersonateUser: async (tenant) => ({ ...(await onUser(tenant)), body: { reason: 'Case 1042' } }),

  listAdministeredBrands: async (tenant) => {
    await onSubmittedBrand(tenant);
    return { query: { status: 'pending' } };
  },
  approveBrand: onSubmittedBrand,
  rejectBrand: async (tenant) => ({ ...(await onSubmittedBrand(tenant)), body: { reason: 'Not your name' } }),

  listAdministeredOwnNumberClaims: async (tenant) => {
    await onClaim(tenant);
    return {};
  },
  getAdministeredOwnNumberClaim: async (tenant) => {
    const { params } = await onLetter(tenant);
    return { params: { id: params.id } };
  },
  getAdministeredOwnNumberDocument: onLetter,
  approveOwnNumberClaim: onClaim,
  rejectOwnNumberClaim: async (tenant) => ({
    ...(await onClaim(tenant)),
    body: { reason: 'The letter is not signed' },
  }),

  listAdministeredPortingRequests: async (tenant) => {
    await onPorting(tenant);
    return {};
  },
  getAdministeredPortingRequest: onPorting,
  getAdministeredPortingDocument: async (tenant) => ({ params: { ...(await newPorting(tenant)) } }),
  reviewPortingRequest: onPorting,
  schedulePortingRequest: async (tenant) => ({ ...(await onReview(tenant)), body: { at: PORTED_AT } }),
  completePortingRequest: async (tenant) => {
    const on = await onReview(tenant);
    await administer(tenant, 'POST', `/porting-requests/${on.params.id}/schedule`, { at: PORTED_AT });
    return on;
  },
  rejectPortingRequest: async (tenant) => ({
    ...(await onReview(tenant)),
    body: { reason: 'The account is not yours' },
  }),

  listFlags: ({ ground }) => ({ query: { organization_id: ground.organizationId } }),
  setFlag: ({ ground }) => ({
    params: { flag: 'call_velocity' },
    body: { organization_id: ground.organizationId, on: false },
  }),

  listEngines: () => ({}),
  addEngine: () => ({ body: engine() }),
  drainEngine: onEngine,
  resumeEngine: onEngine,
  removeEngine: onEngine,

  listTrunks: () => ({}),
  addTrunk: () => ({ body: trunk() }),
  changeTrunk: async (tenant) => ({ ...(await onTrunk(tenant)), body: { capacity: 30, caller_id: 'main' } }),
  removeTrunk: onTrunk,
  listTrunkRates: onTrunk,
  replaceTrunkRates: async (tenant) => ({
    ...(await onTrunk(tenant)),
    body: { rates: [{ prefix: '9665', per_minute_sar: 0.045 }] },
  }),
  listTrunkRoutes: async (tenant) => {
    await onTrunkRoute(tenant);
    return {};
  },
  addTrunkRoute: async (tenant) => {
    const { params } = await onTrunk(tenant);
    const hours = { weekdays: ['sunday', 'monday'], from: '08:00', to: '17:00' };
    return { body: { trunk: params.name, prefix: '99919', hours, priority: 10, cost_sar: 0.05 } };
  },
  removeTrunkRoute: onTrunkRoute,
  readTrunkFigures: () => ({}),
  listTrunkAttempts: async (tenant) => ({ query: { call_id: await liveCallOf(tenant) } }),

  listAdministeredPayments: async (tenant) => {
    await onPayment(tenant);
    return {};
  },
  confirmPayment: async (tenant) => ({
    ...(await onPayment(tenant)),
    body: { paid_sar: 11.5, bank_reference: 'FT-1042' },
  }),
  refusePayment: async (tenant) => ({ ...(await onPayment(tenant)), body: { reason: 'No transfer arrived' } }),
  refundPayment: async (tenant) => ({
    ...(await onPaid(tenant)),
    body: { overdraw: true, reference: 'R-1042', reason: 'Paid twice' },
  }),

  listRatePlans: () => ({}),
  getAdministeredRatePlan: onPlan,
  addRatePlanVersion: () => ({ params: { plan: name('plan') }, body: { rates } }),
  assignRatePlan: ({ ground }) => ({ params: { plan: 'default' }, body: { organization_id: ground.organizationId } }),

  listDeadLetters: () => ({}),
  redeliverDeadLetter: async (tenant) => ({ params: { id: (await newDelivery(tenant)).delivery_id } }),

  listAuditOfInstallation: () => ({}),
  listAudit: () => ({}),
};
