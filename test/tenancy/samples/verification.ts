import type { Samples } from '../sample.js';
import { BUSY } from '../simulated-phones.js';
import type { Tenant } from '../tenant.js';

/** Numbers of the sandbox whose calls are over at once. */
export const [SANDBOX_NUMBER, OTHER_SANDBOX_NUMBER] = ['+966500000003', '+966500000004'] as const;

let brandCount = 10;

/** Names that no other brand has. */
const brandNames = (tenant: Tenant) => {
  const count = ++brandCount;
  return { name_en: tenant.secret(`${tenant.name} ${count}`), name_ar: tenant.secret(`علامة ${count}`) };
};

export async function newBrand(tenant: Tenant): Promise<string> {
  return String((await tenant.ask('POST', '/v1/voice-auth/brands', brandNames(tenant))).id);
}

const brandOf = (tenant: Tenant): Promise<string> => tenant.once('brand', () => newBrand(tenant));
const onBrand = async (tenant: Tenant) => ({ params: { brand_id: await brandOf(tenant) } });

/** A brand under which calls may introduce themselves. */
const approvedBrandOf = (tenant: Tenant): Promise<string> =>
  tenant.once('approved brand', async () => {
    const id = await newBrand(tenant);
    await tenant.ask('POST', `/v1/voice-auth/brands/${id}/submit`);
    await tenant.world.platform.management.brands.approve(id);
    return id;
  });

async function newVerification(tenant: Tenant): Promise<string> {
  return String(
    (await tenant.ask('POST', '/v1/verify', { to: tenant.number(BUSY), channel: 'voice' })).verification_id,
  );
}

const verificationOf = (tenant: Tenant): Promise<string> => tenant.once('verification', () => newVerification(tenant));

const challengeOf = (tenant: Tenant): Promise<string> =>
  tenant.once('challenge', async () => {
    const json = { to: tenant.number(BUSY), brand_id: await approvedBrandOf(tenant) };
    return String((await tenant.ask('POST', '/v1/voice-auth/challenges', json)).challenge_id);
  });

export const verification: Samples = {
  startVerification: async (tenant) => ({
    body: { to: tenant.number(BUSY), channel: 'voice', brand_id: await approvedBrandOf(tenant) },
  }),
  getVerification: async (tenant) => ({ params: { verification_id: await verificationOf(tenant) } }),
  checkVerification: async (tenant) => ({
    body: { verification_id: await verificationOf(tenant), code: '000000' },
  }),
  // Only a verification that succeeded is sent again at any time, and only the sandbox's code is known.
  resendVerification: async (tenant) => {
    const by = { key: tenant.keys.sandbox };
    const { verification_id } = await tenant.ask('POST', '/v1/verify', { to: SANDBOX_NUMBER }, by);
    await tenant.ask('POST', '/v1/verify/check', { verification_id, code: '000000' }, by);
    return { params: { verification_id: String(verification_id) }, by: 'sandbox' };
  },

  createBrand: (tenant) => ({ body: brandNames(tenant) }),
  listBrands: async (tenant) => {
    await brandOf(tenant);
    return {};
  },
  getBrand: onBrand,
  changeBrand: async (tenant) => ({ params: { brand_id: await newBrand(tenant) }, body: brandNames(tenant) }),
  deleteBrand: async (tenant) => ({ params: { brand_id: await newBrand(tenant) } }),
  submitBrand: async (tenant) => ({ params: { brand_id: await newBrand(tenant) } }),

  startChallenge: async (tenant) => ({ body: { to: tenant.number(BUSY), brand_id: await approvedBrandOf(tenant) } }),
  getChallenge: async (tenant) => ({ params: { challenge_id: await challengeOf(tenant) } }),
};
