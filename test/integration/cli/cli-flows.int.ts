import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import { HatifCommand } from '../../support/command.js';
import { flowEach, MENU, type FlowStage } from '../../support/stages/flow-stage.js';

interface Made {
  readonly id: string;
  readonly name: string;
  readonly version: number;
  readonly status: string;
}

describe('hatif flows', function () {
  this.timeout(60_000);
  let stage: FlowStage;
  let command: HatifCommand;
  let file: string;
  flowEach((made) => (stage = made));

  beforeEach(async () => {
    // Flows are stored through the API alone.
    const unused = 'postgres://nobody@127.0.0.1:1/none';
    command = await HatifCommand.over(unused, { HATIF_BASE_URL: stage.api.url, HATIF_API_KEY: stage.key });
    file = join(command.dataDir, 'flow.json');
    await writeFile(file, JSON.stringify(MENU));
    await stage.withEngine();
  });
  afterEach(() => command.close());

  const flows = async (): Promise<Made[]> => (await command.json('flows', 'list')) as Made[];

  it('add stores a flow once under a name; update makes its next version', async () => {
    const made = (await command.json('flows', 'add', file, '--activate')) as Made;
    expect(made).to.include({ name: 'Main line', version: 1, status: 'active' });
    const twin = await command.run(['flows', 'add', file]);
    expect(twin.code).to.equal(1);
    expect(twin.stderr).to.contain(`npx hatif flows update ${made.id} ${file}`);
    const updated = (await command.json('flows', 'update', 'Main line', file)) as Made;
    expect(updated).to.include({ id: made.id, version: 2, status: 'active' });
    expect(await flows()).to.have.lengthOf(1);
  });

  it('update refuses a version that is no longer the current one', async () => {
    const { id } = (await command.json('flows', 'add', file)) as Made;
    await command.json('flows', 'update', id, file, '--replaces', '1');
    const { code, stderr } = await command.run(['flows', 'update', id, file, '--replaces', '1']);
    expect(code).to.equal(1);
    expect(stderr).to.contain('CALLFLOW_VERSION_CONFLICT');
    expect((await flows())[0]).to.include({ id, version: 2, status: 'draft' });
  });

  it('a flow that cannot be activated stays a draft, and the text says how to continue', async () => {
    const wrong = join(command.dataDir, 'wrong.json');
    const options = { 1: { type: 'agent', target: '404' } };
    await writeFile(wrong, JSON.stringify({ ...MENU, definition: { ...MENU.definition, options } }));
    const { code, stderr } = await command.run(['flows', 'add', wrong, '--activate']);
    expect(code).to.equal(1);
    const [draft] = await flows();
    expect(draft).to.include({ status: 'draft' });
    expect(stderr).to.contain('404').and.contain(`npx hatif flows update ${draft!.id} ${wrong} --activate`);
    expect(await command.json('flows', 'update', draft!.id, file, '--activate')).to.include({
      ...{ status: 'active', version: 2 },
    });
  });

  it('a live key and a sandbox key keep flows with the same name apart', async () => {
    const live = (await command.json('flows', 'add', file)) as Made;
    const sandbox = { env: { HATIF_API_KEY: stage.sandboxKey } };
    expect((await command.run(['flows', 'add', file], sandbox)).code).to.equal(0);
    expect(await flows()).to.have.lengthOf(2);
    expect(await command.json('flows', 'update', 'Main line', file)).to.include({ id: live.id, version: 2 });
    const other = await command.run(['flows', 'update', live.id, file], sandbox);
    expect(other.stderr).to.contain('no call flow');
  });
});
