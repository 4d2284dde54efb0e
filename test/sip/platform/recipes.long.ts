import { join } from 'node:path';
import { expect } from 'chai';
import { DEMO_REQUESTS } from '../../../api/examples/requests.js';
import { eventually } from '../../support/eventually.js';
import { operationsOf } from '../../fuzz/operations.js';
import { ask } from '../../support/api.js';
import { loudSeconds, readChannels } from '../../support/judges/audio.js';
import { talk } from '../../support/judges/hearing.js';
import { digitPromptsOf, digitsSaid } from '../../support/judges/spoken-digits.js';
import { freeSipPort, type Baresip } from '../../support/phones/index.js';
import { Tour } from '../../support/calls/tour.js';
import { AGENT_HZ } from '../../support/calls/trunk-talkers.js';

const COLLEAGUE_HZ = 1200;
const CODE_MS = 60_000;
const CODE_LENGTH = 6;
const RECOGNIZED_EVERY_SECONDS = 2;

describe('the recipes for developers, on other ports', function () {
  this.timeout(120_000);
  let tour: Tour;
  /** Agents 1001 and 1002. */
  let one: Baresip;
  let other: Baresip;

  before(async () => {
    tour = await Tour.start();
    one = await tour.stage.softphone(0, AGENT_HZ);
    other = await tour.stage.softphone(1, COLLEAGUE_HZ);
  });
  after(() => tour.close());

  /** Opens a recipe; types its first block, which defines the commands. */
  async function open(recipe: string): Promise<void> {
    tour.begin('recipe', `docs/how-to/recipes/${recipe}.md`);
    expect(await tour.next()).to.equal('');
  }

  const at = (phone: Baresip, hz: number, callId: string) => ({ phone, hz, callId });

  async function answered(phone: Baresip): Promise<string> {
    const callId = await phone.incoming();
    await phone.answer(callId);
    return callId;
  }

  /** Both answer, the first one first; they talk. */
  async function joined(first: Baresip, second: Baresip): Promise<{ ofOne: string; ofOther: string }> {
    const ids = [await answered(first), await answered(second)] as const;
    const [ofOne, ofOther] = first === one ? ids : [ids[1], ids[0]];
    await talk(at(one, AGENT_HZ, ofOne), at(other, COLLEAGUE_HZ, ofOther));
    return { ofOne, ofOther };
  }

  it('an incoming call asks the server', async () => {
    const port = { 9100: String(await freeSipPort()) };
    await open('ask-your-server');
    await tour.next(port);
    const server = await tour.elsewhere();
    await eventually(
      () => server().includes('listening'),
      () => `the server listens: ${server()}`,
    );
    expect(await tour.next(port)).to.equal('active\n');
    expect(await tour.next()).to.equal('callflow\n');
    expect(await tour.next()).to.equal('version 2 answers +966115550100\n');
    const ofOne = await one.dial(tour.stage.bootstrap.line_number);
    await one.waitToHear((audio) => loudSeconds(audio) > 0.4, { callId: ofOne });
    expect(server()).to.include('asked about +966115550101\n');
    const ofOther = await answered(other);
    await talk(at(one, AGENT_HZ, ofOne), at(other, COLLEAGUE_HZ, ofOther));
    await other.hangup(ofOther);
    await one.closed(ofOne);
    expect(tour.left).to.equal(0);
  });

  it('two people are called and joined', async () => {
    await open('join-two-people');
    expect(await tour.next()).to.equal('');
    const first = await joined(one, other);
    expect(one.call(first.ofOne).peer).to.contain(tour.stage.bootstrap.line_number);
    expect(await tour.next()).to.equal('customer answered\nagent answered\naccepted\n');
    await one.closed(first.ofOne);
    await other.closed(first.ofOther);

    await tour.next();
    const followed = tour.next();
    const second = await joined(one, other);
    await one.hangup(second.ofOne);
    await other.closed(second.ofOther);
    expect(await followed).to.match(/^initiated\n(ringing\n)?(answered\n)?ended answered\n$/);
    expect(tour.left).to.equal(0);
  });

  it('a queue calls customers back', async () => {
    const port = { 9200: String(await freeSipPort()) };
    await open('queue-with-callbacks');
    expect(await tour.next()).to.equal('logged_in\nidle\n');
    expect(await tour.next()).to.equal('');
    const { ofOne, ofOther } = await joined(other, one);
    expect(await tour.next()).to.equal('answered\n');
    await one.hangup(ofOne);
    await other.closed(ofOther);

    await tour.next(port);
    const server = await tour.elsewhere();
    await eventually(
      () => server().includes('listening'),
      () => `the server listens: ${server()}`,
    );
    await tour.until('api GET "/queues/members?queue=callbacks"', '"idle"');
    expect(await tour.next(port)).to.equal('');
    const ringing = await other.incoming();
    expect(await tour.next(port)).to.equal('cancelled\n');
    await other.closed(ringing);
    expect(tour.left).to.equal(0);
  });

  it('a number is verified', async () => {
    await open('verify-a-number');
    expect(await tour.next())
      .to.include('"state":"pending"')
      .and.to.include('"attempts_left":5');
    expect(await tour.next()).to.match(/"verified":false.*"verified":true/s);
    expect(await tour.next()).to.equal('');
    const prompts = await digitPromptsOf(tour.stage.dataDir, 'en');
    const ringing = await answered(one);
    let code = '';
    let seconds = 0;
    await one.waitToHear(
      (audio) => {
        // To recognize the digits takes long.
        if (audio.seconds < seconds + RECOGNIZED_EVERY_SECONDS) return false;
        seconds = audio.seconds;
        code = digitsSaid(audio, prompts).slice(0, CODE_LENGTH);
        return code.length === CODE_LENGTH;
      },
      { callId: ringing, timeoutMs: CODE_MS },
    );
    expect(await tour.next({ 482913: code })).to.equal('verified\n');
    await one.closed(ringing, CODE_MS);
    expect(tour.left).to.equal(0);
  });

  it('a call is recorded and fetched', async () => {
    await open('record-and-fetch');
    expect(await tour.next()).to.equal('');
    await one.closed(await answered(one));
    expect(await tour.next()).to.match(/"(error_code|url)":/);
    await tour.until('api GET /calls/$CALL/recording', '"url"');
    expect(await tour.next()).to.include('call.wav');
    const [, heard] = readChannels(join(tour.folder, 'call.wav'));
    expect(loudSeconds(heard!)).to.be.above(1);

    await tour.next();
    const followed = tour.next();
    await one.closed(await answered(one));
    expect(await followed).to.match(/^calling\nagain\.wav has [\d.]+ s\n$/);
    expect(loudSeconds(readChannels(join(tour.folder, 'again.wav'))[1]!)).to.be.above(0.5);
    expect(tour.left).to.equal(0);
  });

  it('the API reference starts with requests that work', async () => {
    const { base_url, live_key, sandbox_key } = tour.stage.bootstrap;
    const document = (await ask(base_url, 'GET', '/v1/openapi.json', {})).body;
    const operations = new Map(operationsOf(document).map((operation) => [operation.operationId, operation]));
    for (const [id, json] of Object.entries(DEMO_REQUESTS)) {
      const { method, path, keyKind } = operations.get(id)!;
      const key = keyKind === 'live' ? live_key : sandbox_key;
      const answer = await ask(base_url, method, path, { key, json: json as object });
      expect(answer.status, `${id}: ${answer.text}`).to.be.within(200, 202);
      if (id === 'placeCall') await one.closed(await answered(one));
    }
  });
});
