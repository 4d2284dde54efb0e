import { expect } from 'chai';
import type { AgentRow, TrunkRow } from '../../core/data/rows.js';
import { Cipher } from '../../core/model/cipher.js';
import { newId } from '../../core/model/ids.js';
import { Provisioning } from '../../core/services/engines/provisioning.js';
import { SimulatorEngine } from '../../engine/simulator/simulator-engine.js';
import { VirtualClock } from '../../engine/simulator/virtual-clock.js';
import { quiet } from '../support/logger.js';

describe('provisioning', () => {
  const cipher = new Cipher('a secret of at least thirty-two characters');

  it('keeps a new softphone though the tables were read before it was there, by a sync that ends after its own', async () => {
    const engine = new SimulatorEngine({ clock: new VirtualClock() });
    engine.start(() => undefined);
    const agent: AgentRow = {
      id: newId(),
      project_id: newId(),
      organization_id: newId(),
      agent: '1001',
      aor: 'a1001',
      display_name: 'Agent',
      sip_password: cipher.seal('password'),
      may_call_out: true,
      caller_id_number: null,
      record_calls: false,
      priority: 5,
      created_at: new Date(),
    };
    let agents: readonly AgentRow[] = [];
    let goOn = (): void => undefined;
    let trunks = new Promise<readonly TrunkRow[]>((resolve) => (goOn = () => resolve([])));
    const provisioning = new Provisioning(
      engine,
      { agents: () => Promise.resolve(agents), trunks: () => trunks, peers: () => Promise.resolve([]) },
      cipher,
      quiet,
    );
    const early = provisioning.sync();
    await Promise.resolve();
    agents = [agent];
    trunks = Promise.resolve([]);
    const late = provisioning.sync();
    await Promise.race([late, new Promise((resolve) => setImmediate(resolve))]);
    goOn();
    await Promise.all([early, late]);
    expect(await engine.registrations.registered()).to.deep.equal(new Set(['a1001']));
  });
});
