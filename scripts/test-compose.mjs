#!/usr/bin/env node
/**
 * `npm run test:compose`: builds the containers' images and runs the platform in them, in a project, a network and on ports
 * of its own: a phone registers and hears a spoken call, the application is killed in a recorded one, and recordings outlive
 * the containers. Without docker compose it says so and passes. Removes everything but the images.
 */
import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

import { checkNode } from './lib/node-version.mjs';

checkNode();
const { ROOT, Trouble, main } = await import('./lib/run.mjs');
const { ensureDependencies } = await import('./lib/dependencies.mjs');

const TONE_HZ = 440;
/** For how long music, or the phone's tone, must be heard. */
const ENOUGH_SECONDS = 2;
/** A recording may have to wait for the next search for recordings that nobody collected. */
const COLLECTED_WITHIN_MS = 90_000;

const folder = mkdtempSync(join(tmpdir(), 'hatif-compose-'));
const project = ['compose', '--project-name', `hatif-test-${process.pid}`, '--env-file', join(folder, 'env')];

await main(async () => {
  // The command that runs is interrupted as well; its failure ends the test, which removes the containers.
  for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => undefined);
  try {
    if (await hasDocker()) await testContainers();
    else console.log('Skipped: docker compose is not installed, or its engine does not run.');
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});

async function testContainers() {
  await ensureDependencies();
  const { Baresip, freeSipPort } = await support('phones/index.ts');
  const { hasSpeech, loudSeconds, readChannels, slice, toneSeconds } = await support('judges/audio.ts');
  const { eventually } = await support('eventually.ts');
  const port = await freeSipPort();
  const sipPort = await freeSipPort();
  writeSettings({
    ...{ PORT: port, SIP_PORT: sipPort, SIP_EXTERNAL_ADDRESS: '127.0.0.1', CONTAINER_NETWORK: '172.30.67' },
    ...{ ASTERISK_SIP_PORT: await freeSipPort(), SIP_RELAY_PORT: await freeSipPort() },
    EDGE_METRICS_PORT: await freeSipPort(),
  });
  const headers = { 'Content-Type': 'application/json' };
  let phone;

  const request = (path, init) => fetch(`http://127.0.0.1:${port}/v1${path}`, { headers, ...init });
  async function read(path) {
    const response = await request(path);
    return response.ok ? response.json() : null;
  }
  async function command(path, body = {}) {
    const response = await request(path, { method: 'POST', body: JSON.stringify(body) });
    if (!response.ok) throw new Trouble(`POST ${path}: ${response.status} ${await response.text()}`);
    return response.json();
  }
  /** Places a call, which the phone answers. */
  async function call(body) {
    const { call_id: id } = await command('/calls', body);
    const ringing = await phone.incoming();
    await phone.answer(ringing);
    await eventually(async () => (await read(`/calls/${id}`))?.status !== 'ringing', 'the call is answered');
    return { id, ringing };
  }
  /** Resolves when the phone has heard more music. */
  async function hearsMusic({ ringing }) {
    const from = phone.heard(ringing).seconds;
    const isMusic = (audio) => loudSeconds(slice(audio, from)) > ENOUGH_SECONDS;
    await phone.waitToHear(isMusic, { callId: ringing });
  }
  /** The recording of the call, which has what the phone said. */
  async function recordingOf({ id }) {
    const found = () => read(`/calls/${id}/recording`);
    const { url } = await eventually(found, `the recording of ${id}`, COLLECTED_WITHIN_MS);
    const wav = Buffer.from(await (await fetch(url)).arrayBuffer());
    const [said] = readChannels(wav);
    check(toneSeconds(said, TONE_HZ) > ENOUGH_SECONDS, 'what the phone said is in the recording');
    return wav;
  }

  try {
    step('build the images, and start the containers');
    await compose('up', '--build', '--detach', '--wait');
    const { live_key, sip } = JSON.parse(await compose('exec', '-T', 'application', 'cat', '/data/bootstrap.json'));
    headers.Authorization = `Bearer ${live_key}`;
    const [{ agent: user, number, password }] = sip.agents;
    const engines = await compose('exec', '-T', 'application', 'hatif', 'engines', 'list');
    check(/^asterisk .* up /m.test(engines), 'hatif engines list shows the engine');
    check(/Asterisk \d+\.\d+/.test(await compose('logs', 'asterisk')), "Asterisk's log is its container's");

    step('register a phone');
    const registrar = { host: '127.0.0.1', port: sipPort, password };
    phone = await Baresip.start({ user, registrar, codecs: ['PCMA'], source: { toneHz: TONE_HZ } });
    await phone.registered();

    step('speak to the phone');
    const spoken = await call({ to: number, play: { text: 'Hello. This is Hatif.', language: 'en' } });
    await phone.waitToHear(hasSpeech, { callId: spoken.ringing });
    await phone.closed(spoken.ringing);

    step('record a call, and kill the application in it');
    const first = await call({ to: number, record: true });
    await command(`/calls/${first.id}/hold`);
    await hearsMusic(first);
    await compose('kill', 'application');
    await hearsMusic(first);

    step('take the call over');
    await compose('up', '--detach', '--wait');
    const timeline = async () => JSON.stringify(await read(`/calls/${first.id}/timeline`));
    await eventually(async () => (await timeline()).includes('call.adopted'), 'the call is taken over');
    await command(`/calls/${first.id}/hangup`);
    await phone.closed(first.ringing);
    const recording = await recordingOf(first);

    step('keep recordings when the containers are created anew');
    const last = await call({ to: number, record: true });
    await command(`/calls/${last.id}/hold`);
    await hearsMusic(last);
    await compose('kill', 'application');
    await phone.hangup(last.ringing);
    await phone.closed(last.ringing);
    // The last recording is still in Asterisk.
    await compose('down');
    await compose('up', '--detach', '--wait');
    check(recording.equals(await recordingOf(first)), 'the first recording is the same');
    await recordingOf(last);
    console.log('The containers work.');
  } catch (error) {
    console.error(await compose('logs', '--tail', '40'));
    throw error;
  } finally {
    await phone?.kill();
    await compose('down', '--volumes');
  }
}

/** Loads a helper of the tests. */
async function support(file) {
  const { tsImport } = await import('tsx/esm/api');
  return tsImport(`../test/support/${file}`, import.meta.url);
}

function writeSettings(settings) {
  const secrets = ['POSTGRES_PASSWORD', 'REDIS_PASSWORD', 'ASTERISK_ARI_PASSWORD', 'DRACHTIO_SECRET', 'HATIF_SECRET'];
  const drawn = secrets.map((name) => [name, randomBytes(24).toString('hex')]);
  const lines = [...drawn, ...Object.entries(settings)].map(([name, value]) => `${name}=${value}\n`);
  writeFileSync(join(folder, 'env'), lines.join(''), { mode: 0o600 });
}

function step(what) {
  console.log(`  ${what}`);
}

function check(holds, what) {
  if (!holds) throw new Trouble(`This does not hold: ${what}`);
}

/** Runs a command of docker compose. @returns its output */
async function compose(...args) {
  try {
    return await docker(...project, ...args);
  } catch (error) {
    throw new Trouble(`docker compose ${args.join(' ')} failed:\n${error.stderr}`);
  }
}

async function docker(...args) {
  const { stdout } = await promisify(execFile)('docker', args, { cwd: ROOT, maxBuffer: 100_000_000 });
  return stdout;
}

function hasDocker() {
  return Promise.all([docker('compose', 'version'), docker('info')]).then(
    () => true,
    () => false,
  );
}
