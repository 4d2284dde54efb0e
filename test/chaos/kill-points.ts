/** Where the bytes pass that name a moment: to and from the engine, to and from the database, or at the test's own ends. */
export type Wire = 'engine' | 'database' | 'outside';

/**
 * `before`: a request of the application arrived and is not passed on. `after`: it was passed on, its answer is kept back. `told`: the
 * other side's own message arrived and is not passed on. `noticed`: the test's client or receiver saw it happen.
 */
export type Moment = 'before' | 'after' | 'told' | 'noticed';

export interface KillPoint {
  readonly name: string;
  readonly wire: Wire;
  readonly moment: Moment;
  readonly bytes: RegExp;
}

const point = (name: string, wire: Wire, moment: Moment, bytes: RegExp): KillPoint => ({ name, wire, moment, bytes });

/** A request to the engine: at its begin or at its end. */
const both = (name: string, bytes: RegExp): KillPoint[] => [
  point(`before ${name}`, 'engine', 'before', bytes),
  point(`after ${name}`, 'engine', 'after', bytes),
];

/** The engine told of it, and the application never heard. */
const told = (name: string, type: string, more = ''): KillPoint =>
  point(`at the event: ${name}`, 'engine', 'told', new RegExp(`"type"\\s*:\\s*"${type}"${more}`));

/** What happened is being written: not yet, or already, committed. */
const written = (type: string): KillPoint[] => {
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
  ...both('create of a leg', /^POST \/ari\/channels\/create/),
  ...both('dial of a leg', /^POST \/ari\/channels\/[^/]+\/dial/),
  ...both('answer of a caller', /^POST \/ari\/channels\/[^/]+\/answer/),
  ...both('join', /^POST \/ari\/bridges\/(?!hold-|rec-)[^/]+\/addChannel/),
  ...both('hold', /^POST \/ari\/bridges\/hold-[^/]+\/addChannel/),
  ...both('unhold', /^DELETE \/ari\/bridges\/hold-/),
  ...both('mute', /^POST \/ari\/channels\/[^/]+\/mute/),
  ...both('recording', /^POST \/ari\/bridges\/rec-[^/]+\/record/),
  point('after the tap of a recording', 'engine', 'after', /^POST \/ari\/channels\/[^/]+\/snoop/),
  point('after the stop of a recording', 'engine', 'after', /^POST \/ari\/recordings\/live\/[^/]+\/stop/),
  point('while a recording is fetched', 'engine', 'after', /^GET \/ari\/recordings\/stored\/[^/]+\/file/),
  ...both('hang-up of a leg', /^DELETE \/ari\/channels\/[^/]+\?/),
  told('a call comes in', 'StasisStart', '[^]*"inbound"'),
  told('ringing', 'ChannelStateChange', '[^]*"state"\\s*:\\s*"Ringing"'),
  told('answered', 'ChannelStateChange', '[^]*"state"\\s*:\\s*"Up"'),
  told('ended', 'ChannelDestroyed'),
  ...written('call.initiated'),
  ...written('call.ringing'),
  ...written('call.answered'),
  ...written('call.ended'),
  ...written('call.missed'),
  point(ACCEPTED, 'outside', 'noticed', new RegExp(ACCEPTED)),
  point(DELIVERED, 'outside', 'noticed', new RegExp(DELIVERED)),
];

/** Kills when what it is set to passes by. */
export class KillSwitch {
  #set: KillPoint | null = null;
  #hit: (was: boolean) => void = () => undefined;

  constructor(private readonly kill: () => void) {}

  /** Resolves with true when it has killed, with false when that did not come to pass within the time. */
  async set(to: KillPoint, limitMs: number): Promise<boolean> {
    this.#set = to;
    return new Promise((resolve) => {
      const timer = setTimeout(() => this.#hit(false), limitMs);
      this.#hit = (was) => {
        clearTimeout(timer);
        this.#set = null;
        this.#hit = () => undefined;
        resolve(was);
      };
    });
  }

  /** Whether this is what is waited for; where it is `told`, `before` or `noticed` the application is dead when this returns. */
  passes(wire: Wire, moment: Moment, text: string): boolean {
    const set = this.#set;
    if (set?.wire !== wire || set.moment !== moment || !set.bytes.test(text)) return false;
    if (moment !== 'after') this.strike();
    return true;
  }

  /** Its answer has come. */
  strike(): void {
    if (this.#set === null) return;
    this.kill();
    this.#hit(true);
  }
}
