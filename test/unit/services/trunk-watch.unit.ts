import { expect } from 'chai';
import type { TrunkState } from '../../../core/model/trunks/state.js';
import { TrunkWatch } from '../../../core/services/engine-ownership/trunk-watch.js';
import { overallState } from '../../../core/services/trunks/trunks.js';
import { TrunkProbes } from '../../../engine/common/trunk-probes.js';
import { SimulatorEngine } from '../../../engine/simulator/simulator-engine.js';
import { VirtualClock } from '../../../engine/simulator/virtual-clock.js';
import { collecting } from '../../support/logger.js';

describe('the states of trunks', () => {
  let clock: VirtualClock;

  beforeEach(() => {
    clock = new VirtualClock();
  });

  it('are stored and logged when they change, and once', async () => {
    const engine = new SimulatorEngine({ clock });
    engine.start(() => undefined);
    const carrier = { trunkId: 'a', host: '198.51.100.7', port: 5060, transport: 'udp' } as const;
    const rest = { credentials: null, inboundAddresses: [] };
    await engine.trunks.put({ ...carrier, ...rest, isProbed: true });
    await engine.trunks.put({ ...carrier, ...rest, trunkId: 'b', isProbed: false });
    const stored: Record<string, TrunkState>[] = [];
    const { logger: log, lines } = collecting();
    let isAway = false;
    const watch = new TrunkWatch({
      engineId: 'engine',
      engine,
      table: {
        replace(_engine, states) {
          if (isAway) return Promise.reject(new Error('away'));
          stored.push(Object.fromEntries(states));
          return Promise.resolve();
        },
      },
      trunks: () => Promise.resolve([{ id: 'a', name: 'carrier' }]),
      clock,
      log,
    });
    watch.start();
    await clock.advance(20_000);
    expect(stored).to.deep.equal([{ a: 'up' }]);
    expect(watch.isDown('a')).to.equal(false);

    isAway = true;
    engine.setTrunkState('a', 'down');
    await clock.advance(5_000);
    expect(watch.isDown('a'), 'known even without the database').to.equal(true);
    isAway = false;
    await clock.advance(5_000);
    engine.setTrunkState('a', 'up');
    await clock.advance(20_000);
    expect(stored.slice(1)).to.deep.equal([{ a: 'down' }, { a: 'up' }]);
    const named = lines.filter((line) => JSON.stringify(line).includes('carrier'));
    expect(named).to.have.length(2);

    engine.disconnect('gone');
    engine.setTrunkState('a', 'down');
    await clock.advance(20_000);
    expect(stored, 'an engine that is away says nothing').to.have.length(3);
    await watch.stop();
  });

  it('are unknown until the first result is due', async () => {
    const probes = new TrunkProbes(clock, 10_000);
    expect(probes.stateOf('a', false), 'never pushed').to.equal('unknown');
    probes.began('a');
    expect(probes.stateOf('a', null), 'the engine lost it').to.equal('unknown');
    expect(probes.stateOf('a', false)).to.equal('unknown');
    await clock.advance(10_000);
    probes.began('a');
    expect(probes.stateOf('a', false)).to.equal('down');
    probes.restart();
    expect(probes.stateOf('a', false)).to.equal('unknown');
    expect(probes.stateOf('a', true)).to.equal('up');
    expect(probes.stateOf('a', false), 'it answered before').to.equal('down');
    probes.forget('a');
    expect(probes.stateOf('a', true)).to.equal('unknown');
  });

  it('of several engines are up if one of them is', () => {
    const overall = (...states: TrunkState[]): TrunkState => overallState(states.map((state) => ({ state })));
    expect(overall('down', 'up', 'unknown')).to.equal('up');
    expect(overall('unknown', 'down')).to.equal('down');
    expect([overall('unknown'), overall()]).to.deep.equal(['unknown', 'unknown']);
  });
});
