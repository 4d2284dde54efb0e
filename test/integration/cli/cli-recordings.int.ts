import { existsSync } from 'node:fs';
import path from 'node:path';
import { expect } from 'chai';
import { listAuditRows } from '../../../core/data/repositories/accounts/audit.js';
import { Agents } from '../../../core/data/repositories/accounts/agents.js';
import { Projects } from '../../../core/data/repositories/accounts/projects.js';
import type { CallRow, RecordingRow } from '../../../core/data/rows.js';
import { newId } from '../../../core/model/ids.js';
import { HatifCommand } from '../../support/command.js';
import { RecordingsStage } from '../../support/stages/recordings-stage.js';

const AUDIO = Buffer.from('sound');

describe('hatif recordings, projects and agents', function () {
  this.timeout(60_000);
  let stage: RecordingsStage;
  let command: HatifCommand;
  let call: CallRow;
  let recording: RecordingRow;

  before(async () => {
    stage = await RecordingsStage.open();
    command = await HatifCommand.over(stage.database.url, {
      RECORDING_DIR: stage.localFolder,
      S3_BUCKET: 'recordings',
      S3_ACCESS_KEY_ID: 'S3RVER',
      S3_SECRET_ACCESS_KEY: 'S3RVER',
      S3_ENDPOINT: `http://127.0.0.1:${stage.cable.port}`,
      S3_FORCE_PATH_STYLE: 'true',
    });
  });
  after(async () => {
    await stage.close();
    await command.close();
  });
  beforeEach(async () => {
    await stage.empty();
    call = await stage.call();
    recording = await stage.recording(call, AUDIO);
  });

  const hatif = (...args: string[]): ReturnType<HatifCommand['run']> => command.run(args);
  const json: HatifCommand['json'] = (...args) => command.json(...args);
  const project = () => new Projects(stage.database.db).get(stage.ground.projectId);

  it('list recordings, optionally of one call', async () => {
    const other = await stage.recording(await stage.call(), AUDIO);
    const ids = async (...more: string[]): Promise<unknown> =>
      ((await json('recordings', 'list', ...more)) as { recording_id: string }[]).map((row) => row.recording_id);
    expect(await ids()).to.deep.equal([other.id, recording.id]);
    expect(await ids('--call', call.id)).to.deep.equal([recording.id]);
    expect(await ids('--call', 'none')).to.deep.equal([]);
    expect(await ids('--limit', '1')).to.deep.equal([other.id]);
    expect((await hatif('recordings', 'list', '--limit', 'x')).code).to.equal(2);
    expect((await hatif('recordings', 'list')).stdout).to.contain('available');
  });

  it('hold and release a recording, and write both to the audit log', async () => {
    expect(await json('recordings', 'hold', recording.id)).to.include({ legal_hold: true });
    const refused = await hatif('recordings', 'delete', recording.id);
    expect(refused.code).not.to.equal(0);
    expect(refused.stderr).to.contain('legal hold');
    expect((await stage.row(recording)).status).to.equal('available');
    expect(await json('recordings', 'release', recording.id)).to.include({ legal_hold: false });
    expect(await json('recordings', 'delete', recording.id)).to.deep.equal({
      recording_id: recording.id,
      audio_gone: true,
    });
    const rows = await listAuditRows(stage.database.db, stage.ground.projectId, 3);
    expect(rows.map(({ route }) => route)).to.deep.equal([
      'hatif recordings delete',
      'hatif recordings release',
      'hatif recordings hold',
    ]);
    for (const { details } of rows) expect(details).to.deep.equal({ recording_id: recording.id });
  });

  it('delete a recording with its audio', async () => {
    const file = path.join(stage.localFolder, recording.storage_key ?? '');
    expect(existsSync(file)).to.equal(true);
    expect((await hatif('recordings', 'delete', recording.id)).stdout).to.contain('is deleted');
    expect(existsSync(file)).to.equal(false);
    expect(await stage.isAvailable(call)).to.equal(false);
  });

  it('report that the audio remains while its storage is unavailable', async () => {
    const remote = await stage.recording(call, AUDIO, { storage: 's3' });
    stage.cable.cut();
    const { code, stdout } = await hatif('recordings', 'delete', remote.id);
    expect([code, stdout]).to.deep.equal([0, stdout]);
    expect(stdout).to.contain('is removed once the storage can be reached');
    expect((await stage.row(remote)).status).to.equal('deleted');
  });

  it('reject unknown recordings', async () => {
    for (const act of ['hold', 'release', 'delete']) {
      for (const id of [newId(), 'none']) {
        const { code, stderr } = await hatif('recordings', act, id);
        expect(code).not.to.equal(0);
        expect(stderr).to.contain(id);
      }
    }
  });

  it('show and set what a project may call, and how many calls it may have at once', async () => {
    const { projectId } = stage.ground;
    const limits = { project: projectId, destination_classes: ['national', 'mobile'], max_calls: 50 };
    expect(await json('projects', 'limits')).to.deep.equal(limits);
    const set = await json('projects', 'limits', '--destination-classes', 'foreign,national', '--max-calls', '7');
    expect(set).to.deep.equal({ ...limits, destination_classes: ['national', 'foreign'], max_calls: 7 });
    expect(await project()).to.deep.include({ destination_classes: ['national', 'foreign'], max_calls: 7 });
    expect((await hatif('projects', 'limits')).stdout).to.contain('national, foreign');
    for (const wrong of [
      ['--destination-classes', 'national,lunar'],
      ['--max-calls', '0'],
      ['--max-calls', 'many'],
    ]) {
      expect((await hatif('projects', 'limits', ...wrong)).code, wrong.join(' ')).not.to.equal(0);
    }
    expect(await project()).to.deep.include({ destination_classes: ['national', 'foreign'], max_calls: 7 });
    await json('projects', 'limits', '--destination-classes', 'none', '--max-calls', '50');
    expect(await project()).to.deep.include({ destination_classes: [], max_calls: 50 });
  });

  it('list, allow and remove hosts of SIP addresses', async () => {
    expect(await json('sip-targets', 'list')).to.deep.equal([]);
    expect((await hatif('sip-targets', 'add', '10.0.0.1')).stderr).to.contain('public');
    expect(await json('sip-targets', 'add', '93.184.216.34:5070')).to.include({ address: '93.184.216.34:5070' });
    expect((await hatif('sip-targets', 'list')).stdout).to.contain('93.184.216.34:5070');
    expect((await hatif('sip-targets', 'remove', '93.184.216.34:5070')).code).to.equal(0);
    expect((await hatif('sip-targets', 'remove', '93.184.216.34:5070')).code).not.to.equal(0);
  });

  it('let a new agent call national numbers only, until somebody says more', async () => {
    const classes = async () =>
      (await new Agents(stage.database.db).findByExtension(stage.ground.projectId, '1077'))?.destination_classes;
    await json('agents', 'add', '1077');
    expect(await classes()).to.deep.equal(['national', 'mobile']);
    expect(await json('agents', 'outbound', '1077', '--destination-classes', 'national,satellite')).to.deep.equal({
      agent: '1077',
      destination_classes: ['national', 'satellite'],
    });
    expect(await classes()).to.deep.equal(['national', 'satellite']);
    expect((await hatif('agents', 'list')).stdout).to.contain('national, satellite');
  });

  it('set the retention and the announcement of a project’s recordings', async () => {
    expect(await json('projects', 'set', '--recording-retention-days', '30')).to.deep.equal({
      project: stage.ground.projectId,
      recording_retention_days: 30,
      recording_announcement: 'off',
    });
    await json('projects', 'set', '--recording-announcement', 'both');
    expect(await project()).to.include({ recording_retention_days: 30, recording_announcement: 'both' });
    const [listed] = (await json('projects', 'list')) as object[];
    expect(listed).to.include({ recording_retention_days: 30, recording_announcement: 'both' });
    expect((await hatif('projects', 'list')).stdout).to.contain('30 days');
    await json('projects', 'set', '--recording-retention-days', 'forever', '--recording-announcement', 'off');
    expect(await project()).to.include({ recording_retention_days: null, recording_announcement: 'off' });
  });

  for (const wrong of [
    ['--recording-retention-days', '0'],
    ['--recording-retention-days', '-1'],
    ['--recording-retention-days', 'soon'],
    ['--recording-retention-days', '1.5'],
    ['--recording-announcement', 'fr'],
    [],
  ]) {
    it(`do not change a project with ${wrong.join(' ') || 'no option'}`, async () => {
      const before = await project();
      expect((await hatif('projects', 'set', ...wrong)).code).not.to.equal(0);
      expect(await project()).to.deep.equal(before);
    });
  }

  it('switch recording on and off for an agent', async () => {
    await json('agents', 'add', '1001');
    const recorded = async (): Promise<unknown> =>
      (await new Agents(stage.database.db).findByExtension(stage.ground.projectId, '1001'))?.record_calls;
    expect(await recorded()).to.equal(false);
    expect(await json('agents', 'set', '1001', '--record', 'on')).to.deep.equal({ agent: '1001', record_calls: true });
    expect(await recorded()).to.equal(true);
    expect((await hatif('agents', 'list')).stdout).to.match(/RECORDED[^]*yes/);
    await json('agents', 'set', '1001', '--record', 'off');
    expect(await recorded()).to.equal(false);
    expect((await hatif('agents', 'set', '1002', '--record', 'on')).stderr).to.contain('1002');
    expect((await hatif('agents', 'set', '1001')).code).to.equal(2);
  });
});
