import { expect } from 'chai';
import { KeyService } from '../../../core/services/access/keys.js';
import { AgentService } from '../../../core/services/agents/agents.js';
import { createDemo } from '../../../core/services/bootstrap/demo.js';
import { systemClock } from '../../../core/ports/clock.js';
import { testApi } from '../../support/api.js';
import { TEST_CIPHER as cipher } from '../../support/cipher.js';
import { testDatabase } from '../../support/platform/database.js';
import { numberStage } from '../../support/stages/number-stage.js';

describe('the demo of a fresh installation', () => {
  it('can order a number at once, and has numbers left for end users', async function () {
    this.timeout(60_000);
    const database = await testDatabase();
    const stage = numberStage(database.url);
    const { stores, service: numbers } = stage;
    const { agents, keys, organizations, projects } = stores;
    const announce = (): Promise<void> => Promise.resolve();
    const demo = await createDemo({
      accounts: {
        createOrganization: (row) => organizations.create(row),
        createProject: (row) => projects.create(row),
      },
      keys: new KeyService({ keys, projects, clock: systemClock }),
      agents: new AgentService({ agents, numbers: stores.numbers, cipher, clock: systemClock, announce }),
      numbers,
      numbering: stage,
      cipher,
      clock: systemClock,
    });
    const api = await testApi({ db: database.db, routes: stage.routes });
    const key = demo.liveKey;
    const offered = await api.request('GET', '/v1/numbers/available', { key });
    expect(offered.body?.data).to.be.an('array').that.is.not.empty;
    const ordered = await api.request('POST', '/v1/numbers', { key, json: { type: 'geographic' } });
    expect(ordered.status, ordered.text).to.equal(201);
    // Allocations for end users take from the same stock.
    const left = await api.request('GET', '/v1/numbers/available', { key });
    expect(left.body?.data).to.be.an('array').that.is.not.empty;
    expect(left.body?.data).not.to.deep.include({ e164: ordered.body?.e164, type: 'geographic' });
    await api.close();
    await stage.close();
    await database.close();
  });
});
