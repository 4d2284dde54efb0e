/**
 * The connection on which a point is recognized: to the engine, to the database, or at the test's own client and
 * receiver.
 */
export type Connection = 'engine' | 'database' | 'outside';

/**
 * `before`: a request of the application is not forwarded. `after`: it is forwarded, its response is not. `event`: a
 * message that the service sent on its own is not forwarded. `noticed`: the test's client or receiver saw it.
 */
export type Moment = 'before' | 'after' | 'event' | 'noticed';

export interface KillPoint {
  readonly name: string;
  readonly connection: Connection;
  readonly moment: Moment;
  readonly pattern: RegExp;
}

const point = (name: string, connection: Connection, moment: Moment, pattern: RegExp): KillPoint => ({
  name,
  connection,
  moment,
  pattern,
});

/** A request to the engine: before it is forwarded, and after. */
const beforeAndAfter = (name: string, pattern: RegExp): KillPoint[] => [
  point(`before ${name}`, 'engine', 'before', pattern),
  point(`after ${name}`, 'engine', 'after', pattern),
];

/** The engine sent the event; the application did not receive it. */
const atEvent = (name: string, type: string, more = ''): KillPoint =>
  point(`at the event: ${name}`, 'engine', 'event', new RegExp(`"type"\\s*:\\s*"${type}"${more}`));

/** Before and after the commit of this event. */
const atCommit = (type: string): KillPoint[] => {
  const pattern = new RegExp(`hatif_\\d+[^]*"type":"${type.replace('.', '\\.')}"`);
  return [
    point(`before the commit of ${type}`, 'database', 'before', pattern),
    point(`after the commit of ${type}`, 'database', 'after', pattern),
  ];
};

export const ACCEPTED = 'after the API accepted';
export const DELIVERED = 'after a webhook was delivered';

/** Occurs only after the application has connected to the engine. */
export const ADOPTING = point('during adoption', 'engine', 'after', /^GET \/ari\/channels /);

/** The points at which the application is killed while it serves calls. */
export const KILL_POINTS: readonly KillPoint[] = [
  ...beforeAndAfter('create of a leg', /^POST \/ari\/channels\/create/),
  ...beforeAndAfter('dial of a leg', /^POST \/ari\/channels\/[^/]+\/dial/),
  ...beforeAndAfter('answer of a caller', /^POST \/ari\/channels\/[^/]+\/answer/),
  ...beforeAndAfter('add to a bridge', /^POST \/ari\/bridges\/(?!hold-|rec-)[^/]+\/addChannel/),
  ...beforeAndAfter('hold', /^POST \/ari\/bridges\/hold-[^/]+\/addChannel/),
  ...beforeAndAfter('unhold', /^DELETE \/ari\/bridges\/hold-/),
  ...beforeAndAfter('mute', /^POST \/ari\/channels\/[^/]+\/mute/),
  ...beforeAndAfter('recording', /^POST \/ari\/bridges\/rec-[^/]+\/record/),
  point('after the snoop of a recording', 'engine', 'after', /^POST \/ari\/channels\/[^/]+\/snoop/),
  point('after the stop of a recording', 'engine', 'after', /^POST \/ari\/recordings\/live\/[^/]+\/stop/),
  point('while a recording is fetched', 'engine', 'after', /^GET \/ari\/recordings\/stored\/[^/]+\/file/),
  ...beforeAndAfter('hangup of a leg', /^DELETE \/ari\/channels\/[^/]+\?/),
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

/** Kills the application when the awaited kill point occurs. */
export class KillSwitch {
  #armed: KillPoint | null = null;
  #settle: (hasOccurred: boolean) => void = () => undefined;

  constructor(private readonly killApplication: () => void) {}

  /** Waits for this point. @returns whether the point occurred, and with it the kill, within the limit */
  async waitFor(killPoint: KillPoint, limitMs: number): Promise<boolean> {
    this.#armed = killPoint;
    return new Promise((resolve) => {
      const timer = setTimeout(() => this.#settle(false), limitMs);
      this.#settle = (hasOccurred) => {
        clearTimeout(timer);
        this.#armed = null;
        this.#settle = () => undefined;
        resolve(hasOccurred);
      };
    });
  }

  /**
   * Reports traffic or an event of the test. @returns whether it is the awaited point; the application is then dead,
   * except for `after`: then the caller calls {@link kill} when the response arrives
   */
  observe(connection: Connection, moment: Moment, text: string): boolean {
    const armed = this.#armed;
    if (armed?.connection !== connection || armed.moment !== moment || !armed.pattern.test(text)) return false;
    if (moment !== 'after') this.kill();
    return true;
  }

  /** Kills the application. */
  kill(): void {
    if (this.#armed === null) return;
    this.killApplication();
    this.#settle(true);
  }
}
