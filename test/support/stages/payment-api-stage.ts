import { expect } from 'chai';
import { paymentRoutes } from '../../../api/routes/billing/payments.js';
import { testApi, type Answer, type TestApi } from '../api.js';
import type { TestDatabase } from '../platform/database.js';
import { stageEach } from '../each.js';
import { paymentStage, type PaymentStage } from './payment-stage.js';

/** What the accounts of an organization hold that nothing was booked for. */
export const NOTHING_BOOKED = { pool: 0, vat: 0, payments: 0 };

type Begun = Record<string, unknown> & { readonly id: string };

/** The routes of payments on a real port and database, and a customer who asks them with a live key. */
export interface PaymentApiStage extends PaymentStage {
  readonly database: TestDatabase;
  readonly api: TestApi;
  readonly organizationId: string;
  readonly projectId: string;
  readonly key: string;
  /** Of a path below `/v1/payments`, with the customer's key unless told otherwise. */
  get(path: string, by?: string): Promise<Answer>;
  post(path: string, json?: object, by?: string): Promise<Answer>;
  /** A payment that must begin: of 100 SAR at the gateway unless told otherwise. */
  begin(method?: string, amountSar?: number): Promise<Begun>;
  statusOf(id: string): Promise<unknown>;
}

async function paymentApiStage(database: TestDatabase): Promise<PaymentApiStage> {
  const stage = await paymentStage(database.url);
  const api = await testApi({ db: stage.stores.db, routes: paymentRoutes(stage) });
  const { organizationId, projectId } = await api.owner();
  const { key } = await api.key({ projectId });
  const get = (path: string, by = key): Promise<Answer> => api.request('GET', `/v1/payments${path}`, { key: by });
  const post = (path: string, json: object = {}, by = key): Promise<Answer> =>
    api.request('POST', `/v1/payments${path}`, { key: by, json });
  return {
    ...stage,
    ...{ database, api, organizationId, projectId, key, get, post },
    async begin(method = 'gateway', amountSar = 100) {
      const { status, body } = await post('', { amount_sar: amountSar, method });
      expect(status).to.equal(201);
      return body as Begun;
    },
    statusOf: async (id) => (await get(`/${id}`)).body?.status,
    async end() {
      expect(api.faults).to.deep.equal([]);
      expect(stage.peer.unsigned).to.deep.equal([]);
      await api.close();
      await stage.end();
    },
  };
}

/** In a `describe`: each test has a stage of its own, on one database for all of them. */
export function paymentApiEach(use: (stage: PaymentApiStage) => void): void {
  stageEach(paymentApiStage, use, (stage) => stage.end());
}

/** The status and the code of an answer. */
export function codeOf({ status, body }: Answer): unknown[] {
  return [status, body?.error_code];
}
