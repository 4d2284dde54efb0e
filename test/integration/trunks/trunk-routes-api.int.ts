import { expect } from 'chai';
import { newId } from '../../../core/model/ids.js';
import { administratorRouteProblems } from '../../support/judges/administrator-contract.js';
import { codeOf } from '../../support/judges/outcome.js';
import { testDatabase, type TestDatabase } from '../../support/platform/database.js';
import { groundIn, type Ground } from '../../support/rows/rows.js';
import { AdministrationStage } from '../../support/stages/administration/administration-stage.js';

const INVALID = '400 VALIDATION_ERROR';
const UNKNOWN = '404 NOT_FOUND';

describe('trunks, for administrators', function () {
  this.timeout(60_000);
  let database: TestDatabase;
  let stage: AdministrationStage;
  let ground: Ground;

  before(async () => {
    database = await testDatabase();
    stage = await AdministrationStage.open(database);
    await stage.setUp();
    ground = await groundIn(database.db);
    await stage.done('POST', '/trunks', { name: 'carrier', uri: 'sip:192.0.2.9', probed: false });
  });
  after(async () => {
    await stage.close();
    await database.close();
  });

  const data = async (path: string): Promise<Record<string, unknown>[]> =>
    (await stage.done('GET', path)).data as Record<string, unknown>[];
  const trunk = async (name: string): Promise<Record<string, unknown> | undefined> =>
    (await data('/trunks')).find((one) => one.name === name);

  describe('themselves', () => {
    it('have settings that change one by one, and secrets that nobody sees', async () => {
      const credentials = { username: 'acme', password: 'trunk-password' };
      const changed = await stage.done('PATCH', '/trunks/carrier', { credentials, registers: true, capacity: 30 });
      expect(changed).to.include({ username: 'acme', registers: true, capacity: 30, caller_id: 'pass' });
      const rules = { caller_id: 'fixed', caller_id_number: '0112345678', asserted_identity: 'none', diversion: true };
      expect(await stage.done('PATCH', '/trunks/carrier', rules)).to.deep.include({
        ...{ ...rules, caller_id_number: '+966112345678', registers: true, capacity: 30 },
        ...{ codecs: null, privacy: false, dtmf_mode: 'auto' },
      });
      const audio = { codecs: ['opus', 'alaw'], dtmf_mode: 'info', capacity: null };
      expect(await stage.done('PATCH', '/trunks/carrier', audio)).to.deep.include(audio);
      const shown = await stage.ask('GET', '/trunks');
      expect(shown.text).to.not.contain('trunk-password');
      const [row] = await database.db.query<{ password: string }>(`SELECT password FROM trunks WHERE name = 'carrier'`);
      expect(row?.password).to.not.contain('trunk-password');
      const audited = await stage.audited('/v1/admin/trunks/:name');
      expect((audited?.details as { fields: string[] }).fields).to.have.members(['capacity', 'codecs', 'dtmf_mode']);
      expect(audited?.details).to.deep.include({
        before: { capacity: 30, codecs: null, dtmf_mode: 'auto' },
        after: audio,
      });
      expect(JSON.stringify(audited)).to.not.contain('trunk-password');
    });

    it('follow a new address with the sources of their calls, unless others were set', async () => {
      const moved = await stage.done('PATCH', '/trunks/carrier', { uri: 'sip:192.0.2.10:5070' });
      expect(moved.inbound_addresses).to.deep.equal(['192.0.2.10:5070']);
      await stage.done('PATCH', '/trunks/carrier', { inbound_addresses: ['198.51.100.0/24'] });
      const again = await stage.done('PATCH', '/trunks/carrier', { uri: 'sip:192.0.2.9' });
      expect(again.inbound_addresses).to.deep.equal(['198.51.100.0/24']);
    });

    it('are off without calls, probes and registration', async () => {
      expect(await stage.done('PATCH', '/trunks/carrier', { enabled: false })).to.include({ state: 'off' });
      expect(await stage.stores.trunks.enabled()).to.deep.equal([]);
      expect(await stage.done('PATCH', '/trunks/carrier', { enabled: true })).to.include({ state: 'not_probed' });
    });

    for (const [what, json] of [
      ['registration without credentials', { credentials: null, registers: true }],
      ['a fixed number without a number', { caller_id: 'fixed', caller_id_number: null }],
      ['no telephone number', { caller_id_number: 'nobody' }],
      ['an emergency number', { caller_id_number: '911' }],
      ['a rule that is none', { caller_id: 'mine' }],
      ['no room for a call', { capacity: 0 }],
      ['an unknown codec', { codecs: ['alaw', 'amr'] }],
      ['a codec twice', { codecs: ['alaw', 'alaw'] }],
      ['no codec', { codecs: [] }],
      ['an address that is none', { uri: 'http://192.0.2.9' }],
      ['a member that is none', { name: 'other' }],
    ] as const) {
      it(`do not change with ${what}`, async () => {
        const before = await trunk('carrier');
        expect(codeOf(await stage.ask('PATCH', '/trunks/carrier', json))).to.equal(INVALID);
        expect(await trunk('carrier')).to.deep.equal(before);
      });
    }

    it('that are unknown do not change', async () => {
      expect(codeOf(await stage.ask('PATCH', '/trunks/nothing', { capacity: 1 }))).to.equal(UNKNOWN);
    });
  });

  describe('routes', () => {
    it('are added, listed in the order of the choice, and removed', async () => {
      const all = await stage.done('POST', '/trunk-routes', { trunk: 'carrier' });
      expect(all).to.deep.include({
        ...{ trunk: 'carrier', organization_id: null, organization: null, prefix: '', hours: null },
        ...{ priority: 100, weight: 1, cost_sar: null },
      });
      const hours = { time_zone: 'Asia/Riyadh', weekdays: ['sunday', 'friday'], from: '22:00', to: '06:00' };
      const own = await stage.done('POST', '/trunk-routes', {
        ...{ trunk: 'carrier', organization_id: ground.organizationId, prefix: '+9665', hours },
        ...{ priority: 1, weight: 3, cost_sar: 0.045 },
      });
      expect(own).to.deep.include({ prefix: '9665', hours, priority: 1, weight: 3, cost_sar: 0.045 });
      const audited = (await stage.audited('/v1/admin/trunk-routes'))?.details as { fields: string[] };
      expect(audited.fields).to.include.members(['trunk', 'organization_id', 'prefix', 'hours', 'cost_sar']);
      const longer = await stage.done('POST', '/trunk-routes', { trunk: 'carrier', prefix: '9661' });
      expect((await data('/trunk-routes')).map(({ id }) => id)).to.deep.equal([own.id, longer.id, all.id]);
      for (const { id } of [own, longer, all]) {
        expect(codeOf(await stage.ask('DELETE', `/trunk-routes/${String(id)}`))).to.equal('204');
      }
      expect(codeOf(await stage.ask('DELETE', `/trunk-routes/${String(all.id)}`))).to.equal(UNKNOWN);
      expect(codeOf(await stage.ask('DELETE', '/trunk-routes/nothing'))).to.equal(UNKNOWN);
    });

    const HOURS = { from: '08:00', to: '17:00' };
    for (const [what, json] of [
      ['an unknown trunk', { trunk: 'nothing' }],
      ['an unknown organization', { organization_id: newId() }],
      ['a prefix that is none', { prefix: '05x' }],
      ['an unknown time zone', { hours: { ...HOURS, time_zone: 'Riyadh' } }],
      ['no day', { hours: { ...HOURS, weekdays: [] } }],
      ['a day twice', { hours: { ...HOURS, weekdays: ['friday', 'friday'] } }],
      ['a time that is none', { hours: { ...HOURS, from: '8:00' } }],
      ['a weight of nothing', { weight: 0 }],
      ['a cost below nothing', { cost_sar: -1 }],
      ['a member that is none', { cost: 1 }],
    ] as const) {
      it(`are not added with ${what}`, async () => {
        expect(codeOf(await stage.ask('POST', '/trunk-routes', { trunk: 'carrier', ...json }))).to.equal(INVALID);
        expect(await data('/trunk-routes')).to.deep.equal([]);
      });
    }

    it('keep their trunk from being removed', async () => {
      const { id } = await stage.done('POST', '/trunk-routes', { trunk: 'carrier' });
      const refused = await stage.ask('DELETE', '/trunks/carrier');
      expect(codeOf(refused)).to.equal(INVALID);
      expect(refused.body?.message).to.contain(`routes: ${String(id)}`);
      await stage.done('DELETE', `/trunk-routes/${String(id)}`);
    });
  });

  describe('rates', () => {
    const RATES = [
      { prefix: '966', per_minute_sar: 0.1 },
      { prefix: '9665', per_minute_sar: 0.045 },
    ];

    it('replace those before', async () => {
      expect(
        await stage.done('PUT', '/trunks/carrier/rates', { rates: [{ prefix: '44', per_minute_sar: 1 }] }),
      ).to.deep.equal({ rates: 1 });
      const given = RATES.map((rate) => ({ ...rate, prefix: `+${rate.prefix}` }));
      expect(await stage.done('PUT', '/trunks/carrier/rates', { rates: given })).to.deep.equal({ rates: 2 });
      expect(await data('/trunks/carrier/rates')).to.deep.equal(RATES);
      expect(await stage.audited('/v1/admin/trunks/:name/rates')).to.deep.include({
        details: { fields: ['rates'], trunk: 'carrier', rates: 2 },
      });
      expect([...(await stage.stores.trunkRates.of('+966501234517')).values()]).to.deep.equal([45_000]);
    });

    for (const [what, bad, path] of [
      ['a prefix that is none', { prefix: '96x', per_minute_sar: 1 }, 'rates[1].prefix'],
      ['a prefix twice', { prefix: '+1', per_minute_sar: 1 }, 'rates[1].prefix'],
      ['a price below nothing', { prefix: '2', per_minute_sar: -1 }, 'rates[1].per_minute_sar'],
      ['a price that is too exact', { prefix: '2', per_minute_sar: 0.000_000_1 }, 'rates[1].per_minute_sar'],
    ] as const) {
      it(`stay as they are if one of them has ${what}`, async () => {
        const refused = await stage.ask('PUT', '/trunks/carrier/rates', {
          rates: [{ prefix: '1', per_minute_sar: 1 }, bad],
        });
        expect(codeOf(refused)).to.equal(INVALID);
        expect(JSON.stringify(refused.body?.details)).to.contain(path);
        expect(await data('/trunks/carrier/rates')).to.deep.equal(RATES);
      });
    }

    it('of an unknown trunk do not exist', async () => {
      expect(codeOf(await stage.ask('GET', '/trunks/nothing/rates'))).to.equal(UNKNOWN);
      expect(codeOf(await stage.ask('PUT', '/trunks/nothing/rates', { rates: [] }))).to.equal(UNKNOWN);
    });
  });

  it('have figures, for a time that is not too long', async () => {
    expect(await data('/trunk-figures')).to.deep.equal([
      {
        ...{ trunk_id: (await trunk('carrier'))?.id, trunk: 'carrier', capacity: null, live_calls: 0 },
        ...{ attempts: 0, answered: 0, failed: 0, rerouted: 0, talk_seconds: 0 },
        ...{ asr: null, acd_seconds: null, pdd_seconds: null, mos: null },
      },
    ]);
    for (const hours of ['0', '745', 'many']) {
      expect(codeOf(await stage.ask('GET', `/trunk-figures?hours=${hours}`)), hours).to.equal(INVALID);
    }
    expect(await data(`/trunk-attempts?call_id=${newId()}`)).to.deep.equal([]);
    expect(await data('/trunk-attempts?call_id=nothing')).to.deep.equal([]);
  });

  it('are audited once, as requests', async () => {
    expect(await database.db.query(`SELECT path FROM audit_log WHERE method = 'CLI'`)).to.deep.equal([]);
  });

  it('are for administrators only', async () => {
    const { api, routes, token } = stage;
    const own = routes.filter(({ path }) => path.startsWith('/v1/admin/trunk'));
    expect(own).to.have.length.above(8);
    expect(await administratorRouteProblems(api, own, token, [])).to.deep.equal([]);
  });
});
