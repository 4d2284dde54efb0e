import { expect } from 'chai';
import { testApi, type Answer, type TestApi } from '../api.js';
import { stageEach } from '../each.js';
import type { TestDatabase } from '../platform/database.js';
import { queueParts, type QueueParts } from './queue-stage.js';
import { succeeded } from '../judges/succeeded.js';

/** The routes of queues and agents on a real port and database, with a live key of one project. */
export interface QueueApiStage {
  readonly database: TestDatabase;
  readonly parts: QueueParts;
  readonly api: TestApi;
  readonly key: string;
  readonly projectId: string;
  /** @param path below `/v1`. @param as another key than the project's */
  readonly request: (method: string, path: string, json?: object, as?: string) => Promise<Answer>;
  /** The same, for a request that must succeed. @returns the body of the answer */
  readonly good: (method: string, path: string, json?: object) => Promise<Record<string, unknown>>;
}

/** For a `describe`: starts a new stage for each test, on one database, and fails if the API had a fault. */
export function queueApiEach(use: (stage: QueueApiStage) => void): void {
  stageEach(start, use, async ({ parts, api }) => {
    await parts.coordinator.stop();
    await api.close();
    expect(api.faults).to.deep.equal([]);
  });
}

async function start(database: TestDatabase): Promise<QueueApiStage> {
  const parts = queueParts(database.db);
  const api = await testApi({ db: database.db, routes: parts.routes });
  const { projectId } = await api.owner();
  const { key } = await api.key({ projectId });
  const request: QueueApiStage['request'] = (method, path, json, as = key) =>
    api.request(method, `/v1${path}`, { key: as, ...(json && { json }) });
  const good: QueueApiStage['good'] = async (...asked) => {
    return succeeded(await request(...asked));
  };
  return { database, parts, api, key, projectId, request, good };
}
