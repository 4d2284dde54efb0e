import { expect } from 'chai';
import type { AgentRow, TrunkRow } from '../../../core/data/rows.js';
import { NO_FORWARDING } from '../../../core/model/call/forwarding.js';
import { Cipher } from '../../../core/model/access/cipher.js';
import { newId } from '../../../core/model/ids.js';
import { EngineError } from '../../../core/ports/engine.js';
import { Provisioning } from '../../../core/services/engine-ownership/provisioning.js';
import { SimulatorEngine } from '../../../engine/simulator/simulator-engine.js';
import { VirtualClock } from '../../../engine/simulator/virtual-clock.js';
import { quiet } from '../../support/logger.js';

describe('provisioning', () => {
  const cipher = new Cipher('a secret of at least thirty-two characters');
  const agent: AgentRow = {
    id: newId(),
    project_id: newId(),
    organization_id: newId(),
    agent: '1001',
    aor: 'a1001',
    display_name: 'Agent',
    sip_password: cipher.seal('password'),
    may_call_out: true,
    fraud_limits: null,
    destination_classes: ['national', 'mobile'],
    caller_id_number: null,
    record_calls: false,
    priority: 5,
    skills: {},
    forwarding: NO_FORWARDING,
    created_at: new Date(),
  };

  const peer = { engineId: newId(), host: '127.0.0.1', port: 5080 };
  /** With one agent, and one trunk, to another engine. */
  const provisioningOf = (engine: SimulatorEngine): Provisioning =>
    new Provisioning(
      engine,
      {
        agents: () => Promise.resolve([agent]),
        browsers: () => Promise.resolve([]),
        trunks: () => Promise.resolve([]),
        peers: () => Promise.resolve([peer]),
      },
      cipher,
      quiet,
    );

  it('keeps a new softphone even if an earlier sync, which read the tables before it, ends later', async () => {
    const engine = new SimulatorEngine({ clock: new VirtualClock() });
    engine.start(() => undefined);
    let agents: readonly AgentRow[] = [];
    let finishRead = (): void => undefined;
    let trunks = new Promise<readonly TrunkRow[]>((resolve) => (finishRead = () => resolve([])));
    const provisioning = new Provisioning(
      engine,
      {
        agents: () => Promise.resolve(agents),
        browsers: () => Promise.resolve([]),
        trunks: () => trunks,
        peers: () => Promise.resolve([]),
      },
      cipher,
      quiet,
    );
    const early = provisioning.sync();
    await Promise.resolve();
    agents = [agent];
    trunks = Promise.resolve([]);
    const late = provisioning.sync();
    await Promise.race([late, new Promise((resolve) => setImmediate(resolve))]);
    finishRead();
    await Promise.all([early, late]);
    expect(await engine.registrations.registered()).to.deep.equal(new Set(['a1001']));
  });

  it('pushes trunks before softphones, so that calls can use them while a thousand softphones are being pushed', async () => {
    const engine = new SimulatorEngine({ clock: new VirtualClock() });
    engine.start(() => undefined);
    const pushed: string[] = [];
    const put = engine.registrations.put.bind(engine.registrations);
    engine.registrations.put = (softphone) => put(softphone).then(() => void pushed.push(softphone.aor));
    const putTrunk = engine.trunks.put.bind(engine.trunks);
    engine.trunks.put = (trunk) => putTrunk(trunk).then(() => void pushed.push(trunk.trunkId));
    await provisioningOf(engine).sync();
    expect(pushed).to.have.lengthOf(2);
    expect(pushed.at(-1)).to.equal('a1001');
  });

  it('pushes trunks alone before calls are taken over, and not again afterwards', async () => {
    const engine = new SimulatorEngine({ clock: new VirtualClock() });
    engine.start(() => undefined);
    const pushed: string[] = [];
    engine.trunks.put = ({ trunkId }) => Promise.resolve(void pushed.push(trunkId));
    engine.registrations.put = ({ aor }) => Promise.resolve(void pushed.push(aor));
    const provisioning = provisioningOf(engine);
    await provisioning.pushTrunks();
    expect(pushed).to.have.lengthOf(1);
    await provisioning.sync();
    expect(pushed.slice(1)).to.deep.equal(['a1001']);
  });

  it('removes an accepted softphone at the next sync, unless its agent was stored', async () => {
    const engine = new SimulatorEngine({ clock: new VirtualClock() });
    engine.start(() => undefined);
    const provisioning = provisioningOf(engine);
    await provisioning.accept({ ...agent, aor: 'a1002' }, false);
    await provisioning.accept(agent, false);
    expect(await engine.registrations.registered()).to.deep.equal(new Set(['a1001', 'a1002']));
    await provisioning.sync();
    expect(await engine.registrations.registered()).to.deep.equal(new Set(['a1001']));
  });

  it('reads the tables once for all changes that were announced while it was busy', async () => {
    const engine = new SimulatorEngine({ clock: new VirtualClock() });
    engine.start(() => undefined);
    let reads = 0;
    const none = { trunks: () => Promise.resolve([]), peers: () => Promise.resolve([]) };
    const agents = (): Promise<readonly AgentRow[]> => {
      reads += 1;
      return Promise.resolve([agent]);
    };
    const browsers = (): Promise<[]> => Promise.resolve([]);
    const provisioning = new Provisioning(engine, { agents, browsers, ...none }, cipher, quiet);
    await Promise.all(Array.from({ length: 50 }, () => provisioning.sync()));
    expect(reads).to.equal(1);
    // What comes between two of them may need the second.
    await Promise.all([
      provisioning.sync(),
      provisioning.accept({ ...agent, aor: 'a1002' }, false),
      provisioning.sync(),
      provisioning.sync(),
    ]);
    expect(reads).to.equal(3);
    expect(await engine.registrations.registered()).to.deep.equal(new Set(['a1001']));
  });

  it('pushes a softphone again whose removal failed half way', async () => {
    const engine = new SimulatorEngine({ clock: new VirtualClock() });
    engine.start(() => undefined);
    const remove = engine.registrations.remove.bind(engine.registrations);
    engine.registrations.remove = async (aor) => {
      await remove(aor);
      throw new EngineError('timeout', 'the engine did not answer');
    };
    const provisioning = provisioningOf(engine);
    const other = { ...agent, aor: 'a1002' };
    await provisioning.accept(other, false);
    await provisioning.sync();
    expect(await engine.registrations.registered()).to.deep.equal(new Set(['a1001']));
    await provisioning.accept(other, false);
    expect(await engine.registrations.registered()).to.deep.equal(new Set(['a1001', 'a1002']));
  });
});
