import { expect } from 'chai';
import { usageRoutes } from '../../../../api/routes/billing/usage.js';
import { CallWriter, type CallEffect } from '../../../../core/data/call-writer.js';
import type { Database, Queryable } from '../../../../core/data/database.js';
import { Usage } from '../../../../core/data/repositories/billing/usage.js';
import type { CallRow } from '../../../../core/data/rows.js';
import { newOrganizationRow } from '../../../../core/services/accounts/new-account.js';
import { newId } from '../../../../core/model/ids.js';
import type { UsageObject, UsageQuery } from '../../../../core/services/usage/read.js';
import { ReadUsage } from '../../../../core/services/usage/read.js';
import { PlanService } from '../../../../core/services/billing/plans.js';
import type { CallRating } from '../../../../core/services/billing/rating.js';
import { RatePlans } from '../../../../core/data/repositories/billing/rate-plans.js';
import type { Rate } from '../../../../core/model/rating/rate.js';
import { systemClock } from '../../../../core/ports/clock.js';
import { testApi, type Answer, type TestApi } from '../../api.js';
import { stageEach } from '../../each.js';
import { callRow, effectOf, groundIn, insertRows, projectRow, type Ground } from '../../rows/rows.js';
import { raterOn } from './billing-stage.js';
import { chargesOf, EPOCH_MS } from '../../rows/usage-calls.js';
import { plainUsage, type Asker, type PlanVersion } from '../../judges/usage-oracle.js';

const SECONDLY = { kind: null, prefix: '', incrementSeconds: 1, minimumSeconds: 0 } as const;
/** No rates for outgoing web calls, nor for other incoming calls. */
const RATES: readonly Rate[] = [
  { ...SECONDLY, direction: 'outbound', perMinute: 120_000 },
  { ...SECONDLY, direction: 'outbound', kind: 'callback', perMinute: 75_000 },
  { ...SECONDLY, direction: 'outbound', kind: 'web', perMinute: 0 },
  { ...SECONDLY, direction: 'inbound', kind: 'inbound', perMinute: 33_333 },
  { ...SECONDLY, direction: 'outbound', prefix: '1', perMinute: 912_345, incrementSeconds: 60, minimumSeconds: 30 },
  { ...SECONDLY, direction: 'outbound', kind: 'web', prefix: '1415', perMinute: 7, incrementSeconds: 13 },
];
/** A second version with other prices, which is valid from the middle of the random days. */
export const PLAN: readonly PlanVersion[] = [
  { validFrom: new Date(0), rates: RATES },
  {
    validFrom: new Date(EPOCH_MS + 7.3 * 86_400_000),
    rates: [{ ...SECONDLY, direction: 'outbound', perMinute: 99_991, incrementSeconds: 6, minimumSeconds: 20 }],
  },
];

export interface UsageKey extends Asker {
  readonly key: string;
}

/** `GET /v1/usage` on a real port and database, a writer of calls, and a comparison with plain SQL. */
export class UsageStage {
  readonly writer: CallWriter;
  readonly usage: Usage;
  readonly rating: CallRating;

  private constructor(
    readonly db: Database,
    /** The URL of the database. */
    readonly url: string,
    readonly api: TestApi,
    readonly ground: Ground,
    /** A live and a sandbox key of a production project, then the same of a project in a sandbox account. */
    readonly keys: readonly UsageKey[],
  ) {
    this.writer = new CallWriter(db);
    this.usage = new Usage(db);
    this.rating = raterOn(db);
  }

  /** @param given the project of the calls; a new one by default */
  static async on(db: Database, url: string, given?: Ground): Promise<UsageStage> {
    const api = await testApi({ db, routes: usageRoutes({ read: new ReadUsage(new Usage(db)) }) });
    const ground = given ?? (await groundIn(db));
    const organization = newOrganizationRow('Trial', 'sandbox', {}, new Date());
    const trial = { ...ground, organizationId: organization.id, projectId: newId() };
    await insertRows(db, 'organizations', [organization]);
    await insertRows(db, 'projects', [projectRow(trial)]);
    const plans = new PlanService({ plans: new RatePlans(db), clock: systemClock });
    const plan = `plan-${newId()}`;
    for (const { rates, validFrom } of PLAN) await plans.add(plan, rates, validFrom);
    for (const { organizationId } of [ground, trial]) await plans.assign(organizationId, plan);
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

  /** Requests usage; the request must succeed. */
  async read(query: UsageQuery = {}, asker = this.live): Promise<UsageObject> {
    const { from, to, queueId, groupBy } = query;
    const given = { from: from?.toISOString(), to: to?.toISOString(), queue_id: queueId, group_by: groupBy };
    const text = Object.entries(given).flatMap(([name, value]) => (value === undefined ? [] : [`${name}=${value}`]));
    const answer = await this.get(`?${text.join('&')}`, asker.key);
    expect(answer.status, answer.text).to.equal(200);
    return answer.body as unknown as UsageObject;
  }

  /** Expects that the API's answer equals the result of plain SQL. */
  async expectPlain(query: UsageQuery = {}, asker = this.live): Promise<void> {
    const answer = await this.read(query, asker);
    expect(answer, JSON.stringify(query)).to.deep.equal(await plainUsage(this.db, asker, query, PLAN));
  }

  /** {@link expectPlain} for the data that a transaction sees, without the API. */
  async expectPlainOn(tx: Queryable, query: UsageQuery, asker: UsageKey): Promise<void> {
    const { projectId, sandboxKey: sandboxOnly, sandboxAccount } = asker;
    const scope = { projectId, sandboxOnly, accountKind: sandboxAccount ? 'sandbox' : 'production' } as const;
    const answer = await new ReadUsage(new Usage(tx)).read(scope, query);
    expect(answer, JSON.stringify(query)).to.deep.equal(await plainUsage(tx, asker, query, PLAN));
  }

  /** Stores a call of the live key's project. */
  async call(changes: Partial<CallRow> = {}): Promise<CallRow> {
    const call = callRow(this.ground, changes);
    await this.write(call);
    return call;
  }

  /** Writes a step of a call, with its charge if it has ended. */
  write(call: CallRow, changes: Partial<CallEffect> = {}): Promise<void> {
    return this.writer.commit(effectOf(call, { events: [], ...chargesOf(call), ...changes }));
  }

  async close(): Promise<void> {
    await this.writer.idle();
    await this.api.close();
    expect(this.api.faults).to.deep.equal([]);
  }
}

/** For a `describe`: a new stage for each test, on one database for all tests. */
export function usageEach(use: (stage: UsageStage) => void): void {
  stageEach(
    ({ db, url }) => UsageStage.on(db, url),
    use,
    (stage) => stage.close(),
  );
}
