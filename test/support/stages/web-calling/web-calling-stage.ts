import { expect } from 'chai';
import { WebSocket, WebSocketServer, type RawData } from 'ws';
import type { AddressInfo } from 'node:net';
import { webSocketRouter } from '../../../../api/routes/web-calling/web-socket.js';
import type { BrowserSockets } from '../../../../api/web-socket/browser-sockets.js';
import { readSettings } from '../../../../config/read-settings.js';
import type { Database } from '../../../../core/data/database.js';
import { systemClock, type Clock } from '../../../../core/ports/clock.js';
import { MemoryRateLimiter } from '../../../../core/services/access/rate-limit.js';
import type { ConnectOutcome } from '../../../../core/services/web-calling/connect.js';
import { WebSessionSweep } from '../../../../core/services/web-calling/sweep.js';
import { openBrowserSockets, openWebCallingRoutes } from '../../../../main/roles/routes/web-calling.js';
import { openIceServers } from '../../../../main/wiring/ice-servers.js';
import { openStores, type Stores } from '../../../../main/wiring/stores.js';
import { testApi, type Answer, type Owner, type TestApi } from '../../api.js';
import { TEST_CIPHER } from '../../cipher.js';
import { stageEach } from '../../each.js';
import { quiet } from '../../logger.js';
import type { TestDatabase } from '../../platform/database.js';
import { LocalBus, SoftphoneEngine } from '../accounts/softphone-engine.js';

/** A page of the project's own site. */
export const PAGE_OF_PROJECT = 'https://www.clinic.example';
/** Nobody listens there. */
const NO_TURN_SERVER = 'turn:127.0.0.1:9';
const LIMITS = { WEB_SESSIONS_PER_PROJECT: '4', WEB_SESSIONS_PER_IDENTITY: '2' };

/** Web calling on an API, with an engine that takes softphones, and a WebSocket server in its place. */
export class WebCallingStage {
  owner!: Owner;
  key = '';
  sandboxKey = '';

  private constructor(
    readonly database: TestDatabase,
    readonly stores: Stores,
    readonly api: TestApi,
    readonly bus: LocalBus,
    readonly engine: SoftphoneEngine,
    readonly engineSocket: EngineSocket,
    readonly sockets: BrowserSockets,
    readonly sweep: WebSessionSweep,
    private readonly ahead: { ms: number },
    /** How the requests of browsers to connect ended, as the metrics count them. */
    readonly outcomes: readonly ConnectOutcome[],
  ) {}

  static async open(database: TestDatabase): Promise<WebCallingStage> {
    const { db, url } = database;
    const stores = openStores(url, 6);
    const settings = readSettings({
      ...{ DATABASE_URL: url, TURN_SERVERS: `stun:stun.example.com,eu=${NO_TURN_SERVER}` },
      ...{ TURN_SECRET: 'a secret of TURN servers', ...LIMITS },
    });
    // Of the test before, on the same database.
    await db.query('DELETE FROM web_calling_sessions');
    const bus = new LocalBus();
    await db.query(`UPDATE engines SET removed_at = now() WHERE name <> 'first'`);
    const { engine, engineSocket } = await openEngine(db, bus, 'first');
    const ahead = { ms: 0 };
    const outcomes: ConnectOutcome[] = [];
    const clock: Clock = {
      now: () => new Date(Date.now() + ahead.ms),
      monotonicMs: () => systemClock.monotonicMs() + ahead.ms,
      after: (ms, run) => systemClock.after(ms, run),
    };
    const options = {
      ...{ settings, stores, cipher: TEST_CIPHER, bus, clock, log: quiet },
      management: { announce: () => engine.sync() },
      ice: openIceServers(settings, { turn: null }, clock),
      metrics: { webConnected: (outcome: ConnectOutcome) => void outcomes.push(outcome) },
    };
    const publicUrl = { value: '' };
    const limiter = new MemoryRateLimiter(clock);
    const sockets = openBrowserSockets({ ...options, clock: systemClock }, limiter);
    const api = await testApi({
      ...{ db, cipher: TEST_CIPHER, publicUrl },
      routes: openWebCallingRoutes(options, () => publicUrl.value, limiter),
      routers: [webSocketRouter({ sockets, publicUrl: () => publicUrl.value, allowedOrigins: [] })],
    });
    const sweep = new WebSessionSweep({ sessions: stores.webSessions, bus, clock, log: quiet });
    const stage = new WebCallingStage(
      ...([database, stores, api, bus, engine, engineSocket, sockets, sweep, ahead, outcomes] as const),
    );
    stage.owner = await api.owner();
    stage.key = (await api.key({ projectId: stage.owner.projectId })).key;
    stage.sandboxKey = (await api.key({ projectId: stage.owner.projectId, kind: 'sandbox' })).key;
    await db.query('UPDATE projects SET allowed_origins = $2 WHERE id = $1', [
      stage.owner.projectId,
      [PAGE_OF_PROJECT],
    ]);
    return stage;
  }

  /** Another engine, which is up. */
  secondEngine(): Promise<WebEngine> {
    return openEngine(this.database.db, this.bus, 'second');
  }

  /** Lets the services think that this time has passed. */
  pass(ms: number): void {
    this.ahead.ms += ms;
  }

  ask(method: string, path: string, json?: unknown, key = this.key): Promise<Answer> {
    return this.api.request(method, `/v1/web-calling${path}`, { key, ...(json !== undefined && { json }) });
  }

  /** A new session. @throws Error if it is refused */
  async session(
    wanted: Readonly<Record<string, unknown>> = {},
    key = this.key,
  ): Promise<{ id: string; token: string }> {
    const answer = await this.ask('POST', '/sessions', { identity: 'reem', ...wanted }, key);
    if (answer.status !== 201) throw new Error(answer.text);
    return { id: String(answer.body?.session_id), token: String(answer.body?.token) };
  }

  connect(token: string, more: Readonly<Record<string, unknown>> = {}, origin?: string): Promise<Answer> {
    const headers = origin === undefined ? {} : { origin };
    return this.api.request('POST', '/v1/web-calling/connect', { json: { token, ...more }, headers });
  }

  /** A WebSocket of a browser. */
  socket(sessionId: string, headers: Readonly<Record<string, string>> = {}, protocol = 'sip'): WebSocket {
    const url = `${this.api.url.replace('http', 'ws')}/v1/web-calling/ws?session=${sessionId}`;
    return new WebSocket(url, protocol, { headers });
  }

  async close(): Promise<void> {
    await this.sockets.close();
    await this.api.close();
    await this.engine.stop();
    await this.engineSocket.close();
    await this.stores.db.close();
  }
}

interface WebEngine {
  readonly engine: SoftphoneEngine;
  readonly engineSocket: EngineSocket;
}

/** An engine that takes softphones, with a WebSocket server in its place. */
async function openEngine(db: Database, bus: LocalBus, name: string): Promise<WebEngine> {
  const engine = await SoftphoneEngine.start(db, bus, name);
  const engineSocket = await EngineSocket.start();
  await db.query(
    `UPDATE engines SET ws_url = $1, status = 'up', owner = 'test', lease_expires_at = now() + interval '1 hour',
       removed_at = NULL WHERE name = $2`,
    [engineSocket.url, name],
  );
  return { engine, engineSocket };
}

/** A stage for each test, whose API had no fault at its end. @param use receives it before the test */
export function webCallingEach(use: (stage: WebCallingStage) => void): void {
  stageEach(
    (database) => WebCallingStage.open(database),
    use,
    async (stage) => {
      await stage.close();
      expect(stage.api.faults).to.deep.equal([]);
    },
  );
}

/** The WebSocket of an engine, which answers each message with `re: ` before it. */
class EngineSocket {
  private constructor(private readonly server: WebSocketServer) {}

  static async start(): Promise<EngineSocket> {
    const server = new WebSocketServer({ port: 0, host: '127.0.0.1', handleProtocols: () => 'sip' });
    server.on('connection', (socket) => {
      socket.on('message', (data: RawData) => socket.send(`re: ${textOf(data)}`));
    });
    await new Promise<void>((resolve) => server.once('listening', () => resolve()));
    return new EngineSocket(server);
  }

  get url(): string {
    return `ws://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  get clients(): ReadonlySet<WebSocket> {
    return this.server.clients;
  }

  /** As an engine that dies. */
  cutOff(): void {
    for (const client of this.server.clients) client.terminate();
  }

  async close(): Promise<void> {
    this.cutOff();
    await new Promise<void>((resolve) => this.server.close(() => resolve()));
  }
}

export function textOf(data: RawData): string {
  return Buffer.isBuffer(data) ? data.toString() : '';
}
