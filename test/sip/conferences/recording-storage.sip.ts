import { readFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { expect } from 'chai';
import { loudSeconds, readWav, toneSeconds } from '../../support/judges/audio.js';
import { AGENT_HZ, CUSTOMER_HZ, Talkers } from '../../support/calls/conversation.js';
import { eventually } from '../../support/eventually.js';
import { TestPlatform } from '../../support/platform/platform.js';
import { startS3, type S3Peer } from '../../support/peers/s3.js';
import { TcpProxy } from '../../support/peers/tcp-proxy.js';
import { since } from '../../support/judges/hearing.js';

const BEEP_HZ = 1000;

describe('recordings in S3-compatible storage', () => {
  let s3: S3Peer;
  let cable: TcpProxy;
  let stage: TestPlatform;
  let talkers: Talkers;

  before(async () => {
    s3 = await startS3();
    cable = await TcpProxy.start('127.0.0.1', s3.port);
    cable.cut();
    stage = await TestPlatform.start({
      settings: {
        RECORDING_STORAGE: 's3',
        S3_ENDPOINT: `http://127.0.0.1:${cable.port}`,
        S3_BUCKET: s3.options.bucket,
        S3_ACCESS_KEY_ID: s3.options.accessKeyId,
        S3_SECRET_ACCESS_KEY: s3.options.secretAccessKey,
        S3_FORCE_PATH_STYLE: 'true',
        S3_PREFIX: 'hatif/test',
      },
    });
    talkers = await Talkers.at(stage);
  });
  afterEach(() => stage.assertSound());
  after(async () => {
    await stage.stop();
    await cable.close();
    await s3.stop();
  });

  it('are preceded by a log entry if the storage is unavailable at startup', async () => {
    const log = path.join(stage.settings.HATIF_DATA_DIR, 'logs', 'hatif.log');
    await eventually(() => readFileSync(log, 'utf8').includes('storage of recordings cannot be used'), 'the log');
  });

  it('wait while the storage is unavailable, can be downloaded when it is available, and can be deleted', async () => {
    const talking = await talkers.conversation({ record: true });
    await talkers.ends(talking);
    const route = `/v1/calls/${talking.callId}/recording`;
    expect((await stage.request('GET', route)).body?.error_code).to.equal('RECORDING_NOT_FOUND');
    cable.restore();
    const [said, heard] = await stage.recording(talking.callId);
    expect(said && toneSeconds(said, CUSTOMER_HZ)).to.be.above(0.2);
    expect(heard && toneSeconds(heard, AGENT_HZ)).to.be.above(0.2);
    const [key, ...more] = s3.keys();
    expect(more).to.deep.equal([]);
    expect(key).to.match(/^hatif\/test\/[0-9a-f-]+\/\d{4}\/\d\d\/[0-9a-f-]+\.wav$/);
    const { url } = (await stage.request('GET', route)).body as { url: string };
    const part = await fetch(url, { headers: { Range: 'bytes=0-3' } });
    expect([part.status, await part.text()]).to.deep.equal([206, 'RIFF']);
    expect((await stage.request('DELETE', route)).status).to.equal(204);
    expect((await fetch(url)).status).to.equal(404);
    expect(s3.keys()).to.deep.equal([]);
    expect(await stage.read(talking.callId)).to.include({ recording_available: false });
  });

  it('of voicemail messages wait for the storage, and the caller notices nothing', async () => {
    const { customer, agent } = talkers;
    const { number } = stage.agent('1001');
    const numbers = (await stage.request('GET', '/v1/numbers')).body?.data as { id: string; e164: string }[];
    const { id: numberId } = numbers.find(({ e164 }) => e164 === number)!;
    const json = { enabled: true, greeting: { text: 'No.', language: 'en' } };
    expect((await stage.request('PUT', `/v1/numbers/${numberId}/voicemail`, { json })).status).to.equal(200);
    cable.cut();
    const { id, callId } = await stage.dialIn(agent, number);
    await customer.hangup(await customer.incoming());
    await agent.waitToHear((audio) => toneSeconds(audio, BEEP_HZ) > 0.1, { callId: id });
    // No event reports the length of a message while the caller speaks.
    await pause(2000);
    const menu = since(agent, id);
    await agent.sendDtmf('#');
    await agent.waitToHear(() => loudSeconds(menu()) > 0.3, { callId: id });
    await agent.sendDtmf('1');
    await agent.closed(id);
    await stage.over(callId);
    expect((await stage.request('GET', '/v1/voicemails')).body?.data).to.deep.equal([]);
    cable.restore();
    const { data } = await stage.receivedEvent(callId, 'voicemail.received');
    const { body } = await stage.request('GET', `/v1/voicemails/${String(data.id)}/recording`);
    const audio = readWav(new Uint8Array(await (await fetch(String(body?.url))).arrayBuffer()));
    expect(toneSeconds(audio, AGENT_HZ)).to.be.above(1);
  });
});
