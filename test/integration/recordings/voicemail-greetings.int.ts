import { expect } from 'chai';
import { VoicemailBoxes } from '../../../core/data/repositories/voicemail/voicemail-boxes.js';
import { SpokenGreetings } from '../../../core/services/voicemail/greetings.js';
import { VirtualClock } from '../../../engine/simulator/virtual-clock.js';
import { toneWav } from '../../support/judges/audio.js';
import { quiet } from '../../support/logger.js';
import { insertRows, numberRow } from '../../support/rows/rows.js';
import { boxRow } from '../../support/rows/voicemail-rows.js';
import { RecordingsStage } from '../../support/stages/recordings-stage.js';

const AUDIO = toneWav({ hz: 440, seconds: 1 });

describe('Greetings recorded by phone', function () {
  this.timeout(60_000);
  let stage: RecordingsStage;
  before(async () => (stage = await RecordingsStage.open()));
  after(() => stage.close());

  it('are not held up by one whose audio cannot be read', async () => {
    const { db } = stage.database;
    const { ground, stores, recordings, removal } = stage;
    const number = numberRow(ground, '+966112223355');
    await insertRows(db, 'numbers', [number]);
    await insertRows(db, 'voicemail_boxes', [boxRow(ground, number.id)]);
    const call = await stage.call();
    const greeting = { channels: 1 as const, box_id: number.id, is_greeting: true };
    const broken = await stage.recording(call, AUDIO, greeting);
    const good = await stage.recording(call, AUDIO, greeting);
    const key = broken.storage_key ?? '';
    await stores.of('local').remove(key);
    const imported: number[] = [];
    const clock = new VirtualClock();
    const task = new SpokenGreetings({
      recordings,
      removal,
      stores,
      table: new VoicemailBoxes(db),
      boxes: {
        setSpokenGreeting: (_box, wav) => {
          imported.push(wav.length);
          return Promise.resolve();
        },
      },
      clock,
      log: quiet,
    });
    await task.run();
    expect(imported).to.deep.equal([AUDIO.length]);
    expect((await stage.row(good)).status).to.equal('deleted');
    expect((await stage.row(broken)).status).to.equal('available');
    expect(await recordings.greetings([broken.id])).to.deep.equal([]);
  });
});
