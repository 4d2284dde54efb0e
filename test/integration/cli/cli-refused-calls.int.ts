import { expect } from 'chai';
import { RefusedCalls, type RefusedCallsRow } from '../../../core/data/repositories/calls/refused-calls.js';
import { Trunks } from '../../../core/data/repositories/engines/trunks.js';
import { commandForAll } from '../../support/command.js';
import type { TestDatabase } from '../../support/platform/database.js';
import { groundIn } from '../../support/rows/rows.js';
import { trunkRow } from '../../support/rows/trunk-row.js';

const HOUR_MS = 3_600_000;

describe('hatif calls refused', () => {
  let database: TestDatabase;
  const { hatif, json } = commandForAll((_, opened) => (database = opened));

  it('says that no call was refused', async () => {
    expect((await hatif(['calls', 'refused'])).stdout).to.contain('No call was refused in the last 24 hours');
    expect(await json('calls', 'refused')).to.deep.equal([]);
  });

  it('lists refused calls, summed up by number, source and reason', async () => {
    const { engineId } = await groundIn(database.db);
    const trunk = trunkRow('carrier');
    await new Trunks(database.db).create(trunk);
    const now = Date.now();
    const row = (hoursAgo: number, over: Partial<RefusedCallsRow> = {}): RefusedCallsRow => {
      const at = new Date(now - hoursAgo * HOUR_MS);
      return {
        engine_id: engineId,
        hour: new Date(Math.floor(at.getTime() / HOUR_MS) * HOUR_MS),
        reason: 'unknown_number',
        source: 'trunk',
        source_id: trunk.id,
        dialled: '+966112223344',
        caller_masked: '+96650••••17',
        q850: 1,
        calls: 2,
        first_at: at,
        last_at: at,
        ...over,
      };
    };
    const table = new RefusedCalls(database.db);
    await table.add([row(30, { dialled: '+966110000000' }), row(2), row(1)]);
    await table.add([row(1, { caller_masked: '+96655••••43', calls: 3 }), row(0, { source_id: '', dialled: '' })]);
    const [others, known, ...rest] = (await json('calls', 'refused')) as Record<string, unknown>[];
    expect(rest, 'a day is shown').to.deep.equal([]);
    expect(known).to.include({ dialled: '+966112223344', source_name: 'carrier', calls: 7, reason: 'unknown_number' });
    expect(known).to.include({ caller_masked: '+96655••••43', first_at: new Date(now - 2 * HOUR_MS).toISOString() });
    expect(others).to.include({ dialled: null, source_name: null, calls: 2 });
    const shown = (await hatif(['calls', 'refused', '--hours', '48'])).stdout;
    expect(shown).to.match(/ 7 +\+966112223344 +trunk carrier +\+96655••••43 +unknown_number/);
    expect(shown)
      .to.match(/\(others\)/)
      .and.match(/\+966110000000/);
    expect(await json('calls', 'refused', '--limit', '1')).to.have.length(1);
  });

  for (const [option, value, exit, words] of [
    ['--hours', '0', 1, 'must be a whole number'],
    ['--hours', 'all', 2, '--hours'],
    ['--limit', '1001', 1, 'must be a whole number'],
  ] as const) {
    it(`rejects ${option} ${value}`, async () => {
      const { code, stderr } = await hatif(['calls', 'refused', option, value]);
      expect(code).to.equal(exit);
      expect(stderr).to.contain(words);
    });
  }
});
