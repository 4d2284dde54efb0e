import { expect } from 'chai';
import { callflowRoutes } from '../../../api/routes/flows/callflows.js';
import { numberBindingRoutes } from '../../../api/routes/numbers/number-binding.js';
import type { Route } from '../../../api/http/route.js';
import { newId } from '../../../core/model/ids.js';
import type { Caller } from '../../../core/services/access/caller.js';
import { systemClock } from '../../../core/ports/clock.js';
import { openCallflows } from '../../../main/wiring/callflows.js';
import { testApi, type Answer, type Owner, type TestApi } from '../api.js';
import { TEST_CIPHER } from '../cipher.js';
import type { TestDatabase } from '../platform/database.js';
import { stageEach } from '../each.js';
import { quiet } from '../logger.js';
import { numberStage } from './number-stage.js';
import { engineRow, insertRows, numberRow } from '../rows/rows.js';
import { succeeded } from '../judges/succeeded.js';

export type Json = Record<string, unknown>;

/** The members of the API's flow object that tests use. */
export interface Flow {
  readonly id: string;
  readonly version: number;
}

export const END = { type: 'hangup' };
export const MENU = {
  name: 'Main line',
  kind: 'menu',
  definition: {
    language: 'en',
    greeting: { text: 'Welcome.' },
    prompt: { text: 'Press one for sales.' },
    options: { 1: { type: 'number', target: '0501234567' } },
  },
};

/** The request body for a graph that starts at its first node. */
export function graph(nodes: Json, more: Json = {}): Json {
  return { name: 'Graph', kind: 'graph', definition: { start: Object.keys(nodes)[0], nodes, ...more } };
}

/** `status CODE path`; the path is that of the first detail. */
export async function codeOf(answer: Promise<Answer>): Promise<string> {
  const { status, body } = await answer;
  const [detail] = (body?.details ?? []) as { path: string }[];
  return `${status} ${String(body?.error_code)}${detail ? ` ${detail.path}` : ''}`;
}

interface FlowParts {
  readonly routes: readonly Route[];
  /** Texts that were synthesized in advance. */
  readonly spoken: string[];
  close(): Promise<void>;
}

/** The API of call flows and bindings on a database, without external systems, and a project with its keys. */
export class FlowStage {
  private constructor(
    private readonly database: TestDatabase,
    private readonly parts: FlowParts,
    readonly api: TestApi,
    readonly owner: Owner,
    readonly key: string,
    readonly sandboxKey: string,
  ) {}

  static async start(database: TestDatabase): Promise<FlowStage> {
    const parts = flowParts(database.url);
    const api = await testApi({ db: database.db, routes: parts.routes });
    const owner = await api.owner();
    const { projectId } = owner;
    const { key } = await api.key({ projectId });
    const { key: sandboxKey } = await api.key({ projectId, kind: 'sandbox' });
    return new FlowStage(database, parts, api, owner, key, sandboxKey);
  }

  get routes(): readonly Route[] {
    return this.parts.routes;
  }

  /** Texts that were synthesized in advance. */
  get spoken(): readonly string[] {
    return this.parts.spoken;
  }

  /** Removes all engines; all responses must match the route definitions. */
  async close(): Promise<void> {
    await this.api.close();
    await this.parts.close();
    await this.database.db.query('DELETE FROM engines');
    expect(this.api.faults).to.deep.equal([]);
  }

  /** Sends an API request, with the live key by default. */
  request(method: string, path: string, json?: object, as = this.key): Promise<Answer> {
    return this.api.request(method, `/v1${path}`, { key: as, ...(json && { json }) });
  }

  /** Sends a request, which must succeed. */
  async good(method: string, path: string, json?: object, as?: string): Promise<Json> {
    return succeeded(await this.request(method, path, json, as));
  }

  async make(json: object = MENU, as?: string): Promise<Flow> {
    return (await this.good('POST', '/callflows', json, as)) as unknown as Flow;
  }

  withEngine(kind: 'asterisk' | 'simulator' = 'asterisk'): Promise<void> {
    const id = newId();
    return insertRows(this.database.db, 'engines', [engineRow({ id, name: `engine-${id}`, kind })]);
  }

  /** Creates a number of the project without a binding. */
  async number(project = this.owner): Promise<{ id: string; e164: string }> {
    const e164 = `+96611${String(Math.floor(Math.random() * 9_000_000) + 1_000_000)}`;
    const row = numberRow({ ...project, engineId: '' }, e164);
    await insertRows(this.database.db, 'numbers', [row]);
    return { id: row.id, e164 };
  }
}

function flowParts(databaseUrl: string): FlowParts {
  const numbers = numberStage(databaseUrl, {}, 5);
  const spoken: string[] = [];
  const unused = (): Promise<never> => Promise.reject(new Error('is not used'));
  const { service: callflows } = openCallflows({
    stores: numbers.stores,
    cipher: TEST_CIPHER,
    http: { problemOf: () => null, post: unused, close: () => Promise.resolve() },
    media: { pathOf: (id) => `/audio/${id}` },
    speech: {
      languages: new Set(['ar', 'en']),
      synthesize: (text) => {
        spoken.push(text);
        return Promise.resolve(`/speech/${text}`);
      },
    },
    verify: { start: unused, check: unused },
    consent: { announcement: () => Promise.resolve([]) },
    announce: () => Promise.resolve(),
    clock: systemClock,
    log: quiet,
  });
  const hasGraphs = ({ organization }: Caller): boolean => organization.flags.graph_callflows ?? true;
  return {
    spoken,
    routes: [...callflowRoutes({ callflows, hasGraphs }), ...numberBindingRoutes({ numbers: numbers.service })],
    close: () => numbers.close(),
  };
}

/** For a `describe`: a new stage for each test, on one database for all tests. */
export function flowEach(use: (stage: FlowStage) => void): void {
  stageEach(
    (database) => FlowStage.start(database),
    use,
    (stage) => stage.close(),
  );
}
