import { Child } from '../lib/child.js';
import { LATE_SECONDS, STEP_SECONDS, type Step } from '../lib/climb.js';
import { CpuMeter } from '../lib/cpu.js';
import type { PhoneAccount } from './phone.js';

interface Result {
  readonly successful: number;
  readonly seconds: number;
  /** The first failure. */
  readonly why: string;
}

/** Phones of one kind, in a process of their own. */
export class Fleet {
  private constructor(
    readonly name: string,
    private readonly child: Child,
    /** Whose processor time a step counts. */
    private readonly processes: Readonly<Record<string, number>>,
  ) {}

  static async start(name: string, processes: Readonly<Record<string, number>>): Promise<Fleet> {
    return new Fleet(name, await Child.start('web-calling/phones.ts', {}), processes);
  }

  /** Connects phones, which do nothing yet. */
  async open(accounts: readonly PhoneAccount[]): Promise<void> {
    const { error } = await this.child.ask({ do: 'open', accounts });
    if (error !== undefined) throw new Error(`the phones did not connect: ${JSON.stringify(error)}`);
  }

  /** Registers this number of phones once each. @throws Error if one is refused */
  async registerAll(count: number): Promise<void> {
    const { successful, why } = await this.#ask({ do: 'register', count, rate: 50 });
    if (successful < count) throw new Error(`${count - successful} of ${count} phones did not register: ${why}`);
  }

  registrations(rate: number): Promise<Step> {
    return this.#step({ do: 'register' }, rate);
  }

  calls(target: string, rate: number): Promise<Step> {
    return this.#step({ do: 'call', target }, rate);
  }

  /** Ends the process, and with it all connections. */
  stop(): Promise<void> {
    return this.child.stop();
  }

  async #step(what: object, rate: number): Promise<Step> {
    const calls = rate * STEP_SECONDS;
    const meter = new CpuMeter(this.processes);
    const { successful, seconds, why } = await this.#ask({ ...what, count: calls, rate });
    const trouble = [];
    if (successful < calls) trouble.push(`${calls - successful} of ${calls} failed, the first with ${why}`);
    if (seconds > STEP_SECONDS + LATE_SECONDS) trouble.push(`took ${seconds.toFixed(1)} s`);
    return { rate, calls, clean: trouble.length === 0, trouble: trouble.join(', '), cpu: meter.read() };
  }

  async #ask(wanted: object): Promise<Result> {
    return (await this.child.ask(wanted)) as unknown as Result;
  }
}
