import { mkdir, mkdtemp, readFile, rm, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { expect } from 'chai';
import { newId } from '../../../core/model/ids.js';
import { EndedLegs, linesFile } from '../../../engine/freeswitch/ended-legs.js';
import { quiet } from '../../support/logger.js';
import { failureOf } from '../../support/judges/failure-of.js';

describe('FreeSWITCH’s records of ended legs', () => {
  let folder: string;

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'hatif-fs-unit-'));
  });
  afterEach(() => rm(folder, { recursive: true, force: true }));

  it('reads stored CDRs, deletes old ones, and skips broken ones', async () => {
    const legId = newId();
    const file = (name: string): string => join(folder, `${name}.cdr.json`);
    const variables = {
      ...{ uuid: legId, direction: 'outbound', start_uepoch: '1795293989000000', end_uepoch: '1795293999500000' },
      ...{ answer_uepoch: '0', hangup_cause: 'USER_BUSY', hangup_cause_q850: '17' },
      ...{ proto_specific_hangup_cause: 'sip:486', sip_term_status: '486' },
    };
    await writeFile(file(legId), JSON.stringify({ variables }));
    await writeFile(file('broken'), '{"variables":');
    await writeFile(file('old'), '{}');
    await utimes(file('old'), 0, 0);
    const records = new EndedLegs({ directory: folder, log: quiet });
    const other = newId();
    const found = await records.of([legId, other].map((id) => ({ id, created_at: new Date() })));
    expect(found?.get(legId)).to.deep.equal({
      answeredAt: null,
      end: { at: new Date(1_795_293_999_500), cause: { q850: 17, sipCode: 486, text: 'User busy' } },
    });
    expect(found?.get(other)).to.deep.equal({ answeredAt: null, end: null });
    expect(await failureOf(readFile(file('old')))).to.be.instanceOf(Error);
    expect(
      await new EndedLegs({ directory: join(folder, 'none'), log: quiet }).of([{ id: legId, created_at: new Date() }]),
    ).to.equal(null);
  });

  it('reads the lines of ended legs, also those before the last rotation, as far back as the oldest leg', async () => {
    const [busy, answered, old] = [newId(), newId(), newId()];
    const line = (...fields: readonly string[]): string => `${fields.join(',')}\n`;
    const file = linesFile(folder);
    await mkdir(dirname(file));
    await writeFile(
      `${file}.1`,
      line(old, '1795200000000000', '0', '1795200009000000', 'outbound', 'NORMAL_CLEARING', '16', '', '') +
        line(busy, '1795293989000000', '0', '1795293999500000', 'outbound', 'USER_BUSY', '17', 'sip:486', '486'),
    );
    await writeFile(
      file,
      line(answered, '1795293989000000', '1795293990000000', '1795294000000000', 'inbound', 'NONE', '16', '', '') +
        `broken\n${answered},1795293989000000,17952`,
    );
    const created_at = new Date(1_795_293_989_000);
    const records = new EndedLegs({ directory: folder, log: quiet });
    const found = await records.of([busy, answered, old].map((id) => ({ id, created_at })));
    expect(found?.get(busy)?.end).to.deep.equal({
      at: new Date(1_795_293_999_500),
      cause: { q850: 17, sipCode: 486, text: 'User busy' },
    });
    expect(found?.get(answered)?.answeredAt).to.deep.equal(new Date(1_795_293_990_000));
    expect(found?.get(answered)?.end?.cause.q850).to.equal(16);
    expect(found?.get(old)).to.deep.equal({ answeredAt: null, end: null });
  });
});
