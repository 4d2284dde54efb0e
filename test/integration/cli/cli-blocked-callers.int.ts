import { expect } from 'chai';
import { commandForAll, type HatifCommand } from '../../support/command.js';
import type { TestDatabase } from '../../support/platform/database.js';
import { groundIn } from '../../support/rows/rows.js';

const CALLER = '+442071838750';

describe('hatif blocked-callers', () => {
  let database: TestDatabase;
  let command: HatifCommand;
  let projectId: string;
  const { hatif, json } = commandForAll((...opened) => ([command, database] = opened));

  before(async () => {
    ({ projectId } = await groundIn(database.db));
    await groundIn(database.db);
  });
  afterEach(() => database.db.query('DELETE FROM blocked_callers'));

  const entry = async (...args: string[]): Promise<Record<string, unknown>> =>
    (await json('blocked-callers', 'add', ...args)) as Record<string, unknown>;

  it('blocks callers for the installation, lists them and removes them', async () => {
    expect((await hatif(['blocked-callers', 'list'])).stdout).to.contain('No caller is blocked');
    const added = await hatif(['blocked-callers', 'add', '0501234567', '--note', 'sells windows']);
    expect(added.stdout, added.stderr).to.match(/^\+966501234567: blocked for the installation/);
    expect((await hatif(['blocked-callers', 'add', '+966501234567'])).stdout).to.contain('blocked already');
    expect(await entry('+4420', '--prefix')).to.include({ project_id: null, kind: 'prefix', number: '+4420' });
    const { id } = await entry('withheld');
    const shown = (await hatif(['blocked-callers', 'list'])).stdout;
    expect(shown)
      .to.match(/ withheld +/)
      .and.match(/ \+4420… +/)
      .and.match(/ \+966501234567 +sells windows +/);
    await json('blocked-callers', 'remove', String(id));
    expect(await json('blocked-callers', 'list')).to.have.length(2);
    const { code, stderr } = await hatif(['blocked-callers', 'remove', String(id)]);
    expect(code).to.equal(1);
    expect(stderr).to.contain(String(id));
  });

  it('keeps the list of a project apart: only --project shows and changes it', async () => {
    const own = ['--project', projectId];
    const { id } = await entry(CALLER, ...own);
    expect(await json('blocked-callers', 'list')).to.deep.equal([]);
    const { stdout } = await hatif(['blocked-callers', 'list']);
    expect(stdout).to.contain('for the whole installation').and.contain('--project shows the list of a project');
    expect((await hatif(['blocked-callers', 'remove', String(id)])).code).to.equal(1);
    expect(await json('blocked-callers', 'list', ...own)).to.have.length(1);
    await json('blocked-callers', 'remove', String(id), ...own);
    expect(await json('blocked-callers', 'list', ...own)).to.deep.equal([]);
  });

  it('keeps lists of agents apart, and of callers who are never blocked', async () => {
    const project = ['--project', projectId];
    const own = [...project, '--agent', '1001'];
    const add = ['add', CALLER, ...own];
    expect((await hatif(['blocked-callers', ...add])).stderr).to.contain('1001');
    await json('agents', 'add', '1001', '--name', 'Reem', ...project);
    const { stdout } = await hatif(['blocked-callers', ...add]);
    expect(stdout).to.match(/^\+442071838750: blocked for the agent 1001/);
    expect(await json('blocked-callers', 'list', ...project)).to.deep.equal([]);
    expect(await json('allowed-callers', 'list', ...own)).to.deep.equal([]);
    expect((await hatif(['allowed-callers', ...add])).stdout).to.match(/^\+442071838750: allowed for the agent 1001/);
    const [entry] = (await json('blocked-callers', 'list', ...own)) as Record<string, unknown>[];
    expect(entry).to.include({ agent: '1001', number: CALLER, refused_calls: 0, last_refused_at: null });
    expect((await hatif(['blocked-callers', 'remove', String(entry?.id), ...project])).code).to.equal(1);
    await json('blocked-callers', 'remove', String(entry?.id), ...own);
    expect(await json('blocked-callers', 'list', ...own)).to.deep.equal([]);
  });

  it('sets what blocked callers get, for all projects and for one', async () => {
    const answer = (...args: string[]) => json('blocked-callers', 'answer', ...args);
    const own = ['--project', projectId];
    expect(await answer()).to.deep.equal({ project_id: null, answer: null, effective: 'declined' });
    await answer('unwanted');
    expect(await answer(...own)).to.deep.equal({ project_id: projectId, answer: null, effective: 'unwanted' });
    await answer('announcement', ...own);
    expect(await answer(...own)).to.include({ answer: 'announcement', effective: 'announcement' });
    expect(await answer('inherit', ...own)).to.include({ answer: null, effective: 'unwanted' });
    expect((await hatif(['blocked-callers', 'answer', 'busy'])).code).to.equal(2);
  });

  it('lists more entries than one page holds', async () => {
    await database.db.query(
      `INSERT INTO blocked_callers (id, sandbox, kind, number, created_at)
       SELECT gen_random_uuid(), false, 'exact', '+4420' || (70000000 + n), now() FROM generate_series(1, 2001) AS n`,
    );
    const listed = (await json('blocked-callers', 'list')) as { id: string }[];
    expect(new Set(listed.map(({ id }) => id)).size).to.equal(2001);
  });

  for (const [what, args, words] of [
    ['an emergency number', ['add', '911'], 'emergency'],
    ['a prefix of two digits', ['add', '+44', '--prefix'], 'at least three'],
    ['a note that is too long', ['add', CALLER, '--note', 'x'.repeat(201)], 'at most 200'],
    ['an entry that is no ID', ['remove', CALLER], 'is not the ID'],
  ] as const) {
    it(`rejects ${what}`, async () => {
      const { code, stderr } = await command.run(['blocked-callers', ...args]);
      expect(code).to.equal(2);
      expect(stderr).to.contain(words);
    });
  }
});
