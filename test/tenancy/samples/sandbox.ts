import type { RequestOptions } from '../../support/api.js';
import type { Asked, Sample, Samples } from '../sample.js';
import type { Members, Tenant } from '../tenant.js';
import { audioForm } from './flows.js';
import { authorization, caller, letter } from './numbers.js';

/** Asks with the tenant's sandbox key. */
const ask = (tenant: Tenant, method: string, path: string, json?: unknown, more: RequestOptions = {}) =>
  tenant.ask(method, path, json, { key: tenant.keys.sandbox, ...more });

/** A claim of the sandbox, to be proved by a letter. */
async function newClaim(tenant: Tenant): Promise<string> {
  return String((await ask(tenant, 'POST', '/v1/numbers/own-did', { number: tenant.number(), method: 'letter' })).id);
}

const claimOf = (tenant: Tenant): Promise<string> => tenant.once('sandbox claim', () => newClaim(tenant));

/** A number of the sandbox, bound to the echo service. */
async function newNumber(tenant: Tenant): Promise<{ id: string; e164: string }> {
  const path = `/v1/numbers/own-did/${await newClaim(tenant)}/letter`;
  const { e164, number_id } = await ask(tenant, 'POST', path, undefined, { raw: letter() });
  const id = String(number_id);
  await ask(tenant, 'PUT', `/v1/numbers/${id}/binding`, { type: 'echo', target: null });
  return { id, e164: String(e164) };
}

const numberOf = (tenant: Tenant) => tenant.once('sandbox number', () => newNumber(tenant));

const wanted = (tenant: Tenant): Members => ({
  numbers: [tenant.number()],
  carrier: tenant.word('carrier'),
  account_name: tenant.word('account'),
});

/** A draft of a porting request of the sandbox with a document. */
async function newPorting(tenant: Tenant): Promise<string> {
  const id = String((await ask(tenant, 'POST', '/v1/porting-requests', wanted(tenant))).id);
  await ask(tenant, 'POST', `/v1/porting-requests/${id}/documents`, undefined, { raw: authorization() });
  return id;
}

const portingOf = (tenant: Tenant): Promise<string> => tenant.once('sandbox porting', () => newPorting(tenant));

const newBlockedCaller = async (tenant: Tenant): Promise<string> =>
  String((await ask(tenant, 'POST', '/v1/blocked-callers', caller(tenant))).id);

const newAudio = async (tenant: Tenant): Promise<string> =>
  String((await ask(tenant, 'POST', '/v1/callflows/audio', undefined, { raw: audioForm(tenant) })).id);

const audioOf = (tenant: Tenant): Promise<string> => tenant.once('sandbox audio', () => newAudio(tenant));

const sandbox =
  (sample: Sample): Sample =>
  async (tenant) => ({ ...(await sample(tenant)), by: 'sandbox' });

const on = (idOf: (tenant: Tenant) => Promise<string>, asked: Omit<Asked, 'params'> = {}): Sample =>
  sandbox(async (tenant) => ({ params: { id: await idOf(tenant) }, ...asked }));

const onNumber = (asked: Omit<Asked, 'params'> = {}): Sample =>
  on(async (tenant) => (await numberOf(tenant)).id, asked);

const listing = (make: (tenant: Tenant) => Promise<unknown>): Sample =>
  sandbox(async (tenant) => {
    await make(tenant);
    return {};
  });

export const simulateIncomingCall = sandbox(async (tenant) => ({
  body: { to: (await numberOf(tenant)).e164, hang_up_after_seconds: 1 },
  names: ['body.to'],
}));

/** How a sandbox key brings operations to a 2xx whose resources no live key sees. */
export const SANDBOX_SAMPLES: Samples = {
  listNumbers: listing(numberOf),
  getNumber: onNumber(),
  changeNumber: onNumber({ body: { label: 'mine' } }),
  bindNumber: onNumber({ body: { type: 'echo', target: null } }),
  releaseNumber: on(async (tenant) => (await newNumber(tenant)).id),
  getVoicemailBox: onNumber(),
  putVoicemailBox: onNumber({ body: { enabled: false } }),

  listOwnNumberClaims: listing(claimOf),
  getOwnNumberClaim: on(claimOf),
  addOwnNumberLetter: on(newClaim, { form: letter }),

  listPortingRequests: listing(portingOf),
  getPortingRequest: on(portingOf),
  changePortingRequest: on(portingOf, { body: { notes: 'soon' } }),
  addPortingDocument: on(portingOf, { form: authorization }),
  submitPortingRequest: on(newPorting),
  cancelPortingRequest: on(newPorting),

  listBlockedCallers: listing(newBlockedCaller),
  unblockCaller: on(newBlockedCaller),

  listAudio: listing(audioOf),
  getAudioUsage: listing(audioOf),
  deleteAudio: on(newAudio),
};
