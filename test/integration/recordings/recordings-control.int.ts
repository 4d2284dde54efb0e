import { expect } from 'chai';
import { RedisCommandBus } from '../../../adapters/commands/redis-bus.js';
import { AudioMediaStore } from '../../../adapters/media/index.js';
import { NoSpeech } from '../../../adapters/speech/index.js';
import { controlRoutes } from '../../../api/routes/calls/call-control.js';
import { Calls } from '../../../core/data/repositories/calls/calls.js';
import type { CallRow } from '../../../core/data/rows.js';
import type { EngineCommand, CommandOutcome } from '../../../core/ports/command-bus.js';
import { systemClock } from '../../../core/ports/clock.js';
import { ControlCall } from '../../../core/services/calls/control.js';
import { PrepareAudio } from '../../../core/services/calls/prepare-audio.js';
import { redisFor, testApi, type Answer, type TestApi } from '../../support/api.js';
import { testDatabase, type TestDatabase } from '../../support/platform/database.js';
import { quiet } from '../../support/logger.js';
import { testRedis, type TestRedis } from '../../support/platform/redis.js';
import { callRow, groundIn, insertRows, type Ground } from '../../support/rows/rows.js';

/** Checks the commands to the engine's owner process; recording.sip.ts tests with real phones. */
describe('The control of recordings in the API', function () {
  this.timeout(60_000);
  let database: TestDatabase;
  let redis: TestRedis;
  let bus: RedisCommandBus;
  let api: TestApi;
  let ground: Ground;
  let call: CallRow;
  let key: string;
  let outcome: CommandOutcome;
  const commands: EngineCommand[] = [];

  before(async () => {
    [database, redis] = await Promise.all([testDatabase(), testRedis()]);
    bus = RedisCommandBus.open(redisFor(redis.url), redisFor(redis.url), quiet);
    const media = new AudioMediaStore({ dir: '/nowhere' });
    const audio = new PrepareAudio({
      media,
      speech: new NoSpeech(),
      clock: systemClock,
      hasAudio: () => Promise.resolve(false),
    });
    const control = new ControlCall({ calls: new Calls(database.db), audio, bus });
    api = await testApi({ db: database.db, routes: controlRoutes({ control, isOn: () => true }) });
    ground = await groundIn(database.db);
    call = callRow(ground, { status: 'answered', answered_at: new Date() });
    await insertRows(database.db, 'calls', [call]);
    ({ key } = await api.key({ projectId: ground.projectId }));
    await bus.serve(ground.engineId, (command) => {
      commands.push(command);
      return Promise.resolve(outcome);
    });
  });
  after(async () => {
    await api.close();
    await bus.close();
    await Promise.all([database.close(), redis.close()]);
  });
  beforeEach(() => {
    outcome = { result: 'done' };
    commands.length = 0;
  });
  afterEach(() => expect(api.faults).to.deep.equal([]));

  const post = (action: string, json: object = {}, by = key): Promise<Answer> =>
    api.request('POST', `/v1/calls/${call.id}/recording/${action}`, { key: by, json });

  const accepted: readonly [string, object, object][] = [
    ['start', {}, { action: 'recording_start', channels: 2, maxSeconds: null, transcribe: false }],
    [
      'start',
      { channels: 1, max_seconds: 14_400, transcribe: true },
      { action: 'recording_start', channels: 1, maxSeconds: 14_400, transcribe: true },
    ],
    ['stop', {}, { action: 'recording_stop' }],
    ['pause', {}, { action: 'recording_pause' }],
    ['resume', {}, { action: 'recording_resume' }],
  ];
  for (const [action, body, what] of accepted) {
    for (const leg of ['customer', 'agent'] as const) {
      it(`sends the owner process the ${action} command for the ${leg}’s leg (${JSON.stringify(body)})`, async () => {
        const answer = await post(action, leg === 'customer' ? body : { ...body, leg });
        expect(answer.status, answer.text).to.equal(200);
        expect(answer.body).to.include({ call_id: call.id, status: 'accepted', action: `recording_${action}` });
        expect(commands).to.have.lengthOf(1);
        expect(commands[0]).to.deep.include({ type: 'control', callId: call.id, leg, what });
      });
    }
  }

  it('requires no body', async () => {
    const answer = await api.request('POST', `/v1/calls/${call.id}/recording/start`, { key });
    expect(answer.status, answer.text).to.equal(200);
  });

  for (const wrong of [
    { channels: 0 },
    { channels: 3 },
    { channels: '2' },
    { max_seconds: 0 },
    { max_seconds: 14_401 },
    { max_seconds: 1.5 },
    { transcribe: 'yes' },
    { leg: 'transfer' },
    { format: 'mp3' },
  ]) {
    it(`rejects ${JSON.stringify(wrong)}`, async () => {
      const answer = await post('start', wrong);
      expect([answer.status, answer.body?.error_code]).to.deep.equal([400, 'VALIDATION_ERROR']);
      expect(commands).to.deep.equal([]);
    });
  }

  it('requires a live key', async () => {
    const sandbox = await api.key({ projectId: ground.projectId, kind: 'sandbox' });
    for (const action of ['start', 'stop', 'pause', 'resume']) {
      const { body } = await post(action, {}, sandbox.key);
      expect(body?.error_code).to.equal('SANDBOX_KEY_NOT_ALLOWED');
    }
    expect(commands).to.deep.equal([]);
  });

  it('reports that nothing is recorded if the announcement cannot be played', async () => {
    outcome = { result: 'not_announced' };
    const answer = await post('start');
    expect([answer.status, answer.body?.error_code]).to.deep.equal([503, 'RECORDING_SERVICE_UNAVAILABLE']);
  });
});
