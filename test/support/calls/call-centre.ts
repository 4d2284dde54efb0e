import { expect } from 'chai';
import type { Database } from '../../../core/data/database.js';
import type { MemberObject } from '../../../core/services/queues/read.js';
import { Random } from '../../chaos/random.js';
import type { Answer } from '../api.js';
import { eventually } from '../eventually.js';
import { Baresip, freeSipPort, Sipp } from '../phones/index.js';

/** The platform that a call centre runs on. */
export interface CentreGround {
  /** A database that has no calls yet. */
  readonly db: Database;
  /** Where phones register and callers call. */
  readonly sip: { readonly host: string; readonly port: number };
  request(method: string, path: string, json?: object): Promise<Answer>;
  /** Calls from this port come from outside. */
  trunk(name: string, sipPort: number): Promise<void>;
  /** Calls to the number wait in the queue. */
  bind(number: string, queue: string): Promise<void>;
  /** Resolves when the engine has all changes. */
  settled(): Promise<void>;
}

/** Callers who behave alike. */
export interface Crowd {
  readonly name: string;
  /** The caller number, which identifies the crowd's calls. */
  readonly caller: string;
  readonly number: string;
  readonly calls: number;
  readonly callsPerSecond: number;
  /** They hang up after this time; null: they wait until the platform hangs up. */
  readonly patienceMs: number | null;
  /** Where they call; by default where phones register. */
  readonly at?: CentreGround['sip'];
}

interface AgentPhone {
  readonly agent: string;
  readonly phone: Baresip;
}

/** The shares of ringing calls that an agent rejects and ignores. */
const REJECTS = 0.15;
const IGNORES = 0.12;
/** Longer than any queue lets a phone ring, and than the detection of a dead process takes. */
const RINGS_MS = 40_000;

/** Registered phones of agents who answer, reject and ignore calls at random, and crowds of callers. */
export class CallCentre {
  readonly agents: AgentPhone[] = [];
  readonly #queues = new Map<string, string>();
  readonly #crowds: { readonly crowd: Crowd; readonly sipp: Sipp }[] = [];
  readonly #working: Promise<void>[] = [];
  #isOver = false;

  constructor(
    private readonly ground: CentreGround,
    /** Seeds the agents' random behaviour. */
    private readonly seed: number,
  ) {}

  async good(method: string, path: string, json?: object): Promise<Record<string, unknown>> {
    const answer = await this.ground.request(method, path, json);
    expect(answer.status, answer.text).to.be.within(200, 202);
    return answer.body ?? {};
  }

  /** @param number that callers dial to reach the queue */
  async queue(name: string, number: string, json: object): Promise<string> {
    const { id } = await this.good('POST', '/v1/queues', { name, ...json });
    this.#queues.set(name, String(id));
    await this.ground.bind(number, name);
    return String(id);
  }

  queueId(name: string): string {
    return this.#queues.get(name)!;
  }

  get queues(): ReadonlyMap<string, string> {
    return this.#queues;
  }

  get crowds(): readonly Crowd[] {
    return this.#crowds.map(({ crowd }) => crowd);
  }

  /** Creates agents, each with a registered phone. */
  async hire(...names: readonly string[]): Promise<void> {
    const accounts: { agent: string; user: string; password: string }[] = [];
    for (const agent of names) {
      const made = await this.good('POST', '/v1/agents', { agent });
      accounts.push({ agent, user: String(made.sip_username), password: String(made.sip_password) });
    }
    await this.ground.settled();
    for (const { agent, user, password } of accounts) {
      const registrar = { ...this.ground.sip, password };
      const phone = await Baresip.start({ user, registrar, codecs: ['PCMA'] });
      this.agents.push({ agent, phone });
      await phone.registered();
    }
  }

  phoneOf(agent: string): Baresip {
    return this.agents.find((one) => one.agent === agent)!.phone;
  }

  /** The agent dials a code; resolves when the queue shows the new status. */
  async code(agent: string, dialled: string, queue: string, status: MemberObject['status']): Promise<void> {
    const phone = this.phoneOf(agent);
    await phone.closed(await phone.dial(dialled), RINGS_MS);
    const shows = async (): Promise<boolean> =>
      (await this.members(queue)).some((member) => member.agent === agent && member.status === status);
    await eventually(shows, `${agent} is ${status} in ${queue}`);
  }

  async members(queue?: string): Promise<readonly MemberObject[]> {
    const of = queue === undefined ? '' : `&queue=${queue}`;
    const page = await this.good('GET', `/v1/queues/members?limit=100${of}`);
    if (page.next_cursor !== null) throw new Error('the queues have more members than one page holds');
    return page.data as MemberObject[];
  }

  /** Agents begin to take calls. */
  open(): void {
    this.agents.forEach(({ agent, phone }, index) => {
      this.#working.push(this.#work(agent, phone, new Random(this.seed + index)));
    });
  }

  /** The crowds begin to call. */
  async come(crowds: readonly Crowd[]): Promise<void> {
    const ports = await Promise.all(crowds.map(() => freeSipPort()));
    for (const [index, { name }] of crowds.entries()) await this.ground.trunk(name, ports[index]!);
    await this.ground.settled();
    for (const [index, crowd] of crowds.entries()) {
      const { number, caller, calls, callsPerSecond, patienceMs } = crowd;
      const { host, port } = crowd.at ?? this.ground.sip;
      const stays = patienceMs === null ? {} : { pauseMs: patienceMs };
      const sipp = await Sipp.start({
        ...{
          scenario: patienceMs === null ? 'uac-wait-bye' : 'uac-call',
          remote: `${host}:${port}`,
          timeoutMs: 110_000,
        },
        ...{ port: ports[index]!, number, caller, calls, callsPerSecond, ...stays },
      });
      this.#crowds.push({ crowd, sipp });
    }
  }

  /** Resolves when at least `count` queue waits have ended with this outcome. */
  async ended(outcome: string, count: number, limitMs = 60_000): Promise<void> {
    const query = `SELECT count(*)::int AS count FROM queue_visits WHERE outcome = $1`;
    const seen = async (): Promise<number> =>
      (await this.ground.db.query<{ count: number }>(query, [outcome]))[0]?.count ?? 0;
    await eventually(async () => (await seen()) >= count, `${count} x ${outcome}`, limitMs);
  }

  /** Resolves when every caller's call is over and every agent's phone is idle. */
  async over(limitMs = 110_000): Promise<void> {
    const calls = this.crowds.reduce((sum, crowd) => sum + crowd.calls, 0);
    const query = `SELECT count(*)::int AS count FROM calls WHERE served_queue_id IS NOT NULL
      AND customer_number = ANY ($1::text[]) AND status NOT IN ('initiated', 'ringing', 'answered')
      AND NOT EXISTS (SELECT FROM legs WHERE call_id = calls.id AND legs.status <> 'ended')`;
    const callers = this.crowds.map(({ caller }) => caller);
    let over = 0;
    const isOver = async (): Promise<boolean> => {
      over = (await this.ground.db.query<{ count: number }>(query, [callers]))[0]?.count ?? 0;
      return over >= calls;
    };
    await eventually(isOver, () => `${calls} callers are served, ${over} are`, limitMs);
    this.#isOver = true;
    await Promise.all(this.#working);
    const isIdle = async (): Promise<boolean> =>
      (await this.members()).every(({ state }) => state !== 'busy' && state !== 'ringing');
    await eventually(isIdle, 'nobody is busy');
  }

  async close(): Promise<void> {
    this.#isOver = true;
    await Promise.allSettled(this.#working);
    await Promise.all(this.#crowds.map(({ sipp }) => sipp.stop()));
    await Promise.all(this.agents.map(({ phone }) => phone.close()));
  }

  async #work(agent: string, phone: Baresip, random: Random): Promise<void> {
    while (!this.#isOver) {
      const id = await phone.incoming(1_000).catch(() => null);
      if (id !== null) await this.#attend(agent, phone, id, random.next());
    }
  }

  async #attend(agent: string, phone: Baresip, id: string, mood: number): Promise<void> {
    const isGone = (): boolean => phone.call(id).closedAt !== null;
    try {
      if (mood < REJECTS) {
        await phone.reject(id);
      } else if (mood > IGNORES + REJECTS) {
        const before = await this.#taken(agent);
        await phone.answer(id);
        await eventually(
          async () => isGone() || (await this.#taken(agent)) > before,
          `${agent} has the call`,
          RINGS_MS,
        );
        if (!isGone()) await phone.hangup(id);
      }
    } catch (error) {
      // The caller or a colleague was faster, and the phone has not seen the end of the call yet.
      await phone.closed(id, 2_000).catch(() => undefined);
      if (!isGone()) throw error;
    }
    await eventually(isGone, `${agent}'s phone is silent`, RINGS_MS);
  }

  async #taken(agent: string): Promise<number> {
    const query = `SELECT count(*)::int AS count FROM queue_visits WHERE agent = $1 AND outcome = 'answered'`;
    return (await this.ground.db.query<{ count: number }>(query, [agent]))[0]?.count ?? 0;
  }
}
