import { expect } from 'chai';
import { paymentRoutes } from '../../../../api/routes/billing/payments.js';
import { testApi, type Answer, type TestApi } from '../../api.js';
import type { TestDatabase } from '../../platform/database.js';
import { stageEach } from '../../each.js';
import { paymentStage, type PaymentStage } from './payment-stage.js';

/** The account balances of an organization without bookings. */
export const NOTHING_BOOKED = { pool: 0, vat: 0, payments: 0 };

type StartedPayment = Record<string, unknown> & { readonly id: string };

/** The routes of payments on a real port and database, and a customer's live key. */
export interface PaymentApiStage extends PaymentStage {
  readonly database: TestDatabase;
  readonly api: TestApi;
  readonly organizationId: string;
  readonly projectId: string;
  readonly key: string;
  /** Requests a path below `/v1/payments`, with the customer's key by default. */
  get(path: string, by?: string): Promise<Answer>;
  post(path: string, json?: object, by?: string): Promise<Answer>;
  /** Starts a payment, by default of 100 SAR at the gateway; it must be accepted. */
  begin(method?: string, amountSar?: number): Promise<StartedPayment>;
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
      return body as StartedPayment;
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

/** For a `describe`: a new stage for each test, on one database for all tests. */
export function paymentApiEach(use: (stage: PaymentApiStage) => void): void {
  stageEach(paymentApiStage, use, (stage) => stage.end());
}

/** The status and the code of an answer. */
export function codeOf({ status, body }: Answer): unknown[] {
  return [status, body?.error_code];
}
