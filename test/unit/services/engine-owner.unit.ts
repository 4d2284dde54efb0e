import { expect } from 'chai';
import type { EngineKind } from '../../../core/model/engine-kinds.js';
import { newId } from '../../../core/model/ids.js';
import { Cipher } from '../../../core/model/access/cipher.js';
import { systemClock } from '../../../core/ports/clock.js';
import { EngineOwner, type LastReached } from '../../../core/services/engine-ownership/engine-owner.js';
import { Provisioning } from '../../../core/services/engine-ownership/provisioning.js';
import { SimulatorEngine } from '../../../engine/simulator/simulator-engine.js';
import { eventually } from '../../support/eventually.js';
import { quiet } from '../../support/logger.js';

describe('the owner of an engine', () => {
  const peer = { engineId: newId(), host: '127.0.0.1', port: 5080 };

  /** An owner whose softphones cannot be read yet. */
  function ownerOf(kind: EngineKind = 'simulator'): {
    readonly owner: EngineOwner;
    readonly engine: SimulatorEngine;
    readonly steps: string[];
    readonly readSoftphones: () => void;
  } {
    const clock = systemClock;
    const engine = Object.assign(new SimulatorEngine({ clock }), { kind } as object);
    const steps: string[] = [];
    let readSoftphones = (): void => undefined;
    const softphones = new Promise<readonly never[]>((resolve) => {
      readSoftphones = () => {
        steps.push('softphones read');
        resolve([]);
      };
    });
    const put = engine.trunks.put.bind(engine.trunks);
    engine.trunks.put = async (trunk) => {
      steps.push('trunk pushed');
      await put(trunk);
    };
    const tables = {
      agents: () => softphones,
      browsers: () => Promise.resolve([]),
      trunks: () => Promise.resolve([]),
      peers: () => Promise.resolve([peer]),
    };
    const done = (): Promise<void> => Promise.resolve();
    const owner = new EngineOwner({
      ...{ engineId: newId(), engine, clock, log: quiet, graceMs: 60_000 },
      provisioning: new Provisioning(engine, tables, new Cipher('a secret of at least thirty-two characters'), quiet),
      controller: {
        handle: () => undefined,
        sweep: done,
        stop: done,
        giveUp: done,
        command: () => Promise.resolve({ result: 'done' }),
        adopt: () => Promise.resolve(void steps.push('calls taken over')),
      },
      registrations: { sync: done, note: () => undefined },
      takeText: done,
      lease: {
        mayCommand: true,
        renew: () => Promise.resolve(void steps.push(owner.isReady ? 'published as ready' : 'published')),
      },
      bus: { serve: () => Promise.resolve(done) },
    });
    return { owner, engine, steps, readSoftphones };
  }

  const started = async (reached: (engine: SimulatorEngine) => LastReached) => {
    const rig = ownerOf();
    await rig.owner.start(reached(rig.engine));
    await eventually(() => rig.steps.includes('calls taken over'), 'the calls are taken over');
    return rig;
  };

  it('pushes the trunks before it takes over calls, and is ready only with all softphones', async () => {
    const { owner, steps, readSoftphones } = await started(() => ({ bootId: null, at: null }));
    expect(steps.filter((step) => step !== 'published')).to.deep.equal(['trunk pushed', 'calls taken over']);
    expect(owner.isReady).to.equal(false);
    readSoftphones();
    await owner.caughtUp;
    expect(owner.isReady).to.equal(true);
    await eventually(() => steps.at(-1) === 'published as ready', 'other processes learn it');
    await owner.stop();
    expect(owner.isReady).to.equal(false);
  });

  it('has the softphones, too, before it takes over the calls of an engine that keeps none', async () => {
    const { owner, steps, readSoftphones } = ownerOf('freeswitch');
    await owner.start({ bootId: null, at: null });
    await eventually(() => steps.includes('published'), 'the engine is connected');
    readSoftphones();
    await owner.caughtUp;
    expect(steps.filter((step) => !step.startsWith('published'))).to.deep.equal([
      ...['softphones read', 'trunk pushed', 'calls taken over'],
    ]);
    await owner.stop();
  });

  it('is ready at once if the engine has not restarted since an earlier owner was ready', async () => {
    const { owner, readSoftphones } = await started((engine) => ({ bootId: engine.status.bootId, at: new Date() }));
    expect(owner.isReady).to.equal(true);
    readSoftphones();
    await owner.stop();
  });
});
