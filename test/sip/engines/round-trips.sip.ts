import { expect } from 'chai';
import { documentedRoundTrips } from '../../support/judges/documented-round-trips.js';
import { redisCommandsAbout, requestsOver, statementsAbout, talkAbout } from '../../support/judges/round-trips.js';
import { describeFreeswitch } from '../../support/platform/freeswitch.js';
import { TracedStage } from '../../support/platform/traced-stage.js';

/** Addresses and names differ between machines. */
const BYTES_TOLERANCE = 0.15;

const EXPECTED = {
  asterisk: {
    commands: ['POST /ari/channels/…/answer', 'POST /ari/channels/…/play', 'DELETE /ari/channels/…'],
    events: [
      ...['StasisStart', 'ChannelStateChange', 'PlaybackStarted', 'PlaybackFinished', 'ChannelHangupRequest'],
      'StasisEnd',
    ],
  },
  freeswitch: {
    // The first ends the wait for the application.
    commands: ['sched_del', 'uuid_answer', 'playback', 'uuid_kill'],
    events: [
      ...['CHANNEL_PARK', 'CHANNEL_ANSWER', 'CHANNEL_EXECUTE', 'CHANNEL_EXECUTE_COMPLETE', 'CHANNEL_HANGUP_COMPLETE'],
    ],
  },
} as const;

function roundTrips(kind: 'asterisk' | 'freeswitch', title: 'Asterisk' | 'FreeSWITCH'): void {
  let stage: TracedStage;

  before(async function () {
    this.timeout(180_000);
    stage = await TracedStage.start(kind);
  });
  after(() => stage.close());

  it('are those that the documents list: a new one is a decision', async () => {
    const { api, database, redis } = stage.taps;
    const requestsBefore = requestsOver(api);
    const callIds = await stage.call();
    const { channelId, commands, events } = talkAbout(kind, stage.engine.control);
    const ids = [...callIds, channelId];
    const sizeOf = (messages: readonly { readonly bytes: number }[]): number =>
      messages.reduce((sum, { bytes }) => sum + bytes, 0);
    expect({ commands: commands.map(({ name }) => name), events: events.map(({ name }) => name) }).to.deep.equal(
      EXPECTED[kind],
    );
    const table = documentedRoundTrips('Of one inbound call', title);
    expect(commands.length).to.equal(table.get('commands to the engine'));
    expect(events.length).to.equal(table.get('events of the engine'));
    for (const [row, messages] of [
      ['bytes of the commands', commands],
      ['bytes of the events', events],
    ] as const) {
      const bytes = table.get(row) ?? 0;
      expect(sizeOf(messages), row).to.be.closeTo(bytes, bytes * BYTES_TOLERANCE);
    }
    expect(requestsOver(api) - requestsBefore).to.equal(table.get('HTTP requests of the engine'));
    expect(statementsAbout(database, ids)).to.be.at.most(table.get('statements about the call, at most')!);
    expect(redisCommandsAbout(redis, ids)).to.be.at.most(table.get('commands to Redis about the call, at most')!);
  });
}

describe('the round trips of a call on Asterisk', () => roundTrips('asterisk', 'Asterisk'));
describeFreeswitch('the round trips of a call on FreeSWITCH', () => roundTrips('freeswitch', 'FreeSWITCH'));
