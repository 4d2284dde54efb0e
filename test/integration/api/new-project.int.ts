import { expect } from 'chai';
import { systemClock } from '../../../core/ports/clock.js';
import { Cipher } from '../../../core/model/access/cipher.js';
import { openDemo } from '../../../main/install/bootstrap.js';
import { newNumberRow } from '../../../core/services/numbers/number-assigner.js';
import { newOrganizationFlags } from '../../../main/wiring/flags.js';
import { outcome } from '../../support/judges/outcome.js';
import { ask, type Answer } from '../../support/api.js';
import { barePlatform, type BarePlatform } from '../../support/platform/bare-platform.js';
import { newTenant } from '../../support/platform/tenant.js';

const NUMBER = '+966501234517';

describe('what a project may call at first', function () {
  this.timeout(60_000);
  let bare: BarePlatform;
  let liveKey: string;

  async function open(environment: Record<string, string> = {}): Promise<void> {
    bare = await barePlatform('api', environment);
    const { stores, management } = bare.platform;
    const demo = await openDemo(bare.settings, stores.organizations, {
      accounts: {
        createOrganization: (row) => stores.organizations.create(row),
        createProject: (row) => stores.projects.create(row),
      },
      ...management,
      flags: newOrganizationFlags(bare.settings),
      cipher: new Cipher('a secret for tests, thirty-two characters'),
      clock: systemClock,
    });
    liveKey = demo!.liveKey;
  }
  afterEach(() => bare.close());

  const call = (to: string): Promise<Answer> =>
    ask(bare.platform.api!.url, 'POST', '/v1/calls', { key: liveKey, json: { to } });
  /** The outcomes of six calls to one number, which no engine takes. */
  async function sixCalls(): Promise<string[]> {
    const outcomes = [];
    for (let count = 0; count < 6; count += 1) outcomes.push(outcome(await call(NUMBER)));
    return outcomes;
  }
  const LIMITED = [...Array<string>(5).fill('502 CALL_FAILED'), '429 CALL_VELOCITY_EXCEEDED'];
  const UNLIMITED = Array<string>(6).fill('502 CALL_FAILED');

  it('is national numbers, and each of them at most five times in ten minutes', async () => {
    await open();
    expect(outcome(await call('+442071838750'))).to.equal('403 INSUFFICIENT_PERMISSIONS');
    expect(await sixCalls()).to.deep.equal(LIMITED);
  });

  it('is not limited in rate for an organization from before, which has no flags of its own', async () => {
    await open();
    await bare.database.db.query(`UPDATE organizations SET flags = '{}'`);
    expect(await sixCalls()).to.deep.equal(UNLIMITED);
  });

  it('is not limited in rate if the settings turn the limit off', async () => {
    await open({ HATIF_FLAGS_OFF: 'call_velocity' });
    expect(await sixCalls()).to.deep.equal(UNLIMITED);
  });

  it('is called from its first number as soon as it has one, and no longer when it has none', async () => {
    bare = await barePlatform('api');
    const { platform, settings } = bare;
    const { liveKey: key } = await newTenant(platform, settings, {});
    const row = { e164: '+966112345678', kind: 'geographic', state: 'available', source: 'operator' } as const;
    await platform.stores.inventory.add([newNumberRow(row, new Date())], 'imported');
    const request = (method: string, path: string, json?: object): Promise<Answer> =>
      ask(platform.api!.url, method, `/v1${path}`, { key, ...(json && { json }) });
    const outcomeOfCall = async (): Promise<string> => outcome(await request('POST', '/calls', { to: NUMBER }));

    expect(await outcomeOfCall()).to.equal('400 VALIDATION_ERROR');
    const ordered = await request('POST', '/numbers', { prefix: '+96611' });
    expect(await outcomeOfCall()).to.equal('502 CALL_FAILED');
    await request('DELETE', `/numbers/${String(ordered.body?.id)}`);
    expect(await outcomeOfCall()).to.equal('400 VALIDATION_ERROR');
  });
});
