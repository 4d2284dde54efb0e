import { TestAuthority } from '../../certificates.js';
import { AsteriskHost } from '../../../conformance/rigs/asterisk-host.js';
import type { CallObject } from '../../../../core/model/objects/call.js';
import type { TrunkAttempt } from '../../../../core/data/repositories/engines/trunk-calls.js';
import { eventually } from '../../eventually.js';
import { ScriptedCarrier } from '../../peers/sip/carrier.js';
import { DrachtioHost } from '../../platform/drachtio.js';
import { PlatformProcess } from '../../platform/platform-process.js';
import { FreeswitchStage, NAME as FREESWITCH } from '../freeswitch-stage.js';

export const ENGINES = ['asterisk', 'freeswitch'] as const;
export type EngineName = (typeof ENGINES)[number];
const NAMES: Readonly<Record<EngineName, string>> = { asterisk: 'other', freeswitch: FREESWITCH };

/** How the platform authenticates itself at its carriers. */
export const ACCOUNT = { username: 'hatif', password: 'of the carrier' } as const;
const FINAL: ReadonlySet<CallObject['status']> = new Set(['ended', 'missed', 'failed', 'cancelled', 'timeout']);

/** Scripted carriers behind the edge, which has two processes of its own, before a FreeSWITCH and an Asterisk. */
export class EdgeOutboundStage {
  readonly #edges: PlatformProcess[] = [];
  readonly #carriers: ScriptedCarrier[] = [];

  private constructor(
    readonly drachtio: DrachtioHost,
    private readonly freeswitch: FreeswitchStage,
    private readonly asterisk: AsteriskHost,
    private readonly authority: TestAuthority,
  ) {}

  static async start(): Promise<EdgeOutboundStage> {
    const authority = await TestAuthority.create();
    const drachtio = await DrachtioHost.start(await authority.issue());
    const [freeswitch, asterisk] = await Promise.all([
      FreeswitchStage.start({ ...drachtio.settings, HATIF_ROLES: 'api,engine,jobs' }),
      AsteriskHost.start({ from: 18_800, to: 18_898 }),
    ]);
    const stage = new EdgeOutboundStage(drachtio, freeswitch, asterisk, authority);
    await freeswitch.addAsterisk(NAMES.asterisk, asterisk);
    await stage.startEdge();
    await stage.startEdge();
    return stage;
  }

  /** Where engines send and receive SIP and answer; nobody outside may learn it. */
  get enginePorts(): readonly number[] {
    return [this.freeswitch.host.sipPort, this.asterisk.running.sip.port];
  }

  async startEdge(): Promise<void> {
    const settings = { ...this.freeswitch.settings, HATIF_ROLES: 'sip', LOG_TO: 'stdout' };
    const edge = PlatformProcess.start(settings);
    this.#edges.push(edge);
    await edge.says('connected to drachtio-server');
  }

  /** Ends the process that relays as a power failure does; the other one then relays. */
  async killRelaying(): Promise<void> {
    const at = this.#edges.findLastIndex(({ output }) => output.includes('the SIP relay serves'));
    const [killed] = this.#edges.splice(at, 1);
    if (!killed) throw new Error('no process has the relay');
    killed.signal('SIGKILL');
    await killed.exited;
  }

  /** New calls go to this engine. */
  async prefers(engine: EngineName): Promise<void> {
    await this.freeswitch.database.db.query('UPDATE engines SET draining = name <> $1', [NAMES[engine]]);
  }

  async carrier(transport: ScriptedCarrier['transport'] = 'udp'): Promise<ScriptedCarrier> {
    const certificate = transport === 'tls' ? await this.authority.issue() : undefined;
    const carrier = await ScriptedCarrier.open(transport, certificate);
    this.#carriers.push(carrier);
    return carrier;
  }

  /**
   * Adds a trunk to each carrier, and for each list routes to its carriers, in this order. Resolves when both engines call
   * the first one of each.
   * @returns two numbers for each list
   */
  async routes<L extends readonly (readonly ScriptedCarrier[])[]>(
    ...lists: L
  ): Promise<{ [K in keyof L]: readonly [string, string] }> {
    const made = lists.map((carriers, at) => ({ carriers, prefix: `966502${String(at).padStart(3, '0')}` }));
    const hatif = (args: readonly string[], input = ''): Promise<string> => this.freeswitch.command(args, input);
    await Promise.all(
      made.flatMap(({ carriers, prefix }) =>
        carriers.map(async ({ port, transport }, priority) => {
          const name = `to-${port}`;
          const uri = `sip:127.0.0.1:${port};transport=${transport}`;
          await hatif(['trunks', 'add', name, uri, '--no-probe', '--username', ACCOUNT.username], ACCOUNT.password);
          await hatif(['trunks', 'routes', 'add', name, '--prefix', prefix, '--priority', String(priority)]);
        }),
      ),
    );
    for (const engine of ENGINES) {
      await this.prefers(engine);
      for (const { carriers, prefix } of made) {
        const reaches = (): Promise<boolean> => this.#reaches(engine, carriers[0]!, `+${prefix}123`);
        await eventually(reaches, `${engine} calls ${prefix}`, 60_000);
      }
    }
    return made.map(({ prefix }) => [`+${prefix}123`, `+${prefix}124`]) as never;
  }

  /** Whether a call over the engine arrives, which is refused then. */
  async #reaches(engine: EngineName, carrier: ScriptedCarrier, number: string): Promise<boolean> {
    const callId = await this.call(number);
    const hasArrived = (): boolean => carrier.arrived.some(({ text }) => text.startsWith(`INVITE sip:${number}@`));
    const isOver = async (): Promise<boolean> => FINAL.has((await this.freeswitch.application.read(callId)).status);
    await eventually(async () => hasArrived() || (await isOver()), `a call to ${number} arrives, or ends`, 60_000);
    if (!hasArrived()) return false;
    carrier.reply(await carrier.invite(number), '486 Busy Here');
    await this.over(callId);
    carrier.arrived.splice(0);
    return (await this.engineOf(callId)) === engine;
  }

  call(to: string): Promise<string> {
    return this.freeswitch.application.call({ to });
  }

  hangup(callId: string): Promise<void> {
    return this.freeswitch.application.hangup(callId);
  }

  async becomes(callId: string, status: CallObject['status']): Promise<void> {
    await this.freeswitch.application.becomes(callId, status);
  }

  over(callId: string, limitMs = 30_000): Promise<CallObject> {
    return eventually(
      async () => {
        const call = await this.freeswitch.application.read(callId);
        return FINAL.has(call.status) && call;
      },
      `the end of ${callId}`,
      limitMs,
    );
  }

  /** The carriers that were tried, each with its answer. */
  async attempts(callId: string): Promise<readonly Pick<TrunkAttempt, 'trunk' | 'hangup_sip_code' | 'answered_at'>[]> {
    return JSON.parse(await this.freeswitch.command(['trunks', 'attempts', callId, '--json'])) as TrunkAttempt[];
  }

  /** The engine of the call. */
  async engineOf(callId: string): Promise<string | undefined> {
    const sql = `SELECT engines.name FROM calls JOIN engines ON engines.id = engine_id WHERE calls.id = $1`;
    const [row] = await this.freeswitch.database.db.query<{ name: string }>(sql, [callId]);
    return ENGINES.find((one) => NAMES[one] === row?.name);
  }

  async close(): Promise<void> {
    for (const carrier of this.#carriers) carrier.close();
    for (const edge of this.#edges) edge.signal('SIGKILL');
    await Promise.all(this.#edges.map(({ exited }) => exited));
    await this.freeswitch.close();
    await this.asterisk.stop();
    await this.drachtio.stop();
  }
}
