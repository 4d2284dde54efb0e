import { expect } from 'chai';
import { usageRoutes } from '../../api/routes/usage.js';
import { CallWriter, type CallEffect } from '../../core/data/call-writer.js';
import type { Database, Queryable } from '../../core/data/database.js';
import { Usage } from '../../core/data/repositories/usage.js';
import type { CallRow } from '../../core/data/rows.js';
import type { CallPrice } from '../../core/model/usage-prices.js';
import { newId } from '../../core/model/ids.js';
import type { UsageObject, UsageQuery } from '../../core/services/usage/read.js';
import { ReadUsage } from '../../core/services/usage/read.js';
import { callPrices } from '../../main/call-prices.js';
import { readSettings } from '../../config/settings.js';
import { testApi, type Answer, type TestApi } from './api.js';
import { stageEach } from './each.js';
import { callRow, effectOf, groundIn, insertRows, projectRow, type Ground } from './rows.js';
import { plainUsage, type Asker } from './usage-oracle.js';

/** Nothing is said of web calls that go out, nor of anything else that comes in. */
const PRICES = { outbound: '0.12', 'outbound.callback': '0.075', 'inbound.inbound': '0.033333', 'outbound.web': '0' };

function prices(): CallPrice[] {
  const given = Object.entries(PRICES).map(([name, sar]) => `${name}=${sar}`);
  return callPrices(readSettings({ CALL_PRICES: given.join(', ') }));
}

export interface UsageKey extends Asker {
  readonly key: string;
}

/** `GET /v1/usage` on a real port and database, calls that are written as their owner writes them, and plain SQL beside. */
export class UsageStage {
  readonly writer: CallWriter;
  readonly usage: Usage;

  private constructor(
    readonly db: Database,
    /** Of the database. */
    readonly url: string,
    readonly api: TestApi,
    readonly ground: Ground,
    /** Of one production project: a live key and a sandbox key; of one in a sandbox account: the same. */
    readonly keys: readonly UsageKey[],
  ) {
    this.writer = new CallWriter(db);
    this.usage = new Usage(db);
  }

  /** @param ground where calls are known to be; a new one when left out */
  static async on(db: Database, url: string, given?: Ground): Promise<UsageStage> {
    const api = await testApi({ db, routes: usageRoutes({ read: new ReadUsage(new Usage(db), prices()) }) });
    const ground = given ?? (await groundIn(db));
    const trial = { ...ground, organizationId: newId(), projectId: newId() };
    await insertRows(db, 'organizations', [
      { id: trial.organizationId, name: 'Trial', account_kind: 'sandbox', flags: {}, created_at: new Date() },
    ]);
    await insertRows(db, 'projects', [projectRow(trial)]);
    const keys: UsageKey[] = [];
    for (const { projectId } of [ground, trial]) {
      for (const kind of ['live', 'sandbox'] as const) {
        const { key } = await api.key({ projectId, kind });
        keys.push({ key, projectId, sandboxKey: kind === 'sandbox', sandboxAccount: projectId === trial.projectId });
      }
    }
    return new UsageStage(db, url, api, ground, keys);
  }

  get live(): UsageKey {
    return this.keys[0]!;
  }

  get sandbox(): UsageKey {
    return this.keys[1]!;
  }

  get trial(): UsageKey {
    return this.keys[2]!;
  }

  get(query: string, key = this.live.key): Promise<Answer> {
    return this.api.request('GET', `/v1/usage${query}`, { key });
  }

  /** A good answer. */
  async read(query: UsageQuery = {}, asker = this.live): Promise<UsageObject> {
    const { from, to, queueId, groupBy } = query;
    const given = { from: from?.toISOString(), to: to?.toISOString(), queue_id: queueId, group_by: groupBy };
    const text = Object.entries(given).flatMap(([name, value]) => (value === undefined ? [] : [`${name}=${value}`]));
    const answer = await this.get(`?${text.join('&')}`, asker.key);
    expect(answer.status, answer.text).to.equal(200);
    return answer.body as unknown as UsageObject;
  }

  /** The answer is what plain SQL says. */
  async expectPlain(query: UsageQuery = {}, asker = this.live): Promise<void> {
    const answer = await this.read(query, asker);
    expect(answer, JSON.stringify(query)).to.deep.equal(await plainUsage(this.db, asker, query, PRICES));
  }

  /** The same of what a transaction sees, without the API. */
  async expectPlainOn(tx: Queryable, query: UsageQuery, asker: UsageKey): Promise<void> {
    const { projectId, sandboxKey: sandboxOnly, sandboxAccount } = asker;
    const scope = { projectId, sandboxOnly, accountKind: sandboxAccount ? 'sandbox' : 'production' } as const;
    const answer = await new ReadUsage(new Usage(tx), prices()).read(scope, query);
    expect(answer, JSON.stringify(query)).to.deep.equal(await plainUsage(tx, asker, query, PRICES));
  }

  /** A call of the live key's project, made and written as it stands. */
  async call(changes: Partial<CallRow> = {}): Promise<CallRow> {
    const call = callRow(this.ground, changes);
    await this.write(call);
    return call;
  }

  /** Write a step of a call. */
  write(call: CallRow, changes: Partial<CallEffect> = {}): Promise<void> {
    return this.writer.commit(effectOf(call, { events: [], ...changes }));
  }

  async close(): Promise<void> {
    await this.writer.idle();
    await this.api.close();
    expect(this.api.faults).to.deep.equal([]);
  }
}

/** In a `describe`: each test has a stage of its own, on one database for all of them. */
export function usageEach(use: (stage: UsageStage) => void): void {
  stageEach(
    ({ db, url }) => UsageStage.on(db, url),
    use,
    (stage) => stage.close(),
  );
}
