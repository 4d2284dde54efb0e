import { expect } from 'chai';
import { SipLockouts } from '../../../core/data/repositories/sip/lockouts.js';
import { SipRefusals } from '../../../core/data/repositories/sip/refusals.js';
import { EDGE_FEATURES } from '../../../core/ports/sip/edge.js';
import { EDGE_SETTINGS } from '../../support/command.js';
import { codeOf } from '../../support/judges/outcome.js';
import { testDatabase, type TestDatabase } from '../../support/platform/database.js';
import { AdministrationStage } from '../../support/stages/administration/administration-stage.js';

describe('the guards of SIP, for administrators', function () {
  this.timeout(30_000);
  describe('with the edge', () => {
    let database: TestDatabase;
    let stage: AdministrationStage;

    before(async () => {
      database = await testDatabase();
      stage = await AdministrationStage.open(database, [], EDGE_SETTINGS);
      await stage.setUp();
    });
    after(async () => {
      await stage.close();
      await database.close();
    });

    const listed = async (path: string): Promise<unknown[]> => (await stage.done('GET', path)).data as unknown[];

    it('the way in says what it can do', async () => {
      const edge = { kind: 'drachtio', features: [...EDGE_FEATURES], unsupported: [] };
      expect(await stage.done('GET', '/sip')).to.deep.equal(edge);
    });

    it('lockouts are listed, and end', async () => {
      await new SipLockouts(database.db).lock({ kind: 'user', subject: '1001', reason: 'password' }, 60, 86_400);
      const [lockout] = await listed('/sip/lockouts');
      expect(lockout).to.include({ kind: 'user', subject: '1001', reason: 'password', times: 1 });
      expect(codeOf(await stage.ask('DELETE', '/sip/lockouts/1001'))).to.equal('204');
      expect(await stage.audited('/v1/admin/sip/lockouts/:subject')).to.include({ method: 'DELETE', status: 204 });
      expect(codeOf(await stage.ask('DELETE', '/sip/lockouts/1001'))).to.equal('404 NOT_FOUND');
      expect(await listed('/sip/lockouts')).to.deep.equal([]);
    });

    it('refused requests are counted', async () => {
      const hour = new Date('2026-01-01T10:00:00Z');
      const row = {
        hour,
        reason: 'country',
        source: '198.51.100.1',
        country: 'SY',
        requests: 3,
        last_at: hour,
      } as const;
      await new SipRefusals(database.db).add([row]);
      const shown = { ...row, hour: '2026-01-01T10:00:00.000Z', last_at: '2026-01-01T10:00:00.000Z' };
      expect(await listed('/sip/refusals')).to.deep.equal([shown]);
    });

    it('networks are listed in one form, changed and removed', async () => {
      const body = { network: '192.0.2.77/24', rule: 'allow', note: 'Head office' };
      expect(await stage.done('POST', '/sip/networks', body)).to.include({ network: '192.0.2.0/24', rule: 'allow' });
      const row = await stage.audited('/v1/admin/sip/networks');
      expect(JSON.stringify(row?.details)).to.contain('192.0.2.77/24').and.contain('allow').and.not.contain('office');
      await stage.done('POST', '/sip/networks', { network: '192.0.2.0/24', rule: 'deny' });
      await stage.done('POST', '/sip/networks', { network: 'sa', rule: 'allow' });
      const networks = (await listed('/sip/networks')) as { network: string; rule: string; note: string | null }[];
      expect(networks.map(({ network, rule, note }) => [network, rule, note])).to.deep.equal([
        ['SA', 'allow', null],
        ['192.0.2.0/24', 'deny', null],
      ]);
      for (const network of ['192.0.2.0%2F24', 'SA']) {
        expect(codeOf(await stage.ask('DELETE', `/sip/networks/${network}`))).to.equal('204');
        expect(codeOf(await stage.ask('DELETE', `/sip/networks/${network}`))).to.equal('404 NOT_FOUND');
      }
    });

    it('what is no network or country changes nothing', async () => {
      for (const network of ['XX', '192.0.2.0/33', 'host.example', '']) {
        const answer = await stage.ask('POST', '/sip/networks', { network, rule: 'deny' });
        expect(codeOf(answer), network).to.equal('400 VALIDATION_ERROR');
      }
      const wrong = await stage.ask('POST', '/sip/networks', { network: '192.0.2.1', rule: 'maybe' });
      expect(codeOf(wrong)).to.equal('400 VALIDATION_ERROR');
      expect(codeOf(await stage.ask('DELETE', '/sip/networks/host.example'))).to.equal('400 VALIDATION_ERROR');
      expect(await listed('/sip/networks')).to.deep.equal([]);
    });
  });

  describe('without it', () => {
    let database: TestDatabase;
    let stage: AdministrationStage;

    before(async () => {
      database = await testDatabase();
      stage = await AdministrationStage.open(database);
      await stage.setUp();
    });
    after(async () => {
      await stage.close();
      await database.close();
    });

    it('are unsupported', async () => {
      const edge = await stage.done('GET', '/sip');
      expect(edge).to.deep.equal({ kind: 'direct', features: [], unsupported: [...EDGE_FEATURES] });
      for (const [method, path, body] of [
        ['GET', '/sip/lockouts'],
        ['DELETE', '/sip/lockouts/1001'],
        ['GET', '/sip/refusals'],
        ['GET', '/sip/networks'],
        ['POST', '/sip/networks', { network: '192.0.2.1', rule: 'deny' }],
        ['DELETE', '/sip/networks/192.0.2.1'],
      ] as const) {
        const answer = await stage.ask(method, path, body);
        expect(codeOf(answer), `${method} ${path}`).to.equal('422 SIP_EDGE_UNSUPPORTED');
      }
    });
  });
});
