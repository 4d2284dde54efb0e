import { expect } from 'chai';
import { testApi, type TestApi } from '../../support/api.js';
import { HatifCommand } from '../../support/command.js';
import { testDatabase, type TestDatabase } from '../../support/platform/database.js';
import { Gate, sampleRoutes } from '../../support/sample-routes.js';

describe('hatif flags', () => {
  let database: TestDatabase;
  let command: HatifCommand;
  let api: TestApi;

  before(async () => {
    database = await testDatabase();
    command = await HatifCommand.over(database.url, { HATIF_FLAGS_OFF: 'transfer' });
    api = await testApi({ db: database.db, routes: sampleRoutes(new Gate()) });
  });
  after(async () => {
    await api.close();
    await command.close();
    await database.close();
  });

  const flagOf = (rows: unknown, name: string) => (rows as { flag: string }[]).find(({ flag }) => flag === name);

  it('turns a feature off and on for one organization, which the API obeys', async () => {
    const { projectId } = await api.owner();
    const own = ['--project', projectId];
    const digits = async (owner = projectId): Promise<number> => {
      const { key } = await api.key({ projectId: owner });
      const path = '/v1/orders/01934f6e-9d5c-7cc3-8f0e-0d8f5b7a4c11/digits';
      return (await api.request('POST', path, { key, json: { digits: '1' } })).status;
    };
    expect(await digits()).to.equal(200);
    const off = await command.json('flags', 'set', 'in_call_control', 'off', ...own);
    const row = { flag: 'in_call_control', on: false, organization: false, environment: true };
    expect(flagOf(off, 'in_call_control')).to.deep.equal(row);
    expect(await digits()).to.equal(503);
    expect(await digits((await api.owner()).projectId)).to.equal(200);
    expect(flagOf(await command.json('flags', 'list', ...own), 'in_call_control')).to.deep.equal(row);
    const back = await command.json('flags', 'set', 'in_call_control', 'default', ...own);
    expect(flagOf(back, 'in_call_control')).to.deep.equal({ ...row, on: true, organization: null });
    expect(await digits()).to.equal(200);
    const on = await command.json('flags', 'set', 'transfer', 'on', ...own);
    expect(flagOf(on, 'transfer')).to.deep.equal({
      flag: 'transfer',
      on: true,
      organization: true,
      environment: false,
    });
  });

  it('rejects unknown flags and states without any change', async () => {
    const { projectId } = await api.owner();
    const own = ['--project', projectId];
    const unknown = await command.run(['flags', 'set', 'teleport', 'on', ...own]);
    expect(unknown.code).to.equal(2);
    expect(unknown.stderr).to.contain('teleport').and.contain('graph_callflows');
    expect((await command.run(['flags', 'set', 'toString', 'on', ...own])).code, 'a name of every object').to.equal(2);
    expect((await command.run(['flags', 'set', 'transfer', 'maybe', ...own])).code).to.equal(2);
    const listed = (await command.json('flags', 'list', ...own)) as { organization: boolean | null }[];
    expect(listed.every(({ organization }) => organization === null)).to.equal(true);
  });
});
