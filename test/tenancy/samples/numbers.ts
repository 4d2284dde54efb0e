import type { Samples } from '../sample.js';
import type { Members, Tenant } from '../tenant.js';
import { queueOf } from './queues.js';

/** Orders a number. */
export async function newNumber(tenant: Tenant): Promise<{ id: string; e164: string }> {
  const made = await tenant.ask('POST', '/v1/numbers', { prefix: '+96611' });
  return { id: String(made.id), e164: tenant.secret(String(made.e164)) };
}

const numberOf = (tenant: Tenant) => tenant.once('number', () => newNumber(tenant));
const onNumber = async (tenant: Tenant) => ({ params: { id: (await numberOf(tenant)).id } });

/** Assigns a number to an end user. */
async function newVirtualNumber(tenant: Tenant): Promise<string> {
  const json = { external_user_id: tenant.word('user'), display_name: tenant.word('person') };
  const { data } = await tenant.ask('POST', '/v1/virtual-numbers', json);
  const { id, e164 } = data as Members;
  tenant.secret(String(e164));
  return String(id);
}

const onVirtualNumber = async (tenant: Tenant) => ({
  params: { id: await tenant.once('virtual number', () => newVirtualNumber(tenant)) },
});

export function documentForm(fields: Readonly<Record<string, string>>): FormData {
  const form = new FormData();
  for (const [name, value] of Object.entries(fields)) form.append(name, value);
  form.append('file', new Blob(['%PDF-1.4\n1 0 obj<<>>endobj\ntrailer<<>>\n%%EOF\n']), 'letter.pdf');
  return form;
}

export const letter = (): FormData => documentForm({});
export const authorization = (): FormData => documentForm({ kind: 'authorization' });

const wanted = (tenant: Tenant): Members => ({
  numbers: [tenant.number()],
  carrier: tenant.word('carrier'),
  account_name: tenant.word('account'),
});

interface Porting {
  readonly id: string;
  readonly document_id: string;
}

/** A draft of a porting request with a document. */
export async function newPorting(tenant: Tenant): Promise<Porting> {
  const { id } = await tenant.ask('POST', '/v1/porting-requests', wanted(tenant));
  const path = `/v1/porting-requests/${String(id)}/documents`;
  const { documents } = await tenant.ask('POST', path, undefined, { raw: authorization() });
  const [document] = documents as readonly { readonly id: string }[];
  return { id: String(id), document_id: document?.id ?? '' };
}

const portingOf = (tenant: Tenant): Promise<Porting> => tenant.once('porting', () => newPorting(tenant));
const onPorting = async (tenant: Tenant) => ({ params: { id: (await portingOf(tenant)).id } });

/** A claim to an own number, to be proved by a letter. */
export async function newClaim(tenant: Tenant): Promise<string> {
  const json = { number: tenant.number(), method: 'letter' };
  return String((await tenant.ask('POST', '/v1/numbers/own-did', json)).id);
}

/** A caller to block. */
export const caller = (tenant: Tenant): Members => ({
  kind: 'exact',
  number: tenant.number(),
  note: tenant.word('note'),
});

/** Blocks a caller. */
const newBlockedCaller = async (tenant: Tenant): Promise<string> =>
  String((await tenant.ask('POST', '/v1/blocked-callers', caller(tenant))).id);

/** Never blocks a caller. */
const newAllowedCaller = async (tenant: Tenant): Promise<string> =>
  String((await tenant.ask('POST', '/v1/allowed-callers', caller(tenant))).id);

const onClaim = async (tenant: Tenant) => ({ params: { id: await tenant.once('claim', () => newClaim(tenant)) } });

export const numbers: Samples = {
  orderNumber: () => ({ body: { prefix: '+96611' } }),
  listNumbers: async (tenant) => {
    await numberOf(tenant);
    return {};
  },
  listAvailableNumbers: () => ({}),
  getNumber: onNumber,
  changeNumber: async (tenant) => ({ ...(await onNumber(tenant)), body: { label: tenant.word('label') } }),
  bindNumber: async (tenant) => ({
    ...(await onNumber(tenant)),
    body: { type: 'queue', target: await queueOf(tenant) },
  }),
  releaseNumber: async (tenant) => ({ params: { id: (await newNumber(tenant)).id } }),

  allocateVirtualNumber: (tenant) => ({ body: { external_user_id: tenant.word('user') } }),
  listVirtualNumbers: async (tenant) => {
    await onVirtualNumber(tenant);
    return {};
  },
  getVirtualNumber: onVirtualNumber,
  setVirtualNumberInstructions: async (tenant) => ({
    ...(await onVirtualNumber(tenant)),
    body: { text: tenant.word('text'), language: 'en' },
  }),
  releaseVirtualNumber: async (tenant) => ({ params: { id: await newVirtualNumber(tenant) } }),

  createPortingRequest: (tenant) => ({ body: wanted(tenant) }),
  listPortingRequests: async (tenant) => {
    await portingOf(tenant);
    return {};
  },
  getPortingRequest: onPorting,
  changePortingRequest: async (tenant) => ({ ...(await onPorting(tenant)), body: { notes: tenant.word('notes') } }),
  addPortingDocument: async (tenant) => ({ ...(await onPorting(tenant)), form: authorization }),
  removePortingDocument: async (tenant) => ({ params: { ...(await newPorting(tenant)) } }),
  submitPortingRequest: async (tenant) => ({ params: { id: (await newPorting(tenant)).id } }),
  cancelPortingRequest: async (tenant) => ({ params: { id: (await newPorting(tenant)).id } }),

  blockCaller: (tenant) => ({ body: caller(tenant) }),
  listBlockedCallers: async (tenant) => {
    await newBlockedCaller(tenant);
    return {};
  },
  unblockCaller: async (tenant) => ({ params: { id: await newBlockedCaller(tenant) } }),
  allowCaller: (tenant) => ({ body: caller(tenant) }),
  listAllowedCallers: async (tenant) => {
    await newAllowedCaller(tenant);
    return {};
  },
  removeAllowedCaller: async (tenant) => ({ params: { id: await newAllowedCaller(tenant) } }),
  getBlockedCallerAnswer: () => ({}),
  setBlockedCallerAnswer: () => ({ body: { answer: 'unwanted' } }),

  claimOwnNumber: (tenant) => ({ body: { number: tenant.number(), method: 'letter' } }),
  listOwnNumberClaims: async (tenant) => {
    await onClaim(tenant);
    return {};
  },
  getOwnNumberClaim: onClaim,
  addOwnNumberLetter: async (tenant) => ({ ...(await onClaim(tenant)), form: letter }),
  verifyOwnNumber: async (tenant) => {
    const id = await newClaim(tenant);
    await tenant.world.platform.management.numbering.administration.approveClaim(id);
    return { params: { id }, body: {} };
  },
};
