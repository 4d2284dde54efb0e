import { expect } from 'chai';
import { ClockWatch, type ClockPeer } from '../../../core/services/health/clock-watch.js';
import type { Logger } from '../../../core/ports/logger.js';
import { VirtualClock } from '../../../engine/simulator/virtual-clock.js';
import { quiet } from '../../support/logger.js';

describe('the clock comparison', () => {
  let clock: VirtualClock;
  let seen: [string, number | null][];
  let logged: string[];
  let log: Logger;

  beforeEach(() => {
    clock = new VirtualClock();
    seen = [];
    logged = [];
    const note =
      (level: string) =>
      (about: object): void =>
        void logged.push(`${level} ${JSON.stringify(about)}`);
    log = { ...quiet, warn: note('warn'), info: note('info') };
  });

  const watch = (...peers: ClockPeer[]): ClockWatch =>
    new ClockWatch({ peers, clock, log, observe: (...observed) => void seen.push(observed) });

  /** A peer whose clock is ahead by `aheadMs`. `ways` are the delays of its requests and responses. */
  const peer = (
    aheadMs: () => number,
    ways: readonly (readonly [thereMs: number, backMs: number])[] = [[0, 0]],
  ): ClockPeer => {
    let reads = 0;
    return {
      name: 'database',
      async read() {
        const [there, back] = ways[reads++ % ways.length]!;
        await clock.advance(there);
        const time = new Date(clock.now().getTime() + aheadMs());
        await clock.advance(back);
        return time;
      },
    };
  };

  it('reports how far our clock is ahead, negative if it is behind', async () => {
    await watch(peer(() => -5_000)).compareAll();
    await watch(peer(() => 1_500)).compareAll();
    expect(seen).to.deep.equal([
      ['database', 5],
      ['database', -1.5],
    ]);
  });

  it('uses the fastest response and half of its round trip', async () => {
    const ways = [
      [900, 100],
      [20, 20],
      [0, 700],
    ] as const;
    await watch(peer(() => -3_000, ways)).compareAll();
    expect(seen).to.deep.equal([['database', 3]]);
  });

  it('warns once beyond two seconds, and logs when the clocks agree again', async () => {
    let ahead = 2_000;
    const watched = watch(peer(() => ahead));
    await watched.compareAll();
    expect(logged).to.deep.equal([]);
    ahead = 2_001;
    await watched.compareAll();
    ahead = 60_000;
    await watched.compareAll();
    expect(logged).to.deep.equal(['warn {"peer":"database","skewSeconds":-2.001}']);
    ahead = 0;
    await watched.compareAll();
    expect(logged.slice(1)).to.deep.equal(['info {"peer":"database","skewSeconds":0}']);
  });

  it('reports an unreachable peer, and continues with the others', async () => {
    const gone: ClockPeer = { name: 'engine', read: () => Promise.reject(new Error('away')) };
    await watch(
      gone,
      peer(() => -1_000),
    ).compareAll();
    expect(seen).to.have.deep.members([
      ['engine', null],
      ['database', 1],
    ]);
    expect(logged).to.deep.equal([]);
  });

  it('compares at once and every minute until it is stopped', async () => {
    const watched = watch({ name: 'database', read: () => Promise.resolve(clock.now()) });
    watched.start();
    await clock.advance(0);
    expect(seen).to.have.length(1);
    await clock.advance(59_999);
    expect(seen).to.have.length(1);
    await clock.advance(1);
    expect(seen).to.have.length(2);
    watched.stop();
    await clock.advance(600_000);
    expect(seen).to.have.length(2);
  });
});
