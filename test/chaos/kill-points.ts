/** Where the bytes pass that name a moment: to and from the engine, to and from the database, or at the test's own ends. */
export type Connection = 'engine' | 'database' | 'outside';

/**
 * `before`: a request of the application arrived and is not passed on. `after`: it was passed on, its answer is kept back. `told`: the
 * other side's own message arrived and is not passed on. `noticed`: the test's client or receiver saw it happen.
 */
export type Moment = 'before' | 'after' | 'event' | 'noticed';

export interface KillPoint {
  readonly name: string;
  readonly connection: Connection;
  readonly moment: Moment;
  readonly pattern: RegExp;
}

const point = (name: string, connection: Connection, moment: Moment, pattern: RegExp): KillPoint => ({ name, connection, moment, pattern });

/** A request to the engine: at its begin or at its end. */
const beforeAndAfter = (name: string, bytes: RegExp): KillPoint[] => [
  point(`before ${name}`, 'engine', 'before', bytes),
  point(`after ${name}`, 'engine', 'after', bytes),
];

/** The engine told of it, and the application never heard. */
const atEvent = (name: string, type: string, more = ''): KillPoint =>
  point(`at the event: ${name}`, 'engine', 'event', new RegExp(`"type"\\s*:\\s*"${type}"${more}`));

/** What happened is being written: not yet, or already, committed. */
const atCommit = (type: string): KillPoint[] => {
  const bytes = new RegExp(`hatif_\\d+[^]*"type":"${type.replace('.', '\\.')}"`);
  return [
    point(`before the commit of ${type}`, 'database', 'before', bytes),
    point(`after the commit of ${type}`, 'database', 'after', bytes),
  ];
};

export const ACCEPTED = 'after the API accepted';
export const DELIVERED = 'after a webhook was delivered';

/** Passes only when the application has just connected to the engine. */
export const ADOPTING = point('during adoption', 'engine', 'after', /^GET \/ari\/channels /);

/** The moments at which the application is killed by name while it serves. */
export const KILL_POINTS: readonly KillPoint[] = [
  ...beforeAndAfter('create of a leg', /^POST \/ari\/channels\/create/),
  ...beforeAndAfter('dial of a leg', /^POST \/ari\/channels\/[^/]+\/dial/),
  ...beforeAndAfter('answer of a caller', /^POST \/ari\/channels\/[^/]+\/answer/),
  ...beforeAndAfter('join', /^POST \/ari\/bridges\/(?!hold-|rec-)[^/]+\/addChannel/),
  ...beforeAndAfter('hold', /^POST \/ari\/bridges\/hold-[^/]+\/addChannel/),
  ...beforeAndAfter('unhold', /^DELETE \/ari\/bridges\/hold-/),
  ...beforeAndAfter('mute', /^POST \/ari\/channels\/[^/]+\/mute/),
  ...beforeAndAfter('recording', /^POST \/ari\/bridges\/rec-[^/]+\/record/),
  point('after the tap of a recording', 'engine', 'after', /^POST \/ari\/channels\/[^/]+\/snoop/),
  point('after the stop of a recording', 'engine', 'after', /^POST \/ari\/recordings\/live\/[^/]+\/stop/),
  point('while a recording is fetched', 'engine', 'after', /^GET \/ari\/recordings\/stored\/[^/]+\/file/),
  ...beforeAndAfter('hang-up of a leg', /^DELETE \/ari\/channels\/[^/]+\?/),
  atEvent('a call comes in', 'StasisStart', '[^]*"inbound"'),
  atEvent('ringing', 'ChannelStateChange', '[^]*"state"\\s*:\\s*"Ringing"'),
  atEvent('answered', 'ChannelStateChange', '[^]*"state"\\s*:\\s*"Up"'),
  atEvent('ended', 'ChannelDestroyed'),
  ...atCommit('call.initiated'),
  ...atCommit('call.ringing'),
  ...atCommit('call.answered'),
  ...atCommit('call.ended'),
  ...atCommit('call.missed'),
  point(ACCEPTED, 'outside', 'noticed', new RegExp(ACCEPTED)),
  point(DELIVERED, 'outside', 'noticed', new RegExp(DELIVERED)),
];

/** Kills when what it is set to passes by. */
export class KillSwitch {
  #armed: KillPoint | null = null;
  #settle: (was: boolean) => void = () => undefined;

  constructor(private readonly killApplication: () => void) {}

  /** Resolves with true when it has killed, with false when that did not come to pass within the time. */
  async waitFor(killPoint: KillPoint, limitMs: number): Promise<boolean> {
    this.#armed = killPoint;
    return new Promise((resolve) => {
      const timer = setTimeout(() => this.#settle(false), limitMs);
      this.#settle = (was) => {
        clearTimeout(timer);
        this.#armed = null;
        this.#settle = () => undefined;
        resolve(was);
      };
    });
  }

  /** Whether this is what is waited for; where it is `told`, `before` or `noticed` the application is dead when this returns. */
  observe(wire: Connection, moment: Moment, text: string): boolean {
    const armed = this.#armed;
    if (armed?.connection !== wire || armed.moment !== moment || !armed.pattern.test(text)) return false;
    if (moment !== 'after') this.kill();
    return true;
  }

  /** Its answer has come. */
  kill(): void {
    if (this.#armed === null) return;
    this.killApplication();
    this.#settle(true);
  }
}
