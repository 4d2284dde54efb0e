import { readdirSync, readFileSync } from 'node:fs';
import { mkdtemp, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { secretsIn } from '../../support/judges/log-secrets.js';
import { freeSipPort, type Baresip } from '../../support/phones/index.js';
import { embeddedSettings, PlatformProcess, processesOf } from '../../support/platform/platform-process.js';
import { ProcessStage } from '../../support/stages/process-stage.js';
import type { TrunkTalkers } from '../../support/calls/trunk-talkers.js';

/** What `bootstrap.json` names at the process's own address, which the next process may not get. */
const ADDRESSES = { base_url: '', docs_url: '', setup_url: '' };

describe('the process', () => {
  let stage: ProcessStage;
  let talkers: TrunkTalkers;
  let carrier: Baresip;
  let agent: Baresip;

  before(async () => {
    const carrierPort = await freeSipPort();
    stage = await ProcessStage.start({
      ...(await embeddedSettings(await mkdtemp(join(tmpdir(), 'hatif-process-')))),
      SIP_TRUNK_URI: `sip:127.0.0.1:${carrierPort}`,
      DRAIN_SECONDS: '30',
    });
    talkers = await stage.talkers(carrierPort);
    ({ carrier, agent } = talkers);
  });
  after(() => stage.close());

  it('keeps its keys and passwords private', async () => {
    expect((await stat(join(stage.dataDir, 'bootstrap.json'))).mode & 0o777).to.equal(0o600);
    const { base_url, live_key } = stage.bootstrap;
    expect(stage.platform.output).to.contain(base_url).and.not.to.contain(live_key);
  });

  it('is killed during a conversation: the next process takes the call over', async () => {
    const conversing = await talkers.conversation();
    const { callId } = conversing;
    const known = stage.bootstrap;
    await stage.kill();
    await talkers.keepTalking(conversing);
    await stage.start();
    expect({ ...stage.bootstrap, ...ADDRESSES }).to.deep.equal({ ...known, ...ADDRESSES });
    await talkers.keepTalking(conversing);
    await stage.adopted(callId);
    await stage.hangup(callId);
    await talkers.closed(conversing);
    expect(talkers.missingSeconds(conversing)).to.be.lessThan(1);
    await stage.becomes(callId, 'ended');
    const events = (await stage.timeline(callId)).filter(
      ({ sequence, type }) => sequence !== null && type.startsWith('call.'),
    );
    expect(events.map(({ sequence, type }) => `${String(sequence)} ${type}`)).to.deep.equal([
      '1 call.initiated',
      '2 call.ringing',
      '3 call.answered',
      '4 call.ended',
    ]);
  });

  it('receives SIGTERM: the live call continues to its end, then no process is left', async () => {
    const conversing = await talkers.conversation();
    const { platform } = stage;
    const parts = processesOf(stage.dataDir);
    expect(parts).to.have.length.at.least(3);
    platform.signal('SIGTERM');
    await platform.says('live calls may continue');
    await talkers.keepTalking(conversing);
    await carrier.hangup(conversing.atCarrier);
    await agent.closed(conversing.atAgent);
    expect(await platform.exited, platform.output).to.equal(0);
    expect(platform.output).to.contain('data is kept');
    expect(processesOf(stage.dataDir)).to.deep.equal([]);
    expect(parts.filter((pid) => isRunning(pid))).to.deep.equal([]);
  });

  it('starts again with its stored data', async () => {
    const { live_key, sip } = stage.bootstrap;
    const platform = await stage.start();
    expect(stage.bootstrap).to.deep.include({ live_key, sip });
    const { body } = await stage.request('GET', '/v1/calls?status=ended');
    expect(body?.data).to.have.length(2);
    platform.signal('SIGINT');
    expect(await platform.exited, platform.output).to.equal(0);
    expect(processesOf(stage.dataDir)).to.deep.equal([]);
  });

  it('and its parts log no secret', () => {
    const logs = readdirSync(stage.dataDir, { recursive: true, encoding: 'utf8' }).filter(
      (name) => !name.startsWith('postgres/') && /\.log$|log\/(?:messages|.*\.csv)$/.test(name),
    );
    expect(logs).to.include.members(['logs/hatif.log', 'asterisk/log/messages', 'postgres.log', 'redis/redis.log']);
    const { live_key, sandbox_key, sip } = stage.bootstrap;
    const passwords = sip.agents.map(({ password }) => password);
    for (const name of logs) {
      const log = readFileSync(join(stage.dataDir, name), 'utf8');
      expect(secretsIn(log, [live_key, sandbox_key, ...passwords]), name).to.deep.equal([]);
    }
  });

  it('names the wrong settings and starts nothing', async () => {
    const wrong = PlatformProcess.start({ ...stage.settings, PORT: 'eighty', HATIF_ROLLS: 'api', DRAIN_SECONDS: '-1' });
    expect(await wrong.exited).to.equal(2);
    for (const name of ['PORT', 'HATIF_ROLLS', 'DRAIN_SECONDS']) expect(wrong.output).to.contain(name);
    expect(processesOf(stage.dataDir)).to.deep.equal([]);
  });
});

/** A zombie, which is not reaped yet, is not running. */
function isRunning(pid: number): boolean {
  try {
    return !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'));
  } catch {
    return false;
  }
}
