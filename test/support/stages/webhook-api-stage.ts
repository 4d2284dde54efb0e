import { expect } from 'chai';
import { eventRoutes } from '../../../api/routes/webhooks/events.js';
import { webhookDeliveryRoutes } from '../../../api/routes/webhooks/webhook-deliveries.js';
import { webhookRoutes } from '../../../api/routes/webhooks/webhooks.js';
import { Calls } from '../../../core/data/repositories/calls/calls.js';
import { systemClock } from '../../../core/ports/clock.js';
import { CustomerNumbers } from '../../../core/services/calls/customer-numbers.js';
import { EventFeed } from '../../../core/services/events/feed.js';
import { EventLog } from '../../../core/services/events/list.js';
import { testApi, type Answer, type RequestOptions, type TestApi } from '../api.js';
import { WebhookReceiver } from '../peers/receiver.js';
import { WebhookStage } from './webhook-stage.js';

export interface CreatedEndpoint {
  readonly id: string;
  readonly secret: string;
  readonly sandbox: boolean;
}

/** The routes of webhooks and events on a real port and database, with a receiver and keys of one project. */
export interface WebhookApi {
  readonly stage: WebhookStage;
  readonly api: TestApi;
  readonly feed: EventFeed;
  readonly receiver: WebhookReceiver;
  /** Keys with every scope but `pii:read`. */
  readonly live: string;
  readonly sandbox: string;
  /** Sends a request, with the live key by default. */
  readonly ask: (method: string, path: string, json?: object, options?: RequestOptions) => Promise<Answer>;
  /** Creates an endpoint for all events, which must be accepted, at this path of the receiver. */
  readonly endpoint: (path?: string, key?: string) => Promise<CreatedEndpoint>;
}

/** For a `describe`: one such API for all tests. After each test its answers must match the routes' definitions. */
export function withWebhookApi(use: (made: WebhookApi) => void): void {
  let made: WebhookApi;
  before(async () => {
    made = await webhookApi();
    use(made);
  });
  afterEach(async () => {
    const { api, stage, receiver } = made;
    expect(api.faults).to.deep.equal([]);
    await stage.deliverer.idle();
    await stage.reset();
    receiver.requests.length = 0;
    receiver.script = () => 204;
    receiver.trust();
  });
  after(async () => {
    await made.receiver.close();
    await made.api.close();
    await made.stage.close();
  });
}

async function webhookApi(): Promise<WebhookApi> {
  const stage = await WebhookStage.start();
  const { db } = stage.database;
  const feed = new EventFeed({ db, clock: systemClock, log: stage.log });
  stage.writer.onEvents((projectIds) => feed.signal(projectIds));
  const customerNumbers = new CustomerNumbers(new Calls(db));
  const routes = [
    ...webhookRoutes({ endpoints: stage.endpoints, cipher: stage.cipher }),
    ...webhookDeliveryRoutes(stage.deliveries),
    ...eventRoutes({ log: new EventLog(db), feed, customerNumbers, streamsPerKey: 3 }),
  ];
  const api = await testApi({ db, routes, cipher: stage.cipher, limits: { sandboxPerMinute: 100_000 } });
  const { projectId } = stage.ground;
  const { key: live } = await api.key({ projectId });
  const { key: sandbox } = await api.key({ projectId, kind: 'sandbox' });
  const receiver = await WebhookReceiver.start();
  const ask: WebhookApi['ask'] = (method, path, json, options = {}) =>
    api.request(method, path, { key: live, ...(json && { json }), ...options });
  return {
    ...{ stage, api, feed, receiver, live, sandbox, ask },
    endpoint: async (path = '/hook', key = live) => {
      const answer = await ask('POST', '/v1/webhooks', { url: receiver.url(path), events: ['*'] }, { key });
      expect(answer.status, answer.text).to.equal(201);
      return answer.body as unknown as CreatedEndpoint;
    },
  };
}
